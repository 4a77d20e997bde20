// SPDX-License-Identifier: Apache-2.0
// Sources, operators and sinks in memory for tests of the runtime: numbers in, a table of committed numbers out, and
// faults at chosen moments.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "frazil/stream/job.h"

namespace frazil::stream::test {

std::shared_ptr<arrow::Schema> NumberSchema();
ChangeBatch NumberBatch(const std::vector<int64_t>& numbers);
std::vector<int64_t> NumbersOf(const ChangeBatch& batch);

/// Called at every named place of the nodes below; throws to make them fail. Thread-safe implementations only.
using Fault = std::function<void(std::string_view place)>;

/// Throws at a random place about once in `every` calls, at most `times` times.
class RandomFault {
 public:
  RandomFault(uint32_t seed, int every, int times) : random_(seed), every_(every), left_(times) {}
  void operator()(std::string_view place);
  int thrown() const { return thrown_; }

 private:
  std::mutex mutex_;
  std::minstd_rand random_;
  const int every_;
  int left_;
  std::atomic<int> thrown_{0};
};

/// `splits` splits, split i holds the numbers i·rows … (i+1)·rows − 1, in batches of `batch_rows`.
struct NumberSourceOptions {
  int splits = 4;
  int64_t rows = 1000;
  int64_t batch_rows = 64;
  std::chrono::microseconds pause{0};  ///< before each batch
  bool unbounded = false;              ///< after the last split: waits for more
  bool discover = false;               ///< splits come by DiscoverSplits, one each time
  Fault fault;
};
std::unique_ptr<Source> MakeNumberSource(NumberSourceOptions options);

/// What a sink has committed; outlives jobs. Thread-safe.
class CommittedTable {
 public:
  struct Commit {
    std::string job_id;
    int64_t checkpoint_id;
    std::vector<int64_t> numbers;
    bool recovered;
  };
  /// Ignores a (job id, uid, checkpoint id) that it has.
  void Add(const CommitRequest& request, std::vector<int64_t> numbers);
  std::vector<Commit> commits() const;
  std::multiset<int64_t> numbers() const;
  size_t size() const;
  int num_repeated() const;

 private:
  mutable std::mutex mutex_;
  std::set<std::tuple<std::string, std::string, int64_t>> known_;
  std::vector<Commit> commits_;
  int num_repeated_ = 0;
};

struct TableSinkOptions {
  Fault fault;
  std::function<void(std::string_view)> on_event;  ///< "open <subtask> <attempt>", "close", "abort", "end"
};
std::unique_ptr<Sink> MakeTableSink(std::shared_ptr<CommittedTable> table, TableSinkOptions options = {});

/// Passes numbers on, plus `add`; counts them in its state ("count" list, one element) and reports the count to
/// `on_open` when restored.
OperatorFactory MakeCountingOperator(int64_t add, Fault fault = {}, std::function<void(int64_t)> on_open = {});

/// Source → operator → sink, chained, under the uids "src", "op", "sink".
JobGraph Pipeline(std::unique_ptr<Source> source, std::unique_ptr<Sink> sink, int parallelism, Fault fault = {});

std::multiset<int64_t> Range(int64_t begin, int64_t end);

/// Waits until `condition` holds, at most 20 s; false if it never did.
bool Eventually(const std::function<bool()>& condition);

}  // namespace frazil::stream::test
