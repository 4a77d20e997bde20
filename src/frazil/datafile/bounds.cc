// SPDX-License-Identifier: Apache-2.0
#include "frazil/datafile/bounds.h"

#include <cstdint>

namespace frazil::datafile {

namespace {

constexpr uint32_t kMaxCodePoint = 0x10FFFF;

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

/// One UTF-8 sequence; null unless it is whole and well formed.
std::optional<uint32_t> DecodeCodePoint(std::string_view sequence) {
  auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(sequence[i])); };
  for (size_t i = 1; i < sequence.size(); ++i) {
    if (!IsContinuation(sequence[i])) return std::nullopt;
  }
  uint32_t lead = byte(0);
  if (sequence.size() == 1 && lead < 0x80) return lead;
  if (sequence.size() == 2 && (lead & 0xE0) == 0xC0) return (lead & 0x1F) << 6 | (byte(1) & 0x3F);
  if (sequence.size() == 3 && (lead & 0xF0) == 0xE0) {
    return (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  }
  if (sequence.size() == 4 && (lead & 0xF8) == 0xF0) {
    return (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
  return std::nullopt;
}

void AppendCodePoint(uint32_t c, std::string* out) {
  auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

uint32_t NextCodePoint(uint32_t c) { return c + 1 == 0xD800 ? 0xE000 : c + 1; }

}  // namespace

std::string_view TruncateText(std::string_view text, size_t code_points) {
  size_t end = 0;
  while (end < text.size() && code_points > 0) {
    ++end;
    while (end < text.size() && IsContinuation(text[end])) ++end;
    --code_points;
  }
  return text.substr(0, end);
}

std::optional<std::string> TruncateTextUp(std::string_view text, size_t code_points) {
  std::string_view prefix = TruncateText(text, code_points);
  if (prefix.size() == text.size()) return std::string(text);
  while (!prefix.empty()) {
    size_t start = prefix.size() - 1;
    while (start > 0 && IsContinuation(prefix[start])) --start;
    std::optional<uint32_t> last = DecodeCodePoint(prefix.substr(start));
    if (!last) return std::nullopt;
    prefix = prefix.substr(0, start);
    if (*last < kMaxCodePoint) {
      std::string raised(prefix);
      AppendCodePoint(NextCodePoint(*last), &raised);
      return raised;
    }
  }
  return std::nullopt;
}

std::optional<std::string> TruncateBytesUp(std::string_view bytes, size_t length) {
  if (bytes.size() <= length) return std::string(bytes);
  std::string_view prefix = bytes.substr(0, length);
  while (!prefix.empty() && static_cast<uint8_t>(prefix.back()) == 0xFF) prefix.remove_suffix(1);
  if (prefix.empty()) return std::nullopt;
  std::string raised(prefix);
  raised.back() = static_cast<char>(static_cast<uint8_t>(raised.back()) + 1);
  return raised;
}

}  // namespace frazil::datafile
