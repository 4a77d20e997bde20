// SPDX-License-Identifier: Apache-2.0
// Expressions, by Calcite's precedence, loosest first: OR; AND; NOT; IS …; comparison; BETWEEN, IN, LIKE, SIMILAR TO;
// IS [NOT] DISTINCT FROM; + -; * / % ||; unary + -; [] and field access.
#include <charconv>
#include <cmath>

#include "frazil/sql/parser_impl.h"

namespace frazil::sql {
namespace {

constexpr int kIsPrecedence = 1;
constexpr int kComparisonPrecedence = 2;
constexpr int kRangePrecedence = 3;
constexpr int kDistinctPrecedence = 4;
constexpr int kAdditivePrecedence = 5;
constexpr int kMultiplicativePrecedence = 6;

struct InfixOperator {
  BinaryOperator op;
  int precedence;
};

std::optional<InfixOperator> FindInfix(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEqual: return InfixOperator{BinaryOperator::kEqual, kComparisonPrecedence};
    case TokenKind::kNotEqual: return InfixOperator{BinaryOperator::kNotEqual, kComparisonPrecedence};
    case TokenKind::kLess: return InfixOperator{BinaryOperator::kLess, kComparisonPrecedence};
    case TokenKind::kLessOrEqual: return InfixOperator{BinaryOperator::kLessOrEqual, kComparisonPrecedence};
    case TokenKind::kGreater: return InfixOperator{BinaryOperator::kGreater, kComparisonPrecedence};
    case TokenKind::kGreaterOrEqual: return InfixOperator{BinaryOperator::kGreaterOrEqual, kComparisonPrecedence};
    case TokenKind::kPlus: return InfixOperator{BinaryOperator::kAdd, kAdditivePrecedence};
    case TokenKind::kMinus: return InfixOperator{BinaryOperator::kSubtract, kAdditivePrecedence};
    case TokenKind::kStar: return InfixOperator{BinaryOperator::kMultiply, kMultiplicativePrecedence};
    case TokenKind::kSlash: return InfixOperator{BinaryOperator::kDivide, kMultiplicativePrecedence};
    case TokenKind::kPercent: return InfixOperator{BinaryOperator::kModulo, kMultiplicativePrecedence};
    case TokenKind::kConcat: return InfixOperator{BinaryOperator::kConcat, kMultiplicativePrecedence};
    default: return std::nullopt;
  }
}

bool IsNumber(TokenKind kind) {
  return kind == TokenKind::kInteger || kind == TokenKind::kDecimal || kind == TokenKind::kApproximate;
}

/// Units that can stand in an interval.
bool IsIntervalUnit(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kYear:
    case TimeUnit::kQuarter:
    case TimeUnit::kMonth:
    case TimeUnit::kWeek:
    case TimeUnit::kDay:
    case TimeUnit::kHour:
    case TimeUnit::kMinute:
    case TimeUnit::kSecond: return true;
    default: return false;
  }
}

/// Functions with clauses of their own inside of the parentheses: RETURNING, ON EMPTY, KEY … VALUE, …
bool IsJsonFunction(Keyword keyword) {
  switch (keyword) {
    case Keyword::kJSON_ARRAY:
    case Keyword::kJSON_ARRAYAGG:
    case Keyword::kJSON_EXISTS:
    case Keyword::kJSON_OBJECT:
    case Keyword::kJSON_OBJECTAGG:
    case Keyword::kJSON_QUERY:
    case Keyword::kJSON_VALUE: return true;
    default: return false;
  }
}

}  // namespace

ExpressionPtr Parser::ParseExpression() {
  Nesting nesting(*this);
  return ParseOr();
}

ExpressionPtr Parser::ParseOr() {
  const SourceSpan first = Peek().span;
  ExpressionPtr left = ParseAnd();
  if (!PeekIs(Keyword::kOR)) return left;
  Junction junction{false, {}};
  junction.operands.push_back(std::move(left));
  while (PeekIs(Keyword::kOR)) {
    Consume();
    junction.operands.push_back(ParseAnd());
  }
  GrowTree();
  return Make(first, std::move(junction));
}

ExpressionPtr Parser::ParseAnd() {
  const SourceSpan first = Peek().span;
  ExpressionPtr left = ParseNot();
  if (!PeekIs(Keyword::kAND)) return left;
  Junction junction{true, {}};
  junction.operands.push_back(std::move(left));
  while (PeekIs(Keyword::kAND)) {
    Consume();
    junction.operands.push_back(ParseNot());
  }
  return Make(first, std::move(junction));
}

