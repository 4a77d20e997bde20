// SPDX-License-Identifier: Apache-2.0
// A query as it runs: batches by pull. Between our own operators errors are exceptions; Arrow's readers stand at the
// borders.
#pragma once

#include <memory>
#include <string>

#include <arrow/type_fwd.h>

namespace frazil::sql {

/// Used by one thread at a time. After an exception or the end it must not be asked again.
class RowStream {
 public:
  virtual ~RowStream() = default;
  /// The next batch, maybe without rows; null at the end.
  virtual std::shared_ptr<arrow::RecordBatch> Next() = 0;
};

/// For what Arrow or a door reads. An Error of the stream becomes the Status that ThrowStatus turns back.
std::shared_ptr<arrow::RecordBatchReader> ToReader(std::unique_ptr<RowStream> stream,
                                                   std::shared_ptr<arrow::Schema> schema);

/// Streams that Acero reads, and what the first of them threw: Acero passes on a Status, which knows no place in SQL.
class AceroInputs {
 public:
  std::shared_ptr<arrow::RecordBatchReader> Add(std::unique_ptr<RowStream> stream,
                                                std::shared_ptr<arrow::Schema> schema);
  /// Throws the exception of an input if there is one, else as Check.
  void CheckRead(const arrow::Status& status, const std::string& context) const;

 private:
  struct Failure;
  std::shared_ptr<Failure> failure_;  ///< shared with the readers, which Acero keeps
};

/// The other way; batches get `schema` (see column_layout.h). `context` begins the messages of Arrow's own errors.
std::unique_ptr<RowStream> FromReader(std::shared_ptr<arrow::RecordBatchReader> reader,
                                      std::shared_ptr<arrow::Schema> schema, std::string context);

}  // namespace frazil::sql
