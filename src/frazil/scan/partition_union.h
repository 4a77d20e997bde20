// SPDX-License-Identifier: Apache-2.0
// Partition values beyond one spec (Java: Partitioning.partitionType).
#pragma once

#include <cstdint>
#include <vector>

#include "frazil/iceberg/table_metadata.h"

namespace frazil::scan {

/// The partition column of metadata tables: all partition fields of all specs.
class PartitionUnion {
 public:
  /// Fields by ascending id, each with the name that the newest spec gives it and the type of its last transform that
  /// isn't void. Left out: fields whose source column the current schema no longer has, and those of unknown
  /// transforms, whose type is not known.
  explicit PartitionUnion(const iceberg::TableMetadata& metadata);

  /// Optional, with the partition fields' ids.
  const std::vector<iceberg::NestedField>& fields() const { return fields_; }

  /// A tuple of the spec `spec_id` (as ReadManifest types it by the current schema) as a tuple of fields(); null for
  /// what the spec doesn't have.
  iceberg::PartitionValues Coerce(int32_t spec_id, const iceberg::PartitionValues& values) const;

 private:
  const iceberg::TableMetadata& metadata_;
  std::vector<iceberg::NestedField> fields_;
};

}  // namespace frazil::scan
