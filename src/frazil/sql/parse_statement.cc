// SPDX-License-Identifier: Apache-2.0
// Statements: definitions, INSERT and statement sets, and those of the session.
#include <algorithm>
#include <array>

#include "frazil/base/suggest.h"
#include "frazil/sql/parser_impl.h"

namespace frazil::sql {
namespace {

constexpr size_t kMaxTableParts = 3;
constexpr size_t kMaxDatabaseParts = 2;
constexpr size_t kMaxFieldParts = 64;

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// `text` of an unquoted SET, where the value may be quoted all the same.
std::string UnquotedValue(std::string_view text) {
  text = Trim(text);
  if (text.size() < 2 || text.front() != '\'' || text.back() != '\'') return std::string(text);
  std::string out;
  text = text.substr(1, text.size() - 2);
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\'') ++i;
  }
  return out;
}

}  // namespace

Statement Parser::ParseStatement() {
  Nesting nesting(*this);
  const SourceSpan first = Peek().span;
  Statement::Node node = ParseStatementNode();
  return Statement(position_ == 0 ? first : SpanFrom(first), std::move(node));
}

Statement::Node Parser::ParseStatementNode() {
  const Token& token = Peek();
  switch (token.keyword) {
    case Keyword::kSELECT:
    case Keyword::kWITH:
    case Keyword::kVALUES:
    case Keyword::kTABLE: return ParseQuery();
    case Keyword::kINSERT: return ParseInsert();
    case Keyword::kCREATE: return ParseCreate();
    case Keyword::kDROP: return ParseDrop();
    case Keyword::kALTER: return ParseAlter();
    case Keyword::kUSE: return ParseUse();
    case Keyword::kSHOW: return ParseShow();
    case Keyword::kDESCRIBE:
    case Keyword::kDESC: return ParseDescribe();
    case Keyword::kEXPLAIN: return ParseExplain();
    case Keyword::kSET: return ParseSet();
    case Keyword::kRESET: return ParseReset();
    case Keyword::kBEGIN:
    case Keyword::kSTATEMENT: return ParseStatementSet();
    case Keyword::kEXECUTE: return ParseExecute();
    case Keyword::kDELETE: return ParseDelete();
    case Keyword::kUPDATE: return ParseUpdate();
    case Keyword::kTRUNCATE: return ParseTruncate();
    case Keyword::kSTOP: return ParseStopJob();
    case Keyword::kCALL: {
      Consume();
      QualifiedName name = ParseQualifiedName(kMaxTableParts, "a procedure");
      if (!PeekIs(TokenKind::kLeftParen)) Expect(TokenKind::kLeftParen);
      return CallProcedure{ParseCall(std::move(name))};
    }
    case Keyword::kQUIT:
    case Keyword::kEXIT: return Consume(), ShellCommand{ShellCommand::Kind::kQuit};
    case Keyword::kCLEAR: return Consume(), ShellCommand{ShellCommand::Kind::kClear};
    case Keyword::kHELP: return Consume(), ShellCommand{ShellCommand::Kind::kHelp};
    case Keyword::kUPSERT:
    case Keyword::kMERGE:
    case Keyword::kANALYZE:
    case Keyword::kCOMPILE:
    case Keyword::kLOAD:
    case Keyword::kUNLOAD:
    case Keyword::kGRANT:
    case Keyword::kREVOKE:
    case Keyword::kCOMMIT:
    case Keyword::kROLLBACK: RefuseHere(fmt::format("the statement {}", ToString(token.keyword)));
    case Keyword::kADD:
    case Keyword::kREMOVE: RefuseHere(fmt::format("{} JAR", ToString(token.keyword)));
    default: break;
  }
  if (token.kind == TokenKind::kLeftParen) return ParseQuery();
  static const std::vector<std::string> kFirstWords = {
      "SELECT", "INSERT", "CREATE", "DROP",   "ALTER",  "USE",      "SHOW",    "DESCRIBE", "EXPLAIN", "SET", "RESET",
      "WITH",   "VALUES", "BEGIN",  "DELETE", "UPDATE", "TRUNCATE", "EXECUTE", "CALL",     "QUIT",    "HELP"};
  std::string upper(token.span.Text(script_));
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  const std::string hint = token.kind == TokenKind::kWord ? DidYouMean(upper, kFirstWords) : std::string();
  Fail(token.span, fmt::format("found {}, expected a statement{}", Found(token), hint));
}

