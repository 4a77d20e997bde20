// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/functions.h"

#include <arrow/compute/api_scalar.h>
#include <arrow/compute/cast.h>
#include <arrow/util/decimal.h>

#include "frazil/base/arrow_compute.h"
#include "frazil/base/suggest.h"
#include "frazil/sql/columns.h"
#include "frazil/sql/datetime.h"
#include "frazil/sql/decimal_text.h"
#include "frazil/sql/function_table.h"

namespace frazil::sql {

namespace {

using arrow::Datum;

std::string Upper(std::string_view name) {
  std::string upper;
  for (char c : name) upper.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  return upper;
}

const FunctionTable& Table() {
  static const FunctionTable table = [] {
    FunctionTable t;
    AddTextFunctions(t);
    AddMathFunctions(t);
    AddTimeFunctions(t);
    AddConditionalFunctions(t);
    AddNestedFunctions(t);
    return t;
  }();
  return table;
}

std::string TypeList(std::span<const LogicalType> types) {
  std::string out;
  for (const LogicalType& type : types)
    out += fmt::format("{}{}", out.empty() ? "" : ", ", type.ToStringWithoutNullability());
  return out;
}

// ---- Arithmetic

ResolvedFunction ArrowBinary(const char* function, const LogicalType& result, bool can_fail) {
  return {result, {result, result}, ArrowKernel(function, ToArrow(result)), true, can_fail};
}

/// Integer division and remainder: Java's, with an error for a zero divisor that says so.
template <typename ArrowType>
Kernel IntegerDivision(bool remainder) {
  using ArrayType = typename arrow::TypeTraits<ArrowType>::ArrayType;
  using Builder = typename arrow::TypeTraits<ArrowType>::BuilderType;
  return [remainder](std::span<const Datum> arguments, int64_t rows, const EvalContext&) -> Datum {
    using T = typename ArrowType::c_type;
    return MapRows<Builder>(
        arrow::TypeTraits<ArrowType>::type_singleton(), rows,
        [remainder](T a, T b) -> T {
          if (b == 0) throw InvalidArgument("division by zero");
          if (b == static_cast<T>(-1))
            return remainder ? T{0} : static_cast<T>(-static_cast<std::make_unsigned_t<T>>(a));
          return static_cast<T>(remainder ? a % b : a / b);
        },
        View<ArrayType>(arguments[0]), View<ArrayType>(arguments[1]));
  };
}

Kernel IntegerDivisionKernel(TypeRoot root, bool remainder) {
  switch (root) {
    case TypeRoot::kTinyInt: return IntegerDivision<arrow::Int8Type>(remainder);
    case TypeRoot::kSmallInt: return IntegerDivision<arrow::Int16Type>(remainder);
    case TypeRoot::kInteger: return IntegerDivision<arrow::Int32Type>(remainder);
    default: return IntegerDivision<arrow::Int64Type>(remainder);
  }
}

arrow::Decimal256 Wide(__int128 value) {
  return arrow::Decimal256(
      arrow::BasicDecimal256(arrow::BasicDecimal128(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value))));
}

/// HALF_UP quotient.
arrow::BasicDecimal256 DivideRounded(const arrow::BasicDecimal256& numerator, const arrow::BasicDecimal256& divisor) {
  arrow::BasicDecimal256 quotient;
  arrow::BasicDecimal256 rest;
  numerator.Divide(divisor, &quotient, &rest);
  arrow::BasicDecimal256 twice = rest + rest;
  if (arrow::BasicDecimal256::Abs(twice) >= arrow::BasicDecimal256::Abs(divisor)) {
    quotient += (numerator.Sign() < 0) == (divisor.Sign() < 0) ? 1 : -1;
  }
  return quotient;
}

/// One decimal operation in 256 bits, rounded HALF_UP to the result's scale; null where the result doesn't fit (Flink).
Kernel DecimalKernel(ArithmeticOp op, const LogicalType& left, const LogicalType& right, const LogicalType& result) {
  int ls = left.scale;
  int rs = right.scale;
  int scale = result.scale;
  int precision = result.precision;
  auto type = ToArrow(result);
  auto compute = [=](__int128 a, __int128 b) -> std::optional<__int128> {
    arrow::BasicDecimal256 x = Wide(a);
    arrow::BasicDecimal256 y = Wide(b);
    arrow::BasicDecimal256 value;
    int value_scale = std::max(ls, rs);
    if ((op == ArithmeticOp::kDivide || op == ArithmeticOp::kModulo) && b == 0)
      throw InvalidArgument("division by zero");
    switch (op) {
      case ArithmeticOp::kMultiply:
        value = x * y;
        value_scale = ls + rs;
        break;
      case ArithmeticOp::kDivide: {
        int shift = scale - ls + rs;
        value = shift >= 0 ? DivideRounded(x.IncreaseScaleBy(shift), y) : DivideRounded(x, y.IncreaseScaleBy(-shift));
        value_scale = scale;
        break;
      }
      default: {
        x = x.IncreaseScaleBy(value_scale - ls);
        y = y.IncreaseScaleBy(value_scale - rs);
        if (op == ArithmeticOp::kAdd) value = x + y;
        if (op == ArithmeticOp::kSubtract) value = x + (-y);
        if (op == ArithmeticOp::kModulo) {
          arrow::BasicDecimal256 quotient;
          x.Divide(y, &quotient, &value);
        }
      }
    }
    if (scale > value_scale) value = value.IncreaseScaleBy(scale - value_scale);
    if (scale < value_scale) value = value.ReduceScaleBy(value_scale - scale, true);
    if (!value.FitsInPrecision(precision)) return std::nullopt;
    const auto& words = value.little_endian_array();
    return static_cast<__int128>(static_cast<unsigned __int128>(words[1]) << 64 | words[0]);
  };
  return [=](std::span<const Datum> arguments, int64_t rows, const EvalContext&) -> Datum {
    return MapRows<arrow::Decimal128Builder>(type, rows, compute, View<arrow::Decimal128Array>(arguments[0]),
                                             View<arrow::Decimal128Array>(arguments[1]));
  };
}

std::optional<ArithmeticOp> ToArithmetic(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kAdd: return ArithmeticOp::kAdd;
    case BinaryOperator::kSubtract: return ArithmeticOp::kSubtract;
    case BinaryOperator::kMultiply: return ArithmeticOp::kMultiply;
    case BinaryOperator::kDivide: return ArithmeticOp::kDivide;
    case BinaryOperator::kModulo: return ArithmeticOp::kModulo;
    default: return std::nullopt;
  }
}

