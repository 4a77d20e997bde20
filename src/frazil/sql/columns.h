// SPDX-License-Identifier: Apache-2.0
// Typed views and loops over Arrow columns for kernels: what each function needs to say is only its value part.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/datum.h>
#include <arrow/scalar.h>

#include "frazil/base/arrow_status.h"

namespace frazil::sql {

/// The array of an argument; a scalar becomes an array of one value that View() repeats.
inline std::shared_ptr<arrow::Array> ArgumentArray(const arrow::Datum& datum) {
  if (datum.is_array()) return datum.make_array();
  return Unwrap(arrow::MakeArrayFromScalar(*datum.scalar(), 1), "constant argument");
}

inline __int128 ReadInt128(const uint8_t* bytes) {
  __int128 value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

/// Access to values by row over an array or a repeated constant. `ArrayType` is an Arrow array class.
template <typename ArrayType>
class View {
 public:
  explicit View(const arrow::Datum& datum)
      : owner_(ArgumentArray(datum)),
        array_(static_cast<const ArrayType*>(owner_.get())),
        step_(datum.is_array() ? 1 : 0) {}

  bool IsNull(int64_t row) const { return array_->IsNull(row * step_); }
  bool is_constant() const { return step_ == 0; }
  auto operator[](int64_t row) const {
    if constexpr (std::is_same_v<ArrayType, arrow::Decimal128Array>) {
      return ReadInt128(array_->GetValue(row * step_));
    } else if constexpr (std::is_base_of_v<arrow::BinaryArray, ArrayType> ||
                         std::is_same_v<ArrayType, arrow::FixedSizeBinaryArray>) {
      return array_->GetView(row * step_);
    } else {
      return array_->Value(row * step_);
    }
  }

 private:
  std::shared_ptr<arrow::Array> owner_;
  const ArrayType* array_;
  int64_t step_;
};

/// Appends whatever C++ value `Builder` holds; a std::optional without value becomes null.
template <typename Builder, typename Value>
void AppendValue(Builder& builder, const Value& value) {
  if constexpr (requires { value.has_value(); }) {
    if (!value.has_value()) {
      Check(builder.AppendNull(), "column");
    } else {
      AppendValue(builder, *value);
    }
  } else if constexpr (std::is_same_v<Builder, arrow::Decimal128Builder>) {
    Check(builder.Append(arrow::Decimal128(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value))), "column");
  } else {
    Check(builder.Append(value), "column");
  }
}

template <typename Builder>
Builder MakeBuilder(const std::shared_ptr<arrow::DataType>& type) {
  if constexpr (std::is_constructible_v<Builder, std::shared_ptr<arrow::DataType>, arrow::MemoryPool*>) {
    return Builder(type, arrow::default_memory_pool());
  } else {
    return Builder();
  }
}

/// result[i] = function(i) for rows where no argument is null, else null. The function returns a value or an optional.
template <typename Builder, typename Function, typename... Views>
std::shared_ptr<arrow::Array> MapRows(const std::shared_ptr<arrow::DataType>& type, int64_t rows, Function&& function,
                                      const Views&... views) {
  Builder builder = MakeBuilder<Builder>(type);
  Check(builder.Reserve(rows), "column");
  for (int64_t row = 0; row < rows; ++row) {
    if ((views.IsNull(row) || ...)) {
      Check(builder.AppendNull(), "column");
    } else {
      AppendValue(builder, function(views[row]...));
    }
  }
  return Unwrap(builder.Finish(), "column");
}

}  // namespace frazil::sql
