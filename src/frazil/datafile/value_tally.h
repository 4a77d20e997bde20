// SPDX-License-Identifier: Apache-2.0
// What must be known of a column's values and Parquet's own statistics can't tell: NaN counts, bounds of floating-point
// values without NaN and with −0.0 before 0.0, bounds of strings of any length (Parquet drops long ones).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <arrow/type_fwd.h>

#include "frazil/iceberg/type.h"

namespace frazil::datafile {

class ValueTally {
 public:
  explicit ValueTally(iceberg::TypeId type) : type_(type) {}

  /// Float, double, string and binary; the other types' statistics in the file are exact.
  static bool Covers(iceberg::TypeId type);

  void Add(const arrow::Array& values);

  int64_t nan_count() const { return nan_count_; }
  /// Binary single values (spec: appendix D), not shortened; null if there was no value other than null and NaN.
  const std::optional<std::string>& lower() const { return lower_; }
  const std::optional<std::string>& upper() const { return upper_; }

 private:
  template <typename ArrayType>
  void AddFloating(const ArrayType& values);
  void AddBinary(const arrow::BinaryArray& values);

  const iceberg::TypeId type_;
  int64_t nan_count_ = 0;
  std::optional<std::string> lower_;
  std::optional<std::string> upper_;
};

}  // namespace frazil::datafile
