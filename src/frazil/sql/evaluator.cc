// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/evaluator.h"

#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/scalar.h>

#include "frazil/base/arrow_compute.h"
#include "frazil/base/arrow_status.h"
#include "frazil/sql/cast.h"

namespace frazil::sql {

namespace {

using arrow::Datum;

bool CanFail(const BoundExpression& expression) {
  if (const auto* call = expression.As<BoundExpression::Call>()) {
    return call->can_fail || std::any_of(call->arguments.begin(), call->arguments.end(), CanFail);
  }
  if (const auto* junction = expression.As<BoundExpression::Junction>()) {
    return std::any_of(junction->operands.begin(), junction->operands.end(), CanFail);
  }
  if (const auto* branches = expression.As<BoundExpression::Case>()) {
    return std::any_of(branches->conditions.begin(), branches->conditions.end(), CanFail) ||
           std::any_of(branches->results.begin(), branches->results.end(), CanFail);
  }
  if (const auto* cast = expression.As<BoundExpression::Cast>()) {
    const BoundExpression& operand = cast->operand.front();
    return (!cast->is_try && CastCanFail(operand.type, expression.type)) || CanFail(operand);
  }
  return false;
}

std::shared_ptr<arrow::Array> AsArray(const Datum& value, int64_t rows) {
  if (value.is_array()) return value.make_array();
  return Unwrap(arrow::MakeArrayFromScalar(*value.scalar(), rows), "repeating a constant");
}

/// Evaluates over some rows of a batch: all of them, or those of `selection` (int32 row numbers).
class Evaluation {
 public:
  Evaluation(const arrow::RecordBatch& batch, const EvalContext& context, std::shared_ptr<arrow::Array> selection = {})
      : batch_(batch), context_(context), selection_(std::move(selection)) {}

  int64_t rows() const { return selection_ == nullptr ? batch_.num_rows() : selection_->length(); }

  Datum Eval(const BoundExpression& expression) {
    try {
      return std::visit([&](const auto& node) { return EvalNode(node, expression); }, expression.node);
    } catch (const SqlError&) {
      throw;
    } catch (const Error& e) {
      throw SqlError(e.kind(), expression.span, e.what());
    }
  }

 private:
  Datum EvalNode(const BoundExpression::Literal& literal, const BoundExpression&) { return literal.value; }

  Datum EvalNode(const BoundExpression::InputColumn& input, const BoundExpression&) {
    if (selection_ == nullptr) return batch_.column(input.index);
    std::shared_ptr<arrow::Array>& taken = taken_[input.index];
    if (taken == nullptr) taken = Take(batch_.column(input.index), selection_);
    return taken;
  }

  Datum EvalNode(const BoundExpression::Call& call, const BoundExpression&) {
    std::vector<Datum> arguments;
    arguments.reserve(call.arguments.size());
    for (const BoundExpression& argument : call.arguments) arguments.push_back(Eval(argument));
    return call.kernel(arguments, rows(), context_);
  }

  Datum EvalNode(const BoundExpression::Cast& cast, const BoundExpression& node) {
    const BoundExpression& operand = cast.operand.front();
    Datum value = Eval(operand);
    if (value.is_array()) return CastArray(value.make_array(), operand.type, node.type, cast.is_try, context_);
    std::shared_ptr<arrow::Array> one = AsArray(value, 1);
    return Unwrap(CastArray(one, operand.type, node.type, cast.is_try, context_)->GetScalar(0), "CAST");
  }

  Datum EvalNode(const BoundExpression::Junction& junction, const BoundExpression&) {
    // What can't fail is combined first, over all rows; the rest sees only the rows that it still decides.
    Datum value;
    auto combine = [&](const Datum& more) {
      if (value.kind() == Datum::NONE) {
        value = more;
        return;
      }
      value = Unwrap(junction.is_and ? arrow::compute::KleeneAnd(value, more) : arrow::compute::KleeneOr(value, more),
                     junction.is_and ? "AND" : "OR");
    };
    for (const BoundExpression& operand : junction.operands) {
      if (!CanFail(operand)) combine(Eval(operand));
    }
    for (const BoundExpression& operand : junction.operands) {
      if (!CanFail(operand)) continue;
      if (value.kind() == Datum::NONE) {
        value = Eval(operand);
        continue;
      }
      std::shared_ptr<arrow::Array> so_far = AsArray(value, rows());
      std::vector<int32_t> undecided = RowsWhereNot(static_cast<const arrow::BooleanArray&>(*so_far), !junction.is_and);
      combine(EvalScattered(operand, undecided, !junction.is_and));
    }
    return value;
  }

