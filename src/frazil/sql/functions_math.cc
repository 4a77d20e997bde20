// SPDX-License-Identifier: Apache-2.0
// Numeric functions.
#include <cmath>
#include <random>

#include <arrow/compute/api_scalar.h>

#include "frazil/sql/columns.h"
#include "frazil/sql/decimal_text.h"
#include "frazil/sql/function_table.h"

namespace frazil::sql {

namespace {

using arrow::Datum;
using Doubles = View<arrow::DoubleArray>;
using Decimals = View<arrow::Decimal128Array>;

bool IsNumberOrNull(const LogicalType& type) { return type.IsNumeric() || type.Is(TypeRoot::kNull); }

void AddDouble(FunctionTable& table, const std::string& name, double (*function)(double)) {
  table.Add(name, name + "(number)", [function](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (arguments.size() != 1 || !IsNumberOrNull(arguments[0])) return std::nullopt;
    return ResolvedFunction{DoubleType().WithNullable(AnyNullable(arguments)),
                            {DoubleType()},
                            [function](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
                              return MapRows<arrow::DoubleBuilder>(arrow::float64(), rows, function, Doubles(a[0]));
                            }};
  });
}

void AddDouble2(FunctionTable& table, const std::string& name, double (*function)(double, double)) {
  table.Add(name, name + "(number, number)", [function](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (arguments.size() != 2 || !IsNumberOrNull(arguments[0]) || !IsNumberOrNull(arguments[1])) return std::nullopt;
    return ResolvedFunction{DoubleType().WithNullable(AnyNullable(arguments)),
                            {DoubleType(), DoubleType()},
                            [function](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
                              return MapRows<arrow::DoubleBuilder>(arrow::float64(), rows, function, Doubles(a[0]),
                                                                   Doubles(a[1]));
                            }};
  });
}

enum class Rounding { kFloor, kCeil, kHalfUp, kTruncate };

/// `value` at `scale` brought to `to_scale` digits (which may be negative), still at max(to_scale, 0).
__int128 RoundDecimal(__int128 value, int scale, int to_scale, Rounding rounding) {
  if (to_scale >= scale) return value * PowerOfTen(to_scale - scale);
  int drop = scale - to_scale;
  if (drop > 38) return 0;
  __int128 unit = PowerOfTen(drop);
  __int128 quotient = value / unit;
  __int128 rest = value % unit;
  if (rest < 0 && rounding == Rounding::kFloor) --quotient;
  if (rest > 0 && rounding == Rounding::kCeil) ++quotient;
  if (rounding == Rounding::kHalfUp) {
    __int128 magnitude = rest < 0 ? -rest : rest;
    if (magnitude >= unit - magnitude) quotient += value < 0 ? -1 : 1;
  }
  return to_scale < 0 ? quotient * PowerOfTen(-to_scale) : quotient;
}

/// FLOOR and CEIL of numbers; of timestamps they are in functions_time.cc, which comes here for the rest.
std::optional<ResolvedFunction> ResolveFloorCeil(std::span<const LogicalType> arguments, bool floor) {
  if (arguments.size() != 1 || !arguments[0].IsNumeric()) return std::nullopt;
  const LogicalType& type = arguments[0];
  if (type.IsInteger())
    return ResolvedFunction{type, {type}, [](std::span<const Datum> a, int64_t, const EvalContext&) { return a[0]; }};
  if (type.Is(TypeRoot::kDecimal)) {
    LogicalType result = DecimalType(type.precision, 0).WithNullable(type.nullable);
    int scale = type.scale;
    return ResolvedFunction{
        result,
        {type},
        [=, arrow_type = ToArrow(result)](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
          return MapRows<arrow::Decimal128Builder>(
              arrow_type, rows,
              [=](__int128 v) { return RoundDecimal(v, scale, 0, floor ? Rounding::kFloor : Rounding::kCeil); },
              Decimals(a[0]));
        }};
  }
  return ResolvedFunction{type, {type}, ArrowKernel(floor ? "floor" : "ceil", ToArrow(type))};
}

/// ROUND and TRUNCATE; the number of digits must be a value for each row or a constant, the type keeps its scale.
void AddRounding(FunctionTable& table, const std::string& name, Rounding rounding) {
  table.Add(name, name + "(number [, INT])", [rounding](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (arguments.empty() || arguments.size() > 2 || !arguments[0].IsNumeric()) return std::nullopt;
    if (arguments.size() == 2 && !IsIntegerOrNull(arguments[1])) return std::nullopt;
    LogicalType type = arguments[0].WithNullable(AnyNullable(arguments));
    std::vector<LogicalType> wanted = {type};
    if (arguments.size() == 2) wanted.push_back(IntType());
    auto digits_of = [](std::span<const Datum> a) {
      return View<arrow::Int32Array>(a.size() == 2 ? a[1] : Datum(std::make_shared<arrow::Int32Scalar>(0)));
    };
    if (type.Is(TypeRoot::kDecimal)) {
      int scale = type.scale;
      // One more digit before the point: 9.9 rounds to 10.
      LogicalType result = arguments.size() == 1 ? DecimalType(std::min(type.precision - scale + 1, 38), 0) : type;
      result.nullable = type.nullable;
      if (arguments.size() == 2) result.precision = std::min(type.precision + 1, 38);
      int result_scale = result.scale;
      return ResolvedFunction{
          result, wanted,
          [=, arrow_type = ToArrow(result)](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
            return MapRows<arrow::Decimal128Builder>(
                arrow_type, rows,
                [=](__int128 v, int32_t digits) {
                  int kept = std::min<int>(digits, result_scale);
                  return RoundDecimal(v, scale, kept, rounding) * PowerOfTen(result_scale - std::max(kept, 0));
                },
                Decimals(a[0]), digits_of(a));
          }};
    }
    if (type.IsInteger()) {
      wanted[0] = BigIntType();
      Kernel kernel = [=](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
        return MapRows<arrow::Int64Builder>(
            arrow::int64(), rows,
            [=](int64_t v, int32_t digits) {
              return digits >= 0 ? v : static_cast<int64_t>(RoundDecimal(v, 0, digits, rounding));
            },
            View<arrow::Int64Array>(a[0]), digits_of(a));
      };
      return ResolvedFunction{BigIntType().WithNullable(type.nullable), wanted, kernel};
    }
    wanted[0] = DoubleType();
    Kernel kernel = [=](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
      return MapRows<arrow::DoubleBuilder>(
          arrow::float64(), rows,
          [=](double v, int32_t digits) {
            double factor = std::pow(10.0, digits);
            double scaled = v * factor;
            if (!std::isfinite(scaled)) return v;
            return (rounding == Rounding::kHalfUp ? std::round(scaled) : std::trunc(scaled)) / factor;
          },
          Doubles(a[0]), digits_of(a));
    };
    return ResolvedFunction{DoubleType().WithNullable(type.nullable), wanted, kernel};
  });
}

void AddConstants(FunctionTable& table) {
  auto constant = [&](const std::string& name, double value) {
    table.Add(name, name + "()", [value](auto arguments, auto) -> std::optional<ResolvedFunction> {
      if (!arguments.empty()) return std::nullopt;
      return ResolvedFunction{
          DoubleType().NotNull(), {}, [value](std::span<const Datum>, int64_t, const EvalContext&) -> Datum {
            return Datum(std::make_shared<arrow::DoubleScalar>(value));
          }};
    });
  };
  constant("PI", M_PI);
  constant("E", M_E);
  table.Add("RAND", "RAND()", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (!arguments.empty()) return std::nullopt;
    return ResolvedFunction{DoubleType().NotNull(),
                            {},
                            [](std::span<const Datum>, int64_t rows, const EvalContext&) -> Datum {
                              thread_local std::mt19937_64 engine{std::random_device{}()};
                              std::uniform_real_distribution<double> uniform(0, 1);
                              arrow::DoubleBuilder builder;
                              Check(builder.Reserve(rows), "RAND");
                              for (int64_t row = 0; row < rows; ++row) builder.UnsafeAppend(uniform(engine));
                              return Unwrap(builder.Finish(), "RAND");
                            },
                            false};
  });
}

}  // namespace

