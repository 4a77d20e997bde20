// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/lexer.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "frazil/sql/parser.h"
#include "frazil/sql/unicode.h"

namespace frazil::sql {
namespace {

enum class KeywordUse : uint8_t { kReserved, kFunction, kFree };

struct KeywordEntry {
  std::string_view word;
  KeywordUse use;
};

constexpr KeywordEntry kKeywords[] = {
    {"", KeywordUse::kFree},
#define FRAZIL_KEYWORD(word, use) {#word, KeywordUse::use},
#include "frazil/sql/keywords.def"
#undef FRAZIL_KEYWORD
};
constexpr size_t kLongestKeyword = 40;

const KeywordEntry& Entry(Keyword keyword) { return kKeywords[static_cast<size_t>(keyword)]; }

const std::unordered_map<std::string_view, Keyword>& KeywordIndex() {
  static const auto index = [] {
    std::unordered_map<std::string_view, Keyword> map;
    map.reserve(std::size(kKeywords));
    for (size_t i = 1; i < std::size(kKeywords); ++i) map.emplace(kKeywords[i].word, static_cast<Keyword>(i));
    return map;
  }();
  return index;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAsciiBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  const char upper = Upper(c);
  return upper >= 'A' && upper <= 'F' ? upper - 'A' + 10 : -1;
}

[[noreturn]] void FailSyntax(const SourceSpan& span, std::string_view message) {
  throw SqlError(ErrorKind::kInvalidArgument, span, message, "Syntax error");
}

/// `text` between its quotes, doubled quotes made one.
std::string Unquote(std::string_view text, char quote) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == quote) ++i;
  }
  return out;
}

/// Is this the head of a statement set, up to and with BEGIN or `BEGIN STATEMENT SET`?
bool StartsStatementSet(const std::vector<Token>& tokens) {
  const auto is = [&](size_t i, Keyword keyword) { return i < tokens.size() && tokens[i].keyword == keyword; };
  if (is(0, Keyword::kBEGIN)) return is(1, Keyword::kSTATEMENT) && is(2, Keyword::kSET);
  // [EXPLAIN details…] [EXECUTE] STATEMENT SET BEGIN
  constexpr size_t kLongestHead = 12;
  const size_t limit = std::min(tokens.size(), kLongestHead);
  if (!is(0, Keyword::kEXPLAIN) && !is(0, Keyword::kEXECUTE) && !is(0, Keyword::kSTATEMENT)) return false;
  for (size_t i = 0; i + 2 < limit; ++i) {
    if (is(i, Keyword::kSTATEMENT) && is(i + 1, Keyword::kSET) && is(i + 2, Keyword::kBEGIN)) return true;
  }
  return false;
}

/// Does the statement set in `tokens` end with its END (and not with that of a CASE)?
bool EndsStatementSet(const std::vector<Token>& tokens) {
  if (tokens.size() < 2 || tokens.back().keyword != Keyword::kEND) return false;
  const Token& before = tokens[tokens.size() - 2];
  return before.kind == TokenKind::kSemicolon || before.keyword == Keyword::kBEGIN;
}

}  // namespace

std::string_view ToString(Keyword keyword) { return Entry(keyword).word; }

Keyword FindKeyword(std::string_view word) {
  if (word.size() > kLongestKeyword) return Keyword::kNone;
  std::array<char, kLongestKeyword> upper;
  std::transform(word.begin(), word.end(), upper.begin(), Upper);
  const auto found = KeywordIndex().find(std::string_view(upper.data(), word.size()));
  return found == KeywordIndex().end() ? Keyword::kNone : found->second;
}

bool IsReserved(Keyword keyword) { return Entry(keyword).use != KeywordUse::kFree; }

bool MayNameFunction(Keyword keyword) { return Entry(keyword).use != KeywordUse::kReserved; }

bool IsReserved(std::string_view word) { return IsReserved(FindKeyword(word)); }

std::span<const std::string_view> Keywords() {
  static const auto words = [] {
    std::array<std::string_view, std::size(kKeywords) - 1> all;
    std::transform(std::begin(kKeywords) + 1, std::end(kKeywords), all.begin(), [](const auto& k) { return k.word; });
    return all;
  }();
  return words;
}

Lexer::Lexer(std::string_view script, const SourceSpan& start, size_t end)
    : script_(script),
      end_(static_cast<uint32_t>(end)),
      offset_(start.offset),
      line_(start.line),
      column_(start.column) {
  if (script.size() > UINT32_MAX)
    throw InvalidArgument("SQL text of {} bytes is too long: at most 4 GiB", script.size());
}

