// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/state_codec.h"

#include "frazil/base/error.h"

namespace frazil::stream {

void StateEncoder::Unsigned(uint64_t value) {
  while (value >= 0x80) {
    bytes_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  bytes_ += static_cast<char>(value);
}

void StateEncoder::Signed(int64_t value) {
  Unsigned((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

void StateEncoder::String(std::string_view text) {
  Unsigned(text.size());
  bytes_ += text;
}

uint64_t StateDecoder::Unsigned() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes_.empty()) throw Corrupt("{}: ends in the middle of a value", origin_);
    auto byte = static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw Corrupt("{}: has a number of more than 64 bits", origin_);
}

int64_t StateDecoder::Signed() {
  uint64_t value = Unsigned();
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

std::string StateDecoder::String() {
  uint64_t size = Unsigned();
  if (size > bytes_.size()) throw Corrupt("{}: ends in the middle of a value", origin_);
  std::string text(bytes_.substr(0, size));
  bytes_.remove_prefix(size);
  return text;
}

uint64_t StateDecoder::Version(uint64_t newest) {
  uint64_t version = Unsigned();
  if (version > newest) {
    throw Unsupported("{}: was written in version {}, this Frazil reads up to {}", origin_, version, newest);
  }
  return version;
}

}  // namespace frazil::stream
