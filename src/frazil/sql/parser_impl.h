// SPDX-License-Identifier: Apache-2.0
// The recursive-descent parser behind parser.h. Its methods are spread over parse_*.cc by the kind of grammar.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frazil/sql/ast.h"
#include "frazil/sql/lexer.h"

namespace frazil::sql {

/// Parses the tokens of one statement. Throws SqlError without source.
class Parser {
 public:
  /// `tokens` end with a kEnd; both must outlive the parser.
  Parser(std::string_view script, std::span<const Token> tokens) : script_(script), tokens_(tokens) {}

  Statement ParseStatement();
  ExpressionPtr ParseExpression();
  QueryPtr ParseQuery();
  TypeSpec ParseType();

  /// Throws unless all tokens are consumed.
  void ExpectEnd();

 private:
  /// Counts how deep the recursion is and how high the tree below became; one per recursive production.
  class Nesting {
   public:
    explicit Nesting(Parser& parser);
    ~Nesting();
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
    int outer_height_;
  };

  /// One of many of the same height: their heights don't add up.
  class Sibling {
   public:
    explicit Sibling(Parser& parser);
    ~Sibling();
    Sibling(const Sibling&) = delete;
    Sibling& operator=(const Sibling&) = delete;

   private:
    Parser& parser_;
    int others_height_;
  };

  // ---- Tokens (parser.cc)
  const Token& Peek(size_t ahead = 0) const;
  bool PeekIs(TokenKind kind, size_t ahead = 0) const { return Peek(ahead).kind == kind; }
  bool PeekIs(Keyword keyword, size_t ahead = 0) const { return Peek(ahead).keyword == keyword; }
  template <typename... More>
  bool PeekAre(Keyword first, More... more) const {
    size_t ahead = 0;
    return PeekIs(first, ahead++) && (PeekIs(more, ahead++) && ...);
  }
  const Token& Consume() { return tokens_[position_++]; }
  /// Consumes the token if it is the one; else notes it as expected here.
  bool Accept(TokenKind kind);
  bool Accept(Keyword keyword);
  /// Consumes the token if it is the one, and notes nothing: for words whose absence is never what was wrong.
  bool Skip(Keyword keyword) {
    const bool there = PeekIs(keyword);
    if (there) ++position_;
    return there;
  }
  const Token& Expect(TokenKind kind);
  const Token& Expect(Keyword keyword);
  template <std::same_as<Keyword>... More>
  void ExpectAll(More... keywords) {
    (Expect(keywords), ...);
  }
  /// Notes that `what`, a literal, could stand at this place, for the message of an error that may follow.
  void Expected(std::string_view what);
  /// "found 'x', expected …" of what was noted for this place.
  [[noreturn]] void FailHere();
  [[noreturn]] void Fail(const SourceSpan& span, std::string_view message) const;
  [[noreturn]] void Refuse(const SourceSpan& span, std::string_view what) const;
  [[noreturn]] void RefuseHere(std::string_view what) const { Refuse(Peek().span, what); }
  std::string Found(const Token& token) const;
  /// From `first` to the token consumed last.
  SourceSpan SpanFrom(const SourceSpan& first) const { return first.To(tokens_[position_ - 1].span); }
  ExpressionPtr Make(const SourceSpan& first, Expression::Node node) const {
    return std::make_unique<Expression>(SpanFrom(first), std::move(node));
  }
  /// The tree of this production became one level higher by a left-deep chain.
  void GrowTree();

  // ---- Names and small things (parser.cc)
  bool PeekIsName(size_t ahead = 0) const;
  Identifier ParseIdentifier(std::string_view what = "a name");
  QualifiedName ParseQualifiedName(size_t max_parts, std::string_view what);
  std::vector<Identifier> ParseIdentifierList();
  Identifier IdentifierOf(const Token& token) const;
  std::string ParseString(std::string_view what);
  int64_t ParseInteger(std::string_view what, int64_t max);
  /// 'k' = 'v'
  Property ParseProperty();
  /// ('k' = 'v', …)
  std::vector<Property> ParseProperties();
  bool AcceptIfExists();
  bool AcceptIfNotExists();
  template <typename ParseOne>
  void ParseCommaList(ParseOne parse_one) {
    do parse_one();
    while (Accept(TokenKind::kComma));
  }
  template <typename ParseOne>
  void ParseParenthesised(ParseOne parse_one) {
    Expect(TokenKind::kLeftParen);
    parse_one();
    Expect(TokenKind::kRightParen);
  }

  // ---- Types (parse_type.cc)
  LogicalType ParseTypeName();
  LogicalType ParseTypeOf(const Token& token);
  LogicalType ParseIntervalType();
  LogicalType ParseTimestampType();
  LogicalType ParseRowType();
  std::vector<RowField> ParseRowFields(TokenKind close);
  std::optional<int32_t> ParseTypeArgument();
  LogicalType ParseElementType();

