// SPDX-License-Identifier: Apache-2.0
// Counters and gauges under Flink's metric names, grouped by scope ("job.task.operator"). Written from hot loops once
// per batch, read by the progress display and, later, by the HTTP server.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace frazil {

class Counter {
 public:
  void Add(int64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

class Gauge {
 public:
  void Set(int64_t v) { value_.store(v, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

/// Owns metrics by "<scope>.<name>"; references stay valid as long as the registry. Thread-safe.
class MetricRegistry {
 public:
  Counter& counter(std::string_view scope, std::string_view name);
  Gauge& gauge(std::string_view scope, std::string_view name);

  /// Sum of all counters called `name`, over every scope.
  int64_t SumCounters(std::string_view name) const;

  /// A copy of all values, by full name.
  std::map<std::string, int64_t> Snapshot() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Counter>, std::less<>> counters_;
  std::map<std::string, std::unique_ptr<Gauge>, std::less<>> gauges_;
};

}  // namespace frazil
