// SPDX-License-Identifier: Apache-2.0
// How the files of functions (functions_*.cc) put their functions into the one table that ResolveFunction looks in.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/datum.h>

#include "frazil/sql/functions.h"

namespace frazil::sql {

/// Of a call whose arguments it takes, the resolved function; nothing if it doesn't take them. `symbols`: unit names
/// and the like, upper case.
using FunctionResolver = std::function<std::optional<ResolvedFunction>(std::span<const LogicalType> arguments,
                                                                       std::span<const std::string> symbols)>;

class FunctionTable {
 public:
  /// `signature` is for error messages and SHOW FUNCTIONS: "SUBSTRING(STRING, INT [, INT])".
  void Add(std::string name, std::string signature, FunctionResolver resolver);
  /// The same function under a second name.
  void Alias(std::string name, const std::string& existing);

  struct Entry {
    std::string signature;
    FunctionResolver resolver;
  };
  const std::map<std::string, Entry, std::less<>>& entries() const { return entries_; }

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

void AddTextFunctions(FunctionTable& table);
void AddMathFunctions(FunctionTable& table);
void AddTimeFunctions(FunctionTable& table);
void AddConditionalFunctions(FunctionTable& table);
void AddNestedFunctions(FunctionTable& table);

/// A kernel that calls a function of Arrow's registry; the result is cast to `result` where Arrow gives another type.
Kernel ArrowKernel(std::string function, std::shared_ptr<arrow::DataType> result,
                   std::shared_ptr<arrow::compute::FunctionOptions> options = nullptr);

/// A number as text ends up in an argument of type STRING, as Flink's implicit casts allow for character arguments
/// only.
inline bool AllCharacter(std::span<const LogicalType> types) {
  return std::all_of(types.begin(), types.end(),
                     [](const LogicalType& type) { return type.IsCharacter() || type.Is(TypeRoot::kNull); });
}
inline bool IsIntegerOrNull(const LogicalType& type) { return type.IsInteger() || type.Is(TypeRoot::kNull); }
inline bool AnyNullable(std::span<const LogicalType> types) {
  return std::any_of(types.begin(), types.end(), [](const LogicalType& type) { return type.nullable; });
}

}  // namespace frazil::sql
