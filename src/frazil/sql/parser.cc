// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/parser.h"

#include <algorithm>
#include <charconv>

#include "frazil/base/suggest.h"
#include "frazil/sql/parser_impl.h"
#include "frazil/sql/unicode.h"

namespace frazil::sql {
namespace {

/// Runs `parse`, and shows the source in the errors it throws.
template <typename Parse>
auto WithSource(std::string_view script, Parse parse) {
  try {
    return parse();
  } catch (const SqlError& error) {
    throw error.WithSource(script);
  }
}

/// Parses the one statement, expression, … that `text` is.
template <typename Parse>
auto ParseOne(std::string_view text, Lexer lexer, Parse parse) {
  return WithSource(text, [&] {
    StatementReader reader(lexer);
    std::vector<Token> tokens;
    if (!reader.Next(tokens)) tokens.push_back({SpanAt(text, text.size(), 0), TokenKind::kEnd, Keyword::kNone});
    Parser parser(text, tokens);
    auto result = parse(parser);
    parser.ExpectEnd();
    std::vector<Token> more;
    if (reader.Next(more)) {
      throw SqlError(ErrorKind::kInvalidArgument, more.front().span, "one statement is allowed here, this is another",
                     "Syntax error");
    }
    return result;
  });
}

bool IsShellWord(std::string_view script, const std::vector<Token>& tokens) {
  constexpr std::string_view kWords[] = {"QUIT", "EXIT", "CLEAR", "HELP"};
  if (tokens.size() != 2) return false;
  const std::string_view word = ToString(FindKeyword(tokens.front().span.Text(script)));
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

std::string_view Spelling(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEnd: return "end of statement";
    case TokenKind::kWord: return "a name";
    case TokenKind::kQuotedIdentifier: return "a name in backticks";
    case TokenKind::kString:
    case TokenKind::kUnicodeString: return "a string";
    case TokenKind::kBinaryString: return "a binary string";
    case TokenKind::kInteger: return "an integer";
    case TokenKind::kDecimal:
    case TokenKind::kApproximate: return "a number";
    case TokenKind::kHintStart: return "'/*+'";
    case TokenKind::kHintEnd: return "'*/'";
    case TokenKind::kRaw: return "text";
    case TokenKind::kSemicolon: return "';'";
    case TokenKind::kLeftParen: return "'('";
    case TokenKind::kRightParen: return "')'";
    case TokenKind::kLeftBracket: return "'['";
    case TokenKind::kRightBracket: return "']'";
    case TokenKind::kComma: return "','";
    case TokenKind::kDot: return "'.'";
    case TokenKind::kEqual: return "'='";
    case TokenKind::kNotEqual: return "'<>'";
    case TokenKind::kLess: return "'<'";
    case TokenKind::kLessOrEqual: return "'<='";
    case TokenKind::kGreater: return "'>'";
    case TokenKind::kGreaterOrEqual: return "'>='";
    case TokenKind::kPlus: return "'+'";
    case TokenKind::kMinus: return "'-'";
    case TokenKind::kStar: return "'*'";
    case TokenKind::kSlash: return "'/'";
    case TokenKind::kPercent: return "'%'";
    case TokenKind::kConcat: return "'||'";
    case TokenKind::kArrow: return "'=>'";
  }
  return "";
}

/// "a", "a or b", "a, b or c"
std::string Enumerate(const std::vector<std::string_view>& items) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += i + 1 == items.size() ? " or " : ", ";
    out += items[i];
  }
  return out;
}

/// How a keyword is called where it is expected: with the word that always follows.
std::string_view Spelling(Keyword keyword) {
  switch (keyword) {
    case Keyword::kGROUP: return "GROUP BY";
    case Keyword::kORDER: return "ORDER BY";
    case Keyword::kPARTITIONED: return "PARTITIONED BY";
    default: return ToString(keyword);
  }
}

