// SPDX-License-Identifier: Apache-2.0
#include "frazil/avro/decoder.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <nlohmann/json.hpp>

#include "frazil/base/error.h"

namespace frazil::avro {

static_assert(std::endian::native == std::endian::little, "floats are copied as they lie");

void BinaryDecoder::ThrowTruncated(std::string_view what, uint64_t needed) const {
  throw Corrupt("{}, offset {}: {} of {} bytes, but only {} are left", place_, offset(), what, needed, remaining());
}

int64_t BinaryDecoder::ReadLongSlow() {
  constexpr int kMaxBytes = 10;
  uint64_t raw = 0;
  const char* next = next_;
  for (int i = 0; i < kMaxBytes; ++i) {
    if (next == end_) throw Corrupt("{}, offset {}: the data ends within a number", place_, offset());
    const auto byte = static_cast<uint8_t>(*next++);
    raw |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      // Bits beyond 64 in the tenth byte are dropped, as Java does: there are tables with ids that overflowed.
      next_ = next;
      return static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
    }
  }
  throw Corrupt("{}, offset {}: a number of more than 10 bytes", place_, offset());
}

bool BinaryDecoder::ReadBool() {
  const char value = ReadFixed(1).front();
  if (value != 0 && value != 1) throw Corrupt("{}, offset {}: {} for a boolean", place_, offset() - 1, int{value});
  return value == 1;
}

int32_t BinaryDecoder::ReadInt() {
  const size_t start = offset();
  const int64_t value = ReadLong();
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
    throw Corrupt("{}, offset {}: {} is out of the range of an int", place_, start, value);
  }
  return static_cast<int32_t>(value);
}

float BinaryDecoder::ReadFloat() {
  float value;
  std::memcpy(&value, ReadFixed(sizeof value).data(), sizeof value);
  return value;
}

double BinaryDecoder::ReadDouble() {
  double value;
  std::memcpy(&value, ReadFixed(sizeof value).data(), sizeof value);
  return value;
}

std::string_view BinaryDecoder::ReadBytes() {
  const size_t start = offset();
  const int64_t size = ReadLong();
  if (size < 0) throw Corrupt("{}, offset {}: a length of {}", place_, start, size);
  if (static_cast<uint64_t>(size) > remaining()) ThrowTruncated("a string", static_cast<uint64_t>(size));
  return ReadFixed(static_cast<size_t>(size));
}

size_t BinaryDecoder::ReadIndex(size_t branches) {
  const size_t start = offset();
  const int64_t index = ReadLong();
  if (index < 0 || static_cast<uint64_t>(index) >= branches) [[unlikely]] {
    throw Corrupt("{}, offset {}: branch {} of {}", place_, start, index, branches);
  }
  return static_cast<size_t>(index);
}

size_t BinaryDecoder::ReadBlockCount(size_t min_item_bytes) {
  const size_t start = offset();
  int64_t count = ReadLong();
  if (count < 0) {
    if (count == std::numeric_limits<int64_t>::min()) {
      throw Corrupt("{}, offset {}: a block of {} items", place_, start, count);
    }
    count = -count;
    const int64_t size = ReadLong();
    if (size < 0) throw Corrupt("{}, offset {}: a block of {} bytes", place_, start, size);
    if (static_cast<uint64_t>(size) > remaining()) ThrowTruncated("a block", static_cast<uint64_t>(size));
  }
  const size_t most = min_item_bytes == 0 ? kMaxEmptyItems : remaining() / min_item_bytes;
  if (static_cast<uint64_t>(count) > most) {
    throw Corrupt("{}, offset {}: a block of {} items in {} bytes", place_, start, count, remaining());
  }
  return static_cast<size_t>(count);
}

void BinaryDecoder::SkipBlocks(const Schema* key, const Schema& item) {
  const size_t min_bytes = (key != nullptr ? key->min_encoded_size() : 0) + item.min_encoded_size();
  for (;;) {
    const size_t start = offset();
    const int64_t count = ReadLong();
    if (count == 0) return;
    if (count < 0) {
      const int64_t size = ReadLong();
      if (size < 0) throw Corrupt("{}, offset {}: a block of {} bytes", place_, start, size);
      if (static_cast<uint64_t>(size) > remaining()) ThrowTruncated("a block", static_cast<uint64_t>(size));
      Skip(static_cast<size_t>(size));
      continue;
    }
    if (min_bytes == 0) continue;  // what may take no bytes never takes any
    if (static_cast<uint64_t>(count) > remaining() / min_bytes) {
      throw Corrupt("{}, offset {}: a block of {} items in {} bytes", place_, start, count, remaining());
    }
    for (int64_t i = 0; i < count; ++i) {
      if (key != nullptr) SkipValue(*key, *this);
      SkipValue(item, *this);
    }
  }
}