ExpressionPtr Parser::ParseNot() {
  Sibling sibling(*this);
  if (!PeekIs(Keyword::kNOT)) return ParseOperators(kIsPrecedence);
  Nesting nesting(*this);
  const SourceSpan first = Consume().span;
  ExpressionPtr operand = ParseNot();
  return Make(first, UnaryOp{UnaryOperator::kNot, std::move(operand)});
}

ExpressionPtr Parser::ParseOperators(int min_precedence) {
  const SourceSpan first = Peek().span;
  ExpressionPtr left = ParseUnary();
  for (;;) {
    const Token& token = Peek();
    if (const auto infix = FindInfix(token.kind)) {
      if (infix->precedence < min_precedence) return left;
      Consume();
      if (PeekIs(Keyword::kALL) || PeekIs(Keyword::kANY) || PeekIs(Keyword::kSOME)) {
        RefuseHere(fmt::format("a comparison with {}", ToString(Peek().keyword)));
      }
      ExpressionPtr right = ParseOperators(infix->precedence + 1);
      left = Make(first, BinaryOp{infix->op, std::move(left), std::move(right), token.span});
    } else if (token.keyword == Keyword::kIS) {
      const bool distinct = PeekIs(Keyword::kDISTINCT, 1) || PeekAre(Keyword::kIS, Keyword::kNOT, Keyword::kDISTINCT);
      if ((distinct ? kDistinctPrecedence : kIsPrecedence) < min_precedence) return left;
      left = ParseIs(std::move(left));
    } else if (token.keyword == Keyword::kNOT || token.keyword == Keyword::kBETWEEN || token.keyword == Keyword::kIN ||
               token.keyword == Keyword::kLIKE || token.keyword == Keyword::kSIMILAR ||
               token.keyword == Keyword::kILIKE || token.keyword == Keyword::kRLIKE) {
      if (kRangePrecedence < min_precedence) return left;
      if (token.keyword == Keyword::kNOT && !PeekIs(Keyword::kBETWEEN, 1) && !PeekIs(Keyword::kIN, 1) &&
          !PeekIs(Keyword::kLIKE, 1) && !PeekIs(Keyword::kSIMILAR, 1) && !PeekIs(Keyword::kILIKE, 1) &&
          !PeekIs(Keyword::kRLIKE, 1)) {
        return left;  // `INT NOT NULL` of a column definition, or an error for who comes next
      }
      left = ParseNegatable(std::move(left));
    } else {
      return left;
    }
    GrowTree();
  }
}

ExpressionPtr Parser::ParseIs(ExpressionPtr operand) {
  const SourceSpan first = operand->span;
  const SourceSpan op_start = Consume().span;
  const bool negated = Accept(Keyword::kNOT);
  if (Accept(Keyword::kDISTINCT)) {
    Expect(Keyword::kFROM);
    const SourceSpan op_span = SpanFrom(op_start);
    ExpressionPtr right = ParseOperators(kDistinctPrecedence + 1);
    const auto op = negated ? BinaryOperator::kIsNotDistinctFrom : BinaryOperator::kIsDistinctFrom;
    return Make(first, BinaryOp{op, std::move(operand), std::move(right), op_span});
  }
  IsTest test{IsTest::Kind::kNull, negated, std::move(operand)};
  if (Accept(Keyword::kNULL)) {
    test.kind = IsTest::Kind::kNull;
  } else if (Accept(Keyword::kTRUE)) {
    test.kind = IsTest::Kind::kTrue;
  } else if (Accept(Keyword::kFALSE)) {
    test.kind = IsTest::Kind::kFalse;
  } else if (Accept(Keyword::kUNKNOWN)) {
    test.kind = IsTest::Kind::kUnknown;
  } else if (PeekIsName() && Peek().span.Text(script_).size() == 4 && !negated) {
    RefuseHere(fmt::format("the predicate IS {}", Peek().span.Text(script_)));
  } else {
    FailHere();
  }
  return Make(first, std::move(test));
}

ExpressionPtr Parser::ParseNegatable(ExpressionPtr operand) {
  const bool negated = Accept(Keyword::kNOT);
  if (Accept(Keyword::kBETWEEN)) return ParseBetween(std::move(operand), negated);
  if (Accept(Keyword::kIN)) return ParseIn(std::move(operand), negated);
  if (PeekIs(Keyword::kILIKE) || PeekIs(Keyword::kRLIKE)) {
    RefuseHere(fmt::format("{} (use LOWER with LIKE, or REGEXP)", ToString(Peek().keyword)));
  }
  return ParseLike(std::move(operand), negated);
}

