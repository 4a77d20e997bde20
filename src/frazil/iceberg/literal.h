// SPDX-License-Identifier: Apache-2.0
// Single values: partition values, bounds, defaults. For metadata, never for rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace frazil::iceberg {

class Type;

/// A value without its type (the schema or spec knows it); monostate is null. Storage by type:
/// boolean → bool; int, date → int32_t; long, time, timestamps → int64_t; float; double; decimal → __int128 (unscaled);
/// string, uuid (16 bytes big endian), fixed, binary, geo (WKB) → std::string of bytes. Struct, list and map (defaults
/// only) → their JSON single value as text.
using Literal = std::variant<std::monostate, bool, int32_t, int64_t, float, double, __int128, std::string>;

inline bool IsNull(const Literal& value) { return std::holds_alternative<std::monostate>(value); }

/// Spec appendix D, binary single-value serialisation (bounds in manifests). Throws Unsupported for nested types.
std::string ToBinary(const Type& type, const Literal& value);
/// Inverse; also reads what a promoted type left behind (a long from 4 bytes, a double from 4, a timestamp from a
/// date's 4, a decimal of any length) and a truncated bound of fixed. Throws Corrupt on a wrong length.
Literal FromBinary(const Type& type, std::string_view bytes);

/// The order of the spec for bounds and sorting: −NaN < −Inf < … < −0 < 0 < … < Inf < NaN; strings and binary by
/// unsigned bytes. Both non-null and of `type`. Returns <0, 0 or >0.
int Compare(const Type& type, const Literal& a, const Literal& b);

/// Java's human form, as partition paths have it: dates and timestamps ISO-8601, decimals with scale ("1E-10" where
/// BigDecimal prints so), floats as Java prints them, binary base64, null "null". A value of type unknown says what it
/// holds.
std::string ToHumanString(const Type& type, const Literal& value);

/// "-14.20": plain, always with `scale` digits after the point.
std::string DecimalText(__int128 unscaled, int scale);

}  // namespace frazil::iceberg
