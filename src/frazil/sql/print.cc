// SPDX-License-Identifier: Apache-2.0
// AST → Flink SQL on one line, with parentheses only where the parser needs them (or where a reader would).
#include <array>

#include "frazil/sql/lexer.h"
#include "frazil/sql/parser.h"

namespace frazil::sql {
namespace {

/// How tight an expression binds, loosest first.
enum Level : int {
  kAny,
  kOr,
  kAnd,
  kNot,
  kIs,
  kComparison,
  kRange,
  kDistinct,
  kAdditive,
  kMultiplicative,
  kUnary,
  kPostfix,
  kPrimary,
};

std::string Quote(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') out += c;
    out += c;
  }
  return out + "'";
}

Level LevelOf(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kAdd:
    case BinaryOperator::kSubtract: return kAdditive;
    case BinaryOperator::kMultiply:
    case BinaryOperator::kDivide:
    case BinaryOperator::kModulo:
    case BinaryOperator::kConcat: return kMultiplicative;
    case BinaryOperator::kIsDistinctFrom:
    case BinaryOperator::kIsNotDistinctFrom: return kDistinct;
    default: return kComparison;
  }
}

const std::string* NumberText(const Expression& expression) {
  if (const auto* exact = expression.As<ExactNumericLiteral>()) return &exact->text;
  if (const auto* approximate = expression.As<DoubleLiteral>()) return &approximate->text;
  return nullptr;
}

Level LevelOf(const Expression& expression) {
  if (const auto* binary = expression.As<BinaryOp>()) return LevelOf(binary->op);
  if (const auto* junction = expression.As<Junction>()) return junction->is_and ? kAnd : kOr;
  if (const auto* unary = expression.As<UnaryOp>()) return unary->op == UnaryOperator::kNot ? kNot : kUnary;
  if (expression.As<IsTest>() != nullptr) return kIs;
  if (expression.As<Between>() != nullptr || expression.As<InList>() != nullptr ||
      expression.As<InSubquery>() != nullptr || expression.As<Like>() != nullptr) {
    return kRange;
  }
  if (expression.As<Subscript>() != nullptr || expression.As<FieldAccess>() != nullptr) return kPostfix;
  const std::string* number = NumberText(expression);
  return number != nullptr && number->starts_with('-') ? kUnary : kPrimary;
}

class Printer {
 public:
  void Print(const Expression& expression, Level min_level = kAny);
  void Print(const Query& query);
  void Print(const Statement& statement);

  std::string Take() { return std::move(out_); }

 private:
  // One overload for each node of each variant.
  void Node(const NullLiteral&) { Add("NULL"); }
  void Node(const BooleanLiteral& node) { Add(node.value ? "TRUE" : "FALSE"); }
  void Node(const StringLiteral& node) { Add(Quote(node.value)); }
  void Node(const BinaryLiteral& node);
  void Node(const ExactNumericLiteral& node) { Add(node.text); }
  void Node(const DoubleLiteral& node) { Add(node.text); }
  void Node(const TemporalLiteral& node);
  void Node(const IntervalLiteral& node);
  void Node(const ColumnRef& node) { Path(node.parts); }
  void Node(const Star& node);
  void Node(const UnaryOp& node);
  void Node(const BinaryOp& node);
  void Node(const Junction& node);
  void Node(const IsTest& node);
  void Node(const Between& node);
  void Node(const InList& node);
  void Node(const InSubquery& node);
  void Node(const Like& node);
  void Node(const Case& node);
  void Node(const Cast& node);
  void Node(const FunctionCall& node);
  void Node(const Symbol& node) { Add(node.name); }
  void Node(const NamedArgument& node);
  void Node(const RowConstructor& node);
  void Node(const ArrayConstructor& node);
  void Node(const MapConstructor& node);
  void Node(const Subscript& node);
  void Node(const FieldAccess& node);
  void Node(const ScalarSubquery& node) { Subquery(*node.query); }
  void Node(const Exists& node);
  void Node(const TableArgument& node);
  void Node(const Descriptor& node);

  void Node(const Select& node);
  void Node(const Values& node);
  void Node(const SetOperation& node);

  void Node(const NamedTable& node);
  void Node(const DerivedTable& node);
  void Node(const TableFunction& node);
  void Node(const Unnest& node);
  void Node(const Join& node);

