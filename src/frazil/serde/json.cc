// SPDX-License-Identifier: Apache-2.0
#include "frazil/serde/json.h"

#include <algorithm>
#include <cstring>
#include <string>

#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <simdjson.h>

#include "frazil/base/error.h"
#include "frazil/base/options.h"
#include "frazil/serde/json_object.h"
#include "frazil/serde/type_name.h"

namespace frazil::serde {

namespace {

using json::Column;
using json::DecodeContext;
using json::SyntaxError;
using json::ValueError;

/// `text` fit for one line of a message: not longer than a line's half, control and non-ASCII bytes as '?'.
std::string Shortened(std::string_view text) {
  constexpr size_t kMax = 40;
  std::string shown(text.substr(0, kMax));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  if (text.size() > kMax) shown += "…";
  return shown;
}

/// The '\n' at the end of the line at `p`.
const char* LineEnd(const char* p) {
  while (*p != '\n') ++p;
  return p;
}

DecodeContext ReadOptions(OptionReader& options) {
  DecodeContext context;
  context.ignore_parse_errors = options.GetBool("json.ignore-parse-errors").value_or(false);
  context.fail_on_missing_field = options.GetBool("json.fail-on-missing-field").value_or(false);
  if (context.ignore_parse_errors && context.fail_on_missing_field) {
    throw InvalidArgument(
        "'json.fail-on-missing-field' and 'json.ignore-parse-errors' can't both be true: drop one of them");
  }
  if (options.GetChoice("json.timestamp-format.standard", {"SQL", "ISO-8601"}).value_or("SQL") == "ISO-8601") {
    context.timestamp_standard = TimestampStandard::kIso8601;
  }
  return context;
}

class JsonDeserializer final : public DeserializationSchema {
 public:
  JsonDeserializer(std::shared_ptr<arrow::Schema> produced, DecodeContext context)
      : produced_(std::move(produced)), context_(std::move(context)), rows_("", produced_->fields(), context_) {}

  void Decode(std::span<const char> chunk, const ChunkPosition& position) override;
  int64_t buffered_rows() const override { return rows_.length(); }
  std::shared_ptr<arrow::RecordBatch> Take() override;
  int64_t num_skipped() const override { return num_skipped_; }
  int64_t num_nulled_fields() const override { return context_.nulled_fields; }

 private:
  /// Where the lines being decoded lie in the chunk.
  struct Place {
    const ChunkPosition* position;
    std::string_view before;  ///< the chunk's bytes before these lines
    const char* lines;        ///< the first of these lines; may be a copy
  };

  void DecodeLines(const char* begin, const char* end, const Place& place);
  const char* DecodeRecord(const char* p);
  const char* DecodeRow(const char* p);
  bool SkipBadRow(const char* p, int64_t row);
  bool CheckUtf8(const char* line);
  [[noreturn]] void ThrowFailure(const char* line, const Place& place) const;
  std::string Location(const char* at, const char* line, const Place& place) const;

