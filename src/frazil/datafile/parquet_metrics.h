// SPDX-License-Identifier: Apache-2.0
// From a Parquet footer and the writer's tallies to what a manifest says of a file.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "frazil/datafile/metrics_mode.h"
#include "frazil/datafile/parquet_layout.h"
#include "frazil/datafile/value_tally.h"
#include "frazil/iceberg/manifest.h"

namespace parquet {
class FileMetaData;
}

namespace frazil::datafile {

/// `tallies`: one for each leaf, null where ValueTally doesn't cover the type or the mode doesn't ask. Leaves inside
/// lists and maps get counts but no bounds; a leaf whose Parquet statistics are switched off only its size.
iceberg::ColumnMetrics MetricsOf(const parquet::FileMetaData& footer, const std::vector<LeafColumn>& leaves,
                                 const std::vector<std::optional<ValueTally>>& tallies,
                                 const std::unordered_map<int32_t, MetricsMode>& modes);

/// Where each row group starts.
std::vector<int64_t> SplitOffsetsOf(const parquet::FileMetaData& footer);

}  // namespace frazil::datafile