void Lexer::Advance(size_t bytes) {
  for (const size_t stop = offset_ + bytes; offset_ < stop; ++offset_) {
    const char c = script_[offset_];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if (!IsContinuationByte(c)) {
      ++column_;
    }
  }
}

void Lexer::SkipLineComment() {
  const size_t line_end = std::min<size_t>(script_.find('\n', offset_), end_);
  Advance(line_end - offset_);
}

void Lexer::SkipBlockComment() {
  const size_t close = script_.find("*/", offset_ + 2);
  if (close == std::string_view::npos || close + 2 > end_) {
    throw UnterminatedError(Here(2), "this comment is not closed: '*/' is missing");
  }
  Advance(close + 2 - offset_);
}

void Lexer::SkipBlanksAndComments() {
  while (!AtEnd()) {
    const char c = At(0);
    if (IsAsciiBlank(c)) {
      Advance(1);
    } else if ((c == '-' && At(1) == '-') || (c == '/' && At(1) == '/')) {
      SkipLineComment();
    } else if (c == '/' && At(1) == '*' && At(2) != '+') {
      SkipBlockComment();
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      const CodePoint point = DecodeCodePoint(script_.substr(0, end_), offset_);
      if (!point.valid || !IsUnicodeBlank(point.value)) return;
      Advance(point.length);
    } else {
      return;
    }
  }
}

char Lexer::PeekByte() {
  SkipBlanksAndComments();
  return At(0);
}

Token Lexer::Finish(TokenKind kind, size_t length) {
  Token token{Here(length), kind, Keyword::kNone};
  Advance(length);
  return token;
}

Token Lexer::Next() {
  SkipBlanksAndComments();
  if (AtEnd()) {
    if (in_hint_) throw UnterminatedError(hint_, "this hint is not closed: '*/' is missing");
    return Finish(TokenKind::kEnd, 0);
  }
  const char c = At(0);
  switch (c) {
    case '\'': return LexQuoted(TokenKind::kString, 0, '\'', "string");
    case '`': return LexQuoted(TokenKind::kQuotedIdentifier, 0, '`', "quoted name");
    case 'X':
    case 'x':
      if (At(1) == '\'') return LexQuoted(TokenKind::kBinaryString, 1, '\'', "binary string");
      return LexWord();
    case 'U':
    case 'u':
      if (At(1) == '&' && At(2) == '\'') return LexQuoted(TokenKind::kUnicodeString, 2, '\'', "string");
      return LexWord();
    default: break;
  }
  if (IsDigit(c) || (c == '.' && IsDigit(At(1)))) return LexNumber();
  if (static_cast<unsigned char>(c) < 0x80 && !IsIdentifierStart(static_cast<char32_t>(c)) && c != '$') {
    return LexOperator();
  }
  return LexWord();
}

Token Lexer::LexWord() {
  const std::string_view text = script_.substr(0, end_);
  size_t end = offset_;
  while (end < end_) {
    const CodePoint point = DecodeCodePoint(text, end);
    if (!point.valid || !IsIdentifierPart(point.value)) break;
    end += point.length;
  }
  if (end == offset_) FailAtCharacter();
  const size_t length = end - offset_;
  Token token = Finish(TokenKind::kWord, length);
  token.keyword = FindKeyword(token.span.Text(script_));
  return token;
}

Token Lexer::LexNumber() {
  const auto skip_digits = [&](size_t i) {
    while (IsDigit(At(i))) ++i;
    return i;
  };
  TokenKind kind = TokenKind::kInteger;
  size_t length = skip_digits(0);
  if (At(length) == '.') {
    kind = TokenKind::kDecimal;
    length = skip_digits(length + 1);
  }
  if (Upper(At(length)) == 'E') {
    const size_t sign = At(length + 1) == '+' || At(length + 1) == '-' ? 1 : 0;
    if (IsDigit(At(length + 1 + sign))) {
      kind = TokenKind::kApproximate;
      length = skip_digits(length + 1 + sign);
    }
  }
  // Flink reads `1a` as `1 AS a`, so that 0x1F is 0: nobody who writes that means it.
  if (const char next = At(length); next != '\0') {
    const CodePoint point = DecodeCodePoint(script_.substr(0, end_), offset_ + length);
    if (point.valid && IsIdentifierStart(point.value)) {
      FailSyntax(Here(length),
                 fmt::format("the number {} runs into a name: put a blank between them, or quote the name "
                             "with backticks if it starts with a digit",
                             script_.substr(offset_, length)));
    }
  }
  return Finish(kind, length);
}

