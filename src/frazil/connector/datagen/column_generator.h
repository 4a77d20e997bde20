// SPDX-License-Identifier: Apache-2.0
// Values of one generated column. A value depends on nothing but seed and row number, so a restored job makes the same
// rows again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <arrow/type_fwd.h>

namespace frazil {
class OptionReader;
}

namespace frazil::connector {

/// Thread-safe.
class ColumnGenerator {
 public:
  virtual ~ColumnGenerator() = default;
  /// The values of rows [first_row, first_row + count).
  virtual std::shared_ptr<arrow::Array> Generate(uint64_t seed, int64_t first_row, int64_t count) const = 0;
  /// How many rows there are; nullopt: no end. Sequences have one.
  virtual std::optional<int64_t> num_rows() const { return std::nullopt; }
};

/// Reads 'fields.<name>.*' for `field`. Throws InvalidArgument for bad options, Unsupported naming the field for a type
/// that can't be generated (nested ones) or, for a sequence, counted.
std::unique_ptr<ColumnGenerator> MakeColumnGenerator(const arrow::Field& field, OptionReader& options);

}  // namespace frazil::connector
