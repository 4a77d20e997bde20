// SPDX-License-Identifier: Apache-2.0
#include "frazil/base/arrow_status.h"

#include "frazil/base/error.h"

namespace frazil {

void ThrowStatus(const arrow::Status& status, std::string_view context) {
  ErrorKind kind = ErrorKind::kInternal;
  switch (status.code()) {
    case arrow::StatusCode::OutOfMemory:
    case arrow::StatusCode::IOError: kind = ErrorKind::kUnavailable; break;
    case arrow::StatusCode::Invalid:
    case arrow::StatusCode::TypeError:
    case arrow::StatusCode::IndexError:
    case arrow::StatusCode::CapacityError: kind = ErrorKind::kInvalidArgument; break;
    case arrow::StatusCode::KeyError: kind = ErrorKind::kNotFound; break;
    case arrow::StatusCode::AlreadyExists: kind = ErrorKind::kAlreadyExists; break;
    case arrow::StatusCode::NotImplemented: kind = ErrorKind::kUnsupported; break;
    case arrow::StatusCode::SerializationError: kind = ErrorKind::kCorrupt; break;
    default: break;
  }
  throw Error(kind, fmt::format("{}: {}", context, status.message()));
}

}  // namespace frazil