// ---- CREATE

Statement::Node Parser::ParseCreate() {
  Expect(Keyword::kCREATE);
  bool or_replace = false;
  const SourceSpan replace_span = Peek().span;
  if (Skip(Keyword::kOR)) {
    Expect(Keyword::kREPLACE);
    or_replace = true;
  }
  const bool temporary = Accept(Keyword::kTEMPORARY);
  for (Keyword keyword : {Keyword::kFUNCTION, Keyword::kMATERIALIZED, Keyword::kMODEL, Keyword::kSYSTEM}) {
    if (PeekIs(keyword)) RefuseHere(fmt::format("CREATE {}", ToString(keyword)));
  }
  if (Accept(Keyword::kTABLE)) return ParseCreateTable(temporary, or_replace);
  if (or_replace) Refuse(replace_span, "OR REPLACE of anything but a table");
  if (Accept(Keyword::kVIEW)) return ParseCreateView(temporary);
  if (!temporary && Accept(Keyword::kCATALOG)) return ParseCreateCatalog();
  if (!temporary && Accept(Keyword::kDATABASE)) return ParseCreateDatabase();
  FailHere();
}

CreateCatalog Parser::ParseCreateCatalog() {
  CreateCatalog create;
  create.if_not_exists = AcceptIfNotExists();
  create.name = ParseIdentifier("a name of a catalog");
  if (Accept(Keyword::kCOMMENT)) create.comment = ParseString("a comment in single quotes");
  if (Accept(Keyword::kWITH)) create.properties = ParseProperties();
  return create;
}

CreateDatabase Parser::ParseCreateDatabase() {
  CreateDatabase create;
  create.if_not_exists = AcceptIfNotExists();
  create.name = ParseQualifiedName(kMaxDatabaseParts, "a name of a database");
  if (Accept(Keyword::kCOMMENT)) create.comment = ParseString("a comment in single quotes");
  if (Accept(Keyword::kWITH)) create.properties = ParseProperties();
  return create;
}

CreateView Parser::ParseCreateView(bool temporary) {
  CreateView create;
  create.temporary = temporary;
  create.if_not_exists = AcceptIfNotExists();
  create.name = ParseQualifiedName(kMaxTableParts, "a name of a view");
  if (PeekIs(TokenKind::kLeftParen)) create.columns = ParseIdentifierList();
  if (Accept(Keyword::kCOMMENT)) create.comment = ParseString("a comment in single quotes");
  Expect(Keyword::kAS);
  create.query = ParseQuery();
  return create;
}

CreateTable Parser::ParseCreateTable(bool temporary, bool or_replace) {
  CreateTable create;
  create.temporary = temporary;
  create.or_replace = or_replace;
  create.if_not_exists = AcceptIfNotExists();
  create.name = ParseQualifiedName(kMaxTableParts, "a name of a table");
  if (PeekIs(TokenKind::kLeftParen)) ParseTableElements(create);
  if (Accept(Keyword::kCOMMENT)) create.comment = ParseString("a comment in single quotes");
  if (PeekIs(Keyword::kDISTRIBUTED)) create.distribution = ParseDistribution();
  if (Accept(Keyword::kPARTITIONED)) create.partitioned_by = ParsePartitionedBy();
  if (Accept(Keyword::kWITH)) create.options = ParseProperties();
  if (Accept(Keyword::kLIKE)) {
    create.like = ParseTableLike();
  } else if (Accept(Keyword::kAS)) {
    create.as_query = ParseQuery();
  }
  return create;
}

void Parser::ParseTableElements(CreateTable& table) {
  Expect(TokenKind::kLeftParen);
  ChangeColumns elements;
  if (!PeekIs(TokenKind::kRightParen)) {
    ParseCommaList([&] { ParseTableElement(elements, false); });
  }
  Expect(TokenKind::kRightParen);
  table.columns = std::move(elements.columns);
  table.watermarks = std::move(elements.watermarks);
  table.primary_key = std::move(elements.primary_key);
}

