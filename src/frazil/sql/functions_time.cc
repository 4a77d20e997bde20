// SPDX-License-Identifier: Apache-2.0
// Date and time functions. TIMESTAMP_LTZ is seen on the wall clock of the session's zone (`table.local-time-zone`).
#include <arrow/compute/api_scalar.h>

#include "frazil/base/clock.h"
#include "frazil/sql/columns.h"
#include "frazil/sql/datetime.h"
#include "frazil/sql/function_table.h"
#include "frazil/sql/time_zone.h"

namespace frazil::sql {

namespace {

using arrow::Datum;
using Text = View<arrow::StringArray>;

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kNanosPerDay = 86'400 * kNanosPerSecond;

/// A date or timestamp column as wall-clock fields, by row.
class WallClock {
 public:
  WallClock(const Datum& datum, const LogicalType& type, const EvalContext& context) : step_(datum.is_array() ? 1 : 0) {
    array_ = ArgumentArray(datum);
    if (type.Is(TypeRoot::kTimestampLtz)) array_ = InstantToLocal(array_, context.time_zone);
    if (type.Is(TypeRoot::kDate)) {
      per_day_ = 1;
    } else {
      per_day_ = TicksPerSecond(static_cast<const arrow::TimestampType&>(*array_->type()).unit()) * 86'400;
    }
  }

  bool IsNull(int64_t row) const { return array_->IsNull(row * step_); }
  LocalTimestamp operator[](int64_t row) const {
    int64_t ticks = per_day_ == 1 ? static_cast<const arrow::Date32Array&>(*array_).Value(row * step_)
                                  : static_cast<const arrow::TimestampArray&>(*array_).Value(row * step_);
    int64_t days = FloorDiv(ticks, per_day_);
    return {days, (ticks - days * per_day_) * (kNanosPerDay / per_day_)};
  }

