// SPDX-License-Identifier: Apache-2.0
// Result sets as text: a table like that of Flink's SQL client, CSV or JSON lines.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/sql/types.h"

namespace frazil::cli {

enum class OutputFormat { kTable, kCsv, kJson };

/// "table", "csv", "json"; throws InvalidArgument.
OutputFormat ParseOutputFormat(std::string_view name);

struct RenderOptions {
  OutputFormat format = OutputFormat::kTable;
  std::string time_zone = "UTC";  ///< wall clock of TIMESTAMP_LTZ
  int64_t max_column_width = 30;  ///< table: longer values end in "..."; 0: never cut
};

/// Writes all rows and returns how many there were. Values are as CAST(… AS STRING) prints them.
///   table: the widths come from the first 1000 rows, the rest is cut to them; NULL is <NULL>; numbers on the right
///   csv:   header, RFC 4180 quoting, NULL is empty and the empty string ""
///   json:  one object a line; numbers exact, NULL null, ROW an object, ARRAY an array, MAP an object by key text
/// Calls `should_stop` between batches and ends early when it says so. Throws what reading the rows throws.
int64_t Render(arrow::RecordBatchReader& rows, const std::vector<sql::RowField>& columns, const RenderOptions& options,
               std::ostream& out, bool (*should_stop)() = nullptr);

}  // namespace frazil::cli