ExpressionPtr Parser::ParseBetween(ExpressionPtr operand, bool negated) {
  const SourceSpan first = operand->span;
  Between between;
  between.negated = negated;
  between.operand = std::move(operand);
  between.symmetric = Skip(Keyword::kSYMMETRIC);
  if (!between.symmetric) Skip(Keyword::kASYMMETRIC);
  between.low = ParseOperators(kRangePrecedence + 1);
  Expect(Keyword::kAND);
  between.high = ParseOperators(kRangePrecedence + 1);
  return Make(first, std::move(between));
}

ExpressionPtr Parser::ParseIn(ExpressionPtr operand, bool negated) {
  const SourceSpan first = operand->span;
  Expect(TokenKind::kLeftParen);
  if (PeekIsQuery()) {
    InSubquery in{std::move(operand), ParseQuery(), negated};
    Expect(TokenKind::kRightParen);
    return Make(first, std::move(in));
  }
  InList in{std::move(operand), ParseExpressionList(), negated};
  Expect(TokenKind::kRightParen);
  return Make(first, std::move(in));
}

ExpressionPtr Parser::ParseLike(ExpressionPtr operand, bool negated) {
  const SourceSpan first = operand->span;
  Like like;
  like.negated = negated;
  like.operand = std::move(operand);
  like.similar = Accept(Keyword::kSIMILAR);
  Expect(like.similar ? Keyword::kTO : Keyword::kLIKE);
  like.pattern = ParseOperators(kRangePrecedence + 1);
  if (Accept(Keyword::kESCAPE)) like.escape = ParseOperators(kRangePrecedence + 1);
  return Make(first, std::move(like));
}

ExpressionPtr Parser::ParseUnary() {
  const Token& token = Peek();
  if (token.kind != TokenKind::kMinus && token.kind != TokenKind::kPlus) {
    return token.keyword == Keyword::kNOT ? ParseNot() : ParsePostfix();
  }
  Nesting nesting(*this);
  const SourceSpan first = Consume().span;
  if (token.kind == TokenKind::kMinus && IsNumber(Peek().kind)) return ParseNumber(true, first);
  ExpressionPtr operand = ParseUnary();
  return Make(first, UnaryOp{token.kind == TokenKind::kMinus ? UnaryOperator::kMinus : UnaryOperator::kPlus,
                             std::move(operand)});
}

ExpressionPtr Parser::ParsePostfix() {
  const SourceSpan first = Peek().span;
  ExpressionPtr base = ParsePrimary();
  for (;;) {
    if (PeekIs(TokenKind::kLeftBracket)) {
      Consume();
      ExpressionPtr index = ParseExpression();
      Expect(TokenKind::kRightBracket);
      base = Make(first, Subscript{std::move(base), std::move(index)});
    } else if (PeekIs(TokenKind::kDot)) {
      Consume();
      Identifier field = ParseIdentifier("a field name");
      base = Make(first, FieldAccess{std::move(base), std::move(field)});
    } else {
      return base;
    }
    GrowTree();
  }
}

ExpressionPtr Parser::ParsePrimary() {
  switch (Peek().kind) {
    case TokenKind::kInteger:
    case TokenKind::kDecimal:
    case TokenKind::kApproximate: return ParseNumber(false, Peek().span);
    case TokenKind::kString:
    case TokenKind::kUnicodeString: return ParseStringLiteral();
    case TokenKind::kBinaryString: {
      const Token& token = Consume();
      return Make(token.span, BinaryLiteral{BinaryValue(script_, token)});
    }
    case TokenKind::kLeftParen: return ParseParentheses();
    case TokenKind::kQuotedIdentifier: return ParseNameOrCall();
    case TokenKind::kWord: return ParseWordPrimary();
    default: break;
  }
  Expected("an expression");
  FailHere();
}

ExpressionPtr Parser::ParseNumber(bool negative, const SourceSpan& first) {
  const Token& token = Consume();
  std::string text = negative ? "-" : "";
  text += token.span.Text(script_);
  if (token.kind != TokenKind::kApproximate) return Make(first, ExactNumericLiteral{std::move(text)});
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value))
    Fail(token.span, fmt::format("{} is out of the range of DOUBLE", text));
  return Make(first, DoubleLiteral{value, std::move(text)});
}