void SkipValue(const Schema& schema, BinaryDecoder& decoder) {
  static const Schema kKey = Schema::Primitive(Type::kString);
  switch (schema.type()) {
    case Type::kNull: return;
    case Type::kBoolean: decoder.Skip(1); return;
    case Type::kInt:
    case Type::kLong: decoder.SkipLong(); return;
    case Type::kFloat: decoder.Skip(4); return;
    case Type::kDouble: decoder.Skip(8); return;
    case Type::kBytes:
    case Type::kString: decoder.ReadBytes(); return;
    case Type::kFixed: decoder.Skip(schema.fixed_size()); return;
    case Type::kEnum: decoder.ReadIndex(schema.symbols().size()); return;
    case Type::kUnion: SkipValue(schema.branches()[decoder.ReadIndex(schema.branches().size())], decoder); return;
    case Type::kArray: decoder.SkipBlocks(nullptr, schema.element()); return;
    case Type::kMap: decoder.SkipBlocks(&kKey, schema.map_value()); return;
    case Type::kRecord:
      for (const Field& field : schema.fields()) SkipValue(field.type, decoder);
      return;
  }
}

namespace {

/// Renders into one growing text; the depth of the recursion is the schema's, which is limited.
class Renderer {
 public:
  explicit Renderer(BinaryDecoder& decoder) : decoder_(decoder) {}

  void Render(const Schema& schema) {
    switch (schema.type()) {
      case Type::kNull: out_ += "null"; return;
      case Type::kBoolean: out_ += decoder_.ReadBool() ? "true" : "false"; return;
      case Type::kInt: out_ += fmt::to_string(decoder_.ReadInt()); return;
      case Type::kLong: out_ += fmt::to_string(decoder_.ReadLong()); return;
      case Type::kFloat: RenderFloat(decoder_.ReadFloat()); return;
      case Type::kDouble: RenderFloat(decoder_.ReadDouble()); return;
      case Type::kBytes: RenderHex(decoder_.ReadBytes()); return;
      case Type::kFixed: RenderHex(decoder_.ReadFixed(schema.fixed_size())); return;
      case Type::kString: RenderText(decoder_.ReadString()); return;
      case Type::kEnum: RenderText(schema.symbols()[decoder_.ReadIndex(schema.symbols().size())]); return;
      case Type::kUnion: Render(schema.branches()[decoder_.ReadIndex(schema.branches().size())]); return;
      case Type::kArray: RenderArray(schema); return;
      case Type::kMap: RenderMap(schema); return;
      case Type::kRecord: RenderRecord(schema); return;
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  template <typename T>
  void RenderFloat(T value) {
    out_ += std::isfinite(value) ? fmt::to_string(value) : fmt::format("\"{}\"", value);
  }
  void RenderText(std::string_view text) {
    out_ += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  void RenderHex(std::string_view bytes) {
    out_ += '"';
    for (const char byte : bytes) fmt::format_to(std::back_inserter(out_), "{:02x}", static_cast<uint8_t>(byte));
    out_ += '"';
  }
  void Separate(bool& first) {
    if (!first) out_ += ',';
    first = false;
  }
  void RenderArray(const Schema& schema) {
    bool first = true;
    out_ += '[';
    decoder_.ReadItems(schema.element(), [&] {
      Separate(first);
      Render(schema.element());
    });
    out_ += ']';
  }
  void RenderMap(const Schema& schema) {
    bool first = true;
    out_ += '{';
    decoder_.ReadMap(schema.map_value(), [&](std::string_view key) {
      Separate(first);
      RenderText(key);
      out_ += ':';
      Render(schema.map_value());
    });
    out_ += '}';
  }
  void RenderRecord(const Schema& schema) {
    bool first = true;
    out_ += '{';
    for (const Field& field : schema.fields()) {
      Separate(first);
      RenderText(field.name);
      out_ += ':';
      Render(field.type);
    }
    out_ += '}';
  }

  BinaryDecoder& decoder_;
  std::string out_;
};

}  // namespace

std::string RenderValue(const Schema& schema, BinaryDecoder& decoder) {
  Renderer renderer(decoder);
  renderer.Render(schema);
  return renderer.Take();
}

}  // namespace frazil::avro
