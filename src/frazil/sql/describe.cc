// SPDX-License-Identifier: Apache-2.0
// DESCRIBE, SHOW CREATE TABLE.
#include "frazil/base/error.h"
#include "frazil/sql/create_table.h"
#include "frazil/sql/result.h"
#include "frazil/sql/session_state.h"

namespace frazil::sql {

namespace {

std::string QuoteText(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

StatementResult DescribeColumns(const std::vector<RowField>& columns, const std::vector<std::string>& primary_key) {
  const bool comments = std::any_of(columns.begin(), columns.end(), [](const RowField& f) { return !f.comment.empty(); });
  std::vector<RowField> header = {{"name", StringType(), ""},   {"type", StringType(), ""},
                                  {"null", BooleanType(), ""},  {"key", StringType(), ""},
                                  {"extras", StringType(), ""}, {"watermark", StringType(), ""}};
  if (comments) header.push_back({"comment", StringType(), ""});
  RowsResult rows(std::move(header));
  const std::string key = fmt::format("PRI({})", fmt::join(primary_key, ", "));
  for (const RowField& column : columns) {
    const bool is_key = std::find(primary_key.begin(), primary_key.end(), column.name) != primary_key.end();
    std::vector<RowsResult::Cell> cells = {column.name,
                                           column.type.ToStringWithoutNullability(),
                                           column.type.nullable ? "true" : "false",
                                           is_key ? RowsResult::Cell(key) : std::nullopt,
                                           std::nullopt,
                                           std::nullopt};
    if (comments) cells.push_back(column.comment.empty() ? std::nullopt : RowsResult::Cell(column.comment));
    rows.Add(std::move(cells));
  }
  return rows.Finish();
}

StatementResult DescribeTable(SessionState& state, const Describe& statement) {
  CatalogSet& catalogs = state.catalogs;
  auto found = catalogs.Resolve(statement.name, catalogs.current_catalog(), catalogs.current_database(), {});
  if (const RelationPtr* relation = std::get_if<RelationPtr>(&found)) {
    return DescribeColumns((*relation)->columns, (*relation)->primary_key);
  }
  const View& view = *std::get<ViewPtr>(found);
  const PlanPtr plan = PlanQuery(state, *view.query);
  std::vector<RowField> columns = plan->output;
  for (size_t i = 0; i < view.columns.size(); ++i) columns[i].name = view.columns[i];
  return DescribeColumns(columns, {});
}

StatementResult DescribeDatabase(SessionState& state, const Describe& statement) {
  const auto [catalog, database] = state.catalogs.CompleteDatabase(statement.name);
  state.catalogs.RequireDatabase(catalog, database, statement.name.span);
  RowsResult rows({{"info name", StringType(), ""}, {"info value", StringType(), ""}});
  rows.Add({"name", database});
  const IcebergCatalog* iceberg = state.catalogs.FindIceberg(catalog);
  if (iceberg != nullptr) {
    for (const auto& [key, value] : iceberg->catalog->NamespaceProperties(iceberg->NamespaceOf(database))) {
      rows.Add({key, value});
    }
  }
  return rows.Finish();
}

StatementResult DescribeCatalog(SessionState& state, const Describe& statement) {
  const std::string& name = statement.name.parts.back().name;
  state.catalogs.RequireCatalog(name, statement.name.span);
  const IcebergCatalog* iceberg = state.catalogs.FindIceberg(name);
  RowsResult rows({{"info name", StringType(), ""}, {"info value", StringType(), ""}});
  rows.Add({"name", name});
  rows.Add({"type", iceberg == nullptr ? "generic_in_memory" : "iceberg"});
  rows.Add({"comment", iceberg == nullptr ? "" : iceberg->comment});
  return rows.Finish();
}

/// Everything that CREATE TABLE says of a table.
struct TableText {
  bool temporary = false;
  std::vector<RowField> columns;
  std::vector<std::string> primary_key;
  std::string comment;
  std::string partitions;
  OptionMap options;
};

TableText TextOf(const ConnectorTable& table, bool temporary) {
  return {temporary, table.columns, table.primary_key, table.comment, "", table.options};
}

TableText TextOf(const Relation& relation, const table::Table& table) {
  const iceberg::TableMetadata& metadata = table.metadata();
  TableText text{false, relation.columns, relation.primary_key, "", PartitionText(metadata.spec(), metadata.schema()),
                 metadata.properties};
  if (const auto comment = text.options.find("comment"); comment != text.options.end()) {
    text.comment = comment->second;
    text.options.erase(comment);
  }
  text.options["location"] = metadata.location;
  text.options["format-version"] = std::to_string(metadata.format_version);
  return text;
}

std::string ToText(const ObjectPath& path, const TableText& table) {
  std::string text = fmt::format("CREATE {}TABLE {} (", table.temporary ? "TEMPORARY " : "", path.Quoted());
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const RowField& column = table.columns[i];
    text += fmt::format("{}\n  `{}` {}", i == 0 ? "" : ",", column.name, column.type.ToString());
    if (!column.comment.empty()) text += " COMMENT " + QuoteText(column.comment);
  }
  if (!table.primary_key.empty()) {
    text += fmt::format(",\n  CONSTRAINT `PK_{}` PRIMARY KEY (`{}`) NOT ENFORCED",
                        fmt::join(table.primary_key, "_"), fmt::join(table.primary_key, "`, `"));
  }
  text += "\n)";
  if (!table.comment.empty()) text += " COMMENT " + QuoteText(table.comment);
  if (!table.partitions.empty()) text += fmt::format("\nPARTITIONED BY ({})", table.partitions);
  std::string options;
  for (const auto& [key, value] : table.options) {
    options += fmt::format("{}\n  {} = {}", options.empty() ? "" : ",", QuoteText(key), QuoteText(value));
  }
  return options.empty() ? text : fmt::format("{}\nWITH ({}\n)", text, options);
}

}  // namespace

StatementResult Execute(SessionState& state, const Describe& statement) {
  switch (statement.kind) {
    case Describe::Kind::kTable: return DescribeTable(state, statement);
    case Describe::Kind::kDatabase: return DescribeDatabase(state, statement);
    case Describe::Kind::kCatalog: return DescribeCatalog(state, statement);
    default: throw UnsupportedSql(statement.name.span, "DESCRIBE FUNCTION and DESCRIBE JOB are not supported yet");
  }
}

std::string CreateTableText(const SessionState& state, const ObjectPath& path, const SourceSpan& span) {
  if (const StoredObject* stored = state.catalogs.FindObject(path)) {
    const auto* table = std::get_if<ConnectorTable>(stored);
    if (table == nullptr) throw InvalidSql(span, "'{}' is a view: use SHOW CREATE VIEW", path.ToString());
    return ToText(path, TextOf(*table, state.catalogs.FindTemporary(path) != nullptr));
  }
  state.catalogs.RequireDatabase(path.catalog, path.database, span);
  std::optional<table::Table> table = state.catalogs.FindIcebergTable(path);
  if (!table) state.catalogs.ThrowUnknownTable(path, span);
  return ToText(path, TextOf(MakeIcebergRelation(path, *table, {}), *table));
}

}  // namespace frazil::sql