ExpressionPtr Parser::ParseStringLiteral() {
  const Token* token = &Consume();
  const SourceSpan first = token->span;
  char32_t escape = U'\\';
  if (token->kind == TokenKind::kUnicodeString && PeekIs(Keyword::kUESCAPE)) {
    Consume();
    const SourceSpan escape_span = Peek().span;
    const std::string text = ParseString("an escape character in single quotes");
    if (text.size() != 1) Fail(escape_span, "the escape character must be one ASCII character");
    escape = static_cast<char32_t>(text.front());
  }
  std::string value = StringValue(script_, *token, escape);
  // 'a' and 'b' on the next line are one literal (SQL standard).
  for (; PeekIs(TokenKind::kString); token = &tokens_[position_ - 1]) {
    if (Peek().span.line == token->span.line) {
      Fail(Peek().span, "two strings side by side: write || between them, or '' for a quote inside of a string");
    }
    value += StringValue(script_, Consume());
  }
  return Make(first, StringLiteral{std::move(value)});
}

ExpressionPtr Parser::ParseTemporal(TemporalLiteral::Kind kind) {
  const SourceSpan first = Consume().span;
  TemporalLiteral literal{kind, {}, Peek().span};
  literal.value = ParseString("a string");
  return Make(first, std::move(literal));
}

ExpressionPtr Parser::ParseInterval() {
  const SourceSpan first = Consume().span;
  IntervalLiteral literal;
  literal.negative = PeekIs(TokenKind::kMinus);
  if (literal.negative || PeekIs(TokenKind::kPlus)) Consume();
  literal.value_span = Peek().span;
  literal.value = ParseString("a value in single quotes");
  const auto parse_unit = [&] {
    const SourceSpan span = Peek().span;
    const TimeUnit unit = ParseTimeUnit();
    if (!IsIntervalUnit(unit)) Fail(span, fmt::format("{} is no unit of an interval", ToString(unit)));
    return unit;
  };
  literal.start = parse_unit();
  literal.end = literal.start;
  if (PeekIs(TokenKind::kLeftParen)) {
    Consume();
    literal.leading_precision = static_cast<int32_t>(ParseInteger("a precision", 10));
    if (literal.start == TimeUnit::kSecond && Accept(TokenKind::kComma)) {
      literal.fractional_precision = static_cast<int32_t>(ParseInteger("a precision", 9));
    }
    Expect(TokenKind::kRightParen);
  }
  if (Accept(Keyword::kTO)) {
    literal.end = parse_unit();
    if (literal.end == TimeUnit::kSecond && PeekIs(TokenKind::kLeftParen)) {
      Consume();
      literal.fractional_precision = static_cast<int32_t>(ParseInteger("a precision", 9));
      Expect(TokenKind::kRightParen);
    }
    const bool year_month = literal.start == TimeUnit::kYear && literal.end == TimeUnit::kMonth;
    const bool day_time = literal.start >= TimeUnit::kDay && literal.start < literal.end;
    if (!year_month && !day_time) {
      Fail(SpanFrom(first),
           fmt::format("an interval of {} TO {} does not exist", ToString(literal.start), ToString(literal.end)));
    }
  }
  return Make(first, std::move(literal));
}

ExpressionPtr Parser::ParseParentheses() {
  const SourceSpan first = Expect(TokenKind::kLeftParen).span;
  if (PeekIsQuery()) {
    ScalarSubquery subquery{ParseQuery()};
    Expect(TokenKind::kRightParen);
    return Make(first, std::move(subquery));
  }
  ExpressionPtr inner = ParseExpression();
  if (auto* subquery = std::get_if<ScalarSubquery>(&inner->node); subquery != nullptr && PeekContinuesQuery()) {
    QueryPtr query = ParseQueryRest(std::move(subquery->query), inner->span);
    Expect(TokenKind::kRightParen);
    return Make(first, ScalarSubquery{std::move(query)});
  }
  if (!Accept(TokenKind::kComma)) {
    Expect(TokenKind::kRightParen);
    return inner;
  }
  RowConstructor row;
  row.is_implicit = true;
  row.fields.push_back(std::move(inner));
  ParseCommaList([&] { row.fields.push_back(ParseExpression()); });
  Expect(TokenKind::kRightParen);
  return Make(first, std::move(row));
}