 private:
  std::shared_ptr<arrow::Array> array_;
  int64_t step_;
  int64_t per_day_;
};

bool IsDateOrTimestamp(const LogicalType& type) {
  return type.Is(TypeRoot::kDate) || type.Is(TypeRoot::kTimestamp) || type.Is(TypeRoot::kTimestampLtz);
}

/// ISO week and the year that it belongs to.
std::pair<int64_t, int64_t> IsoWeek(int64_t days) {
  int64_t thursday = days - FloorMod(days + 3, 7) + 3;
  int64_t year = CivilFromDays(thursday).year;
  return {year, (thursday - DaysFromCivil(year, 1, 1)) / 7 + 1};
}

int64_t Extract(TimeUnit unit, const LocalTimestamp& t) {
  CivilDate date = CivilFromDays(t.days);
  switch (unit) {
    case TimeUnit::kMillennium: return date.year > 0 ? (date.year + 999) / 1000 : date.year / 1000 - 1;
    case TimeUnit::kCentury: return date.year > 0 ? (date.year + 99) / 100 : date.year / 100 - 1;
    case TimeUnit::kDecade: return FloorDiv(date.year, 10);
    case TimeUnit::kYear: return date.year;
    case TimeUnit::kQuarter: return (date.month - 1) / 3 + 1;
    case TimeUnit::kMonth: return date.month;
    case TimeUnit::kWeek: return IsoWeek(t.days).second;
    case TimeUnit::kIsoYear: return IsoWeek(t.days).first;
    case TimeUnit::kDay: return date.day;
    case TimeUnit::kDow: return FloorMod(t.days + 4, 7) + 1;     // Sunday is 1
    case TimeUnit::kIsoDow: return FloorMod(t.days + 3, 7) + 1;  // Monday is 1
    case TimeUnit::kDoy: return t.days - DaysFromCivil(date.year, 1, 1) + 1;
    case TimeUnit::kHour: return t.nanos_of_day / (3600 * kNanosPerSecond);
    case TimeUnit::kMinute: return t.nanos_of_day / (60 * kNanosPerSecond) % 60;
    case TimeUnit::kSecond: return t.nanos_of_day / kNanosPerSecond % 60;
    case TimeUnit::kMillisecond: return t.nanos_of_day / 1'000'000 % 60'000;
    case TimeUnit::kMicrosecond: return t.nanos_of_day / 1'000 % 60'000'000;
    case TimeUnit::kNanosecond: return t.nanos_of_day % (60 * kNanosPerSecond);
    case TimeUnit::kEpoch: return t.days * 86'400 + t.nanos_of_day / kNanosPerSecond;
  }
  return 0;
}

std::optional<ResolvedFunction> ResolveExtract(TimeUnit unit, std::span<const LogicalType> arguments) {
  if (arguments.size() != 1) return std::nullopt;
  LogicalType type = arguments[0];
  if (type.Is(TypeRoot::kTime)) {
    if (unit != TimeUnit::kHour && unit != TimeUnit::kMinute && unit != TimeUnit::kSecond) return std::nullopt;
    LogicalType millis = TimeType(3).WithNullable(type.nullable);
    return ResolvedFunction{BigIntType().WithNullable(type.nullable),
                            {millis},
                            [unit](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
                              return MapRows<arrow::Int64Builder>(
                                  arrow::int64(), rows,
                                  [unit](int32_t v) {
                                    return Extract(unit, {0, int64_t{v} * 1'000'000});
                                  },
                                  View<arrow::Time32Array>(a[0]));
                            }};
  }
  if (!IsDateOrTimestamp(type)) return std::nullopt;
  return ResolvedFunction{BigIntType().WithNullable(type.nullable),
                          {type},
                          [unit, type](std::span<const Datum> a, int64_t rows, const EvalContext& context) -> Datum {
                            return MapRows<arrow::Int64Builder>(
                                arrow::int64(), rows, [unit](const LocalTimestamp& t) { return Extract(unit, t); },
                                WallClock(a[0], type, context));
                          }};
}

// ---- FLOOR, CEIL, TIMESTAMPADD, TIMESTAMPDIFF

int64_t MonthsOf(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMonth: return 1;
    case TimeUnit::kQuarter: return 3;
    case TimeUnit::kYear: return 12;
    case TimeUnit::kDecade: return 120;
    case TimeUnit::kCentury: return 1'200;
    case TimeUnit::kMillennium: return 12'000;
    default: return 0;
  }
}

int64_t NanosOf(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kWeek: return 7 * kNanosPerDay;
    case TimeUnit::kDay: return kNanosPerDay;
    case TimeUnit::kHour: return 3600 * kNanosPerSecond;
    case TimeUnit::kMinute: return 60 * kNanosPerSecond;
    case TimeUnit::kSecond: return kNanosPerSecond;
    case TimeUnit::kMillisecond: return 1'000'000;
    case TimeUnit::kMicrosecond: return 1'000;
    case TimeUnit::kNanosecond: return 1;
    default: return 0;
  }
}

LocalTimestamp FloorTo(TimeUnit unit, LocalTimestamp t) {
  if (int64_t months = MonthsOf(unit)) {
    CivilDate date = CivilFromDays(t.days);
    int64_t month = FloorDiv(date.year * 12 + date.month - 1, months) * months;
    return {DaysFromCivil(FloorDiv(month, 12), static_cast<int32_t>(FloorMod(month, 12)) + 1, 1), 0};
  }
  if (unit == TimeUnit::kWeek)
    return {t.days - FloorMod(t.days + 4, 7), 0};  // weeks begin on Sunday here, as in Calcite
  if (unit == TimeUnit::kDay) return {t.days, 0};
  int64_t nanos = NanosOf(unit);
  return {t.days, t.nanos_of_day / nanos * nanos};
}

LocalTimestamp Add(TimeUnit unit, LocalTimestamp t, int64_t amount) {
  if (int64_t months = MonthsOf(unit)) {
    CivilDate date = CivilFromDays(t.days);
    int64_t month = date.year * 12 + date.month - 1 + amount * months;
    int64_t year = FloorDiv(month, 12);
    auto month_of_year = static_cast<int32_t>(FloorMod(month, 12)) + 1;
    return {DaysFromCivil(year, month_of_year, std::min(date.day, DaysInMonth(year, month_of_year))), t.nanos_of_day};
  }
  __int128 nanos = static_cast<__int128>(NanosOf(unit)) * amount + t.nanos_of_day;
  auto days = static_cast<int64_t>(nanos / kNanosPerDay);
  auto rest = static_cast<int64_t>(nanos % kNanosPerDay);
  if (rest < 0) {
    rest += kNanosPerDay;
    --days;
  }
  return {t.days + days, rest};
}

