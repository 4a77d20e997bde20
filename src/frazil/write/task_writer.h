// SPDX-License-Identifier: Apache-2.0
// Puts rows into data files: rolling by size, one open file per partition met. This room knows partitions, file names
// and rolling; it knows nothing of checkpoints or commits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/iceberg/manifest.h"
#include "frazil/iceberg/table_metadata.h"

namespace frazil::storage {
class FileIO;
}

namespace frazil::write {

struct TaskWriterOptions {
  int32_t subtask = 0;       ///< first part of file names
  int32_t attempt = 0;       ///< second part
  std::string operation_id;  ///< third part, unique for each writer instance; a UUID
  OptionMap overrides;       ///< write options that win over table properties (keys of table properties)
};

/// Not thread-safe. Destroyed without Complete() it abandons open files and deletes closed ones that nobody took.
class TaskWriter {
 public:
  virtual ~TaskWriter() = default;

  /// Rows in the table's current schema (ToArrowSchema order and types).
  virtual void Write(const arrow::RecordBatch& rows) = 0;
  /// Closes all open files and hands over everything written since the last Complete(); empty if no rows came. The
  /// writer can go on afterwards.
  virtual std::vector<iceberg::DataFile> Complete() = 0;
  /// Closes and deletes everything that Complete() has not handed over.
  virtual void Abort() noexcept = 0;
};

/// A writer for the metadata's current schema and default spec: rolling at `write.target-file-size-bytes` (checked
/// every batch), names `<data location>/[partition path/]{subtask:05d}-{attempt}-{operation id}-{count:05d}.parquet`.
/// Throws Unsupported for formats and transforms that can't be written, InvalidArgument for bad properties.
std::unique_ptr<TaskWriter> MakeTaskWriter(iceberg::TableMetadataPtr metadata, std::shared_ptr<storage::FileIO> io,
                                           TaskWriterOptions options);

}  // namespace frazil::write
