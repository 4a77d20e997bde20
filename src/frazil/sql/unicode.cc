// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/unicode.h"

#include <algorithm>
#include <iterator>

namespace frazil::sql {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// The blocks that matter in practice, not the whole of UAX #11: a caret one cell off in Nushu script harms nobody.
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},   {0x064B, 0x065F},
    {0x0900, 0x0902}, {0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF},
    {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064}, {0x20D0, 0x20FF},   {0x3099, 0x309A},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
};
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
    {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

template <size_t N>
bool Contains(const Range (&ranges)[N], char32_t value) {
  const Range* range = std::lower_bound(std::begin(ranges), std::end(ranges), value,
                                        [](const Range& r, char32_t v) { return r.last < v; });
  return range != std::end(ranges) && range->first <= value;
}

}  // namespace

CodePoint DecodeCodePoint(std::string_view text, size_t offset) {
  constexpr CodePoint kInvalid{0xFFFD, 1, false};
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const size_t length = lead >= 0xF0 && lead <= 0xF4  ? 4
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xC2 && lead < 0xE0 ? 2
                                                      : 0;
  if (length == 0 || text.size() - offset < length) return kInvalid;
  char32_t value = lead & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return kInvalid;
    value = (value << 6) | (byte(i) & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return kInvalid;
  return {value, length, true};
}

void AppendUtf8(std::string& out, char32_t value) {
  if (value < 0x80) {
    out += static_cast<char>(value);
  } else if (value < 0x800) {
    out += static_cast<char>(0xC0 | (value >> 6));
    out += static_cast<char>(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    out += static_cast<char>(0xE0 | (value >> 12));
    out += static_cast<char>(0x80 | ((value >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (value & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (value >> 18));
    out += static_cast<char>(0x80 | ((value >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((value >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (value & 0x3F));
  }
}

size_t CellWidth(char32_t value) {
  if (value < 0x300) return 1;
  if (Contains(kZeroWidth, value)) return 0;
  return Contains(kWide, value) ? 2 : 1;
}

std::string Printable(std::string_view text) {
  const auto is_control = [](char32_t value) {
    return (value < 0x20 && value != '\t') || (value >= 0x7F && value < 0xA0) || (value >= 0x202A && value <= 0x202E) ||
           (value >= 0x2066 && value <= 0x2069);
  };
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const CodePoint point = DecodeCodePoint(text, i);
    if (point.value == '\n' || point.value == '\r') {
      out += ' ';
    } else if (!point.valid || is_control(point.value)) {
      out += "\uFFFD";
    } else {
      out.append(text, i, point.length);
    }
    i += point.length;
  }
  return out;
}

bool IsUnicodeBlank(char32_t value) {
  return value == 0xA0 || value == 0x1680 || (value >= 0x2000 && value <= 0x200B) || value == 0x2028 ||
         value == 0x2029 || value == 0x202F || value == 0x205F || value == 0x3000 || value == 0xFEFF;
}

bool IsIdentifierStart(char32_t value) {
  if (value < 0x80) return (value >= 'a' && value <= 'z') || (value >= 'A' && value <= 'Z') || value == '_';
  // Beyond ASCII: all but blanks, controls and the general punctuation that looks like an operator.
  if (value < 0xC0) return value == 0xAA || value == 0xB5 || value == 0xBA;
  if (value == 0xD7 || value == 0xF7) return false;
  return !IsUnicodeBlank(value) && !(value >= 0x2010 && value <= 0x2BFF) && !(value >= 0x3001 && value <= 0x3003) &&
         !(value >= 0x3008 && value <= 0x301F) && !(value >= 0xFF01 && value <= 0xFF20) && value != 0xFFFD;
}

bool IsIdentifierPart(char32_t value) {
  return IsIdentifierStart(value) || (value >= '0' && value <= '9') || value == '$';
}

}  // namespace frazil::sql
