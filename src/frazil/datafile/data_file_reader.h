// SPDX-License-Identifier: Apache-2.0
// Reads data files into columns of the wanted schema, resolved by field id (spec: "Column Projection").
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/iceberg/manifest.h"
#include "frazil/iceberg/schema.h"

namespace frazil::storage {
class FileIO;
}

namespace frazil::datafile {

struct ReadOptions {
  int64_t batch_size = 65536;
  /// Row groups whose start offset lies in [split_start, split_start + split_length) are read; whole file by default.
  int64_t split_start = 0;
  std::optional<int64_t> split_length;
  /// Values of identity-partitioned columns that the file itself lacks, by field id.
  std::map<int32_t, iceberg::Literal> constants;
};

/// Batches in file order; not thread-safe.
class DataFileReader {
 public:
  virtual ~DataFileReader() = default;
  /// Null at the end. Columns are those of the projection, in order, with ToArrowType()'s types: files written with a
  /// narrower type are promoted, columns that the file lacks come from constants, then the initial default, then null
  /// (Corrupt if required and nothing supplies it).
  virtual std::shared_ptr<arrow::RecordBatch> Next() = 0;
};

/// Throws NotFound, Corrupt (not Parquet, truncated, type that can't be promoted), Unsupported (encrypted, format).
std::unique_ptr<DataFileReader> OpenParquetReader(storage::FileIO& io, std::string_view location,
                                                  const iceberg::Schema& projection, const ReadOptions& options);

}  // namespace frazil::datafile