void Parser::ParseTableElement(ChangeColumns& into, bool with_position) {
  if (PeekIs(Keyword::kWATERMARK)) {
    into.watermarks.push_back(ParseWatermark());
    return;
  }
  if (PeekIs(Keyword::kPRIMARY) || PeekIs(Keyword::kCONSTRAINT)) {
    PrimaryKey key = ParsePrimaryKey();
    if (into.primary_key) Fail(key.span, "a table has one primary key, this is the second");
    into.primary_key = std::move(key);
    return;
  }
  if (PeekIs(Keyword::kUNIQUE)) RefuseHere("the constraint UNIQUE");
  into.columns.push_back(ParseColumn(into.primary_key, with_position));
}

ColumnDefinition Parser::ParseColumn(std::optional<PrimaryKey>& primary_key, bool with_position) {
  const SourceSpan first = Peek().span;
  ColumnDefinition column;
  column.name = ParseQualifiedName(with_position ? kMaxFieldParts : 1, "a column name");
  if (Accept(Keyword::kAS)) {
    column.kind = ComputedColumn{ParseExpression()};
  } else {
    TypeSpec type = ParseType();
    if (Accept(Keyword::kMETADATA)) {
      MetadataColumn metadata;
      metadata.type = std::move(type);
      if (Accept(Keyword::kFROM)) metadata.key = ParseString("a metadata key in single quotes");
      metadata.is_virtual = Accept(Keyword::kVIRTUAL);
      column.kind = std::move(metadata);
    } else {
      PhysicalColumn physical;
      physical.type = std::move(type);
      if (PeekIs(Keyword::kPRIMARY) || PeekIs(Keyword::kCONSTRAINT)) {
        const SourceSpan key_start = Peek().span;
        PrimaryKey key;
        if (Accept(Keyword::kCONSTRAINT)) key.constraint_name = ParseIdentifier("a name of a constraint");
        ExpectAll(Keyword::kPRIMARY, Keyword::kKEY);
        ExpectNotEnforced();
        key.columns.push_back(column.name.parts.front());
        key.span = SpanFrom(key_start);
        if (primary_key) Fail(key.span, "a table has one primary key, this is the second");
        primary_key = std::move(key);
        physical.primary_key = true;
      }
      if (PeekIs(Keyword::kUNIQUE)) RefuseHere("the constraint UNIQUE");
      if (PeekIs(Keyword::kDEFAULT)) RefuseHere("a DEFAULT of a column");
      if (PeekIs(Keyword::kCHECK)) RefuseHere("the constraint CHECK");
      column.kind = std::move(physical);
    }
  }
  if (Accept(Keyword::kCOMMENT)) column.comment = ParseString("a comment in single quotes");
  if (with_position) {
    if (Accept(Keyword::kFIRST)) {
      column.position = ColumnPosition{true, std::nullopt};
    } else if (Accept(Keyword::kAFTER)) {
      column.position = ColumnPosition{false, ParseQualifiedName(kMaxFieldParts, "a column name")};
    }
  }
  column.span = SpanFrom(first);
  return column;
}

WatermarkDefinition Parser::ParseWatermark() {
  const SourceSpan first = Expect(Keyword::kWATERMARK).span;
  Expect(Keyword::kFOR);
  WatermarkDefinition watermark;
  watermark.column = ParseQualifiedName(kMaxFieldParts, "a column name");
  Expect(Keyword::kAS);
  watermark.expression = ParseExpression();
  watermark.span = SpanFrom(first);
  return watermark;
}

PrimaryKey Parser::ParsePrimaryKey() {
  const SourceSpan first = Peek().span;
  PrimaryKey key;
  if (Accept(Keyword::kCONSTRAINT)) key.constraint_name = ParseIdentifier("a name of a constraint");
  if (PeekIs(Keyword::kUNIQUE)) RefuseHere("the constraint UNIQUE");
  ExpectAll(Keyword::kPRIMARY, Keyword::kKEY);
  key.columns = ParseIdentifierList();
  ExpectNotEnforced();
  key.span = SpanFrom(first);
  return key;
}

void Parser::ExpectNotEnforced() {
  if (PeekAre(Keyword::kNOT, Keyword::kENFORCED)) {
    position_ += 2;
    return;
  }
  Fail(Peek().span, fmt::format("found {}, expected NOT ENFORCED: Flink takes a primary key as a promise, it doesn't "
                                "check it",
                                Found(Peek())));
}