  Datum EvalNode(const BoundExpression::Case& branches, const BoundExpression& node) {
    if (!std::any_of(branches.results.begin(), branches.results.end(), CanFail) &&
        !std::any_of(branches.conditions.begin(), branches.conditions.end(), CanFail) && !node.type.IsNested()) {
      return EvalSafeCase(branches);
    }
    std::vector<int32_t> remaining(rows());
    for (size_t i = 0; i < remaining.size(); ++i) remaining[i] = static_cast<int32_t>(i);
    arrow::ArrayVector parts;
    std::vector<int32_t> place(rows());  // of each row in the concatenated parts
    int32_t offset = 0;
    auto add_part = [&](const BoundExpression& result, const std::vector<int32_t>& chosen) {
      if (chosen.empty()) return;
      Evaluation sub = Sub(chosen);
      parts.push_back(AsArray(sub.Eval(result), sub.rows()));
      for (int32_t row : chosen) place[row] = offset++;
    };
    for (size_t i = 0; i < branches.conditions.size() && !remaining.empty(); ++i) {
      Evaluation sub = Sub(remaining);
      std::shared_ptr<arrow::Array> holds = AsArray(sub.Eval(branches.conditions[i]), sub.rows());
      const auto& flags = static_cast<const arrow::BooleanArray&>(*holds);
      std::vector<int32_t> chosen;
      std::vector<int32_t> rest;
      for (int64_t r = 0; r < flags.length(); ++r) {
        (flags.IsValid(r) && flags.Value(r) ? chosen : rest).push_back(remaining[r]);
      }
      add_part(branches.results[i], chosen);
      remaining = std::move(rest);
    }
    add_part(branches.results.back(), remaining);
    if (parts.empty()) return Unwrap(arrow::MakeEmptyArray(ToArrow(node.type)), "CASE");
    std::shared_ptr<arrow::Array> all = Unwrap(arrow::Concatenate(parts), "CASE");
    return Take(all, IndexArray(place));
  }

  Datum EvalSafeCase(const BoundExpression::Case& branches) {
    std::vector<Datum> conditions;
    std::vector<Datum> arguments(1);
    for (const BoundExpression& condition : branches.conditions) conditions.push_back(AsArray(Eval(condition), rows()));
    arrow::ArrayVector children;
    arrow::FieldVector fields;
    for (size_t i = 0; i < conditions.size(); ++i) {
      children.push_back(conditions[i].make_array());
      fields.push_back(arrow::field(std::to_string(i), arrow::boolean()));
    }
    arguments[0] = Unwrap(arrow::StructArray::Make(children, fields), "CASE");
    for (const BoundExpression& result : branches.results) arguments.push_back(Eval(result));
    return Unwrap(arrow::compute::CallFunction("case_when", arguments), "CASE");
  }

  /// `operand` (BOOLEAN) on `chosen` rows, `otherwise` on the others.
  Datum EvalScattered(const BoundExpression& operand, const std::vector<int32_t>& chosen, bool otherwise) {
    if (static_cast<int64_t>(chosen.size()) == rows()) return Eval(operand);
    arrow::BooleanBuilder builder;
    Check(builder.Reserve(rows()), "AND/OR");
    std::shared_ptr<arrow::Array> values;
    if (!chosen.empty()) {
      Evaluation sub = Sub(chosen);
      values = AsArray(sub.Eval(operand), sub.rows());
    }
    size_t next = 0;
    for (int64_t row = 0; row < rows(); ++row) {
      if (next == chosen.size() || chosen[next] != row) {
        builder.UnsafeAppend(otherwise);
        continue;
      }
      const auto& flags = static_cast<const arrow::BooleanArray&>(*values);
      if (flags.IsNull(static_cast<int64_t>(next))) {
        builder.UnsafeAppendNull();
      } else {
        builder.UnsafeAppend(flags.Value(static_cast<int64_t>(next)));
      }
      ++next;
    }
    return Unwrap(builder.Finish(), "AND/OR");
  }

