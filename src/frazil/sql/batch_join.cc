// SPDX-License-Identifier: Apache-2.0
// Joins on equalities, by Acero's hash join.
#include <arrow/acero/exec_plan.h>
#include <arrow/acero/options.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "frazil/base/arrow_compute.h"
#include "frazil/base/arrow_status.h"
#include "frazil/sql/batch_operators.h"
#include "frazil/sql/column_layout.h"

namespace frazil::sql {

namespace {

namespace acero = arrow::acero;

acero::JoinType ToAcero(JoinKind kind) {
  switch (kind) {
    case JoinKind::kLeft: return acero::JoinType::LEFT_OUTER;
    case JoinKind::kRight: return acero::JoinType::RIGHT_OUTER;
    case JoinKind::kFull: return acero::JoinType::FULL_OUTER;
    default: return acero::JoinType::INNER;
  }
}

std::vector<arrow::FieldRef> Refs(const std::vector<int>& columns) {
  std::vector<arrow::FieldRef> refs;
  for (int column : columns) refs.emplace_back(column);
  return refs;
}

std::vector<arrow::FieldRef> AllOf(const PlanNode& plan) {
  std::vector<arrow::FieldRef> refs;
  for (size_t i = 0; i < plan.output.size(); ++i) refs.emplace_back(static_cast<int>(i));
  return refs;
}

/// Acero keeps columns of hash tables flat.
void RefuseNested(const PlanNode& side) {
  for (const RowField& field : side.output) {
    if (field.type.IsNested()) {
      throw UnsupportedSql(side.span, "column '{}' of type {} can't pass a join yet: leave it out", field.name,
                           field.type.ToStringWithoutNullability());
    }
  }
}

class JoinStream : public RowStream {
 public:
  JoinStream(const PlanNode& plan, std::unique_ptr<RowStream> left, std::unique_ptr<RowStream> right)
      : schema_(ToArrowSchema(plan.output)) {
    InitializeArrowCompute();
    const auto& join = *plan.As<JoinNode>();
    acero::HashJoinNodeOptions options(ToAcero(join.kind), Refs(join.left_keys), Refs(join.right_keys),
                                       AllOf(*plan.inputs[0]), AllOf(*plan.inputs[1]));
    acero::Declaration declaration(
        "hashjoin", {SourceOf(*plan.inputs[0], std::move(left)), SourceOf(*plan.inputs[1], std::move(right))},
        std::move(options));
    reader_ = Unwrap(acero::DeclarationToReader(std::move(declaration), /*use_threads=*/false), "join");
  }

  std::shared_ptr<arrow::RecordBatch> Next() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    inputs_.CheckRead(reader_->ReadNext(&batch), "join");
    return batch == nullptr ? nullptr : WithSchema(batch, schema_);
  }

 private:
  acero::Declaration SourceOf(const PlanNode& side, std::unique_ptr<RowStream> stream) {
    auto reader = inputs_.Add(std::move(stream), ToArrowSchema(side.output));
    return {"record_batch_reader_source", acero::RecordBatchReaderSourceNodeOptions(std::move(reader))};
  }

  std::shared_ptr<arrow::Schema> schema_;
  AceroInputs inputs_;
  std::unique_ptr<arrow::RecordBatchReader> reader_;
};

}  // namespace

std::unique_ptr<RowStream> MakeJoinStream(const PlanNode& plan, std::unique_ptr<RowStream> left,
                                          std::unique_ptr<RowStream> right) {
  for (const PlanPtr& side : plan.inputs) RefuseNested(*side);
  return std::make_unique<JoinStream>(plan, std::move(left), std::move(right));
}

}  // namespace frazil::sql
