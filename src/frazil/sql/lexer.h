// SPDX-License-Identifier: Apache-2.0
// SQL text → tokens, by the lexical rules of Flink (Calcite with Lex.JAVA): names keep their case, keywords have none,
// backticks quote names, '' is a quote inside of a string, comments are -- and // to the line's end and /* … */ without
// nesting, /*+ … */ is a hint.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/sql/error.h"

namespace frazil::sql {

enum class Keyword : uint16_t {
  kNone,
#define FRAZIL_KEYWORD(word, use) k##word,
#include "frazil/sql/keywords.def"
#undef FRAZIL_KEYWORD
};

/// "SELECT"; "" for kNone.
std::string_view ToString(Keyword keyword);
/// The keyword of a word in any case, or kNone.
Keyword FindKeyword(std::string_view word);
/// Needs backticks to be a name.
bool IsReserved(Keyword keyword);
/// Not reserved, or reserved with a function of that name: `LEFT(s, 2)`.
bool MayNameFunction(Keyword keyword);

enum class TokenKind : uint8_t {
  kEnd,  ///< of the statement: its `;` or the end of the text
  kWord,
  kQuotedIdentifier,
  kString,
  kUnicodeString,  ///< U&'…'
  kBinaryString,   ///< X'…'
  kInteger,
  kDecimal,
  kApproximate,
  kHintStart,
  kHintEnd,
  kRaw,        ///< all that follows SET or RESET where it is not quoted
  kSemicolon,  ///< only inside of a statement set
  kLeftParen,
  kRightParen,
  kLeftBracket,
  kRightBracket,
  kComma,
  kDot,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kConcat,
  kArrow,  ///< =>
};

struct Token {
  SourceSpan span;
  TokenKind kind = TokenKind::kEnd;
  Keyword keyword = Keyword::kNone;  ///< of a kWord
};

/// A string, comment or quoted name that the text ends in.
class UnterminatedError : public SqlError {
 public:
  UnterminatedError(SourceSpan span, std::string_view message)
      : SqlError(ErrorKind::kInvalidArgument, span, message, "Syntax error") {}
};

/// Cuts a script into tokens, one after the other. Throws SqlError without source.
class Lexer {
 public:
  /// From `start` (of a span of this script) to byte `end`.
  Lexer(std::string_view script, const SourceSpan& start, size_t end);
  explicit Lexer(std::string_view script) : Lexer(script, {1, 1, 0, 0}, script.size()) {}

  /// The next token; kSemicolon for `;`, kEnd at the end of the text, again and again.
  Token Next();

  /// What remains up to `;` outside of quotes, as one kRaw token without blanks around; nothing else is looked at.
  Token NextRaw();

  /// The next byte that is no blank and in no comment, or '\0' at the end.
  char PeekByte();

 private:
  bool AtEnd() const { return offset_ >= end_; }
  char At(size_t ahead) const { return offset_ + ahead < end_ ? script_[offset_ + ahead] : '\0'; }
  void Advance(size_t bytes);
  SourceSpan Here(size_t length) const { return {line_, column_, offset_, static_cast<uint32_t>(length)}; }

  void SkipBlanksAndComments();
  void SkipLineComment();
  void SkipBlockComment();
  Token Finish(TokenKind kind, size_t length);
  Token LexWord();
  Token LexNumber();
  /// A token that ends with `quote`, where two quotes are one; its opening quote is `prefix` bytes ahead.
  Token LexQuoted(TokenKind kind, size_t prefix, char quote, std::string_view what);
  Token LexOperator();
  [[noreturn]] void FailAtCharacter();

  std::string_view script_;
  uint32_t end_;
  uint32_t offset_;
  uint32_t line_;
  uint32_t column_;
  bool in_hint_ = false;
  SourceSpan hint_;
};

/// The tokens of one statement after the other.
class StatementReader {
 public:
  explicit StatementReader(Lexer lexer) : lexer_(lexer) {}

  /// Reads the next statement that is not empty; false at the end of the text. The last token is a kEnd.
  bool Next(std::vector<Token>& tokens);

  /// Whether the statement read last was ended by a `;`.
  bool ended() const { return ended_; }
  /// Whether it is a statement set whose END did not come.
  bool in_statement_set() const { return in_statement_set_; }

 private:
  Lexer lexer_;
  bool ended_ = false;
  bool in_statement_set_ = false;
};

/// What a string token stands for: quotes removed, '' made one, escapes of U&'…' resolved.
std::string StringValue(std::string_view script, const Token& token, char32_t unicode_escape = U'\\');
/// The bytes of X'…'. Throws SqlError if they are no pairs of hexadecimal digits.
std::string BinaryValue(std::string_view script, const Token& token);
/// The name of a kWord or kQuotedIdentifier token.
std::string NameOf(std::string_view script, const Token& token);

}  // namespace frazil::sql