Distribution Parser::ParseDistribution() {
  const SourceSpan first = Expect(Keyword::kDISTRIBUTED).span;
  Distribution distribution;
  if (Accept(Keyword::kBY)) {
    if (!PeekIs(TokenKind::kLeftParen)) {
      if (Accept(Keyword::kHASH) || Accept(Keyword::kRANGE)) {
        distribution.kind = ToString(tokens_[position_ - 1].keyword);
      } else {
        FailHere();
      }
    }
    distribution.columns = ParseIdentifierList();
  }
  if (Accept(Keyword::kINTO)) {
    distribution.buckets = ParseInteger("a number of buckets", LogicalType::kMaxLength);
    Expect(Keyword::kBUCKETS);
  }
  distribution.span = SpanFrom(first);
  return distribution;
}

std::vector<ExpressionPtr> Parser::ParsePartitionedBy() {
  Expect(Keyword::kBY);
  std::vector<ExpressionPtr> fields;
  ParseParenthesised([&] {
    ParseCommaList([&] {
      ExpressionPtr field = ParsePostfix();
      if (field->As<ColumnRef>() == nullptr && field->As<FunctionCall>() == nullptr) {
        Fail(field->span, "a table is partitioned by columns or by transforms of them: a, days(ts), bucket(16, id)");
      }
      fields.push_back(std::move(field));
    });
  });
  return fields;
}

TableLike Parser::ParseTableLike() {
  constexpr std::array<std::string_view, 8> kFeatures = {"ALL",      "OPTIONS",    "CONSTRAINTS", "GENERATED",
                                                         "METADATA", "PARTITIONS", "WATERMARKS",  "DISTRIBUTION"};
  using Behaviour = TableLike::Option::Behaviour;
  TableLike like;
  like.table = ParseQualifiedName(kMaxTableParts, "a table name");
  if (!Accept(TokenKind::kLeftParen)) return like;
  while (!Accept(TokenKind::kRightParen)) {
    TableLike::Option option;
    if (Accept(Keyword::kINCLUDING)) {
      option.behaviour = Behaviour::kIncluding;
    } else if (Accept(Keyword::kEXCLUDING)) {
      option.behaviour = Behaviour::kExcluding;
    } else {
      Expect(Keyword::kOVERWRITING);
      option.behaviour = Behaviour::kOverwriting;
    }
    option.feature = ToString(Peek().keyword);
    if (std::find(kFeatures.begin(), kFeatures.end(), option.feature) == kFeatures.end()) {
      for (std::string_view feature : kFeatures) Expected(feature);
      FailHere();
    }
    Consume();
    like.options.push_back(std::move(option));
  }
  return like;
}

// ---- DROP, ALTER

Statement::Node Parser::ParseDrop() {
  Expect(Keyword::kDROP);
  DropObject drop;
  drop.temporary = Accept(Keyword::kTEMPORARY);
  for (Keyword keyword : {Keyword::kMATERIALIZED, Keyword::kMODEL, Keyword::kSYSTEM}) {
    if (PeekIs(keyword)) RefuseHere(fmt::format("DROP {}", ToString(keyword)));
  }
  size_t parts = kMaxTableParts;
  std::string_view what = "a table name";
  if (Accept(Keyword::kTABLE)) {
    drop.kind = DropObject::Kind::kTable;
  } else if (Accept(Keyword::kVIEW)) {
    drop.kind = DropObject::Kind::kView;
    what = "a name of a view";
  } else if (Accept(Keyword::kFUNCTION)) {
    drop.kind = DropObject::Kind::kFunction;
    what = "a name of a function";
  } else if (!drop.temporary && Accept(Keyword::kCATALOG)) {
    drop.kind = DropObject::Kind::kCatalog;
    what = "a name of a catalog";
    parts = 1;
  } else if (!drop.temporary && Accept(Keyword::kDATABASE)) {
    drop.kind = DropObject::Kind::kDatabase;
    what = "a name of a database";
    parts = kMaxDatabaseParts;
  } else {
    FailHere();
  }
  drop.if_exists = AcceptIfExists();
  drop.name = ParseQualifiedName(parts, what);
  if (drop.kind == DropObject::Kind::kDatabase && !Accept(Keyword::kRESTRICT)) drop.cascade = Accept(Keyword::kCASCADE);
  return drop;
}

