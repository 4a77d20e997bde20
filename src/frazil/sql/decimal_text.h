// SPDX-License-Identifier: Apache-2.0
// Exact decimals: text and powers of ten.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace frazil::sql {

enum class DecimalParse { kOk, kMalformed, kOverflow };

/// "−12.345e2" → unscaled value at `scale`, rounded HALF_UP, never through double. kOverflow if it needs more than
/// `precision` digits. Surrounding blanks are ignored.
DecimalParse ParseDecimal(std::string_view text, int precision, int scale, __int128& unscaled);

/// 10^exponent for 0 ≤ exponent ≤ 38.
__int128 PowerOfTen(int exponent);

/// `value` at `from_scale` brought to `to_scale`, rounded HALF_UP; false if it needs more than `precision` digits.
bool RescaleDecimal(__int128 value, int from_scale, int to_scale, int precision, __int128& out);

/// "-12.345" with exactly `scale` digits of fraction.
void AppendDecimal(__int128 unscaled, int scale, std::string& out);

}  // namespace frazil::sql
