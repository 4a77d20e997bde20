// SPDX-License-Identifier: Apache-2.0
// Partition values beyond one spec (Java: Partitioning.partitionType).
#pragma once

#include <cstdint>
#include <vector>

#include "frazil/iceberg/table_metadata.h"

namespace frazil::scan {

/// A partition value as a value of `type`, to which its column may have been promoted since it was written.
iceberg::Literal Promote(const iceberg::Type& type, const iceberg::Literal& value);

/// The partition column of metadata tables: all partition fields of all specs.
class PartitionUnion {
 public:
  /// Fields by ascending id, each with the name that the newest spec gives it and the type of its last transform that
  /// isn't void. Left out: fields whose source column the current schema no longer has, and those of unknown
  /// transforms, whose type is not known.
  explicit PartitionUnion(const iceberg::TableMetadata& metadata);

  /// Optional, with the partition fields' ids.
  const std::vector<iceberg::NestedField>& fields() const { return fields_; }

  /// A tuple of the spec `spec_id` as a tuple of fields(); null for what the spec doesn't have. Values of types that
  /// have been promoted since come as the current type.
  iceberg::PartitionValues Coerce(int32_t spec_id, const iceberg::PartitionValues& values) const;

 private:
  const iceberg::TableMetadata& metadata_;
  std::vector<iceberg::NestedField> fields_;
};

}  // namespace frazil::scan
