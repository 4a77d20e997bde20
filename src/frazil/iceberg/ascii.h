// SPDX-License-Identifier: Apache-2.0
// Letters without case, ASCII only: the names that the format itself gives, and look-up of columns.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace frazil::iceberg {

constexpr char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = LowerAscii(c);
  return lower;
}

constexpr bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return LowerAscii(x) == LowerAscii(y); });
}

}  // namespace frazil::iceberg