Token Lexer::LexQuoted(TokenKind kind, size_t prefix, char quote, std::string_view what) {
  size_t end = offset_ + prefix + 1;
  for (;; end += 2) {
    end = script_.find(quote, end);
    if (end == std::string_view::npos || end >= end_) {
      throw UnterminatedError(Here(prefix + 1), fmt::format("this {} is not closed: {} is missing", what,
                                                            quote == '\'' ? "a single quote (')" : "a backtick (`)"));
    }
    if (end + 1 >= end_ || script_[end + 1] != quote) break;
  }
  if (kind == TokenKind::kQuotedIdentifier && end == offset_ + 1) FailSyntax(Here(2), "a quoted name may not be empty");
  return Finish(kind, end + 1 - offset_);
}

Token Lexer::LexOperator() {
  switch (At(0)) {
    case '(': return Finish(TokenKind::kLeftParen, 1);
    case ')': return Finish(TokenKind::kRightParen, 1);
    case '[': return Finish(TokenKind::kLeftBracket, 1);
    case ']': return Finish(TokenKind::kRightBracket, 1);
    case ',': return Finish(TokenKind::kComma, 1);
    case ';': return Finish(TokenKind::kSemicolon, 1);
    case '.': return Finish(TokenKind::kDot, 1);
    case '+': return Finish(TokenKind::kPlus, 1);
    case '-': return Finish(TokenKind::kMinus, 1);
    case '%': return Finish(TokenKind::kPercent, 1);
    case '*':
      if (in_hint_ && At(1) == '/') {
        in_hint_ = false;
        return Finish(TokenKind::kHintEnd, 2);
      }
      return Finish(TokenKind::kStar, 1);
    case '/':
      if (At(1) == '*') {
        in_hint_ = true;
        hint_ = Here(3);
        return Finish(TokenKind::kHintStart, 3);
      }
      return Finish(TokenKind::kSlash, 1);
    case '=':
      if (At(1) == '>') return Finish(TokenKind::kArrow, 2);
      if (At(1) == '=') FailSyntax(Here(2), "found '==': SQL compares with a single '='");
      return Finish(TokenKind::kEqual, 1);
    case '<':
      if (At(1) == '=') return Finish(TokenKind::kLessOrEqual, 2);
      if (At(1) == '>') return Finish(TokenKind::kNotEqual, 2);
      return Finish(TokenKind::kLess, 1);
    case '>':
      if (At(1) == '=') return Finish(TokenKind::kGreaterOrEqual, 2);
      return Finish(TokenKind::kGreater, 1);
    case '!':
      if (At(1) == '=') return Finish(TokenKind::kNotEqual, 2);
      break;
    case '|':
      if (At(1) == '|') return Finish(TokenKind::kConcat, 2);
      break;
    default: break;
  }
  FailAtCharacter();
}

void Lexer::FailAtCharacter() {
  const CodePoint point = DecodeCodePoint(script_.substr(0, end_), offset_);
  const SourceSpan span = Here(point.length);
  if (!point.valid) FailSyntax(span, fmt::format("byte 0x{:02X} is not UTF-8", static_cast<unsigned char>(At(0))));
  switch (point.value) {
    case '"':
      FailSyntax(
          span,
          "double quotes don't quote in Flink SQL: write names in backticks (`name`) and strings in single quotes "
          "('text')");
    case U'‘':
    case U'’':
    case U'“':
    case U'”':
      FailSyntax(span,
                 fmt::format("found the typographic quote {}: write strings in straight single quotes ('text') and "
                             "names in backticks (`name`)",
                             script_.substr(offset_, point.length)));
    case ':': FailSyntax(span, "unexpected ':' (a cast is written CAST(x AS type))");
    case '?': FailSyntax(span, "unexpected '?': parameters are not part of a script, write the value");
    case '{':
    case '}':
    case '@':
    case '#':
    case '~':
    case '^':
    case '&':
    case '|':
    case '!':
    case '\\': FailSyntax(span, fmt::format("unexpected '{}'", static_cast<char>(point.value)));
    default: break;
  }
  if (point.value < 0x20 || point.value == 0x7F) {
    FailSyntax(span, fmt::format("unexpected control character 0x{:02X}", static_cast<uint32_t>(point.value)));
  }
  FailSyntax(span, fmt::format("unexpected '{}' (U+{:04X})", script_.substr(offset_, point.length),
                               static_cast<uint32_t>(point.value)));
}

