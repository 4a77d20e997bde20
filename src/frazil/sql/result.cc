// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/result.h"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "frazil/base/arrow_status.h"

namespace frazil::sql {

namespace {

template <typename Builder, typename Convert>
std::shared_ptr<arrow::Array> BuildColumn(const std::vector<std::vector<RowsResult::Cell>>& rows, size_t column,
                                          Convert convert) {
  Builder builder;
  for (const auto& row : rows) {
    const RowsResult::Cell& cell = row[column];
    Check(cell ? builder.Append(convert(*cell)) : builder.AppendNull(), "result");
  }
  return Unwrap(builder.Finish(), "result");
}

}  // namespace

StatementResult Done(std::string message) {
  StatementResult result;
  result.message = std::move(message);
  return result;
}

RowsResult::RowsResult(std::vector<RowField> columns) : columns_(std::move(columns)) {}

void RowsResult::Add(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }

StatementResult RowsResult::Finish() {
  arrow::ArrayVector columns;
  for (size_t c = 0; c < columns_.size(); ++c) {
    columns.push_back(
        columns_[c].type.Is(TypeRoot::kBoolean)
            ? BuildColumn<arrow::BooleanBuilder>(rows_, c, [](const std::string& cell) { return cell == "true"; })
            : BuildColumn<arrow::StringBuilder>(rows_, c, [](const std::string& cell) { return cell; }));
  }
  auto schema = ToArrowSchema(columns_);
  auto batch = arrow::RecordBatch::Make(schema, static_cast<int64_t>(rows_.size()), std::move(columns));
  StatementResult result;
  result.kind = StatementResult::Kind::kRows;
  result.rows = Unwrap(arrow::RecordBatchReader::Make({std::move(batch)}, std::move(schema)), "result");
  result.columns = std::move(columns_);
  return result;
}

StatementResult OneColumn(const std::string& name, const std::vector<std::string>& values) {
  RowsResult rows({{name, StringType(), ""}});
  for (const std::string& value : values) rows.Add({value});
  return rows.Finish();
}

StatementResult OneText(const std::string& text) {
  StatementResult result = OneColumn("result", {text});
  result.is_text = true;
  return result;
}

}  // namespace frazil::sql
