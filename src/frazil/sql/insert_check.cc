// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/insert_check.h"

#include <numeric>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "frazil/base/suggest.h"
#include "frazil/sql/expression_binder.h"

namespace frazil::sql {

namespace {

std::string SchemaText(const std::vector<RowField>& fields) {
  std::string text;
  for (const RowField& field : fields) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", field.name, field.type.ToString());
  return "[" + text + "]";
}

[[noreturn]] void ThrowMismatch(const Relation& sink, std::string_view cause, const std::vector<RowField>& query,
                                const std::vector<RowField>& wanted, const SourceSpan& span) {
  throw InvalidSql(span,
                   "Column types of query result and sink for '{}' do not match.\nCause: {}\n\nQuery schema: "
                   "{}\nSink schema:  {}",
                   sink.path.ToString(), cause, SchemaText(query), SchemaText(wanted));
}

/// The sink columns that the query's columns go to, in the query's order.
std::vector<size_t> Targets(const Relation& sink, const std::vector<Identifier>& columns) {
  std::vector<size_t> targets;
  if (columns.empty()) {
    targets.resize(sink.columns.size());
    std::iota(targets.begin(), targets.end(), 0);
    return targets;
  }
  std::vector<std::string> names;
  for (const RowField& field : sink.columns) names.push_back(field.name);
  for (const Identifier& column : columns) {
    const auto found = std::find(names.begin(), names.end(), column.name);
    if (found == names.end()) {
      throw InvalidSql(column.span, "table '{}' has no column '{}'{}; its columns are {}", sink.path.ToString(),
                       column.name, DidYouMean(column.name, names), fmt::join(names, ", "));
    }
    const auto index = static_cast<size_t>(found - names.begin());
    if (std::find(targets.begin(), targets.end(), index) != targets.end()) {
      throw InvalidSql(column.span, "column '{}' is named twice", column.name);
    }
    targets.push_back(index);
  }
  return targets;
}

BoundExpression NullFor(const RowField& column, const Relation& sink, const SourceSpan& span) {
  if (!column.type.nullable) {
    throw InvalidSql(span, "column '{}' of table '{}' is NOT NULL and has no default: the column list must have it",
                     column.name, sink.path.ToString());
  }
  return MakeLiteral(arrow::MakeNullScalar(ToArrow(column.type)), column.type, span);
}

}  // namespace

SinkQuery MatchSink(PlanPtr query, const Relation& sink, const std::vector<Identifier>& columns,
                    const SourceSpan& span) {
  const std::vector<size_t> targets = Targets(sink, columns);
  std::vector<RowField> wanted;
  for (size_t target : targets) wanted.push_back(sink.columns[target]);
  if (query->output.size() != wanted.size()) {
    ThrowMismatch(sink, "Different number of columns.", query->output, wanted, span);
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (CanImplicitlyCast(query->output[i].type, wanted[i].type)) continue;
    ThrowMismatch(sink, fmt::format("Incompatible types for sink column '{}' at position {}.", wanted[i].name, i),
                  query->output, wanted, span);
  }

  SinkQuery result;
  std::vector<BoundExpression> given = OutputColumns(*query);
  std::vector<BoundExpression> expressions;
  std::vector<RowField> output;
  for (size_t c = 0; c < sink.columns.size(); ++c) {
    const RowField& column = sink.columns[c];
    const auto target = std::find(targets.begin(), targets.end(), c);
    if (target == targets.end()) {
      expressions.push_back(NullFor(column, sink, span));
    } else {
      expressions.push_back(MakeCast(std::move(given[static_cast<size_t>(target - targets.begin())]), column.type));
      if (!column.type.nullable) result.not_null.push_back(static_cast<int>(c));
    }
    output.push_back({column.name, expressions.back().type, ""});
  }
  result.plan = Project(std::move(query), std::move(expressions), std::move(output), span);
  return result;
}

}  // namespace frazil::sql
