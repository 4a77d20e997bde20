// SPDX-License-Identifier: Apache-2.0
// Splits batches by partition, column-wise.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/iceberg/partition_spec.h"
#include "frazil/iceberg/schema.h"

namespace frazil::write {

/// Immutable, thread-safe.
class PartitionSplitter {
 public:
  /// Throws Unsupported for transforms that can't be written (unknown ones, several arguments), InvalidArgument for a
  /// source column that the schema doesn't have outside lists and maps.
  PartitionSplitter(const iceberg::Schema& schema, const iceberg::PartitionSpec& spec);

  /// Calls `visit` once for each partition met in `rows` (of the schema's Arrow types), in the order in which the
  /// partitions first appear; rows keep their order. (NaNs of different bits are one partition in several calls.) A
  /// batch of one partition is passed on as it is; one whose partitions each lie in one piece is cut without copying.
  using Visit = std::function<void(const iceberg::PartitionValues&, const arrow::RecordBatch&)>;
  void Split(const arrow::RecordBatch& rows, const Visit& visit) const;

 private:
  struct Field {
    std::vector<int> path;  ///< of the source column: positions from the top level down
    iceberg::Transform transform;
    iceberg::Type source_type;
  };
  std::vector<Field> fields_;
};

}  // namespace frazil::write
