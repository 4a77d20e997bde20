// SPDX-License-Identifier: Apache-2.0
// MurmurHash3_x86_32 with seed 0, the hash of the bucket transform (spec appendix B).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace frazil::iceberg {

namespace murmur3 {

constexpr uint32_t Scramble(uint32_t block) { return std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U; }

constexpr uint32_t AddBlock(uint32_t hash, uint32_t block) {
  return std::rotl(hash ^ Scramble(block), 13) * 5 + 0xe6546b64U;
}

constexpr uint32_t Finish(uint32_t hash, uint32_t length) {
  hash ^= length;
  hash = (hash ^ hash >> 16) * 0x85ebca6bU;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35U;
  return hash ^ hash >> 16;
}

}  // namespace murmur3

/// Of the eight bytes of `value`, little endian.
constexpr uint32_t Murmur3(int64_t value) {
  auto bits = static_cast<uint64_t>(value);
  uint32_t hash = murmur3::AddBlock(0, static_cast<uint32_t>(bits));
  hash = murmur3::AddBlock(hash, static_cast<uint32_t>(bits >> 32));
  return murmur3::Finish(hash, 8);
}

inline uint32_t Murmur3(const uint8_t* bytes, size_t size) {
  uint32_t hash = 0;
  size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    uint32_t block;
    std::memcpy(&block, bytes + i, sizeof(block));
    hash = murmur3::AddBlock(hash, block);
  }
  uint32_t tail = 0;
  for (size_t j = size; j > i; --j) tail = tail << 8 | bytes[j - 1];
  if (i < size) hash ^= murmur3::Scramble(tail);
  return murmur3::Finish(hash, static_cast<uint32_t>(size));
}

inline uint32_t Murmur3(std::string_view bytes) {
  return Murmur3(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

/// Of the shortest two's complement of `unscaled`, big endian.
inline uint32_t Murmur3Decimal(__int128 unscaled) {
  // The bytes that only repeat the sign: as many as its leading bits less one hold whole bytes.
  auto magnitude = static_cast<unsigned __int128>(unscaled < 0 ? ~unscaled : unscaled);
  auto high = static_cast<uint64_t>(magnitude >> 64);
  int leading = high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<uint64_t>(magnitude));
  const size_t size = static_cast<size_t>(16 - (leading - 1) / 8);
  uint8_t bytes[16];
  for (size_t i = 0; i < size; ++i) bytes[size - 1 - i] = static_cast<uint8_t>(unscaled >> (8 * i));
  return Murmur3(bytes, size);
}

}  // namespace frazil::iceberg
