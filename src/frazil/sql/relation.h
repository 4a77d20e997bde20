// SPDX-License-Identifier: Apache-2.0
// What a name in FROM or INSERT INTO stands for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frazil/base/options.h"
#include "frazil/sql/ast.h"
#include "frazil/sql/types.h"
#include "frazil/table/table.h"

namespace frazil::connector {
class ConnectorFactory;
}

namespace frazil::sql {

/// A name with all its parts.
struct ObjectPath {
  std::string catalog;
  std::string database;
  std::string object;

  /// "catalog.db.object", as Flink's messages have it.
  std::string ToString() const;
  /// "`catalog`.`db`.`object`"
  std::string Quoted() const;
  auto operator<=>(const ObjectPath&) const = default;
};

/// Where and how an Iceberg table is read: its read options (Flink: FlinkReadOptions).
struct IcebergReadOptions {
  std::optional<int64_t> snapshot_id;  ///< 'snapshot-id'
  std::optional<int64_t> as_of_ms;     ///< 'as-of-timestamp'
  std::string ref = "main";            ///< 'branch' or 'tag'
};

struct IcebergRelation {
  table::Table table;
  IcebergReadOptions read;
};

/// `t$snapshots` and the like.
struct MetadataRelation {
  table::Table table;
  std::string metadata_table;
};

/// A table with 'connector'. `options` has everything but 'connector', hints included.
struct ConnectorRelation {
  const connector::ConnectorFactory* factory = nullptr;
  OptionMap options;
};

/// A table as it was when its name was resolved.
struct Relation {
  ObjectPath path;
  std::vector<RowField> columns;
  std::vector<std::string> primary_key;
  std::variant<ConnectorRelation, IcebergRelation, MetadataRelation> kind;

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&kind);
  }
};

/// A view's query with the script that its spans refer to, and the names that were current when it was made.
struct View {
  ObjectPath path;
  std::vector<std::string> columns;  ///< as named by CREATE VIEW v (a, b); empty: those of the query
  std::string comment;
  std::string script;
  QueryPtr query;
  std::string catalog;
  std::string database;
};

using RelationPtr = std::shared_ptr<const Relation>;
using ViewPtr = std::shared_ptr<const View>;

/// Finds tables and views by name; the query binder's only way to the catalogs.
class RelationResolver {
 public:
  virtual ~RelationResolver() = default;
  /// `catalog` and `database` complete a name of fewer than three parts. `options` are those of an OPTIONS hint.
  /// Throws SqlError: unknown (with the nearest name), an option that isn't one.
  virtual std::variant<RelationPtr, ViewPtr> Resolve(const QualifiedName& name, const std::string& catalog,
                                                     const std::string& database,
                                                     const std::vector<Property>& options) = 0;
};

}  // namespace frazil::sql