Token Lexer::NextRaw() {
  SkipBlanksAndComments();
  const Token start{Here(0), TokenKind::kRaw, Keyword::kNone};
  size_t end = offset_;
  size_t comment = end_;  // where a trailing comment starts: `--` after a blank
  for (char quote = '\0'; end < end_; ++end) {
    const char c = script_[end];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == ';') {
      break;
    } else if (c == '\'') {
      quote = c;
    } else if (c == '-' && end + 1 < end_ && script_[end + 1] == '-' && IsAsciiBlank(script_[end - 1])) {
      comment = std::min<size_t>(comment, end);
      end = std::min<size_t>(script_.find('\n', end), end_) - 1;
    }
  }
  size_t text_end = std::min<size_t>(end, comment);
  while (text_end > start.span.offset && IsAsciiBlank(script_[text_end - 1])) --text_end;
  Advance(end - offset_);
  Token token = start;
  token.span.length = static_cast<uint32_t>(text_end - start.span.offset);
  return token;
}

bool StatementReader::Next(std::vector<Token>& tokens) {
  tokens.clear();
  ended_ = false;
  in_statement_set_ = false;
  for (;;) {
    Token token = lexer_.Next();
    if (token.kind == TokenKind::kEnd) {
      if (tokens.empty()) return false;
      in_statement_set_ = StartsStatementSet(tokens) && !EndsStatementSet(tokens);
      tokens.push_back(token);
      return true;
    }
    if (token.kind == TokenKind::kSemicolon) {
      if (tokens.empty()) continue;
      if (StartsStatementSet(tokens) && !EndsStatementSet(tokens)) {
        tokens.push_back(token);
        continue;
      }
      ended_ = true;
      token.kind = TokenKind::kEnd;
      tokens.push_back(token);
      return true;
    }
    tokens.push_back(token);
    const bool takes_raw = token.keyword == Keyword::kSET || token.keyword == Keyword::kRESET;
    if (takes_raw && tokens.size() == 1) {
      const char next = lexer_.PeekByte();
      if (next != '\'' && next != ';' && next != '\0') tokens.push_back(lexer_.NextRaw());
    }
  }
}

std::string StringValue(std::string_view script, const Token& token, char32_t unicode_escape) {
  const std::string_view text = token.span.Text(script);
  if (token.kind == TokenKind::kString) return Unquote(text.substr(1, text.size() - 2), '\'');

  constexpr size_t kPrefix = 3;  // U&'
  const std::string raw = Unquote(text.substr(kPrefix, text.size() - kPrefix - 1), '\'');
  std::string out;
  for (size_t i = 0; i < raw.size();) {
    const CodePoint point = DecodeCodePoint(raw, i);
    if (point.value != unicode_escape || !point.valid) {
      out.append(raw, i, point.length);
      i += point.length;
      continue;
    }
    i += point.length;
    if (i < raw.size() && DecodeCodePoint(raw, i).value == unicode_escape) {  // doubled: itself
      out.append(raw, i, point.length);
      i += point.length;
      continue;
    }
    constexpr size_t kDigits = 4;
    char32_t value = 0;
    for (size_t digit = 0; digit < kDigits; ++digit, ++i) {
      const int hex = i < raw.size() ? HexDigit(raw[i]) : -1;
      if (hex < 0) FailSyntax(token.span, "an escape of U&'…' is the escape character and four hexadecimal digits");
      value = value * 16 + static_cast<char32_t>(hex);
    }
    if (value == 0 || (value >= 0xD800 && value <= 0xDFFF)) {
      FailSyntax(token.span, fmt::format("U+{:04X} is no character", static_cast<uint32_t>(value)));
    }
    AppendUtf8(out, value);
  }
  return out;
}

std::string BinaryValue(std::string_view script, const Token& token) {
  const std::string_view text = token.span.Text(script);
  const std::string_view digits = text.substr(2, text.size() - 3);
  std::string out;
  if (digits.size() % 2 != 0) FailSyntax(token.span, "a binary string has two hexadecimal digits for each byte");
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int high = HexDigit(digits[i]);
    const int low = HexDigit(digits[i + 1]);
    if (high < 0 || low < 0) FailSyntax(token.span, "a binary string has two hexadecimal digits for each byte");
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

std::string NameOf(std::string_view script, const Token& token) {
  const std::string_view text = token.span.Text(script);
  if (token.kind != TokenKind::kQuotedIdentifier) return std::string(text);
  return Unquote(text.substr(1, text.size() - 2), '`');
}

}  // namespace frazil::sql
