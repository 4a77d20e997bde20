// SPDX-License-Identifier: Apache-2.0
#include "frazil/cli/render.h"

#include <algorithm>
#include <ostream>

#include <arrow/array/array_nested.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"
#include "frazil/sql/cast.h"
#include "frazil/sql/unicode.h"

namespace frazil::cli {

namespace {

constexpr size_t kRowsForWidths = 1000;

size_t Width(std::string_view text) {
  size_t cells = 0;
  for (size_t at = 0; at < text.size();) {
    sql::CodePoint point = sql::DecodeCodePoint(text, at);
    cells += sql::CellWidth(point.value);
    at += point.length;
  }
  return cells;
}

/// Cut to `cells`, with "..." at the end if anything is lost.
std::string Fit(std::string_view text, size_t cells) {
  if (Width(text) <= cells) return std::string(text);
  std::string out;
  size_t used = 0;
  size_t room = cells > 3 ? cells - 3 : 0;
  for (size_t at = 0; at < text.size();) {
    sql::CodePoint point = sql::DecodeCodePoint(text, at);
    size_t width = sql::CellWidth(point.value);
    if (used + width > room) break;
    out += text.substr(at, point.length);
    used += width;
    at += point.length;
  }
  out.append(std::min<size_t>(3, cells), '.');
  return out;
}

/// The columns of a batch as text, by CAST.
arrow::ArrayVector ToText(const arrow::RecordBatch& batch, const std::vector<sql::RowField>& columns,
                          const sql::EvalContext& context) {
  arrow::ArrayVector text;
  for (int i = 0; i < batch.num_columns(); ++i) {
    text.push_back(sql::CastArray(batch.column(i), columns[static_cast<size_t>(i)].type, sql::StringType(),
                                  /*is_try=*/true, context));
  }
  return text;
}

std::string_view Cell(const arrow::Array& column, int64_t row, std::string_view null) {
  return column.IsNull(row) ? null : static_cast<const arrow::StringArray&>(column).GetView(row);
}

// ---- Table

class TableWriter {
 public:
  TableWriter(const std::vector<sql::RowField>& columns, const RenderOptions& options, std::ostream& out)
      : columns_(columns), options_(options), out_(out) {
    for (const sql::RowField& column : columns_) widths_.push_back(Limit(Width(column.name)));
  }

  void Add(const arrow::ArrayVector& text, int64_t rows) {
    for (int64_t row = 0; row < rows; ++row) {
      std::vector<std::string> cells;
      for (const auto& column : text) cells.push_back(sql::Printable(Cell(*column, row, "<NULL>")));
      if (header_written_) {
        WriteRow(cells);
        continue;
      }
      for (size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], Limit(Width(cells[i])));
      held_.push_back(std::move(cells));
      if (held_.size() == kRowsForWidths) WriteHeld();
    }
  }

  void Finish(int64_t rows) {
    WriteHeld();
    if (rows > 0) WriteLine();
    out_ << rows << (rows == 1 ? " row in set\n" : " rows in set\n");
  }

 private:
  size_t Limit(size_t width) const {
    return options_.max_column_width <= 0 ? width : std::min(width, static_cast<size_t>(options_.max_column_width));
  }

  void WriteHeld() {
    if (!header_written_) {
      header_written_ = true;
      WriteLine();
      std::vector<std::string> names;
      for (const sql::RowField& column : columns_) names.push_back(sql::Printable(column.name));
      WriteRow(names);
      WriteLine();
    }
    for (const auto& cells : held_) WriteRow(cells);
    held_.clear();
  }

  void WriteLine() {
    for (size_t width : widths_) out_ << '+' << std::string(width + 2, '-');
    out_ << "+\n";
  }

  void WriteRow(const std::vector<std::string>& cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string cell = Fit(cells[i], widths_[i]);
      std::string fill(widths_[i] - std::min(widths_[i], Width(cell)), ' ');
      out_ << "| " << (columns_[i].type.IsNumeric() ? fill + cell : cell + fill) << ' ';
    }
    out_ << "|\n";
  }

  const std::vector<sql::RowField>& columns_;
  const RenderOptions& options_;
  std::ostream& out_;
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> held_;
  bool header_written_ = false;
};

// ---- CSV

void WriteCsvCell(std::string_view text, std::ostream& out) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out << text;
    return;
  }
  out << '"';
  for (char c : text) {
    if (c == '"') out << '"';
    out << c;
  }
  out << '"';
}

void WriteCsv(const arrow::ArrayVector& text, int64_t rows, std::ostream& out) {
  for (int64_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < text.size(); ++i) {
      if (i > 0) out << ',';
      if (!text[i]->IsNull(row)) WriteCsvCell(Cell(*text[i], row, ""), out);
    }
    out << '\n';
  }
}

// ---- JSON

void AppendJsonString(std::string_view text, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out.push_back('"');
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out.push_back(kHex[static_cast<unsigned char>(c) >> 4]);
          out.push_back(kHex[static_cast<unsigned char>(c) & 0xF]);
        } else {
          out.push_back(c);
        }
    }
  }
  out.push_back('"');
}

