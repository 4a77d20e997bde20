// SPDX-License-Identifier: Apache-2.0
// Partition specs and sort orders (spec: "Partitioning", "Sorting").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "frazil/iceberg/schema.h"
#include "frazil/iceberg/transform.h"

namespace frazil::iceberg {

struct PartitionField {
  std::vector<int32_t> source_ids;  ///< one, except for multi-argument transforms (v3)
  int32_t field_id = 0;             ///< from 1000 on
  std::string name;
  Transform transform;

  int32_t source_id() const { return source_ids.front(); }
  bool operator==(const PartitionField&) const = default;
};

struct PartitionSpec {
  int32_t spec_id = 0;
  std::vector<PartitionField> fields;

  bool is_unpartitioned() const;  ///< no fields, or only void ones
  bool operator==(const PartitionSpec&) const = default;
};

/// One value per partition field, in spec order.
using PartitionValues = std::vector<Literal>;

/// The struct type of partition tuples: one optional field per partition field, with the partition field's id. A source
/// column that was dropped, an unknown transform and one of several columns give an unknown type: old manifests must
/// stay readable, and their own schema says what they hold.
Type PartitionType(const PartitionSpec& spec, const Schema& schema);

/// "event_day=2024-01-02/region=eu", names and values URL-encoded as Java's URLEncoder does (spec: none; Java:
/// PartitionSpec).
std::string PartitionPath(const PartitionSpec& spec, const Schema& schema, const PartitionValues& values);

/// Throws InvalidArgument: unknown source column, transform that doesn't fit, name clash with a schema column that
/// isn't the identity source, duplicate names, the same transform or two units of time of one column. For specs that
/// are new: metadata may hold older ones that break this, and they stay readable.
void Validate(const PartitionSpec& spec, const Schema& schema);

enum class SortDirection { kAscending, kDescending };
enum class NullOrder { kNullsFirst, kNullsLast };

struct SortField {
  std::vector<int32_t> source_ids;
  Transform transform;
  SortDirection direction = SortDirection::kAscending;
  NullOrder null_order = NullOrder::kNullsFirst;

  bool operator==(const SortField&) const = default;
};

struct SortOrder {
  int32_t order_id = 0;  ///< 0 = unsorted
  std::vector<SortField> fields;

  bool operator==(const SortOrder&) const = default;
};

/// All of these keep Java's key order; the readers throw Corrupt with the path inside the document.
nlohmann::ordered_json ToJson(const PartitionSpec& spec);
/// The array of fields only, as manifests carry it.
nlohmann::ordered_json FieldsToJson(const PartitionSpec& spec);
PartitionSpec PartitionSpecFromJson(const nlohmann::json& json);
/// v1 lists of fields without ids get 1000, 1001, ….
PartitionSpec PartitionSpecFromFieldsJson(const nlohmann::json& fields, int32_t spec_id);
nlohmann::ordered_json ToJson(const SortOrder& order);
SortOrder SortOrderFromJson(const nlohmann::json& json);

}  // namespace frazil::iceberg