ExpressionPtr Parser::ParseWordPrimary() {
  const Token& token = Peek();
  switch (token.keyword) {
    case Keyword::kNULL: return Consume(), Make(token.span, NullLiteral{});
    case Keyword::kTRUE: return Consume(), Make(token.span, BooleanLiteral{true});
    case Keyword::kFALSE: return Consume(), Make(token.span, BooleanLiteral{false});
    case Keyword::kDATE:
      if (PeekIs(TokenKind::kString, 1)) return ParseTemporal(TemporalLiteral::Kind::kDate);
      break;
    case Keyword::kTIME:
      if (PeekIs(TokenKind::kString, 1)) return ParseTemporal(TemporalLiteral::Kind::kTime);
      break;
    case Keyword::kTIMESTAMP:
      if (PeekIs(TokenKind::kString, 1)) return ParseTemporal(TemporalLiteral::Kind::kTimestamp);
      break;
    case Keyword::kINTERVAL: return ParseInterval();
    case Keyword::kCASE: return ParseCase();
    case Keyword::kCAST: return ParseCast(false);
    case Keyword::kTRY_CAST:
      if (PeekIs(TokenKind::kLeftParen, 1)) return ParseCast(true);
      break;
    case Keyword::kROW: return ParseRow();
    case Keyword::kARRAY: return ParseArray();
    case Keyword::kMAP:
      if (PeekIs(TokenKind::kLeftBracket, 1)) return ParseMap();
      break;
    case Keyword::kEXISTS: return ParseExists();
    case Keyword::kMULTISET:
    case Keyword::kUNIQUE: RefuseHere(fmt::format("the expression {}", ToString(token.keyword)));
    case Keyword::kCURRENT_DATE:
    case Keyword::kCURRENT_TIME:
    case Keyword::kCURRENT_TIMESTAMP:
    case Keyword::kLOCALTIME:
    case Keyword::kLOCALTIMESTAMP: return ParseSpecialCall();
    default: break;
  }
  const bool call = PeekIs(TokenKind::kLeftParen, 1) && MayNameFunction(token.keyword);
  if (call) return ParseSpecialCall();
  if (!IsReserved(token.keyword)) return ParseNameOrCall();
  Expected("an expression");
  FailHere();
}

ExpressionPtr Parser::ParseCase() {
  const SourceSpan first = Consume().span;
  Case expression;
  if (!PeekIs(Keyword::kWHEN)) expression.operand = ParseExpression();
  Expect(Keyword::kWHEN);
  do {
    WhenClause when;
    when.condition = ParseExpression();
    Expect(Keyword::kTHEN);
    when.result = ParseExpression();
    expression.whens.push_back(std::move(when));
  } while (Accept(Keyword::kWHEN));
  if (Accept(Keyword::kELSE)) expression.otherwise = ParseExpression();
  Expect(Keyword::kEND);
  return Make(first, std::move(expression));
}

ExpressionPtr Parser::ParseCast(bool is_try) {
  const SourceSpan first = Consume().span;
  Cast cast;
  cast.is_try = is_try;
  ParseParenthesised([&] {
    cast.operand = ParseExpression();
    Expect(Keyword::kAS);
    cast.type = ParseType();
  });
  return Make(first, std::move(cast));
}

ExpressionPtr Parser::ParseRow() {
  const SourceSpan first = Consume().span;
  RowConstructor row;
  ParseParenthesised([&] { row.fields = ParseExpressionList(); });
  return Make(first, std::move(row));
}

ExpressionPtr Parser::ParseArray() {
  const SourceSpan first = Consume().span;
  if (PeekIs(TokenKind::kLeftParen)) RefuseHere("ARRAY(query)");
  Expect(TokenKind::kLeftBracket);
  ArrayConstructor array;
  if (!PeekIs(TokenKind::kRightBracket)) array.items = ParseExpressionList();
  Expect(TokenKind::kRightBracket);
  return Make(first, std::move(array));
}

ExpressionPtr Parser::ParseMap() {
  const SourceSpan first = Consume().span;
  Expect(TokenKind::kLeftBracket);
  MapConstructor map;
  if (!PeekIs(TokenKind::kRightBracket)) {
    ParseCommaList([&] {
      map.keys.push_back(ParseExpression());
      Expect(TokenKind::kComma);
      map.values.push_back(ParseExpression());
    });
  }
  Expect(TokenKind::kRightBracket);
  return Make(first, std::move(map));
}

ExpressionPtr Parser::ParseExists() {
  const SourceSpan first = Consume().span;
  Exists exists;
  ParseParenthesised([&] { exists.query = ParseQuery(); });
  return Make(first, std::move(exists));
}

