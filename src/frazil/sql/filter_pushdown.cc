// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/filter_pushdown.h"

#include <cstring>

#include <arrow/array/array_base.h>
#include <arrow/buffer.h>
#include <arrow/scalar.h>

#include "frazil/base/arrow_status.h"
#include "frazil/sql/iceberg_types.h"

namespace frazil::sql {

using iceberg::Expression;
using iceberg::Literal;
using iceberg::NestedField;
using iceberg::TypeId;
using Op = Expression::Op;

namespace {

struct Translator {
  const std::vector<std::string>& columns;
  const iceberg::Schema& schema;

  std::optional<Expression> Translate(const BoundExpression& condition) const;
  std::optional<Expression> TranslateJunction(const BoundExpression::Junction& junction) const;
  std::optional<Expression> TranslateCall(const BoundExpression::Call& call) const;
  std::optional<Expression> TranslateComparison(Op op, const BoundExpression& left, const BoundExpression& right) const;
  std::optional<Expression> TranslateLike(const BoundExpression::Call& call) const;
  std::optional<Expression> TranslateIn(const BoundExpression::Call& call) const;
  const NestedField* FieldOf(const BoundExpression& expression) const;
};

Expression Predicate(Op op, const NestedField& field, std::vector<Literal> values = {}) {
  Expression predicate;
  predicate.op = op;
  predicate.column = field.name;
  predicate.values = std::move(values);
  return predicate;
}

std::optional<Op> ComparisonOf(std::string_view name) {
  if (name == "=") return Op::kEq;
  if (name == "<>") return Op::kNotEq;
  if (name == "<") return Op::kLt;
  if (name == "<=") return Op::kLtEq;
  if (name == ">") return Op::kGt;
  if (name == ">=") return Op::kGtEq;
  return std::nullopt;
}

/// a < b is b > a.
Op Mirrored(Op op) {
  switch (op) {
    case Op::kLt: return Op::kGt;
    case Op::kLtEq: return Op::kGtEq;
    case Op::kGt: return Op::kLt;
    case Op::kGtEq: return Op::kLtEq;
    default: return op;
  }
}

template <typename ScalarType>
auto ValueOf(const arrow::Scalar& scalar) {
  return static_cast<const ScalarType&>(scalar).value;
}

__int128 DecimalValue(const arrow::Scalar& scalar) {
  const arrow::Decimal128& value = static_cast<const arrow::Decimal128Scalar&>(scalar).value;
  return (static_cast<__int128>(value.high_bits()) << 64) | value.low_bits();
}

/// Whether values of an SQL type are kept as those of the column are.
bool SameType(const LogicalType& type, const NestedField& field) {
  if (type.IsCharacter() && field.type.id() == TypeId::kString) return true;
  return type.WithNullable(true) == FromIcebergType(field.type, false);
}

/// A value of the column's type.
std::optional<Literal> ToLiteral(const arrow::Scalar& scalar, const NestedField& field) {
  if (!scalar.is_valid) return std::nullopt;
  switch (field.type.id()) {
    case TypeId::kBoolean: return Literal(ValueOf<arrow::BooleanScalar>(scalar));
    case TypeId::kInt: return Literal(ValueOf<arrow::Int32Scalar>(scalar));
    case TypeId::kLong: return Literal(ValueOf<arrow::Int64Scalar>(scalar));
    case TypeId::kFloat: return Literal(ValueOf<arrow::FloatScalar>(scalar));
    case TypeId::kDouble: return Literal(ValueOf<arrow::DoubleScalar>(scalar));
    case TypeId::kDecimal: return Literal(DecimalValue(scalar));
    case TypeId::kDate: return Literal(ValueOf<arrow::Date32Scalar>(scalar));
    case TypeId::kTime: return Literal(ValueOf<arrow::Time64Scalar>(scalar));
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs: return Literal(ValueOf<arrow::TimestampScalar>(scalar));
    case TypeId::kString:
    case TypeId::kBinary:
    case TypeId::kFixed:
    case TypeId::kUuid: return Literal(static_cast<const arrow::BaseBinaryScalar&>(scalar).value->ToString());
    default: return std::nullopt;
  }
}

/// The constant as a value of the column, or nothing if its SQL type isn't the column's.
std::optional<Literal> ToLiteral(const BoundExpression& constant, const NestedField& field) {
  const auto* literal = constant.As<BoundExpression::Literal>();
  if (literal == nullptr || !SameType(constant.type, field)) return std::nullopt;
  return ToLiteral(*literal->value, field);
}

const NestedField* Translator::FieldOf(const BoundExpression& expression) const {
  const auto* column = expression.As<BoundExpression::InputColumn>();
  if (column == nullptr) return nullptr;
  const NestedField* field = schema.FindField(columns[static_cast<size_t>(column->index)]);
  return field != nullptr && field->type.is_primitive() ? field : nullptr;
}

std::optional<Expression> Translator::TranslateComparison(Op op, const BoundExpression& left,
                                                          const BoundExpression& right) const {
  const NestedField* field = FieldOf(left);
  const bool mirrored = field == nullptr;
  if (mirrored) field = FieldOf(right);
  if (field == nullptr) return std::nullopt;
  std::optional<Literal> value = ToLiteral(mirrored ? left : right, *field);
  if (!value) return std::nullopt;
  return Predicate(mirrored ? Mirrored(op) : op, *field, {*std::move(value)});
}

std::optional<Expression> Translator::TranslateLike(const BoundExpression::Call& call) const {
  if (call.arguments.size() != 2) return std::nullopt;
  const NestedField* field = FieldOf(call.arguments[0]);
  if (field == nullptr || field->type.id() != TypeId::kString) return std::nullopt;
  std::optional<Literal> value = ToLiteral(call.arguments[1], *field);
  if (!value) return std::nullopt;
  const auto& pattern = std::get<std::string>(*value);
  const size_t wildcard = pattern.find_first_of("%_\\");
  if (wildcard == 0) return std::nullopt;
  if (wildcard == std::string::npos) return Predicate(Op::kEq, *field, {pattern});
  // What follows the prefix doesn't matter for pruning.
  return Predicate(Op::kStartsWith, *field, {pattern.substr(0, wildcard)});
}

std::optional<Expression> Translator::TranslateIn(const BoundExpression::Call& call) const {
  const NestedField* field = FieldOf(call.arguments[0]);
  if (field == nullptr || call.in_values == nullptr || !SameType(call.arguments[0].type, *field)) return std::nullopt;
  std::vector<Literal> values;
  for (int64_t i = 0; i < call.in_values->length(); ++i) {
    std::optional<Literal> value = ToLiteral(*Unwrap(call.in_values->GetScalar(i), "IN"), *field);
    if (!value) return std::nullopt;
    values.push_back(*std::move(value));
  }
  return Predicate(Op::kIn, *field, std::move(values));
}

std::optional<Expression> Translator::TranslateCall(const BoundExpression::Call& call) const {
  if (call.arguments.size() == 2) {
    if (std::optional<Op> op = ComparisonOf(call.name)) {
      return TranslateComparison(*op, call.arguments[0], call.arguments[1]);
    }
  }
  if (call.name == "LIKE") return TranslateLike(call);
  if (call.name == "IN") return TranslateIn(call);
  if (call.name == "IS NULL" || call.name == "IS NOT NULL") {
    const NestedField* field = FieldOf(call.arguments[0]);
    if (field == nullptr) return std::nullopt;
    return Predicate(call.name == "IS NULL" ? Op::kIsNull : Op::kNotNull, *field);
  }
  return std::nullopt;
}

std::optional<Expression> Translator::TranslateJunction(const BoundExpression::Junction& junction) const {
  std::vector<Expression> children;
  for (const BoundExpression& operand : junction.operands) {
    std::optional<Expression> child = Translate(operand);
    if (!child && !junction.is_and) return std::nullopt;
    if (child) children.push_back(*std::move(child));
  }
  if (children.empty()) return std::nullopt;
  if (children.size() == 1) return std::move(children.front());
  Expression both;
  both.op = junction.is_and ? Op::kAnd : Op::kOr;
  both.children = std::move(children);
  return both;
}

std::optional<Expression> Translator::Translate(const BoundExpression& condition) const {
  if (const auto* junction = condition.As<BoundExpression::Junction>()) return TranslateJunction(*junction);
  if (const auto* call = condition.As<BoundExpression::Call>()) return TranslateCall(*call);
  const NestedField* field = FieldOf(condition);
  if (field == nullptr || field->type.id() != TypeId::kBoolean) return std::nullopt;
  return Predicate(Op::kEq, *field, {Literal(true)});
}

std::string ToText(const Expression& filter, const iceberg::Schema& schema) {
  static const std::map<Op, std::string_view> kOperators = {{Op::kEq, "="},
                                                            {Op::kNotEq, "<>"},
                                                            {Op::kLt, "<"},
                                                            {Op::kLtEq, "<="},
                                                            {Op::kGt, ">"},
                                                            {Op::kGtEq, ">="},
                                                            {Op::kStartsWith, "starts with"},
                                                            {Op::kIn, "IN"},
                                                            {Op::kIsNull, "IS NULL"},
                                                            {Op::kNotNull, "IS NOT NULL"}};
  if (!filter.children.empty()) {
    std::string text;
    for (const Expression& child : filter.children) {
      text += (text.empty() ? "" : filter.op == Op::kAnd ? " AND " : " OR ") + ToText(child, schema);
    }
    return "(" + text + ")";
  }
  std::string text = fmt::format("{} {}", filter.column, kOperators.at(filter.op));
  const NestedField* field = schema.FindField(filter.column);
  for (const Literal& value : filter.values) text += " " + iceberg::ToHumanString(field->type, value);
  return text;
}

}  // namespace

Expression PushableFilter(const BoundExpression& condition, const std::vector<std::string>& columns,
                          const iceberg::Schema& schema) {
  return Translator{columns, schema}.Translate(condition).value_or(Expression{});
}

std::vector<std::string> FilterText(const Expression& filter, const iceberg::Schema& schema) {
  std::vector<std::string> conjuncts;
  if (filter.op == Op::kTrue) return conjuncts;
  if (filter.op != Op::kAnd) return {ToText(filter, schema)};
  for (const Expression& child : filter.children) conjuncts.push_back(ToText(child, schema));
  return conjuncts;
}

}  // namespace frazil::sql
