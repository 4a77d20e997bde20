// SPDX-License-Identifier: Apache-2.0
// What the parser makes of SQL text: plain structs, nothing resolved. Every node that an error may point at has a span.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "frazil/sql/error.h"
#include "frazil/sql/types.h"

namespace frazil::sql {

struct Expression;
struct Query;
struct TableRef;
struct Statement;
using ExpressionPtr = std::unique_ptr<Expression>;
using QueryPtr = std::unique_ptr<Query>;
using TableRefPtr = std::unique_ptr<TableRef>;
using StatementPtr = std::unique_ptr<Statement>;

// ---- Names

struct Identifier {
  std::string name;  ///< as meant: without backticks, case kept (Flink's names are case-sensitive)
  SourceSpan span;
  bool quoted = false;
};

/// One to four parts.
struct QualifiedName {
  std::vector<Identifier> parts;
  SourceSpan span;

  /// "a.b.c", with backticks where needed.
  std::string ToString() const;
};

/// A type as written in CAST or a column definition.
struct TypeSpec {
  LogicalType type;
  SourceSpan span;
};

/// 'key' = 'value' of WITH, OPTIONS hints, SET.
struct Property {
  std::string key;
  std::string value;
  SourceSpan key_span;
  SourceSpan value_span;
};

// ---- Expressions

struct NullLiteral {};

struct BooleanLiteral {
  bool value = false;
};

struct StringLiteral {
  std::string value;  ///< UTF-8, escapes resolved
};

/// X'0aFF'
struct BinaryLiteral {
  std::string bytes;
};

/// "42", "-1.50", ".5": digits and at most one dot; a minus directly before a number belongs to it (so that the least
/// BIGINT can be written). INT if it fits, BIGINT if it fits, else DECIMAL; with a dot DECIMAL of its digits.
struct ExactNumericLiteral {
  std::string text;
};

/// A number with an exponent, with its minus.
struct DoubleLiteral {
  double value = 0;
  std::string text;
};

/// DATE '…', TIME '…', TIMESTAMP '…'. The text is not checked here.
struct TemporalLiteral {
  enum class Kind : uint8_t { kDate, kTime, kTimestamp };
  Kind kind = Kind::kDate;
  std::string value;
  SourceSpan value_span;  ///< of the quoted string
};

/// INTERVAL [-]'…' DAY [(p)] [TO SECOND [(f)]]
struct IntervalLiteral {
  std::string value;
  bool negative = false;
  TimeUnit start = TimeUnit::kDay;
  TimeUnit end = TimeUnit::kDay;  ///< = start without TO
  std::optional<int32_t> leading_precision;
  std::optional<int32_t> fractional_precision;
  SourceSpan value_span;
};

/// a, t.a, c.d.t.a: which part is what is the binder's affair (`a.b` may be field b of the row a).
struct ColumnRef {
  std::vector<Identifier> parts;
};

/// * (no qualifier) or t.*; only in a select list.
struct Star {
  std::vector<Identifier> qualifier;
};

enum class UnaryOperator : uint8_t { kPlus, kMinus, kNot };

struct UnaryOp {
  UnaryOperator op = UnaryOperator::kMinus;
  ExpressionPtr operand;
};

enum class BinaryOperator : uint8_t {
  kEqual,
  kNotEqual,  ///< <> and !=
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kIsDistinctFrom,
  kIsNotDistinctFrom,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kConcat,
};

/// "=", "<>", "IS DISTINCT FROM", …
std::string_view ToString(BinaryOperator op);

struct BinaryOp {
  BinaryOperator op = BinaryOperator::kEqual;
  ExpressionPtr left;
  ExpressionPtr right;
  SourceSpan op_span;
};

/// a AND b AND c, a OR b OR c: flat, so that a generated chain of any length is no deep tree. Two operands at least.
struct Junction {
  bool is_and = true;
  std::vector<ExpressionPtr> operands;
};

/// x IS [NOT] NULL, TRUE, FALSE, UNKNOWN.
struct IsTest {
  enum class Kind : uint8_t { kNull, kTrue, kFalse, kUnknown };
  Kind kind = Kind::kNull;
  bool negated = false;
  ExpressionPtr operand;
};

struct Between {
  ExpressionPtr operand;
  ExpressionPtr low;
  ExpressionPtr high;
  bool negated = false;
  bool symmetric = false;
};

/// x [NOT] IN (1, 2)
struct InList {
  ExpressionPtr operand;
  std::vector<ExpressionPtr> items;
  bool negated = false;
};

/// x [NOT] IN (SELECT …)
struct InSubquery {
  ExpressionPtr operand;
  QueryPtr query;
  bool negated = false;
};

/// x [NOT] LIKE y [ESCAPE z], x [NOT] SIMILAR TO y [ESCAPE z]
struct Like {
  ExpressionPtr operand;
  ExpressionPtr pattern;
  ExpressionPtr escape;  ///< may be null
  bool negated = false;
  bool similar = false;
};

struct WhenClause {
  ExpressionPtr condition;  ///< simple CASE: what the operand is compared with
  ExpressionPtr result;
};

struct Case {
  ExpressionPtr operand;  ///< null: searched CASE
  std::vector<WhenClause> whens;
  ExpressionPtr otherwise;  ///< may be null
};

struct Cast {
  ExpressionPtr operand;
  TypeSpec type;
  bool is_try = false;  ///< TRY_CAST
};

enum class SortDirection : uint8_t { kAscending, kDescending };
enum class NullsOrder : uint8_t { kDefault, kFirst, kLast };

struct OrderItem {
  ExpressionPtr expression;
  SortDirection direction = SortDirection::kAscending;
  NullsOrder nulls = NullsOrder::kDefault;
};

struct FrameBound {
  enum class Kind : uint8_t { kUnboundedPreceding, kPreceding, kCurrentRow, kFollowing, kUnboundedFollowing };
  Kind kind = Kind::kCurrentRow;
  ExpressionPtr offset;  ///< of kPreceding and kFollowing
};

struct WindowFrame {
  bool is_rows = true;  ///< else RANGE
  FrameBound start;
  FrameBound end;
};

/// OVER w, OVER ([w] [PARTITION BY …] [ORDER BY …] [ROWS|RANGE …])
struct WindowSpec {
  std::optional<Identifier> name;
  std::vector<ExpressionPtr> partition_by;
  std::vector<OrderItem> order_by;
  std::optional<WindowFrame> frame;
  SourceSpan span;
};

/// f(x) IGNORE NULLS, RESPECT NULLS
enum class NullTreatment : uint8_t { kDefault, kIgnore, kRespect };

/// Every call. Special syntax becomes plain arguments, its keywords Symbols:
///   EXTRACT(DAY FROM x) → EXTRACT(Symbol DAY, x)      FLOOR(x TO DAY), CEIL → FLOOR(x, Symbol DAY)
///   TIMESTAMPADD(DAY, n, t) → (Symbol DAY, n, t)      TIMESTAMPDIFF the same
///   TRIM(BOTH c FROM x) → (Symbol BOTH, c, x), TRIM(x) → (x), TRIM(c FROM x) → (Symbol BOTH, c, x)
///   POSITION(a IN b) → (a, b)   SUBSTRING(x FROM a FOR n) → (x, a, n)   OVERLAY(x PLACING y FROM a FOR n) → (x, y, a,
///   n) CURRENT_TIMESTAMP, LOCALTIME(3), … → no_parens or with arguments JSON_VALUE(j, 'p' RETURNING … ) and the like:
///   refused by name in the parser.
struct FunctionCall {
  QualifiedName name;  ///< as written; the names of special syntax in upper case
  std::vector<ExpressionPtr> arguments;
  bool distinct = false;
  bool star = false;       ///< COUNT(*)
  bool no_parens = false;  ///< CURRENT_TIMESTAMP
  std::vector<OrderItem> within_group;
  ExpressionPtr filter;  ///< FILTER (WHERE …); may be null
  NullTreatment null_treatment = NullTreatment::kDefault;
  std::unique_ptr<WindowSpec> over;
};

/// A keyword argument of a call, upper case: DAY, BOTH, LEADING, TRAILING.
struct Symbol {
  std::string name;
};

/// name => value
struct NamedArgument {
  Identifier name;
  ExpressionPtr value;
};

/// ROW(a, b), or (a, b) with `is_implicit`.
struct RowConstructor {
  std::vector<ExpressionPtr> fields;
  bool is_implicit = false;
};

struct ArrayConstructor {
  std::vector<ExpressionPtr> items;
};

/// MAP[k, v, k, v]; as many keys as values.
struct MapConstructor {
  std::vector<ExpressionPtr> keys;
  std::vector<ExpressionPtr> values;
};

/// base[index]: of an array (from 1), a map (by key)
struct Subscript {
  ExpressionPtr base;
  ExpressionPtr index;
};

/// base.field where base is no plain name: f(x).y, a[1].b, (r).c
struct FieldAccess {
  ExpressionPtr base;
  Identifier field;
};

struct ScalarSubquery {
  QueryPtr query;
};

struct Exists {
  QueryPtr query;
};

/// Arguments of table functions: TABLE t, TABLE (SELECT …).
struct TableArgument {
  TableRefPtr table;
};

/// DESCRIPTOR(ts)
struct Descriptor {
  std::vector<Identifier> columns;
};

struct Expression {
  using Node = std::variant<NullLiteral, BooleanLiteral, StringLiteral, BinaryLiteral, ExactNumericLiteral,
                            DoubleLiteral, TemporalLiteral, IntervalLiteral, ColumnRef, Star, UnaryOp, BinaryOp,
                            Junction, IsTest, Between, InList, InSubquery, Like, Case, Cast, FunctionCall, Symbol,
                            NamedArgument, RowConstructor, ArrayConstructor, MapConstructor, Subscript, FieldAccess,
                            ScalarSubquery, Exists, TableArgument, Descriptor>;
  SourceSpan span;
  Node node;

