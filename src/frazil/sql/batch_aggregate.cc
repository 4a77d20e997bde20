// SPDX-License-Identifier: Apache-2.0
// GROUP BY, DISTINCT and aggregates without groups, on Acero.
#include <arrow/acero/exec_plan.h>
#include <arrow/acero/options.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/compute/api_aggregate.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "frazil/base/arrow_compute.h"
#include "frazil/base/arrow_status.h"
#include "frazil/sql/batch_operators.h"
#include "frazil/sql/column_layout.h"

namespace frazil::sql {

namespace {

namespace cp = arrow::compute;
using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

/// COUNT(*) over everything: no column is needed.
class CountRowsStream : public RowStream {
 public:
  CountRowsStream(const PlanNode& plan, std::unique_ptr<RowStream> input)
      : schema_(ToArrowSchema(plan.output)), input_(std::move(input)) {}

  BatchPtr Next() override {
    if (input_ == nullptr) return nullptr;
    int64_t rows = 0;
    while (BatchPtr batch = input_->Next()) rows += batch->num_rows();
    input_.reset();
    auto count = Unwrap(arrow::MakeArrayFromScalar(arrow::Int64Scalar(rows), 1), "COUNT(*)");
    return arrow::RecordBatch::Make(schema_, 1, arrow::ArrayVector(static_cast<size_t>(schema_->num_fields()), count));
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<RowStream> input_;
};

/// The input's columns under names of their own and, where Acero needs one, a constant key behind them.
class KeyedInput : public RowStream {
 public:
  KeyedInput(std::unique_ptr<RowStream> input, const PlanNode& input_plan, bool constant_key)
      : input_(std::move(input)), constant_key_(constant_key) {
    arrow::FieldVector fields;
    for (size_t i = 0; i < input_plan.output.size(); ++i) {
      fields.push_back(ToArrowField(fmt::format("c{}", i), input_plan.output[i].type));
    }
    if (constant_key) fields.push_back(arrow::field("all", arrow::boolean()));
    schema_ = arrow::schema(std::move(fields));
  }

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }

  BatchPtr Next() override {
    BatchPtr batch = input_->Next();
    if (batch == nullptr) return nullptr;
    arrow::ArrayVector columns = batch->columns();
    if (constant_key_) {
      columns.push_back(
          Unwrap(arrow::MakeArrayFromScalar(arrow::BooleanScalar(true), batch->num_rows()), "aggregation"));
    }
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
  }

 private:
  std::unique_ptr<RowStream> input_;
  bool constant_key_;
  std::shared_ptr<arrow::Schema> schema_;
};

/// SUM(DISTINCT x) comes as the list of distinct values of each group.
bool IsDistinctSum(const AggregateCall& call) { return call.distinct && call.kind == AggregateKind::kSum; }

cp::Aggregate ToAcero(const AggregateCall& call, bool hash) {
  const auto valid = std::make_shared<cp::CountOptions>(cp::CountOptions::ONLY_VALID);
  const auto any_value = std::make_shared<cp::ScalarAggregateOptions>(/*skip_nulls=*/true, /*min_count=*/1);
  const std::string prefix = hash ? "hash_" : "";
  const auto make = [&](const std::string& name, std::shared_ptr<cp::FunctionOptions> options) {
    std::vector<arrow::FieldRef> target;
    if (call.column >= 0) target.emplace_back(call.column);
    return cp::Aggregate(prefix + name, std::move(options), std::move(target), call.text);
  };
  if (IsDistinctSum(call)) return make("distinct", valid);
  switch (call.kind) {
    case AggregateKind::kCountAll: return make("count_all", nullptr);
    case AggregateKind::kCount: return make(call.distinct ? "count_distinct" : "count", valid);
    case AggregateKind::kSum: return make("sum", any_value);
    case AggregateKind::kMin: return make("min", any_value);
    default: return make("max", any_value);
  }
}

/// The sum of each list; null for an empty one.
std::shared_ptr<arrow::Array> SumLists(const arrow::Array& values) {
  const auto& lists = static_cast<const arrow::ListArray&>(values);
  arrow::ScalarVector sums;
  const cp::ScalarAggregateOptions any_value(/*skip_nulls=*/true, /*min_count=*/1);
  for (int64_t i = 0; i < lists.length(); ++i) {
    sums.push_back(Unwrap(cp::Sum(lists.value_slice(i), any_value), "SUM(DISTINCT)").scalar());
  }
  if (sums.empty()) {
    const auto empty = Unwrap(arrow::MakeEmptyArray(lists.value_type()), "SUM(DISTINCT)");
    return empty;
  }
  std::unique_ptr<arrow::ArrayBuilder> builder = Unwrap(arrow::MakeBuilder(sums[0]->type), "SUM(DISTINCT)");
  Check(builder->AppendScalars(sums), "SUM(DISTINCT)");
  return Unwrap(builder->Finish(), "SUM(DISTINCT)");
}

class AggregateStream : public RowStream {
 public:
  AggregateStream(const PlanNode& plan, std::unique_ptr<RowStream> input)
      : plan_(plan), aggregate_(*plan.As<AggregateNode>()), schema_(ToArrowSchema(plan.output)) {
    const bool any_distinct = std::any_of(aggregate_.calls.begin(), aggregate_.calls.end(),
                                          [](const AggregateCall& call) { return call.distinct; });
    // Acero's DISTINCT forms exist for groups only.
    constant_key_ = aggregate_.keys.empty() && any_distinct;
    input_ = std::make_unique<KeyedInput>(std::move(input), *plan.inputs[0], constant_key_);
  }

