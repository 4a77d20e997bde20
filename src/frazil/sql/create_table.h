// SPDX-License-Identifier: Apache-2.0
// CREATE TABLE: from its clauses to the definition of an Iceberg table or a connector table.
#pragma once

#include "frazil/catalog/catalog.h"
#include "frazil/sql/ast.h"
#include "frazil/sql/catalog_set.h"

namespace frazil::sql {

/// For an Iceberg catalog: PRIMARY KEY → identifier fields, PARTITIONED BY → a partition spec (columns, and transform
/// calls: years, months, days, hours, bucket, truncate), COMMENT → docs and the property `comment`, WITH → properties,
/// of them 'location' the table's location. Throws SqlError for what Flink refuses in an Iceberg catalog too (computed
/// and metadata columns, watermarks, 'connector') and for clauses that aren't supported.
catalog::TableCreation ToTableCreation(const CreateTable& statement);

/// For tables with 'connector'. `path` and 'comment' as given; options aren't looked at besides 'connector', which must
/// be there.
ConnectorTable ToConnectorTable(const CreateTable& statement);

/// "`a`, `days`(`ts`)": a partition spec as PARTITIONED BY takes it.
std::string PartitionText(const iceberg::PartitionSpec& spec, const iceberg::Schema& schema);

}  // namespace frazil::sql
