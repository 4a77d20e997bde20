// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/select_binder.h"

#include <charconv>

#include <arrow/scalar.h>

#include "frazil/base/suggest.h"
#include "frazil/sql/ast_walk.h"
#include "frazil/sql/evaluator.h"
#include "frazil/sql/functions.h"
#include "frazil/sql/parser.h"

namespace frazil::sql {

namespace {

std::string UpperName(const FunctionCall& call) {
  std::string upper;
  for (char c : call.name.parts.back().name)
    upper.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  return upper;
}

const FunctionCall* AsAggregate(const Expression& expression) {
  const auto* call = expression.As<FunctionCall>();
  const bool is = call != nullptr && call->over == nullptr && IsAggregateFunction(call->name.parts.back().name);
  return is ? call : nullptr;
}

bool ContainsAggregate(const Expression& expression) {
  if (AsAggregate(expression) != nullptr) return true;
  bool found = false;
  VisitChildren(expression, [&](const Expression& child) { found = found || ContainsAggregate(child); });
  return found;
}

bool IsInteger(const Expression& expression) {
  const auto* number = expression.As<ExactNumericLiteral>();
  return number != nullptr && number->text.find('.') == std::string::npos;
}

/// The function's result for these arguments, as a call.
BoundExpression BinaryCall(BinaryOperator op, BoundExpression left, BoundExpression right, const SourceSpan& span) {
  ResolvedFunction function = ResolveBinary(op, left.type, right.type, span);
  std::vector<BoundExpression> arguments;
  arguments.push_back(MakeCast(std::move(left), function.arguments[0]));
  arguments.push_back(MakeCast(std::move(right), function.arguments[1]));
  BoundExpression call;
  call.type = function.result;
  call.span = span;
  call.node = BoundExpression::Call{std::string(ToString(op)), std::move(function.kernel), std::move(arguments),
                                    function.deterministic, function.can_fail};
  return call;
}

BoundExpression NullOf(const LogicalType& type, const SourceSpan& span) {
  return MakeLiteral(arrow::MakeNullScalar(ToArrow(type)), type.WithNullable(true), span);
}

/// CASE WHEN condition THEN value END
BoundExpression When(BoundExpression condition, BoundExpression value, const SourceSpan& span) {
  BoundExpression result;
  result.type = value.type.WithNullable(true);
  result.span = span;
  BoundExpression::Case branches;
  branches.conditions.push_back(std::move(condition));
  branches.results.push_back(std::move(value));
  branches.results.push_back(NullOf(result.type, span));
  result.node = std::move(branches);
  return result;
}

}  // namespace

SortKey MakeSortKey(int column, const OrderItem& item) {
  const bool ascending = item.direction == SortDirection::kAscending;
  const bool nulls_first = item.nulls == NullsOrder::kDefault ? ascending : item.nulls == NullsOrder::kFirst;
  return {column, ascending, nulls_first};
}

std::string ImpliedName(const Expression& expression, size_t position) {
  if (const auto* column = expression.As<ColumnRef>()) return column->parts.back().name;
  if (const auto* field = expression.As<FieldAccess>()) return field->field.name;
  return fmt::format("EXPR${}", position);
}

void MakeUnique(std::vector<std::string>& names) {
  std::set<std::string> used;
  for (std::string& name : names) {
    std::string candidate = name;
    for (int i = 0; !used.insert(candidate).second; ++i) candidate = name + std::to_string(i);
    name = std::move(candidate);
  }
}

PlanPtr SortAndKeep(PlanPtr plan, std::vector<SortKey> keys, size_t visible, const SourceSpan& span) {
  std::vector<RowField> output = plan->output;
  PlanPtr sort = MakePlan(SortNode{std::move(keys), {}}, output, std::move(plan), span);
  std::vector<BoundExpression> columns = OutputColumns(*sort);
  columns.erase(columns.begin() + static_cast<ptrdiff_t>(visible), columns.end());
  output.resize(visible);
  return Project(std::move(sort), std::move(columns), std::move(output), span);
}

// ---- Select list

void SelectBinder::ExpandStar(const Star& star, const SourceSpan& span) {
  const bool all = star.qualifier.empty();
  bool found = false;
  for (size_t i = 0; i < scope_.columns.size(); ++i) {
    if (!all && scope_.columns[i].table != star.qualifier.back().name) continue;
    items_.push_back({nullptr, static_cast<int>(i), scope_.columns[i].name, false, span});
    found = true;
  }
  if (found) return;
  if (all) throw InvalidSql(span, "SELECT * needs a FROM");
  std::set<std::string> tables;
  for (const Scope::Column& column : scope_.columns) tables.insert(column.table);
  std::vector<std::string> names(tables.begin(), tables.end());
  throw InvalidSql(span, "unknown table '{}'{}", star.qualifier.back().name,
                   DidYouMean(star.qualifier.back().name, names));
}

void SelectBinder::ExpandItems(const Select& select) {
  for (size_t i = 0; i < select.items.size(); ++i) {
    const SelectItem& item = select.items[i];
    if (const auto* star = item.expression->As<Star>()) {
      ExpandStar(*star, item.expression->span);
      continue;
    }
    items_.push_back({item.expression.get(), -1, item.alias ? item.alias->name : ImpliedName(*item.expression, i),
                      item.alias.has_value(), item.expression->span});
  }
  std::vector<std::string> names;
  for (const Item& item : items_) names.push_back(item.name);
  MakeUnique(names);
  for (size_t i = 0; i < names.size(); ++i) items_[i].name = names[i];
}

BoundExpression SelectBinder::BindItem(const Item& item) {
  if (item.expression != nullptr) return BindOutput(*item.expression, false);
  const Scope::Column& column = scope_.columns[static_cast<size_t>(item.column)];
  if (!grouped_) return MakeInputColumn(item.column, column.name, column.type, item.span);
  for (size_t key = 0; key < keys_.size(); ++key) {
    const auto* input = below_[key].As<BoundExpression::InputColumn>();
    if (input == nullptr || input->index != item.column) continue;
    return MakeInputColumn(static_cast<int>(key), column.name, below_[key].type, item.span);
  }
  throw InvalidSql(item.span, "column '{}' of * is not in GROUP BY", column.name);
}

BoundExpression SelectBinder::BindOutput(const Expression& expression, bool aliases) {
  const auto hook = [&](const Expression& node) -> std::optional<BoundExpression> {
    if (const auto* column = node.As<ColumnRef>(); aliases && column != nullptr && column->parts.size() == 1) {
      for (const Item& item : items_) {
        if (item.has_alias && item.name == column->parts[0].name) return BindItem(item);
      }
    }
    if (grouped_) return GroupedHook(node);
    return std::nullopt;
  };
  return ExpressionBinder(scope_, context_, hook).Bind(expression);
}

// ---- Grouping

bool SelectBinder::HasAggregates(const Select& select, const std::vector<OrderItem>& order_by) const {
  if (select.group_by_span.line != 0 || select.having != nullptr) return true;
  const auto in_item = [](const Item& item) {
    return item.expression != nullptr && ContainsAggregate(*item.expression);
  };
  return std::any_of(items_.begin(), items_.end(), in_item) ||
         std::any_of(order_by.begin(), order_by.end(),
                     [](const OrderItem& item) { return ContainsAggregate(*item.expression); });
}

void SelectBinder::AddGroupKey(const Expression& expression) {
  if (IsInteger(expression)) {
    throw UnsupportedSql(expression.span, "GROUP BY takes no positions in Flink SQL: name the expression");
  }
  if (ContainsAggregate(expression)) throw InvalidSql(expression.span, "GROUP BY can't contain an aggregate function");
  BoundExpression key = ExpressionBinder(scope_, context_).Bind(expression);
  if (key.type.IsNested()) {
    throw UnsupportedSql(expression.span, "GROUP BY of type {} is not supported",
                         key.type.ToStringWithoutNullability());
  }
  below_fields_.push_back({ImpliedName(expression, keys_.size()), key.type, ""});
  below_.push_back(std::move(key));
  keys_.push_back(&expression);
}

void SelectBinder::BindGroupKeys(const Select& select) {
  for (const GroupingElement& element : select.group_by) {
    switch (element.kind) {
      case GroupingElement::Kind::kExpression:
      case GroupingElement::Kind::kSet:
        for (const ExpressionPtr& expression : element.expressions) AddGroupKey(*expression);
        break;
      default:
        throw UnsupportedSql(element.span,
                             "GROUPING SETS, ROLLUP and CUBE are not supported yet: use UNION ALL of "
                             "several GROUP BY queries");
    }
  }
}

std::optional<int> SelectBinder::FindGroupKey(const Expression& expression) const {
  std::optional<int> column;
  if (expression.As<ColumnRef>() != nullptr) {
    try {
      BoundExpression bound = ExpressionBinder(scope_, context_).Bind(expression);
      if (const auto* input = bound.As<BoundExpression::InputColumn>()) column = input->index;
    } catch (const SqlError&) {
      return std::nullopt;  // the caller's binding says what is wrong
    }
  }
  const std::string text = ExpressionToString(expression);
  for (size_t key = 0; key < keys_.size(); ++key) {
    const auto* input = below_[key].As<BoundExpression::InputColumn>();
    const bool same_column = column && input != nullptr && input->index == *column;
    if (same_column || ExpressionToString(*keys_[key]) == text) return static_cast<int>(key);
  }
  return std::nullopt;
}

std::optional<BoundExpression> SelectBinder::GroupedHook(const Expression& expression) {
  if (const FunctionCall* call = AsAggregate(expression)) return BindAggregate(*call, expression);
  if (std::optional<int> key = FindGroupKey(expression)) {
    const auto index = static_cast<size_t>(*key);
    return MakeInputColumn(*key, below_fields_[index].name, below_[index].type, expression.span);
  }
  if (expression.As<ColumnRef>() != nullptr) {
    ExpressionBinder(scope_, context_).Bind(expression);  // an unknown column is the better error
    throw InvalidSql(expression.span, "column '{}' must be in GROUP BY or inside an aggregate function",
                     ExpressionToString(expression));
  }
  return std::nullopt;
}

// ---- Aggregates

BoundExpression SelectBinder::AddCall(AggregateKind kind, std::optional<BoundExpression> argument, bool distinct,
                                      LogicalType type, std::string text, const SourceSpan& span) {
  const std::string identity =
      fmt::format("{}/{}/{}/{}", static_cast<int>(kind), distinct, text, argument ? argument->type.ToString() : "");
  auto found = std::find(call_texts_.begin(), call_texts_.end(), identity);
  size_t index = static_cast<size_t>(found - call_texts_.begin());
  if (found == call_texts_.end()) {
    AggregateCall call{kind, -1, distinct, std::move(type), text, span};
    if (argument) {
      call.column = static_cast<int>(below_.size());
      below_fields_.push_back({fmt::format("arg${}", below_.size()), argument->type, ""});
      below_.push_back(*std::move(argument));
    }
    calls_.push_back(std::move(call));
    call_texts_.push_back(identity);
  }
  return MakeInputColumn(static_cast<int>(keys_.size() + index), calls_[index].text, calls_[index].type, span);
}

BoundExpression SelectBinder::AggregateArgument(const FunctionCall& call, const Expression& expression) {
  ExpressionBinder binder(scope_, context_);
  BoundExpression argument =
      call.star || call.arguments.empty()
          ? MakeLiteral(std::make_shared<arrow::BooleanScalar>(true), BooleanType().NotNull(), expression.span)
          : binder.Bind(*call.arguments[0]);
  if (call.filter == nullptr) return argument;
  return When(binder.BindCondition(*call.filter, "FILTER"), std::move(argument), expression.span);
}

BoundExpression SelectBinder::BindAverage(BoundExpression argument, const FunctionCall& call,
                                          const Expression& expression) {
  const SourceSpan& span = expression.span;
  const std::string text = ExpressionToString(expression);
  const LogicalType type = AvgType(argument.type).WithNullable(true);
  const LogicalType sum_type = argument.type.IsApproximateNumeric() ? DoubleType()
                               : argument.type.IsInteger()          ? BigIntType()
                                                                    : SumType(argument.type);
  BoundExpression as_sum = MakeCast(argument, sum_type);
  BoundExpression count =
      AddCall(AggregateKind::kCount, argument, call.distinct, BigIntType().NotNull(), "COUNT of " + text, span);
  BoundExpression sum = AddCall(AggregateKind::kSum, std::move(as_sum), call.distinct, sum_type.WithNullable(true),
                                "SUM of " + text, span);
  BoundExpression zero = MakeLiteral(std::make_shared<arrow::Int64Scalar>(0), BigIntType().NotNull(), span);
  BoundExpression some = BinaryCall(BinaryOperator::kGreater, count, std::move(zero), span);
  BoundExpression quotient = MakeCast(BinaryCall(BinaryOperator::kDivide, std::move(sum), count, span), type);
  return When(std::move(some), std::move(quotient), span);
}

BoundExpression SelectBinder::BindAggregate(const FunctionCall& call, const Expression& expression) {
  const SourceSpan& span = expression.span;
  const std::string name = UpperName(call);
  const std::string text = ExpressionToString(expression);
  if (name != "COUNT" && name != "SUM" && name != "AVG" && name != "MIN" && name != "MAX") {
    throw UnsupportedSql(span, "the aggregate function {} is not supported yet; there are COUNT, SUM, AVG, MIN and MAX",
                         name);
  }
  if (!call.within_group.empty()) throw InvalidSql(span, "{} takes no WITHIN GROUP", name);
  const bool takes_all = name == "COUNT" && call.arguments.empty() && call.star;
  if (!takes_all && call.arguments.size() != 1) {
    throw InvalidSql(span, "{} takes one argument, not {}{}", name, call.arguments.size(),
                     name == "COUNT" && call.distinct ? " (COUNT(DISTINCT a, b) is not supported yet)" : "");
  }
  const LogicalType count_type = BigIntType().NotNull();
  if (takes_all && call.filter == nullptr) {
    return AddCall(AggregateKind::kCountAll, std::nullopt, false, count_type, text, span);
  }
  BoundExpression argument = AggregateArgument(call, expression);
  if (name == "COUNT") {
    return AddCall(AggregateKind::kCount, std::move(argument), call.distinct, count_type, text, span);
  }
  if (name == "MIN" || name == "MAX") {
    if (argument.type.IsNested() || argument.type.Is(TypeRoot::kNull)) {
      throw InvalidSql(span, "{} can't be applied to {}", name, argument.type.ToStringWithoutNullability());
    }
    LogicalType type = argument.type.WithNullable(argument.type.nullable || keys_.empty());
    const AggregateKind kind = name == "MIN" ? AggregateKind::kMin : AggregateKind::kMax;
    return AddCall(kind, std::move(argument), false, std::move(type), text, span);
  }
  if (!argument.type.IsNumeric()) {
    throw InvalidSql(span, "{} needs a number, not {}", name, argument.type.ToStringWithoutNullability());
  }
  if (name == "AVG") return BindAverage(std::move(argument), call, expression);
  LogicalType type = SumType(argument.type).WithNullable(argument.type.nullable || keys_.empty());
  // Acero sums decimals in their own precision: widened first, they overflow no sooner than Flink's.
  if (argument.type.Is(TypeRoot::kDecimal)) argument = MakeCast(std::move(argument), type);
  return AddCall(AggregateKind::kSum, std::move(argument), call.distinct, std::move(type), text, span);
}

PlanPtr SelectBinder::Aggregate(PlanPtr input, const SourceSpan& span) {
  std::vector<RowField> output(below_fields_.begin(), below_fields_.begin() + static_cast<ptrdiff_t>(keys_.size()));
  for (const AggregateCall& call : calls_) output.push_back({call.text, call.type, ""});
  AggregateNode node;
  for (size_t i = 0; i < keys_.size(); ++i) node.keys.push_back(static_cast<int>(i));
  node.calls = std::move(calls_);
  PlanPtr below = Project(std::move(input), std::move(below_), std::move(below_fields_), span);
  return MakePlan(std::move(node), std::move(output), std::move(below), span);
}

PlanPtr SelectBinder::Distinct(PlanPtr input, const SourceSpan& span) const {
  AggregateNode node;
  for (size_t i = 0; i < input->output.size(); ++i) {
    if (input->output[i].type.IsNested()) {
      throw UnsupportedSql(span, "SELECT DISTINCT of type {} (column '{}') is not supported",
                           input->output[i].type.ToStringWithoutNullability(), input->output[i].name);
    }
    node.keys.push_back(static_cast<int>(i));
  }
  std::vector<RowField> output = input->output;
  return MakePlan(std::move(node), std::move(output), std::move(input), span);
}

// ---- The whole

std::optional<int> SelectBinder::OutputColumnOf(const Expression& expression) const {
  if (IsInteger(expression)) {
    const std::string& text = expression.As<ExactNumericLiteral>()->text;
    size_t ordinal = 0;
    std::from_chars(text.data(), text.data() + text.size(), ordinal);
    if (ordinal < 1 || ordinal > items_.size()) {
      throw InvalidSql(expression.span, "ORDER BY position {} is not in the select list of {} columns", text,
                       items_.size());
    }
    return static_cast<int>(ordinal) - 1;
  }
  const auto* column = expression.As<ColumnRef>();
  if (column == nullptr || column->parts.size() != 1) return std::nullopt;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].name == column->parts[0].name) return static_cast<int>(i);
  }
  return std::nullopt;
}

