// SPDX-License-Identifier: Apache-2.0
// Avro's binary encoding, reading side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "frazil/avro/schema.h"

namespace frazil::avro {

/// Reads values one after another from bytes that it doesn't own; views that it returns point into these. Trusts
/// nothing: every length and count is checked against the bytes that are left before it is used, and what doesn't fit
/// is Corrupt with the offset. Never allocates.
///
/// Reading an optional field, an array and a map of an Iceberg file:
///
///     if (decoder.ReadOptional(field.type)) value = decoder.ReadLong();
///     decoder.ReadItems(field.type.element(), [&] { ids.push_back(decoder.ReadInt()); });
class BinaryDecoder {
 public:
  BinaryDecoder() = default;
  /// `place` says in messages what `bytes` are ("s3://…/m0.avro, block at 4096"); it must outlive the decoder.
  explicit BinaryDecoder(std::string_view bytes, std::string_view place = "Avro data")
      : begin_(bytes.data()), next_(bytes.data()), end_(bytes.data() + bytes.size()), place_(place) {}

  bool ReadBool();
  int32_t ReadInt();
  int64_t ReadLong();
  float ReadFloat();
  double ReadDouble();
  /// A length and that many bytes.
  std::string_view ReadBytes();
  /// As ReadBytes; that the bytes are UTF-8 is not checked.
  std::string_view ReadString() { return ReadBytes(); }
  std::string_view ReadFixed(size_t size);
  /// The branch of a union with `branches` branches, or the symbol of an enum with so many symbols.
  size_t ReadIndex(size_t branches);

  /// Enters an optional value: true if a value of schema.required() follows, false if it is null (nothing follows).
  /// A schema that isn't optional always has its value. Other unions: read ReadIndex(branches) instead.
  bool ReadOptional(const Schema& schema) {
    if (!schema.is_optional()) return true;
    return ReadIndex(2) != static_cast<size_t>(schema.null_branch());
  }

  /// Starts the next block of an array or map: the number of items that follow, 0 at the end. `min_item_bytes` is the
  /// least that an item takes (Schema::min_encoded_size): a count that the bytes left can't hold is Corrupt. Items that
  /// take no bytes at all are limited to kMaxEmptyItems a block.
  size_t ReadBlockCount(size_t min_item_bytes);
  static constexpr size_t kMaxEmptyItems = 1 << 20;

  /// Reads an array whose elements have the schema `item` (Schema::element()), calling `read_item` for each.
  template <typename ReadItem>
  void ReadItems(const Schema& item, ReadItem&& read_item) {
    while (size_t count = ReadBlockCount(item.min_encoded_size())) {
      for (size_t i = 0; i < count; ++i) read_item();
    }
  }
  /// Reads a map (Avro's own, with string keys), calling `read_entry(std::string_view key)` for each entry.
  template <typename ReadEntry>
  void ReadMap(const Schema& value, ReadEntry&& read_entry) {
    while (size_t count = ReadBlockCount(1 + value.min_encoded_size())) {
      for (size_t i = 0; i < count; ++i) read_entry(ReadString());
    }
  }

  /// Moves over `size` bytes.
  void Skip(size_t size) { ReadFixed(size); }
  /// Moves over a variable-length int or long.
  void SkipLong() { ReadLong(); }

  size_t remaining() const { return static_cast<size_t>(end_ - next_); }
  bool at_end() const { return next_ == end_; }
  /// Bytes read so far.
  size_t offset() const { return static_cast<size_t>(next_ - begin_); }

 private:
  friend void SkipValue(const Schema& schema, BinaryDecoder& decoder);

  int64_t ReadLongSlow();
  [[noreturn]] void ThrowTruncated(std::string_view what, uint64_t needed) const;
  void SkipBlocks(const Schema* key, const Schema& item);

  const char* begin_ = nullptr;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  std::string_view place_ = "Avro data";
};

/// Moves over one value of `schema`; blocks with a byte size are jumped over whole.
void SkipValue(const Schema& schema, BinaryDecoder& decoder);

/// Reads one value of `schema` and renders it as JSON text, for tests and debugging: bytes and fixed as hex strings,
/// unions as their value, an array with logical type `map` as an array of {"key", "value"}.
std::string RenderValue(const Schema& schema, BinaryDecoder& decoder);

// ---- what is called for every value, inline ----

inline int64_t BinaryDecoder::ReadLong() {
  // One byte covers -64 … 63: branch indexes, most counts and lengths.
  if (next_ != end_ && static_cast<uint8_t>(*next_) < 0x80) [[likely]] {
    const auto raw = static_cast<uint8_t>(*next_++);
    return static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
  }
  return ReadLongSlow();
}

inline std::string_view BinaryDecoder::ReadFixed(size_t size) {
  if (size > remaining()) [[unlikely]]
    ThrowTruncated("a value", size);
  std::string_view bytes(next_, size);
  next_ += size;
  return bytes;
}

}  // namespace frazil::avro
