// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/batch_plan.h"

#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "frazil/base/arrow_status.h"
#include "frazil/sql/batch_operators.h"
#include "frazil/sql/evaluator.h"

namespace frazil::sql {

namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

class ValuesStream : public RowStream {
 public:
  ValuesStream(const PlanNode& plan, const QueryContext& context)
      : plan_(plan), values_(*plan.As<ValuesNode>()), context_(context) {}

  BatchPtr Next() override {
    if (done_) return nullptr;
    done_ = true;
    auto schema = ToArrowSchema(plan_.output);
    arrow::ArrayVector columns;
    for (int c = 0; c < schema->num_fields(); ++c) columns.push_back(Column(c, schema->field(c)->type()));
    return arrow::RecordBatch::Make(std::move(schema), static_cast<int64_t>(values_.rows.size()), std::move(columns));
  }

 private:
  std::shared_ptr<arrow::Array> Column(int index, const std::shared_ptr<arrow::DataType>& type) const {
    std::unique_ptr<arrow::ArrayBuilder> builder = Unwrap(arrow::MakeBuilder(type), "VALUES");
    for (const std::vector<BoundExpression>& row : values_.rows) {
      std::shared_ptr<arrow::Scalar> value = EvaluateConstant(row[static_cast<size_t>(index)], context_.eval);
      Check(value->is_valid ? builder->AppendScalar(*value) : builder->AppendNull(), "VALUES");
    }
    return Unwrap(builder->Finish(), "VALUES");
  }

  const PlanNode& plan_;
  const ValuesNode& values_;
  const QueryContext& context_;
  bool done_ = false;
};

class FilterStream : public RowStream {
 public:
  FilterStream(const PlanNode& plan, std::unique_ptr<RowStream> input, const QueryContext& context)
      : condition_(plan.As<FilterNode>()->condition), input_(std::move(input)), context_(context) {}

  BatchPtr Next() override {
    BatchPtr batch = input_->Next();
    return batch == nullptr ? nullptr : Filter(condition_, batch, context_.eval);
  }

 private:
  const BoundExpression& condition_;
  std::unique_ptr<RowStream> input_;
  const QueryContext& context_;
};

class ProjectStream : public RowStream {
 public:
  ProjectStream(const PlanNode& plan, std::unique_ptr<RowStream> input, const QueryContext& context)
      : expressions_(plan.As<ProjectNode>()->expressions),
        schema_(ToArrowSchema(plan.output)),
        input_(std::move(input)),
        context_(context) {}

  BatchPtr Next() override {
    BatchPtr batch = input_->Next();
    return batch == nullptr ? nullptr : sql::Project(expressions_, schema_, batch, context_.eval);
  }

 private:
  const std::vector<BoundExpression>& expressions_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<RowStream> input_;
  const QueryContext& context_;
};

class LimitStream : public RowStream {
 public:
  LimitStream(const LimitNode& limit, std::unique_ptr<RowStream> input)
      : to_skip_(limit.offset),
        left_(limit.limit.value_or(std::numeric_limits<int64_t>::max())),
        input_(std::move(input)) {}

  BatchPtr Next() override {
    if (left_ == 0) input_.reset();
    if (input_ == nullptr) return nullptr;
    BatchPtr batch = input_->Next();
    if (batch == nullptr) return nullptr;
    const int64_t skipped = std::min(to_skip_, batch->num_rows());
    const int64_t taken = std::min(left_, batch->num_rows() - skipped);
    to_skip_ -= skipped;
    left_ -= taken;
    return batch->Slice(skipped, taken);
  }

 private:
  int64_t to_skip_;
  int64_t left_;
  std::unique_ptr<RowStream> input_;
};

class UnionStream : public RowStream {
 public:
  UnionStream(std::vector<std::unique_ptr<RowStream>> inputs, std::shared_ptr<arrow::Schema> schema)
      : inputs_(std::move(inputs)), schema_(std::move(schema)) {}

  BatchPtr Next() override {
    for (; current_ < inputs_.size(); ++current_) {
      if (BatchPtr batch = inputs_[current_]->Next()) {
        return arrow::RecordBatch::Make(schema_, batch->num_rows(), batch->columns());
      }
      inputs_[current_].reset();
    }
    return nullptr;
  }

 private:
  std::vector<std::unique_ptr<RowStream>> inputs_;
  std::shared_ptr<arrow::Schema> schema_;
  size_t current_ = 0;
};

std::unique_ptr<RowStream> Start(const PlanNode& plan, const QueryContext& context) {
  std::vector<std::unique_ptr<RowStream>> inputs;
  for (const PlanPtr& input : plan.inputs) inputs.push_back(Start(*input, context));
  if (plan.As<ScanNode>() != nullptr) return MakeScanStream(plan, context);
  if (plan.As<ValuesNode>() != nullptr) return std::make_unique<ValuesStream>(plan, context);
  if (plan.As<FilterNode>() != nullptr) return std::make_unique<FilterStream>(plan, std::move(inputs[0]), context);
  if (plan.As<ProjectNode>() != nullptr) return std::make_unique<ProjectStream>(plan, std::move(inputs[0]), context);
  if (plan.As<AggregateNode>() != nullptr) return MakeAggregateStream(plan, std::move(inputs[0]));
  if (plan.As<SortNode>() != nullptr) return MakeSortStream(plan, std::move(inputs[0]));
  if (const auto* limit = plan.As<LimitNode>()) return std::make_unique<LimitStream>(*limit, std::move(inputs[0]));
  if (plan.As<JoinNode>() != nullptr) return MakeJoinStream(plan, std::move(inputs[0]), std::move(inputs[1]));
  return std::make_unique<UnionStream>(std::move(inputs), ToArrowSchema(plan.output));
}

/// Keeps what the streams refer to.
class RootStream : public RowStream {
 public:
  RootStream(std::shared_ptr<const PlanNode> plan, const QueryContext& context)
      : plan_(std::move(plan)), context_(context), stream_(Start(*plan_, context_)) {}

  BatchPtr Next() override { return stream_->Next(); }

 private:
  std::shared_ptr<const PlanNode> plan_;
  QueryContext context_;
  std::unique_ptr<RowStream> stream_;
};

}  // namespace

std::unique_ptr<RowStream> RunPlan(std::shared_ptr<const PlanNode> plan, const QueryContext& context) {
  RequireBounded(*plan);
  return std::make_unique<RootStream>(std::move(plan), context);
}

void RequireBounded(const PlanNode& plan) {
  for (const PlanPtr& input : plan.inputs) RequireBounded(*input);
  const auto* scan = plan.As<ScanNode>();
  if (scan == nullptr || IsBounded(plan)) return;
  throw UnsupportedSql(plan.span,
                       "table '{}' never ends, and a query gives its result at the end. Make the source bounded, or "
                       "INSERT INTO a table with 'connector' = 'print' to look at the stream",
                       scan->relation->path.ToString());
}

}  // namespace frazil::sql
