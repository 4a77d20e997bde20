// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/like_pattern.h"

#include <cctype>

namespace frazil::sql {

bool MatchesLike(std::string_view text, std::string_view pattern, bool ignore_case) {
  const auto same = [&](char a, char b) {
    if (!ignore_case) return a == b;
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  // Where to go back to: behind the last %, which then takes one more character.
  size_t t = 0;
  size_t p = 0;
  size_t behind_percent = std::string_view::npos;
  size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '%') {
      behind_percent = ++p;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '_' || same(pattern[p], text[t]))) {
      ++p;
      ++t;
    } else if (behind_percent != std::string_view::npos) {
      p = behind_percent;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '%') ++p;
  return p == pattern.size();
}

}  // namespace frazil::sql
