// SPDX-License-Identifier: Apache-2.0
// Makers of statement results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/sql/session.h"

namespace frazil::sql {

StatementResult Done(std::string message = "");

/// A result set in memory, written row by row: for SHOW, DESCRIBE, EXPLAIN.
class RowsResult {
 public:
  /// Types: STRING and BOOLEAN.
  explicit RowsResult(std::vector<RowField> columns);

  using Cell = std::optional<std::string>;  ///< nullopt is NULL; BOOLEAN takes "true" and "false"
  void Add(std::vector<Cell> cells);
  StatementResult Finish();

 private:
  std::vector<RowField> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// One text, as the column "result".
StatementResult OneText(const std::string& text);

/// One STRING column.
StatementResult OneColumn(const std::string& name, const std::vector<std::string>& values);

}  // namespace frazil::sql