  Expression(SourceSpan s, Node n) : span(s), node(std::move(n)) {}
  /// The node as T, or null: `if (auto* call = expression.As<FunctionCall>())`.
  template <typename T>
  const T* As() const {
    return std::get_if<T>(&node);
  }
};

// ---- Queries

struct TableAlias {
  Identifier name;
  std::vector<Identifier> columns;
};

struct Hint {
  Identifier name;  ///< OPTIONS, STATE_TTL, BROADCAST, …
  std::vector<Property> options;
  std::vector<std::string> arguments;  ///< names or strings of a hint that takes no pairs
  SourceSpan span;
};

/// A table, view or metadata table (t$files, `t$files`): one to three parts.
struct NamedTable {
  QualifiedName name;
  std::vector<Property> options;  ///< of /*+ OPTIONS(…) */
  ExpressionPtr system_time;      ///< FOR SYSTEM_TIME AS OF …; may be null
};

struct DerivedTable {
  QueryPtr query;
  bool lateral = false;
};

/// TABLE(f(…)), LATERAL TABLE(f(…)), TUMBLE(TABLE t, DESCRIPTOR(ts), …): `call` is a FunctionCall.
struct TableFunction {
  ExpressionPtr call;
  bool lateral = false;
};

struct Unnest {
  std::vector<ExpressionPtr> expressions;
  bool with_ordinality = false;
};

enum class JoinKind : uint8_t { kInner, kLeft, kRight, kFull, kCross };

struct Join {
  JoinKind kind = JoinKind::kInner;
  bool natural = false;
  bool comma = false;  ///< a, b: kCross
  TableRefPtr left;
  TableRefPtr right;
  ExpressionPtr on;                ///< may be null
  std::vector<Identifier> using_;  ///< USING (…)
};

struct TableRef {
  using Node = std::variant<NamedTable, DerivedTable, TableFunction, Unnest, Join>;
  SourceSpan span;
  Node node;
  std::optional<TableAlias> alias;