ExpressionPtr Parser::ParseNameOrCall() {
  constexpr size_t kMaxParts = 64;
  QualifiedName name = ParseQualifiedName(kMaxParts, "a column reference");
  if (PeekIs(TokenKind::kLeftParen)) return ParseCall(std::move(name));
  const SourceSpan span = name.span;
  return Make(span, ColumnRef{std::move(name.parts)});
}

// ---- Calls

ExpressionPtr Parser::ParseCall(QualifiedName name) {
  const SourceSpan first = name.span;
  const bool is_json = IsJsonFunction(FindKeyword(name.parts.back().name));
  const auto refuse_json_clause = [&] {
    if (!is_json || PeekIs(TokenKind::kComma) || PeekIs(TokenKind::kRightParen) || PeekIs(TokenKind::kEnd)) return;
    RefuseHere(fmt::format("the clause {} of {}", Peek().span.Text(script_), first.Text(script_)));
  };
  FunctionCall call;
  call.name = std::move(name);
  Expect(TokenKind::kLeftParen);
  if (PeekIs(TokenKind::kStar)) {
    Consume();
    call.star = true;
  } else if (!PeekIs(TokenKind::kRightParen)) {
    call.distinct = Skip(Keyword::kDISTINCT);
    if (!call.distinct) Skip(Keyword::kALL);
    if (PeekIs(Keyword::kKEY) && PeekIs(TokenKind::kString, 1)) refuse_json_clause();
    ParseCommaList([&] { call.arguments.push_back(ParseArgument()); });
    refuse_json_clause();
  }
  Expect(TokenKind::kRightParen);
  ParseCallSuffix(call);
  return Make(first, std::move(call));
}

ExpressionPtr Parser::ParseArgument() {
  const SourceSpan first = Peek().span;
  if (PeekIsName() && PeekIs(TokenKind::kArrow, 1)) {
    Identifier name = ParseIdentifier();
    Consume();
    Nesting nesting(*this);
    ExpressionPtr value = ParseArgument();
    return Make(first, NamedArgument{std::move(name), std::move(value)});
  }
  if (PeekIs(Keyword::kTABLE)) {
    Consume();
    TableArgument argument;
    if (PeekIs(TokenKind::kLeftParen)) {
      DerivedTable derived;
      const SourceSpan start = Peek().span;
      ParseParenthesised([&] { derived.query = ParseQuery(); });
      argument.table = MakeTable(start, std::move(derived));
    } else {
      argument.table = ParseNamedTable();
    }
    if (PeekIs(Keyword::kPARTITION) || PeekIs(Keyword::kORDER)) {
      RefuseHere(fmt::format("{} BY of a table argument", ToString(Peek().keyword)));
    }
    return Make(first, std::move(argument));
  }
  if (PeekIs(Keyword::kDESCRIPTOR) && PeekIs(TokenKind::kLeftParen, 1)) {
    Consume();
    return Make(first, Descriptor{ParseIdentifierList()});
  }
  if (PeekIs(Keyword::kDEFAULT)) RefuseHere("DEFAULT as an argument");
  return ParseExpression();
}

