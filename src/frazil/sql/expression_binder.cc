// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/expression_binder.h"

#include <charconv>

#include <arrow/array/concatenate.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/exec.h>
#include <arrow/util/decimal.h>

#include "frazil/base/arrow_compute.h"
#include "frazil/base/suggest.h"
#include "frazil/sql/columns.h"
#include "frazil/sql/datetime.h"
#include "frazil/sql/decimal_text.h"
#include "frazil/sql/evaluator.h"
#include "frazil/sql/functions.h"

namespace frazil::sql {

namespace {

using arrow::Datum;

std::string Upper(std::string_view name) {
  std::string upper;
  for (char c : name) upper.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  return upper;
}

BoundExpression MakeCall(std::string name, ResolvedFunction function, std::vector<BoundExpression> arguments,
                         const SourceSpan& span) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = MakeCast(std::move(arguments[i]), function.arguments[i]);
  }
  BoundExpression call;
  call.type = std::move(function.result);
  call.span = span;
  call.node = BoundExpression::Call{std::move(name), std::move(function.kernel), std::move(arguments),
                                    function.deterministic, function.can_fail};
  return call;
}

BoundExpression MakeNot(BoundExpression operand, const SourceSpan& span) {
  ResolvedFunction function = ResolveUnary(UnaryOperator::kNot, operand.type, span);
  std::vector<BoundExpression> arguments;
  arguments.push_back(std::move(operand));
  return MakeCall("NOT", std::move(function), std::move(arguments), span);
}

BoundExpression MakeJunction(bool is_and, std::vector<BoundExpression> operands, const SourceSpan& span) {
  BoundExpression junction;
  junction.span = span;
  bool nullable = false;
  for (BoundExpression& operand : operands) {
    nullable = nullable || operand.type.nullable;
    operand = MakeCast(std::move(operand), BooleanType());
  }
  junction.type = BooleanType().WithNullable(nullable);
  junction.node = BoundExpression::Junction{is_and, std::move(operands)};
  return junction;
}

BoundExpression MakeCase(std::vector<BoundExpression> conditions, std::vector<BoundExpression> results,
                         const SourceSpan& span) {
  std::vector<LogicalType> types;
  for (const BoundExpression& result : results) types.push_back(result.type);
  std::optional<LogicalType> common = CommonType(types);
  if (!common.has_value()) {
    std::string names;
    for (const LogicalType& type : types) names += (names.empty() ? "" : ", ") + type.ToStringWithoutNullability();
    throw InvalidSql(span, "the results of CASE or IF have no common type: {}", names);
  }
  for (BoundExpression& result : results) result = MakeCast(std::move(result), *common);
  BoundExpression node;
  node.type = *common;
  node.span = span;
  node.node = BoundExpression::Case{std::move(conditions), std::move(results)};
  return node;
}

BoundExpression NullLiteralAt(const SourceSpan& span) {
  return MakeLiteral(std::make_shared<arrow::NullScalar>(), NullType(), span);
}

BoundExpression ExactNumber(const std::string& text, bool negative, const SourceSpan& span) {
  std::string signed_text = (negative ? "-" : "") + text;
  size_t point = text.find('.');
  if (point == std::string::npos) {
    int64_t value = 0;
    auto [end, ec] = std::from_chars(signed_text.data(), signed_text.data() + signed_text.size(), value);
    if (ec == std::errc() && end == signed_text.data() + signed_text.size()) {
      bool is_int = value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
      if (is_int)
        return MakeLiteral(std::make_shared<arrow::Int32Scalar>(static_cast<int32_t>(value)), IntType().NotNull(),
                           span);
      return MakeLiteral(std::make_shared<arrow::Int64Scalar>(value), BigIntType().NotNull(), span);
    }
  }
  int scale = point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
  size_t first = text.find_first_not_of('0');
  size_t whole_end = point == std::string::npos ? text.size() : point;
  int whole = first == std::string::npos || first >= whole_end ? 0 : static_cast<int>(whole_end - first);
  int precision = std::max(whole + scale, 1);
  if (precision > LogicalType::kMaxDecimalPrecision) {
    throw InvalidSql(span, "number {} has more than {} digits", text, LogicalType::kMaxDecimalPrecision);
  }
  __int128 unscaled = 0;
  ParseDecimal(signed_text, precision, scale, unscaled);
  LogicalType type = DecimalType(precision, scale).NotNull();
  arrow::Decimal128 value(static_cast<int64_t>(unscaled >> 64), static_cast<uint64_t>(unscaled));
  return MakeLiteral(std::make_shared<arrow::Decimal128Scalar>(value, ToArrow(type)), type, span);
}