  void Node(const QueryPtr& node) { Print(*node); }
  void Node(const Insert& node);
  void Node(const StatementSet& node);
  void Node(const CreateCatalog& node);
  void Node(const CreateDatabase& node);
  void Node(const CreateTable& node);
  void Node(const CreateView& node);
  void Node(const DropObject& node);
  void Node(const AlterTable& node);
  void Node(const AlterDatabase& node);
  void Node(const AlterView& node);
  void Node(const Delete& node);
  void Node(const Update& node);
  void Node(const TruncateTable& node) { Add("TRUNCATE TABLE ", node.table.ToString()); }
  void Node(const CallProcedure& node);
  void Node(const Use& node) { Add(node.catalog ? "USE CATALOG " : "USE ", node.name.ToString()); }
  void Node(const Show& node);
  void Node(const Describe& node);
  void Node(const Explain& node);
  void Node(const Set& node);
  void Node(const Reset& node);
  void Node(const StopJob& node);
  void Node(const ShellCommand& node);

  void Node(const RenameTable& node) { Add("RENAME TO ", node.new_name.ToString()); }
  void Node(const RenameColumn& node);
  void Node(const SetTableOptions& node);
  void Node(const ResetTableOptions& node);
  void Node(const ChangeColumns& node);
  void Node(const DropColumns& node);
  void Node(const DropPrimaryKey& node);
  void Node(const DropWatermark&) { Add("DROP WATERMARK"); }

  template <typename... Parts>
  void Add(const Parts&... parts) {
    (out_.append(parts), ...);
  }
  void If(bool condition, std::string_view text) {
    if (condition) out_ += text;
  }
  /// `print` for each item, with ", " between.
  template <typename Items, typename PrintOne>
  void List(const Items& items, PrintOne print) {
    bool first = true;
    for (const auto& item : items) {
      If(!first, ", ");
      first = false;
      print(item);
    }
  }
  void Expressions(const std::vector<ExpressionPtr>& expressions) {
    List(expressions, [&](const ExpressionPtr& expression) { Print(*expression); });
  }
  void Name(const Identifier& name) { Add(QuoteIdentifier(name.name)); }
  void Names(const std::vector<Identifier>& names);
  void Path(const std::vector<Identifier>& parts);
  void FunctionName(const QualifiedName& name);
  void Subquery(const Query& query);
  void Table(const TableRef& table, bool parenthesise_join);
  void SetOperand(const Query& query, const SetOperation& parent, bool right);
  void OrderItems(const std::vector<OrderItem>& items);
  void Window(const WindowSpec& window);
  void Bound(const FrameBound& bound);
  void Grouping(const GroupingElement& element);
  void HintList(const std::vector<Hint>& hints);
  void OptionsHint(const std::vector<Property>& options);
  void Properties(const std::vector<Property>& properties);
  void WithClause(const std::vector<Property>& properties);
  void Comment(const std::optional<std::string>& comment);
  void Column(const ColumnDefinition& column);
  void Watermark(const WatermarkDefinition& watermark);
  void Key(const PrimaryKey& key);
  template <typename Definition>
  void TableElements(const Definition& table);
  void Partition(const std::vector<PartitionValue>& partition);

  std::string out_;
};

// ---- Expressions

void Printer::Print(const Expression& expression, Level min_level) {
  const bool parenthesise = LevelOf(expression) < min_level;
  If(parenthesise, "(");
  std::visit([&](const auto& node) { Node(node); }, expression.node);
  If(parenthesise, ")");
}

void Printer::Names(const std::vector<Identifier>& names) {
  Add("(");
  List(names, [&](const Identifier& name) { Name(name); });
  Add(")");
}

void Printer::Path(const std::vector<Identifier>& parts) {
  bool first = true;
  for (const Identifier& part : parts) {
    If(!first, ".");
    first = false;
    Name(part);
  }
}

void Printer::Node(const BinaryLiteral& node) {
  Add("X'");
  for (unsigned char byte : node.bytes) Add(fmt::format("{:02x}", byte));
  Add("'");
}

void Printer::Node(const TemporalLiteral& node) {
  constexpr std::string_view kNames[] = {"DATE", "TIME", "TIMESTAMP"};
  Add(kNames[static_cast<size_t>(node.kind)], " ", Quote(node.value));
}

void Printer::Node(const IntervalLiteral& node) {
  Add("INTERVAL ", node.negative ? "-" : "", Quote(node.value), " ", ToString(node.start));
  if (node.leading_precision) {
    Add(fmt::format("({}", *node.leading_precision));
    if (node.start == node.end && node.fractional_precision) Add(fmt::format(", {}", *node.fractional_precision));
    Add(")");
  }
  if (node.start == node.end) return;
  Add(" TO ", ToString(node.end));
  if (node.fractional_precision) Add(fmt::format("({})", *node.fractional_precision));
}