Statement::Node Parser::ParseAlter() {
  Expect(Keyword::kALTER);
  for (Keyword keyword : {Keyword::kFUNCTION, Keyword::kMATERIALIZED, Keyword::kMODEL, Keyword::kCATALOG}) {
    if (PeekIs(keyword)) RefuseHere(fmt::format("ALTER {}", ToString(keyword)));
  }
  if (Accept(Keyword::kTABLE)) return ParseAlterTable();
  if (Accept(Keyword::kDATABASE)) {
    AlterDatabase alter;
    alter.name = ParseQualifiedName(kMaxDatabaseParts, "a name of a database");
    Expect(Keyword::kSET);
    alter.properties = ParseProperties();
    return alter;
  }
  Expect(Keyword::kVIEW);
  AlterView alter;
  alter.name = ParseQualifiedName(kMaxTableParts, "a name of a view");
  if (Accept(Keyword::kRENAME)) {
    Expect(Keyword::kTO);
    alter.new_name = ParseQualifiedName(kMaxTableParts, "a name of a view");
  } else {
    Expect(Keyword::kAS);
    alter.query = ParseQuery();
  }
  return alter;
}

AlterTable Parser::ParseAlterTable() {
  AlterTable alter;
  alter.if_exists = AcceptIfExists();
  alter.name = ParseQualifiedName(kMaxTableParts, "a table name");
  if (Accept(Keyword::kRENAME)) {
    if (Accept(Keyword::kTO)) {
      alter.action = RenameTable{ParseQualifiedName(kMaxTableParts, "a table name")};
    } else {
      QualifiedName column = ParseQualifiedName(kMaxFieldParts, "a column name");
      Expect(Keyword::kTO);
      alter.action = RenameColumn{std::move(column), ParseIdentifier("a column name")};
    }
  } else if (Accept(Keyword::kSET)) {
    alter.action = SetTableOptions{ParseProperties()};
  } else if (Accept(Keyword::kRESET)) {
    ResetTableOptions reset;
    ParseParenthesised([&] { ParseCommaList([&] { reset.keys.push_back(ParseString("a key in single quotes")); }); });
    alter.action = std::move(reset);
  } else if (Accept(Keyword::kADD)) {
    if (PeekIs(Keyword::kPARTITION) || PeekIs(Keyword::kDISTRIBUTION)) {
      RefuseHere(fmt::format("ALTER TABLE … ADD {}", ToString(Peek().keyword)));
    }
    alter.action = ParseChangeColumns(false);
  } else if (Accept(Keyword::kMODIFY)) {
    if (PeekIs(Keyword::kDISTRIBUTION)) RefuseHere("ALTER TABLE … MODIFY DISTRIBUTION");
    alter.action = ParseChangeColumns(true);
  } else if (Accept(Keyword::kDROP)) {
    if (PeekIs(Keyword::kPARTITION) || PeekIs(Keyword::kDISTRIBUTION)) {
      RefuseHere(fmt::format("ALTER TABLE … DROP {}", ToString(Peek().keyword)));
    }
    if (Accept(Keyword::kPRIMARY)) {
      Expect(Keyword::kKEY);
      alter.action = DropPrimaryKey{};
    } else if (Accept(Keyword::kCONSTRAINT)) {
      alter.action = DropPrimaryKey{ParseIdentifier("a name of a constraint")};
    } else if (Accept(Keyword::kWATERMARK)) {
      alter.action = DropWatermark{};
    } else {
      DropColumns drop;
      const auto parse_column = [&] { drop.columns.push_back(ParseQualifiedName(kMaxFieldParts, "a column name")); };
      if (PeekIs(TokenKind::kLeftParen)) {
        ParseParenthesised([&] { ParseCommaList(parse_column); });
      } else {
        parse_column();
      }
      alter.action = std::move(drop);
    }
  } else {
    FailHere();
  }
  return alter;
}