ResolvedFunction ResolveNumeric(ArithmeticOp op, const LogicalType& left, const LogicalType& right,
                                const LogicalType& result) {
  if (result.Is(TypeRoot::kDecimal)) {
    LogicalType l = AsDecimal(left);
    LogicalType r = AsDecimal(right);
    bool divides = op == ArithmeticOp::kDivide || op == ArithmeticOp::kModulo;
    // Overflow gives null, so the result may be null whatever the operands are.
    return {result.WithNullable(true), {l, r}, DecimalKernel(op, l, r, result), true, divides};
  }
  switch (op) {
    case ArithmeticOp::kAdd: return ArrowBinary("add", result, false);
    case ArithmeticOp::kSubtract: return ArrowBinary("subtract", result, false);
    case ArithmeticOp::kMultiply: return ArrowBinary("multiply", result, false);
    case ArithmeticOp::kDivide:
      if (result.IsApproximateNumeric()) return ArrowBinary("divide", result, false);
      return {result, {result, result}, IntegerDivisionKernel(result.root, false), true, true};
    case ArithmeticOp::kModulo:
      if (result.IsApproximateNumeric()) return ArrowBinary("remainder", result, false);
      return {result, {result, result}, IntegerDivisionKernel(result.root, true), true, true};
  }
  throw Internal("arithmetic operator");
}

/// `ticks` of a timestamp moved by calendar months; the day is cut to the month's length.
int64_t AddMonths(int64_t ticks, int64_t per_day, int64_t months) {
  int64_t days = FloorDiv(ticks, per_day);
  CivilDate date = CivilFromDays(days);
  int64_t month = date.year * 12 + date.month - 1 + months;
  int64_t year = FloorDiv(month, 12);
  auto month_of_year = static_cast<int32_t>(FloorMod(month, 12)) + 1;
  int32_t day = std::min(date.day, DaysInMonth(year, month_of_year));
  return DaysFromCivil(year, month_of_year, day) * per_day + (ticks - days * per_day);
}

