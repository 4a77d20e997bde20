// SPDX-License-Identifier: Apache-2.0
// The one family of exceptions of the house. A message says what was wrong, where (file, table, line and column of the
// SQL) and what to do about it. Exceptions of libraries and Arrow's Status become Errors once, in the room that owns
// the library; nothing above sees them.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace frazil {

enum class ErrorKind {
  kInvalidArgument,     ///< the caller or the user gave something that can't be right
  kNotFound,            ///< a file, table, namespace, column or option doesn't exist
  kAlreadyExists,       ///< create of something that is there
  kCommitConflict,      ///< the table moved on: refresh, re-validate, re-apply
  kCommitStateUnknown,  ///< the commit may have landed: nothing it wrote may be deleted
  kCorrupt,             ///< bytes that don't follow their format
  kUnavailable,         ///< a service, disk or file system failed; a retry may help
  kUnauthorized,        ///< credentials or permissions
  kUnsupported,         ///< legal, but Frazil doesn't do it
  kInternal,            ///< a defect of Frazil
};

/// "InvalidArgument", "NotFound", …
std::string_view ToString(ErrorKind kind);

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  ErrorKind kind() const noexcept { return kind_; }

  /// The same kind of error with "<context>: " before its message.
  Error WithContext(std::string_view context) const;

 private:
  ErrorKind kind_;
};

// One maker per kind: `throw NotFound("table {} does not exist", name);`
#define FRAZIL_ERROR_MAKER(Name)                                                        \
  template <typename... Args>                                                           \
  [[nodiscard]] Error Name(fmt::format_string<Args...> format, Args&&... args) {        \
    return Error(ErrorKind::k##Name, fmt::format(format, std::forward<Args>(args)...)); \
  }
FRAZIL_ERROR_MAKER(InvalidArgument)
FRAZIL_ERROR_MAKER(NotFound)
FRAZIL_ERROR_MAKER(AlreadyExists)
FRAZIL_ERROR_MAKER(CommitConflict)
FRAZIL_ERROR_MAKER(CommitStateUnknown)
FRAZIL_ERROR_MAKER(Corrupt)
FRAZIL_ERROR_MAKER(Unavailable)
FRAZIL_ERROR_MAKER(Unauthorized)
FRAZIL_ERROR_MAKER(Unsupported)
FRAZIL_ERROR_MAKER(Internal)
#undef FRAZIL_ERROR_MAKER

}  // namespace frazil
