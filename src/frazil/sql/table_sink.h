// SPDX-License-Identifier: Apache-2.0
// The sink of an INSERT: an Iceberg table or a connector.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <arrow/type_fwd.h>

#include "frazil/sql/relation.h"
#include "frazil/stream/sink.h"

namespace frazil::sql {

struct TableSink {
  std::unique_ptr<stream::Sink> sink;
  std::shared_ptr<arrow::Schema> schema;  ///< of the batches that it takes
  std::optional<int> parallelism;         ///< 'write-parallelism', 'sink.parallelism'
  std::string uid;                        ///< stable
};

/// `write_options` are for Iceberg tables. Throws InvalidArgument, Unsupported (naming table and option); Unsupported
/// for a metadata table.
TableSink MakeTableSink(const Relation& relation, const OptionMap& write_options);

}  // namespace frazil::sql