ExpressionPtr Parser::ParseSpecialCall() {
  const Token& word = Peek();
  const SourceSpan first = word.span;
  const auto special_name = [&] {
    Identifier identifier{std::string(ToString(word.keyword)), word.span, false};
    QualifiedName name;
    name.span = word.span;
    name.parts.push_back(std::move(identifier));
    return name;
  };
  FunctionCall call;
  call.name = special_name();
  switch (word.keyword) {
    case Keyword::kCURRENT_DATE:
    case Keyword::kCURRENT_TIME:
    case Keyword::kCURRENT_TIMESTAMP:
    case Keyword::kLOCALTIME:
    case Keyword::kLOCALTIMESTAMP: {
      Consume();
      if (PeekIs(TokenKind::kLeftParen)) {
        ParseParenthesised([&] {
          if (!PeekIs(TokenKind::kRightParen)) call.arguments.push_back(ParseExpression());
        });
      } else {
        call.no_parens = true;
      }
      return Make(first, std::move(call));
    }
    case Keyword::kEXTRACT:
      Consume();
      ParseParenthesised([&] {
        call.arguments.push_back(ParseUnitSymbol());
        Expect(Keyword::kFROM);
        call.arguments.push_back(ParseExpression());
      });
      return Make(first, std::move(call));
    case Keyword::kFLOOR:
    case Keyword::kCEIL:
    case Keyword::kCEILING: {
      if (word.keyword == Keyword::kCEILING) call.name.parts.front().name = "CEIL";
      Consume();
      ParseParenthesised([&] {
        call.arguments.push_back(ParseExpression());
        if (Accept(Keyword::kTO)) call.arguments.push_back(ParseUnitSymbol());
      });
      return Make(first, std::move(call));
    }
    case Keyword::kTIMESTAMPADD:
    case Keyword::kTIMESTAMPDIFF:
      Consume();
      ParseParenthesised([&] {
        call.arguments.push_back(ParseUnitSymbol());
        for (int i = 0; i < 2; ++i) {
          Expect(TokenKind::kComma);
          call.arguments.push_back(ParseExpression());
        }
      });
      return Make(first, std::move(call));
    case Keyword::kPOSITION:
      Consume();
      ParseParenthesised([&] {
        // The needle must not take the IN: `POSITION(a IN b)`.
        call.arguments.push_back(ParseOperators(kRangePrecedence + 1));
        Expect(Keyword::kIN);
        call.arguments.push_back(ParseExpression());
        if (Accept(Keyword::kFROM)) call.arguments.push_back(ParseExpression());
      });
      return Make(first, std::move(call));
    case Keyword::kSUBSTRING:
      Consume();
      ParseParenthesised([&] {
        call.arguments.push_back(ParseExpression());
        if (!Accept(Keyword::kFROM)) Expect(TokenKind::kComma);
        call.arguments.push_back(ParseExpression());
        if (Accept(Keyword::kFOR) || Accept(TokenKind::kComma)) call.arguments.push_back(ParseExpression());
      });
      return Make(first, std::move(call));
    case Keyword::kOVERLAY:
      Consume();
      ParseParenthesised([&] {
        call.arguments.push_back(ParseExpression());
        Expect(Keyword::kPLACING);
        call.arguments.push_back(ParseExpression());
        Expect(Keyword::kFROM);
        call.arguments.push_back(ParseExpression());
        if (Accept(Keyword::kFOR)) call.arguments.push_back(ParseExpression());
      });
      return Make(first, std::move(call));
    case Keyword::kTRIM:
      Consume();
      ParseParenthesised([&] { ParseTrimArguments(call); });
      return Make(first, std::move(call));
    default: {
      QualifiedName name;
      name.parts.push_back(IdentifierOf(Consume()));
      name.span = first;
      return ParseCall(std::move(name));
    }
  }
}

void Parser::ParseTrimArguments(FunctionCall& call) {
  std::string side;
  const SourceSpan side_span = Peek().span;
  for (Keyword keyword : {Keyword::kBOTH, Keyword::kLEADING, Keyword::kTRAILING}) {
    if (Skip(keyword)) side = ToString(keyword);
  }
  const SourceSpan symbol_span = side.empty() ? SourceSpan{} : side_span;
  const auto add_side = [&] {
    if (side.empty()) side = "BOTH";
    call.arguments.push_back(std::make_unique<Expression>(symbol_span, Symbol{side}));
  };
  if (!side.empty() && Accept(Keyword::kFROM)) {  // TRIM(LEADING FROM x)
    add_side();
    call.arguments.push_back(std::make_unique<Expression>(symbol_span, StringLiteral{" "}));
    call.arguments.push_back(ParseExpression());
    return;
  }
  ExpressionPtr text = ParseExpression();
  if (side.empty() && !Accept(Keyword::kFROM)) {  // TRIM(x)
    call.arguments.push_back(std::move(text));
    return;
  }
  if (!side.empty()) Expect(Keyword::kFROM);
  add_side();
  call.arguments.push_back(std::move(text));
  call.arguments.push_back(ParseExpression());
}

