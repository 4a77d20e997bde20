// SPDX-License-Identifier: Apache-2.0
#include "support/rows.h"

#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>

#include "frazil/base/arrow_status.h"
#include "support/support.h"

namespace frazil::test {

namespace {

std::string Hex(std::string_view bytes) {
  std::string text;
  for (char byte : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return text;
}

std::string ValueText(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return "null";
  if (array.type_id() == arrow::Type::BINARY) return Hex(static_cast<const arrow::BinaryArray&>(array).GetView(row));
  if (array.type_id() == arrow::Type::FIXED_SIZE_BINARY) {
    return Hex(static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row));
  }
  return Unwrap(array.GetScalar(row), "test row")->ToString();
}

}  // namespace

std::shared_ptr<arrow::RecordBatch> RowsFromJson(const std::shared_ptr<arrow::Schema>& schema, std::string_view json) {
  const auto array = Unwrap(arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()), json), "rows as JSON");
  const auto& columns = static_cast<const arrow::StructArray&>(*array).fields();
  return arrow::RecordBatch::Make(schema, array->length(), columns);
}

std::vector<std::string> RowLines(const arrow::RecordBatch& rows) {
  std::vector<std::string> lines(rows.num_rows());
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    for (int column = 0; column < rows.num_columns(); ++column) {
      if (column > 0) lines[row] += '|';
      lines[row] += ValueText(*rows.column(column), row);
    }
  }
  return lines;
}

std::vector<std::string> RowLines(const arrow::Table& rows) {
  arrow::TableBatchReader reader(rows);
  return RowLines(reader);
}

std::vector<std::string> RowLines(arrow::RecordBatchReader& reader) {
  std::vector<std::string> lines;
  std::shared_ptr<arrow::RecordBatch> batch;
  while (true) {
    Check(reader.ReadNext(&batch), "reading rows");
    if (batch == nullptr) return lines;
    for (std::string& line : RowLines(*batch)) lines.push_back(std::move(line));
  }
}

}  // namespace frazil::test
