// SPDX-License-Identifier: Apache-2.0
// How much of a column's figures a manifest keeps (`write.metadata.metrics.*`; Java: MetricsModes, MetricsConfig).
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "frazil/base/options.h"
#include "frazil/iceberg/schema.h"

namespace frazil::datafile {

struct MetricsMode {
  enum class Kind { kNone, kCounts, kTruncate, kFull };
  Kind kind = Kind::kTruncate;
  int64_t length = 16;  ///< kTruncate only: code points of a string, bytes of a binary

  bool has_counts() const { return kind != Kind::kNone; }
  bool has_bounds() const { return kind == Kind::kTruncate || kind == Kind::kFull; }
  bool operator==(const MetricsMode&) const = default;
};

/// "none", "counts", "full", "truncate(16)", without case. Throws InvalidArgument naming `key`.
MetricsMode ParseMetricsMode(std::string_view key, std::string_view text);

/// The mode of every primitive field, by id: its `write.metadata.metrics.column.<full name>`, else
/// `write.metadata.metrics.default`, else truncate(16) for the first
/// `write.metadata.metrics.max-inferred-column-defaults` fields (100) and none for the others. The first fields are, as
/// in Java, the primitive ones of a struct before those of its nested fields. Throws InvalidArgument for a bad value
/// and for a column that the schema lacks.
std::unordered_map<int32_t, MetricsMode> ResolveMetricsModes(const iceberg::Schema& schema,
                                                             const OptionMap& properties);

}  // namespace frazil::datafile
