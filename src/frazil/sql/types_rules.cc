// SPDX-License-Identifier: Apache-2.0
// Which type becomes which: implicit and explicit casts, the least common type, results of arithmetic.
#include <algorithm>

#include "frazil/base/error.h"
#include "frazil/sql/types.h"

namespace frazil::sql {
namespace {

constexpr int32_t kMinDivisionScale = 6;

bool SameShape(const LogicalType& from, const LogicalType& to) {
  return from.root == to.root && from.children.size() == to.children.size();
}

/// Whether all children of a constructed type cast by `can_cast` to those at the same place.
template <typename CanCast>
bool ChildrenCast(const LogicalType& from, const LogicalType& to, CanCast can_cast) {
  return SameShape(from, to) &&
         std::equal(from.children.begin(), from.children.end(), to.children.begin(),
                    [&](const RowField& a, const RowField& b) { return can_cast(a.type, b.type); });
}

/// Flink's DecimalType of more than 38 digits: the integer digits are kept, and of the scale at least six.
LogicalType AdjustedDecimal(int32_t precision, int32_t scale) {
  constexpr int32_t kMax = LogicalType::kMaxDecimalPrecision;
  if (precision <= kMax) return DecimalType(precision, scale);
  const int32_t integer_digits = precision - scale;
  const int32_t least_scale = std::min(scale, kMinDivisionScale);
  return DecimalType(kMax, std::max(kMax - integer_digits, least_scale));
}

LogicalType CommonDecimal(const LogicalType& left, const LogicalType& right) {
  constexpr int32_t kMax = LogicalType::kMaxDecimalPrecision;
  const int32_t integer_digits = std::max(left.precision - left.scale, right.precision - right.scale);
  const int32_t scale = std::min(std::max(left.scale, right.scale), kMax - integer_digits);
  return DecimalType(integer_digits + scale, scale);
}

LogicalType CommonNumeric(const LogicalType& left, const LogicalType& right) {
  if (left.IsApproximateNumeric() || right.IsApproximateNumeric()) {
    const bool as_double = left.Is(TypeRoot::kDouble) || right.Is(TypeRoot::kDouble) || left.Is(TypeRoot::kDecimal) ||
                           right.Is(TypeRoot::kDecimal);
    return as_double ? DoubleType() : FloatType();
  }
  if (left.Is(TypeRoot::kDecimal) || right.Is(TypeRoot::kDecimal)) {
    return CommonDecimal(AsDecimal(left), AsDecimal(right));
  }
  return left.root >= right.root ? left : right;
}

LogicalType CommonString(const LogicalType& left, const LogicalType& right, TypeRoot fixed, TypeRoot varying) {
  const bool stays_fixed = left.Is(fixed) && right.Is(fixed) && left.precision == right.precision;
  LogicalType type = left;
  type.root = stays_fixed ? fixed : varying;
  type.precision = std::max(left.precision, right.precision);
  return type;
}

std::optional<LogicalType> CommonDatetime(const LogicalType& left, const LogicalType& right) {
  if (left.root == right.root) return left.precision >= right.precision ? left : right;
  const auto has = [&](TypeRoot root) { return left.Is(root) || right.Is(root); };
  if (has(TypeRoot::kTime) || has(TypeRoot::kTimestampTz)) return std::nullopt;
  const int32_t precision = std::max(left.precision, right.precision);
  return has(TypeRoot::kTimestampLtz) ? TimestampLtzType(precision) : TimestampType(precision);
}

LogicalType CommonInterval(const LogicalType& left, const LogicalType& right) {
  LogicalType type = left;
  type.interval_start = std::min(left.interval_start, right.interval_start);
  type.interval_end = std::max(left.interval_end, right.interval_end);
  type.precision = std::max(left.precision, right.precision);
  type.scale = std::max(left.scale, right.scale);
  return type;
}

std::optional<LogicalType> CommonConstructed(const LogicalType& left, const LogicalType& right) {
  if (!SameShape(left, right)) return std::nullopt;
  LogicalType type = left;
  for (size_t i = 0; i < type.children.size(); ++i) {
    std::optional<LogicalType> child = CommonType(left.children[i].type, right.children[i].type);
    if (!child) return std::nullopt;
    type.children[i].type = *std::move(child);
  }
  return type;
}

std::optional<LogicalType> CommonIgnoringNulls(const LogicalType& left, const LogicalType& right) {
  if (left.Is(TypeRoot::kNull)) return right;
  if (right.Is(TypeRoot::kNull)) return left;
  if (left.IsNumeric() && right.IsNumeric()) return CommonNumeric(left, right);
  if (left.IsCharacter() && right.IsCharacter()) {
    return CommonString(left, right, TypeRoot::kChar, TypeRoot::kVarChar);
  }
  if (left.IsBinary() && right.IsBinary()) return CommonString(left, right, TypeRoot::kBinary, TypeRoot::kVarBinary);
  if (left.IsDatetime() && right.IsDatetime()) return CommonDatetime(left, right);
  if (left.IsInterval() && left.root == right.root) return CommonInterval(left, right);
  if (left.IsNested()) return CommonConstructed(left, right);
  if (left.root == right.root) return left;
  return std::nullopt;
}

bool CanImplicitlyCastRoot(const LogicalType& from, TypeRoot to) {
  switch (to) {
    case TypeRoot::kVarChar: return from.IsCharacter();
    case TypeRoot::kVarBinary: return from.IsBinary();
    case TypeRoot::kDecimal:
    case TypeRoot::kDouble: return from.IsNumeric();
    case TypeRoot::kSmallInt:
    case TypeRoot::kInteger:
    case TypeRoot::kBigInt: return from.IsInteger() && from.root <= to;
    case TypeRoot::kFloat: return from.IsExactNumeric() || from.Is(TypeRoot::kFloat);
    case TypeRoot::kDate: return from.Is(TypeRoot::kDate) || from.Is(TypeRoot::kTimestamp);
    case TypeRoot::kTime: return from.Is(TypeRoot::kTime) || from.Is(TypeRoot::kTimestamp);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: return from.Is(TypeRoot::kTimestamp) || from.Is(TypeRoot::kTimestampLtz);
    default: return from.root == to;
  }
}

bool IsSingleField(const LogicalType& interval) { return interval.interval_start == interval.interval_end; }

bool CanExplicitlyCastRoot(const LogicalType& from, const LogicalType& to) {
  const bool from_count = from.IsInterval() && IsSingleField(from);
  switch (to.root) {
    case TypeRoot::kChar:
    case TypeRoot::kVarChar: return true;
    case TypeRoot::kBoolean: return from.IsCharacter() || from.IsInteger();
    case TypeRoot::kBinary:
    case TypeRoot::kVarBinary: return from.IsCharacter() || from.IsBinary();
    case TypeRoot::kTinyInt:
    case TypeRoot::kSmallInt:
    case TypeRoot::kInteger:
    case TypeRoot::kBigInt:
    case TypeRoot::kDecimal: return from.IsNumeric() || from.IsCharacter() || from.Is(TypeRoot::kBoolean) || from_count;
    case TypeRoot::kFloat:
    case TypeRoot::kDouble: return from.IsNumeric() || from.IsCharacter() || from.Is(TypeRoot::kBoolean);
    case TypeRoot::kDate:
    case TypeRoot::kTime: return from.IsCharacter() || from.IsTimestamp();
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: return from.IsCharacter() || from.IsDatetime();
    case TypeRoot::kIntervalYearMonth:
    case TypeRoot::kIntervalDayTime: return from.IsCharacter() || (from.IsExactNumeric() && IsSingleField(to));
    default: return false;
  }
}

}  // namespace

bool CanImplicitlyCast(const LogicalType& from, const LogicalType& to) {
  if (from.Is(TypeRoot::kNull)) return true;
  if (to.IsNested()) return ChildrenCast(from, to, CanImplicitlyCast);
  return CanImplicitlyCastRoot(from, to.root);
}

bool CanExplicitlyCast(const LogicalType& from, const LogicalType& to) {
  if (CanImplicitlyCast(from, to)) return true;
  if (to.IsNested()) return ChildrenCast(from, to, CanExplicitlyCast);
  return CanExplicitlyCastRoot(from, to);
}

std::optional<LogicalType> CommonType(const LogicalType& left, const LogicalType& right) {
  std::optional<LogicalType> type = CommonIgnoringNulls(left, right);
  if (type) type->nullable = left.nullable || right.nullable;
  return type;
}

std::optional<LogicalType> CommonType(const std::vector<LogicalType>& types) {
  if (types.empty()) return std::nullopt;
  std::optional<LogicalType> common = types.front();
  for (size_t i = 1; common && i < types.size(); ++i) common = CommonType(*common, types[i]);
  return common;
}

LogicalType AsDecimal(const LogicalType& type) {
  switch (type.root) {
    case TypeRoot::kTinyInt: return DecimalType(3, 0).WithNullable(type.nullable);
    case TypeRoot::kSmallInt: return DecimalType(5, 0).WithNullable(type.nullable);
    case TypeRoot::kInteger: return DecimalType(10, 0).WithNullable(type.nullable);
    case TypeRoot::kBigInt: return DecimalType(19, 0).WithNullable(type.nullable);
    case TypeRoot::kDecimal: return type;
    default: throw Internal("{} is no exact number", type.ToString());
  }
}

LogicalType DecimalArithmeticType(ArithmeticOp op, const LogicalType& left, const LogicalType& right) {
  const LogicalType a = AsDecimal(left);
  const LogicalType b = AsDecimal(right);
  const int32_t a_digits = a.precision - a.scale;
  const int32_t b_digits = b.precision - b.scale;
  const int32_t larger_scale = std::max(a.scale, b.scale);
  const auto result = [&]() -> LogicalType {
    switch (op) {
      case ArithmeticOp::kAdd:
      case ArithmeticOp::kSubtract:
        return AdjustedDecimal(std::max(a_digits, b_digits) + larger_scale + 1, larger_scale);
      case ArithmeticOp::kMultiply: return AdjustedDecimal(a.precision + b.precision + 1, a.scale + b.scale);
      case ArithmeticOp::kDivide: {
        const int32_t scale = std::max(kMinDivisionScale, a.scale + b.precision + 1);
        return AdjustedDecimal(a_digits + b.scale + scale, scale);
      }
      case ArithmeticOp::kModulo:
        return AdjustedDecimal(std::max(std::min(a_digits, b_digits) + larger_scale, 1), larger_scale);
    }
    throw Internal("no such operation");
  };
  return result().WithNullable(left.nullable || right.nullable);
}

std::optional<LogicalType> NumericArithmeticType(ArithmeticOp op, const LogicalType& left, const LogicalType& right) {
  if (!left.IsNumeric() || !right.IsNumeric()) return std::nullopt;
  const bool nullable = left.nullable || right.nullable;
  const bool approximate = left.IsApproximateNumeric() || right.IsApproximateNumeric();
  if (!approximate && (left.Is(TypeRoot::kDecimal) || right.Is(TypeRoot::kDecimal))) {
    return DecimalArithmeticType(op, left, right);
  }
  // The rest of a division has the type of the divisor (Calcite's MOD).
  if (op == ArithmeticOp::kModulo && !approximate) return right.WithNullable(nullable);
  return CommonNumeric(left, right).WithNullable(nullable);
}

LogicalType SumType(const LogicalType& argument) {
  if (!argument.Is(TypeRoot::kDecimal)) return argument.WithNullable(true);
  return DecimalType(LogicalType::kMaxDecimalPrecision, argument.scale);
}

LogicalType AvgType(const LogicalType& argument) {
  if (!argument.Is(TypeRoot::kDecimal)) return argument.WithNullable(true);
  return DecimalType(LogicalType::kMaxDecimalPrecision, std::max(kMinDivisionScale, argument.scale));
}

}  // namespace frazil::sql
