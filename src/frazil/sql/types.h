// SPDX-License-Identifier: Apache-2.0
// Flink's logical types as plain values: names, rules of casts and arithmetic, and the Arrow type that carries each.
// Source: Flink's "Data Types" page, LogicalTypeCasts, LogicalTypeMerging.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

namespace frazil::sql {

enum class TypeRoot : uint8_t {
  kNull,
  kBoolean,
  kTinyInt,
  kSmallInt,
  kInteger,
  kBigInt,
  kFloat,
  kDouble,
  kDecimal,
  kChar,
  kVarChar,
  kBinary,
  kVarBinary,
  kDate,
  kTime,
  kTimestamp,     ///< TIMESTAMP WITHOUT TIME ZONE
  kTimestampTz,   ///< TIMESTAMP WITH TIME ZONE: parsed, never executed (as in Flink)
  kTimestampLtz,  ///< TIMESTAMP WITH LOCAL TIME ZONE
  kIntervalYearMonth,
  kIntervalDayTime,
  kArray,
  kMultiset,
  kMap,
  kRow,
};

/// Units of intervals, EXTRACT, FLOOR/CEIL TO, TIMESTAMPADD and TIMESTAMPDIFF.
enum class TimeUnit : uint8_t {
  kMillennium,
  kCentury,
  kDecade,
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond,
  kNanosecond,
  kDow,
  kIsoDow,
  kDoy,
  kIsoYear,
  kEpoch,
};

/// "DAY", …
std::string_view ToString(TimeUnit unit);
/// The unit of a keyword in any case, singular or plural ("DAY", "days"); SQL_TSI_ names too. Nothing for others.
std::optional<TimeUnit> ParseTimeUnit(std::string_view word);

struct RowField;

/// A value; two types are equal when all of them is (nullability and comments included). Make them with the makers
/// below.
struct LogicalType {
  static constexpr int32_t kMaxLength = 2147483647;  ///< of VARCHAR: STRING, of VARBINARY: BYTES
  static constexpr int32_t kMaxDecimalPrecision = 38;

  TypeRoot root = TypeRoot::kNull;
  bool nullable = true;
  /// Length of CHAR, VARCHAR, BINARY, VARBINARY; precision of DECIMAL, TIME, TIMESTAMP*; leading precision of
  /// intervals.
  int32_t precision = 0;
  /// Scale of DECIMAL; fractional precision of a day-time interval.
  int32_t scale = 0;
  /// Of intervals only: `DAY TO SECOND` is {kDay, kSecond}, `MONTH` is {kMonth, kMonth}.
  TimeUnit interval_start = TimeUnit::kDay;
  TimeUnit interval_end = TimeUnit::kSecond;
  /// ARRAY, MULTISET: one (element); MAP: two (key, value); ROW: its fields. Names are set for ROW only.
  std::vector<RowField> children;

  bool operator==(const LogicalType& other) const;

  /// As Flink's asSerializableString / DESCRIBE print it: "VARCHAR(10) NOT NULL", "STRING", "ROW<`a` INT, `b` STRING>".
  std::string ToString() const;
  /// The same without the outer NOT NULL.
  std::string ToStringWithoutNullability() const;

  LogicalType WithNullable(bool value) const;
  LogicalType NotNull() const { return WithNullable(false); }

  bool Is(TypeRoot r) const { return root == r; }
  bool IsCharacter() const { return root == TypeRoot::kChar || root == TypeRoot::kVarChar; }
  bool IsBinary() const { return root == TypeRoot::kBinary || root == TypeRoot::kVarBinary; }
  bool IsInteger() const { return root >= TypeRoot::kTinyInt && root <= TypeRoot::kBigInt; }
  bool IsExactNumeric() const { return IsInteger() || root == TypeRoot::kDecimal; }
  bool IsApproximateNumeric() const { return root == TypeRoot::kFloat || root == TypeRoot::kDouble; }
  bool IsNumeric() const { return root >= TypeRoot::kTinyInt && root <= TypeRoot::kDecimal; }
  bool IsTimestamp() const { return root >= TypeRoot::kTimestamp && root <= TypeRoot::kTimestampLtz; }
  bool IsDatetime() const { return root >= TypeRoot::kDate && root <= TypeRoot::kTimestampLtz; }
  bool IsInterval() const { return root == TypeRoot::kIntervalYearMonth || root == TypeRoot::kIntervalDayTime; }
  bool IsNested() const { return root >= TypeRoot::kArray; }

  /// Of ARRAY and MULTISET; of MAP the key; of MAP the value. The root must be right.
  const LogicalType& element() const;
  const LogicalType& key() const;
  const LogicalType& value() const;
};

struct RowField {
  std::string name;
  LogicalType type;
  std::string comment;