  static std::vector<int32_t> RowsWhereNot(const arrow::BooleanArray& flags, bool value) {
    std::vector<int32_t> found;
    for (int64_t row = 0; row < flags.length(); ++row) {
      if (flags.IsNull(row) || flags.Value(row) != value) found.push_back(static_cast<int32_t>(row));
    }
    return found;
  }

  static std::shared_ptr<arrow::Array> IndexArray(const std::vector<int32_t>& rows) {
    arrow::Int32Builder builder;
    Check(builder.AppendValues(rows), "row selection");
    return Unwrap(builder.Finish(), "row selection");
  }

  static std::shared_ptr<arrow::Array> Take(const std::shared_ptr<arrow::Array>& values,
                                            const std::shared_ptr<arrow::Array>& indices) {
    return Unwrap(arrow::compute::Take(*values, *indices, arrow::compute::TakeOptions::NoBoundsCheck()),
                  "row selection");
  }

  /// `chosen`: row numbers of this evaluation, ascending.
  Evaluation Sub(const std::vector<int32_t>& chosen) const {
    if (static_cast<int64_t>(chosen.size()) == rows()) return Evaluation(batch_, context_, selection_);
    std::shared_ptr<arrow::Array> indices = IndexArray(chosen);
    return Evaluation(batch_, context_, selection_ == nullptr ? indices : Take(selection_, indices));
  }

