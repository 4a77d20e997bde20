// SPDX-License-Identifier: Apache-2.0
// Places in SQL text, and errors that point at one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "frazil/base/error.h"

namespace frazil::sql {

/// A stretch of SQL text, relative to the whole script. `line` and `column` start at 1; `column` counts Unicode code
/// points (a tab is one). `offset` and `length` are bytes of UTF-8.
struct SourceSpan {
  uint32_t line = 0;  ///< 0: nowhere (a node that was not parsed)
  uint32_t column = 0;
  uint32_t offset = 0;
  uint32_t length = 0;

  uint32_t end() const { return offset + length; }
  /// The span from the start of this one to the end of `last`.
  SourceSpan To(const SourceSpan& last) const { return {line, column, offset, last.end() - offset}; }
  /// What the span covers of the script it was made from.
  std::string_view Text(std::string_view script) const { return script.substr(offset, length); }
  bool operator==(const SourceSpan&) const = default;
};

/// An error at a place of the SQL. The parser and the binder throw it with the place only; whoever holds the script
/// makes it readable with WithSource().
class SqlError : public Error {
 public:
  /// what() is "<headline> at line L, column C: <message>", for a span that is somewhere.
  SqlError(ErrorKind kind, SourceSpan span, std::string_view message, std::string_view headline = "SQL error");

  const SourceSpan& span() const noexcept { return span_; }
  /// The message without place and source line.
  const std::string& message() const noexcept { return message_; }

  /// The same error whose what() also shows the line of `script` and a caret under the place:
  ///
  ///     Syntax error at line 3, column 10: found 'FORM', expected FROM
  ///       SELECT a FORM t
  ///                ^
  ///
  /// Idempotent. A long line is shown in part.
  SqlError WithSource(std::string_view script) const;

 private:
  SqlError(ErrorKind kind, SourceSpan span, std::string_view message, std::string_view headline,
           std::string_view excerpt);

  SourceSpan span_;
  std::string message_;
  std::string headline_;
};

/// Two lines, indented by two blanks: the line of `script` where `span` starts and a caret under its first character.
/// Tabs stay tabs, wide characters (CJK, emoji) count two cells, combining marks none. No line end after the caret.
std::string RenderCaret(std::string_view script, const SourceSpan& span);

/// The span of `script` from byte `offset`, `length` bytes long, with line and column counted.
SourceSpan SpanAt(std::string_view script, size_t offset, size_t length);

// Makers for the stages after the parser: `throw InvalidSql(node.span, "unknown column '{}'", name);`
template <typename... Args>
[[nodiscard]] SqlError InvalidSql(const SourceSpan& span, fmt::format_string<Args...> format, Args&&... args) {
  return SqlError(ErrorKind::kInvalidArgument, span, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
[[nodiscard]] SqlError UnsupportedSql(const SourceSpan& span, fmt::format_string<Args...> format, Args&&... args) {
  return SqlError(ErrorKind::kUnsupported, span, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace frazil::sql
