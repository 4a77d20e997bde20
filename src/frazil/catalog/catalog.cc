// SPDX-License-Identifier: Apache-2.0
#include "frazil/catalog/catalog.h"

#include <filesystem>

#include "frazil/base/error.h"
#include "frazil/catalog/memory_catalog.h"
#include "frazil/catalog/names.h"
#include "frazil/catalog/sql_catalog.h"
#include "frazil/storage/file_io.h"

namespace frazil::catalog {

namespace {

constexpr char kSupported[] = "'jdbc' (also 'sql'; one SQLite file) and 'memory'";

enum class CatalogKind { kSql, kMemory };

struct KindName {
  std::string_view type;
  std::string_view impl;
  std::optional<CatalogKind> kind;  ///< nullopt: Iceberg's, not built yet
};

constexpr KindName kKinds[] = {
    {"jdbc", "org.apache.iceberg.jdbc.JdbcCatalog", CatalogKind::kSql},
    {"sql", "", CatalogKind::kSql},
    {"memory", "org.apache.iceberg.inmemory.InMemoryCatalog", CatalogKind::kMemory},
    {"hive", "org.apache.iceberg.hive.HiveCatalog", {}},
    {"hadoop", "org.apache.iceberg.hadoop.HadoopCatalog", {}},
    {"rest", "org.apache.iceberg.rest.RESTCatalog", {}},
    {"glue", "org.apache.iceberg.aws.glue.GlueCatalog", {}},
    {"nessie", "org.apache.iceberg.nessie.NessieCatalog", {}},
    {"dynamodb", "org.apache.iceberg.aws.dynamodb.DynamoDbCatalog", {}},
    {"bigquery", "org.apache.iceberg.gcp.bigquery.BigQueryMetastoreCatalog", {}},
    {"snowflake", "org.apache.iceberg.snowflake.SnowflakeCatalog", {}},
};

CatalogKind ReadKind(const std::string& name, OptionReader* options) {
  std::optional<std::string> type = options->GetString("catalog-type");
  std::optional<std::string> impl = options->GetString("catalog-impl");
  if (type && impl) throw InvalidArgument("catalog '{}': give 'catalog-type' or 'catalog-impl', not both", name);
  if (!type && !impl) {
    throw Unsupported(
        "catalog '{}' needs 'catalog-type' or 'catalog-impl'. Flink's default, hive, is not built yet; "
        "supported: {}",
        name, kSupported);
  }
  std::string_view key = type ? "catalog-type" : "catalog-impl";
  const std::string& value = type ? *type : *impl;
  for (const KindName& known : kKinds) {
    if (value.empty() || value != (type ? known.type : known.impl)) continue;
    if (known.kind) return *known.kind;
    throw Unsupported("catalog '{}': {} '{}' is not built yet; supported: {}", name, key, value, kSupported);
  }
  throw InvalidArgument("catalog '{}': unknown {} '{}'; supported: {}", name, key, value, kSupported);
}

/// Table locations must not depend on where a process was started, so a relative warehouse is made absolute here.
std::string ReadWarehouse(OptionReader* options) {
  std::string warehouse = options->Require("warehouse");
  if (warehouse.empty()) throw InvalidArgument("'warehouse' must not be empty");
  bool has_scheme = warehouse.find(':') != std::string::npos;
  if (!has_scheme) {
    std::filesystem::path path = std::filesystem::absolute(warehouse).lexically_normal();
    warehouse = path.string();
  } else {
    storage::LocalPath(warehouse);  // refuses stores that aren't there
  }
  while (warehouse.size() > 1 && warehouse.ends_with('/')) warehouse.pop_back();
  return warehouse;
}

void CheckIoImpl(const std::string& name, OptionReader* options) {
  std::optional<std::string> impl = options->GetString("io-impl");
  if (!impl || *impl == "org.apache.iceberg.hadoop.HadoopFileIO" || *impl == "org.apache.iceberg.io.ResolvingFileIO") {
    return;
  }
  throw Unsupported("catalog '{}': io-impl '{}' is not built yet; leave it out for local files", name, *impl);
}

MetastoreSettings ReadMetastoreSettings(const std::string& name, const OptionMap& properties, OptionReader* options) {
  MetastoreSettings settings;
  CheckIoImpl(name, options);
  options->GetPrefixed("frazil.storage.");
  settings.io = storage::MakeFileIO(properties);
  settings.warehouse = ReadWarehouse(options);
  settings.table_defaults = options->GetPrefixed("table-default.");
  settings.table_overrides = options->GetPrefixed("table-override.");
  settings.unique_table_location = options->GetBool("unique-table-location").value_or(false);
  return settings;
}

SqlCatalogSettings ReadSqlSettings(OptionReader* options) {
  SqlCatalogSettings settings;
  settings.path = SqlitePath(options->Require("uri"));
  if (auto version = options->GetChoice("jdbc.schema-version", {"V0", "V1"})) {
    settings.schema_version = *version == "V1" ? SqlSchemaVersion::kV1 : SqlSchemaVersion::kV0;
  }
  settings.create_tables = options->GetBool("jdbc.init-catalog-tables").value_or(true);
  options->GetString("jdbc.user");
  options->GetString("jdbc.password");
  if (options->GetInt64("clients").value_or(1) < 1) throw InvalidArgument("'clients' must be at least 1");
  if (!options->GetBool("jdbc.strict-mode").value_or(true)) {
    throw Unsupported("'jdbc.strict-mode' = false: a table needs a namespace that exists");
  }
  return settings;
}

}  // namespace

std::string TableIdentifier::ToString() const {
  return ns.empty() ? name : fmt::format("{}.{}", JoinNamespace(ns), name);
}

std::unique_ptr<Catalog> MakeCatalog(const std::string& name, const OptionMap& properties) {
  OptionReader options(properties, fmt::format("catalog '{}'", name));
  CatalogKind kind = ReadKind(name, &options);
  MetastoreSettings settings = ReadMetastoreSettings(name, properties, &options);
  if (kind == CatalogKind::kMemory) {
    options.RefuseUnread();
    return std::make_unique<MemoryCatalog>(name, std::move(settings));
  }
  SqlCatalogSettings sql = ReadSqlSettings(&options);
  options.RefuseUnread();
  return std::make_unique<SqlCatalog>(name, std::move(settings), sql);
}

}  // namespace frazil::catalog