void Printer::Node(const Star& node) {
  for (const Identifier& part : node.qualifier) {
    Name(part);
    Add(".");
  }
  Add("*");
}

void Printer::Node(const UnaryOp& node) {
  if (node.op == UnaryOperator::kNot) {
    Add("NOT ");
    Print(*node.operand, kNot);
    return;
  }
  Add(node.op == UnaryOperator::kMinus ? "-" : "+");
  const std::string* number = NumberText(*node.operand);
  // -(1) is not the literal -1, and two minus signs are a comment.
  if (node.op == UnaryOperator::kMinus && number != nullptr && !number->starts_with('-')) {
    Add("(", *number, ")");
    return;
  }
  If(LevelOf(*node.operand) == kUnary, " ");
  Print(*node.operand, kUnary);
}

void Printer::Node(const BinaryOp& node) {
  const Level level = LevelOf(node.op);
  const bool chains = level == kAdditive || level == kMultiplicative;
  Print(*node.left, chains ? level : static_cast<Level>(level + 1));
  Add(" ", ToString(node.op), " ");
  Print(*node.right, static_cast<Level>(level + 1));
}

void Printer::Node(const Junction& node) {
  bool first = true;
  for (const ExpressionPtr& operand : node.operands) {
    If(!first, node.is_and ? " AND " : " OR ");
    first = false;
    Print(*operand, node.is_and ? kNot : kAnd);
  }
}

void Printer::Node(const IsTest& node) {
  constexpr std::string_view kNames[] = {"NULL", "TRUE", "FALSE", "UNKNOWN"};
  Print(*node.operand, kAdditive);
  Add(node.negated ? " IS NOT " : " IS ", kNames[static_cast<size_t>(node.kind)]);
}

void Printer::Node(const Between& node) {
  Print(*node.operand, kDistinct);
  Add(node.negated ? " NOT BETWEEN " : " BETWEEN ", node.symmetric ? "SYMMETRIC " : "");
  Print(*node.low, kDistinct);
  Add(" AND ");
  Print(*node.high, kDistinct);
}

void Printer::Node(const InList& node) {
  Print(*node.operand, kDistinct);
  Add(node.negated ? " NOT IN (" : " IN (");
  Expressions(node.items);
  Add(")");
}

void Printer::Node(const InSubquery& node) {
  Print(*node.operand, kDistinct);
  Add(node.negated ? " NOT IN " : " IN ");
  Subquery(*node.query);
}

void Printer::Node(const Like& node) {
  Print(*node.operand, kDistinct);
  Add(node.negated ? " NOT" : "", node.similar ? " SIMILAR TO " : " LIKE ");
  Print(*node.pattern, kDistinct);
  if (!node.escape) return;
  Add(" ESCAPE ");
  Print(*node.escape, kDistinct);
}

void Printer::Node(const Case& node) {
  Add("CASE");
  if (node.operand) {
    Add(" ");
    Print(*node.operand);
  }
  for (const WhenClause& when : node.whens) {
    Add(" WHEN ");
    Print(*when.condition);
    Add(" THEN ");
    Print(*when.result);
  }
  if (node.otherwise) {
    Add(" ELSE ");
    Print(*node.otherwise);
  }
  Add(" END");
}

void Printer::Node(const Cast& node) {
  Add(node.is_try ? "TRY_CAST(" : "CAST(");
  Print(*node.operand);
  Add(" AS ", node.type.type.ToString(), ")");
}

void Printer::FunctionName(const QualifiedName& name) {
  const Identifier& first = name.parts.front();
  if (name.parts.size() == 1 && !first.quoted && MayNameFunction(FindKeyword(first.name))) {
    Add(first.name);
  } else {
    Path(name.parts);
  }
}

