// SPDX-License-Identifier: Apache-2.0
#include "frazil/avro/encoder.h"

#include <utility>

namespace frazil::avro {

void BinaryEncoder::WriteLong(int64_t value) {
  auto raw = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  char bytes[10];
  size_t size = 0;
  while (raw >= 0x80) {
    bytes[size++] = static_cast<char>(raw | 0x80);
    raw >>= 7;
  }
  bytes[size++] = static_cast<char>(raw);
  buffer_.append(bytes, size);
}

void BinaryEncoder::WriteFloat(float value) { buffer_.append(reinterpret_cast<const char*>(&value), sizeof value); }

void BinaryEncoder::WriteDouble(double value) { buffer_.append(reinterpret_cast<const char*>(&value), sizeof value); }

void BinaryEncoder::WriteBytes(std::string_view bytes) {
  WriteLong(static_cast<int64_t>(bytes.size()));
  buffer_.append(bytes);
}

std::string BinaryEncoder::Take() { return std::exchange(buffer_, {}); }

}  // namespace frazil::avro
