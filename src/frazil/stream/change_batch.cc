// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/change_batch.h"

#include <arrow/util/byte_size.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"

namespace frazil::stream {

std::string_view ShortString(RowKind kind) {
  switch (kind) {
    case RowKind::kInsert: return "+I";
    case RowKind::kUpdateBefore: return "-U";
    case RowKind::kUpdateAfter: return "+U";
    case RowKind::kDelete: return "-D";
  }
  throw Internal("{} is not a row kind", static_cast<int>(kind));
}

int64_t ChangeBatch::num_rows() const { return rows->num_rows(); }

int64_t ChangeBatch::num_bytes() const {
  int64_t bytes = Unwrap(arrow::util::ReferencedBufferSize(*rows), "size of a batch");
  return row_kinds == nullptr ? bytes : bytes + row_kinds->length();
}

ChangeBatch ChangeBatch::Slice(int64_t offset, int64_t length) const {
  ChangeBatch slice;
  slice.rows = rows->Slice(offset, length);
  if (row_kinds != nullptr)
    slice.row_kinds = std::static_pointer_cast<arrow::Int8Array>(row_kinds->Slice(offset, length));
  return slice;
}

}  // namespace frazil::stream
