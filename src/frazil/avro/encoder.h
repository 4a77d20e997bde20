// SPDX-License-Identifier: Apache-2.0
// Avro's binary encoding, writing side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace frazil::avro {

/// Appends values to a growing buffer. Knows no schema: the caller writes the fields of a record in their order, and an
/// optional as WriteIndex(branch) and its value (WriteNull/WritePresent for [null, value]).
class BinaryEncoder {
 public:
  void WriteBool(bool value) { buffer_.push_back(value ? 1 : 0); }
  void WriteInt(int32_t value) { WriteLong(value); }
  void WriteLong(int64_t value);
  void WriteFloat(float value);
  void WriteDouble(double value);
  /// A length and the bytes.
  void WriteBytes(std::string_view bytes);
  void WriteString(std::string_view text) { WriteBytes(text); }
  /// The bytes alone: the value of a fixed.
  void WriteFixed(std::string_view bytes) { buffer_.append(bytes); }
  /// The branch of a union or the symbol of an enum.
  void WriteIndex(size_t index) { WriteLong(static_cast<int64_t>(index)); }
  /// The null of [null, value].
  void WriteNull() { buffer_.push_back(0); }
  /// The branch of the value of [null, value]; the value follows.
  void WritePresent() { buffer_.push_back(2); }

  /// Starts a block of `count` items of an array or map; each array and map ends with EndBlocks (an empty one is
  /// EndBlocks alone).
  void BeginBlock(size_t count) { WriteLong(static_cast<int64_t>(count)); }
  void EndBlocks() { buffer_.push_back(0); }

  /// Appends a whole array: `write_item(item)` for each item of `items`.
  template <typename Items, typename WriteItem>
  void WriteItems(const Items& items, WriteItem&& write_item) {
    if (items.size() != 0) {
      BeginBlock(items.size());
      for (const auto& item : items) write_item(item);
    }
    EndBlocks();
  }

  const std::string& buffer() const { return buffer_; }
  size_t size() const { return buffer_.size(); }
  /// Empties the buffer and keeps its memory.
  void Clear() { buffer_.clear(); }
  /// Gives the buffer away and starts a new one.
  std::string Take();

 private:
  std::string buffer_;
};

}  // namespace frazil::avro