void Printer::Node(const FunctionCall& node) {
  FunctionName(node.name);
  if (node.no_parens) return;
  Add("(", node.distinct ? "DISTINCT " : "", node.star ? "*" : "");
  const std::vector<ExpressionPtr>& arguments = node.arguments;
  const Identifier& name = node.name.parts.front();
  const Keyword special = node.name.parts.size() == 1 && !name.quoted ? FindKeyword(name.name) : Keyword::kNone;
  const auto join = [&](std::initializer_list<std::string_view> words) {
    size_t i = 0;
    for (std::string_view word : words) {
      if (i >= arguments.size()) break;
      Add(word);
      Print(*arguments[i++]);
    }
  };
  if (special == Keyword::kEXTRACT) {
    join({"", " FROM "});
  } else if (special == Keyword::kFLOOR || special == Keyword::kCEIL) {
    join({"", " TO "});
  } else if (special == Keyword::kTRIM && arguments.size() == 3) {
    join({"", " ", " FROM "});
  } else if (special == Keyword::kOVERLAY) {
    join({"", " PLACING ", " FROM ", " FOR "});
  } else if (special == Keyword::kPOSITION && arguments.size() >= 2) {
    Print(*arguments[0], kDistinct);
    Add(" IN ");
    Print(*arguments[1]);
    if (arguments.size() > 2) {
      Add(" FROM ");
      Print(*arguments[2]);
    }
  } else {
    Expressions(arguments);
  }
  Add(")");
  if (!node.within_group.empty()) {
    Add(" WITHIN GROUP (ORDER BY ");
    OrderItems(node.within_group);
    Add(")");
  }
  if (node.filter) {
    Add(" FILTER (WHERE ");
    Print(*node.filter);
    Add(")");
  }
  If(node.null_treatment == NullTreatment::kIgnore, " IGNORE NULLS");
  If(node.null_treatment == NullTreatment::kRespect, " RESPECT NULLS");
  if (!node.over) return;
  Add(" OVER ");
  const WindowSpec& over = *node.over;
  if (over.name && over.partition_by.empty() && over.order_by.empty() && !over.frame) {
    Name(*over.name);
  } else {
    Window(over);
  }
}

void Printer::Window(const WindowSpec& window) {
  std::string_view separator;
  const auto next = [&](std::string_view text) {
    Add(separator, text);
    separator = " ";
  };
  Add("(");
  if (window.name) {
    next("");
    Name(*window.name);
  }
  if (!window.partition_by.empty()) {
    next("PARTITION BY ");
    Expressions(window.partition_by);
  }
  if (!window.order_by.empty()) {
    next("ORDER BY ");
    OrderItems(window.order_by);
  }
  if (window.frame) {
    next(window.frame->is_rows ? "ROWS BETWEEN " : "RANGE BETWEEN ");
    Bound(window.frame->start);
    Add(" AND ");
    Bound(window.frame->end);
  }
  Add(")");
}

void Printer::Bound(const FrameBound& bound) {
  switch (bound.kind) {
    case FrameBound::Kind::kUnboundedPreceding: Add("UNBOUNDED PRECEDING"); return;
    case FrameBound::Kind::kUnboundedFollowing: Add("UNBOUNDED FOLLOWING"); return;
    case FrameBound::Kind::kCurrentRow: Add("CURRENT ROW"); return;
    default: break;
  }
  Print(*bound.offset, kAdditive);
  Add(bound.kind == FrameBound::Kind::kPreceding ? " PRECEDING" : " FOLLOWING");
}

void Printer::Node(const NamedArgument& node) {
  Name(node.name);
  Add(" => ");
  Print(*node.value);
}

void Printer::Node(const RowConstructor& node) {
  Add(node.is_implicit ? "(" : "ROW(");
  Expressions(node.fields);
  Add(")");
}

void Printer::Node(const ArrayConstructor& node) {
  Add("ARRAY[");
  Expressions(node.items);
  Add("]");
}

void Printer::Node(const MapConstructor& node) {
  Add("MAP[");
  for (size_t i = 0; i < node.keys.size(); ++i) {
    If(i > 0, ", ");
    Print(*node.keys[i]);
    Add(", ");
    Print(*node.values[i]);
  }
  Add("]");
}

void Printer::Node(const Subscript& node) {
  Print(*node.base, kPostfix);
  Add("[");
  Print(*node.index);
  Add("]");
}

void Printer::Node(const FieldAccess& node) {
  // Without parentheses (r).c would be a column reference, and (1).c a malformed number.
  const bool parenthesise = node.base->As<ColumnRef>() != nullptr || NumberText(*node.base) != nullptr;
  If(parenthesise, "(");
  Print(*node.base, parenthesise ? kAny : kPostfix);
  If(parenthesise, ")");
  Add(".");
  Name(node.field);
}

void Printer::Node(const Exists& node) {
  Add("EXISTS ");
  Subquery(*node.query);
}

void Printer::Node(const TableArgument& node) {
  Add("TABLE ");
  Table(*node.table, true);
}

void Printer::Node(const Descriptor& node) {
  Add("DESCRIPTOR");
  Names(node.columns);
}

