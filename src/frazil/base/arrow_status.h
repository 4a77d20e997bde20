// SPDX-License-Identifier: Apache-2.0
// The border between Arrow's Status/Result and our exceptions.
#pragma once

#include <string_view>
#include <utility>

#include <arrow/result.h>
#include <arrow/status.h>

namespace frazil {

class Error;

/// Throws the Error that corresponds to a failed `status`, with "<context>: " before its message.
[[noreturn]] void ThrowStatus(const arrow::Status& status, std::string_view context);

/// The way back, for what Arrow calls (a RecordBatchReader, say): a Status whose ThrowStatus is `error` again, kind and
/// message.
arrow::Status ToStatus(const Error& error);

/// Returns if `status` is ok, else throws (see ThrowStatus). `context` names the file, table or operation.
inline void Check(const arrow::Status& status, std::string_view context) {
  if (!status.ok()) [[unlikely]]
    ThrowStatus(status, context);
}

/// The value of `result`, or throws (see ThrowStatus).
template <typename T>
T Unwrap(arrow::Result<T> result, std::string_view context) {
  if (!result.ok()) [[unlikely]]
    ThrowStatus(result.status(), context);
  return std::move(result).ValueUnsafe();
}

}  // namespace frazil