PlanPtr SelectBinder::Bind(const Select& select, const std::vector<OrderItem>& order_by) {
  const SourceSpan span = select.items.empty() ? SourceSpan{} : select.items.front().expression->span;
  ExpandItems(select);
  grouped_ = HasAggregates(select, order_by);
  if (grouped_) BindGroupKeys(select);

  std::vector<BoundExpression> expressions;
  std::vector<RowField> output;
  for (const Item& item : items_) {
    expressions.push_back(BindItem(item));
    output.push_back({item.name, expressions.back().type, ""});
  }
  std::optional<BoundExpression> having;
  if (select.having != nullptr) {
    const auto hook = [&](const Expression& node) { return GroupedHook(node); };
    having = ExpressionBinder(scope_, context_, hook).BindCondition(*select.having, "HAVING");
  }
  const size_t visible = output.size();
  std::vector<SortKey> keys;
  for (const OrderItem& item : order_by) {
    std::optional<int> column = OutputColumnOf(*item.expression);
    if (!column) {
      if (select.distinct) {
        throw InvalidSql(item.expression->span, "with SELECT DISTINCT, ORDER BY must name a column of the select list");
      }
      column = static_cast<int>(expressions.size());
      expressions.push_back(BindOutput(*item.expression, true));
      output.push_back({fmt::format("order${}", keys.size()), expressions.back().type, ""});
    }
    const LogicalType& type = output[static_cast<size_t>(*column)].type;
    if (type.IsNested()) {
      throw InvalidSql(item.expression->span, "ORDER BY can't compare {}", type.ToStringWithoutNullability());
    }
    keys.push_back(MakeSortKey(*column, item));
  }

  PlanPtr plan = std::move(input_);
  if (grouped_) plan = Aggregate(std::move(plan), span);
  if (having) {
    std::vector<RowField> fields = plan->output;
    plan = MakePlan(FilterNode{*std::move(having)}, std::move(fields), std::move(plan), span);
  }
  plan = Project(std::move(plan), std::move(expressions), std::move(output), span);
  if (select.distinct) plan = Distinct(std::move(plan), span);
  if (!keys.empty()) plan = SortAndKeep(std::move(plan), std::move(keys), visible, span);
  return plan;
}

}  // namespace frazil::sql