  std::shared_ptr<arrow::Schema> produced_;
  DecodeContext context_;
  json::ObjectReader rows_;
  std::string last_line_;  // of a chunk that doesn't end in '\n', with one and padding
  bool valid_utf8_ = true;
  int64_t num_skipped_ = 0;
};

void JsonDeserializer::Decode(std::span<const char> chunk, const ChunkPosition& position) {
  std::string_view text(chunk.data(), chunk.size());
  valid_utf8_ = simdjson::validate_utf8(text.data(), text.size());
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  size_t begin = position.byte_offset == 0 && text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  size_t whole_lines = text.rfind('\n') + 1;  // npos + 1 is 0
  if (whole_lines > begin) {
    DecodeLines(text.data() + begin, text.data() + whole_lines,
                {&position, text.substr(0, begin), text.data() + begin});
  } else {
    whole_lines = begin;
  }
  if (whole_lines == text.size()) return;
  last_line_ = text.substr(whole_lines);
  last_line_ += '\n';
  size_t size = last_line_.size();
  last_line_.resize(size + kPadding);
  DecodeLines(last_line_.data(), last_line_.data() + size, {&position, text.substr(0, whole_lines), last_line_.data()});
}

void JsonDeserializer::DecodeLines(const char* p, const char* end, const Place& place) {
  while (p < end) {
    const char* line = p;
    p = json::SkipSpace(p);
    if (*p == '\n') {
      ++p;
      continue;
    }
    int64_t rows = rows_.length();
    int64_t skipped = num_skipped_;
    int64_t nulled_fields = context_.nulled_fields;
    try {
      p = DecodeRecord(p);
      if (p != nullptr) [[likely]]
        continue;
      if (!context_.ignore_parse_errors) ThrowFailure(line, place);
    } catch (...) {
      rows_.Truncate(rows);
      context_.nulled_fields = nulled_fields;
      throw;
    }
    rows_.Truncate(rows);
    context_.nulled_fields = nulled_fields;
    num_skipped_ = skipped + 1;
    p = static_cast<const char*>(std::memchr(line, '\n', static_cast<size_t>(end - line))) + 1;
  }
}

/// `p` is at the first byte of a record. Returns the position behind its line; nullptr if the record can't be used.
const char* JsonDeserializer::DecodeRecord(const char* p) {
  context_.value_error = {};
  if (!valid_utf8_ && !CheckUtf8(p)) return nullptr;
  if (*p == '[') {
    p = json::WalkItems(p + 1, ']', &context_.syntax_error, [this](const char* element) {
      int64_t row = rows_.length();
      const char* next = DecodeRow(element);
      if (next != nullptr || !SkipBadRow(element, row)) return next;
      return json::SkipValue(element, &context_.syntax_error);
    });
  } else {
    p = DecodeRow(p);
  }
  if (p == nullptr) return nullptr;
  p = json::SkipSpace(p);
  if (*p == '\n') [[likely]]
    return p + 1;
  context_.syntax_error = {p, "the end of the line behind the record"};
  return nullptr;
}

/// Appends the row of the object at `p`; null gives no row, as in Flink.
const char* JsonDeserializer::DecodeRow(const char* p) {
  if (*p == '{') [[likely]]
    return rows_.Read(p + 1);
  json::Token token;
  if (!json::ScanToken(p, &token, &context_.syntax_error)) return nullptr;
  if (token.kind == json::TokenKind::kNull) return token.end;
  context_.syntax_error = {p, "an object"};
  return nullptr;
}

/// Drops an array's element that is JSON but no row of the table, if errors are ignored.
bool JsonDeserializer::SkipBadRow(const char* element, int64_t row) {
  if (!context_.ignore_parse_errors || context_.value_error.column == nullptr) return false;
  context_.value_error = {};
  rows_.Truncate(row);
  ++num_skipped_;
  return true;
}

/// Of one line of a chunk that is not valid as a whole.
bool JsonDeserializer::CheckUtf8(const char* line) {
  const char* end = LineEnd(line);
  if (simdjson::validate_utf8(line, static_cast<size_t>(end - line))) return true;
  const char* p = line;
  while (p < end && simdjson::validate_utf8(line, static_cast<size_t>(p + 1 - line))) ++p;
  context_.syntax_error = {p, "UTF-8"};
  return false;
}

std::string JsonDeserializer::Location(const char* at, const char* line, const Place& place) const {
  const ChunkPosition& position = *place.position;
  if (position.first_line == 0) {
    auto offset = position.byte_offset + static_cast<int64_t>(place.before.size()) + (at - place.lines);
    return fmt::format("{} at byte {}", position.origin, offset);
  }
  auto number = position.first_line + std::ranges::count(place.before, '\n') + std::count(place.lines, line, '\n');
  return fmt::format("{}:{}:{}", position.origin, number, at - line + 1);
}

void JsonDeserializer::ThrowFailure(const char* line, const Place& place) const {
  constexpr std::string_view kAdvice = "fix the record or set 'json.ignore-parse-errors' = 'true'";
  const ValueError& error = context_.value_error;
  if (const Column* column = error.column; column != nullptr) {
    std::string value = error.value.data() == nullptr ? "" : fmt::format("'{}' ", Shortened(error.value));
    throw Corrupt("{}: column '{}' {}{}: {}{}; {}", Location(error.at, line, place), column->path(),
                  FlinkTypeName(*column->type()), column->nullable() ? "" : " NOT NULL", value, error.problem, kAdvice);
  }
  const SyntaxError& syntax = context_.syntax_error;
  std::string_view rest(syntax.at, LineEnd(syntax.at));
  std::string found = rest.empty() ? "the line ends" : fmt::format("found '{}'", Shortened(rest));
  throw Corrupt("{}: not a JSON record: expected {}, {}; {}", Location(syntax.at, line, place), syntax.expected, found,
                kAdvice);
}

std::shared_ptr<arrow::RecordBatch> JsonDeserializer::Take() {
  int64_t rows = rows_.length();
  return arrow::RecordBatch::Make(produced_, rows, rows_.Take());
}

}  // namespace

std::unique_ptr<DeserializationSchema> MakeJsonDeserializer(std::shared_ptr<arrow::Schema> produced,
                                                            OptionReader& options) {
  return std::make_unique<JsonDeserializer>(std::move(produced), ReadOptions(options));
}

}  // namespace frazil::serde
