// SPDX-License-Identifier: Apache-2.0
// What flows between operators: columns, and where not every row is an insert, the kind of each row.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <arrow/type_fwd.h>

namespace frazil::stream {

/// Flink's RowKind, with its byte values.
enum class RowKind : int8_t { kInsert = 0, kUpdateBefore = 1, kUpdateAfter = 2, kDelete = 3 };

/// "+I", "-U", "+U", "-D": Flink's short strings.
std::string_view ShortString(RowKind kind);

/// A cheap handle (two shared pointers) on immutable columns.
struct ChangeBatch {
  std::shared_ptr<arrow::RecordBatch> rows;     ///< never null where a batch is passed on
  std::shared_ptr<arrow::Int8Array> row_kinds;  ///< RowKind of each row, no nulls; null pointer: all rows are +I

  int64_t num_rows() const;
  /// Bytes that the columns refer to (slices count their share); what bounded queues and numBytes… metrics count.
  int64_t num_bytes() const;
  /// Zero-copy.
  ChangeBatch Slice(int64_t offset, int64_t length) const;
};

}  // namespace frazil::stream