/// Values of `per_day` ticks a day moved by months, or by milliseconds times numerator / denominator ticks.
template <typename ArrowType>
Kernel IntervalShift(std::shared_ptr<arrow::DataType> type, bool months, int sign, int64_t per_day, int64_t numerator,
                     int64_t denominator) {
  using ArrayType = typename arrow::TypeTraits<ArrowType>::ArrayType;
  using Builder = typename arrow::TypeTraits<ArrowType>::BuilderType;
  using T = typename ArrowType::c_type;
  return [=](std::span<const Datum> arguments, int64_t rows, const EvalContext&) -> Datum {
    View<ArrayType> base(arguments[0]);
    if (months) {
      auto move = [=](T value, int32_t amount) {
        return static_cast<T>(AddMonths(value, per_day, int64_t{amount} * sign));
      };
      return MapRows<Builder>(type, rows, move, base, View<arrow::MonthIntervalArray>(arguments[1]));
    }
    auto move = [=](T value, int64_t millis) {
      return static_cast<T>(value + sign * FloorDiv(millis * numerator, denominator));
    };
    return MapRows<Builder>(type, rows, move, base, View<arrow::DurationArray>(arguments[1]));
  };
}

/// TIMESTAMP, TIMESTAMP_LTZ or DATE moved by an interval; `sign` −1 subtracts.
std::optional<ResolvedFunction> ResolveIntervalShift(const LogicalType& base, const LogicalType& interval, int sign) {
  if (!base.IsTimestamp() && !base.Is(TypeRoot::kDate)) return std::nullopt;
  bool months = interval.Is(TypeRoot::kIntervalYearMonth);
  LogicalType result = base.WithNullable(base.nullable || interval.nullable);
  if (!months && base.IsTimestamp()) result.precision = std::max(result.precision, 3);
  auto type = ToArrow(result);
  Kernel kernel;
  if (base.Is(TypeRoot::kDate)) {
    kernel = IntervalShift<arrow::Date32Type>(type, months, sign, 1, 1, 86'400'000);
  } else {
    int64_t per_second = TicksPerSecond(static_cast<const arrow::TimestampType&>(*type).unit());
    kernel =
        IntervalShift<arrow::TimestampType>(type, months, sign, per_second * 86'400,
                                            std::max<int64_t>(per_second / 1'000, 1), per_second >= 1'000 ? 1 : 1'000);
  }
  return ResolvedFunction{result, {result, interval}, std::move(kernel), true, false};
}

// ---- Comparison

const char* ComparisonFunction(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kEqual: return "equal";
    case BinaryOperator::kNotEqual: return "not_equal";
    case BinaryOperator::kLess: return "less";
    case BinaryOperator::kLessOrEqual: return "less_equal";
    case BinaryOperator::kGreater: return "greater";
    case BinaryOperator::kGreaterOrEqual: return "greater_equal";
    default: return nullptr;
  }
}

/// What both sides of a comparison become. A text next to a date or timestamp is taken as one.
std::optional<LogicalType> ComparisonType(const LogicalType& left, const LogicalType& right) {
  if (std::optional<LogicalType> common = CommonType(left, right)) return common;
  if (left.IsDatetime() && right.IsCharacter()) return left;
  if (left.IsCharacter() && right.IsDatetime()) return right;
  return std::nullopt;
}

/// IS NOT DISTINCT FROM: null equals null.
Kernel NotDistinctKernel(bool negated) {
  return [negated](std::span<const Datum> arguments, int64_t rows, const EvalContext&) -> Datum {
    auto call = [](const char* name, std::vector<Datum> values) {
      return Unwrap(arrow::compute::CallFunction(name, values), name);
    };
    Datum equal = call("equal", {arguments[0], arguments[1]});
    Datum left_null = call("is_null", {arguments[0]});
    Datum right_null = call("is_null", {arguments[1]});
    Datum both_null = call("and", {left_null, right_null});
    Datum neither_null = call("invert", {call("or", {left_null, right_null})});
    Datum same = call("or_kleene", {both_null, call("and_kleene", {neither_null, equal})});
    return negated ? call("invert", {same}) : same;
  };
}

}  // namespace