/// Words that start or join clauses: where one stands at the wrong place, no name was meant.
bool IsClauseWord(Keyword keyword) {
  switch (keyword) {
    case Keyword::kSELECT:
    case Keyword::kFROM:
    case Keyword::kWHERE:
    case Keyword::kGROUP:
    case Keyword::kHAVING:
    case Keyword::kORDER:
    case Keyword::kBY:
    case Keyword::kLIMIT:
    case Keyword::kFETCH:
    case Keyword::kUNION:
    case Keyword::kINTERSECT:
    case Keyword::kEXCEPT:
    case Keyword::kJOIN:
    case Keyword::kINNER:
    case Keyword::kLEFT:
    case Keyword::kRIGHT:
    case Keyword::kFULL:
    case Keyword::kCROSS:
    case Keyword::kON:
    case Keyword::kUSING:
    case Keyword::kAS:
    case Keyword::kAND:
    case Keyword::kOR:
    case Keyword::kNOT:
    case Keyword::kIN:
    case Keyword::kIS:
    case Keyword::kLIKE:
    case Keyword::kBETWEEN:
    case Keyword::kCASE:
    case Keyword::kWHEN:
    case Keyword::kTHEN:
    case Keyword::kELSE:
    case Keyword::kINSERT:
    case Keyword::kINTO:
    case Keyword::kVALUES:
    case Keyword::kCREATE:
    case Keyword::kDROP:
    case Keyword::kALTER:
    case Keyword::kUPDATE:
    case Keyword::kDELETE:
    case Keyword::kSHOW:
    case Keyword::kDESCRIBE:
    case Keyword::kEXPLAIN:
    case Keyword::kWITH:
    case Keyword::kALL:
    case Keyword::kDISTINCT:
    case Keyword::kEND:
    case Keyword::kTABLE:
    case Keyword::kSET: return true;
    default: return false;
  }
}

/// The clause word that the name is a slip of: one letter wrong, missing, too many or two exchanged. Or kNone.
Keyword MisspeltClause(std::string_view name) {
  constexpr Keyword kCandidates[] = {Keyword::kFROM,   Keyword::kWHERE, Keyword::kGROUP, Keyword::kORDER,
                                     Keyword::kHAVING, Keyword::kLIMIT, Keyword::kUNION, Keyword::kJOIN,
                                     Keyword::kINNER,  Keyword::kCROSS};
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  for (Keyword candidate : kCandidates) {
    const std::string_view word = ToString(candidate);
    if (word.size() == upper.size() && std::is_permutation(word.begin(), word.end(), upper.begin())) return candidate;
    const size_t longer = std::max(word.size(), upper.size());
    if (longer - std::min(word.size(), upper.size()) > 1) continue;
    const size_t head =
        static_cast<size_t>(std::mismatch(word.begin(), word.end(), upper.begin(), upper.end()).first - word.begin());
    const size_t tail = static_cast<size_t>(
        std::mismatch(word.rbegin(), word.rend(), upper.rbegin(), upper.rend()).first - word.rbegin());
    if (head + tail + 1 >= longer) return candidate;
  }
  return Keyword::kNone;
}

}  // namespace

// ---- The public functions

std::vector<Statement> ParseScript(std::string_view script) {
  return WithSource(script, [&] {
    std::vector<Statement> statements;
    StatementReader reader{Lexer(script)};
    for (std::vector<Token> tokens; reader.Next(tokens);) {
      Parser parser(script, tokens);
      statements.push_back(parser.ParseStatement());
      parser.ExpectEnd();
    }
    return statements;
  });
}

Statement ParseStatement(std::string_view text) {
  return ParseOne(text, Lexer(text), [](Parser& parser) { return parser.ParseStatement(); });
}

Statement ParseStatementAt(std::string_view script, const SourceSpan& span) {
  return ParseOne(script, Lexer(script, span, span.end()), [](Parser& parser) { return parser.ParseStatement(); });
}

ExpressionPtr ParseExpression(std::string_view text) {
  return ParseOne(text, Lexer(text), [](Parser& parser) { return parser.ParseExpression(); });
}

QueryPtr ParseQuery(std::string_view text) {
  return ParseOne(text, Lexer(text), [](Parser& parser) { return parser.ParseQuery(); });
}

LogicalType ParseType(std::string_view text) {
  return ParseOne(text, Lexer(text), [](Parser& parser) { return parser.ParseType().type; });
}

std::vector<SourceSpan> SplitScript(std::string_view script) {
  return WithSource(script, [&] {
    std::vector<SourceSpan> spans;
    StatementReader reader{Lexer(script)};
    for (std::vector<Token> tokens; reader.Next(tokens);) {
      spans.push_back(tokens.front().span.To(tokens[tokens.size() - 2].span));
    }
    return spans;
  });
}

