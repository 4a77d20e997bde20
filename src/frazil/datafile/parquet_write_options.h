// SPDX-License-Identifier: Apache-2.0
// `write.parquet.*` and `write.metadata.metrics.*` of a table, parsed and checked once for all files of a writer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <arrow/type_fwd.h>
#include <arrow/util/type_fwd.h>

#include "frazil/base/options.h"
#include "frazil/datafile/encoding_choice.h"
#include "frazil/datafile/metrics_mode.h"
#include "frazil/datafile/parquet_layout.h"

namespace parquet {
class WriterProperties;
}

namespace frazil::datafile {

/// Where `write.parquet.row-group-size-bytes` is not set. Half of Java's default, which counts encoded values before
/// compression: an open row group is held in memory compressed, and a job has several open files.
inline constexpr int64_t kDefaultRowGroupBytes = 64 << 20;

/// Where encoded pages live until their row group closes. They grow by doubling and die in bulk: jemalloc, where Arrow
/// has it, needs half the resident memory of Arrow's usual pool for that.
arrow::MemoryPool* EncodePool();

/// What single columns ask for, by field id; absent: the default.
struct LeafOptions {
  std::optional<bool> dictionary;    ///< write.parquet.dict-encoding-enabled.column.*
  bool statistics = true;            ///< write.parquet.stats-enabled.column.*
  bool bloom_filter = false;         ///< write.parquet.bloom-filter-enabled.column.*
  double bloom_fpp = 0.01;           ///< write.parquet.bloom-filter-fpp.column.*
  std::optional<int64_t> bloom_ndv;  ///< write.parquet.bloom-filter-ndv.column.*
};

class ParquetWriteOptions {
 public:
  ParquetWriteOptions(const iceberg::Schema& schema, const OptionMap& properties);

  const iceberg::Schema& schema() const { return schema_; }
  const ParquetLayout& layout() const { return layout_; }
  const std::unordered_map<int32_t, MetricsMode>& metrics_modes() const { return metrics_modes_; }
  /// The `iceberg.schema` entry of the footer, as Java writes it.
  const std::string& schema_json() const { return schema_json_; }

  int64_t row_group_bytes() const { return row_group_bytes_; }
  bool track_uncompressed() const { return track_uncompressed_; }
  int64_t check_min_rows() const { return check_min_rows_; }
  int64_t check_max_rows() const { return check_max_rows_; }
  int64_t page_bytes() const { return page_bytes_; }
  int64_t dictionary_bytes() const { return dictionary_bytes_; }

  const LeafOptions& leaf(int32_t field_id) const;
  /// Whether zstd may choose its effort by column: no level was asked for.
  bool adapts_zstd() const { return compression_ == arrow::Compression::ZSTD && !compression_level_; }

  std::shared_ptr<parquet::WriterProperties> MakeProperties(const std::vector<LeafEncoding>& encodings) const;

  EncodingMemory& encoding_memory() const { return encoding_memory_; }

 private:
  void ResolveSizes(const OptionMap& properties);
  void ResolveCompression(const OptionMap& properties);
  void ResolveColumns(const OptionMap& properties);
  int64_t BloomValues(const LeafOptions& leaf) const;

  iceberg::Schema schema_;
  ParquetLayout layout_;
  std::unordered_map<int32_t, MetricsMode> metrics_modes_;
  std::string schema_json_;
  int64_t row_group_bytes_ = 0;
  bool track_uncompressed_ = false;
  int64_t check_min_rows_ = 0;
  int64_t check_max_rows_ = 0;
  int64_t page_bytes_ = 0;
  int64_t page_rows_ = 0;
  int64_t dictionary_bytes_ = 0;
  bool data_page_v2_ = false;
  arrow::Compression::type compression_;
  std::optional<int> compression_level_;
  int64_t bloom_max_bytes_ = 0;
  bool bloom_fold_ = true;
  std::unordered_map<int32_t, LeafOptions> leaf_options_;
  mutable EncodingMemory encoding_memory_;
};

}  // namespace frazil::datafile