void FunctionTable::Add(std::string name, std::string signature, FunctionResolver resolver) {
  entries_[std::move(name)] = {std::move(signature), std::move(resolver)};
}

void FunctionTable::Alias(std::string name, const std::string& existing) {
  Entry entry = entries_.at(existing);
  entry.signature.replace(0, existing.size(), name);
  entries_[std::move(name)] = std::move(entry);
}

Kernel ArrowKernel(std::string function, std::shared_ptr<arrow::DataType> result,
                   std::shared_ptr<arrow::compute::FunctionOptions> options) {
  return [function = std::move(function), result = std::move(result), options = std::move(options)](
             std::span<const Datum> arguments, int64_t, const EvalContext&) -> Datum {
    InitializeArrowCompute();
    std::vector<Datum> values(arguments.begin(), arguments.end());
    Datum value = Unwrap(arrow::compute::CallFunction(function, values, options.get()), function);
    if (!value.type()->Equals(*result)) {
      value = Unwrap(arrow::compute::Cast(value, result, arrow::compute::CastOptions::Unsafe()), function);
    }
    return value;
  };
}

ResolvedFunction ResolveFunction(std::string_view name, std::span<const LogicalType> arguments,
                                 std::span<const std::string> symbols, const SourceSpan& span) {
  std::string upper = Upper(name);
  const auto& entries = Table().entries();
  auto it = entries.find(upper);
  if (it == entries.end()) {
    throw InvalidSql(span, "unknown function {}{}", upper, DidYouMean(upper, ScalarFunctionNames()));
  }
  if (std::optional<ResolvedFunction> resolved = it->second.resolver(arguments, symbols)) return *resolved;
  throw InvalidSql(span, "{}({}) doesn't exist; supported: {}", upper, TypeList(arguments), it->second.signature);
}

ResolvedFunction ResolveBinary(BinaryOperator op, const LogicalType& left, const LogicalType& right,
                               const SourceSpan& span) {
  auto refuse = [&] {
    return InvalidSql(span, "operator {} can't be applied to {} and {}; add a CAST", ToString(op),
                      left.ToStringWithoutNullability(), right.ToStringWithoutNullability());
  };
  if (op == BinaryOperator::kConcat) {
    if (!AllCharacter(std::vector{left, right})) throw refuse();
    std::vector<LogicalType> types = {left, right};
    return ResolveFunction("||", types, {}, span);
  }
  LogicalType boolean = BooleanType().WithNullable(left.nullable || right.nullable);
  if (op == BinaryOperator::kIsDistinctFrom || op == BinaryOperator::kIsNotDistinctFrom) {
    std::optional<LogicalType> common = ComparisonType(left, right);
    if (!common.has_value() || common->IsNested()) throw refuse();
    if (common->Is(TypeRoot::kNull)) *common = IntType();
    return {BooleanType().NotNull(), {*common, *common}, NotDistinctKernel(op == BinaryOperator::kIsDistinctFrom)};
  }
  if (const char* comparison = ComparisonFunction(op)) {
    std::optional<LogicalType> common = ComparisonType(left, right);
    if (!common.has_value() || common->IsNested()) throw refuse();
    bool ordered = op != BinaryOperator::kEqual && op != BinaryOperator::kNotEqual;
    if (ordered && common->Is(TypeRoot::kBoolean)) throw refuse();
    if (common->Is(TypeRoot::kNull)) *common = IntType();
    return {boolean, {*common, *common}, ArrowKernel(comparison, arrow::boolean())};
  }
  ArithmeticOp arithmetic = *ToArithmetic(op);
  bool additive = op == BinaryOperator::kAdd || op == BinaryOperator::kSubtract;
  if (additive && right.IsInterval()) {
    if (auto shifted = ResolveIntervalShift(left, right, op == BinaryOperator::kAdd ? 1 : -1)) return *shifted;
  }
  if (op == BinaryOperator::kAdd && left.IsInterval()) {
    if (auto shifted = ResolveIntervalShift(right, left, 1)) {
      Kernel inner = shifted->kernel;
      shifted->kernel = [inner](std::span<const Datum> a, int64_t rows, const EvalContext& context) {
        Datum swapped[] = {a[1], a[0]};
        return inner(swapped, rows, context);
      };
      std::swap(shifted->arguments[0], shifted->arguments[1]);
      return *shifted;
    }
  }
  // NULL takes the other side's type.
  LogicalType l = left.Is(TypeRoot::kNull) ? (right.Is(TypeRoot::kNull) ? IntType() : right.WithNullable(true)) : left;
  LogicalType r = right.Is(TypeRoot::kNull) ? l.WithNullable(true) : right;
  std::optional<LogicalType> result = NumericArithmeticType(arithmetic, l, r);
  if (!result.has_value()) throw refuse();
  return ResolveNumeric(arithmetic, l, r, *result);
}