  TableRef(SourceSpan s, Node n) : span(s), node(std::move(n)) {}
  template <typename T>
  const T* As() const {
    return std::get_if<T>(&node);
  }
};

struct SelectItem {
  ExpressionPtr expression;  ///< may be a Star
  std::optional<Identifier> alias;
};

/// One element of GROUP BY.
struct GroupingElement {
  enum class Kind : uint8_t { kExpression, kSet, kGroupingSets, kRollup, kCube };
  Kind kind = Kind::kExpression;
  std::vector<ExpressionPtr> expressions;  ///< kExpression: one; kSet: those of (a, b), none for ()
  std::vector<GroupingElement> elements;   ///< of kGroupingSets, kRollup, kCube
  SourceSpan span;
};

struct NamedWindow {
  Identifier name;
  WindowSpec window;
};

struct Select {
  std::vector<Hint> hints;
  bool distinct = false;
  std::vector<SelectItem> items;
  TableRefPtr from;     ///< null: SELECT 1
  ExpressionPtr where;  ///< may be null
  std::vector<GroupingElement> group_by;
  SourceSpan group_by_span;  ///< line 0 without GROUP BY
  ExpressionPtr having;      ///< may be null
  std::vector<NamedWindow> windows;
};

/// VALUES (1, 'a'), (2, 'b'): rows of at least one column; that all are of one length is the binder's check.
struct Values {
  std::vector<std::vector<ExpressionPtr>> rows;
  std::vector<SourceSpan> row_spans;
};

enum class SetOperator : uint8_t { kUnion, kIntersect, kExcept };

struct SetOperation {
  SetOperator op = SetOperator::kUnion;
  bool all = false;
  QueryPtr left;
  QueryPtr right;
};

struct CommonTable {
  Identifier name;
  std::vector<Identifier> columns;
  QueryPtr query;
};

struct Query {
  using Body = std::variant<Select, Values, SetOperation>;
  SourceSpan span;
  std::vector<CommonTable> with;
  bool recursive = false;
  Body body;
  std::vector<OrderItem> order_by;
  ExpressionPtr offset;  ///< may be null
  ExpressionPtr limit;   ///< LIMIT n, FETCH FIRST n ROWS ONLY; null: none (also LIMIT ALL)

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&body);
  }
};

