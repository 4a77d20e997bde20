// SPDX-License-Identifier: Apache-2.0
#include "frazil/base/clock.h"

#include <charconv>
#include <utility>
#include <vector>

#include "frazil/base/error.h"

namespace frazil {

namespace {

template <typename Unit>
int64_t Now() {
  return std::chrono::duration_cast<Unit>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Flink's labels in their accepted spellings, nanoseconds each.
int64_t UnitNanos(std::string_view unit) {
  static const std::vector<std::pair<int64_t, std::vector<std::string_view>>> kUnits = {
      {86'400'000'000'000, {"d", "day", "days"}},
      {3'600'000'000'000, {"h", "hour", "hours"}},
      {60'000'000'000, {"min", "m", "minute", "minutes"}},
      {1'000'000'000, {"s", "sec", "secs", "second", "seconds"}},
      {1'000'000, {"", "ms", "milli", "millis", "millisecond", "milliseconds"}},
      {1'000, {"µs", "us", "micro", "micros", "microsecond", "microseconds"}},
      {1, {"ns", "nano", "nanos", "nanosecond", "nanoseconds"}},
  };
  for (const auto& [nanos, labels] : kUnits) {
    for (std::string_view label : labels) {
      if (label == unit) return nanos;
    }
  }
  return 0;
}

}  // namespace

int64_t NowMillis() { return Now<std::chrono::milliseconds>(); }
int64_t NowMicros() { return Now<std::chrono::microseconds>(); }

std::chrono::nanoseconds ParseDuration(std::string_view text) {
  auto fail = [&](std::string_view why) {
    return InvalidArgument(
        "'{}' is not a duration ({}): expected a number and a unit such as '10 s', '500 ms' or '1 min'", text, why);
  };
  std::string lower;
  for (char c : text) lower.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  std::string_view rest = lower;
  auto trim = [](std::string_view s) {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    return s;
  };
  rest = trim(rest);
  int64_t value = 0;
  auto [end, ec] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (ec != std::errc() || value < 0) throw fail("no non-negative whole number at its start");
  std::string_view unit = trim(rest.substr(static_cast<size_t>(end - rest.data())));
  int64_t nanos = UnitNanos(unit);
  if (nanos == 0) throw fail("unknown unit");
  int64_t total = 0;
  if (__builtin_mul_overflow(value, nanos, &total)) throw fail("too large");
  return std::chrono::nanoseconds(total);
}

std::string FormatDuration(std::chrono::nanoseconds duration) {
  static constexpr std::pair<int64_t, std::string_view> kUnits[] = {{86'400'000'000'000, "d"},
                                                                    {3'600'000'000'000, "h"},
                                                                    {60'000'000'000, "min"},
                                                                    {1'000'000'000, "s"},
                                                                    {1'000'000, "ms"},
                                                                    {1'000, "µs"},
                                                                    {1, "ns"}};
  int64_t rest = duration.count();
  std::string out;
  int parts = 0;
  for (const auto& [nanos, label] : kUnits) {
    if (rest < nanos || parts == 2) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : " ", rest / nanos, label);
    rest %= nanos;
    ++parts;
    if (nanos <= 1'000'000) break;  // below a second one unit says enough
  }
  return out.empty() ? "0 ms" : out;
}

}  // namespace frazil
