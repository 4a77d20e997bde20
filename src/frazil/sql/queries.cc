// SPDX-License-Identifier: Apache-2.0
// SELECT.
#include <thread>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "frazil/base/error.h"
#include "frazil/sql/batch_plan.h"
#include "frazil/sql/pushdown.h"
#include "frazil/sql/query_binder.h"
#include "frazil/sql/session_state.h"

namespace frazil::sql {

namespace {

/// A query's rows for a door: no empty batches, errors with their place in the script.
class QueryStream : public RowStream {
 public:
  QueryStream(std::unique_ptr<RowStream> rows, std::string script)
      : rows_(std::move(rows)), script_(std::move(script)) {}

  std::shared_ptr<arrow::RecordBatch> Next() override {
    try {
      std::shared_ptr<arrow::RecordBatch> batch = rows_->Next();
      while (batch != nullptr && batch->num_rows() == 0) batch = rows_->Next();
      return batch;
    } catch (const SqlError& error) {
      throw error.WithSource(script_);
    }
  }

 private:
  std::unique_ptr<RowStream> rows_;
  std::string script_;
};

}  // namespace

PlanPtr PlanQuery(SessionState& state, const Query& query) {
  const EvalContext context = state.settings.MakeEvalContext();
  QueryBinder binder(state.catalogs, context, state.catalogs.current_catalog(), state.catalogs.current_database());
  return Optimize(binder.Bind(query));
}

StatementResult ExecuteQuery(SessionState& state, const Query& query, std::string_view script) {
  std::shared_ptr<const PlanNode> plan = PlanQuery(state, query);
  const QueryContext context{state.settings.MakeEvalContext(),
                             static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U))};
  StatementResult result;
  result.kind = StatementResult::Kind::kRows;
  result.columns = plan->output;
  auto schema = ToArrowSchema(plan->output);
  result.rows = ToReader(std::make_unique<QueryStream>(RunPlan(plan, context), std::string(script)), std::move(schema));
  return result;
}

}  // namespace frazil::sql