// ---- Statements: definitions

struct CreateCatalog {
  Identifier name;
  bool if_not_exists = false;
  std::optional<std::string> comment;
  std::vector<Property> properties;
};

struct CreateDatabase {
  QualifiedName name;
  bool if_not_exists = false;
  std::optional<std::string> comment;
  std::vector<Property> properties;
};

/// a INT NOT NULL COMMENT '…'
struct PhysicalColumn {
  TypeSpec type;
  bool primary_key = false;  ///< inline PRIMARY KEY NOT ENFORCED
};

/// c AS a + 1
struct ComputedColumn {
  ExpressionPtr expression;
};

/// ts TIMESTAMP(3) METADATA FROM 'timestamp' VIRTUAL
struct MetadataColumn {
  TypeSpec type;
  std::optional<std::string> key;  ///< of FROM; without: the column's name
  bool is_virtual = false;
};

/// FIRST or AFTER x, of ALTER TABLE.
struct ColumnPosition {
  bool first = false;
  std::optional<QualifiedName> after;
};

struct ColumnDefinition {
  /// One part, except in ALTER TABLE where a nested field may be meant.
  QualifiedName name;
  std::variant<PhysicalColumn, ComputedColumn, MetadataColumn> kind;
  std::optional<std::string> comment;
  std::optional<ColumnPosition> position;
  SourceSpan span;
};

/// WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
struct WatermarkDefinition {
  QualifiedName column;
  ExpressionPtr expression;
  SourceSpan span;
};

/// [CONSTRAINT n] PRIMARY KEY (a, b) NOT ENFORCED
struct PrimaryKey {
  std::optional<Identifier> constraint_name;
  std::vector<Identifier> columns;
  SourceSpan span;
};

/// LIKE t (INCLUDING ALL, …)
struct TableLike {
  struct Option {
    enum class Behaviour : uint8_t { kIncluding, kExcluding, kOverwriting };
    Behaviour behaviour = Behaviour::kIncluding;
    std::string feature;  ///< ALL, OPTIONS, CONSTRAINTS, GENERATED, METADATA, PARTITIONS, WATERMARKS, DISTRIBUTION
  };
  QualifiedName table;
  std::vector<Option> options;
};

/// DISTRIBUTED BY HASH(a) INTO 4 BUCKETS
struct Distribution {
  std::string kind;  ///< HASH, RANGE or empty
  std::vector<Identifier> columns;
  std::optional<int64_t> buckets;
  SourceSpan span;
};

struct CreateTable {
  QualifiedName name;
  bool temporary = false;
  bool if_not_exists = false;
  bool or_replace = false;
  std::vector<ColumnDefinition> columns;
  std::vector<WatermarkDefinition> watermarks;
  std::optional<PrimaryKey> primary_key;  ///< inline ones too
  std::optional<std::string> comment;
  std::optional<Distribution> distribution;
  /// Identifiers (ColumnRef) or transform calls: days(x), bucket(16, id).
  std::vector<ExpressionPtr> partitioned_by;
  std::vector<Property> options;
  std::optional<TableLike> like;
  QueryPtr as_query;  ///< CREATE TABLE … AS; may be null
};