ResolvedFunction ResolveUnary(UnaryOperator op, const LogicalType& operand, const SourceSpan& span) {
  if (op == UnaryOperator::kNot) {
    if (!operand.Is(TypeRoot::kBoolean) && !operand.Is(TypeRoot::kNull)) {
      throw InvalidSql(span, "NOT needs a BOOLEAN, not {}", operand.ToStringWithoutNullability());
    }
    LogicalType boolean = BooleanType().WithNullable(operand.nullable);
    return {boolean, {boolean}, ArrowKernel("invert", arrow::boolean())};
  }
  if (!operand.IsNumeric() && !(operand.IsInterval() && op == UnaryOperator::kMinus)) {
    throw InvalidSql(span, "{} needs a number, not {}", op == UnaryOperator::kMinus ? "-" : "+",
                     operand.ToStringWithoutNullability());
  }
  if (op == UnaryOperator::kPlus) {
    return {operand, {operand}, [](std::span<const Datum> a, int64_t, const EvalContext&) { return a[0]; }};
  }
  if (operand.Is(TypeRoot::kIntervalYearMonth)) {
    return {operand, {operand}, [](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
              return MapRows<arrow::MonthIntervalBuilder>(
                  arrow::month_interval(), rows, [](int32_t v) { return -v; }, View<arrow::MonthIntervalArray>(a[0]));
            }};
  }
  return {operand, {operand}, ArrowKernel("negate", ToArrow(operand))};
}

ResolvedFunction ResolveIsTest(IsTest::Kind kind, bool negated, const LogicalType& operand, const SourceSpan& span) {
  LogicalType boolean = BooleanType().NotNull();
  if (kind == IsTest::Kind::kNull) {
    return {boolean, {operand}, ArrowKernel(negated ? "is_valid" : "is_null", arrow::boolean())};
  }
  if (!operand.Is(TypeRoot::kBoolean) && !operand.Is(TypeRoot::kNull)) {
    throw InvalidSql(span, "IS TRUE, IS FALSE and IS UNKNOWN need a BOOLEAN, not {}",
                     operand.ToStringWithoutNullability());
  }
  auto kernel = [kind, negated](std::span<const Datum> arguments, int64_t rows, const EvalContext&) -> Datum {
    View<arrow::BooleanArray> values(arguments[0]);
    arrow::BooleanBuilder builder;
    Check(builder.Reserve(rows), "IS");
    for (int64_t row = 0; row < rows; ++row) {
      bool null = values.IsNull(row);
      bool holds = kind == IsTest::Kind::kUnknown ? null : !null && values[row] == (kind == IsTest::Kind::kTrue);
      builder.UnsafeAppend(holds != negated);
    }
    return Unwrap(builder.Finish(), "IS");
  };
  return {boolean, {BooleanType()}, kernel};
}

const std::vector<std::string>& ScalarFunctionNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, entry] : Table().entries()) {
      if (name != "||") all.push_back(name);
    }
    return all;
  }();
  return names;
}

bool IsScalarFunction(std::string_view name) { return Table().entries().contains(Upper(name)); }

}  // namespace frazil::sql