ChangeColumns Parser::ParseChangeColumns(bool modify) {
  ChangeColumns change;
  change.modify = modify;
  if (PeekIs(TokenKind::kLeftParen)) {
    ParseParenthesised([&] { ParseCommaList([&] { ParseTableElement(change, true); }); });
  } else {
    ParseTableElement(change, true);
  }
  return change;
}

// ---- INSERT, statement sets

Insert Parser::ParseInsert() {
  Expect(Keyword::kINSERT);
  Insert insert;
  insert.overwrite = Accept(Keyword::kOVERWRITE);
  if (!insert.overwrite) Expect(Keyword::kINTO);
  insert.table = ParseQualifiedName(kMaxTableParts, "a table name");
  insert.options = ParseTableHints();
  if (Accept(Keyword::kPARTITION)) insert.partition = ParsePartition();
  if (PeekIs(TokenKind::kLeftParen) && !PeekIsQuery(1) && !PeekIs(TokenKind::kLeftParen, 1)) {
    insert.columns = ParseIdentifierList();
  }
  insert.query = ParseQuery();
  return insert;
}

std::vector<PartitionValue> Parser::ParsePartition() {
  std::vector<PartitionValue> values;
  ParseParenthesised([&] {
    ParseCommaList([&] {
      PartitionValue value;
      value.column = ParseIdentifier("a column name");
      if (Accept(TokenKind::kEqual)) value.value = ParseUnary();
      values.push_back(std::move(value));
    });
  });
  return values;
}

StatementSet Parser::ParseStatementSet() {
  StatementSet set;
  if (Accept(Keyword::kBEGIN)) {
    ExpectAll(Keyword::kSTATEMENT, Keyword::kSET);
    Expect(TokenKind::kSemicolon);
  } else {
    ExpectAll(Keyword::kSTATEMENT, Keyword::kSET, Keyword::kBEGIN);
  }
  while (!Accept(Keyword::kEND)) {
    const SourceSpan first = Peek().span;
    set.inserts.push_back(ParseInsert());
    set.spans.push_back(SpanFrom(first));
    Expect(TokenKind::kSemicolon);
  }
  if (set.inserts.empty()) Fail(tokens_[position_ - 1].span, "a statement set has at least one INSERT");
  return set;
}

Statement::Node Parser::ParseExecute() {
  Expect(Keyword::kEXECUTE);
  if (PeekIs(Keyword::kPLAN)) RefuseHere("EXECUTE PLAN");
  if (PeekIs(Keyword::kSTATEMENT)) return ParseStatementSet();
  if (PeekIs(Keyword::kINSERT)) return ParseInsert();
  if (PeekIsQuery()) return ParseQuery();
  for (std::string_view what : {"STATEMENT SET", "INSERT", "a query"}) Expected(what);
  FailHere();
}

Delete Parser::ParseDelete() {
  ExpectAll(Keyword::kDELETE, Keyword::kFROM);
  Delete statement;
  statement.table = ParseQualifiedName(kMaxTableParts, "a table name");
  if (Accept(Keyword::kWHERE)) statement.where = ParseExpression();
  return statement;
}

Update Parser::ParseUpdate() {
  Expect(Keyword::kUPDATE);
  Update update;
  update.table = ParseQualifiedName(kMaxTableParts, "a table name");
  Expect(Keyword::kSET);
  ParseCommaList([&] {
    Identifier column = ParseIdentifier("a column name");
    Expect(TokenKind::kEqual);
    update.assignments.emplace_back(std::move(column), ParseExpression());
  });
  if (Accept(Keyword::kWHERE)) update.where = ParseExpression();
  return update;
}

TruncateTable Parser::ParseTruncate() {
  ExpectAll(Keyword::kTRUNCATE, Keyword::kTABLE);
  return {ParseQualifiedName(kMaxTableParts, "a table name")};
}

// ---- Session

Statement::Node Parser::ParseUse() {
  Expect(Keyword::kUSE);
  if (PeekIs(Keyword::kMODULES)) RefuseHere("USE MODULES");
  if (PeekIs(Keyword::kCATALOG) && !PeekIs(TokenKind::kEnd, 1)) {
    Consume();
    return Use{true, ParseQualifiedName(1, "a name of a catalog")};
  }
  Expected("CATALOG");
  return Use{false, ParseQualifiedName(kMaxDatabaseParts, "a name of a database")};
}

