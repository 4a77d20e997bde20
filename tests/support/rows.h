// SPDX-License-Identifier: Apache-2.0
// Rows in tests: written as JSON, compared as text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

namespace frazil::test {

/// `json`: an array of objects (a field that is missing is null) or of arrays, as arrow::json::ArrayFromJSONString
/// reads structs.
std::shared_ptr<arrow::RecordBatch> RowsFromJson(const std::shared_ptr<arrow::Schema>& schema, std::string_view json);

/// One line a row: values separated by '|', null as "null", bytes in hexadecimal.
std::vector<std::string> RowLines(const arrow::RecordBatch& rows);
std::vector<std::string> RowLines(const arrow::Table& rows);
/// All rows that are left, in order. Throws what reading throws.
std::vector<std::string> RowLines(arrow::RecordBatchReader& reader);

}  // namespace frazil::test
