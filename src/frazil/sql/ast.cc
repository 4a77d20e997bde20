// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/ast.h"

#include "frazil/sql/parser.h"

namespace frazil::sql {

std::string QualifiedName::ToString() const {
  std::string out;
  for (const Identifier& part : parts) {
    if (!out.empty()) out += '.';
    out += QuoteIdentifier(part.name);
  }
  return out;
}

std::string_view ToString(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kEqual: return "=";
    case BinaryOperator::kNotEqual: return "<>";
    case BinaryOperator::kLess: return "<";
    case BinaryOperator::kLessOrEqual: return "<=";
    case BinaryOperator::kGreater: return ">";
    case BinaryOperator::kGreaterOrEqual: return ">=";
    case BinaryOperator::kIsDistinctFrom: return "IS DISTINCT FROM";
    case BinaryOperator::kIsNotDistinctFrom: return "IS NOT DISTINCT FROM";
    case BinaryOperator::kAdd: return "+";
    case BinaryOperator::kSubtract: return "-";
    case BinaryOperator::kMultiply: return "*";
    case BinaryOperator::kDivide: return "/";
    case BinaryOperator::kModulo: return "%";
    case BinaryOperator::kConcat: return "||";
  }
  return "";
}

}  // namespace frazil::sql