Show Parser::ParseShow() {
  using Kind = Show::Kind;
  Expect(Keyword::kSHOW);
  Show show;
  if (Accept(Keyword::kCURRENT)) {
    show.kind = Accept(Keyword::kCATALOG) ? Kind::kCurrentCatalog : Kind::kCurrentDatabase;
    if (show.kind == Kind::kCurrentDatabase) Expect(Keyword::kDATABASE);
    return show;
  }
  if (Accept(Keyword::kCREATE)) {
    if (Accept(Keyword::kTABLE)) {
      show.kind = Kind::kCreateTable;
    } else if (Accept(Keyword::kVIEW)) {
      show.kind = Kind::kCreateView;
    } else {
      Expect(Keyword::kCATALOG);
      show.kind = Kind::kCreateCatalog;
    }
    show.name = ParseQualifiedName(show.kind == Kind::kCreateCatalog ? 1 : kMaxTableParts, "a name");
    return show;
  }
  if (Accept(Keyword::kCATALOGS)) return ParseShowList(Kind::kCatalogs);
  if (Accept(Keyword::kDATABASES)) return ParseShowList(Kind::kDatabases);
  if (Accept(Keyword::kTABLES)) return ParseShowList(Kind::kTables);
  if (Accept(Keyword::kVIEWS)) return ParseShowList(Kind::kViews);
  if (Accept(Keyword::kFUNCTIONS)) return ParseShowList(Kind::kFunctions);
  if (PeekIs(Keyword::kUSER) && PeekIs(Keyword::kFUNCTIONS, 1)) {
    position_ += 2;
    show = ParseShowList(Kind::kFunctions);
    show.user_functions = true;
    return show;
  }
  if (Accept(Keyword::kCOLUMNS)) {
    if (!PeekIs(Keyword::kFROM) && !PeekIs(Keyword::kIN)) {
      for (std::string_view what : {"FROM", "IN"}) Expected(what);
      FailHere();
    }
    return ParseShowList(Kind::kColumns);
  }
  if (Accept(Keyword::kPARTITIONS)) {
    show.kind = Kind::kPartitions;
    show.name = ParseQualifiedName(kMaxTableParts, "a table name");
    if (Accept(Keyword::kPARTITION)) show.partition = ParsePartition();
    return show;
  }
  if (Accept(Keyword::kJOBS)) return show.kind = Kind::kJobs, std::move(show);
  if (Accept(Keyword::kMODULES)) return show.kind = Kind::kModules, std::move(show);
  for (Keyword keyword : {Keyword::kFULL, Keyword::kPROCEDURES, Keyword::kJARS, Keyword::kMODELS}) {
    if (PeekIs(keyword)) RefuseHere(fmt::format("SHOW {}", ToString(keyword)));
  }
  FailHere();
}

Show Parser::ParseShowList(Show::Kind kind) {
  Show show;
  show.kind = kind;
  if (kind != Show::Kind::kCatalogs && (Accept(Keyword::kFROM) || Accept(Keyword::kIN))) {
    const size_t parts = kind == Show::Kind::kDatabases ? 1
                         : kind == Show::Kind::kColumns ? kMaxTableParts
                                                        : kMaxDatabaseParts;
    show.name = ParseQualifiedName(parts, "a name");
  }
  show.not_like = Accept(Keyword::kNOT);
  show.case_insensitive = Accept(Keyword::kILIKE);
  if (show.case_insensitive || Accept(Keyword::kLIKE)) {
    show.like = ParseString("a pattern in single quotes");
  } else if (show.not_like) {
    FailHere();
  }
  return show;
}

Describe Parser::ParseDescribe() {
  Consume();
  Describe describe;
  const auto followed = [&] { return !PeekIs(TokenKind::kEnd, 1) && !PeekIs(TokenKind::kDot, 1); };
  if (PeekIs(Keyword::kJOB) && followed()) {
    Consume();
    describe.kind = Describe::Kind::kJob;
    describe.job_id = ParseString("a job id in single quotes");
    return describe;
  }
  if (PeekIs(Keyword::kCATALOG) && followed()) {
    Consume();
    describe.kind = Describe::Kind::kCatalog;
  } else if (PeekIs(Keyword::kDATABASE) && followed()) {
    Consume();
    describe.kind = Describe::Kind::kDatabase;
  } else if (Skip(Keyword::kFUNCTION)) {
    describe.kind = Describe::Kind::kFunction;
  }
  describe.extended = Skip(Keyword::kEXTENDED);
  switch (describe.kind) {
    case Describe::Kind::kCatalog: describe.name = ParseQualifiedName(1, "a name of a catalog"); break;
    case Describe::Kind::kDatabase:
      describe.name = ParseQualifiedName(kMaxDatabaseParts, "a name of a database");
      break;
    default: describe.name = ParseQualifiedName(kMaxTableParts, "a table name"); break;
  }
  return describe;
}

