// SPDX-License-Identifier: Apache-2.0
// Growing Arrow buffers under construction, made for one writer that appends value by value and takes back from the
// end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>

#include "frazil/base/arrow_status.h"

namespace frazil::serde {

/// Values of one fixed width. Take hands the memory over; the next values get as much as the last batch needed.
template <typename T>
class ValueBuffer {
 public:
  int64_t size() const { return size_; }
  const T& operator[](int64_t i) const { return data_[i]; }
  const T* data() const { return data_; }

  void Append(T value) {
    if (size_ == capacity_) [[unlikely]]
      Reserve(1);
    data_[size_++] = value;
  }

  /// Appends `count` values from `source`, of which up to 15 bytes more are read, and written behind the end.
  void AppendPadded(const T* source, int64_t count) {
    constexpr int64_t kBlock = 16;
    static_assert(sizeof(T) == 1);
    if (capacity_ - size_ < count + kBlock) [[unlikely]]
      Reserve(count + kBlock);
    T* target = data_ + size_;
    for (int64_t i = 0; i < count; i += kBlock) std::memcpy(target + i, source + i, kBlock);
    size_ += count;
  }

  void Append(const T* source, int64_t count) {
    if (count == 0) return;  // an empty source may be nullptr
    if (capacity_ - size_ < count) Reserve(count);
    std::memcpy(data_ + size_, source, static_cast<size_t>(count) * sizeof(T));
    size_ += count;
  }

  void Truncate(int64_t size) { size_ = size; }

  std::shared_ptr<arrow::Buffer> Take() {
    if (buffer_ == nullptr) Reserve(0);
    Check(buffer_->Resize(size_ * static_cast<int64_t>(sizeof(T)), /*shrink_to_fit=*/false), "a column buffer");
    expected_ = size_ + size_ / 16;
    data_ = nullptr;
    size_ = capacity_ = 0;
    return std::move(buffer_);
  }

 private:
  void Reserve(int64_t additional) {
    int64_t wanted = std::max({size_ + additional, capacity_ * 2, expected_, int64_t{64}});
    auto bytes = wanted * static_cast<int64_t>(sizeof(T));
    if (buffer_ == nullptr) {
      buffer_ = Unwrap(arrow::AllocateResizableBuffer(bytes), "a column buffer");
    } else {
      Check(buffer_->Resize(bytes), "a column buffer");
    }
    data_ = reinterpret_cast<T*>(buffer_->mutable_data());
    capacity_ = buffer_->capacity() / static_cast<int64_t>(sizeof(T));
  }

  std::unique_ptr<arrow::ResizableBuffer> buffer_;
  T* data_ = nullptr;
  int64_t size_ = 0;
  int64_t capacity_ = 0;
  int64_t expected_ = 0;
};

/// A validity bitmap that exists from the first NULL on. All bits behind the last NULL are set, so a valid value costs
/// nothing.
class ValidityBitmap {
 public:
  int64_t null_count() const { return null_count_; }

  void SetNull(int64_t row) {
    Cover(row + 1);
    arrow::bit_util::ClearBit(bits(), row);
    ++null_count_;
    end_ = row + 1;
  }

  /// Forgets the NULLs at `length` and behind.
  void Truncate(int64_t length) {
    for (; end_ > length; --end_) {
      if (arrow::bit_util::GetBit(bits(), end_ - 1)) continue;
      arrow::bit_util::SetBit(bits(), end_ - 1);
      --null_count_;
    }
  }

  /// nullptr if there is no NULL. The bitmap is empty afterwards.
  std::shared_ptr<arrow::Buffer> Take(int64_t length) {
    if (null_count_ == 0) {
      end_ = 0;
      return nullptr;
    }
    Cover(length);
    Check(buffer_->Resize(arrow::bit_util::BytesForBits(length), /*shrink_to_fit=*/false), "a validity bitmap");
    null_count_ = end_ = covered_ = 0;
    return std::move(buffer_);
  }

 private:
  uint8_t* bits() { return buffer_->mutable_data(); }

  void Cover(int64_t length) {
    int64_t needed = arrow::bit_util::BytesForBits(length);
    if (needed <= covered_) return;
    int64_t bytes = std::max({needed, covered_ * 2, int64_t{64}});
    if (buffer_ == nullptr) {
      buffer_ = Unwrap(arrow::AllocateResizableBuffer(bytes), "a validity bitmap");
    } else {
      Check(buffer_->Resize(bytes), "a validity bitmap");
    }
    std::memset(bits() + covered_, 0xFF, static_cast<size_t>(bytes - covered_));
    covered_ = bytes;
  }

  std::unique_ptr<arrow::ResizableBuffer> buffer_;
  int64_t null_count_ = 0;
  int64_t covered_ = 0;  // bytes whose bits are set or cleared
  int64_t end_ = 0;      // no NULL at this row or behind
};

}  // namespace frazil::serde