void AddMathFunctions(FunctionTable& table) {
  table.Add("ABS", "ABS(number)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (arguments.size() != 1 || !arguments[0].IsNumeric()) return std::nullopt;
    return ResolvedFunction{arguments[0], {arguments[0]}, ArrowKernel("abs", ToArrow(arguments[0]))};
  });
  table.Add("SIGN", "SIGN(number)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (arguments.size() != 1 || !arguments[0].IsNumeric()) return std::nullopt;
    return ResolvedFunction{arguments[0], {arguments[0]}, ArrowKernel("sign", ToArrow(arguments[0]))};
  });
  table.Add("MOD", "MOD(number, number)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (arguments.size() != 2 || !arguments[0].IsNumeric() || !arguments[1].IsNumeric()) return std::nullopt;
    return ResolveBinary(BinaryOperator::kModulo, arguments[0], arguments[1], {});
  });
  table.Add("FLOOR", "FLOOR(number), FLOOR(timestamp TO unit)",
            [](auto arguments, auto symbols) -> std::optional<ResolvedFunction> {
              if (!symbols.empty()) return std::nullopt;
              return ResolveFloorCeil(arguments, true);
            });
  table.Add("CEIL", "CEIL(number), CEIL(timestamp TO unit)",
            [](auto arguments, auto symbols) -> std::optional<ResolvedFunction> {
              if (!symbols.empty()) return std::nullopt;
              return ResolveFloorCeil(arguments, false);
            });
  AddRounding(table, "ROUND", Rounding::kHalfUp);
  AddRounding(table, "TRUNCATE", Rounding::kTruncate);
  AddDouble(table, "SQRT", [](double v) { return std::sqrt(v); });
  AddDouble(table, "EXP", [](double v) { return std::exp(v); });
  AddDouble(table, "LN", [](double v) { return std::log(v); });
  AddDouble(table, "LOG10", [](double v) { return std::log10(v); });
  AddDouble(table, "LOG2", [](double v) { return std::log2(v); });
  AddDouble(table, "SIN", [](double v) { return std::sin(v); });
  AddDouble(table, "COS", [](double v) { return std::cos(v); });
  AddDouble(table, "TAN", [](double v) { return std::tan(v); });
  AddDouble(table, "ASIN", [](double v) { return std::asin(v); });
  AddDouble(table, "ACOS", [](double v) { return std::acos(v); });
  AddDouble(table, "ATAN", [](double v) { return std::atan(v); });
  AddDouble(table, "DEGREES", [](double v) { return v * 180 / M_PI; });
  AddDouble(table, "RADIANS", [](double v) { return v * M_PI / 180; });
  AddDouble2(table, "POWER", [](double a, double b) { return std::pow(a, b); });
  AddDouble2(table, "ATAN2", [](double a, double b) { return std::atan2(a, b); });
  AddConstants(table);
}

}  // namespace frazil::sql
