// SPDX-License-Identifier: Apache-2.0
// Writes one data file of any format and knows what a manifest must say of it. This room knows files, columns and
// metrics; it knows nothing of partitions, rolling or commits (write/ does).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <arrow/type_fwd.h>

#include "frazil/base/options.h"
#include "frazil/iceberg/manifest.h"
#include "frazil/iceberg/schema.h"

namespace frazil::storage {
class OutputFile;
}

namespace frazil::datafile {

/// Not thread-safe. Destroyed without Close() the file is abandoned and leaves nothing behind; after an error that is
/// all there is left to do with it.
class DataFileWriter {
 public:
  virtual ~DataFileWriter() = default;

  /// Appends rows. The batch's columns are those of the schema, in order, with ToArrowType()'s types; a null in a
  /// required column is InvalidArgument naming the column.
  virtual void Write(const arrow::RecordBatch& rows) = 0;

  /// What the file would weigh if closed now: bytes in the stream, plus the estimate for the open row group.
  virtual int64_t EstimatedSize() const = 0;
  virtual int64_t rows_written() const = 0;

  /// Writes the footer and makes the file durable. The result lacks only partition and spec id. Throws Unavailable.
  virtual iceberg::DataFile Close() = 0;
};

/// What the writer takes from table properties, resolved once for all files of a writer: `write.parquet.*`
/// (row-group-size-bytes, page-size-bytes, page-version, page-row-limit, dict-size-bytes, compression-codec,
/// compression-level, row-group-check-min/max-record-count, bloom-filter-*, stats-enabled.column.*,
/// dict-encoding-enabled.column.*) and `write.metadata.metrics.*`. Shared by writers, thread-safe.
///
/// Where a property is not set: zstd; row groups of 64 MiB on disk (Java's 128 MiB count values before compression);
/// and per column, by a sample of the first rows, a dictionary or none and, without `compression-level`, the cheapest
/// zstd settings that come within 5 % of level 3.
class ParquetWriteOptions;

/// Throws InvalidArgument for a value that can't be honoured and for an unknown `write.parquet.*` key.
std::shared_ptr<const ParquetWriteOptions> ResolveParquetWriteOptions(const iceberg::Schema& schema,
                                                                      const OptionMap& table_properties);

std::unique_ptr<DataFileWriter> OpenParquetWriter(std::unique_ptr<storage::OutputFile> output,
                                                  const iceberg::Schema& schema,
                                                  std::shared_ptr<const ParquetWriteOptions> options);

}  // namespace frazil::datafile
