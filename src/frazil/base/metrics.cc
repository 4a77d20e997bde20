// SPDX-License-Identifier: Apache-2.0
#include "frazil/base/metrics.h"

#include <fmt/format.h>

namespace frazil {

namespace {

template <typename Map>
auto& FindOrAdd(Map& metrics, std::string_view scope, std::string_view name) {
  auto& slot = metrics[fmt::format("{}.{}", scope, name)];
  if (slot == nullptr) slot = std::make_unique<typename Map::mapped_type::element_type>();
  return *slot;
}

}  // namespace

Counter& MetricRegistry::counter(std::string_view scope, std::string_view name) {
  std::lock_guard lock(mutex_);
  return FindOrAdd(counters_, scope, name);
}

Gauge& MetricRegistry::gauge(std::string_view scope, std::string_view name) {
  std::lock_guard lock(mutex_);
  return FindOrAdd(gauges_, scope, name);
}

int64_t MetricRegistry::SumCounters(std::string_view name) const {
  std::lock_guard lock(mutex_);
  std::string suffix = fmt::format(".{}", name);
  int64_t sum = 0;
  for (const auto& [full, counter] : counters_) {
    if (full.ends_with(suffix)) sum += counter->value();
  }
  return sum;
}

std::map<std::string, int64_t> MetricRegistry::Snapshot() const {
  std::lock_guard lock(mutex_);
  std::map<std::string, int64_t> all;
  for (const auto& [name, counter] : counters_) all[name] = counter->value();
  for (const auto& [name, gauge] : gauges_) all[name] = gauge->value();
  return all;
}

}  // namespace frazil
