// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/types.h"

#include <algorithm>
#include <cctype>

#include "frazil/base/error.h"

namespace frazil::sql {
namespace {

struct UnitName {
  TimeUnit unit;
  std::string_view name;
  std::string_view plural;
};

constexpr UnitName kUnitNames[] = {
    {TimeUnit::kMillennium, "MILLENNIUM", ""},
    {TimeUnit::kCentury, "CENTURY", ""},
    {TimeUnit::kDecade, "DECADE", ""},
    {TimeUnit::kYear, "YEAR", "YEARS"},
    {TimeUnit::kQuarter, "QUARTER", "QUARTERS"},
    {TimeUnit::kMonth, "MONTH", "MONTHS"},
    {TimeUnit::kWeek, "WEEK", "WEEKS"},
    {TimeUnit::kDay, "DAY", "DAYS"},
    {TimeUnit::kHour, "HOUR", "HOURS"},
    {TimeUnit::kMinute, "MINUTE", "MINUTES"},
    {TimeUnit::kSecond, "SECOND", "SECONDS"},
    {TimeUnit::kMillisecond, "MILLISECOND", "MILLISECONDS"},
    {TimeUnit::kMicrosecond, "MICROSECOND", "MICROSECONDS"},
    {TimeUnit::kNanosecond, "NANOSECOND", "NANOSECONDS"},
    {TimeUnit::kDow, "DOW", ""},
    {TimeUnit::kIsoDow, "ISODOW", ""},
    {TimeUnit::kDoy, "DOY", ""},
    {TimeUnit::kIsoYear, "ISOYEAR", ""},
    {TimeUnit::kEpoch, "EPOCH", ""},
};

bool IsYearMonth(TimeUnit unit) { return unit == TimeUnit::kYear || unit == TimeUnit::kMonth; }

void CheckRange(std::string_view what, int32_t value, int32_t min, int32_t max) {
  if (value < min || value > max)
    throw InvalidArgument("the {} must be between {} and {}, not {}", what, min, max, value);
}

LogicalType Plain(TypeRoot root, int32_t precision = 0, int32_t scale = 0) {
  LogicalType type;
  type.root = root;
  type.precision = precision;
  type.scale = scale;
  return type;
}

LogicalType WithElement(TypeRoot root, LogicalType element) {
  LogicalType type = Plain(root);
  type.children.push_back({"", std::move(element), ""});
  return type;
}

/// `text` between `quote`s, those inside doubled.
std::string Quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out + quote;
}

std::string RowToString(const LogicalType& type) {
  std::string out = "ROW<";
  for (const RowField& field : type.children) {
    if (out.size() > 4) out += ", ";
    out += fmt::format("{} {}", Quoted(field.name, '`'), field.type.ToString());
    if (!field.comment.empty()) out += fmt::format(" {}", Quoted(field.comment, '\''));
  }
  return out + ">";
}

std::string IntervalToString(const LogicalType& type) {
  std::string out = fmt::format("INTERVAL {}", ToString(type.interval_start));
  // Flink prints the leading precision of YEAR and DAY only.
  if (type.interval_start == TimeUnit::kYear || type.interval_start == TimeUnit::kDay) {
    out += fmt::format("({})", type.precision);
  }
  if (type.interval_end != type.interval_start) out += fmt::format(" TO {}", ToString(type.interval_end));
  if (type.interval_end == TimeUnit::kSecond) out += fmt::format("({})", type.scale);
  return out;
}

}  // namespace

std::string_view ToString(TimeUnit unit) { return kUnitNames[static_cast<size_t>(unit)].name; }

std::optional<TimeUnit> ParseTimeUnit(std::string_view word) {
  std::string upper(word);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  constexpr std::string_view kOdbcPrefix = "SQL_TSI_";
  std::string_view name = upper;
  if (name.starts_with(kOdbcPrefix)) name.remove_prefix(kOdbcPrefix.size());
  if (name.empty()) return std::nullopt;
  if (name == "FRAC_SECOND") return TimeUnit::kMicrosecond;
  for (const UnitName& entry : kUnitNames) {
    if (name == entry.name || name == entry.plural) return entry.unit;
  }
  return std::nullopt;
}

