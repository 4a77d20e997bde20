// SPDX-License-Identifier: Apache-2.0
// COALESCE and its kin, GREATEST and LEAST. IF, CASE and NULLIF are branches, not functions: the binder makes Case
// nodes.
#include <arrow/compute/api_scalar.h>

#include "frazil/sql/columns.h"
#include "frazil/sql/function_table.h"

namespace frazil::sql {

namespace {

std::optional<ResolvedFunction> SameTyped(std::span<const LogicalType> arguments, const char* arrow_function,
                                          bool null_only_if_all,
                                          std::shared_ptr<arrow::compute::FunctionOptions> options = nullptr) {
  if (arguments.empty()) return std::nullopt;
  std::optional<LogicalType> common = CommonType(std::vector<LogicalType>(arguments.begin(), arguments.end()));
  if (!common.has_value()) return std::nullopt;
  if (common->Is(TypeRoot::kNull)) return std::nullopt;
  bool nullable = null_only_if_all ? std::all_of(arguments.begin(), arguments.end(),
                                                 [](const LogicalType& type) { return type.nullable; })
                                   : AnyNullable(arguments);
  LogicalType result = common->WithNullable(nullable);
  return ResolvedFunction{result, std::vector(arguments.size(), common->WithNullable(true)),
                          ArrowKernel(arrow_function, ToArrow(result), std::move(options))};
}

}  // namespace

void AddConditionalFunctions(FunctionTable& table) {
  table.Add("COALESCE", "COALESCE(value, …)",
            [](auto arguments, auto) { return SameTyped(arguments, "coalesce", true); });
  table.Add("IFNULL", "IFNULL(value, value)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (arguments.size() != 2) return std::nullopt;
    return SameTyped(arguments, "coalesce", true);
  });
  // A null makes the result null, as in Flink.
  auto strict = std::make_shared<arrow::compute::ElementWiseAggregateOptions>(/*skip_nulls=*/false);
  table.Add("GREATEST", "GREATEST(value, …)", [strict](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (std::any_of(arguments.begin(), arguments.end(), [](const LogicalType& type) { return type.IsNested(); }))
      return std::nullopt;
    return SameTyped(arguments, "max_element_wise", false, strict);
  });
  table.Add("LEAST", "LEAST(value, …)", [strict](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (std::any_of(arguments.begin(), arguments.end(), [](const LogicalType& type) { return type.IsNested(); }))
      return std::nullopt;
    return SameTyped(arguments, "min_element_wise", false, strict);
  });
}

}  // namespace frazil::sql