bool IsComplete(std::string_view text) {
  StatementReader reader{Lexer(text)};
  std::vector<Token> tokens;
  bool complete = true;
  try {
    while (reader.Next(tokens)) complete = reader.ended() || IsShellWord(text, tokens);
  } catch (const UnterminatedError&) {
    return false;
  } catch (const SqlError&) {
    return true;  // wrong whatever follows: let the parser say so
  }
  return complete;
}

std::string QuoteIdentifier(std::string_view name) {
  bool plain = !name.empty() && !IsReserved(name);
  for (size_t i = 0; plain && i < name.size();) {
    const CodePoint point = DecodeCodePoint(name, i);
    plain = point.valid && (i == 0 ? IsIdentifierStart(point.value) : IsIdentifierPart(point.value));
    i += point.length;
  }
  if (plain) return std::string(name);
  std::string out = "`";
  for (char c : name) {
    if (c == '`') out += '`';
    out += c;
  }
  return out + '`';
}

// ---- Nesting

Parser::Nesting::Nesting(Parser& parser) : parser_(parser), outer_height_(parser.height_) {
  if (parser.depth_ >= kMaxNesting) {
    parser.Fail(parser.Peek().span, fmt::format("nested more than {} levels deep", kMaxNesting));
  }
  ++parser.depth_;
  parser.height_ = 0;
}

Parser::Nesting::~Nesting() {
  --parser_.depth_;
  parser_.height_ = std::max(outer_height_, parser_.height_ + 1);
}

Parser::Sibling::Sibling(Parser& parser) : parser_(parser), others_height_(parser.height_) { parser.height_ = 0; }

Parser::Sibling::~Sibling() { parser_.height_ = std::max(parser_.height_, others_height_); }

void Parser::GrowTree() {
  if (++height_ > kMaxTreeHeight) {
    Fail(Peek().span,
         fmt::format("a chain of more than {} operators; write it with fewer, or with parentheses", kMaxTreeHeight));
  }
}

// ---- Tokens

const Token& Parser::Peek(size_t ahead) const { return tokens_[std::min(position_ + ahead, tokens_.size() - 1)]; }

bool Parser::Accept(TokenKind kind) {
  if (PeekIs(kind)) {
    ++position_;
    return true;
  }
  Expected(Spelling(kind));
  return false;
}

bool Parser::Accept(Keyword keyword) {
  if (PeekIs(keyword)) {
    ++position_;
    return true;
  }
  Expected(Spelling(keyword));
  return false;
}

const Token& Parser::Expect(TokenKind kind) {
  if (!Accept(kind)) FailHere();
  return tokens_[position_ - 1];
}

const Token& Parser::Expect(Keyword keyword) {
  if (!Accept(keyword)) FailHere();
  return tokens_[position_ - 1];
}

void Parser::ExpectEnd() {
  if (PeekIs(TokenKind::kEnd)) return;
  Expected("end of statement");
  FailHere();
}

void Parser::Expected(std::string_view what) {
  if (expected_at_ != position_) {
    expected_.clear();
    expected_at_ = position_;
  }
  if (std::find(expected_.begin(), expected_.end(), what) == expected_.end()) expected_.push_back(what);
}

std::string Parser::Found(const Token& token) const {
  constexpr size_t kLongest = 40;
  if (token.kind == TokenKind::kEnd) return "end of statement";
  std::string text = Printable(token.span.Text(script_));
  std::string_view ellipsis;
  if (text.size() > kLongest) {
    size_t cut = kLongest;
    while (cut > 0 && IsContinuationByte(text[cut])) --cut;
    text.resize(cut);
    ellipsis = "…";
  }
  if (token.kind == TokenKind::kString || token.kind == TokenKind::kUnicodeString) {
    return fmt::format("the string {}{}", text, ellipsis);
  }
  if (token.kind == TokenKind::kQuotedIdentifier) return fmt::format("the name {}{}", text, ellipsis);
  return fmt::format("'{}{}'", text, ellipsis);
}