void Printer::OrderItems(const std::vector<OrderItem>& items) {
  List(items, [&](const OrderItem& item) {
    Print(*item.expression);
    If(item.direction == SortDirection::kDescending, " DESC");
    If(item.nulls == NullsOrder::kFirst, " NULLS FIRST");
    If(item.nulls == NullsOrder::kLast, " NULLS LAST");
  });
}

// ---- Queries

void Printer::Subquery(const Query& query) {
  Add("(");
  Print(query);
  Add(")");
}

void Printer::Print(const Query& query) {
  if (!query.with.empty()) {
    Add(query.recursive ? "WITH RECURSIVE " : "WITH ");
    List(query.with, [&](const CommonTable& table) {
      Name(table.name);
      if (!table.columns.empty()) {
        Add(" ");
        Names(table.columns);
      }
      Add(" AS ");
      Subquery(*table.query);
    });
    Add(" ");
  }
  std::visit([&](const auto& node) { Node(node); }, query.body);
  if (!query.order_by.empty()) {
    Add(" ORDER BY ");
    OrderItems(query.order_by);
  }
  if (query.limit) {
    Add(" LIMIT ");
    Print(*query.limit);
  }
  if (query.offset) {
    Add(" OFFSET ");
    Print(*query.offset);
  }
}

void Printer::Node(const Select& node) {
  Add("SELECT ");
  HintList(node.hints);
  If(node.distinct, "DISTINCT ");
  List(node.items, [&](const SelectItem& item) {
    Print(*item.expression);
    if (!item.alias) return;
    Add(" AS ");
    Name(*item.alias);
  });
  if (!node.from) return;
  Add(" FROM ");
  Table(*node.from, false);
  if (node.where) {
    Add(" WHERE ");
    Print(*node.where);
  }
  if (!node.group_by.empty()) {
    Add(" GROUP BY ");
    List(node.group_by, [&](const GroupingElement& element) { Grouping(element); });
  }
  if (node.having) {
    Add(" HAVING ");
    Print(*node.having);
  }
  if (node.windows.empty()) return;
  Add(" WINDOW ");
  List(node.windows, [&](const NamedWindow& window) {
    Name(window.name);
    Add(" AS ");
    Window(window.window);
  });
}

void Printer::Grouping(const GroupingElement& element) {
  using Kind = GroupingElement::Kind;
  if (element.kind == Kind::kExpression) {
    Print(*element.expressions.front());
    return;
  }
  If(element.kind == Kind::kGroupingSets, "GROUPING SETS ");
  If(element.kind == Kind::kRollup, "ROLLUP ");
  If(element.kind == Kind::kCube, "CUBE ");
  Add("(");
  Expressions(element.expressions);
  List(element.elements, [&](const GroupingElement& child) { Grouping(child); });
  Add(")");
}

void Printer::Node(const Values& node) {
  Add("VALUES ");
  List(node.rows, [&](const std::vector<ExpressionPtr>& row) {
    // A row of one that is itself a row needs ROW(…) to stay so.
    If(row.size() == 1 && row.front()->As<RowConstructor>() != nullptr, "ROW");
    Add("(");
    Expressions(row);
    Add(")");
  });
}

void Printer::Node(const SetOperation& node) {
  constexpr std::string_view kNames[] = {" UNION ", " INTERSECT ", " EXCEPT "};
  SetOperand(*node.left, node, false);
  Add(kNames[static_cast<size_t>(node.op)], node.all ? "ALL " : "");
  SetOperand(*node.right, node, true);
}

void Printer::SetOperand(const Query& query, const SetOperation& parent, bool right) {
  bool parenthesise = !query.with.empty() || !query.order_by.empty() || query.limit || query.offset;
  if (const auto* child = query.As<SetOperation>()) {
    const bool tighter = child->op == SetOperator::kIntersect && parent.op != SetOperator::kIntersect;
    const bool looser = child->op != SetOperator::kIntersect && parent.op == SetOperator::kIntersect;
    parenthesise = parenthesise || looser || (right && !tighter);
  }
  if (parenthesise) {
    Subquery(query);
  } else {
    Print(query);
  }
}

void Printer::HintList(const std::vector<Hint>& hints) {
  if (hints.empty()) return;
  Add("/*+ ");
  List(hints, [&](const Hint& hint) {
    Name(hint.name);
    if (hint.options.empty() && hint.arguments.empty()) return;
    Add("(");
    List(hint.options, [&](const Property& p) { Add(Quote(p.key), " = ", Quote(p.value)); });
    List(hint.arguments, [&](const std::string& argument) { Add(Quote(argument)); });
    Add(")");
  });
  Add(" */ ");
}