// ---- LogicalType

bool LogicalType::operator==(const LogicalType& other) const {
  return root == other.root && nullable == other.nullable && precision == other.precision && scale == other.scale &&
         (!IsInterval() || (interval_start == other.interval_start && interval_end == other.interval_end)) &&
         children == other.children;
}

std::string LogicalType::ToString() const {
  return nullable ? ToStringWithoutNullability() : ToStringWithoutNullability() + " NOT NULL";
}

std::string LogicalType::ToStringWithoutNullability() const {
  switch (root) {
    case TypeRoot::kNull: return "NULL";
    case TypeRoot::kBoolean: return "BOOLEAN";
    case TypeRoot::kTinyInt: return "TINYINT";
    case TypeRoot::kSmallInt: return "SMALLINT";
    case TypeRoot::kInteger: return "INT";
    case TypeRoot::kBigInt: return "BIGINT";
    case TypeRoot::kFloat: return "FLOAT";
    case TypeRoot::kDouble: return "DOUBLE";
    case TypeRoot::kDecimal: return fmt::format("DECIMAL({}, {})", precision, scale);
    case TypeRoot::kChar: return fmt::format("CHAR({})", precision);
    case TypeRoot::kVarChar: return precision == kMaxLength ? "STRING" : fmt::format("VARCHAR({})", precision);
    case TypeRoot::kBinary: return fmt::format("BINARY({})", precision);
    case TypeRoot::kVarBinary: return precision == kMaxLength ? "BYTES" : fmt::format("VARBINARY({})", precision);
    case TypeRoot::kDate: return "DATE";
    case TypeRoot::kTime: return fmt::format("TIME({})", precision);
    case TypeRoot::kTimestamp: return fmt::format("TIMESTAMP({})", precision);
    case TypeRoot::kTimestampTz: return fmt::format("TIMESTAMP({}) WITH TIME ZONE", precision);
    case TypeRoot::kTimestampLtz: return fmt::format("TIMESTAMP_LTZ({})", precision);
    case TypeRoot::kIntervalYearMonth:
    case TypeRoot::kIntervalDayTime: return IntervalToString(*this);
    case TypeRoot::kArray: return fmt::format("ARRAY<{}>", element().ToString());
    case TypeRoot::kMultiset: return fmt::format("MULTISET<{}>", element().ToString());
    case TypeRoot::kMap: return fmt::format("MAP<{}, {}>", key().ToString(), value().ToString());
    case TypeRoot::kRow: return RowToString(*this);
  }
  return "";
}

LogicalType LogicalType::WithNullable(bool value) const {
  LogicalType copy = *this;
  copy.nullable = value;
  return copy;
}

const LogicalType& LogicalType::element() const { return children.at(0).type; }
const LogicalType& LogicalType::key() const { return children.at(0).type; }
const LogicalType& LogicalType::value() const { return children.at(1).type; }

// ---- Makers

LogicalType NullType() { return Plain(TypeRoot::kNull); }
LogicalType BooleanType() { return Plain(TypeRoot::kBoolean); }
LogicalType TinyIntType() { return Plain(TypeRoot::kTinyInt); }
LogicalType SmallIntType() { return Plain(TypeRoot::kSmallInt); }
LogicalType IntType() { return Plain(TypeRoot::kInteger); }
LogicalType BigIntType() { return Plain(TypeRoot::kBigInt); }
LogicalType FloatType() { return Plain(TypeRoot::kFloat); }
LogicalType DoubleType() { return Plain(TypeRoot::kDouble); }

LogicalType DecimalType(int32_t precision, int32_t scale) {
  CheckRange("precision of DECIMAL", precision, 1, LogicalType::kMaxDecimalPrecision);
  CheckRange("scale of DECIMAL", scale, 0, precision);
  return Plain(TypeRoot::kDecimal, precision, scale);
}

