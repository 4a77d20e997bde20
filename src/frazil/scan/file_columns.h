// SPDX-License-Identifier: Apache-2.0
// The columns of `files` and `entries` (Java: BaseFilesTable, BaseEntriesTable, MetricsUtil).
#pragma once

#include "frazil/iceberg/manifest.h"
#include "frazil/iceberg/schema.h"
#include "frazil/scan/partition_union.h"
#include "frazil/scan/row_columns.h"

namespace frazil::scan {

/// The fields of a `partition` struct, filled from tuples of `partitions`.
Columns<iceberg::PartitionValues> PartitionFieldColumns(const PartitionUnion& partitions);

/// `content` … `content_size_in_bytes`. `partitions` must outlive the columns.
Columns<iceberg::DataFile> FileColumns(const PartitionUnion& partitions);

/// `readable_metrics`: a struct for each primitive column of `schema`, sorted by full name.
Column<iceberg::DataFile> ReadableMetricsColumn(const iceberg::Schema& schema);

/// `status` … `data_file`, `readable_metrics`. `partitions` must outlive the columns.
Columns<iceberg::ManifestEntry> EntryColumns(const PartitionUnion& partitions, const iceberg::Schema& schema);

}  // namespace frazil::scan