bool Same(const LocalTimestamp& a, const LocalTimestamp& b) {
  return a.days == b.days && a.nanos_of_day == b.nanos_of_day;
}

/// Whole units from `from` to `to`, cut towards zero.
int64_t Difference(TimeUnit unit, const LocalTimestamp& from, const LocalTimestamp& to) {
  if (int64_t months = MonthsOf(unit)) {
    CivilDate a = CivilFromDays(from.days);
    CivilDate b = CivilFromDays(to.days);
    int64_t count = (b.year - a.year) * 12 + b.month - a.month;
    auto within = [](const CivilDate& date, const LocalTimestamp& t) { return std::pair(date.day, t.nanos_of_day); };
    if (count > 0 && within(b, to) < within(a, from)) --count;
    if (count < 0 && within(b, to) > within(a, from)) ++count;
    return count / months;
  }
  __int128 nanos = static_cast<__int128>(to.days - from.days) * kNanosPerDay + to.nanos_of_day - from.nanos_of_day;
  return static_cast<int64_t>(nanos / NanosOf(unit));
}

/// Wall-clock results back into `type`.
template <typename Function, typename... Views>
Datum MapToType(const LogicalType& type, int64_t rows, const EvalContext& context, Function&& function,
                const Views&... views) {
  if (type.Is(TypeRoot::kDate)) {
    return MapRows<arrow::Date32Builder>(
        arrow::date32(), rows, [&](auto&&... v) { return static_cast<int32_t>(function(v...).days); }, views...);
  }
  auto unit = static_cast<const arrow::TimestampType&>(*ToArrow(type)).unit();
  std::shared_ptr<arrow::Array> local = MapRows<arrow::TimestampBuilder>(
      arrow::timestamp(unit), rows, [&](auto&&... v) { return ToTicks(function(v...), unit); }, views...);
  return type.Is(TypeRoot::kTimestampLtz) ? LocalToInstant(local, context.time_zone) : local;
}

std::optional<ResolvedFunction> ResolveRoundTo(std::span<const LogicalType> arguments,
                                               std::span<const std::string> symbols, bool floor) {
  std::optional<TimeUnit> unit = symbols.empty() ? std::nullopt : ParseTimeUnit(symbols[0]);
  if (arguments.size() != 1 || !unit.has_value() || !IsDateOrTimestamp(arguments[0])) return std::nullopt;
  if (MonthsOf(*unit) == 0 && NanosOf(*unit) == 0) return std::nullopt;
  LogicalType type = arguments[0];
  return ResolvedFunction{
      type, {type}, [=](std::span<const Datum> a, int64_t rows, const EvalContext& context) -> Datum {
        return MapToType(
            type, rows, context,
            [&](const LocalTimestamp& t) {
              LocalTimestamp down = FloorTo(*unit, t);
              return floor || Same(down, t) ? down : Add(*unit, down, 1);
            },
            WallClock(a[0], type, context));
      }};
}