BoundExpression Temporal(const TemporalLiteral& literal, const SourceSpan& span) {
  auto fail = [&](std::string_view what) {
    return InvalidSql(literal.value_span, "'{}' is not a {}", literal.value, what);
  };
  auto fraction_digits = [&] {
    size_t point = literal.value.find('.');
    return point == std::string::npos ? 0 : static_cast<int>(literal.value.size() - point - 1);
  };
  switch (literal.kind) {
    case TemporalLiteral::Kind::kDate: {
      std::optional<int32_t> days = ParseDate(literal.value);
      if (!days.has_value()) throw fail("date: expected DATE 'yyyy-MM-dd'");
      return MakeLiteral(std::make_shared<arrow::Date32Scalar>(*days), DateType().NotNull(), span);
    }
    case TemporalLiteral::Kind::kTime: {
      std::optional<int64_t> nanos = ParseTimeOfDay(literal.value);
      if (!nanos.has_value()) throw fail("time: expected TIME 'HH:mm:ss[.fraction]'");
      LogicalType type = TimeType(std::min(fraction_digits(), 3)).NotNull();
      auto millis = static_cast<int32_t>(*nanos / 1'000'000);
      return MakeLiteral(std::make_shared<arrow::Time32Scalar>(millis, ToArrow(type)), type, span);
    }
    default: {
      std::optional<LocalTimestamp> local = ParseLocalTimestamp(literal.value);
      if (!local.has_value()) throw fail("timestamp: expected TIMESTAMP 'yyyy-MM-dd HH:mm:ss[.fraction]'");
      if (fraction_digits() > 9) throw fail("timestamp: at most 9 digits of fraction");
      LogicalType type = TimestampType(fraction_digits()).NotNull();
      auto arrow_type = ToArrow(type);
      std::optional<int64_t> ticks = ToTicks(*local, static_cast<const arrow::TimestampType&>(*arrow_type).unit());
      if (!ticks.has_value()) throw fail("timestamp of this precision: out of range");
      return MakeLiteral(std::make_shared<arrow::TimestampScalar>(*ticks, arrow_type), type, span);
    }
  }
}

BoundExpression Interval(const IntervalLiteral& literal, const SourceSpan& span) {
  LogicalType type = IntervalType(literal.start, literal.end).NotNull();
  int64_t amount = ParseInterval(literal);
  if (type.Is(TypeRoot::kIntervalYearMonth)) {
    return MakeLiteral(std::make_shared<arrow::MonthIntervalScalar>(static_cast<int32_t>(amount)), type, span);
  }
  return MakeLiteral(std::make_shared<arrow::DurationScalar>(amount, ToArrow(type)), type, span);
}

/// x IN (constants): null for a null x.
Kernel InConstants(const std::shared_ptr<arrow::Array>& values) {
  return [values](std::span<const Datum> arguments, int64_t, const EvalContext&) -> Datum {
    InitializeArrowCompute();
    arrow::compute::SetLookupOptions options(values, arrow::compute::SetLookupOptions::INCONCLUSIVE);
    return Unwrap(arrow::compute::CallFunction("is_in", {arguments[0]}, &options), "IN");
  };
}

}  // namespace

BoundExpression MakeLiteral(std::shared_ptr<arrow::Scalar> value, LogicalType type, const SourceSpan& span) {
  BoundExpression literal;
  literal.type = std::move(type);
  literal.span = span;
  literal.node = BoundExpression::Literal{std::move(value)};
  return literal;
}

BoundExpression MakeInputColumn(int index, std::string name, LogicalType type, const SourceSpan& span) {
  BoundExpression input;
  input.type = std::move(type);
  input.span = span;
  input.node = BoundExpression::InputColumn{index, std::move(name)};
  return input;
}