void Printer::OptionsHint(const std::vector<Property>& options) {
  if (options.empty()) return;
  Add(" /*+ OPTIONS");
  Properties(options);
  Add(" */");
}

void Printer::Table(const TableRef& table, bool parenthesise_join) {
  const bool parenthesise = parenthesise_join && table.As<Join>() != nullptr;
  If(parenthesise, "(");
  std::visit([&](const auto& node) { Node(node); }, table.node);
  If(parenthesise, ")");
  if (!table.alias) return;
  Add(" AS ");
  Name(table.alias->name);
  if (table.alias->columns.empty()) return;
  Add(" ");
  Names(table.alias->columns);
}

void Printer::Node(const NamedTable& node) {
  Add(node.name.ToString());
  OptionsHint(node.options);
  if (!node.system_time) return;
  Add(" FOR SYSTEM_TIME AS OF ");
  Print(*node.system_time);
}

void Printer::Node(const DerivedTable& node) {
  If(node.lateral, "LATERAL ");
  Subquery(*node.query);
}

void Printer::Node(const TableFunction& node) {
  Add(node.lateral ? "LATERAL TABLE(" : "TABLE(");
  Print(*node.call);
  Add(")");
}

void Printer::Node(const Unnest& node) {
  Add("UNNEST(");
  Expressions(node.expressions);
  Add(node.with_ordinality ? ") WITH ORDINALITY" : ")");
}

void Printer::Node(const Join& node) {
  constexpr std::string_view kNames[] = {"JOIN ", "LEFT JOIN ", "RIGHT JOIN ", "FULL JOIN ", "CROSS JOIN "};
  const auto* left_join = node.left->As<Join>();
  // A comma binds looser than JOIN.
  Table(*node.left, left_join != nullptr && left_join->comma && !node.comma);
  if (node.comma) {
    Add(", ");
  } else {
    Add(node.natural ? " NATURAL " : " ", kNames[static_cast<size_t>(node.kind)]);
  }
  const auto* right_join = node.right->As<Join>();
  Table(*node.right, right_join != nullptr && (!node.comma || right_join->comma));
  if (node.on) {
    Add(" ON ");
    Print(*node.on);
  }
  if (!node.using_.empty()) {
    Add(" USING ");
    Names(node.using_);
  }
}

// ---- Statements

void Printer::Print(const Statement& statement) {
  std::visit([&](const auto& node) { Node(node); }, statement.node);
}

void Printer::Properties(const std::vector<Property>& properties) {
  Add("(");
  List(properties, [&](const Property& p) { Add(Quote(p.key), " = ", Quote(p.value)); });
  Add(")");
}

void Printer::WithClause(const std::vector<Property>& properties) {
  if (properties.empty()) return;
  Add(" WITH ");
  Properties(properties);
}

void Printer::Comment(const std::optional<std::string>& comment) {
  if (comment) Add(" COMMENT ", Quote(*comment));
}

void Printer::Node(const CreateCatalog& node) {
  Add("CREATE CATALOG ", node.if_not_exists ? "IF NOT EXISTS " : "");
  Name(node.name);
  Comment(node.comment);
  WithClause(node.properties);
}

void Printer::Node(const CreateDatabase& node) {
  Add("CREATE DATABASE ", node.if_not_exists ? "IF NOT EXISTS " : "", node.name.ToString());
  Comment(node.comment);
  WithClause(node.properties);
}

void Printer::Column(const ColumnDefinition& column) {
  Add(column.name.ToString());
  if (const auto* physical = std::get_if<PhysicalColumn>(&column.kind)) {
    Add(" ", physical->type.type.ToString());
  } else if (const auto* computed = std::get_if<ComputedColumn>(&column.kind)) {
    Add(" AS ");
    Print(*computed->expression);
  } else {
    const auto& metadata = std::get<MetadataColumn>(column.kind);
    Add(" ", metadata.type.type.ToString(), " METADATA");
    if (metadata.key) Add(" FROM ", Quote(*metadata.key));
    If(metadata.is_virtual, " VIRTUAL");
  }
  Comment(column.comment);
  if (!column.position) return;
  if (column.position->first) {
    Add(" FIRST");
  } else {
    Add(" AFTER ", column.position->after->ToString());
  }
}

void Printer::Watermark(const WatermarkDefinition& watermark) {
  Add("WATERMARK FOR ", watermark.column.ToString(), " AS ");
  Print(*watermark.expression);
}

