// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/decimal_text.h"

#include <array>
#include <charconv>

namespace frazil::sql {

namespace {

constexpr std::array<__int128, 39> kPowersOfTen = [] {
  std::array<__int128, 39> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

__int128 PowerOfTen(int exponent) { return kPowersOfTen[static_cast<size_t>(exponent)]; }

DecimalParse ParseDecimal(std::string_view text, int precision, int scale, __int128& unscaled) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  std::string digits;  // significant ones, the point taken out
  int64_t point = 0;   // digits before the point
  bool any = false;
  size_t at = 0;
  auto take_digits = [&](bool integral) {
    while (at < text.size() && IsDigit(text[at])) {
      any = true;
      if (!digits.empty() || text[at] != '0') {
        digits.push_back(text[at]);
        if (integral) ++point;
      } else if (!integral) {
        --point;  // a leading zero of the fraction
      }
      ++at;
    }
  };
  take_digits(true);
  if (at < text.size() && text[at] == '.') {
    ++at;
    take_digits(false);
  }
  if (!any) return DecimalParse::kMalformed;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    int64_t exponent = 0;
    const char* begin = text.data() + at + 1;
    const char* end = text.data() + text.size();
    if (begin < end && *begin == '+') ++begin;
    auto [stop, ec] = std::from_chars(begin, end, exponent);
    if (stop != end || (ec != std::errc() && ec != std::errc::result_out_of_range)) return DecimalParse::kMalformed;
    if (ec == std::errc::result_out_of_range || exponent > 100'000 || exponent < -100'000) {
      exponent = *begin == '-' ? -100'000 : 100'000;
    }
    point += exponent;
    at = text.size();
  }
  if (at != text.size()) return DecimalParse::kMalformed;
  unscaled = 0;
  if (digits.empty()) return DecimalParse::kOk;
  int64_t keep = point + scale;  // digits that stay
  if (keep > precision) return DecimalParse::kOverflow;
  if (keep < 0) return DecimalParse::kOk;
  __int128 value = 0;
  for (int64_t i = 0; i < keep; ++i)
    value = value * 10 + (i < static_cast<int64_t>(digits.size()) ? digits[i] - '0' : 0);
  if (keep < static_cast<int64_t>(digits.size()) && digits[static_cast<size_t>(keep)] >= '5') ++value;
  if (value >= PowerOfTen(precision)) return DecimalParse::kOverflow;
  unscaled = negative ? -value : value;
  return DecimalParse::kOk;
}

bool RescaleDecimal(__int128 value, int from_scale, int to_scale, int precision, __int128& out) {
  __int128 limit = PowerOfTen(precision);
  if (to_scale >= from_scale) {
    __int128 factor = PowerOfTen(to_scale - from_scale);
    __int128 bound = limit / factor + 1;
    if (value >= bound || value <= -bound) return false;
    out = value * factor;
  } else {
    __int128 divisor = PowerOfTen(from_scale - to_scale);
    out = value / divisor;
    __int128 rest = value % divisor;
    if (rest < 0) rest = -rest;
    if (rest >= divisor - rest) out += value < 0 ? -1 : 1;
  }
  return out < limit && out > -limit;
}

void AppendDecimal(__int128 unscaled, int scale, std::string& out) {
  bool negative = unscaled < 0;
  unsigned __int128 rest =
      negative ? -static_cast<unsigned __int128>(unscaled) : static_cast<unsigned __int128>(unscaled);
  char digits[40];
  int n = 0;
  do {
    digits[n++] = static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0 || n <= scale);
  if (negative) out.push_back('-');
  while (n > 0) {
    out.push_back(digits[--n]);
    if (n == scale && scale > 0) out.push_back('.');
  }
}

}  // namespace frazil::sql
