// SPDX-License-Identifier: Apache-2.0
// Expressions after binding: columns are indexes, functions are kernels, every node has a type, implicit casts are
// written out. Evaluated a batch at a time (evaluator.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/sql/error.h"
#include "frazil/sql/types.h"

namespace arrow {
struct Datum;
}

namespace frazil::sql {

/// What evaluation needs besides rows.
struct EvalContext {
  std::string time_zone = "UTC";  ///< `table.local-time-zone`, an IANA name or "UTC"
  int64_t now_micros = 0;  ///< of CURRENT_TIMESTAMP: start of the query (batch), of the batch of rows (streaming)
};

/// A vectorised function. Each argument is an array of `rows` values or a scalar, of the types that the function was
/// resolved for; the result is an array of `rows` values or a scalar, of the resolved result type. Throws Error (no
/// place: the evaluator adds that of the call).
using Kernel = std::function<arrow::Datum(std::span<const arrow::Datum> arguments, int64_t rows, const EvalContext&)>;

/// A value.
struct BoundExpression {
  struct Literal {
    std::shared_ptr<arrow::Scalar> value;  ///< of ToArrow(type)
  };
  struct InputColumn {
    int index = 0;
    std::string name;
  };
  struct Call {
    std::string name;  ///< for EXPLAIN and errors
    Kernel kernel;
    std::vector<BoundExpression> arguments;
    bool deterministic = true;
    bool can_fail = true;  ///< may throw on some value; then it must not see rows that a condition keeps away from it
    std::shared_ptr<arrow::Array> in_values;  ///< of IN with constants: the values, for pruning
  };
  /// Three-valued AND/OR.
  struct Junction {
    bool is_and = true;
    std::vector<BoundExpression> operands;
  };
  /// Searched CASE: a branch is evaluated only on the rows that reach it. `results` has one more element than
  /// `conditions`, the ELSE. All results are of the node's type.
  struct Case {
    std::vector<BoundExpression> conditions;
    std::vector<BoundExpression> results;
  };
  struct Cast {
    std::vector<BoundExpression> operand;  ///< one
    bool is_try = false;                   ///< TRY_CAST: NULL where the cast fails
  };

  LogicalType type;
  SourceSpan span;
  std::variant<Literal, InputColumn, Call, Junction, Case, Cast> node;

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&node);
  }
};

/// For EXPLAIN: "CAST($2 AS BIGINT)", "UPPER(name)", …
std::string ToString(const BoundExpression& expression);

}  // namespace frazil::sql
