// SPDX-License-Identifier: Apache-2.0
// The scalar functions and operators: from a name and argument types to a kernel and a result type.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/sql/ast.h"
#include "frazil/sql/bound_expression.h"

namespace frazil::sql {

struct ResolvedFunction {
  LogicalType result;
  std::vector<LogicalType> arguments;  ///< what each argument must be cast to before the kernel sees it
  Kernel kernel;
  bool deterministic = true;
  bool can_fail = false;  ///< see BoundExpression::Call
};

/// Resolves a scalar function; `name` in any case. Literal values of arguments are not looked at; symbols (DAY of
/// EXTRACT) are passed in `symbols` in argument order and aren't among `arguments`. Throws SqlError: unknown function
/// (with the nearest name), wrong number or types of arguments (with the signatures).
ResolvedFunction ResolveFunction(std::string_view name, std::span<const LogicalType> arguments,
                                 std::span<const std::string> symbols, const SourceSpan& span);

/// Operators: comparison, arithmetic, ||, IS DISTINCT FROM; by Flink's typing rules.
ResolvedFunction ResolveBinary(BinaryOperator op, const LogicalType& left, const LogicalType& right,
                               const SourceSpan& span);
ResolvedFunction ResolveUnary(UnaryOperator op, const LogicalType& operand, const SourceSpan& span);
ResolvedFunction ResolveIsTest(IsTest::Kind kind, bool negated, const LogicalType& operand, const SourceSpan& span);
/// x LIKE pattern [ESCAPE e]: two or three arguments.
ResolvedFunction ResolveLike(bool similar, bool negated, std::span<const LogicalType> arguments,
                             const SourceSpan& span);
/// base[index] of ARRAY (from 1) and MAP; base.field of ROW.
ResolvedFunction ResolveSubscript(const LogicalType& base, const LogicalType& index, const SourceSpan& span);
ResolvedFunction ResolveField(const LogicalType& row, std::string_view field, const SourceSpan& span);
/// ROW(…), ARRAY[…], MAP[…]: `types` of all parts (MAP: key, value, key, value, …).
ResolvedFunction ResolveRow(std::span<const LogicalType> types, const SourceSpan& span);
ResolvedFunction ResolveArray(std::span<const LogicalType> types, const SourceSpan& span);
ResolvedFunction ResolveMap(std::span<const LogicalType> types, const SourceSpan& span);

/// Names of all scalar functions, upper case, sorted: SHOW FUNCTIONS, completion.
const std::vector<std::string>& ScalarFunctionNames();
bool IsScalarFunction(std::string_view name);

}  // namespace frazil::sql
