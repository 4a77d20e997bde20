// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/column_layout.h"

#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "frazil/base/error.h"

namespace frazil::sql {

namespace {

bool SameUnit(const arrow::DataType& a, const arrow::DataType& b) {
  return static_cast<const arrow::TimestampType&>(a).unit() == static_cast<const arrow::TimestampType&>(b).unit();
}

bool SameLayout(const arrow::DataType& a, const arrow::DataType& b) {
  if (a.id() != b.id()) return false;
  if (a.num_fields() > 0) return a.num_fields() == b.num_fields();
  return a.id() == arrow::Type::TIMESTAMP ? SameUnit(a, b) : a.Equals(b);
}

std::shared_ptr<arrow::ArrayData> DataWithType(const std::shared_ptr<arrow::ArrayData>& data,
                                               const std::shared_ptr<arrow::DataType>& type) {
  if (data->type == type) return data;
  if (!SameLayout(*data->type, *type)) {
    throw Internal("a column of type {} can't stand for {}", data->type->ToString(), type->ToString());
  }
  std::shared_ptr<arrow::ArrayData> copy = data->Copy();
  copy->type = type;
  for (int i = 0; i < type->num_fields(); ++i) {
    auto& child = copy->child_data[static_cast<size_t>(i)];
    child = DataWithType(child, type->field(i)->type());
  }
  return copy;
}

}  // namespace

std::shared_ptr<arrow::Array> WithType(const std::shared_ptr<arrow::Array>& values,
                                       const std::shared_ptr<arrow::DataType>& type) {
  if (values->type() == type) return values;
  return arrow::MakeArray(DataWithType(values->data(), type));
}

std::shared_ptr<arrow::RecordBatch> WithSchema(const std::shared_ptr<arrow::RecordBatch>& batch,
                                               const std::shared_ptr<arrow::Schema>& schema) {
  if (batch->schema() == schema) return batch;
  if (batch->num_columns() != schema->num_fields()) {
    throw Internal("a batch of {} columns where {} are wanted", batch->num_columns(), schema->num_fields());
  }
  arrow::ArrayVector columns;
  for (int i = 0; i < schema->num_fields(); ++i) {
    columns.push_back(WithType(batch->column(i), schema->field(i)->type()));
  }
  return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
}

}  // namespace frazil::sql
