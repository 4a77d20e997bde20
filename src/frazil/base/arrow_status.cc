// SPDX-License-Identifier: Apache-2.0
#include "frazil/base/arrow_status.h"

#include "frazil/base/error.h"

namespace frazil {

namespace {

constexpr char kErrorDetail[] = "frazil::Error";

class ErrorDetail : public arrow::StatusDetail {
 public:
  explicit ErrorDetail(ErrorKind kind) : kind_(kind) {}
  const char* type_id() const override { return kErrorDetail; }
  std::string ToString() const override { return std::string(frazil::ToString(kind_)); }
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace

arrow::Status ToStatus(const Error& error) {
  return {arrow::StatusCode::UnknownError, error.what(), std::make_shared<ErrorDetail>(error.kind())};
}

void ThrowStatus(const arrow::Status& status, std::string_view context) {
  if (status.detail() != nullptr && std::string_view(status.detail()->type_id()) == kErrorDetail) {
    throw Error(static_cast<const ErrorDetail&>(*status.detail()).kind(), status.message());
  }
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
