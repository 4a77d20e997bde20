// SPDX-License-Identifier: Apache-2.0
#include "frazil/datafile/metrics_mode.h"

#include <charconv>

#include "frazil/base/error.h"
#include "frazil/datafile/column_option.h"
#include "frazil/iceberg/table_properties.h"

namespace frazil::datafile {

namespace {

constexpr char kMaxInferredDefaults[] = "write.metadata.metrics.max-inferred-column-defaults";

/// Primitive fields below `type`, those of a level before those of the levels below it.
void CollectPrimitives(const iceberg::Type& type, std::vector<int32_t>* ids) {
  for (const iceberg::NestedField& field : type.fields()) {
    if (field.type.is_primitive()) ids->push_back(field.id);
  }
  for (const iceberg::NestedField& field : type.fields()) CollectPrimitives(field.type, ids);
}

}  // namespace

MetricsMode ParseMetricsMode(std::string_view key, std::string_view text) {
  std::string mode(text);
  std::transform(mode.begin(), mode.end(), mode.begin(), [](unsigned char c) { return std::tolower(c); });
  if (mode == "none") return {MetricsMode::Kind::kNone, 0};
  if (mode == "counts") return {MetricsMode::Kind::kCounts, 0};
  if (mode == "full") return {MetricsMode::Kind::kFull, 0};
  constexpr std::string_view kPrefix = "truncate(";
  if (mode.starts_with(kPrefix) && mode.ends_with(')')) {
    int64_t length = 0;
    const char* end = mode.data() + mode.size() - 1;
    auto [stop, error] = std::from_chars(mode.data() + kPrefix.size(), end, length);
    if (error == std::errc() && stop == end && length > 0) return {MetricsMode::Kind::kTruncate, length};
  }
  throw InvalidArgument("'{}' = '{}' is no metrics mode: use none, counts, truncate(<length>) or full", key, text);
}

std::unordered_map<int32_t, MetricsMode> ResolveMetricsModes(const iceberg::Schema& schema,
                                                             const OptionMap& properties) {
  namespace property = iceberg::property;
  std::vector<int32_t> ids;
  CollectPrimitives(schema.struct_type(), &ids);

  std::unordered_map<int32_t, MetricsMode> modes;
  int64_t max_inferred = property::GetInt(properties, kMaxInferredDefaults, 100);
  if (max_inferred < 0) throw InvalidArgument("'{}' = {} must not be negative", kMaxInferredDefaults, max_inferred);
  if (auto set = properties.find(property::kMetricsDefault); set != properties.end()) {
    MetricsMode mode = ParseMetricsMode(set->first, set->second);
    for (int32_t id : ids) modes[id] = mode;
  } else {
    for (size_t i = 0; i < ids.size(); ++i) {
      modes[ids[i]] = i < static_cast<size_t>(max_inferred) ? MetricsMode{} : MetricsMode{MetricsMode::Kind::kNone, 0};
    }
  }
  ForEachColumnOption(schema, properties, property::kMetricsColumnPrefix,
                      [&](const iceberg::NestedField& field, std::string_view key, std::string_view value) {
                        modes[field.id] = ParseMetricsMode(key, value);
                      });
  return modes;
}

}  // namespace frazil::datafile