void Parser::FailHere() {
  const Token& token = Peek();
  if (implicit_alias_ + 1 == position_) {
    const Token& alias = tokens_[implicit_alias_];
    const Keyword meant = alias.kind == TokenKind::kWord ? MisspeltClause(alias.span.Text(script_)) : Keyword::kNone;
    if (meant != Keyword::kNone) {
      Fail(alias.span, fmt::format("found {}, expected {}", Found(alias), ToString(meant)));
    }
  }
  if (expected_at_ != position_) expected_.clear();
  std::string message = fmt::format("found {}, expected {}", Found(token), Enumerate(expected_));
  const bool name_expected = std::any_of(expected_.begin(), expected_.end(), [](std::string_view what) {
    return what.starts_with("a ") || what.starts_with("an ");
  });
  if (name_expected && IsReserved(token.keyword) && !IsClauseWord(token.keyword)) {
    message += fmt::format(" ({0} is a reserved word: as a name it needs backticks, `{0}`)", token.span.Text(script_));
  }
  if (token.kind == TokenKind::kWord && !IsReserved(token.keyword)) {
    std::string upper(token.span.Text(script_));
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    message += DidYouMean(upper, std::vector<std::string>(expected_.begin(), expected_.end()));
  }
  Fail(token.span, message);
}

void Parser::Fail(const SourceSpan& span, std::string_view message) const {
  throw SqlError(ErrorKind::kInvalidArgument, span, message, "Syntax error");
}

void Parser::Refuse(const SourceSpan& span, std::string_view what) const {
  throw SqlError(ErrorKind::kUnsupported, span, fmt::format("{} is not supported", what));
}

// ---- Names and small things

bool Parser::PeekIsName(size_t ahead) const {
  const Token& token = Peek(ahead);
  return token.kind == TokenKind::kQuotedIdentifier || (token.kind == TokenKind::kWord && !IsReserved(token.keyword));
}

Identifier Parser::IdentifierOf(const Token& token) const {
  return {NameOf(script_, token), token.span, token.kind == TokenKind::kQuotedIdentifier};
}

Identifier Parser::ParseIdentifier(std::string_view what) {
  if (!PeekIsName()) {
    Expected(what);
    FailHere();
  }
  return IdentifierOf(Consume());
}

QualifiedName Parser::ParseQualifiedName(size_t max_parts, std::string_view what) {
  QualifiedName name;
  name.parts.push_back(ParseIdentifier(what));
  while (PeekIs(TokenKind::kDot)) {
    if (name.parts.size() == max_parts) {
      Fail(SpanFrom(name.parts.front().span).To(Peek().span),
           fmt::format("{} has at most {} part{}", what, max_parts, max_parts == 1 ? "" : "s separated by dots"));
    }
    Consume();
    name.parts.push_back(ParseIdentifier());
  }
  name.span = SpanFrom(name.parts.front().span);
  return name;
}

std::vector<Identifier> Parser::ParseIdentifierList() {
  std::vector<Identifier> names;
  ParseParenthesised([&] { ParseCommaList([&] { names.push_back(ParseIdentifier("a column name")); }); });
  return names;
}

std::string Parser::ParseString(std::string_view what) {
  if (!PeekIs(TokenKind::kString) && !PeekIs(TokenKind::kUnicodeString)) {
    Expected(what);
    FailHere();
  }
  return StringValue(script_, Consume());
}

int64_t Parser::ParseInteger(std::string_view what, int64_t max) {
  if (!PeekIs(TokenKind::kInteger)) {
    Expected(what);
    FailHere();
  }
  const Token& token = Consume();
  const std::string_view text = token.span.Text(script_);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value > max) Fail(token.span, fmt::format("{} is too large: at most {}", text, max));
  return value;
}

Property Parser::ParseProperty() {
  Property property;
  property.key_span = Peek().span;
  property.key = ParseString("a key in single quotes");
  Expect(TokenKind::kEqual);
  property.value_span = Peek().span;
  property.value = ParseString("a value in single quotes");
  return property;
}

std::vector<Property> Parser::ParseProperties() {
  std::vector<Property> properties;
  ParseParenthesised([&] {
    if (PeekIs(TokenKind::kRightParen)) return;
    ParseCommaList([&] { properties.push_back(ParseProperty()); });
  });
  return properties;
}

bool Parser::AcceptIfExists() {
  if (!PeekAre(Keyword::kIF, Keyword::kEXISTS)) return false;
  position_ += 2;
  return true;
}

bool Parser::AcceptIfNotExists() {
  if (!PeekAre(Keyword::kIF, Keyword::kNOT)) return false;
  Consume();
  ExpectAll(Keyword::kNOT, Keyword::kEXISTS);
  return true;
}

}  // namespace frazil::sql