void Parser::ParseCallSuffix(FunctionCall& call) {
  if (Skip(Keyword::kWITHIN)) {
    if (PeekIs(Keyword::kDISTINCT)) RefuseHere("WITHIN DISTINCT");
    Expect(Keyword::kGROUP);
    ParseParenthesised([&] {
      ExpectAll(Keyword::kORDER, Keyword::kBY);
      call.within_group = ParseOrderItems();
    });
  }
  if (PeekAre(Keyword::kFILTER)) {
    Consume();
    ParseParenthesised([&] {
      Expect(Keyword::kWHERE);
      call.filter = ParseExpression();
    });
  }
  const bool ignore = PeekAre(Keyword::kIGNORE, Keyword::kNULLS);
  if (ignore || PeekAre(Keyword::kRESPECT, Keyword::kNULLS)) {
    position_ += 2;
    call.null_treatment = ignore ? NullTreatment::kIgnore : NullTreatment::kRespect;
  }
  if (!Skip(Keyword::kOVER)) return;
  if (PeekIsName()) {
    call.over = std::make_unique<WindowSpec>();
    call.over->name = ParseIdentifier();
    call.over->span = call.over->name->span;
  } else {
    call.over = std::make_unique<WindowSpec>(ParseWindowSpec());
  }
}

WindowSpec Parser::ParseWindowSpec() {
  WindowSpec spec;
  const SourceSpan first = Peek().span;
  ParseParenthesised([&] {
    if (PeekIsName()) spec.name = ParseIdentifier();
    if (Accept(Keyword::kPARTITION)) {
      Expect(Keyword::kBY);
      spec.partition_by = ParseExpressionList();
    }
    if (Accept(Keyword::kORDER)) {
      Expect(Keyword::kBY);
      spec.order_by = ParseOrderItems();
    }
    if (PeekIs(Keyword::kROWS) || PeekIs(Keyword::kRANGE)) spec.frame = ParseWindowFrame();
  });
  spec.span = SpanFrom(first);
  return spec;
}

WindowFrame Parser::ParseWindowFrame() {
  WindowFrame frame;
  frame.is_rows = Consume().keyword == Keyword::kROWS;
  if (Accept(Keyword::kBETWEEN)) {
    frame.start = ParseFrameBound();
    Expect(Keyword::kAND);
    frame.end = ParseFrameBound();
  } else {
    frame.start = ParseFrameBound();
  }
  return frame;
}

FrameBound Parser::ParseFrameBound() {
  FrameBound bound;
  if (Accept(Keyword::kCURRENT)) {
    Expect(Keyword::kROW);
    return bound;
  }
  const bool unbounded = Accept(Keyword::kUNBOUNDED);
  if (!unbounded) bound.offset = ParseOperators(kAdditivePrecedence);
  if (Accept(Keyword::kPRECEDING)) {
    bound.kind = unbounded ? FrameBound::Kind::kUnboundedPreceding : FrameBound::Kind::kPreceding;
  } else {
    Expect(Keyword::kFOLLOWING);
    bound.kind = unbounded ? FrameBound::Kind::kUnboundedFollowing : FrameBound::Kind::kFollowing;
  }
  return bound;
}

std::optional<TimeUnit> Parser::PeekTimeUnit() const {
  return PeekIs(TokenKind::kWord) ? sql::ParseTimeUnit(Peek().span.Text(script_)) : std::nullopt;
}

TimeUnit Parser::ParseTimeUnit() {
  const std::optional<TimeUnit> unit = PeekTimeUnit();
  if (!unit) {
    Expected("a time unit (YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, …)");
    FailHere();
  }
  Consume();
  return *unit;
}

ExpressionPtr Parser::ParseUnitSymbol() {
  const SourceSpan first = Peek().span;
  const TimeUnit unit = ParseTimeUnit();
  return Make(first, Symbol{std::string(ToString(unit))});
}

// ---- Lists

std::vector<ExpressionPtr> Parser::ParseExpressionList() {
  std::vector<ExpressionPtr> list;
  ParseCommaList([&] { list.push_back(ParseExpression()); });
  return list;
}

std::vector<OrderItem> Parser::ParseOrderItems() {
  std::vector<OrderItem> items;
  ParseCommaList([&] {
    OrderItem item;
    item.expression = ParseExpression();
    if (Accept(Keyword::kDESC)) {
      item.direction = SortDirection::kDescending;
    } else {
      Accept(Keyword::kASC);
    }
    if (Accept(Keyword::kNULLS)) {
      item.nulls = Accept(Keyword::kFIRST) ? NullsOrder::kFirst : NullsOrder::kLast;
      if (item.nulls == NullsOrder::kLast) Expect(Keyword::kLAST);
    }
    items.push_back(std::move(item));
  });
  return items;
}

bool Parser::PeekIsQuery(size_t ahead) const {
  switch (Peek(ahead).keyword) {
    case Keyword::kSELECT:
    case Keyword::kWITH:
    case Keyword::kVALUES:
    case Keyword::kTABLE: return true;
    default: return false;
  }
}

}  // namespace frazil::sql