LogicalType CharType(int32_t length) {
  CheckRange("length of CHAR", length, 1, LogicalType::kMaxLength);
  return Plain(TypeRoot::kChar, length);
}

LogicalType VarCharType(int32_t length) {
  CheckRange("length of VARCHAR", length, 1, LogicalType::kMaxLength);
  return Plain(TypeRoot::kVarChar, length);
}

LogicalType StringType() { return VarCharType(LogicalType::kMaxLength); }

LogicalType BinaryType(int32_t length) {
  CheckRange("length of BINARY", length, 1, LogicalType::kMaxLength);
  return Plain(TypeRoot::kBinary, length);
}

LogicalType VarBinaryType(int32_t length) {
  CheckRange("length of VARBINARY", length, 1, LogicalType::kMaxLength);
  return Plain(TypeRoot::kVarBinary, length);
}

LogicalType BytesType() { return VarBinaryType(LogicalType::kMaxLength); }
LogicalType DateType() { return Plain(TypeRoot::kDate); }

LogicalType TimeType(int32_t precision) {
  CheckRange("precision of TIME", precision, 0, 9);
  return Plain(TypeRoot::kTime, precision);
}

LogicalType TimestampType(int32_t precision) {
  CheckRange("precision of TIMESTAMP", precision, 0, 9);
  return Plain(TypeRoot::kTimestamp, precision);
}

LogicalType TimestampTzType(int32_t precision) {
  CheckRange("precision of TIMESTAMP WITH TIME ZONE", precision, 0, 9);
  return Plain(TypeRoot::kTimestampTz, precision);
}

LogicalType TimestampLtzType(int32_t precision) {
  CheckRange("precision of TIMESTAMP_LTZ", precision, 0, 9);
  return Plain(TypeRoot::kTimestampLtz, precision);
}

LogicalType IntervalType(TimeUnit start, TimeUnit end, int32_t leading_precision, int32_t fractional_precision) {
  const auto stored = [](TimeUnit unit) {
    return unit == TimeUnit::kQuarter ? TimeUnit::kMonth : unit == TimeUnit::kWeek ? TimeUnit::kDay : unit;
  };
  start = stored(start);
  end = stored(end);
  const bool year_month = IsYearMonth(start) && IsYearMonth(end);
  const bool day_time = start >= TimeUnit::kDay && end <= TimeUnit::kSecond;
  if ((!year_month && !day_time) || start > end) {
    throw InvalidArgument("an interval of {} TO {} does not exist", ToString(start), ToString(end));
  }
  if (start == TimeUnit::kYear) CheckRange("precision of YEAR in an interval", leading_precision, 1, 4);
  if (start == TimeUnit::kDay) CheckRange("precision of DAY in an interval", leading_precision, 1, 6);
  if (end == TimeUnit::kSecond) CheckRange("precision of SECOND in an interval", fractional_precision, 0, 9);
  LogicalType type = Plain(year_month ? TypeRoot::kIntervalYearMonth : TypeRoot::kIntervalDayTime, leading_precision,
                           year_month ? 0 : fractional_precision);
  type.interval_start = start;
  type.interval_end = end;
  return type;
}

LogicalType ArrayType(LogicalType element) { return WithElement(TypeRoot::kArray, std::move(element)); }
LogicalType MultisetType(LogicalType element) { return WithElement(TypeRoot::kMultiset, std::move(element)); }

LogicalType MapType(LogicalType key, LogicalType value) {
  LogicalType type = WithElement(TypeRoot::kMap, std::move(key));
  type.children.push_back({"", std::move(value), ""});
  return type;
}

LogicalType RowType(std::vector<RowField> fields) {
  LogicalType type = Plain(TypeRoot::kRow);
  type.children = std::move(fields);
  return type;
}

}  // namespace frazil::sql
