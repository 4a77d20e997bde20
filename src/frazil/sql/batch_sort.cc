// SPDX-License-Identifier: Apache-2.0
// ORDER BY: by Arrow's sort, with Flink's order made explicit (nulls where asked, NaN the largest number).
#include <arrow/array/builder_primitive.h>
#include <arrow/chunked_array.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/ordering.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "frazil/base/arrow_compute.h"
#include "frazil/base/arrow_status.h"
#include "frazil/sql/batch_operators.h"

namespace frazil::sql {

namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;
using ClassBuilder = arrow::UInt8Builder;

constexpr int64_t kOutputRows = 16384;
/// Rows beyond the limit that a top-k sort gathers before it sorts and cuts again.
constexpr int64_t kTopSlack = 65536;

/// What comes before what among null, numbers and NaN: sorted ascending whatever the key's direction.
struct ValueClasses {
  uint8_t null;
  uint8_t value;
  uint8_t nan;

  static ValueClasses Of(const SortKey& key) {
    const uint8_t null = key.nulls_first ? 0 : 3;
    return key.ascending ? ValueClasses{null, 1, 2} : ValueClasses{null, 2, 1};
  }
};

template <typename ArrayType>
void AppendClasses(const arrow::Array& values, const ValueClasses& classes, ClassBuilder& builder) {
  const auto& typed = static_cast<const ArrayType&>(values);
  for (int64_t i = 0; i < values.length(); ++i) {
    builder.UnsafeAppend(values.IsNull(i) ? classes.null : std::isnan(typed.Value(i)) ? classes.nan : classes.value);
  }
}

void AppendNullClasses(const arrow::Array& values, const ValueClasses& classes, ClassBuilder& builder) {
  for (int64_t i = 0; i < values.length(); ++i) {
    builder.UnsafeAppend(values.IsNull(i) ? classes.null : classes.value);
  }
}

std::shared_ptr<arrow::ChunkedArray> ClassColumn(const arrow::ChunkedArray& column, const SortKey& key) {
  const ValueClasses classes = ValueClasses::Of(key);
  arrow::ArrayVector chunks;
  for (const std::shared_ptr<arrow::Array>& chunk : column.chunks()) {
    ClassBuilder builder;
    Check(builder.Reserve(chunk->length()), "ORDER BY");
    switch (chunk->type_id()) {
      case arrow::Type::FLOAT: AppendClasses<arrow::FloatArray>(*chunk, classes, builder); break;
      case arrow::Type::DOUBLE: AppendClasses<arrow::DoubleArray>(*chunk, classes, builder); break;
      default: AppendNullClasses(*chunk, classes, builder);
    }
    chunks.push_back(Unwrap(builder.Finish(), "ORDER BY"));
  }
  return std::make_shared<arrow::ChunkedArray>(std::move(chunks), arrow::uint8());
}

bool IsFloating(const arrow::DataType& type) {
  return type.id() == arrow::Type::FLOAT || type.id() == arrow::Type::DOUBLE;
}

class SortStream : public RowStream {
 public:
  SortStream(const PlanNode& plan, std::unique_ptr<RowStream> input)
      : sort_(*plan.As<SortNode>()), schema_(ToArrowSchema(plan.output)), input_(std::move(input)) {}

  BatchPtr Next() override {
    if (sorted_ == nullptr) {
      Collect();
      sorted_ = std::make_unique<arrow::TableBatchReader>(*table_);
      sorted_->set_chunksize(kOutputRows);
    }
    BatchPtr batch;
    Check(sorted_->ReadNext(&batch), "ORDER BY");
    return batch;
  }

 private:
  void Collect() {
    int64_t rows = 0;
    while (BatchPtr batch = input_->Next()) {
      if (batch->num_rows() == 0) continue;
      rows += batch->num_rows();
      batches_.push_back(std::move(batch));
      if (sort_.limit && rows > *sort_.limit + kTopSlack) {
        SortBatches();
        rows = table_->num_rows();
        KeepSorted();
      }
    }
    input_.reset();
    SortBatches();
  }

  /// The rows so far, sorted and cut, become the first batches again.
  void KeepSorted() {
    arrow::TableBatchReader reader(*table_);
    batches_ = Unwrap(reader.ToRecordBatches(), "ORDER BY");
    table_.reset();
  }

  void SortBatches() {
    InitializeArrowCompute();
    auto all = Unwrap(arrow::Table::FromRecordBatches(schema_, std::move(batches_)), "ORDER BY");
    batches_.clear();
    std::vector<arrow::compute::SortKey> keys;
    arrow::ChunkedArrayVector columns;
    arrow::FieldVector fields;
    const auto add = [&](std::shared_ptr<arrow::ChunkedArray> column, arrow::compute::SortOrder order) {
      keys.emplace_back(arrow::FieldRef(static_cast<int>(columns.size())), order);
      fields.push_back(arrow::field(std::to_string(columns.size()), column->type()));
      columns.push_back(std::move(column));
    };
    for (const SortKey& key : sort_.keys) {
      const std::shared_ptr<arrow::ChunkedArray>& column = all->column(key.column);
      const bool has_classes = column->null_count() > 0 || IsFloating(*column->type());
      if (has_classes) add(ClassColumn(*column, key), arrow::compute::SortOrder::Ascending);
      if (column->type()->id() == arrow::Type::NA) continue;
      add(column, key.ascending ? arrow::compute::SortOrder::Ascending : arrow::compute::SortOrder::Descending);
    }
    if (keys.empty()) {
      table_ = sort_.limit ? all->Slice(0, *sort_.limit) : all;
      return;
    }
    auto key_table = arrow::Table::Make(arrow::schema(std::move(fields)), std::move(columns), all->num_rows());
    std::shared_ptr<arrow::Array> order = Unwrap(
        arrow::compute::SortIndices(arrow::Datum(key_table), arrow::compute::SortOptions(std::move(keys))), "ORDER BY");
    if (sort_.limit && *sort_.limit < order->length()) order = order->Slice(0, *sort_.limit);
    table_ = Unwrap(arrow::compute::Take(all, order, arrow::compute::TakeOptions::NoBoundsCheck()), "ORDER BY").table();
  }

  const SortNode& sort_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<RowStream> input_;
  arrow::RecordBatchVector batches_;
  std::shared_ptr<arrow::Table> table_;
  std::unique_ptr<arrow::TableBatchReader> sorted_;
};

}  // namespace

std::unique_ptr<RowStream> MakeSortStream(const PlanNode& plan, std::unique_ptr<RowStream> input) {
  return std::make_unique<SortStream>(plan, std::move(input));
}

}  // namespace frazil::sql