BoundExpression MakeCast(BoundExpression expression, const LogicalType& type, bool is_try) {
  LogicalType target = type.WithNullable(expression.type.nullable || is_try);
  if (expression.type.WithNullable(true) == type.WithNullable(true)) return expression;
  BoundExpression cast;
  cast.type = std::move(target);
  cast.span = expression.span;
  std::vector<BoundExpression> operand;
  operand.push_back(std::move(expression));
  cast.node = BoundExpression::Cast{std::move(operand), is_try};
  return cast;
}

int64_t ParseInterval(const IntervalLiteral& literal) {
  auto fail = [&] {
    return InvalidSql(literal.value_span, "'{}' is not an interval of {}{}", literal.value, ToString(literal.start),
                      literal.end == literal.start ? "" : fmt::format(" TO {}", ToString(literal.end)));
  };
  std::string_view text = literal.value;
  bool negative = literal.negative;
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) {
    negative = negative != (text.front() == '-');
    text.remove_prefix(1);
  }
  auto number = [&]() -> int64_t {
    int64_t value = 0;
    auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc() || value < 0 || end == text.data()) throw fail();
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return value;
  };
  auto separator = [&](char c) {
    if (!text.starts_with(c)) throw fail();
    text.remove_prefix(1);
  };
  int64_t total = 0;
  if (literal.start == TimeUnit::kYear || literal.start == TimeUnit::kMonth || literal.start == TimeUnit::kQuarter) {
    int64_t factor = literal.start == TimeUnit::kYear ? 12 : literal.start == TimeUnit::kQuarter ? 3 : 1;
    total = number() * factor;
    if (literal.end == TimeUnit::kMonth && literal.start == TimeUnit::kYear) {
      separator('-');
      total += number();
    }
  } else {
    static constexpr std::pair<TimeUnit, int64_t> kUnits[] = {{TimeUnit::kWeek, 604'800'000},
                                                              {TimeUnit::kDay, 86'400'000},
                                                              {TimeUnit::kHour, 3'600'000},
                                                              {TimeUnit::kMinute, 60'000},
                                                              {TimeUnit::kSecond, 1'000}};
    bool started = false;
    for (const auto& [unit, millis] : kUnits) {
      if (unit == literal.start) started = true;
      if (!started) continue;
      if (unit != literal.start) separator(unit == TimeUnit::kHour ? ' ' : ':');
      int64_t part = 0;
      if (__builtin_mul_overflow(number(), millis, &part) || __builtin_add_overflow(total, part, &total)) throw fail();
      if (unit == TimeUnit::kSecond && text.starts_with('.')) {
        text.remove_prefix(1);
        int64_t scale = 100;
        while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
          total += (text.front() - '0') * scale;
          scale /= 10;
          text.remove_prefix(1);
        }
      }
      if (unit == literal.end) break;
    }
    if (!started) throw fail();
  }
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (!text.empty()) throw fail();
  return negative ? -total : total;
}

bool IsAggregateFunction(std::string_view name) {
  static const std::set<std::string, std::less<>> kNames = {
      "COUNT",          "SUM",           "AVG",       "MIN",          "MAX",
      "STDDEV_POP",     "STDDEV_SAMP",   "STDDEV",    "VAR_POP",      "VAR_SAMP",
      "VARIANCE",       "COLLECT",       "LISTAGG",   "ARRAY_AGG",    "FIRST_VALUE",
      "LAST_VALUE",     "LEAD",          "LAG",       "ROW_NUMBER",   "RANK",
      "DENSE_RANK",     "NTILE",         "CUME_DIST", "PERCENT_RANK", "APPROX_COUNT_DISTINCT",
      "JSON_OBJECTAGG", "JSON_ARRAYAGG", "GROUPING",  "GROUPING_ID"};
  return kNames.contains(Upper(name));
}

// ---- Nodes

template <typename Node>
BoundExpression ExpressionBinder::BindAs(const Node& node, const SourceSpan& span) {
  if constexpr (std::is_same_v<Node, NullLiteral>) {
    return NullLiteralAt(span);
  } else if constexpr (std::is_same_v<Node, BooleanLiteral>) {
    return MakeLiteral(std::make_shared<arrow::BooleanScalar>(node.value), BooleanType().NotNull(), span);
  } else if constexpr (std::is_same_v<Node, StringLiteral>) {
    auto length = static_cast<int32_t>(std::count_if(
        node.value.begin(), node.value.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
    LogicalType type = length == 0 ? StringType() : CharType(length);
    return MakeLiteral(std::make_shared<arrow::StringScalar>(node.value), type.NotNull(), span);
  } else if constexpr (std::is_same_v<Node, BinaryLiteral>) {
    return MakeLiteral(std::make_shared<arrow::BinaryScalar>(arrow::Buffer::FromString(node.bytes)),
                       BytesType().NotNull(), span);
  } else if constexpr (std::is_same_v<Node, ExactNumericLiteral>) {
    return ExactNumber(node.text, false, span);
  } else if constexpr (std::is_same_v<Node, DoubleLiteral>) {
    return MakeLiteral(std::make_shared<arrow::DoubleScalar>(node.value), DoubleType().NotNull(), span);
  } else if constexpr (std::is_same_v<Node, TemporalLiteral>) {
    return Temporal(node, span);
  } else if constexpr (std::is_same_v<Node, IntervalLiteral>) {
    return Interval(node, span);
  } else if constexpr (std::is_same_v<Node, ColumnRef>) {
    return BindColumn(node.parts, span);
  } else if constexpr (std::is_same_v<Node, UnaryOp>) {
    // −2147483648 is an INT although 2147483648 is none.
    const auto* number = node.operand->template As<ExactNumericLiteral>();
    if (node.op == UnaryOperator::kMinus && number != nullptr) return ExactNumber(number->text, true, span);
    std::vector<BoundExpression> operand;
    operand.push_back(BindNode(*node.operand));
    ResolvedFunction function = ResolveUnary(node.op, operand[0].type, span);
    return MakeCall(node.op == UnaryOperator::kNot ? "NOT" : "-", std::move(function), std::move(operand), span);
  } else if constexpr (std::is_same_v<Node, BinaryOp>) {
    return Compare(node.op, BindNode(*node.left), BindNode(*node.right), span);
  } else if constexpr (std::is_same_v<Node, Junction>) {
    std::vector<BoundExpression> operands;
    for (const ExpressionPtr& operand : node.operands)
      operands.push_back(BindCondition(*operand, node.is_and ? "AND" : "OR"));
    return MakeJunction(node.is_and, std::move(operands), span);
  } else if constexpr (std::is_same_v<Node, IsTest>) {
    std::vector<BoundExpression> operand;
    operand.push_back(BindNode(*node.operand));
    ResolvedFunction function = ResolveIsTest(node.kind, node.negated, operand[0].type, span);
    static constexpr const char* kNames[] = {"NULL", "TRUE", "FALSE", "UNKNOWN"};
    return MakeCall(fmt::format("IS {}{}", node.negated ? "NOT " : "", kNames[static_cast<int>(node.kind)]),
                    std::move(function), std::move(operand), span);
  } else if constexpr (std::is_same_v<Node, Between>) {
    return BindBetween(node, span);
  } else if constexpr (std::is_same_v<Node, InList>) {
    return BindIn(node, span);
  } else if constexpr (std::is_same_v<Node, Like>) {
    std::vector<BoundExpression> arguments;
    arguments.push_back(BindNode(*node.operand));
    arguments.push_back(BindNode(*node.pattern));
    if (node.escape != nullptr) arguments.push_back(BindNode(*node.escape));
    std::vector<LogicalType> types;
    for (const BoundExpression& argument : arguments) types.push_back(argument.type);
    ResolvedFunction function = ResolveLike(node.similar, node.negated, types, span);
    return MakeCall(node.negated ? "NOT LIKE" : "LIKE", std::move(function), std::move(arguments), span);
  } else if constexpr (std::is_same_v<Node, Case>) {
    std::vector<BoundExpression> conditions;
    std::vector<BoundExpression> results;
    for (const WhenClause& when : node.whens) {
      if (node.operand == nullptr) {
        conditions.push_back(BindCondition(*when.condition, "WHEN"));
      } else {
        conditions.push_back(
            Compare(BinaryOperator::kEqual, BindNode(*node.operand), BindNode(*when.condition), when.condition->span));
      }
      results.push_back(BindNode(*when.result));
    }
    results.push_back(node.otherwise == nullptr ? NullLiteralAt(span) : BindNode(*node.otherwise));
    return MakeCase(std::move(conditions), std::move(results), span);
  } else if constexpr (std::is_same_v<Node, Cast>) {
    BoundExpression operand = BindNode(*node.operand);
    if (!CanExplicitlyCast(operand.type, node.type.type)) {
      throw InvalidSql(node.type.span, "CAST from {} to {} doesn't exist", operand.type.ToStringWithoutNullability(),
                       node.type.type.ToStringWithoutNullability());
    }
    operand.span = span;
    return MakeCast(std::move(operand), node.type.type, node.is_try);
  } else if constexpr (std::is_same_v<Node, FunctionCall>) {
    return BindCall(node, span);
  } else if constexpr (std::is_same_v<Node, RowConstructor> || std::is_same_v<Node, ArrayConstructor>) {
    std::vector<BoundExpression> parts;
    constexpr bool kIsRow = std::is_same_v<Node, RowConstructor>;
    if constexpr (kIsRow) {
      parts = BindAll(node.fields);
    } else {
      parts = BindAll(node.items);
    }
    std::vector<LogicalType> types;
    for (const BoundExpression& part : parts) types.push_back(part.type);
    ResolvedFunction function = kIsRow ? ResolveRow(types, span) : ResolveArray(types, span);
    return MakeCall(kIsRow ? "ROW" : "ARRAY", std::move(function), std::move(parts), span);
  } else if constexpr (std::is_same_v<Node, MapConstructor>) {
    std::vector<BoundExpression> parts;
    std::vector<LogicalType> types;
    for (size_t i = 0; i < node.keys.size(); ++i) {
      parts.push_back(BindNode(*node.keys[i]));
      parts.push_back(BindNode(*node.values[i]));
    }
    for (const BoundExpression& part : parts) types.push_back(part.type);
    return MakeCall("MAP", ResolveMap(types, span), std::move(parts), span);
  } else if constexpr (std::is_same_v<Node, Subscript>) {
    std::vector<BoundExpression> parts;
    parts.push_back(BindNode(*node.base));
    parts.push_back(BindNode(*node.index));
    ResolvedFunction function = ResolveSubscript(parts[0].type, parts[1].type, span);
    return MakeCall("ITEM", std::move(function), std::move(parts), span);
  } else if constexpr (std::is_same_v<Node, FieldAccess>) {
    std::vector<BoundExpression> base;
    base.push_back(BindNode(*node.base));
    ResolvedFunction function = ResolveField(base[0].type, node.field.name, node.field.span);
    return MakeCall("." + node.field.name, std::move(function), std::move(base), span);
  } else if constexpr (std::is_same_v<Node, Star>) {
    throw InvalidSql(span, "* is only allowed in a select list and in COUNT(*)");
  } else if constexpr (std::is_same_v<Node, InSubquery> || std::is_same_v<Node, ScalarSubquery> ||
                       std::is_same_v<Node, Exists>) {
    throw UnsupportedSql(span, "subqueries in expressions are not supported yet; join instead");
  } else {
    throw InvalidSql(span, "this is not allowed in a scalar expression");
  }
}

BoundExpression ExpressionBinder::Bind(const Expression& expression) {
  return FoldConstants(BindNode(expression), context_);
}

BoundExpression ExpressionBinder::BindCondition(const Expression& expression, std::string_view clause) {
  BoundExpression condition = Bind(expression);
  if (!condition.type.Is(TypeRoot::kBoolean) && !condition.type.Is(TypeRoot::kNull)) {
    throw InvalidSql(expression.span, "{} needs a BOOLEAN, not {}", clause,
                     condition.type.ToStringWithoutNullability());
  }
  return MakeCast(std::move(condition), BooleanType());
}

BoundExpression ExpressionBinder::BindNode(const Expression& expression) {
  if (hook_) {
    if (std::optional<BoundExpression> replaced = hook_(expression)) return std::move(*replaced);
  }
  return std::visit([&](const auto& node) { return BindAs(node, expression.span); }, expression.node);
}

std::vector<BoundExpression> ExpressionBinder::BindAll(const std::vector<ExpressionPtr>& expressions) {
  std::vector<BoundExpression> bound;
  for (const ExpressionPtr& expression : expressions) bound.push_back(BindNode(*expression));
  return bound;
}

BoundExpression ExpressionBinder::BindColumn(const std::vector<Identifier>& parts, const SourceSpan& span) {
  // table.column first, then column, then fields of a ROW: `a.b.c` may be any of these. A qualifier of several parts
  // (catalog, database) matches by its last one.
  auto fields_of = [&](size_t index, size_t first) {
    const Scope::Column& column = scope_.columns[index];
    BoundExpression value = MakeInputColumn(static_cast<int>(index), column.name, column.type, span);
    for (size_t i = first; i < parts.size(); ++i) {
      ResolvedFunction function = ResolveField(value.type, parts[i].name, parts[i].span);
      std::vector<BoundExpression> base;
      base.push_back(std::move(value));
      value = MakeCall("." + parts[i].name, std::move(function), std::move(base), span);
    }
    return value;
  };
  for (size_t table_part = 0; table_part + 1 < parts.size() && table_part < 3; ++table_part) {
    for (size_t i = 0; i < scope_.columns.size(); ++i) {
      if (scope_.columns[i].table == parts[table_part].name && scope_.columns[i].name == parts[table_part + 1].name) {
        return fields_of(i, table_part + 2);
      }
    }
  }
  std::optional<size_t> found;
  for (size_t i = 0; i < scope_.columns.size(); ++i) {
    if (scope_.columns[i].name != parts[0].name) continue;
    if (found.has_value()) throw InvalidSql(span, "column '{}' is ambiguous: qualify it with its table", parts[0].name);
    found = i;
  }
  if (found.has_value()) return fields_of(*found, 1);
  std::vector<std::string> names;
  for (const Scope::Column& column : scope_.columns) names.push_back(column.name);
  const Identifier& missing = parts.size() > 1 ? parts[parts.size() - 1] : parts[0];
  bool known_table =
      parts.size() > 1 && std::any_of(scope_.columns.begin(), scope_.columns.end(), [&](const Scope::Column& column) {
        return column.table == parts[parts.size() - 2].name;
      });
  if (parts.size() > 1 && !known_table) {
    throw InvalidSql(span, "neither a table nor a column is called '{}'", parts[0].name);
  }
  if (names.empty()) throw InvalidSql(span, "unknown column '{}': there is no FROM", missing.name);
  throw InvalidSql(span, "unknown column '{}'{}; columns are: {}", missing.name, DidYouMean(missing.name, names),
                   fmt::join(names, ", "));
}

BoundExpression ExpressionBinder::Compare(BinaryOperator op, BoundExpression left, BoundExpression right,
                                          const SourceSpan& span) {
  ResolvedFunction function = ResolveBinary(op, left.type, right.type, span);
  std::vector<BoundExpression> arguments;
  arguments.push_back(std::move(left));
  arguments.push_back(std::move(right));
  return MakeCall(std::string(ToString(op)), std::move(function), std::move(arguments), span);
}

BoundExpression ExpressionBinder::BindBetween(const Between& between, const SourceSpan& span) {
  auto inside = [&](const Expression& low, const Expression& high) {
    std::vector<BoundExpression> both;
    both.push_back(Compare(BinaryOperator::kGreaterOrEqual, BindNode(*between.operand), BindNode(low), span));
    both.push_back(Compare(BinaryOperator::kLessOrEqual, BindNode(*between.operand), BindNode(high), span));
    return MakeJunction(true, std::move(both), span);
  };
  BoundExpression result = inside(*between.low, *between.high);
  if (between.symmetric) {
    std::vector<BoundExpression> either;
    either.push_back(std::move(result));
    either.push_back(inside(*between.high, *between.low));
    result = MakeJunction(false, std::move(either), span);
  }
  return between.negated ? MakeNot(std::move(result), span) : std::move(result);
}

BoundExpression ExpressionBinder::BindIn(const InList& in, const SourceSpan& span) {
  BoundExpression operand = BindNode(*in.operand);
  std::vector<BoundExpression> items = BindAll(in.items);
  std::vector<LogicalType> types = {operand.type};
  for (const BoundExpression& item : items) types.push_back(item.type);
  std::optional<LogicalType> common = CommonType(types);
  bool constant = common.has_value() && !common->IsNested() && !common->Is(TypeRoot::kNull);
  arrow::ArrayVector values;
  for (size_t i = 0; constant && i < items.size(); ++i) {
    BoundExpression folded = FoldConstants(MakeCast(items[i], *common), context_);
    const auto* literal = folded.As<BoundExpression::Literal>();
    constant = literal != nullptr && literal->value->is_valid;
    if (constant) values.push_back(Unwrap(arrow::MakeArrayFromScalar(*literal->value, 1), "IN"));
  }
  BoundExpression result;
  if (constant) {
    std::shared_ptr<arrow::Array> set = Unwrap(arrow::Concatenate(values), "IN");
    ResolvedFunction function{BooleanType().WithNullable(operand.type.nullable), {*common}, InConstants(set)};
    std::vector<BoundExpression> argument;
    argument.push_back(std::move(operand));
    result = MakeCall("IN", std::move(function), std::move(argument), span);
    std::get<BoundExpression::Call>(result.node).in_values = std::move(set);
  } else {
    std::vector<BoundExpression> any;
    for (size_t i = 0; i < items.size(); ++i) {
      any.push_back(Compare(BinaryOperator::kEqual, operand, std::move(items[i]), in.items[i]->span));
    }
    result = any.size() == 1 ? std::move(any[0]) : MakeJunction(false, std::move(any), span);
  }
  return in.negated ? MakeNot(std::move(result), span) : std::move(result);
}

BoundExpression ExpressionBinder::BindCall(const FunctionCall& call, const SourceSpan& span) {
  std::string name = Upper(call.name.parts.back().name);
  if (call.over != nullptr) throw UnsupportedSql(span, "OVER windows are not supported yet");
  if (IsAggregateFunction(name)) throw InvalidSql(span, "the aggregate function {} is not allowed here", name);
  if (call.distinct || call.star || call.filter != nullptr) {
    throw InvalidSql(span, "DISTINCT, * and FILTER are only for aggregate functions, which {} is not", name);
  }
  std::vector<BoundExpression> arguments;
  std::vector<std::string> symbols;
  for (const ExpressionPtr& argument : call.arguments) {
    if (const auto* symbol = argument->As<Symbol>()) {
      symbols.push_back(symbol->name);
    } else if (argument->As<NamedArgument>() != nullptr) {
      throw UnsupportedSql(argument->span, "named arguments are not supported");
    } else {
      arguments.push_back(BindNode(*argument));
    }
  }
  if (name == "IF" && arguments.size() == 3) {
    std::vector<BoundExpression> conditions;
    conditions.push_back(BindCondition(*call.arguments[0], "IF"));
    std::vector<BoundExpression> results;
    results.push_back(std::move(arguments[1]));
    results.push_back(std::move(arguments[2]));
    return MakeCase(std::move(conditions), std::move(results), span);
  }
  if (name == "NULLIF" && arguments.size() == 2) {
    BoundExpression value = arguments[0];
    std::vector<BoundExpression> conditions;
    conditions.push_back(Compare(BinaryOperator::kEqual, std::move(arguments[0]), std::move(arguments[1]), span));
    std::vector<BoundExpression> results;
    results.push_back(MakeLiteral(arrow::MakeNullScalar(ToArrow(value.type)), value.type.WithNullable(true), span));
    results.push_back(std::move(value));
    return MakeCase(std::move(conditions), std::move(results), span);
  }
  std::vector<LogicalType> types;
  for (const BoundExpression& argument : arguments) types.push_back(argument.type);
  ResolvedFunction function = ResolveFunction(name, types, symbols, span);
  return MakeCall(name, std::move(function), std::move(arguments), span);
}

}  // namespace frazil::sql