Explain Parser::ParseExplain() {
  Expect(Keyword::kEXPLAIN);
  Explain explain;
  if (Accept(Keyword::kPLAN)) {
    Expect(Keyword::kFOR);
  } else {
    const auto accept_detail = [&] {
      for (Keyword keyword :
           {Keyword::kESTIMATED_COST, Keyword::kCHANGELOG_MODE, Keyword::kJSON_EXECUTION_PLAN, Keyword::kPLAN_ADVICE}) {
        if (!Accept(keyword)) continue;
        explain.details.emplace_back(ToString(keyword));
        return true;
      }
      return false;
    };
    while (accept_detail()) {
      if (!Accept(TokenKind::kComma)) break;
    }
  }
  const SourceSpan first = Peek().span;
  const auto finish = [&](Statement::Node node) {
    explain.statement = std::make_unique<Statement>(SpanFrom(first), std::move(node));
    return std::move(explain);
  };
  if (PeekIsQuery() || PeekIs(TokenKind::kLeftParen)) return finish(ParseQuery());
  switch (Peek().keyword) {
    case Keyword::kINSERT: return finish(ParseInsert());
    case Keyword::kSTATEMENT: return finish(ParseStatementSet());
    case Keyword::kEXECUTE: return finish(ParseExecute());
    case Keyword::kCREATE: return finish(ParseCreate());
    case Keyword::kDELETE: return finish(ParseDelete());
    case Keyword::kUPDATE: return finish(ParseUpdate());
    default: break;
  }
  for (std::string_view what : {"a query", "INSERT", "STATEMENT SET", "CREATE TABLE"}) Expected(what);
  FailHere();
}

Set Parser::ParseSet() {
  Expect(Keyword::kSET);
  Set set;
  if (PeekIs(TokenKind::kEnd)) return set;
  if (!PeekIs(TokenKind::kRaw)) {
    set.property = ParseProperty();
    return set;
  }
  const Token& token = Consume();
  const std::string_view text = token.span.Text(script_);
  const size_t equal = text.find('=');
  const std::string_view key = Trim(text.substr(0, equal));
  if (equal == std::string_view::npos || key.empty()) Fail(token.span, "expected SET 'key' = 'value'");
  const auto span_of = [&](std::string_view part) {
    return SpanAt(script_, static_cast<size_t>(part.data() - script_.data()), part.size());
  };
  const std::string_view value = Trim(text.substr(equal + 1));
  set.property = Property{std::string(key), UnquotedValue(value), span_of(key),
                          span_of(value.empty() ? text.substr(equal, 1) : value)};
  return set;
}

Reset Parser::ParseReset() {
  Expect(Keyword::kRESET);
  Reset reset;
  if (PeekIs(TokenKind::kEnd)) return reset;
  if (PeekIs(TokenKind::kRaw)) {
    reset.key = std::string(Consume().span.Text(script_));
  } else {
    reset.key = ParseString("a key in single quotes");
  }
  return reset;
}

StopJob Parser::ParseStopJob() {
  ExpectAll(Keyword::kSTOP, Keyword::kJOB);
  StopJob stop;
  stop.job_id = ParseString("a job id in single quotes");
  while (Accept(Keyword::kWITH)) {
    if (Accept(Keyword::kSAVEPOINT)) {
      stop.with_savepoint = true;
    } else {
      const SourceSpan drain = Expect(Keyword::kDRAIN).span;
      if (!stop.with_savepoint) Fail(drain, "WITH DRAIN comes after WITH SAVEPOINT only");
      stop.with_drain = true;
    }
  }
  return stop;
}

}  // namespace frazil::sql
