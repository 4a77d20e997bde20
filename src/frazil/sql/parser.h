// SPDX-License-Identifier: Apache-2.0
// Flink SQL text → AST. Knows no catalog, no function and no option: names and types stay as written, what a later
// stage can't do it refuses with the node's span. All errors are SqlError, already with the source line and a caret.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/sql/ast.h"
#include "frazil/sql/error.h"

namespace frazil::sql {

/// How deep parentheses, subqueries, types, … may nest, and how high the tree of one statement may become; beyond is an
/// error, so that everything that walks an AST may recurse. AND and OR chains are flat and don't count.
inline constexpr int kMaxNesting = 400;
inline constexpr int kMaxTreeHeight = 1000;

/// Parses all statements of a script. `;` separates them (optional after the last), empty ones are skipped, and
/// `BEGIN STATEMENT SET; …; END;` becomes one StatementSet. Spans are relative to `script`.
std::vector<Statement> ParseScript(std::string_view script);

/// Parses exactly one statement, with or without its `;`.
Statement ParseStatement(std::string_view text);

/// Parses exactly one expression, query or type: for tests, options and stored definitions.
ExpressionPtr ParseExpression(std::string_view text);
QueryPtr ParseQuery(std::string_view text);
LogicalType ParseType(std::string_view text);

/// Where the statements of a script are, without parsing them: each span starts at the first token and ends before its
/// `;`. A statement set's BEGIN … END is one. Throws SqlError for an unterminated string, comment or identifier.
std::vector<SourceSpan> SplitScript(std::string_view script);

/// Parses the one statement that SplitScript found at `span`; its spans are relative to `script`.
Statement ParseStatementAt(std::string_view script, const SourceSpan& span);

/// For the shell: does `text` end a statement, so that Enter may run it? False inside a string, a comment, a quoted
/// identifier or BEGIN … END, and where there is no `;` after the last token; shell words (QUIT, EXIT, CLEAR, HELP)
/// need none. Blank text is complete.
bool IsComplete(std::string_view text);

/// Every keyword, sorted, upper case: for completion.
std::span<const std::string_view> Keywords();
/// Whether Flink reserves `word` (any case): as a name it needs backticks.
bool IsReserved(std::string_view word);
/// `name` as it can stand in SQL: with backticks when it is reserved or not a plain identifier.
std::string QuoteIdentifier(std::string_view name);

/// The expression in Flink's syntax, with parentheses only where needed. ParseExpression gives the same tree back.
std::string ExpressionToString(const Expression& expression);
std::string QueryToString(const Query& query);
std::string StatementToString(const Statement& statement);

}  // namespace frazil::sql