  const arrow::RecordBatch& batch_;
  const EvalContext& context_;
  std::shared_ptr<arrow::Array> selection_;
  std::unordered_map<int, std::shared_ptr<arrow::Array>> taken_;
};

bool IsConstant(const BoundExpression& expression) {
  auto all = [](const std::vector<BoundExpression>& parts) {
    return std::all_of(parts.begin(), parts.end(), IsConstant);
  };
  if (expression.As<BoundExpression::Literal>() != nullptr) return true;
  if (expression.As<BoundExpression::InputColumn>() != nullptr) return false;
  if (const auto* call = expression.As<BoundExpression::Call>()) return call->deterministic && all(call->arguments);
  if (const auto* junction = expression.As<BoundExpression::Junction>()) return all(junction->operands);
  if (const auto* branches = expression.As<BoundExpression::Case>()) {
    return all(branches->conditions) && all(branches->results);
  }
  return IsConstant(expression.As<BoundExpression::Cast>()->operand.front());
}

std::vector<BoundExpression*> Children(BoundExpression& expression) {
  std::vector<BoundExpression*> children;
  auto add = [&](std::vector<BoundExpression>& parts) {
    for (BoundExpression& part : parts) children.push_back(&part);
  };
  if (auto* call = std::get_if<BoundExpression::Call>(&expression.node)) add(call->arguments);
  if (auto* junction = std::get_if<BoundExpression::Junction>(&expression.node)) add(junction->operands);
  if (auto* cast = std::get_if<BoundExpression::Cast>(&expression.node)) add(cast->operand);
  if (auto* branches = std::get_if<BoundExpression::Case>(&expression.node)) {
    add(branches->conditions);
    add(branches->results);
  }
  return children;
}

std::shared_ptr<arrow::RecordBatch> OneRow() {
  return arrow::RecordBatch::Make(arrow::schema({}), 1, arrow::ArrayVector{});
}

}  // namespace

std::shared_ptr<arrow::Array> Evaluate(const BoundExpression& expression, const arrow::RecordBatch& batch,
                                       const EvalContext& context) {
  InitializeArrowCompute();
  return AsArray(Evaluation(batch, context).Eval(expression), batch.num_rows());
}

std::shared_ptr<arrow::RecordBatch> Filter(const BoundExpression& condition,
                                           const std::shared_ptr<arrow::RecordBatch>& batch,
                                           const EvalContext& context) {
  std::shared_ptr<arrow::Array> mask = Evaluate(condition, *batch, context);
  const auto& flags = static_cast<const arrow::BooleanArray&>(*mask);
  if (flags.true_count() == batch->num_rows()) return batch;
  Datum kept = Unwrap(arrow::compute::Filter(batch, mask), "WHERE");
  return kept.record_batch();
}

std::shared_ptr<arrow::RecordBatch> Project(const std::vector<BoundExpression>& expressions,
                                            const std::shared_ptr<arrow::Schema>& output,
                                            const std::shared_ptr<arrow::RecordBatch>& batch,
                                            const EvalContext& context) {
  InitializeArrowCompute();
  Evaluation evaluation(*batch, context);
  arrow::ArrayVector columns;
  columns.reserve(expressions.size());
  for (const BoundExpression& expression : expressions) {
    if (const auto* input = expression.As<BoundExpression::InputColumn>()) {
      columns.push_back(batch->column(input->index));
      continue;
    }
    columns.push_back(AsArray(evaluation.Eval(expression), batch->num_rows()));
  }
  return arrow::RecordBatch::Make(output, batch->num_rows(), std::move(columns));
}

std::shared_ptr<arrow::Scalar> EvaluateConstant(const BoundExpression& expression, const EvalContext& context) {
  return Unwrap(Evaluate(expression, *OneRow(), context)->GetScalar(0), "constant");
}

BoundExpression FoldConstants(BoundExpression expression, const EvalContext& context) {
  if (expression.As<BoundExpression::Literal>() != nullptr) return expression;
  if (IsConstant(expression)) {
    try {
      BoundExpression folded;
      folded.node = BoundExpression::Literal{EvaluateConstant(expression, context)};
      folded.type = std::move(expression.type);
      folded.span = expression.span;
      return folded;
    } catch (const Error&) {
      return expression;
    }
  }
  for (BoundExpression* child : Children(expression)) *child = FoldConstants(std::move(*child), context);
  return expression;
}

std::string ToString(const BoundExpression& expression) {
  auto join = [](const std::vector<BoundExpression>& parts, std::string_view separator) {
    std::string out;
    for (const BoundExpression& part : parts) {
      if (!out.empty()) out += separator;
      out += ToString(part);
    }
    return out;
  };
  if (const auto* literal = expression.As<BoundExpression::Literal>()) {
    if (!literal->value->is_valid) return "NULL";
    std::string text = literal->value->ToString();
    return expression.type.IsNumeric() || expression.type.Is(TypeRoot::kBoolean) ? text : fmt::format("'{}'", text);
  }
  if (const auto* input = expression.As<BoundExpression::InputColumn>()) return input->name;
  if (const auto* call = expression.As<BoundExpression::Call>()) {
    const std::string& name = call->name;
    const bool is_operator = std::isalpha(static_cast<unsigned char>(name.front())) == 0 || name.ends_with("LIKE");
    if (name.front() == '.') return ToString(call->arguments.front()) + name;
    if (is_operator && call->arguments.size() == 2) return fmt::format("({})", join(call->arguments, " " + name + " "));
    if (name.starts_with("IS ")) return fmt::format("({} {})", ToString(call->arguments.front()), name);
    return fmt::format("{}({})", name, join(call->arguments, ", "));
  }
  if (const auto* junction = expression.As<BoundExpression::Junction>()) {
    return fmt::format("({})", join(junction->operands, junction->is_and ? " AND " : " OR "));
  }
  if (const auto* branches = expression.As<BoundExpression::Case>()) {
    std::string out = "CASE";
    for (size_t i = 0; i < branches->conditions.size(); ++i) {
      out += fmt::format(" WHEN {} THEN {}", ToString(branches->conditions[i]), ToString(branches->results[i]));
    }
    return out + fmt::format(" ELSE {} END", ToString(branches->results.back()));
  }
  const auto* cast = expression.As<BoundExpression::Cast>();
  return fmt::format("{}({} AS {})", cast->is_try ? "TRY_CAST" : "CAST", ToString(cast->operand.front()),
                     expression.type.ToStringWithoutNullability());
}

}  // namespace frazil::sql