struct CreateView {
  QualifiedName name;
  bool temporary = false;
  bool if_not_exists = false;
  std::vector<Identifier> columns;
  std::optional<std::string> comment;
  QueryPtr query;
};

struct DropObject {
  enum class Kind : uint8_t { kCatalog, kDatabase, kTable, kView, kFunction };
  Kind kind = Kind::kTable;
  QualifiedName name;
  bool temporary = false;
  bool if_exists = false;
  bool cascade = false;  ///< DROP DATABASE … CASCADE
};

// ALTER TABLE actions
struct RenameTable {
  QualifiedName new_name;
};
struct RenameColumn {
  QualifiedName column;
  Identifier new_name;
};
struct SetTableOptions {
  std::vector<Property> options;
};
struct ResetTableOptions {
  std::vector<std::string> keys;
};
/// ADD … or MODIFY …
struct ChangeColumns {
  bool modify = false;
  std::vector<ColumnDefinition> columns;
  std::vector<WatermarkDefinition> watermarks;
  std::optional<PrimaryKey> primary_key;
};
struct DropColumns {
  std::vector<QualifiedName> columns;
};
/// DROP PRIMARY KEY, DROP CONSTRAINT n
struct DropPrimaryKey {
  std::optional<Identifier> constraint_name;
};
struct DropWatermark {};

struct AlterTable {
  QualifiedName name;
  bool if_exists = false;
  std::variant<RenameTable, RenameColumn, SetTableOptions, ResetTableOptions, ChangeColumns, DropColumns,
               DropPrimaryKey, DropWatermark>
      action;
};

struct AlterDatabase {
  QualifiedName name;
  std::vector<Property> properties;
};

struct AlterView {
  QualifiedName name;
  std::optional<QualifiedName> new_name;  ///< RENAME TO
  QueryPtr query;                         ///< AS …
};

// ---- Statements: data

/// k = value of PARTITION (…): `value` null for a dynamic one.
struct PartitionValue {
  Identifier column;
  ExpressionPtr value;
};

struct Insert {
  QualifiedName table;
  bool overwrite = false;
  std::vector<Property> options;  ///< of /*+ OPTIONS(…) */
  std::vector<PartitionValue> partition;
  std::vector<Identifier> columns;  ///< empty: all
  QueryPtr query;
};

/// EXECUTE STATEMENT SET BEGIN … END, BEGIN STATEMENT SET; … END
struct StatementSet {
  std::vector<Insert> inserts;
  std::vector<SourceSpan> spans;  ///< of each insert
};

struct Delete {
  QualifiedName table;
  ExpressionPtr where;  ///< may be null
};

struct Update {
  QualifiedName table;
  std::vector<std::pair<Identifier, ExpressionPtr>> assignments;
  ExpressionPtr where;  ///< may be null
};

struct TruncateTable {
  QualifiedName table;
};

/// CALL catalog.system.procedure(…)
struct CallProcedure {
  ExpressionPtr call;  ///< a FunctionCall
};

// ---- Statements: session

struct Use {
  bool catalog = false;  ///< USE CATALOG c
  QualifiedName name;
};

struct Show {
  enum class Kind : uint8_t {
    kCatalogs,
    kDatabases,
    kTables,
    kViews,
    kFunctions,
    kColumns,
    kPartitions,
    kJobs,
    kModules,
    kCurrentCatalog,
    kCurrentDatabase,
    kCreateCatalog,
    kCreateTable,
    kCreateView,
  };
  Kind kind = Kind::kTables;
  std::optional<QualifiedName> name;  ///< the FROM/IN name, or the object of CREATE, COLUMNS, PARTITIONS
  bool user_functions = false;        ///< SHOW USER FUNCTIONS
  std::optional<std::string> like;    ///< pattern of [NOT] LIKE / ILIKE
  bool not_like = false;
  bool case_insensitive = false;  ///< ILIKE
  std::vector<PartitionValue> partition;
};

struct Describe {
  enum class Kind : uint8_t { kTable, kDatabase, kCatalog, kFunction, kJob };
  Kind kind = Kind::kTable;
  QualifiedName name;
  std::string job_id;  ///< of kJob
  bool extended = false;
};

