// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/query_binder.h"

#include <arrow/scalar.h>

#include "frazil/sql/evaluator.h"
#include "frazil/sql/join_binder.h"
#include "frazil/sql/select_binder.h"

namespace frazil::sql {

namespace {

constexpr int kMaxViewDepth = 32;

/// The plan's columns under new names.
void Rename(PlanPtr& plan, const std::vector<std::string>& names, const SourceSpan& span) {
  if (names.empty()) return;
  if (names.size() != plan->output.size()) {
    throw InvalidSql(span, "{} column names are given, but there are {} columns", names.size(), plan->output.size());
  }
  std::vector<RowField> output = plan->output;
  for (size_t i = 0; i < names.size(); ++i) output[i].name = names[i];
  std::vector<BoundExpression> columns = OutputColumns(*plan);
  plan = Project(std::move(plan), std::move(columns), std::move(output), span);
}

std::vector<std::string> NamesOf(const std::vector<Identifier>& identifiers) {
  std::vector<std::string> names;
  for (const Identifier& identifier : identifiers) names.push_back(identifier.name);
  return names;
}

PlanPtr OneRow(const SourceSpan& span) {
  ValuesNode values;
  values.rows.emplace_back();
  return MakePlan(std::move(values), {}, span);
}

Scope ScopeOf(const PlanNode& plan, const std::string& table) {
  Scope scope;
  for (const RowField& field : plan.output) scope.columns.push_back({table, field.name, field.type});
  return scope;
}

}  // namespace

PlanPtr CastColumns(PlanPtr plan, const std::vector<RowField>& columns) {
  std::vector<BoundExpression> expressions = OutputColumns(*plan);
  std::vector<RowField> output;
  for (size_t i = 0; i < columns.size(); ++i) {
    expressions[i] = MakeCast(std::move(expressions[i]), columns[i].type);
    output.push_back({columns[i].name, expressions[i].type, columns[i].comment});
  }
  const SourceSpan span = plan->span;
  return Project(std::move(plan), std::move(expressions), std::move(output), span);
}

// ---- Bodies

PlanPtr QueryBinder::Bind(const Query& query) {
  if (query.recursive) throw UnsupportedSql(query.span, "WITH RECURSIVE is not supported");
  const size_t outer = common_tables_.size();
  for (const CommonTable& table : query.with) common_tables_.push_back({&table, common_tables_.size()});
  PlanPtr plan = BindLimit(BindBody(query), query);
  common_tables_.resize(outer);
  return plan;
}

PlanPtr QueryBinder::BindBody(const Query& query) {
  if (const auto* select = query.As<Select>()) return BindSelect(*select, query);
  if (const auto* values = query.As<Values>()) return SortByOutput(BindValues(*values, query.span), query.order_by);
  return SortByOutput(BindSetOperation(*query.As<SetOperation>(), query.span), query.order_by);
}

PlanPtr QueryBinder::BindSelect(const Select& select, const Query& query) {
  for (const Hint& hint : select.hints) {
    throw UnsupportedSql(hint.span, "the hint {} is not supported", hint.name.name);
  }
  Source source = select.from == nullptr ? Source{OneRow(query.span), {}} : BindFrom(*select.from);
  if (select.where != nullptr) {
    BoundExpression condition = ExpressionBinder(source.scope, context_).BindCondition(*select.where, "WHERE");
    std::vector<RowField> output = source.plan->output;
    source.plan =
        MakePlan(FilterNode{std::move(condition)}, std::move(output), std::move(source.plan), select.where->span);
  }
  return SelectBinder(std::move(source.plan), std::move(source.scope), context_).Bind(select, query.order_by);
}

PlanPtr QueryBinder::BindValues(const Values& values, const SourceSpan& span) {
  const Scope nothing;
  ValuesNode node;
  const size_t width = values.rows.front().size();
  std::vector<std::vector<LogicalType>> types(width);
  for (size_t r = 0; r < values.rows.size(); ++r) {
    if (values.rows[r].size() != width) {
      throw InvalidSql(values.row_spans[r], "this row of VALUES has {} columns, the first one has {}",
                       values.rows[r].size(), width);
    }
    std::vector<BoundExpression> row;
    for (size_t c = 0; c < width; ++c) {
      row.push_back(ExpressionBinder(nothing, context_).Bind(*values.rows[r][c]));
      types[c].push_back(row.back().type);
    }
    node.rows.push_back(std::move(row));
  }
  std::vector<RowField> output;
  for (size_t c = 0; c < width; ++c) {
    std::optional<LogicalType> common = CommonType(types[c]);
    if (!common) {
      throw InvalidSql(span, "the values of column {} of VALUES have no common type: {} and {}", c + 1,
                       types[c].front().ToStringWithoutNullability(), types[c].back().ToStringWithoutNullability());
    }
    for (std::vector<BoundExpression>& row : node.rows) {
      row[c] = FoldConstants(MakeCast(std::move(row[c]), *common), context_);
    }
    output.push_back({fmt::format("EXPR${}", c), *std::move(common), ""});
  }
  return MakePlan(std::move(node), std::move(output), span);
}

PlanPtr QueryBinder::BindSetOperation(const SetOperation& operation, const SourceSpan& span) {
  if (operation.op != SetOperator::kUnion) {
    throw UnsupportedSql(span, "{} is not supported yet",
                         operation.op == SetOperator::kIntersect ? "INTERSECT" : "EXCEPT");
  }
  PlanPtr left = Bind(*operation.left);
  PlanPtr right = Bind(*operation.right);
  if (left->output.size() != right->output.size()) {
    throw InvalidSql(operation.right->span, "the inputs of UNION have {} and {} columns", left->output.size(),
                     right->output.size());
  }
  std::vector<RowField> output = left->output;
  for (size_t i = 0; i < output.size(); ++i) {
    std::optional<LogicalType> common = CommonType(left->output[i].type, right->output[i].type);
    if (!common) {
      throw InvalidSql(operation.right->span, "column {} of UNION is {} in one input and {} in the other", i + 1,
                       left->output[i].type.ToStringWithoutNullability(),
                       right->output[i].type.ToStringWithoutNullability());
    }
    output[i].type = *std::move(common);
  }
  PlanPtr plan = MakePlan(UnionNode{}, output, span);
  plan->inputs.push_back(CastColumns(std::move(left), output));
  plan->inputs.push_back(CastColumns(std::move(right), output));
  if (operation.all) return plan;
  AggregateNode distinct;
  for (size_t i = 0; i < output.size(); ++i) distinct.keys.push_back(static_cast<int>(i));
  return MakePlan(std::move(distinct), std::move(output), std::move(plan), span);
}

PlanPtr QueryBinder::SortByOutput(PlanPtr plan, const std::vector<OrderItem>& order_by) {
  if (order_by.empty()) return plan;
  Scope scope = ScopeOf(*plan, "");
  Select everything;
  SelectItem star{std::make_unique<Expression>(plan->span, Star{}), {}};
  everything.items.push_back(std::move(star));
  return SelectBinder(std::move(plan), std::move(scope), context_).Bind(everything, order_by);
}

int64_t QueryBinder::BindCount(const Expression& expression, std::string_view clause) {
  const Scope nothing;
  BoundExpression bound = ExpressionBinder(nothing, context_).Bind(expression);
  const auto* literal = bound.As<BoundExpression::Literal>();
  if (literal == nullptr || !bound.type.IsInteger() || !literal->value->is_valid) {
    throw InvalidSql(expression.span, "{} must be a whole number", clause);
  }
  const auto number = MakeCast(std::move(bound), BigIntType());
  const auto value = EvaluateConstant(number, context_);
  const int64_t count = static_cast<const arrow::Int64Scalar&>(*value).value;
  if (count < 0) throw InvalidSql(expression.span, "{} must not be negative", clause);
  return count;
}

PlanPtr QueryBinder::BindLimit(PlanPtr plan, const Query& query) {
  if (query.limit == nullptr && query.offset == nullptr) return plan;
  LimitNode limit;
  if (query.offset != nullptr) limit.offset = BindCount(*query.offset, "OFFSET");
  if (query.limit != nullptr) limit.limit = BindCount(*query.limit, "LIMIT");
  std::vector<RowField> output = plan->output;
  return MakePlan(limit, std::move(output), std::move(plan), query.span);
}

// ---- FROM

QueryBinder::Source QueryBinder::Named(PlanPtr plan, const std::string& name, const TableRef& ref) const {
  if (ref.alias) Rename(plan, NamesOf(ref.alias->columns), ref.alias->name.span);
  Scope scope = ScopeOf(*plan, ref.alias ? ref.alias->name.name : name);
  return {std::move(plan), std::move(scope)};
}

QueryBinder::Source QueryBinder::BindFrom(const TableRef& table) {
  if (const auto* named = table.As<NamedTable>()) return BindNamedTable(*named, table);
  if (const auto* join = table.As<Join>()) return BindJoin(*join, table.span);
  if (const auto* derived = table.As<DerivedTable>()) {
    if (derived->lateral) throw UnsupportedSql(table.span, "LATERAL is not supported yet");
    return Named(Bind(*derived->query), "", table);
  }
  if (table.As<Unnest>() != nullptr) throw UnsupportedSql(table.span, "UNNEST is not supported yet");
  throw UnsupportedSql(table.span, "table functions and windows (TUMBLE, HOP, …) are not supported yet");
}

std::optional<PlanPtr> QueryBinder::BindCommonTable(const NamedTable& table) {
  if (table.name.parts.size() != 1) return std::nullopt;
  for (size_t i = common_tables_.size(); i-- > 0;) {
    const CommonTable& common = *common_tables_[i].table;
    if (common.name.name != table.name.parts[0].name) continue;
    QueryBinder inner(resolver_, context_, catalog_, database_);
    inner.depth_ = depth_;
    inner.common_tables_.assign(common_tables_.begin(),
                                common_tables_.begin() + static_cast<ptrdiff_t>(common_tables_[i].visible));
    PlanPtr plan = inner.Bind(*common.query);
    Rename(plan, NamesOf(common.columns), common.name.span);
    return plan;
  }
  return std::nullopt;
}

QueryBinder::Source QueryBinder::BindNamedTable(const NamedTable& table, const TableRef& ref) {
  const std::string& name = table.name.parts.back().name;
  if (table.system_time != nullptr) {
    throw UnsupportedSql(table.system_time->span,
                         "FOR SYSTEM_TIME AS OF is not supported; an Iceberg table takes the hint "
                         "/*+ OPTIONS('as-of-timestamp' = '<milliseconds>') */");
  }
  if (std::optional<PlanPtr> common = BindCommonTable(table)) return Named(std::move(*common), name, ref);
  auto found = resolver_.Resolve(table.name, catalog_, database_, table.options);
  if (const ViewPtr* view = std::get_if<ViewPtr>(&found)) return Named(BindView(**view, ref.span), name, ref);
  RelationPtr relation = std::get<RelationPtr>(std::move(found));
  ScanNode scan;
  for (size_t i = 0; i < relation->columns.size(); ++i) scan.columns.push_back(static_cast<int>(i));
  std::vector<RowField> output = relation->columns;
  scan.relation = std::move(relation);
  return Named(MakePlan(std::move(scan), std::move(output), table.name.span), name, ref);
}

PlanPtr QueryBinder::BindView(const View& view, const SourceSpan& span) {
  if (depth_ >= kMaxViewDepth) throw InvalidSql(span, "view '{}' is defined by itself", view.path.ToString());
  QueryBinder inner(resolver_, context_, view.catalog, view.database);
  inner.depth_ = depth_ + 1;
  try {
    PlanPtr plan = inner.Bind(*view.query);
    Rename(plan, view.columns, span);
    return plan;
  } catch (const SqlError& error) {
    // The place inside the view is of another script.
    throw SqlError(error.kind(), span, fmt::format("in view '{}': {}", view.path.ToString(), error.message()));
  }
}

QueryBinder::Source QueryBinder::BindJoin(const Join& join, const SourceSpan& span) {
  Source left = BindFrom(*join.left);
  Source right = BindFrom(*join.right);
  BoundJoin bound = sql::BindJoin(join, {std::move(left.plan), std::move(left.scope)},
                                  {std::move(right.plan), std::move(right.scope)}, context_, span);
  return {std::move(bound.plan), std::move(bound.scope)};
}

}  // namespace frazil::sql
