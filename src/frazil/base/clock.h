// SPDX-License-Identifier: Apache-2.0
// Wall time and durations. Instants are signed counts since 1970-01-01T00:00:00Z; the unit is in the name.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace frazil {

int64_t NowMillis();
int64_t NowMicros();

/// Parses Flink's duration strings: a number and an optional unit (d/day, h/hour, min/m/minute, s/sec/second,
/// ms/milli/millisecond, µs/us/micro/microsecond, ns/nano/nanosecond, each with plural), case-insensitive; no unit
/// means ms. Source: org.apache.flink.util.TimeUtils. Throws InvalidArgument.
std::chrono::nanoseconds ParseDuration(std::string_view text);

/// "1 min 3 s", "250 ms": the largest two units.
std::string FormatDuration(std::chrono::nanoseconds duration);

}  // namespace frazil