struct Explain {
  std::vector<std::string> details;  ///< ESTIMATED_COST, CHANGELOG_MODE, JSON_EXECUTION_PLAN, PLAN_ADVICE
  StatementPtr statement;            ///< a query, an INSERT, a statement set, CREATE TABLE AS
};

/// SET; SET 'k' = 'v'; SET k = v
struct Set {
  std::optional<Property> property;  ///< none: list all
};

/// RESET; RESET 'k'
struct Reset {
  std::optional<std::string> key;  ///< none: all
};

/// STOP JOB 'id' [WITH SAVEPOINT] [WITH DRAIN]
struct StopJob {
  std::string job_id;
  bool with_savepoint = false;
  bool with_drain = false;
};

/// QUIT, EXIT, CLEAR, HELP
struct ShellCommand {
  enum class Kind : uint8_t { kQuit, kClear, kHelp };
  Kind kind = Kind::kQuit;
};

struct Statement {
  using Node = std::variant<QueryPtr, Insert, StatementSet, CreateCatalog, CreateDatabase, CreateTable, CreateView,
                            DropObject, AlterTable, AlterDatabase, AlterView, Delete, Update, TruncateTable,
                            CallProcedure, Use, Show, Describe, Explain, Set, Reset, StopJob, ShellCommand>;
  SourceSpan span;  ///< from its first token to its last, without the `;`
  Node node;

  Statement(SourceSpan s, Node n) : span(s), node(std::move(n)) {}
  template <typename T>
  const T* As() const {
    return std::get_if<T>(&node);
  }
};

// ---- Walking

/// Calls `visit(const Expression&)` for each direct child of `expression`, in the order of the text: operands,
/// arguments, FILTER, the window's PARTITION BY and ORDER BY. Doesn't enter subqueries.
template <typename Visit>
void ForEachChild(const Expression& expression, Visit&& visit) {
  auto one = [&](const ExpressionPtr& child) {
    if (child) visit(static_cast<const Expression&>(*child));
  };
  auto all = [&](const std::vector<ExpressionPtr>& children) {
    for (const ExpressionPtr& child : children) one(child);
  };
  std::visit(
      [&](const auto& node) {
        using T = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<T, UnaryOp> || std::is_same_v<T, IsTest> || std::is_same_v<T, Cast> ||
                      std::is_same_v<T, InSubquery>) {
          one(node.operand);
        } else if constexpr (std::is_same_v<T, BinaryOp>) {
          one(node.left);
          one(node.right);
        } else if constexpr (std::is_same_v<T, Junction>) {
          all(node.operands);
        } else if constexpr (std::is_same_v<T, Between>) {
          one(node.operand);
          one(node.low);
          one(node.high);
        } else if constexpr (std::is_same_v<T, InList>) {
          one(node.operand);
          all(node.items);
        } else if constexpr (std::is_same_v<T, Like>) {
          one(node.operand);
          one(node.pattern);
          one(node.escape);
        } else if constexpr (std::is_same_v<T, Case>) {
          one(node.operand);
          for (const WhenClause& when : node.whens) {
            one(when.condition);
            one(when.result);
          }
          one(node.otherwise);
        } else if constexpr (std::is_same_v<T, FunctionCall>) {
          all(node.arguments);
          for (const OrderItem& item : node.within_group) one(item.expression);
          one(node.filter);
          if (node.over) {
            all(node.over->partition_by);
            for (const OrderItem& item : node.over->order_by) one(item.expression);
          }
        } else if constexpr (std::is_same_v<T, NamedArgument>) {
          one(node.value);
        } else if constexpr (std::is_same_v<T, RowConstructor>) {
          all(node.fields);
        } else if constexpr (std::is_same_v<T, ArrayConstructor>) {
          all(node.items);
        } else if constexpr (std::is_same_v<T, MapConstructor>) {
          for (size_t i = 0; i < node.keys.size(); ++i) {
            one(node.keys[i]);
            one(node.values[i]);
          }
        } else if constexpr (std::is_same_v<T, Subscript>) {
          one(node.base);
          one(node.index);
        } else if constexpr (std::is_same_v<T, FieldAccess>) {
          one(node.base);
        }
      },
      expression.node);
}

}  // namespace frazil::sql