  bool operator==(const RowField&) const = default;
};

// Makers, all nullable. Those with a length, precision or scale throw InvalidArgument when it is out of Flink's range.
LogicalType NullType();
LogicalType BooleanType();
LogicalType TinyIntType();
LogicalType SmallIntType();
LogicalType IntType();
LogicalType BigIntType();
LogicalType FloatType();
LogicalType DoubleType();
LogicalType DecimalType(int32_t precision = 10, int32_t scale = 0);
LogicalType CharType(int32_t length = 1);
LogicalType VarCharType(int32_t length = 1);
LogicalType StringType();
LogicalType BinaryType(int32_t length = 1);
LogicalType VarBinaryType(int32_t length = 1);
LogicalType BytesType();
LogicalType DateType();
LogicalType TimeType(int32_t precision = 0);
LogicalType TimestampType(int32_t precision = 6);
LogicalType TimestampTzType(int32_t precision = 6);
LogicalType TimestampLtzType(int32_t precision = 6);
/// `start` and `end` are both of year-month (YEAR, MONTH; also QUARTER → MONTH) or both of day-time units.
LogicalType IntervalType(TimeUnit start, TimeUnit end, int32_t leading_precision = 2, int32_t fractional_precision = 6);
LogicalType ArrayType(LogicalType element);
LogicalType MultisetType(LogicalType element);
LogicalType MapType(LogicalType key, LogicalType value);
LogicalType RowType(std::vector<RowField> fields);

// ---- Arrow

/// The Arrow type that carries values of `type`:
///   TINYINT … BIGINT → int8 … int64, FLOAT → float32, DOUBLE → float64, DECIMAL → decimal128, DATE → date32,
///   CHAR, VARCHAR, STRING → utf8, BINARY(n) → fixed_size_binary(n), VARBINARY, BYTES → binary,
///   TIME(p) → time32[ms] for p ≤ 3, else time64[us] (time64[ns] above 6),
///   TIMESTAMP(p) → timestamp of s (0), ms (1-3), us (4-6), ns (7-9); TIMESTAMP_LTZ(p) the same with zone "UTC",
///   year-month interval → month_interval, day-time interval → duration[ms],
///   ARRAY → list, MAP → map, MULTISET<T> → map<T, int32>, ROW → struct, NULL → null. Nested nullability is kept.
/// Throws Unsupported for TIMESTAMP WITH TIME ZONE.
std::shared_ptr<arrow::DataType> ToArrow(const LogicalType& type);
std::shared_ptr<arrow::Field> ToArrowField(const std::string& name, const LogicalType& type);
std::shared_ptr<arrow::Schema> ToArrowSchema(const std::vector<RowField>& fields);

/// The logical type that Flink would show for an Arrow type; timestamps get precision 0, 3, 6 or 9, any zone is LTZ.
/// Throws Unsupported for an Arrow type with no counterpart (unsigned 64 bit, unions, …).
LogicalType FromArrow(const arrow::DataType& type, bool nullable = true);
std::vector<RowField> FromArrowSchema(const arrow::Schema& schema);

// ---- Rules

/// Whether a value of `from` may be put where `to` is wanted without CAST (assignment of INSERT, arguments).
/// Nullability is not looked at at the top level (the INSERT check does that by name). Flink's
/// LogicalTypeCasts.supportsImplicitCast: integers widen, any number → DECIMAL or DOUBLE, CHAR → VARCHAR (of any
/// length), TIMESTAMP ↔ TIMESTAMP_LTZ, TIMESTAMP → DATE or TIME, not DATE → TIMESTAMP. Except numbers ↔ intervals of
/// one unit.
bool CanImplicitlyCast(const LogicalType& from, const LogicalType& to);

/// Whether CAST(from AS to) exists in Flink (it may still fail on a value). Numbers ↔ TIMESTAMP don't: Flink's planner
/// refuses them, though its LogicalTypeCasts know them.
bool CanExplicitlyCast(const LogicalType& from, const LogicalType& to);

/// The least type that both can become (CASE, COALESCE, UNION, IN, VALUES), or nothing. Nullable if either is.
std::optional<LogicalType> CommonType(const LogicalType& left, const LogicalType& right);
/// Of all; nothing when there is none or the list is empty.
std::optional<LogicalType> CommonType(const std::vector<LogicalType>& types);

enum class ArithmeticOp : uint8_t { kAdd, kSubtract, kMultiply, kDivide, kModulo };

/// Result of a decimal operation by Flink's LogicalTypeMerging, precision cut to 38 with at least 6 digits of scale
/// kept. Integers take part as DECIMAL(3,0), (5,0), (10,0), (19,0). Both must be exact numeric.
LogicalType DecimalArithmeticType(ArithmeticOp op, const LogicalType& left, const LogicalType& right);

/// Result of `left op right` for numbers: approximate wins, then decimal, else the wider integer (INT / INT is INT).
/// Nullable if either is; nothing if one is not a number.
std::optional<LogicalType> NumericArithmeticType(ArithmeticOp op, const LogicalType& left, const LogicalType& right);

/// DECIMAL(p, s) that holds every value of an exact numeric type.
LogicalType AsDecimal(const LogicalType& type);

/// SUM: integers of any width → the same type (Flink), DECIMAL(p,s) → DECIMAL(38,s), FLOAT, DOUBLE the same.
LogicalType SumType(const LogicalType& argument);
/// AVG: integers → the same type (Flink), DECIMAL(p,s) → DECIMAL(38, max(6,s)), FLOAT, DOUBLE the same.
LogicalType AvgType(const LogicalType& argument);

}  // namespace frazil::sql
