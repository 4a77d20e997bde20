// SPDX-License-Identifier: Apache-2.0
// Nested Arrow arrays as Parquet's definition and repetition levels (Dremel's record shredding).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/datafile/parquet_layout.h"

namespace frazil::datafile {

/// One leaf column of some rows. Level pointers are null where the maximum is 0.
struct ShreddedLeaf {
  const int16_t* definition_levels = nullptr;
  const int16_t* repetition_levels = nullptr;
  int64_t level_count = 0;
  /// One slot for each value, each null value, and each value that lacks because a struct around it is null (null
  /// here); none for null and empty lists and maps.
  std::shared_ptr<arrow::Array> values;
};

/// Shreds; keeps its buffers from call to call, so a result is valid until the next.
class LevelShredder {
 public:
  /// `array` is the top-level column. Throws InvalidArgument naming the column if a required value is null.
  ShreddedLeaf Shred(const LeafColumn& leaf, const std::shared_ptr<arrow::Array>& array);

 private:
  ShreddedLeaf ShredFlat(const LeafColumn& leaf, const std::shared_ptr<arrow::Array>& array);
  void ApplyNulls(const LeafColumn& leaf, const LevelStep& step, const arrow::Array& array);
  void EnterList(const int32_t* offsets, int16_t repetition_level);
  std::shared_ptr<arrow::Array> TakeSlots(const std::shared_ptr<arrow::Array>& array) const;
  std::shared_ptr<arrow::Array> MaskNulls(std::shared_ptr<arrow::Array> values) const;

  /// Where an entry of the current level lies in the current array.
  struct Slot {
    int64_t index = 0;     ///< −1: the entry ended at a null or empty list
    bool in_null = false;  ///< below a null struct: its levels are final, but it keeps a slot
  };

  std::vector<int16_t> definition_;
  std::vector<int16_t> repetition_;
  std::vector<Slot> slots_;
  std::vector<int16_t> next_definition_;
  std::vector<int16_t> next_repetition_;
  std::vector<Slot> next_slots_;
  std::vector<int16_t> ones_;
};

/// The same slots, none of them null.
std::shared_ptr<arrow::Array> WithoutNulls(const std::shared_ptr<arrow::Array>& array);

}  // namespace frazil::datafile
