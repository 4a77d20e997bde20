// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/error.h"

#include <algorithm>

#include "frazil/sql/unicode.h"

namespace frazil::sql {
namespace {

// Cells of source shown left and right of the place when its line is longer than a terminal.
constexpr size_t kContextBefore = 60;
constexpr size_t kContextAfter = 60;

std::string Located(const SourceSpan& span, std::string_view message, std::string_view headline,
                    std::string_view excerpt) {
  std::string text = span.line == 0
                         ? fmt::format("{}: {}", headline, message)
                         : fmt::format("{} at line {}, column {}: {}", headline, span.line, span.column, message);
  if (!excerpt.empty()) fmt::format_to(std::back_inserter(text), "\n{}", excerpt);
  return text;
}

/// The offset of the `count`th code point before `offset`, not before `floor`.
size_t StepBack(std::string_view text, size_t offset, size_t floor, size_t count) {
  while (offset > floor && count > 0) {
    --offset;
    if (!IsContinuationByte(text[offset])) --count;
  }
  return offset;
}

size_t StepForward(std::string_view text, size_t offset, size_t ceiling, size_t count) {
  while (offset < ceiling && count > 0) {
    offset += DecodeCodePoint(text, offset).length;
    --count;
  }
  return std::min(offset, ceiling);
}

}  // namespace

SqlError::SqlError(ErrorKind kind, SourceSpan span, std::string_view message, std::string_view headline)
    : SqlError(kind, span, message, headline, {}) {}

SqlError::SqlError(ErrorKind kind, SourceSpan span, std::string_view message, std::string_view headline,
                   std::string_view excerpt)
    : Error(kind, Located(span, message, headline, excerpt)), span_(span), message_(message), headline_(headline) {}

SqlError SqlError::WithSource(std::string_view script) const {
  if (span_.line == 0 || span_.offset > script.size()) return *this;
  return SqlError(kind(), span_, message_, headline_, RenderCaret(script, span_));
}

std::string RenderCaret(std::string_view script, const SourceSpan& span) {
  const size_t place = std::min<size_t>(span.offset, script.size());
  const size_t line_start = place == 0 ? 0 : script.rfind('\n', place - 1) + 1;  // npos + 1 is 0
  size_t line_end = std::min(script.find('\n', place), script.size());
  if (line_end > place && script[line_end - 1] == '\r') --line_end;

  const size_t begin = StepBack(script, place, line_start, kContextBefore);
  const size_t end = StepForward(script, place, line_end, kContextAfter);
  const std::string_view before_cut = begin > line_start ? "…" : "";
  const std::string_view after_cut = end < line_end ? "…" : "";

  // The cells before the place are counted in what is shown, where a damaged byte has become one character.
  const std::string head = Printable(script.substr(begin, place - begin));
  std::string out = fmt::format("  {}{}{}{}\n  {}", before_cut, head, Printable(script.substr(place, end - place)),
                                after_cut, before_cut.empty() ? "" : " ");
  for (size_t i = 0; i < head.size();) {
    const CodePoint point = DecodeCodePoint(head, i);
    if (point.value == '\t') {
      out += '\t';
    } else {
      out.append(CellWidth(point.value), ' ');
    }
    i += point.length;
  }
  out += '^';
  return out;
}

SourceSpan SpanAt(std::string_view script, size_t offset, size_t length) {
  const std::string_view before = script.substr(0, offset);
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto columns = std::count_if(before.begin() + static_cast<ptrdiff_t>(line_start), before.end(),
                                     [](char c) { return !IsContinuationByte(c); });
  return {static_cast<uint32_t>(lines + 1), static_cast<uint32_t>(columns + 1), static_cast<uint32_t>(offset),
          static_cast<uint32_t>(length)};
}

}  // namespace frazil::sql