void Printer::Key(const PrimaryKey& key) {
  if (key.constraint_name) {
    Add("CONSTRAINT ");
    Name(*key.constraint_name);
    Add(" ");
  }
  Add("PRIMARY KEY ");
  Names(key.columns);
  Add(" NOT ENFORCED");
}

/// "(columns, watermarks, key)" of CREATE TABLE and ALTER TABLE.
template <typename Definition>
void Printer::TableElements(const Definition& table) {
  Add("(");
  List(table.columns, [&](const ColumnDefinition& column) { Column(column); });
  for (const WatermarkDefinition& watermark : table.watermarks) {
    If(out_.back() != '(', ", ");
    Watermark(watermark);
  }
  if (table.primary_key) {
    If(out_.back() != '(', ", ");
    Key(*table.primary_key);
  }
  Add(")");
}

void Printer::Node(const CreateTable& node) {
  Add("CREATE ", node.or_replace ? "OR REPLACE " : "", node.temporary ? "TEMPORARY " : "", "TABLE ",
      node.if_not_exists ? "IF NOT EXISTS " : "", node.name.ToString());
  if (!node.columns.empty() || !node.watermarks.empty() || node.primary_key) {
    Add(" ");
    TableElements(node);
  }
  Comment(node.comment);
  if (node.distribution) {
    Add(" DISTRIBUTED");
    if (!node.distribution->columns.empty()) {
      Add(" BY ", node.distribution->kind);
      Names(node.distribution->columns);
    }
    if (node.distribution->buckets) Add(fmt::format(" INTO {} BUCKETS", *node.distribution->buckets));
  }
  if (!node.partitioned_by.empty()) {
    Add(" PARTITIONED BY (");
    Expressions(node.partitioned_by);
    Add(")");
  }
  WithClause(node.options);
  if (node.like) {
    constexpr std::string_view kBehaviours[] = {"INCLUDING ", "EXCLUDING ", "OVERWRITING "};
    Add(" LIKE ", node.like->table.ToString());
    if (!node.like->options.empty()) {
      std::string_view separator = " (";
      for (const TableLike::Option& option : node.like->options) {
        Add(separator, kBehaviours[static_cast<size_t>(option.behaviour)], option.feature);
        separator = " ";
      }
      Add(")");
    }
  }
  if (node.as_query) {
    Add(" AS ");
    Print(*node.as_query);
  }
}

void Printer::Node(const CreateView& node) {
  Add("CREATE ", node.temporary ? "TEMPORARY " : "", "VIEW ", node.if_not_exists ? "IF NOT EXISTS " : "",
      node.name.ToString());
  if (!node.columns.empty()) {
    Add(" ");
    Names(node.columns);
  }
  Comment(node.comment);
  Add(" AS ");
  Print(*node.query);
}

void Printer::Node(const DropObject& node) {
  constexpr std::string_view kKinds[] = {"CATALOG ", "DATABASE ", "TABLE ", "VIEW ", "FUNCTION "};
  Add("DROP ", node.temporary ? "TEMPORARY " : "", kKinds[static_cast<size_t>(node.kind)],
      node.if_exists ? "IF EXISTS " : "", node.name.ToString(), node.cascade ? " CASCADE" : "");
}

void Printer::Node(const AlterTable& node) {
  Add("ALTER TABLE ", node.if_exists ? "IF EXISTS " : "", node.name.ToString(), " ");
  std::visit([&](const auto& action) { Node(action); }, node.action);
}

void Printer::Node(const RenameColumn& node) {
  Add("RENAME ", node.column.ToString(), " TO ");
  Name(node.new_name);
}

void Printer::Node(const SetTableOptions& node) {
  Add("SET ");
  Properties(node.options);
}

void Printer::Node(const ResetTableOptions& node) {
  Add("RESET (");
  List(node.keys, [&](const std::string& key) { Add(Quote(key)); });
  Add(")");
}

void Printer::Node(const ChangeColumns& node) {
  Add(node.modify ? "MODIFY " : "ADD ");
  TableElements(node);
}

void Printer::Node(const DropColumns& node) {
  Add("DROP (");
  List(node.columns, [&](const QualifiedName& column) { Add(column.ToString()); });
  Add(")");
}

void Printer::Node(const DropPrimaryKey& node) {
  if (!node.constraint_name) {
    Add("DROP PRIMARY KEY");
    return;
  }
  Add("DROP CONSTRAINT ");
  Name(*node.constraint_name);
}

void Printer::Node(const AlterDatabase& node) {
  Add("ALTER DATABASE ", node.name.ToString(), " SET ");
  Properties(node.properties);
}