/// One column ready for JSON: leaves as text, nested values as columns of their children.
class JsonColumn {
 public:
  JsonColumn(std::shared_ptr<arrow::Array> values, const sql::LogicalType& type, const sql::EvalContext& context)
      : values_(std::move(values)), type_(type) {
    if (type_.Is(sql::TypeRoot::kRow)) {
      const auto& rows = static_cast<const arrow::StructArray&>(*values_);
      for (size_t i = 0; i < type_.children.size(); ++i) {
        children_.emplace_back(rows.field(static_cast<int>(i)), type_.children[i].type, context);
      }
    } else if (type_.Is(sql::TypeRoot::kArray)) {
      children_.emplace_back(static_cast<const arrow::ListArray&>(*values_).values(), type_.element(), context);
    } else if (type_.Is(sql::TypeRoot::kMap)) {
      const auto& maps = static_cast<const arrow::MapArray&>(*values_);
      children_.emplace_back(sql::CastArray(maps.keys(), type_.key(), sql::StringType(), true, context),
                             sql::StringType(), context);
      children_.emplace_back(maps.items(), type_.value(), context);
    } else if (type_.IsBinary()) {
      text_ = values_;
    } else {
      text_ = sql::CastArray(values_, type_, sql::StringType(), true, context);
    }
  }

  void Append(int64_t row, std::string& out) const {
    if (values_->IsNull(row)) {
      out += "null";
    } else if (type_.Is(sql::TypeRoot::kRow)) {
      out.push_back('{');
      for (size_t i = 0; i < children_.size(); ++i) {
        if (i > 0) out += ", ";
        AppendJsonString(type_.children[i].name, out);
        out += ": ";
        children_[i].Append(row, out);
      }
      out.push_back('}');
    } else if (type_.Is(sql::TypeRoot::kArray) || type_.Is(sql::TypeRoot::kMap)) {
      AppendList(row, out);
    } else if (type_.IsBinary()) {
      AppendHex(row, out);
    } else {
      AppendLeaf(row, out);
    }
  }

 private:
  void AppendList(int64_t row, std::string& out) const {
    const auto& list = static_cast<const arrow::ListArray&>(*values_);  // a map's layout is a list's
    bool is_map = type_.Is(sql::TypeRoot::kMap);
    out.push_back(is_map ? '{' : '[');
    for (int64_t i = list.value_offset(row); i < list.value_offset(row + 1); ++i) {
      if (i > list.value_offset(row)) out += ", ";
      children_[0].Append(i, out);
      if (is_map) {
        out += ": ";
        children_[1].Append(i, out);
      }
    }
    out.push_back(is_map ? '}' : ']');
  }

  void AppendHex(int64_t row, std::string& out) const {
    std::string_view bytes = text_->type_id() == arrow::Type::FIXED_SIZE_BINARY
                                 ? static_cast<const arrow::FixedSizeBinaryArray&>(*text_).GetView(row)
                                 : static_cast<const arrow::BinaryArray&>(*text_).GetView(row);
    out.push_back('"');
    for (char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
    out.push_back('"');
  }

  void AppendLeaf(int64_t row, std::string& out) const {
    std::string_view text = static_cast<const arrow::StringArray&>(*text_).GetView(row);
    if (type_.Is(sql::TypeRoot::kBoolean)) {
      out += text == "TRUE" ? "true" : "false";
    } else if (type_.IsNumeric() && text.find_first_of("NI") == std::string_view::npos) {
      out += text;  // NaN and Infinity have no JSON number
    } else {
      AppendJsonString(text, out);
    }
  }

  std::shared_ptr<arrow::Array> values_;
  sql::LogicalType type_;
  std::shared_ptr<arrow::Array> text_;
  std::vector<JsonColumn> children_;
};

void WriteJson(const arrow::RecordBatch& batch, const std::vector<sql::RowField>& columns,
               const sql::EvalContext& context, std::ostream& out) {
  std::vector<JsonColumn> json;
  for (size_t i = 0; i < columns.size(); ++i)
    json.emplace_back(batch.column(static_cast<int>(i)), columns[i].type, context);
  std::string line;
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    line = "{";
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) line += ", ";
      AppendJsonString(columns[i].name, line);
      line += ": ";
      json[i].Append(row, line);
    }
    line += "}\n";
    out << line;
  }
}

}  // namespace

OutputFormat ParseOutputFormat(std::string_view name) {
  if (name == "table") return OutputFormat::kTable;
  if (name == "csv") return OutputFormat::kCsv;
  if (name == "json") return OutputFormat::kJson;
  throw InvalidArgument("output format '{}': expected table, csv or json", name);
}

int64_t Render(arrow::RecordBatchReader& rows, const std::vector<sql::RowField>& columns, const RenderOptions& options,
               std::ostream& out, bool (*should_stop)()) {
  sql::EvalContext context;
  context.time_zone = options.time_zone;
  TableWriter table(columns, options, out);
  if (options.format == OutputFormat::kCsv) {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) out << ',';
      WriteCsvCell(columns[i].name, out);
    }
    out << '\n';
  }
  int64_t count = 0;
  while (should_stop == nullptr || !should_stop()) {
    std::shared_ptr<arrow::RecordBatch> batch;
    Check(rows.ReadNext(&batch), "query");
    if (batch == nullptr) break;
    count += batch->num_rows();
    switch (options.format) {
      case OutputFormat::kTable: table.Add(ToText(*batch, columns, context), batch->num_rows()); break;
      case OutputFormat::kCsv: WriteCsv(ToText(*batch, columns, context), batch->num_rows(), out); break;
      case OutputFormat::kJson: WriteJson(*batch, columns, context, out); break;
    }
  }
  if (options.format == OutputFormat::kTable) table.Finish(count);
  out.flush();
  return count;
}

}  // namespace frazil::cli
