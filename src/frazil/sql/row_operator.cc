// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/row_operator.h"

#include <arrow/array/array_primitive.h>
#include <arrow/compute/api.h>
#include <arrow/record_batch.h>

#include "frazil/base/arrow_compute.h"
#include "frazil/base/arrow_status.h"
#include "frazil/base/clock.h"
#include "frazil/sql/column_layout.h"
#include "frazil/sql/evaluator.h"

namespace frazil::sql {

namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

class RowOperator : public stream::Operator {
 public:
  explicit RowOperator(std::shared_ptr<const RowProgram> program) : program_(std::move(program)) {
    context_.time_zone = program_->time_zone;
  }

  void ProcessBatch(stream::ChangeBatch batch, stream::Output& output) override {
    if (batch.row_kinds != nullptr) {
      throw Unsupported("sources with updates or deletes are not supported yet (table '{}')", program_->table);
    }
    context_.now_micros = NowMicros();
    try {
      BatchPtr rows = Enforce(Apply(std::move(batch.rows)));
      if (rows->num_rows() > 0) output.Emit({WithSchema(rows, program_->schema), nullptr});
    } catch (const SqlError& error) {
      throw error.WithSource(*program_->script);
    }
  }

 private:
  BatchPtr Apply(BatchPtr rows) const {
    for (const RowStep& step : program_->steps) {
      rows = step.condition ? Filter(*step.condition, rows, context_)
                            : Project(step.expressions, step.schema, rows, context_);
      if (rows->num_rows() == 0) break;
    }
    return rows;
  }

  BatchPtr Enforce(BatchPtr rows) const {
    if (rows->num_rows() == 0) return rows;
    for (const NotNullColumn& column : program_->not_null) {
      const std::shared_ptr<arrow::Array>& values = rows->column(column.index);
      if (values->null_count() == 0) continue;
      if (!program_->drop_nulls) {
        throw InvalidArgument(
            "Column '{}' of table '{}' is NOT NULL, however, a null value is being written into it. You can set "
            "'table.exec.sink.not-null-enforcer' = 'DROP' to drop such rows silently, or give it a value with COALESCE",
            column.name, program_->table);
      }
      rows = WithoutNulls(rows, values);
    }
    return rows;
  }

  static BatchPtr WithoutNulls(const BatchPtr& rows, const std::shared_ptr<arrow::Array>& values) {
    InitializeArrowCompute();
    const arrow::Datum valid = Unwrap(arrow::compute::CallFunction("is_valid", {values}), "NOT NULL");
    return Unwrap(arrow::compute::CallFunction("filter", {arrow::Datum(rows), valid}), "NOT NULL").record_batch();
  }

  std::shared_ptr<const RowProgram> program_;
  EvalContext context_;
};

}  // namespace

stream::OperatorFactory MakeRowOperator(std::shared_ptr<const RowProgram> program) {
  return [program = std::move(program)] { return std::make_unique<RowOperator>(program); };
}

}  // namespace frazil::sql
