// SPDX-License-Identifier: Apache-2.0
// Tables of WITH ('connector' = …): from their options to sources and sinks, with errors that name the table.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "frazil/sql/relation.h"
#include "frazil/stream/sink.h"
#include "frazil/stream/source.h"

namespace frazil::sql {

/// The source of a connector relation that produces the relation's columns at `columns`, in that order. Throws
/// InvalidArgument (naming table, key and nearest key), Unsupported if the connector has no source.
std::unique_ptr<stream::Source> MakeSource(const Relation& relation, std::span<const int> columns);

/// The sink of a connector relation. It takes batches of ToArrowSchema(relation.columns). Throws as MakeSource.
std::unique_ptr<stream::Sink> MakeSink(const Relation& relation);

/// Whether its source ends. Throws as MakeSource.
bool IsBoundedSource(const Relation& relation);

/// 'scan.parallelism' and 'sink.parallelism'.
std::optional<int> ScanParallelism(const Relation& relation);
std::optional<int> SinkParallelism(const Relation& relation);

/// Makes source and sink, whichever the connector has, and drops them: so that a bad option is an error of CREATE.
void ValidateOptions(const Relation& relation);

}  // namespace frazil::sql
