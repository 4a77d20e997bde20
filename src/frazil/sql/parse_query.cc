// SPDX-License-Identifier: Apache-2.0
// Queries: WITH, SELECT, VALUES, set operations, table references and joins, hints.
#include "frazil/sql/parser_impl.h"

namespace frazil::sql {
namespace {

constexpr size_t kMaxTableParts = 3;
constexpr int kUnionPrecedence = 1;
constexpr int kIntersectPrecedence = 2;

bool HasTail(const Query& query) {
  return !query.with.empty() || !query.order_by.empty() || query.offset || query.limit;
}

/// SELECT * FROM (query): for a parenthesised query with an ORDER BY or LIMIT of its own inside of another.
QueryPtr WrapInSelect(QueryPtr query) {
  const SourceSpan span = query->span;
  Select select;
  SelectItem star;
  star.expression = std::make_unique<Expression>(span, Star{});
  select.items.push_back(std::move(star));
  DerivedTable derived;
  derived.query = std::move(query);
  select.from = std::make_unique<TableRef>(span, std::move(derived));
  auto outer = std::make_unique<Query>();
  outer->span = span;
  outer->body = std::move(select);
  return outer;
}

}  // namespace

QueryPtr Parser::ParseQuery() {
  Nesting nesting(*this);
  const SourceSpan first = Peek().span;
  std::vector<CommonTable> with;
  bool recursive = false;
  if (Skip(Keyword::kWITH)) {
    recursive = Skip(Keyword::kRECURSIVE);
    ParseCommaList([&] { with.push_back(ParseCommonTable()); });
  }
  QueryPtr query = ParseSetOperations(ParseQueryTerm(), kUnionPrecedence);
  ParseQueryTail(query, first, std::move(with), recursive);
  return query;
}

CommonTable Parser::ParseCommonTable() {
  CommonTable table;
  table.name = ParseIdentifier("a name of a common table");
  if (PeekIs(TokenKind::kLeftParen)) table.columns = ParseIdentifierList();
  Expect(Keyword::kAS);
  ParseParenthesised([&] { table.query = ParseQuery(); });
  return table;
}

QueryPtr Parser::ParseSetOperations(QueryPtr left, int min_precedence) {
  const SourceSpan first = left->span;
  for (;;) {
    SetOperation operation;
    int precedence = kUnionPrecedence;
    if (PeekIs(Keyword::kMINUS)) Fail(Peek().span, "found 'MINUS', expected EXCEPT");
    if (PeekIs(Keyword::kUNION)) {
      operation.op = SetOperator::kUnion;
    } else if (PeekIs(Keyword::kEXCEPT)) {
      operation.op = SetOperator::kExcept;
    } else if (PeekIs(Keyword::kINTERSECT)) {
      operation.op = SetOperator::kIntersect;
      precedence = kIntersectPrecedence;
    } else {
      return left;
    }
    if (precedence < min_precedence) return left;
    Consume();
    operation.all = Skip(Keyword::kALL);
    if (!operation.all) Skip(Keyword::kDISTINCT);
    operation.left = std::move(left);
    operation.right = ParseSetOperations(ParseQueryTerm(), precedence + 1);
    left = std::make_unique<Query>();
    left->span = SpanFrom(first);
    left->body = std::move(operation);
    GrowTree();
  }
}

QueryPtr Parser::ParseQueryTerm() {
  Sibling sibling(*this);
  const SourceSpan first = Peek().span;
  if (PeekIs(TokenKind::kLeftParen)) {
    QueryPtr query;
    ParseParenthesised([&] { query = ParseQuery(); });
    return query;
  }
  auto query = std::make_unique<Query>();
  if (PeekIs(Keyword::kSELECT)) {
    query->body = ParseSelect();
  } else if (PeekIs(Keyword::kVALUES)) {
    query->body = ParseValues();
  } else if (PeekIs(Keyword::kTABLE)) {
    Consume();
    Select select;
    SelectItem star;
    star.expression = std::make_unique<Expression>(first, Star{});
    select.items.push_back(std::move(star));
    const SourceSpan name_start = Peek().span;
    NamedTable table;
    table.name = ParseQualifiedName(kMaxTableParts, "a table name");
    select.from = MakeTable(name_start, std::move(table));
    query->body = std::move(select);
  } else {
    Expected("a query (SELECT, VALUES, WITH)");
    FailHere();
  }
  query->span = SpanFrom(first);
  return query;
}

void Parser::ParseQueryTail(QueryPtr& query, const SourceSpan& first, std::vector<CommonTable> with, bool recursive) {
  std::vector<OrderItem> order_by;
  ExpressionPtr limit;
  ExpressionPtr offset;
  if (Accept(Keyword::kORDER)) {
    Expect(Keyword::kBY);
    order_by = ParseOrderItems();
  }
  bool limited = false;
  for (;;) {
    if (!limited && Accept(Keyword::kLIMIT)) {
      limited = true;
      if (!Skip(Keyword::kALL)) limit = ParseRowCount();
      if (PeekIs(TokenKind::kComma))
        Fail(Peek().span, "'LIMIT start, count' is not Flink SQL: write LIMIT count OFFSET start");
    } else if (!limited && Accept(Keyword::kFETCH)) {
      limited = true;
      if (!Accept(Keyword::kFIRST)) Expect(Keyword::kNEXT);
      limit = ParseRowCount();
      if (!Skip(Keyword::kROW)) Expect(Keyword::kROWS);
      Expect(Keyword::kONLY);
    } else if (!offset && Accept(Keyword::kOFFSET)) {
      offset = ParseRowCount();
      if (!Skip(Keyword::kROW)) Skip(Keyword::kROWS);
    } else {
      break;
    }
  }
  const bool has_tail = !with.empty() || !order_by.empty() || limit || offset;
  if (has_tail && HasTail(*query)) {
    GrowTree();
    query = WrapInSelect(std::move(query));
  }
  if (has_tail) {
    query->with = std::move(with);
    query->recursive = recursive;
    query->order_by = std::move(order_by);
    query->limit = std::move(limit);
    query->offset = std::move(offset);
  }
  query->span = SpanFrom(first);
}

QueryPtr Parser::ParseQueryRest(QueryPtr term, const SourceSpan& first) {
  QueryPtr query = ParseSetOperations(std::move(term), kUnionPrecedence);
  ParseQueryTail(query, first, {}, false);
  return query;
}

bool Parser::PeekContinuesQuery() const {
  switch (Peek().keyword) {
    case Keyword::kUNION:
    case Keyword::kINTERSECT:
    case Keyword::kEXCEPT:
    case Keyword::kMINUS:
    case Keyword::kORDER:
    case Keyword::kLIMIT:
    case Keyword::kOFFSET:
    case Keyword::kFETCH: return true;
    default: return false;
  }
}

ExpressionPtr Parser::ParseRowCount() {
  if (!PeekIs(TokenKind::kInteger)) {
    Expected("a number of rows");
    FailHere();
  }
  const SourceSpan first = Peek().span;
  ParseInteger("a number of rows", INT64_MAX);
  return Make(first, ExactNumericLiteral{std::string(first.Text(script_))});
}

Values Parser::ParseValues() {
  Expect(Keyword::kVALUES);
  Values values;
  ParseCommaList([&] {
    ExpressionPtr row = ParseExpression();
    values.row_spans.push_back(row->span);
    if (auto* constructor = std::get_if<RowConstructor>(&row->node)) {
      values.rows.push_back(std::move(constructor->fields));
    } else {
      values.rows.emplace_back();
      values.rows.back().push_back(std::move(row));
    }
  });
  return values;
}

// ---- SELECT

Select Parser::ParseSelect() {
  Expect(Keyword::kSELECT);
  Select select;
  if (PeekIs(TokenKind::kHintStart)) select.hints = ParseHints();
  if (PeekIs(Keyword::kSTREAM)) RefuseHere("SELECT STREAM");
  select.distinct = Skip(Keyword::kDISTINCT);
  if (!select.distinct) Skip(Keyword::kALL);
  ParseCommaList([&] { select.items.push_back(ParseSelectItem()); });
  if (Accept(Keyword::kFROM)) {
    select.from = ParseFrom();
    if (Accept(Keyword::kWHERE)) select.where = ParseExpression();
    const SourceSpan group_start = Peek().span;
    if (Accept(Keyword::kGROUP)) {
      Expect(Keyword::kBY);
      select.group_by = ParseGroupingElements();
      select.group_by_span = SpanFrom(group_start);
    }
    if (Accept(Keyword::kHAVING)) select.having = ParseExpression();
    if (Accept(Keyword::kWINDOW)) {
      ParseCommaList([&] {
        NamedWindow window;
        window.name = ParseIdentifier("a name of a window");
        Expect(Keyword::kAS);
        window.window = ParseWindowSpec();
        select.windows.push_back(std::move(window));
      });
    }
  }
  return select;
}

bool Parser::PeekIsStar() const {
  size_t ahead = 0;
  while (PeekIsName(ahead) && PeekIs(TokenKind::kDot, ahead + 1)) ahead += 2;
  return PeekIs(TokenKind::kStar, ahead);
}

SelectItem Parser::ParseSelectItem() {
  SelectItem item;
  if (PeekIsStar()) {
    const SourceSpan first = Peek().span;
    Star star;
    while (!PeekIs(TokenKind::kStar)) {
      star.qualifier.push_back(ParseIdentifier());
      Expect(TokenKind::kDot);
    }
    Consume();
    item.expression = Make(first, std::move(star));
    return item;
  }
  item.expression = ParseExpression();
  item.alias = ParseAlias();
  return item;
}

std::optional<Identifier> Parser::ParseAlias() {
  if (Accept(Keyword::kAS)) return ParseIdentifier("a name");
  if (!PeekIsName()) return std::nullopt;
  implicit_alias_ = position_;
  return ParseIdentifier();
}

std::vector<GroupingElement> Parser::ParseGroupingElements() {
  if (PeekIs(Keyword::kDISTINCT)) RefuseHere("GROUP BY DISTINCT");
  std::vector<GroupingElement> elements;
  ParseCommaList([&] { elements.push_back(ParseGroupingElement()); });
  return elements;
}

GroupingElement Parser::ParseGroupingElement() {
  Nesting nesting(*this);
  const SourceSpan first = Peek().span;
  GroupingElement element;
  const auto parse_elements = [&](GroupingElement::Kind kind) {
    element.kind = kind;
    ParseParenthesised([&] { element.elements = ParseGroupingElements(); });
  };
  if (PeekAre(Keyword::kGROUPING, Keyword::kSETS)) {
    position_ += 2;
    parse_elements(GroupingElement::Kind::kGroupingSets);
  } else if (Accept(Keyword::kROLLUP)) {
    parse_elements(GroupingElement::Kind::kRollup);
  } else if (Accept(Keyword::kCUBE)) {
    parse_elements(GroupingElement::Kind::kCube);
  } else if (PeekIs(TokenKind::kLeftParen) && PeekIs(TokenKind::kRightParen, 1)) {
    position_ += 2;
    element.kind = GroupingElement::Kind::kSet;
  } else {
    ExpressionPtr expression = ParseExpression();
    if (auto* row = std::get_if<RowConstructor>(&expression->node); row != nullptr && row->is_implicit) {
      element.kind = GroupingElement::Kind::kSet;
      element.expressions = std::move(row->fields);
    } else {
      element.expressions.push_back(std::move(expression));
    }
  }
  element.span = SpanFrom(first);
  return element;
}

// ---- Hints

std::vector<Hint> Parser::ParseHints() {
  Expect(TokenKind::kHintStart);
  std::vector<Hint> hints;
  while (!Accept(TokenKind::kHintEnd)) {
    if (!hints.empty()) Accept(TokenKind::kComma);
    hints.push_back(ParseHint());
  }
  return hints;
}

Hint Parser::ParseHint() {
  Hint hint;
  hint.name = ParseIdentifier("a name of a hint");
  if (PeekIs(TokenKind::kLeftParen)) {
    ParseParenthesised([&] {
      ParseCommaList([&] {
        const bool is_string = PeekIs(TokenKind::kString);
        if (is_string && PeekIs(TokenKind::kEqual, 1)) {
          hint.options.push_back(ParseProperty());
        } else if (is_string) {
          hint.arguments.push_back(ParseString("a string"));
        } else if (PeekIs(TokenKind::kInteger)) {
          hint.arguments.emplace_back(Consume().span.Text(script_));
        } else {
          hint.arguments.push_back(ParseQualifiedName(kMaxTableParts, "an argument of a hint").ToString());
        }
      });
    });
  }
  hint.span = SpanFrom(hint.name.span);
  return hint;
}

std::vector<Property> Parser::ParseTableHints() {
  std::vector<Property> options;
  if (!PeekIs(TokenKind::kHintStart)) return options;
  for (Hint& hint : ParseHints()) {
    if (FindKeyword(hint.name.name) != Keyword::kOPTIONS) {
      Refuse(hint.span, fmt::format("the table hint {} (OPTIONS is)", hint.name.name));
    }
    if (!hint.arguments.empty()) Fail(hint.span, "the hint OPTIONS takes 'key' = 'value' pairs");
    std::move(hint.options.begin(), hint.options.end(), std::back_inserter(options));
  }
  return options;
}

// ---- FROM

TableRefPtr Parser::ParseFrom() {
  const SourceSpan first = Peek().span;
  TableRefPtr left = ParseJoins();
  while (Accept(TokenKind::kComma)) {
    Join join;
    join.kind = JoinKind::kCross;
    join.comma = true;
    join.left = std::move(left);
    join.right = ParseJoins();
    left = MakeTable(first, std::move(join));
    GrowTree();
  }
  return left;
}

TableRefPtr Parser::ParseJoins() {
  Nesting nesting(*this);
  TableRefPtr table = ParseTableRef();
  return ParseJoinTail(std::move(table));
}

TableRefPtr Parser::ParseJoinTail(TableRefPtr left) {
  const SourceSpan first = left->span;
  for (;;) {
    Join join;
    join.natural = Skip(Keyword::kNATURAL);
    if (Skip(Keyword::kCROSS)) {
      join.kind = JoinKind::kCross;
    } else if (Skip(Keyword::kLEFT)) {
      join.kind = JoinKind::kLeft;
    } else if (Skip(Keyword::kRIGHT)) {
      join.kind = JoinKind::kRight;
    } else if (Skip(Keyword::kFULL)) {
      join.kind = JoinKind::kFull;
    } else if (!Skip(Keyword::kINNER) && !join.natural && !PeekIs(Keyword::kJOIN)) {
      Expected("JOIN");
      return left;
    }
    if (join.kind == JoinKind::kLeft || join.kind == JoinKind::kRight || join.kind == JoinKind::kFull) {
      Skip(Keyword::kOUTER);
    }
    Expect(Keyword::kJOIN);
    join.left = std::move(left);
    join.right = ParseTableRef();
    if (join.kind != JoinKind::kCross && !join.natural) {
      if (Accept(Keyword::kON)) {
        join.on = ParseExpression();
      } else {
        Expect(Keyword::kUSING);
        join.using_ = ParseIdentifierList();
      }
    }
    left = MakeTable(first, std::move(join));
    GrowTree();
  }
}

TableRefPtr Parser::ParseTableRef() {
  TableRefPtr table;
  const bool lateral = Skip(Keyword::kLATERAL);
  if (lateral && PeekIs(TokenKind::kLeftParen)) {
    const SourceSpan first = Peek().span;
    DerivedTable derived;
    derived.lateral = true;
    ParseParenthesised([&] { derived.query = ParseQuery(); });
    table = MakeTable(first, std::move(derived));
  } else if (lateral || PeekIs(Keyword::kTABLE)) {
    table = ParseTableFunction(lateral);
  } else if (PeekIs(TokenKind::kLeftParen)) {
    table = ParseParenthesisedTable();
    if (table->As<Join>() != nullptr) return table;
  } else if (PeekIs(Keyword::kUNNEST)) {
    table = ParseUnnest();
  } else {
    table = ParseNamedTable();
  }
  if (!table->alias) ParseTableAlias(*table);
  return table;
}

TableRefPtr Parser::ParseParenthesisedTable() {
  Nesting nesting(*this);
  const SourceSpan first = Expect(TokenKind::kLeftParen).span;
  if (PeekIsQuery()) {
    DerivedTable derived;
    derived.query = ParseQuery();
    Expect(TokenKind::kRightParen);
    return MakeTable(first, std::move(derived));
  }
  TableRefPtr inner = ParseFrom();
  auto* derived = std::get_if<DerivedTable>(&inner->node);
  if (derived != nullptr && !derived->lateral && !inner->alias && PeekContinuesQuery()) {
    DerivedTable whole;
    whole.query = ParseQueryRest(std::move(derived->query), inner->span);
    Expect(TokenKind::kRightParen);
    return MakeTable(first, std::move(whole));
  }
  Expect(TokenKind::kRightParen);
  return inner;
}

TableRefPtr Parser::ParseTableFunction(bool lateral) {
  const SourceSpan first = Peek().span;
  Expect(Keyword::kTABLE);
  TableFunction function;
  function.lateral = lateral;
  ParseParenthesised([&] {
    QualifiedName name = ParseQualifiedName(kMaxTableParts, "a table function");
    if (!PeekIs(TokenKind::kLeftParen)) {
      Expected("'('");
      FailHere();
    }
    function.call = ParseCall(std::move(name));
  });
  return MakeTable(first, std::move(function));
}

TableRefPtr Parser::ParseUnnest() {
  const SourceSpan first = Consume().span;
  Unnest unnest;
  ParseParenthesised([&] { unnest.expressions = ParseExpressionList(); });
  if (PeekIs(Keyword::kWITH) && PeekIs(Keyword::kORDINALITY, 1)) {
    position_ += 2;
    unnest.with_ordinality = true;
  }
  return MakeTable(first, std::move(unnest));
}

TableRefPtr Parser::ParseNamedTable() {
  const SourceSpan first = Peek().span;
  NamedTable table;
  table.name = ParseQualifiedName(kMaxTableParts, "a table name");
  if (PeekIs(TokenKind::kLeftParen)) {
    TableFunction function;
    function.call = ParseCall(std::move(table.name));
    return MakeTable(first, std::move(function));
  }
  table.options = ParseTableHints();
  if (PeekIs(Keyword::kFOR)) {
    Consume();
    ExpectAll(Keyword::kSYSTEM_TIME, Keyword::kAS, Keyword::kOF);
    table.system_time = ParseExpression();
  }
  for (Keyword keyword : {Keyword::kTABLESAMPLE, Keyword::kMATCH_RECOGNIZE, Keyword::kPIVOT, Keyword::kUNPIVOT}) {
    if (PeekIs(keyword)) RefuseHere(ToString(keyword));
  }
  return MakeTable(first, std::move(table));
}

void Parser::ParseTableAlias(TableRef& table) {
  std::optional<Identifier> name = ParseAlias();
  if (!name) return;
  TableAlias alias;
  alias.name = *std::move(name);
  if (PeekIs(TokenKind::kLeftParen)) alias.columns = ParseIdentifierList();
  table.alias = std::move(alias);
}

}  // namespace frazil::sql