void Printer::Node(const AlterView& node) {
  Add("ALTER VIEW ", node.name.ToString());
  if (node.new_name) {
    Add(" RENAME TO ", node.new_name->ToString());
  } else {
    Add(" AS ");
    Print(*node.query);
  }
}

void Printer::Partition(const std::vector<PartitionValue>& partition) {
  if (partition.empty()) return;
  Add(" PARTITION (");
  List(partition, [&](const PartitionValue& value) {
    Name(value.column);
    if (!value.value) return;
    Add(" = ");
    Print(*value.value, kUnary);
  });
  Add(")");
}

void Printer::Node(const Insert& node) {
  Add(node.overwrite ? "INSERT OVERWRITE " : "INSERT INTO ", node.table.ToString());
  OptionsHint(node.options);
  Partition(node.partition);
  if (!node.columns.empty()) {
    Add(" ");
    Names(node.columns);
  }
  Add(" ");
  Print(*node.query);
}

void Printer::Node(const StatementSet& node) {
  Add("EXECUTE STATEMENT SET BEGIN ");
  for (const Insert& insert : node.inserts) {
    Node(insert);
    Add("; ");
  }
  Add("END");
}

void Printer::Node(const Delete& node) {
  Add("DELETE FROM ", node.table.ToString());
  if (!node.where) return;
  Add(" WHERE ");
  Print(*node.where);
}

void Printer::Node(const Update& node) {
  Add("UPDATE ", node.table.ToString(), " SET ");
  List(node.assignments, [&](const auto& assignment) {
    Name(assignment.first);
    Add(" = ");
    Print(*assignment.second);
  });
  if (!node.where) return;
  Add(" WHERE ");
  Print(*node.where);
}

void Printer::Node(const CallProcedure& node) {
  Add("CALL ");
  Print(*node.call);
}

void Printer::Node(const Show& node) {
  using Kind = Show::Kind;
  constexpr std::array<std::string_view, 14> kKinds = {
      "CATALOGS",         "DATABASES",      "TABLES",       "VIEWS",      "FUNCTIONS",
      "COLUMNS",          "PARTITIONS",     "JOBS",         "MODULES",    "CURRENT CATALOG",
      "CURRENT DATABASE", "CREATE CATALOG", "CREATE TABLE", "CREATE VIEW"};
  Add("SHOW ", node.user_functions ? "USER " : "", kKinds[static_cast<size_t>(node.kind)]);
  const bool direct = node.kind == Kind::kPartitions || node.kind >= Kind::kCreateCatalog;
  if (node.name) Add(direct ? " " : " FROM ", node.name->ToString());
  if (node.like) Add(node.not_like ? " NOT" : "", node.case_insensitive ? " ILIKE " : " LIKE ", Quote(*node.like));
  Partition(node.partition);
}

void Printer::Node(const Describe& node) {
  constexpr std::string_view kKinds[] = {"", "DATABASE ", "CATALOG ", "FUNCTION ", "JOB "};
  Add("DESCRIBE ", kKinds[static_cast<size_t>(node.kind)], node.extended ? "EXTENDED " : "");
  if (node.kind == Describe::Kind::kJob) {
    Add(Quote(node.job_id));
  } else {
    Add(node.name.ToString());
  }
}

void Printer::Node(const Explain& node) {
  Add("EXPLAIN ");
  List(node.details, [&](const std::string& detail) { Add(detail); });
  If(!node.details.empty(), " ");
  Print(*node.statement);
}

void Printer::Node(const Set& node) {
  Add("SET");
  if (node.property) Add(" ", Quote(node.property->key), " = ", Quote(node.property->value));
}

void Printer::Node(const Reset& node) {
  Add("RESET");
  if (node.key) Add(" ", Quote(*node.key));
}

void Printer::Node(const StopJob& node) {
  Add("STOP JOB ", Quote(node.job_id), node.with_savepoint ? " WITH SAVEPOINT" : "",
      node.with_drain ? " WITH DRAIN" : "");
}

void Printer::Node(const ShellCommand& node) {
  constexpr std::string_view kNames[] = {"QUIT", "CLEAR", "HELP"};
  Add(kNames[static_cast<size_t>(node.kind)]);
}

}  // namespace

std::string ExpressionToString(const Expression& expression) {
  Printer printer;
  printer.Print(expression);
  return printer.Take();
}

std::string QueryToString(const Query& query) {
  Printer printer;
  printer.Print(query);
  return printer.Take();
}

std::string StatementToString(const Statement& statement) {
  Printer printer;
  printer.Print(statement);
  return printer.Take();
}

}  // namespace frazil::sql
