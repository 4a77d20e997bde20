// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/table_sink.h"

#include <arrow/type.h>

#include "frazil/base/error.h"
#include "frazil/connector/iceberg/iceberg_sink.h"
#include "frazil/iceberg/arrow_schema.h"
#include "frazil/sql/connector_table.h"

namespace frazil::sql {

namespace {

TableSink MakeIceberg(const Relation& relation, const IcebergRelation& iceberg, const OptionMap& write_options) {
  connector::iceberg::IcebergSinkOptions options = connector::iceberg::ResolveIcebergSinkOptions(
      write_options, iceberg.table.metadata(), relation.path.ToString());
  TableSink sink;
  sink.schema = iceberg::ToArrowSchema(iceberg.table.metadata().schema());
  sink.parallelism = options.write_parallelism;
  // Flink's rule: the suffix, or else the table's name.
  sink.uid = "sink-" + (options.uid_suffix.empty() ? relation.path.ToString() : options.uid_suffix);
  sink.sink = connector::iceberg::MakeIcebergSink(iceberg.table, std::move(options));
  return sink;
}

}  // namespace

TableSink MakeTableSink(const Relation& relation, const OptionMap& write_options) {
  if (relation.As<MetadataRelation>() != nullptr) {
    throw Unsupported("'{}' is a metadata table: it can only be read", relation.path.ToString());
  }
  if (const auto* iceberg = relation.As<IcebergRelation>()) return MakeIceberg(relation, *iceberg, write_options);
  return {MakeSink(relation), ToArrowSchema(relation.columns), SinkParallelism(relation),
          "sink-" + relation.path.ToString()};
}

}  // namespace frazil::sql