  // ---- Expressions (parse_expression.cc)
  ExpressionPtr ParseOr();
  ExpressionPtr ParseAnd();
  ExpressionPtr ParseNot();
  ExpressionPtr ParseOperators(int min_precedence);
  ExpressionPtr ParseIs(ExpressionPtr operand);
  ExpressionPtr ParseNegatable(ExpressionPtr operand);
  ExpressionPtr ParseBetween(ExpressionPtr operand, bool negated);
  ExpressionPtr ParseIn(ExpressionPtr operand, bool negated);
  ExpressionPtr ParseLike(ExpressionPtr operand, bool negated);
  ExpressionPtr ParseUnary();
  ExpressionPtr ParsePostfix();
  ExpressionPtr ParsePrimary();
  ExpressionPtr ParseWordPrimary();
  ExpressionPtr ParseNumber(bool negative, const SourceSpan& first);
  ExpressionPtr ParseStringLiteral();
  ExpressionPtr ParseTemporal(TemporalLiteral::Kind kind);
  ExpressionPtr ParseInterval();
  ExpressionPtr ParseParentheses();
  ExpressionPtr ParseCase();
  ExpressionPtr ParseCast(bool is_try);
  ExpressionPtr ParseRow();
  ExpressionPtr ParseArray();
  ExpressionPtr ParseMap();
  ExpressionPtr ParseExists();
  ExpressionPtr ParseNameOrCall();
  ExpressionPtr ParseCall(QualifiedName name);
  ExpressionPtr ParseSpecialCall();
  ExpressionPtr ParseArgument();
  void ParseTrimArguments(FunctionCall& call);
  void ParseCallSuffix(FunctionCall& call);
  WindowSpec ParseWindowSpec();
  WindowFrame ParseWindowFrame();
  FrameBound ParseFrameBound();
  std::optional<TimeUnit> PeekTimeUnit() const;
  TimeUnit ParseTimeUnit();
  ExpressionPtr ParseUnitSymbol();
  std::vector<ExpressionPtr> ParseExpressionList();
  std::vector<OrderItem> ParseOrderItems();
  bool PeekIsQuery(size_t ahead = 0) const;

  // ---- Queries (parse_query.cc)
  QueryPtr ParseSetOperations(QueryPtr left, int min_precedence);
  QueryPtr ParseQueryTerm();
  void ParseQueryTail(QueryPtr& query, const SourceSpan& first, std::vector<CommonTable> with, bool recursive);
  /// The rest of a query whose first, parenthesised term was read already.
  QueryPtr ParseQueryRest(QueryPtr term, const SourceSpan& first);
  bool PeekContinuesQuery() const;
  CommonTable ParseCommonTable();
  Select ParseSelect();
  SelectItem ParseSelectItem();
  bool PeekIsStar() const;
  std::optional<Identifier> ParseAlias();
  Values ParseValues();
  std::vector<GroupingElement> ParseGroupingElements();
  GroupingElement ParseGroupingElement();
  ExpressionPtr ParseRowCount();
  std::vector<Hint> ParseHints();
  Hint ParseHint();
  std::vector<Property> ParseTableHints();
  TableRefPtr ParseFrom();
  TableRefPtr ParseJoins();
  TableRefPtr ParseJoinTail(TableRefPtr left);
  TableRefPtr ParseTableRef();
  TableRefPtr ParseParenthesisedTable();
  TableRefPtr ParseTableFunction(bool lateral);
  TableRefPtr ParseUnnest();
  TableRefPtr ParseNamedTable();
  void ParseTableAlias(TableRef& table);
  TableRefPtr MakeTable(const SourceSpan& first, TableRef::Node node) const {
    return std::make_unique<TableRef>(SpanFrom(first), std::move(node));
  }

  // ---- Statements (parse_statement.cc)
  Statement::Node ParseStatementNode();
  Statement::Node ParseCreate();
  CreateTable ParseCreateTable(bool temporary, bool or_replace);
  void ParseTableElements(CreateTable& table);
  void ParseTableElement(ChangeColumns& into, bool with_position);
  CreateView ParseCreateView(bool temporary);
  CreateCatalog ParseCreateCatalog();
  CreateDatabase ParseCreateDatabase();
  ColumnDefinition ParseColumn(std::optional<PrimaryKey>& primary_key, bool with_position);
  WatermarkDefinition ParseWatermark();
  PrimaryKey ParsePrimaryKey();
  void ExpectNotEnforced();
  Distribution ParseDistribution();
  std::vector<ExpressionPtr> ParsePartitionedBy();
  TableLike ParseTableLike();
  Statement::Node ParseDrop();
  Statement::Node ParseAlter();
  AlterTable ParseAlterTable();
  ChangeColumns ParseChangeColumns(bool modify);
  Insert ParseInsert();
  std::vector<PartitionValue> ParsePartition();
  StatementSet ParseStatementSet();
  Statement::Node ParseExecute();
  Show ParseShow();
  Show ParseShowList(Show::Kind kind);
  Describe ParseDescribe();
  Explain ParseExplain();
  Set ParseSet();
  Reset ParseReset();
  Statement::Node ParseUse();
  Delete ParseDelete();
  Update ParseUpdate();
  TruncateTable ParseTruncate();
  StopJob ParseStopJob();

  std::string_view script_;
  std::span<const Token> tokens_;
  size_t position_ = 0;
  int depth_ = 0;
  int height_ = 0;  ///< of the highest tree completed in the production at hand
  std::vector<std::string_view> expected_;
  size_t expected_at_ = 0;
  /// Token of the last alias that stood without AS: it may be a misspelt keyword.
  size_t implicit_alias_ = SIZE_MAX;
};

}  // namespace frazil::sql
