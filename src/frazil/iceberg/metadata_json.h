// SPDX-License-Identifier: Apache-2.0
// Readers of the parts of a metadata document that know where in the document they stand. Inside this room only.
#pragma once

#include "frazil/iceberg/json_object.h"
#include "frazil/iceberg/partition_spec.h"
#include "frazil/iceberg/schema.h"
#include "frazil/iceberg/snapshot.h"

namespace frazil::iceberg {

Schema SchemaFromJson(const JsonObject& object);
PartitionSpec PartitionSpecFromJson(const JsonObject& object);
PartitionSpec PartitionSpecFromFieldsJson(const nlohmann::json& fields, int32_t spec_id, const std::string& path);
SortOrder SortOrderFromJson(const JsonObject& object);
Snapshot SnapshotFromJson(const JsonObject& object);
SnapshotRef SnapshotRefFromJson(const JsonObject& object);

}  // namespace frazil::iceberg
