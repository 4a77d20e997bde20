// SPDX-License-Identifier: Apache-2.0
// connector: what a table's WITH ('connector' = '…') leads to. This room holds the contract between the SQL planner and
// the connectors; each connector has a room of its own below it. Nothing registers itself: whoever builds a session
// puts the factories it wants into a registry.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/stream/sink.h"
#include "frazil/stream/source.h"

namespace frazil {
class OptionReader;
}

namespace frazil::connector {

/// The table that a source or sink stands for.
struct ConnectorContext {
  std::string table_name;  ///< for messages
  /// The physical columns in order. For a source only the wanted ones (maybe none, for a count): it produces exactly
  /// this schema. For a sink the schema of what it is given.
  std::shared_ptr<arrow::Schema> physical_schema;
  /// For a source: all physical columns of the table, for connectors with options per column. Null: as above.
  std::shared_ptr<arrow::Schema> table_schema;
};

/// Makes sources and sinks of one kind of connector. Reads every option of the table from `options` but leaves
/// RefuseUnread to the caller, who knows the options of planner and format that aren't the connector's. Throws
/// InvalidArgument for a bad or missing option. Thread-safe.
class ConnectorFactory {
 public:
  virtual ~ConnectorFactory() = default;

  /// The value of 'connector'.
  virtual std::string_view identifier() const = 0;

  /// The default throws Unsupported: "the connector '…' can't be read from".
  virtual std::unique_ptr<stream::Source> CreateSource(const ConnectorContext& context, OptionReader& options) const;
  /// The default throws Unsupported: "the connector '…' can't be written to".
  virtual std::unique_ptr<stream::Sink> CreateSink(const ConnectorContext& context, OptionReader& options) const;
};

class ConnectorRegistry {
 public:
  /// Throws AlreadyExists if there is one of that identifier.
  void Add(std::unique_ptr<ConnectorFactory> factory);
  /// Throws NotFound, listing what there is. `table_name` is for the message.
  const ConnectorFactory& Get(std::string_view identifier, std::string_view table_name) const;
  std::vector<std::string> identifiers() const;

 private:
  std::map<std::string, std::unique_ptr<ConnectorFactory>, std::less<>> factories_;
};

}  // namespace frazil::connector