  BatchPtr Next() override {
    if (reader_ == nullptr) Start();
    BatchPtr batch;
    acero_inputs_.CheckRead(reader_->ReadNext(&batch), "aggregation");
    if (batch != nullptr) {
      any_row_ = any_row_ || batch->num_rows() > 0;
      return Finish(*batch);
    }
    if (!constant_key_ || any_row_) return nullptr;
    any_row_ = true;
    return EmptyResult();
  }

 private:
  void Start() {
    InitializeArrowCompute();
    const bool hash = constant_key_ || !aggregate_.keys.empty();
    std::vector<cp::Aggregate> calls;
    for (const AggregateCall& call : aggregate_.calls) calls.push_back(ToAcero(call, hash));
    std::vector<arrow::FieldRef> keys;
    for (int key : aggregate_.keys) keys.emplace_back(key);
    if (constant_key_) keys.emplace_back(static_cast<int>(plan_.inputs[0]->output.size()));
    auto schema = input_->schema();
    auto source = acero_inputs_.Add(std::move(input_), schema);
    arrow::acero::Declaration declaration = arrow::acero::Declaration::Sequence(
        {{"record_batch_reader_source", arrow::acero::RecordBatchReaderSourceNodeOptions(std::move(source))},
         {"aggregate", arrow::acero::AggregateNodeOptions(std::move(calls), std::move(keys))}});
    // One thread: groups come in the order of their first row, and scans read ahead on threads of their own.
    reader_ = Unwrap(arrow::acero::DeclarationToReader(std::move(declaration), /*use_threads=*/false), "aggregation");
  }

  /// Acero's columns (keys first) as the plan's.
  BatchPtr Finish(const arrow::RecordBatch& batch) const {
    arrow::ArrayVector columns;
    const size_t num_keys = aggregate_.keys.size();
    for (size_t i = 0; i < num_keys; ++i) {
      columns.push_back(WithType(batch.column(static_cast<int>(i)), schema_->field(static_cast<int>(i))->type()));
    }
    const size_t first_call = num_keys + (constant_key_ ? 1 : 0);
    for (size_t i = 0; i < aggregate_.calls.size(); ++i) {
      std::shared_ptr<arrow::Array> values = batch.column(static_cast<int>(first_call + i));
      if (IsDistinctSum(aggregate_.calls[i])) values = SumLists(*values);
      columns.push_back(AsResult(values, aggregate_.calls[i], schema_->field(static_cast<int>(num_keys + i))->type()));
    }
    return arrow::RecordBatch::Make(schema_, batch.num_rows(), std::move(columns));
  }

  /// Acero widens sums; Flink's type is that of the argument.
  static std::shared_ptr<arrow::Array> AsResult(const std::shared_ptr<arrow::Array>& values, const AggregateCall& call,
                                                const std::shared_ptr<arrow::DataType>& type) {
    if (values->type()->Equals(*type)) return values;
    const bool narrows = arrow::is_integer(type->id());
    arrow::Result<arrow::Datum> cast =
        cp::Cast(values, narrows ? cp::CastOptions::Safe(type) : cp::CastOptions::Unsafe(type));
    if (!cast.ok() && narrows) {
      throw InvalidSql(call.span, "the result of {} is out of the range of {}: cast its argument to BIGINT", call.text,
                       call.type.ToStringWithoutNullability());
    }
    return Unwrap(std::move(cast), call.text).make_array();
  }

  BatchPtr EmptyResult() const {
    arrow::ArrayVector columns;
    for (int i = 0; i < schema_->num_fields(); ++i) {
      const AggregateKind kind = aggregate_.calls[static_cast<size_t>(i)].kind;
      const bool is_count = kind == AggregateKind::kCount || kind == AggregateKind::kCountAll;
      columns.push_back(is_count ? Unwrap(arrow::MakeArrayFromScalar(arrow::Int64Scalar(0), 1), "aggregation")
                                 : Unwrap(arrow::MakeArrayOfNull(schema_->field(i)->type(), 1), "aggregation"));
    }
    return arrow::RecordBatch::Make(schema_, 1, std::move(columns));
  }

  const PlanNode& plan_;
  const AggregateNode& aggregate_;
  std::shared_ptr<arrow::Schema> schema_;
  bool constant_key_ = false;
  bool any_row_ = false;
  std::unique_ptr<KeyedInput> input_;
  AceroInputs acero_inputs_;
  std::unique_ptr<arrow::RecordBatchReader> reader_;
};

}  // namespace

std::unique_ptr<RowStream> MakeAggregateStream(const PlanNode& plan, std::unique_ptr<RowStream> input) {
  const auto& aggregate = *plan.As<AggregateNode>();
  const bool only_rows = aggregate.keys.empty() &&
                         std::all_of(aggregate.calls.begin(), aggregate.calls.end(),
                                     [](const AggregateCall& call) { return call.kind == AggregateKind::kCountAll; });
  if (only_rows) return std::make_unique<CountRowsStream>(plan, std::move(input));
  return std::make_unique<AggregateStream>(plan, std::move(input));
}

}  // namespace frazil::sql
