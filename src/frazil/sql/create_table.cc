// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/create_table.h"

#include <charconv>

#include "frazil/base/error.h"
#include "frazil/base/suggest.h"
#include "frazil/sql/iceberg_types.h"
#include "frazil/sql/parser.h"

namespace frazil::sql {

using iceberg::PartitionField;
using iceberg::PartitionSpec;
using iceberg::Transform;
using iceberg::TransformKind;

namespace {

constexpr int32_t kFirstPartitionFieldId = 1000;

/// A transform as a function of PARTITIONED BY. Names of partition fields are Java's (PartitionSpec.Builder).
struct TransformName {
  std::string_view name;
  TransformKind kind;
  std::string_view suffix;  ///< of the partition field
  bool has_parameter;
};

constexpr TransformName kTransforms[] = {
    {"years", TransformKind::kYear, "_year", false},    {"year", TransformKind::kYear, "_year", false},
    {"months", TransformKind::kMonth, "_month", false}, {"month", TransformKind::kMonth, "_month", false},
    {"days", TransformKind::kDay, "_day", false},       {"day", TransformKind::kDay, "_day", false},
    {"hours", TransformKind::kHour, "_hour", false},    {"hour", TransformKind::kHour, "_hour", false},
    {"bucket", TransformKind::kBucket, "_bucket", true}, {"truncate", TransformKind::kTruncate, "_trunc", true},
    {"identity", TransformKind::kIdentity, "", false},
};

const TransformName& FindTransform(const FunctionCall& call, const SourceSpan& span) {
  std::string lower;
  for (char c : call.name.parts.back().name) lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  std::vector<std::string> names;
  for (const TransformName& transform : kTransforms) {
    if (transform.name == lower) return transform;
    names.emplace_back(transform.name);
  }
  throw InvalidSql(span,
                   "unknown partition transform '{}'{}: there are years, months, days, hours, bucket(n, column) and "
                   "truncate(width, column)",
                   call.name.parts.back().name, DidYouMean(lower, names));
}

std::optional<int32_t> AsParameter(const Expression& expression) {
  const auto* number = expression.As<ExactNumericLiteral>();
  if (number == nullptr) return std::nullopt;
  int32_t value = 0;
  const char* end = number->text.data() + number->text.size();
  const auto [at, error] = std::from_chars(number->text.data(), end, value);
  return error == std::errc() && at == end && value > 0 ? std::optional(value) : std::nullopt;
}

const iceberg::NestedField& SourceField(const Expression& expression, const iceberg::Schema& schema) {
  const auto* column = expression.As<ColumnRef>();
  if (column == nullptr) throw InvalidSql(expression.span, "a partition is made of a column");
  std::string name;
  for (const Identifier& part : column->parts) name += (name.empty() ? "" : ".") + part.name;
  if (const iceberg::NestedField* field = schema.FindField(name)) return *field;
  std::vector<std::string> names;
  for (const iceberg::NestedField& field : schema.fields()) names.push_back(field.name);
  throw InvalidSql(expression.span, "partition column '{}' is not a column of the table{}", name,
                   DidYouMean(name, names));
}

/// days(ts), bucket(16, id), bucket(id, 16): the number may stand on either side.
PartitionField TransformField(const FunctionCall& call, const Expression& expression, const iceberg::Schema& schema) {
  const TransformName& name = FindTransform(call, expression.span);
  const size_t wanted = name.has_parameter ? 2 : 1;
  if (call.arguments.size() != wanted) {
    throw InvalidSql(expression.span, "{} takes {}", name.name,
                     name.has_parameter ? "a positive number and a column" : "one column");
  }
  Transform transform{name.kind, 0, ""};
  const Expression* column = call.arguments[0].get();
  if (name.has_parameter) {
    std::optional<int32_t> parameter = AsParameter(*call.arguments[0]);
    column = call.arguments[1].get();
    if (!parameter) {
      parameter = AsParameter(*call.arguments[1]);
      column = call.arguments[0].get();
    }
    if (!parameter) throw InvalidSql(expression.span, "{} takes a positive number and a column", name.name);
    transform.parameter = *parameter;
  }
  const iceberg::NestedField& source = SourceField(*column, schema);
  return {{source.id}, 0, schema.FullName(source.id) + std::string(name.suffix), transform};
}

PartitionSpec ToPartitionSpec(const std::vector<ExpressionPtr>& expressions, const iceberg::Schema& schema) {
  PartitionSpec spec;
  for (const ExpressionPtr& expression : expressions) {
    if (const auto* call = expression->As<FunctionCall>()) {
      spec.fields.push_back(TransformField(*call, *expression, schema));
    } else {
      const iceberg::NestedField& source = SourceField(*expression, schema);
      spec.fields.push_back({{source.id}, 0, schema.FullName(source.id), Transform{}});
    }
    spec.fields.back().field_id = kFirstPartitionFieldId + static_cast<int32_t>(spec.fields.size()) - 1;
    try {
      iceberg::Validate(spec, schema);
    } catch (const Error& error) {
      throw SqlError(error.kind(), expression->span, error.what());
    }
  }
  return spec;
}

void RefuseClauses(const CreateTable& statement) {
  const SourceSpan& span = statement.name.span;
  if (statement.like) throw UnsupportedSql(statement.like->table.span, "CREATE TABLE … LIKE is not supported yet");
  if (statement.as_query != nullptr) {
    throw UnsupportedSql(span, "CREATE TABLE … AS SELECT is not supported yet: CREATE TABLE, then INSERT INTO");
  }
  if (statement.or_replace) throw UnsupportedSql(span, "CREATE OR REPLACE TABLE is not supported yet");
  if (statement.distribution) {
    throw UnsupportedSql(statement.distribution->span, "DISTRIBUTED BY is not supported; see PARTITIONED BY bucket(n, c)");
  }
}

/// The physical columns; other kinds are refused with `where` as the reason's place.
std::vector<RowField> PhysicalColumns(const CreateTable& statement, std::string_view where) {
  if (!statement.watermarks.empty()) {
    throw UnsupportedSql(statement.watermarks[0].span, "WATERMARK is not supported {}", where);
  }
  std::vector<RowField> columns;
  for (const ColumnDefinition& column : statement.columns) {
    const auto* physical = std::get_if<PhysicalColumn>(&column.kind);
    if (physical == nullptr) {
      const bool computed = std::holds_alternative<ComputedColumn>(column.kind);
      throw UnsupportedSql(column.span, "{} columns are not supported {}", computed ? "computed" : "METADATA", where);
    }
    const std::string& name = column.name.parts.back().name;
    for (const RowField& other : columns) {
      if (other.name == name) throw InvalidSql(column.span, "column '{}' is defined twice", name);
    }
    columns.push_back({name, physical->type.type, column.comment.value_or("")});
  }
  if (columns.empty()) throw InvalidSql(statement.name.span, "a table needs a column at least");
  return columns;
}

/// The key's columns, which become NOT NULL as in Flink.
std::vector<std::string> ApplyPrimaryKey(const CreateTable& statement, std::vector<RowField>& columns) {
  std::vector<std::string> names;
  if (!statement.primary_key) return names;
  for (const Identifier& key : statement.primary_key->columns) {
    const auto column =
        std::find_if(columns.begin(), columns.end(), [&](const RowField& field) { return field.name == key.name; });
    if (column == columns.end()) throw InvalidSql(key.span, "primary key column '{}' is not a column", key.name);
    column->type = column->type.NotNull();
    names.push_back(key.name);
  }
  return names;
}

/// A column's type that Iceberg lacks, said at the column.
iceberg::Schema ToSchema(const CreateTable& statement, const std::vector<RowField>& columns,
                         const std::vector<std::string>& primary_key) {
  for (size_t i = 0; i < columns.size(); ++i) {
    try {
      int32_t id = 1;
      ToIcebergType(columns[i].type, id);
    } catch (const Error& error) {
      throw SqlError(error.kind(), statement.columns[i].span, fmt::format("column '{}': {}", columns[i].name, error.what()));
    }
  }
  try {
    return ToIcebergSchema(columns, primary_key);
  } catch (const Error& error) {
    const SourceSpan& span = statement.primary_key ? statement.primary_key->span : statement.name.span;
    throw SqlError(error.kind(), span, error.what());
  }
}

}  // namespace

catalog::TableCreation ToTableCreation(const CreateTable& statement) {
  RefuseClauses(statement);
  OptionMap properties = ToOptionMap(statement.options);
  for (const Property& property : statement.options) {
    if (property.key == "connector") {
      throw InvalidSql(property.key_span,
                       "'connector' can't be given in an Iceberg catalog: its tables are Iceberg tables. For another "
                       "connector write CREATE TEMPORARY TABLE");
    }
  }
  std::vector<RowField> columns = PhysicalColumns(statement, "in an Iceberg catalog");
  const std::vector<std::string> primary_key = ApplyPrimaryKey(statement, columns);
  catalog::TableCreation creation;
  creation.schema = ToSchema(statement, columns, primary_key);
  creation.spec = ToPartitionSpec(statement.partitioned_by, creation.schema);
  if (const auto location = properties.find("location"); location != properties.end()) {
    creation.location = location->second;
    properties.erase(location);
  }
  if (statement.comment) properties["comment"] = *statement.comment;
  creation.properties = std::move(properties);
  return creation;
}

ConnectorTable ToConnectorTable(const CreateTable& statement) {
  RefuseClauses(statement);
  ConnectorTable table;
  table.options = ToOptionMap(statement.options);
  if (!table.options.contains("connector")) {
    throw InvalidSql(statement.name.span,
                     "table '{}' needs WITH ('connector' = '…'): only tables in an Iceberg catalog have none",
                     statement.name.ToString());
  }
  table.columns = PhysicalColumns(statement, "yet");
  table.primary_key = ApplyPrimaryKey(statement, table.columns);
  for (const ExpressionPtr& expression : statement.partitioned_by) {
    // Of these connectors none keeps partitions in folders yet.
    throw UnsupportedSql(expression->span, "PARTITIONED BY is not supported for connector '{}'",
                         table.options.at("connector"));
  }
  table.comment = statement.comment.value_or("");
  return table;
}

std::string PartitionText(const PartitionSpec& spec, const iceberg::Schema& schema) {
  std::string text;
  for (const PartitionField& field : spec.fields) {
    if (field.transform.kind == TransformKind::kVoid) continue;
    const std::string column = "`" + schema.FullName(field.source_id()) + "`";
    const auto* name = std::find_if(std::begin(kTransforms), std::end(kTransforms),
                                    [&](const TransformName& t) { return t.kind == field.transform.kind; });
    text += text.empty() ? "" : ", ";
    if (field.transform.kind == TransformKind::kIdentity) {
      text += column;
    } else if (name == std::end(kTransforms)) {
      text += iceberg::ToString(field.transform) + "(" + column + ")";
    } else if (name->has_parameter) {
      text += fmt::format("{}({}, {})", name->name, field.transform.parameter, column);
    } else {
      text += fmt::format("{}({})", name->name, column);
    }
  }
  return text;
}

}  // namespace frazil::sql
