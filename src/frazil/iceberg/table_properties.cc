// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/table_properties.h"

#include "frazil/base/error.h"

namespace frazil::iceberg::property {

namespace {

constexpr std::string_view kReserved[] = {
    "format-version",           "uuid",
    "snapshot-count",           "current-snapshot-id",
    "current-snapshot-summary", "current-snapshot-timestamp-ms",
    "current-schema",           "default-partition-spec",
    "default-sort-order",
};

constexpr std::string_view kNotNegative[] = {
    kCommitNumRetries,      kCommitMinRetryWaitMs,  kCommitMaxRetryWaitMs,        kCommitTotalRetryTimeMs,
    kStatusCheckNumRetries, kStatusCheckMinWaitMs,  kStatusCheckMaxWaitMs,        kStatusCheckTotalTimeoutMs,
    kManifestTargetSize,    kManifestMinMergeCount, kMetadataPreviousVersionsMax,
};

}  // namespace

bool IsReserved(std::string_view key) { return std::ranges::find(kReserved, key) != std::end(kReserved); }

void Validate(const OptionMap& properties) {
  for (const auto& [key, value] : properties) {
    if (IsReserved(key)) {
      throw InvalidArgument("'{}' is reserved: it is part of the table's metadata and can't be a table property", key);
    }
  }
  for (std::string_view key : kNotNegative) {
    if (GetInt(properties, key, 0) < 0) {
      throw InvalidArgument("table property '{}' must not be negative, but is {}", key, properties.find(key)->second);
    }
  }
}

}  // namespace frazil::iceberg::property