void AddCalendarArithmetic(FunctionTable& table) {
  for (bool floor : {true, false}) {
    std::string name = floor ? "FLOOR" : "CEIL";
    FunctionTable::Entry numeric = table.entries().at(name);
    table.Add(name, numeric.signature, [numeric, floor](auto arguments, auto symbols) {
      return symbols.empty() ? numeric.resolver(arguments, symbols) : ResolveRoundTo(arguments, symbols, floor);
    });
  }
  table.Alias("CEILING", "CEIL");
  table.Add("TIMESTAMPADD", "TIMESTAMPADD(unit, INT, timestamp)",
            [](auto arguments, auto symbols) -> std::optional<ResolvedFunction> {
              std::optional<TimeUnit> unit = symbols.empty() ? std::nullopt : ParseTimeUnit(symbols[0]);
              if (arguments.size() != 2 || !unit.has_value() || !IsIntegerOrNull(arguments[0]) ||
                  !IsDateOrTimestamp(arguments[1]))
                return std::nullopt;
              if (MonthsOf(*unit) == 0 && NanosOf(*unit) == 0) return std::nullopt;
              LogicalType base = arguments[1];
              LogicalType result = base.WithNullable(AnyNullable(arguments));
              // Hours of a date make it a timestamp.
              if (base.Is(TypeRoot::kDate) && MonthsOf(*unit) == 0 && NanosOf(*unit) < kNanosPerDay)
                result = TimestampType(3).WithNullable(result.nullable);
              if (result.IsTimestamp() && NanosOf(*unit) != 0 && NanosOf(*unit) < kNanosPerSecond)
                result.precision = std::max(result.precision, *unit == TimeUnit::kMillisecond   ? 3
                                                              : *unit == TimeUnit::kMicrosecond ? 6
                                                                                                : 9);
              return ResolvedFunction{
                  result,
                  {BigIntType(), base},
                  [=](std::span<const Datum> a, int64_t rows, const EvalContext& context) -> Datum {
                    return MapToType(
                        result, rows, context,
                        [&](int64_t amount, const LocalTimestamp& t) { return Add(*unit, t, amount); },
                        View<arrow::Int64Array>(a[0]), WallClock(a[1], base, context));
                  }};
            });
  table.Add("TIMESTAMPDIFF", "TIMESTAMPDIFF(unit, timestamp, timestamp)",
            [](auto arguments, auto symbols) -> std::optional<ResolvedFunction> {
              std::optional<TimeUnit> unit = symbols.empty() ? std::nullopt : ParseTimeUnit(symbols[0]);
              if (arguments.size() != 2 || !unit.has_value() || !IsDateOrTimestamp(arguments[0]) ||
                  !IsDateOrTimestamp(arguments[1]))
                return std::nullopt;
              if (MonthsOf(*unit) == 0 && NanosOf(*unit) == 0) return std::nullopt;
              LogicalType from = arguments[0];
              LogicalType to = arguments[1];
              return ResolvedFunction{IntType().WithNullable(AnyNullable(arguments)),
                                      {from, to},
                                      [=](std::span<const Datum> a, int64_t rows, const EvalContext& context) -> Datum {
                                        return MapRows<arrow::Int32Builder>(
                                            arrow::int32(), rows,
                                            [&](const LocalTimestamp& x, const LocalTimestamp& y) {
                                              return static_cast<int32_t>(Difference(*unit, x, y));
                                            },
                                            WallClock(a[0], from, context), WallClock(a[1], to, context));
                                      }};
            });
}

// ---- Patterns of Java's SimpleDateFormat

/// One piece of a pattern: a letter and how often it stands there, or literal text.
struct PatternPart {
  char letter = 0;  ///< 0: literal
  int count = 0;
  std::string text;
};

std::vector<PatternPart> ParsePattern(std::string_view pattern) {
  std::vector<PatternPart> parts;
  auto literal = [&](char c) {
    if (parts.empty() || parts.back().letter != 0) parts.push_back({});
    parts.back().text += c;
  };
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    if (c == '\'') {
      if (i + 1 < pattern.size() && pattern[i + 1] == '\'') {
        literal('\'');
        ++i;
        continue;
      }
      for (++i; i < pattern.size() && pattern[i] != '\''; ++i) literal(pattern[i]);
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      if (std::string_view("yMdHhmsSaEDnu").find(c) == std::string_view::npos) {
        throw InvalidArgument(
            "date pattern '{}': letter '{}' is not supported; use y, M, d, H, h, m, s, S, a, E, D or quote it", pattern,
            c);
      }
      int count = 1;
      while (i + 1 < pattern.size() && pattern[i + 1] == c) {
        ++count;
        ++i;
      }
      parts.push_back({c, count, ""});
    } else {
      literal(c);
    }
  }
  return parts;
}

constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
constexpr std::string_view kDays[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

void Format(const std::vector<PatternPart>& parts, const LocalTimestamp& t, std::string& out) {
  CivilDate date = CivilFromDays(t.days);
  int64_t hour = Extract(TimeUnit::kHour, t);
  auto number = [&](int64_t value, int width) { out += fmt::format("{:0{}}", value, width); };
  for (const PatternPart& part : parts) {
    switch (part.letter) {
      case 0: out += part.text; break;
      case 'y':
      case 'u': number(part.count == 2 ? FloorMod(date.year, 100) : date.year, part.count); break;
      case 'M':
        if (part.count >= 3) {
          out += part.count == 3 ? kMonths[date.month - 1].substr(0, 3) : kMonths[date.month - 1];
        } else {
          number(date.month, part.count);
        }
        break;
      case 'd': number(date.day, part.count); break;
      case 'D': number(Extract(TimeUnit::kDoy, t), part.count); break;
      case 'H': number(hour, part.count); break;
      case 'h': number((hour + 11) % 12 + 1, part.count); break;
      case 'm': number(Extract(TimeUnit::kMinute, t), part.count); break;
      case 's': number(Extract(TimeUnit::kSecond, t), part.count); break;
      case 'S':
        out += fmt::format("{:09}", t.nanos_of_day % kNanosPerSecond)
                   .substr(0, static_cast<size_t>(std::min(part.count, 9)));
        break;
      case 'n': number(t.nanos_of_day % kNanosPerSecond, part.count); break;
      case 'a': out += hour < 12 ? "AM" : "PM"; break;
      case 'E': {
        std::string_view day = kDays[FloorMod(t.days + 3, 7)];
        out += part.count < 4 ? day.substr(0, 3) : day;
        break;
      }
      default: break;
    }
  }
}

/// Nothing where `text` doesn't follow the pattern.
std::optional<LocalTimestamp> Parse(const std::vector<PatternPart>& parts, std::string_view text) {
  int64_t year = 1970;
  int64_t month = 1;
  int64_t day = 1;
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t nanos = 0;
  bool afternoon = false;
  bool half_day = false;
  for (size_t p = 0; p < parts.size(); ++p) {
    const PatternPart& part = parts[p];
    if (part.letter == 0) {
      if (!text.starts_with(part.text)) return std::nullopt;
      text.remove_prefix(part.text.size());
      continue;
    }
    if (part.letter == 'a') {
      if (!text.starts_with("AM") && !text.starts_with("PM")) return std::nullopt;
      afternoon = text.front() == 'P';
      half_day = true;
      text.remove_prefix(2);
      continue;
    }
    if (part.letter == 'M' && part.count >= 3) {
      month = 0;
      for (size_t m = 0; m < 12; ++m) {
        std::string_view name = part.count == 3 ? kMonths[m].substr(0, 3) : kMonths[m];
        if (!text.starts_with(name)) continue;
        month = static_cast<int64_t>(m) + 1;
        text.remove_prefix(name.size());
        break;
      }
      if (month == 0) return std::nullopt;
      continue;
    }
    // Digits run on, unless the next part is a number too: then the count of letters is the width.
    bool fixed = p + 1 < parts.size() && parts[p + 1].letter != 0;
    size_t most = fixed || part.letter == 'S' ? static_cast<size_t>(part.count) : 10;
    size_t digits = 0;
    int64_t value = 0;
    while (digits < most && digits < text.size() && text[digits] >= '0' && text[digits] <= '9')
      value = value * 10 + (text[digits++] - '0');
    if (digits == 0) return std::nullopt;
    text.remove_prefix(digits);
    switch (part.letter) {
      case 'y':
      case 'u': year = part.count == 2 && digits == 2 ? 2000 + value : value; break;
      case 'M': month = value; break;
      case 'd': day = value; break;
      case 'H': hour = value; break;
      case 'h': hour = value % 12; break;
      case 'm': minute = value; break;
      case 's': second = value; break;
      case 'S':
        for (size_t i = digits; i < 9; ++i) value *= 10;
        nanos = value;
        break;
      case 'n': nanos = value; break;
      default: return std::nullopt;
    }
  }
  if (half_day && afternoon) hour += 12;
  if (!text.empty() || month < 1 || month > 12 || day < 1 || day > DaysInMonth(year, static_cast<int32_t>(month)) ||
      hour > 23 || minute > 59 || second > 59 || nanos >= kNanosPerSecond)
    return std::nullopt;
  return LocalTimestamp{DaysFromCivil(year, static_cast<int32_t>(month), static_cast<int32_t>(day)),
                        (hour * 3600 + minute * 60 + second) * kNanosPerSecond + nanos};
}

/// A pattern that is parsed once for as long as it stays the same.
class CachedPattern {
 public:
  const std::vector<PatternPart>& Get(std::string_view pattern) {
    if (!parsed_ || pattern != pattern_) {
      parts_ = ParsePattern(pattern);
      pattern_ = pattern;
      parsed_ = true;
    }
    return parts_;
  }

 private:
  std::string pattern_;
  std::vector<PatternPart> parts_;
  bool parsed_ = false;
};

Datum TextConstant(std::string text) { return Datum(std::make_shared<arrow::StringScalar>(std::move(text))); }

constexpr char kDefaultPattern[] = "yyyy-MM-dd HH:mm:ss";

std::optional<LocalTimestamp> ParseWith(CachedPattern& cache, std::string_view text, std::string_view pattern) {
  return pattern == kDefaultPattern ? ParseLocalTimestamp(text) : Parse(cache.Get(pattern), text);
}

void AddPatterns(FunctionTable& table) {
  table.Add("DATE_FORMAT", "DATE_FORMAT(timestamp or STRING, STRING)",
            [](auto arguments, auto) -> std::optional<ResolvedFunction> {
              if (arguments.size() != 2 || !arguments[1].IsCharacter()) return std::nullopt;
              LogicalType type = arguments[0].IsCharacter() ? TimestampType(3) : arguments[0];
              if (!IsDateOrTimestamp(type)) return std::nullopt;
              return ResolvedFunction{
                  StringType().WithNullable(AnyNullable(arguments)),
                  {type, StringType()},
                  [type](std::span<const Datum> a, int64_t rows, const EvalContext& context) -> Datum {
                    CachedPattern cache;
                    std::string text;
                    return MapRows<arrow::StringBuilder>(
                        arrow::utf8(), rows,
                        [&](const LocalTimestamp& t, std::string_view pattern) -> std::string_view {
                          text.clear();
                          Format(cache.Get(pattern), t, text);
                          return text;
                        },
                        WallClock(a[0], type, context), Text(a[1]));
                  },
                  true,
                  true};
            });
  auto parse = [&](const std::string& name, const LogicalType& type, const std::string& default_pattern) {
    table.Add(name, name + "(STRING [, STRING])", [=](auto arguments, auto) -> std::optional<ResolvedFunction> {
      if (arguments.empty() || arguments.size() > 2 || !AllCharacter(arguments)) return std::nullopt;
      return ResolvedFunction{
          type, std::vector(arguments.size(), StringType()),
          [=](std::span<const Datum> a, int64_t rows, const EvalContext& context) -> Datum {
            CachedPattern cache;
            Text patterns(a.size() == 2 ? a[1] : TextConstant(default_pattern));
            if (type.Is(TypeRoot::kDate)) {
              return MapRows<arrow::Date32Builder>(
                  arrow::date32(), rows,
                  [&](std::string_view text, std::string_view pattern) -> std::optional<int32_t> {
                    if (a.size() == 1) return ParseDate(text);
                    std::optional<LocalTimestamp> parsed = Parse(cache.Get(pattern), text);
                    return parsed.has_value() ? std::optional(static_cast<int32_t>(parsed->days)) : std::nullopt;
                  },
                  Text(a[0]), patterns);
            }
            return MapRows<arrow::TimestampBuilder>(
                ToArrow(type), rows,
                [&](std::string_view text, std::string_view pattern) -> std::optional<int64_t> {
                  std::optional<LocalTimestamp> parsed = ParseWith(cache, text, pattern);
                  return parsed.has_value() ? ToTicks(*parsed, arrow::TimeUnit::MILLI) : std::nullopt;
                },
                Text(a[0]), patterns);
          },
          true, true};
    });
  };
  parse("TO_DATE", DateType(), "yyyy-MM-dd");
  parse("TO_TIMESTAMP", TimestampType(3), kDefaultPattern);
}

// ---- Now and epoch

void AddNow(FunctionTable& table) {
  auto now = [&](const std::string& name, const LogicalType& type, auto value) {
    table.Add(name, name, [=](auto arguments, auto) -> std::optional<ResolvedFunction> {
      if (!arguments.empty()) return std::nullopt;
      return ResolvedFunction{type.NotNull(),
                              {},
                              [=](std::span<const Datum>, int64_t, const EvalContext& context) -> Datum {
                                arrow::TimestampBuilder builder(arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"),
                                                                arrow::default_memory_pool());
                                Check(builder.Append(FloorDiv(context.now_micros, 1'000)), "now");
                                return value(Unwrap(builder.Finish(), "now"), context);
                              },
                              false};
    });
  };
  auto local_millis = [](const std::shared_ptr<arrow::Array>& instant, const EvalContext& context) {
    return static_cast<const arrow::TimestampArray&>(*InstantToLocal(instant, context.time_zone)).Value(0);
  };
  auto scalar = [](const std::shared_ptr<arrow::Array>& one) { return Datum(Unwrap(one->GetScalar(0), "now")); };
  for (const char* name : {"CURRENT_TIMESTAMP", "NOW", "CURRENT_ROW_TIMESTAMP"}) {
    now(name, TimestampLtzType(3), [=](auto instant, const EvalContext&) { return scalar(instant); });
  }
  now("LOCALTIMESTAMP", TimestampType(3),
      [=](auto instant, const EvalContext& context) { return scalar(InstantToLocal(instant, context.time_zone)); });
  now("CURRENT_DATE", DateType(), [=](auto instant, const EvalContext& context) {
    return Datum(std::make_shared<arrow::Date32Scalar>(
        static_cast<int32_t>(FloorDiv(local_millis(instant, context), 86'400'000))));
  });
  for (const char* name : {"LOCALTIME", "CURRENT_TIME"}) {
    now(name, TimeType(0), [=](auto instant, const EvalContext& context) {
      int64_t millis = FloorMod(local_millis(instant, context), 86'400'000) / 1'000 * 1'000;
      return Datum(
          std::make_shared<arrow::Time32Scalar>(static_cast<int32_t>(millis), arrow::time32(arrow::TimeUnit::MILLI)));
    });
  }
}

void AddEpoch(FunctionTable& table) {
  table.Add("UNIX_TIMESTAMP", "UNIX_TIMESTAMP([STRING [, STRING]])",
            [](auto arguments, auto) -> std::optional<ResolvedFunction> {
              if (arguments.size() > 2 || !AllCharacter(arguments)) return std::nullopt;
              if (arguments.empty()) {
                return ResolvedFunction{
                    BigIntType().NotNull(),
                    {},
                    [](std::span<const Datum>, int64_t, const EvalContext& context) -> Datum {
                      return Datum(std::make_shared<arrow::Int64Scalar>(FloorDiv(context.now_micros, 1'000'000)));
                    },
                    false};
              }
              return ResolvedFunction{
                  BigIntType(), std::vector(arguments.size(), StringType()),
                  [](std::span<const Datum> a, int64_t rows, const EvalContext& context) -> Datum {
                    CachedPattern cache;
                    Text patterns(a.size() == 2 ? a[1] : TextConstant(kDefaultPattern));
                    std::shared_ptr<arrow::Array> local = MapRows<arrow::TimestampBuilder>(
                        arrow::timestamp(arrow::TimeUnit::SECOND), rows,
                        [&](std::string_view text, std::string_view pattern) -> std::optional<int64_t> {
                          std::optional<LocalTimestamp> parsed = ParseWith(cache, text, pattern);
                          return parsed.has_value() ? ToTicks(*parsed, arrow::TimeUnit::SECOND) : std::nullopt;
                        },
                        Text(a[0]), patterns);
                    return Unwrap(LocalToInstant(local, context.time_zone)->View(arrow::int64()), "UNIX_TIMESTAMP");
                  },
                  true, true};
            });
  table.Add(
      "FROM_UNIXTIME", "FROM_UNIXTIME(BIGINT [, STRING])", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
        if (arguments.empty() || arguments.size() > 2 || !IsIntegerOrNull(arguments[0])) return std::nullopt;
        if (arguments.size() == 2 && !arguments[1].IsCharacter()) return std::nullopt;
        std::vector<LogicalType> wanted = {BigIntType()};
        if (arguments.size() == 2) wanted.push_back(StringType());
        return ResolvedFunction{
            StringType().WithNullable(AnyNullable(arguments)), wanted,
            [](std::span<const Datum> a, int64_t rows, const EvalContext& context) -> Datum {
              LogicalType type = TimestampLtzType(0);
              std::shared_ptr<arrow::Array> seconds = ArgumentArray(a[0]);
              std::shared_ptr<arrow::Array> instants = Unwrap(seconds->View(ToArrow(type)), "FROM_UNIXTIME");
              Datum datum = a[0].is_array() ? Datum(instants) : Datum(Unwrap(instants->GetScalar(0), "FROM_UNIXTIME"));
              CachedPattern cache;
              std::string text;
              return MapRows<arrow::StringBuilder>(
                  arrow::utf8(), rows,
                  [&](const LocalTimestamp& t, std::string_view pattern) -> std::string_view {
                    text.clear();
                    Format(cache.Get(pattern), t, text);
                    return text;
                  },
                  WallClock(datum, type, context), Text(a.size() == 2 ? a[1] : TextConstant(kDefaultPattern)));
            },
            true, true};
      });
  table.Add(
      "TO_TIMESTAMP_LTZ", "TO_TIMESTAMP_LTZ(BIGINT, INT)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
        if (arguments.empty() || arguments.size() > 2 || !IsIntegerOrNull(arguments[0])) return std::nullopt;
        if (arguments.size() == 2 && !IsIntegerOrNull(arguments[1])) return std::nullopt;
        std::vector<LogicalType> wanted = {BigIntType()};
        if (arguments.size() == 2) wanted.push_back(IntType());
        return ResolvedFunction{
            TimestampLtzType(3).WithNullable(AnyNullable(arguments)), wanted,
            [](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
              View<arrow::Int32Array> precision(a.size() == 2 ? a[1] : Datum(std::make_shared<arrow::Int32Scalar>(3)));
              return MapRows<arrow::TimestampBuilder>(
                  ToArrow(TimestampLtzType(3)), rows,
                  [](int64_t value, int32_t digits) -> int64_t {
                    if (digits != 0 && digits != 3)
                      throw InvalidArgument("TO_TIMESTAMP_LTZ takes precision 0 (seconds) or 3 (milliseconds), not {}",
                                            digits);
                    return digits == 0 ? value * 1'000 : value;
                  },
                  View<arrow::Int64Array>(a[0]), precision);
            },
            true, true};
      });
}

}  // namespace

void AddTimeFunctions(FunctionTable& table) {
  table.Add("EXTRACT", "EXTRACT(unit FROM timestamp)",
            [](auto arguments, auto symbols) -> std::optional<ResolvedFunction> {
              std::optional<TimeUnit> unit = symbols.empty() ? std::nullopt : ParseTimeUnit(symbols[0]);
              if (!unit.has_value()) return std::nullopt;
              return ResolveExtract(*unit, arguments);
            });
  static constexpr std::pair<const char*, TimeUnit> kParts[] = {
      {"YEAR", TimeUnit::kYear},     {"QUARTER", TimeUnit::kQuarter}, {"MONTH", TimeUnit::kMonth},
      {"WEEK", TimeUnit::kWeek},     {"DAYOFYEAR", TimeUnit::kDoy},   {"DAYOFMONTH", TimeUnit::kDay},
      {"DAYOFWEEK", TimeUnit::kDow}, {"HOUR", TimeUnit::kHour},       {"MINUTE", TimeUnit::kMinute},
      {"SECOND", TimeUnit::kSecond}};
  for (const auto& [name, unit] : kParts) {
    table.Add(name, std::string(name) + "(timestamp)",
              [unit = unit](auto arguments, auto) { return ResolveExtract(unit, arguments); });
  }
  AddCalendarArithmetic(table);
  AddPatterns(table);
  AddNow(table);
  AddEpoch(table);
}

}  // namespace frazil::sql
