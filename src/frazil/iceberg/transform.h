// SPDX-License-Identifier: Apache-2.0
// Partition transforms (spec: "Partition Transforms").
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

#include "frazil/iceberg/type.h"

namespace frazil::iceberg {

enum class TransformKind { kIdentity, kBucket, kTruncate, kYear, kMonth, kDay, kHour, kVoid, kUnknown };

/// A value. `parameter` is N of bucket[N] or W of truncate[W], else 0. An unknown transform keeps its text: readers
/// ignore such a field for filtering, writers refuse it.
struct Transform {
  TransformKind kind = TransformKind::kIdentity;
  int32_t parameter = 0;
  std::string unknown_text;

  bool operator==(const Transform&) const = default;
};

/// "identity", "bucket[16]", … ; never throws: what isn't known becomes kUnknown.
Transform ParseTransform(std::string_view text);
std::string ToString(const Transform& transform);

/// The type of the partition value; unknown for an unknown transform (the manifest's own schema says it). Throws
/// InvalidArgument if `source` can't be transformed so.
Type ResultType(const Transform& transform, const Type& source);

/// Applies the transform to a whole column; null stays null. `source_type` is the Iceberg type of `values`.
/// Throws Unsupported for an unknown transform.
std::shared_ptr<arrow::Array> ApplyTransform(const Transform& transform, const Type& source_type,
                                             const std::shared_ptr<arrow::Array>& values);

/// The same for one value.
Literal ApplyTransform(const Transform& transform, const Type& source_type, const Literal& value);

/// The value as it stands in a partition path and in `partitions.<path>` (not yet URL-encoded): dates and timestamps
/// ISO, "2024-01-02-03" for hour, "null" for null.
std::string ToPathString(const Transform& transform, const Type& source_type, const Literal& value);

}  // namespace frazil::iceberg
