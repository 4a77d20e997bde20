// SPDX-License-Identifier: Apache-2.0
#include "frazil/datafile/levels.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/concatenate.h>
#include <arrow/util/bit_util.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"

namespace frazil::datafile {

namespace {

[[noreturn]] void ThrowNullInRequired(const LeafColumn& leaf) {
  throw InvalidArgument("null in required column '{}': make the column optional or supply a value", leaf.full_name);
}

}  // namespace

ShreddedLeaf LevelShredder::Shred(const LeafColumn& leaf, const std::shared_ptr<arrow::Array>& array) {
  if (leaf.steps.size() == 1) return ShredFlat(leaf, array);

  int64_t rows = array->length();
  definition_.assign(static_cast<size_t>(rows), 0);
  repetition_.assign(static_cast<size_t>(rows), 0);
  slots_.resize(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) slots_[static_cast<size_t>(i)] = {i, false};

  std::shared_ptr<arrow::Array> current = array;
  int16_t repetition_level = 0;
  for (const LevelStep& step : leaf.steps) {
    ApplyNulls(leaf, step, *current);
    switch (step.kind) {
      case LevelStep::Kind::kStruct:
        current = static_cast<const arrow::StructArray&>(*current).field(step.child);
        break;
      case LevelStep::Kind::kList: {
        const auto& list = static_cast<const arrow::ListArray&>(*current);
        EnterList(list.raw_value_offsets(), ++repetition_level);
        current = list.values();
        break;
      }
      case LevelStep::Kind::kMapKeys:
      case LevelStep::Kind::kMapValues: {
        const auto& map = static_cast<const arrow::MapArray&>(*current);
        EnterList(map.raw_value_offsets(), ++repetition_level);
        current =
            static_cast<const arrow::StructArray&>(*map.values()).field(step.kind == LevelStep::Kind::kMapKeys ? 0 : 1);
        break;
      }
      case LevelStep::Kind::kLeaf: break;
    }
  }
  ShreddedLeaf shredded;
  shredded.level_count = static_cast<int64_t>(definition_.size());
  if (leaf.max_definition_level > 0) shredded.definition_levels = definition_.data();
  if (leaf.max_repetition_level > 0) shredded.repetition_levels = repetition_.data();
  shredded.values = MaskNulls(TakeSlots(current));
  return shredded;
}

ShreddedLeaf LevelShredder::ShredFlat(const LeafColumn& leaf, const std::shared_ptr<arrow::Array>& array) {
  ShreddedLeaf shredded;
  shredded.level_count = array->length();
  shredded.values = array;
  if (!leaf.steps[0].nullable) {
    if (array->null_count() > 0) ThrowNullInRequired(leaf);
    return shredded;
  }
  size_t rows = static_cast<size_t>(array->length());
  if (array->null_count() == 0) {
    if (ones_.size() < rows) ones_.resize(rows, 1);
    shredded.definition_levels = ones_.data();
    return shredded;
  }
  definition_.resize(rows);
  for (size_t i = 0; i < rows; ++i) definition_[i] = array->IsValid(static_cast<int64_t>(i));
  shredded.definition_levels = definition_.data();
  return shredded;
}

/// Raises the definition level of what is there; what is null ends here.
void LevelShredder::ApplyNulls(const LeafColumn& leaf, const LevelStep& step, const arrow::Array& array) {
  bool has_nulls = array.null_count() > 0;
  if (!step.nullable && !has_nulls) return;
  bool is_repeated = step.kind != LevelStep::Kind::kStruct && step.kind != LevelStep::Kind::kLeaf;
  for (size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.index < 0 || slot.in_null) continue;
    if (has_nulls && array.IsNull(slot.index)) {
      if (!step.nullable) ThrowNullInRequired(leaf);
      slot.in_null = true;
      if (is_repeated) slot.index = -1;
    } else if (step.nullable) {
      ++definition_[i];
    }
  }
}

/// Replaces each entry by the elements of its list.
void LevelShredder::EnterList(const int32_t* offsets, int16_t repetition_level) {
  next_definition_.clear();
  next_repetition_.clear();
  next_slots_.clear();
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    bool is_there = slot.index >= 0 && !slot.in_null;
    int32_t begin = is_there ? offsets[slot.index] : 0;
    int32_t end = is_there ? offsets[slot.index + 1] : 0;
    if (begin == end) {
      next_definition_.push_back(definition_[i]);
      next_repetition_.push_back(repetition_[i]);
      next_slots_.push_back({-1, true});
      continue;
    }
    for (int32_t element = begin; element < end; ++element) {
      next_definition_.push_back(static_cast<int16_t>(definition_[i] + 1));
      next_repetition_.push_back(element == begin ? repetition_[i] : repetition_level);
      next_slots_.push_back({element, false});
    }
  }
  definition_.swap(next_definition_);
  repetition_.swap(next_repetition_);
  slots_.swap(next_slots_);
}

/// The values of all entries that have a slot: nearly always one run, as lists lie one after the other.
std::shared_ptr<arrow::Array> LevelShredder::TakeSlots(const std::shared_ptr<arrow::Array>& array) const {
  arrow::ArrayVector runs;
  int64_t begin = 0;
  int64_t end = 0;
  for (const Slot& slot : slots_) {
    if (slot.index < 0) continue;
    if (slot.index != end) {
      if (end > begin) runs.push_back(array->Slice(begin, end - begin));
      begin = slot.index;
    }
    end = slot.index + 1;
  }
  if (runs.empty()) return array->Slice(begin, end - begin);
  runs.push_back(array->Slice(begin, end - begin));
  return Unwrap(arrow::Concatenate(runs), "gathering nested values");
}

/// Arrow leaves open what lies below a null struct: here it becomes null.
std::shared_ptr<arrow::Array> LevelShredder::MaskNulls(std::shared_ptr<arrow::Array> values) const {
  bool any_null = std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.index >= 0 && s.in_null; });
  if (!any_null) return values;
  std::shared_ptr<arrow::ArrayData> data = values->data()->Copy();
  std::shared_ptr<arrow::Buffer> validity =
      Unwrap(arrow::AllocateEmptyBitmap(data->offset + data->length), "marking nulls");
  int64_t bit = data->offset;
  for (const Slot& slot : slots_) {
    if (slot.index >= 0) arrow::bit_util::SetBitTo(validity->mutable_data(), bit++, !slot.in_null);
  }
  data->buffers[0] = std::move(validity);
  data->null_count = arrow::kUnknownNullCount;
  return arrow::MakeArray(data);
}

std::shared_ptr<arrow::Array> WithoutNulls(const std::shared_ptr<arrow::Array>& array) {
  if (array->null_count() == 0) return array;
  std::shared_ptr<arrow::ArrayData> data = array->data()->Copy();
  data->buffers[0] = nullptr;
  data->null_count = 0;
  return arrow::MakeArray(data);
}

}  // namespace frazil::datafile
