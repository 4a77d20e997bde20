// SPDX-License-Identifier: Apache-2.0
// Flink's types as Iceberg's and back (Flink: FlinkTypeToType, TypeToFlinkType).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frazil/iceberg/schema.h"
#include "frazil/sql/types.h"

namespace frazil::sql {

/// TINYINT and SMALLINT become int, CHAR(n) and VARCHAR(n) string, BINARY(n) fixed[n], TIMESTAMP(p) timestamp for p ≤ 6
/// and timestamp_ns above, MULTISET<T> map<T, required int>. Fields inside get ids from `next_id` on. Throws
/// Unsupported for a type without counterpart (intervals, TIMESTAMP WITH TIME ZONE, the type of NULL).
iceberg::Type ToIcebergType(const LogicalType& type, int32_t& next_id);

/// A schema with fresh ids. The columns of `primary_key` become required and are the identifier fields. Throws
/// InvalidArgument for a key column that isn't there, Unsupported (naming the column).
iceberg::Schema ToIcebergSchema(std::span<const RowField> columns, std::span<const std::string> primary_key);

/// timestamp → TIMESTAMP(6), *_ns → (9), uuid → BINARY(16), unknown → the type of NULL. time becomes TIME(6): Flink
/// shows TIME(0) and keeps milliseconds, here all digits stay. ToArrow of the result has the layout of
/// iceberg::ToArrowType. Throws Unsupported for variant and geo types.
LogicalType FromIcebergType(const iceberg::Type& type, bool required);

/// Docs become comments.
std::vector<RowField> FromIcebergSchema(const iceberg::Schema& schema);

/// The names of the identifier fields.
std::vector<std::string> PrimaryKeyOf(const iceberg::Schema& schema);

}  // namespace frazil::sql
