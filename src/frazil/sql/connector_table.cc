// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/connector_table.h"

#include <numeric>

#include <arrow/type.h>

#include "frazil/base/error.h"
#include "frazil/connector/connector.h"

namespace frazil::sql {

namespace {

constexpr char kScanParallelism[] = "scan.parallelism";
constexpr char kSinkParallelism[] = "sink.parallelism";

std::string Owner(const Relation& relation, const ConnectorRelation& connector) {
  return fmt::format("table '{}' (connector '{}')", relation.path.ToString(), connector.factory->identifier());
}

std::optional<int> Parallelism(OptionReader& options, std::string_view key) {
  std::optional<int64_t> value = options.GetInt64(key);
  if (!value) return std::nullopt;
  if (*value < 1 || *value > 32768) throw InvalidArgument("'{}' must be from 1 to 32768, not {}", key, *value);
  return static_cast<int>(*value);
}

/// Runs `make` on the relation's options and refuses those that nobody read. All messages begin with the table.
template <typename Make>
auto WithOptions(const Relation& relation, Make make) {
  const auto& connector = std::get<ConnectorRelation>(relation.kind);
  const std::string owner = Owner(relation, connector);
  OptionReader options(connector.options, owner);
  try {
    auto made = make(*connector.factory, options);
    Parallelism(options, kScanParallelism);
    Parallelism(options, kSinkParallelism);
    options.RefuseUnread();
    return made;
  } catch (const Error& error) {
    if (std::string_view(error.what()).find(relation.path.ToString()) != std::string_view::npos) throw;
    throw error.WithContext(owner);
  }
}

std::optional<int> ReadParallelism(const Relation& relation, std::string_view key) {
  OptionReader options(std::get<ConnectorRelation>(relation.kind).options, relation.path.ToString());
  return Parallelism(options, key);
}

}  // namespace

std::unique_ptr<stream::Source> MakeSource(const Relation& relation, std::span<const int> columns) {
  std::vector<RowField> fields;
  for (int column : columns) fields.push_back(relation.columns[static_cast<size_t>(column)]);
  return WithOptions(relation, [&](const connector::ConnectorFactory& factory, OptionReader& options) {
    return factory.CreateSource({relation.path.ToString(), ToArrowSchema(fields), ToArrowSchema(relation.columns)},
                                options);
  });
}

std::unique_ptr<stream::Sink> MakeSink(const Relation& relation) {
  return WithOptions(relation, [&](const connector::ConnectorFactory& factory, OptionReader& options) {
    return factory.CreateSink({relation.path.ToString(), ToArrowSchema(relation.columns), nullptr}, options);
  });
}

bool IsBoundedSource(const Relation& relation) {
  std::vector<int> all(relation.columns.size());
  std::iota(all.begin(), all.end(), 0);
  return MakeSource(relation, all)->boundedness() == stream::Boundedness::kBounded;
}

std::optional<int> ScanParallelism(const Relation& relation) { return ReadParallelism(relation, kScanParallelism); }
std::optional<int> SinkParallelism(const Relation& relation) { return ReadParallelism(relation, kSinkParallelism); }

void ValidateOptions(const Relation& relation) {
  // What isn't there yet (a folder that another job makes) is no fault of the definition.
  const auto tolerable = [](const Error& error) {
    return error.kind() == ErrorKind::kNotFound || error.kind() == ErrorKind::kUnavailable;
  };
  try {
    IsBoundedSource(relation);
  } catch (const Error& source_error) {
    if (tolerable(source_error)) return;
    if (source_error.kind() != ErrorKind::kUnsupported) throw;
    try {
      MakeSink(relation);
    } catch (const Error& sink_error) {
      // With neither, the source's message is the one to show only if it isn't about having no source at all.
      if (!tolerable(sink_error)) throw;
    }
  }
}

}  // namespace frazil::sql
