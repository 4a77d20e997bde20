// SPDX-License-Identifier: Apache-2.0
#include "frazil/base/error.h"

namespace frazil {

std::string_view ToString(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidArgument: return "InvalidArgument";
    case ErrorKind::kNotFound: return "NotFound";
    case ErrorKind::kAlreadyExists: return "AlreadyExists";
    case ErrorKind::kCommitConflict: return "CommitConflict";
    case ErrorKind::kCommitStateUnknown: return "CommitStateUnknown";
    case ErrorKind::kCorrupt: return "Corrupt";
    case ErrorKind::kUnavailable: return "Unavailable";
    case ErrorKind::kUnauthorized: return "Unauthorized";
    case ErrorKind::kUnsupported: return "Unsupported";
    case ErrorKind::kInternal: return "Internal";
  }
  return "Unknown";
}

Error Error::WithContext(std::string_view context) const {
  return Error(kind_, fmt::format("{}: {}", context, what()));
}

}  // namespace frazil
