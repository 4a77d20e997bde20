// SPDX-License-Identifier: Apache-2.0
// Types: INT NOT NULL, DECIMAL(10, 2), ROW<a INT 'comment', b ARRAY<STRING>>, TIMESTAMP(3) WITH LOCAL TIME ZONE, …
#include <algorithm>

#include "frazil/sql/parser_impl.h"

namespace frazil::sql {
namespace {

/// Names of other systems, and what to write instead.
std::string_view FlinkNameOf(std::string_view foreign) {
  struct Alias {
    std::string_view foreign;
    std::string_view flink;
  };
  constexpr Alias kAliases[] = {
      {"BOOL", "BOOLEAN"},    {"BYTEA", "BYTES"},        {"DATETIME", "TIMESTAMP"}, {"FIXED", "BINARY(n)"},
      {"FLOAT4", "FLOAT"},    {"FLOAT8", "DOUBLE"},      {"INT2", "SMALLINT"},      {"INT4", "INT"},
      {"INT8", "BIGINT"},     {"LIST", "ARRAY<t>"},      {"LONG", "BIGINT"},        {"NUMBER", "DECIMAL(p, s)"},
      {"SHORT", "SMALLINT"},  {"STRUCT", "ROW<name t>"}, {"TEXT", "STRING"},        {"TIMESTAMPTZ", "TIMESTAMP_LTZ(p)"},
      {"UUID", "BINARY(16)"},
  };
  std::string upper(foreign);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  const auto* found =
      std::find_if(std::begin(kAliases), std::end(kAliases), [&](const Alias& a) { return a.foreign == upper; });
  return found == std::end(kAliases) ? std::string_view() : found->flink;
}

}  // namespace

TypeSpec Parser::ParseType() {
  const SourceSpan first = Peek().span;
  LogicalType type = ParseTypeName();
  return {std::move(type), SpanFrom(first)};
}

LogicalType Parser::ParseTypeName() {
  Nesting nesting(*this);
  const Token& token = Peek();
  LogicalType type;
  try {
    type = ParseTypeOf(token);
  } catch (const SqlError&) {
    throw;
  } catch (const Error& error) {  // a length or precision out of range
    Fail(SpanFrom(token.span), error.what());
  }
  for (;;) {
    if (PeekAre(Keyword::kNOT, Keyword::kNULL)) {
      position_ += 2;
      type.nullable = false;
    } else if (PeekIs(Keyword::kNULL)) {
      Consume();
      type.nullable = true;
    } else if (PeekIs(Keyword::kARRAY)) {
      Consume();
      GrowTree();
      type = ArrayType(std::move(type));
    } else if (PeekIs(Keyword::kMULTISET)) {
      Consume();
      GrowTree();
      type = MultisetType(std::move(type));
    } else {
      return type;
    }
  }
}

LogicalType Parser::ParseTypeOf(const Token& token) {
  constexpr int32_t kDefaultLength = 1;
  switch (token.keyword) {
    case Keyword::kBOOLEAN: return Consume(), BooleanType();
    case Keyword::kTINYINT: return Consume(), TinyIntType();
    case Keyword::kSMALLINT: return Consume(), SmallIntType();
    case Keyword::kINT:
    case Keyword::kINTEGER: return Consume(), IntType();
    case Keyword::kBIGINT: return Consume(), BigIntType();
    case Keyword::kFLOAT:
    case Keyword::kREAL: return Consume(), FloatType();
    case Keyword::kDOUBLE:
      Consume();
      if (PeekIs(Keyword::kPRECISION)) Consume();
      return DoubleType();
    case Keyword::kDECIMAL:
    case Keyword::kDEC:
    case Keyword::kNUMERIC: {
      Consume();
      if (!PeekIs(TokenKind::kLeftParen)) return DecimalType();
      Consume();
      const auto precision = static_cast<int32_t>(ParseInteger("a precision", LogicalType::kMaxLength));
      int32_t scale = 0;
      if (Accept(TokenKind::kComma)) scale = static_cast<int32_t>(ParseInteger("a scale", LogicalType::kMaxLength));
      Expect(TokenKind::kRightParen);
      return DecimalType(precision, scale);
    }
    case Keyword::kCHAR:
    case Keyword::kCHARACTER:
      Consume();
      if (PeekIs(Keyword::kVARYING)) return Consume(), VarCharType(ParseTypeArgument().value_or(kDefaultLength));
      return CharType(ParseTypeArgument().value_or(kDefaultLength));
    case Keyword::kVARCHAR: return Consume(), VarCharType(ParseTypeArgument().value_or(kDefaultLength));
    case Keyword::kSTRING: return Consume(), StringType();
    case Keyword::kBINARY:
      Consume();
      if (PeekIs(Keyword::kVARYING)) return Consume(), VarBinaryType(ParseTypeArgument().value_or(kDefaultLength));
      return BinaryType(ParseTypeArgument().value_or(kDefaultLength));
    case Keyword::kVARBINARY: return Consume(), VarBinaryType(ParseTypeArgument().value_or(kDefaultLength));
    case Keyword::kBYTES: return Consume(), BytesType();
    case Keyword::kDATE: return Consume(), DateType();
    case Keyword::kTIME: {
      Consume();
      const int32_t precision = ParseTypeArgument().value_or(0);
      if (PeekIs(Keyword::kWITH)) RefuseHere("TIME WITH TIME ZONE");
      if (Accept(Keyword::kWITHOUT)) ExpectAll(Keyword::kTIME, Keyword::kZONE);
      return TimeType(precision);
    }
    case Keyword::kTIMESTAMP: return ParseTimestampType();
    case Keyword::kTIMESTAMP_LTZ: return Consume(), TimestampLtzType(ParseTypeArgument().value_or(6));
    case Keyword::kINTERVAL: return ParseIntervalType();
    case Keyword::kARRAY: return Consume(), ArrayType(ParseElementType());
    case Keyword::kMULTISET: return Consume(), MultisetType(ParseElementType());
    case Keyword::kMAP: {
      Consume();
      Expect(TokenKind::kLess);
      LogicalType key = ParseTypeName();
      Expect(TokenKind::kComma);
      LogicalType value = ParseTypeName();
      Expect(TokenKind::kGreater);
      return MapType(std::move(key), std::move(value));
    }
    case Keyword::kROW: return ParseRowType();
    case Keyword::kRAW: RefuseHere("the type RAW");
    case Keyword::kNULL: RefuseHere("the type NULL in a definition");
    default: break;
  }
  if (PeekIsName()) {
    const std::string name = NameOf(script_, token);
    const std::string_view flink = FlinkNameOf(name);
    Fail(token.span, flink.empty() ? fmt::format("unknown type {}", Found(token))
                                   : fmt::format("unknown type {}: in Flink SQL it is {}", Found(token), flink));
  }
  Expected("a type");
  FailHere();
}

std::optional<int32_t> Parser::ParseTypeArgument() {
  if (!Accept(TokenKind::kLeftParen)) return std::nullopt;
  const auto value = static_cast<int32_t>(ParseInteger("a number", LogicalType::kMaxLength));
  Expect(TokenKind::kRightParen);
  return value;
}

LogicalType Parser::ParseTimestampType() {
  Expect(Keyword::kTIMESTAMP);
  const int32_t precision = ParseTypeArgument().value_or(6);
  if (Accept(Keyword::kWITHOUT)) {
    ExpectAll(Keyword::kTIME, Keyword::kZONE);
    return TimestampType(precision);
  }
  // `ts TIMESTAMP(3)) WITH (…)` doesn't come here: the bracket is between.
  if (!PeekIs(Keyword::kWITH) || PeekIs(TokenKind::kLeftParen, 1)) return TimestampType(precision);
  Consume();
  const bool local = Accept(Keyword::kLOCAL);
  ExpectAll(Keyword::kTIME, Keyword::kZONE);
  return local ? TimestampLtzType(precision) : TimestampTzType(precision);
}

LogicalType Parser::ParseIntervalType() {
  Expect(Keyword::kINTERVAL);
  constexpr int32_t kDefaultLeading = 2;
  constexpr int32_t kDefaultFractional = 6;
  const TimeUnit start = ParseTimeUnit();
  const std::optional<int32_t> first = ParseTypeArgument();
  if (!Accept(Keyword::kTO)) {
    if (start == TimeUnit::kSecond)
      return IntervalType(start, start, kDefaultLeading, first.value_or(kDefaultFractional));
    return IntervalType(start, start, first.value_or(kDefaultLeading), kDefaultFractional);
  }
  const TimeUnit end = ParseTimeUnit();
  const int32_t fractional =
      end == TimeUnit::kSecond ? ParseTypeArgument().value_or(kDefaultFractional) : kDefaultFractional;
  return IntervalType(start, end, first.value_or(kDefaultLeading), fractional);
}

LogicalType Parser::ParseElementType() {
  Expect(TokenKind::kLess);
  LogicalType element = ParseTypeName();
  Expect(TokenKind::kGreater);
  return element;
}

LogicalType Parser::ParseRowType() {
  Expect(Keyword::kROW);
  if (Accept(TokenKind::kNotEqual)) return RowType({});  // ROW<>
  if (Accept(TokenKind::kLess)) return RowType(ParseRowFields(TokenKind::kGreater));
  Expect(TokenKind::kLeftParen);
  return RowType(ParseRowFields(TokenKind::kRightParen));
}

std::vector<RowField> Parser::ParseRowFields(TokenKind close) {
  std::vector<RowField> fields;
  if (Accept(close)) return fields;
  ParseCommaList([&] {
    RowField field;
    field.name = ParseIdentifier("a field name").name;
    field.type = ParseTypeName();
    if (PeekIs(TokenKind::kString)) field.comment = ParseString("a comment");
    fields.push_back(std::move(field));
  });
  Expect(close);
  return fields;
}

}  // namespace frazil::sql
