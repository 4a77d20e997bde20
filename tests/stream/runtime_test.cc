// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <thread>

#include "frazil/stream/job.h"
#include "stream/nodes.h"
#include "support/support.h"

namespace frazil::stream {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using frazil::test::ErrorOf;
using frazil::test::ScratchDir;
using test::CommittedTable;
using test::Eventually;
using test::MakeNumberSource;
using test::MakeTableSink;
using test::NumberSourceOptions;
using test::Pipeline;
using test::Range;
using testing::HasSubstr;

JobOptions Options(const ScratchDir& dir, std::optional<std::chrono::milliseconds> interval = 5ms) {
  JobOptions options;
  options.name = "numbers";
  options.checkpoint_dir = dir / "chk";
  options.checkpoint_interval = interval;
  return options;
}

class Runtime : public testing::Test {
 protected:
  std::unique_ptr<JobExecution> Start(NumberSourceOptions source, const JobOptions& options, int parallelism = 2,
                                      test::TableSinkOptions sink = {}, test::Fault fault = {}) {
    return Submit(
        Pipeline(MakeNumberSource(std::move(source)), MakeTableSink(table_, std::move(sink)), parallelism, fault),
        options, metrics_);
  }

  /// Forever, in small steps.
  static NumberSourceOptions Endless() {
    NumberSourceOptions source;
    source.splits = 100;
    source.rows = 1'000'000;
    source.batch_rows = 20;
    source.pause = 200us;
    return source;
  }

  /// All numbers of the table come from whole batches from 0 on, without gap and none twice, per split.
  void ExpectNothingTwice() const {
    std::multiset<int64_t> numbers = table_->numbers();
    EXPECT_EQ(numbers.size(), std::set<int64_t>(numbers.begin(), numbers.end()).size());
  }

  ScratchDir dir_;
  MetricRegistry metrics_;
  std::shared_ptr<CommittedTable> table_ = std::make_shared<CommittedTable>();
};

TEST_F(Runtime, BoundedJobCommitsItsTail) {
  JobOptions options = Options(dir_, std::nullopt);
  auto job = Start({.splits = 4, .rows = 1001}, options);
  job->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 4004));
  JobStatus status = job->Status();
  EXPECT_EQ(status.state, JobState::kFinished);
  EXPECT_EQ(ToString(status.state), "FINISHED");
  EXPECT_EQ(status.rows_in, 4004);
  EXPECT_EQ(status.rows_out, 4004);
  EXPECT_EQ(status.completed_checkpoints, 1);
  EXPECT_EQ(status.completed_checkpoint_id, 1);
  EXPECT_EQ(status.committed_checkpoint_id, 1);
  EXPECT_EQ(status.job_id, job->job_id());
  EXPECT_EQ(status.restarts, 0);
  EXPECT_FALSE(status.stopped_with_savepoint);
  EXPECT_EQ(metrics_.SumCounters("numRecordsIn"), 3 * 4004) << "source, operator, sink";
  EXPECT_EQ(metrics_.Snapshot().at("numbers.lastCompletedCheckpointId"), 1);
  ASSERT_EQ(table_->commits().size(), 1u);
  EXPECT_EQ(table_->commits()[0].job_id, job->job_id());
}

TEST_F(Runtime, CheckpointsInMemoryNeedNoFolder) {
  JobOptions options;
  auto job = Start({}, options);
  job->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 4000));
}

TEST_F(Runtime, CommitsWhileItRunsInCheckpointOrder) {
  auto job = Start(Endless(), Options(dir_));
  ASSERT_TRUE(Eventually([&] { return job->Status().committed_checkpoint_id.value_or(0) >= 5; }));
  job->Cancel();
  job->Wait();
  EXPECT_EQ(job->Status().state, JobState::kCanceled);
  auto commits = table_->commits();
  for (size_t i = 0; i < commits.size(); ++i) {
    EXPECT_EQ(commits[i].checkpoint_id, static_cast<int64_t>(i) + 1);
    EXPECT_FALSE(commits[i].recovered);
  }
  EXPECT_GE(commits.size(), 5u);
  ExpectNothingTwice();
}

TEST_F(Runtime, StopWithSavepointThenResume) {
  std::string job_id;
  std::multiset<int64_t> first;
  {
    NumberSourceOptions source;
    source.splits = 20;
    source.rows = 500;
    source.batch_rows = 10;
    source.pause = 500us;
    auto job = Start(source, Options(dir_));
    ASSERT_TRUE(Eventually([&] { return table_->size() > 100; }));
    std::string path = job->StopWithSavepoint();
    job->Wait();
    job_id = job->job_id();
    EXPECT_EQ(job->Status().state, JobState::kFinished);
    EXPECT_TRUE(job->Status().stopped_with_savepoint);
    EXPECT_TRUE(fs::exists(fs::path(path) / "_metadata"));
    EXPECT_TRUE(fs::exists(fs::path(path) / "_committed"));
    first = table_->numbers();
    EXPECT_LT(first.size(), 10000u);
    EXPECT_EQ(static_cast<int64_t>(first.size()), job->Status().rows_in) << "what was read is committed";
  }
  auto job = Start({.splits = 20, .rows = 500}, Options(dir_));
  job->Wait();
  EXPECT_EQ(job->job_id(), job_id);
  EXPECT_TRUE(job->Status().restored_checkpoint_id.has_value());
  EXPECT_EQ(table_->numbers(), Range(0, 10000));
  EXPECT_EQ(job->Status().rows_in, 10000 - static_cast<int64_t>(first.size())) << "nothing is read twice";
}

TEST_F(Runtime, StopOfAnUnboundedSourceThatWaits) {
  NumberSourceOptions source;
  source.unbounded = true;
  auto job = Start(source, Options(dir_, 10s));
  ASSERT_TRUE(Eventually([&] { return job->Status().rows_out == 4000; }));
  EXPECT_EQ(table_->size(), 0u);
  job->StopWithSavepoint();
  job->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 4000));
}

TEST_F(Runtime, StopWithSavepointOfAnEndedJobIsRefused) {
  auto job = Start({}, Options(dir_));
  job->Wait();
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { job->StopWithSavepoint(); }), HasSubstr("FINISHED"));
}

TEST_F(Runtime, FinishedJobStartedAgainGivesOnlyWhatIsNew) {
  Start({.splits = 3}, Options(dir_))->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 3000));
  auto again = Start({.splits = 3}, Options(dir_));
  again->Wait();
  EXPECT_EQ(again->Status().rows_in, 0);
  EXPECT_EQ(table_->numbers(), Range(0, 3000));
}

TEST_F(Runtime, ResumesAtAnotherParallelism) {
  for (auto [before, after] : {std::pair{3, 1}, std::pair{1, 4}, std::pair{2, 3}}) {
    table_ = std::make_shared<CommittedTable>();
    ScratchDir dir;
    NumberSourceOptions source;
    source.splits = 30;
    source.rows = 300;
    source.batch_rows = 10;
    source.pause = 500us;
    auto job = Start(source, Options(dir), before);
    ASSERT_TRUE(Eventually([&] { return table_->size() > 100; }));
    job->StopWithSavepoint();
    job.reset();
    source.pause = 0us;
    Start(source, Options(dir), after)->Wait();
    EXPECT_EQ(table_->numbers(), Range(0, 9000)) << before << " → " << after;
  }
}

TEST_F(Runtime, OperatorStateComesBack) {
  std::vector<int64_t> counts;
  std::mutex mutex;
  auto graph = [&](int parallelism) {
    JobGraph graph;
    auto src = graph.AddSource({"src", "numbers", parallelism}, MakeNumberSource({}));
    auto op =
        graph.AddOperator({"op", "count", parallelism}, {{src}}, test::MakeCountingOperator(0, {}, [&](int64_t count) {
                            std::lock_guard lock(mutex);
                            counts.push_back(count);
                          }));
    graph.AddSink({"sink", "table", parallelism}, {{op}}, MakeTableSink(table_));
    return graph;
  };
  Submit(graph(2), Options(dir_), metrics_)->Wait();
  EXPECT_EQ(counts, (std::vector<int64_t>{0, 0}));
  counts.clear();
  Submit(graph(3), Options(dir_), metrics_)->Wait();
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts[0] + counts[1] + counts[2], 4000);
}

TEST_F(Runtime, DiscoveredSplitsAreRead) {
  NumberSourceOptions source;
  source.splits = 10;
  source.discover = true;
  source.unbounded = true;
  auto job = Start(source, Options(dir_), 3);
  ASSERT_TRUE(Eventually([&] { return table_->size() == 10000; }));
  job->StopWithSavepoint();
  job->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 10000));
}

// ---- graphs

std::function<Partitioner()> ByModulo() {
  return [] {
    return [](const arrow::RecordBatch& rows, int num_targets, std::span<int32_t> targets) {
      const auto& numbers = static_cast<const arrow::Int64Array&>(*rows.column(0));
      for (int64_t i = 0; i < rows.num_rows(); ++i) {
        targets[static_cast<size_t>(i)] = static_cast<int32_t>(numbers.Value(i) % num_targets);
      }
    };
  };
}

/// Notes which subtask saw which number, in order.
class Recorder : public Operator {
 public:
  using Seen = std::map<int, std::vector<int64_t>>;
  Recorder(std::mutex& mutex, Seen& seen) : mutex_(mutex), seen_(seen) {}
  void Open(const OperatorContext& context) override { subtask_ = context.task.subtask; }
  void ProcessBatch(ChangeBatch batch, Output& output) override {
    std::lock_guard lock(mutex_);
    for (int64_t number : test::NumbersOf(batch)) seen_[subtask_].push_back(number);
    output.Emit(std::move(batch));
  }
  void ProcessWatermark(int64_t timestamp_ms, Output&) override {
    EXPECT_GT(timestamp_ms, watermark_);
    watermark_ = timestamp_ms;
  }
  void EndInput(Output&) override { EXPECT_EQ(watermark_, INT64_MAX); }

 private:
  std::mutex& mutex_;
  Seen& seen_;
  int subtask_ = -1;
  int64_t watermark_ = INT64_MIN;
};

TEST_F(Runtime, HashEdgeSendsEachRowToItsSubtaskInOrder) {
  std::mutex mutex;
  Recorder::Seen seen;
  JobGraph graph;
  auto src = graph.AddSource({"src", "numbers", 2}, MakeNumberSource({.splits = 6, .rows = 5000, .batch_rows = 333}));
  auto op = graph.AddOperator({"op", "recorder", 3}, {{src, Edge::Hash(ByModulo())}},
                              [&] { return std::make_unique<Recorder>(mutex, seen); });
  graph.AddSink({"sink", "table", 3}, {{op}}, MakeTableSink(table_));
  Submit(std::move(graph), Options(dir_), metrics_)->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 30000));
  ASSERT_EQ(seen.size(), 3u);
  for (const auto& [subtask, numbers] : seen) {
    EXPECT_EQ(numbers.size(), 10000u);
    std::map<int64_t, int64_t> last_of_split;
    for (int64_t number : numbers) {
      EXPECT_EQ(number % 3, subtask);
      auto [it, is_new] = last_of_split.emplace(number / 5000, number);
      EXPECT_TRUE(is_new || number > it->second) << "order within a split is kept";
      it->second = number;
    }
  }
}

TEST_F(Runtime, UnionRebalanceAndSeveralSinks) {
  JobGraph graph;
  auto a = graph.AddSource({"a", "a", 2}, MakeNumberSource({.splits = 5, .rows = 1000}));
  auto b = graph.AddSource({"b", "b", 1}, MakeNumberSource({.splits = 2, .rows = 1000}));
  auto shifted = graph.AddOperator({"shift", "shift", 1}, {{b}}, test::MakeCountingOperator(5000));
  auto all =
      graph.AddOperator({"union", "union", 2}, {{a}, {shifted, Edge::Rebalance()}}, test::MakeCountingOperator(0));
  auto other = std::make_shared<CommittedTable>();
  graph.AddSink({"one", "one", 2}, {{all}}, MakeTableSink(table_));
  graph.AddSink({"two", "two", 3}, {{all, Edge::Hash(ByModulo())}}, MakeTableSink(other));
  auto job = Submit(std::move(graph), Options(dir_, 1ms), metrics_);
  job->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 7000));
  EXPECT_EQ(other->numbers(), Range(0, 7000));
  EXPECT_EQ(job->Status().rows_in, 7000);
  EXPECT_EQ(job->Status().rows_out, 14000);
}

TEST_F(Runtime, BadPartitionerIsNamed) {
  JobGraph graph;
  auto src = graph.AddSource({"src", "numbers", 1}, MakeNumberSource({}));
  auto make = [] {
    return [](const arrow::RecordBatch&, int num_targets, std::span<int32_t> targets) {
      std::fill(targets.begin(), targets.end(), num_targets);
    };
  };
  graph.AddSink({"sink", "table", 2}, {{src, Edge::Hash(make)}}, MakeTableSink(table_));
  auto job = Submit(std::move(graph), Options(dir_, std::nullopt), metrics_);
  EXPECT_THAT(ErrorOf(ErrorKind::kInternal, [&] { job->Wait(); }), HasSubstr("numbers: the partitioner"));
}

// ---- failures

TEST_F(Runtime, FirstErrorIsThrownWithTheOperatorsName) {
  auto fail = [](std::string_view place) {
    if (place == "process") throw NotFound("no such thing");
  };
  auto job = Start({}, Options(dir_, std::nullopt), 2, {}, fail);
  std::string message = ErrorOf(ErrorKind::kNotFound, [&] { job->Wait(); });
  EXPECT_EQ(message, "Count: no such thing");
  EXPECT_EQ(job->Status().state, JobState::kFailed);
  EXPECT_EQ(job->Status().failure, message);
  EXPECT_EQ(table_->size(), 0u);
  EXPECT_THROW(job->WaitFor(1ms), Error);
}

TEST_F(Runtime, ForeignExceptionsAreWrapped) {
  for (std::string place : {"poll", "write", "prepare commit", "pre-commit", "commit before", "create writer",
                            "create committer", "reader snapshot", "enumerator snapshot", "enumerator request"}) {
    ScratchDir dir;
    test::Fault fault = [&](std::string_view at) {
      if (at == place) throw std::out_of_range("odd: " + place);
    };
    auto job = Start({.fault = fault}, Options(dir, std::nullopt), 2, {.fault = fault});
    std::string message = ErrorOf(ErrorKind::kInternal, [&] { job->Wait(); });
    EXPECT_THAT(message, testing::EndsWith(": odd: " + place));
    EXPECT_THAT(message, testing::AnyOf(testing::StartsWith("Source: numbers: "), testing::StartsWith("Sink: table")));
  }
}

TEST_F(Runtime, RestartsFromTheLastCheckpointWithANewAttempt) {
  std::mutex mutex;
  std::vector<std::string> events;
  std::atomic<bool> failed{false};
  test::Fault fail_once = [&](std::string_view place) {
    if (place == "write" && table_->size() > 200 && !failed.exchange(true)) throw Unavailable("disk is away");
  };
  JobOptions options = Options(dir_);
  options.restart.type = RestartStrategyOptions::Type::kFixedDelay;
  options.restart.fixed_delay = {1, 1ms};
  auto job = Start({.splits = 10, .rows = 500, .batch_rows = 10, .pause = 300us}, options, 1,
                   {.fault = fail_once, .on_event = [&](std::string_view event) {
                      std::lock_guard lock(mutex);
                      events.emplace_back(event);
                    }});
  job->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 5000));
  JobStatus status = job->Status();
  EXPECT_EQ(status.restarts, 1);
  EXPECT_EQ(status.failure, "Sink: table: disk is away");
  EXPECT_TRUE(status.restored_checkpoint_id.has_value());
  EXPECT_GT(status.rows_in, 5000) << "some were read twice";
  EXPECT_EQ(events, (std::vector<std::string>{"open 0 0", "abort", "open 0 1", "end", "close"}));
}

TEST_F(Runtime, GivesUpWhenTheStrategyDoes) {
  JobOptions options = Options(dir_);
  options.restart.type = RestartStrategyOptions::Type::kFixedDelay;
  options.restart.fixed_delay = {3, 1ms};
  auto job = Start({.fault =
                        [](std::string_view place) {
                          if (place == "poll") throw Unavailable("never");
                        }},
                   options);
  EXPECT_THAT(ErrorOf(ErrorKind::kUnavailable, [&] { job->Wait(); }), HasSubstr("never"));
  EXPECT_EQ(job->Status().restarts, 3);
}

TEST_F(Runtime, WhatNoRetryCanCureEndsTheJob) {
  JobOptions options = Options(dir_);
  options.restart.type = RestartStrategyOptions::Type::kExponentialDelay;
  auto job = Start({.fault =
                        [](std::string_view place) {
                          if (place == "poll") throw Corrupt("line 7");
                        }},
                   options);
  EXPECT_EQ(ErrorOf(ErrorKind::kCorrupt, [&] { job->Wait(); }), "Source: numbers: line 7");
  EXPECT_EQ(job->Status().restarts, 0);
}

TEST_F(Runtime, FailureBeforeAnythingRanEndsTheJob) {
  JobOptions options = Options(dir_);
  options.restart.type = RestartStrategyOptions::Type::kExponentialDelay;
  auto job = Start({}, options, 1, {.fault = [](std::string_view place) {
                     if (place == "create committer") throw NotFound("no such table");
                   }});
  EXPECT_EQ(ErrorOf(ErrorKind::kNotFound, [&] { job->Wait(); }), "Sink: table (committer): no such table");
}

TEST_F(Runtime, CancelDuringTheRestartDelay) {
  JobOptions options = Options(dir_);
  options.restart.type = RestartStrategyOptions::Type::kFixedDelay;
  options.restart.fixed_delay = {1, 1h};
  auto job = Start({.fault =
                        [](std::string_view place) {
                          if (place == "poll") throw Unavailable("never");
                        }},
                   options);
  ASSERT_TRUE(Eventually([&] { return job->Status().state == JobState::kRestarting; }));
  EXPECT_FALSE(job->WaitFor(1ms));
  ErrorOf(ErrorKind::kInvalidArgument, [&] { job->StopWithSavepoint(); });
  job->Cancel();
  job->Wait();
  EXPECT_EQ(job->Status().state, JobState::kCanceled);
}

TEST_F(Runtime, CancelUnblocksBackPressure) {
  JobGraph graph;
  auto src = graph.AddSource({"src", "numbers", 2}, MakeNumberSource({.splits = 1000, .rows = 10000}));
  test::Fault slow = [](std::string_view place) {
    if (place == "process") std::this_thread::sleep_for(20ms);
  };
  auto op = graph.AddOperator({"op", "slow", 1}, {{src, Edge::Rebalance()}}, test::MakeCountingOperator(0, slow));
  graph.AddSink({"sink", "table", 1}, {{op}}, MakeTableSink(table_));
  auto job = Submit(std::move(graph), Options(dir_), metrics_);
  ASSERT_TRUE(Eventually([&] { return job->Status().rows_in > 500; }));
  job->Cancel();
  EXPECT_TRUE(job->WaitFor(10s));
  EXPECT_LE(job->Status().rows_in, 3000) << "queues are bounded";
}

TEST_F(Runtime, CheckpointTimeoutsAreTolerated) {
  // The first barrier takes longer than the timeout; its committable goes out with the second checkpoint, under its own
  // number.
  std::atomic<int> barriers{0};
  test::Fault slow_once = [&](std::string_view place) {
    if (place == "prepare commit" && barriers.fetch_add(1) == 0) std::this_thread::sleep_for(1s);
  };
  JobOptions options = Options(dir_, 100ms);
  options.checkpoint_timeout = 400ms;
  options.tolerable_failed_checkpoints = 10;
  auto job = Start(Endless(), options, 1, {.fault = slow_once});
  ASSERT_TRUE(Eventually([&] { return table_->commits().size() >= 3; }));
  job->StopWithSavepoint();
  EXPECT_GE(job->Status().failed_checkpoints, 1);
  EXPECT_EQ(job->Status().restarts, 0);
  auto commits = table_->commits();
  EXPECT_EQ(commits[0].checkpoint_id, 1);
  EXPECT_EQ(commits[1].checkpoint_id, 2);
  EXPECT_FALSE(commits[0].numbers.empty());
  ExpectNothingTwice();
}

TEST_F(Runtime, TooManyFailedCheckpointsFailTheJob) {
  JobOptions options = Options(dir_);
  options.checkpoint_timeout = 1ms;
  options.tolerable_failed_checkpoints = 1;
  options.restart.type = RestartStrategyOptions::Type::kNone;
  auto job = Start(Endless(), options, 1, {.fault = [](std::string_view place) {
                     if (place == "prepare commit") std::this_thread::sleep_for(50ms);
                   }});
  std::string message = ErrorOf(ErrorKind::kUnavailable, [&] { job->Wait(); });
  EXPECT_THAT(message, HasSubstr("waited for"));
  EXPECT_THAT(message, HasSubstr("allows 1"));
}

TEST_F(Runtime, FailedStopLetsTheJobRunOn) {
  std::atomic<bool> slow{false};
  JobOptions options = Options(dir_, std::nullopt);
  options.checkpoint_timeout = 500ms;
  auto job = Start(Endless(), options, 1, {.fault = [&](std::string_view place) {
                     if (place == "prepare commit" && slow) std::this_thread::sleep_for(1s);
                   }});
  slow = true;
  EXPECT_THAT(ErrorOf(ErrorKind::kUnavailable, [&] { job->StopWithSavepoint(); }), HasSubstr("checkpointing.timeout"));
  slow = false;
  int64_t before = job->Status().rows_in;
  ASSERT_TRUE(Eventually([&] { return job->Status().rows_in > before + 100; })) << "sources go on";
  job->StopWithSavepoint();
  job->Wait();
  EXPECT_EQ(static_cast<int64_t>(table_->size()), job->Status().rows_in);
  ExpectNothingTwice();
}

TEST_F(Runtime, FailedCommitIsRepeatedAsRecovered) {
  std::atomic<bool> failed{false};
  test::Fault fail_after_commit = [&](std::string_view place) {
    if (place == "commit after" && !failed.exchange(true)) throw CommitStateUnknown("the catalog hung up");
  };
  JobOptions options = Options(dir_, std::nullopt);
  options.restart.type = RestartStrategyOptions::Type::kFixedDelay;
  options.restart.fixed_delay = {1, 1ms};
  auto job = Start({}, options, 2, {.fault = fail_after_commit});
  job->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 4000));
  EXPECT_EQ(table_->num_repeated(), 1) << "the second committer was given it again";
  EXPECT_EQ(job->Status().restarts, 1);
}

TEST_F(Runtime, SecondExecutionOfARunningJobIsRefused) {
  auto job = Start(Endless(), Options(dir_));
  EXPECT_THAT(ErrorOf(ErrorKind::kUnavailable, [&] { Start({}, Options(dir_)); }), HasSubstr("is running already"));
}

TEST_F(Runtime, StateOfAMissingOperatorIsRefused) {
  Start({}, Options(dir_))->Wait();
  auto without_operator = [&] {
    JobGraph graph;
    auto src = graph.AddSource({"src", "numbers", 2}, MakeNumberSource({}));
    graph.AddSink({"sink", "table", 2}, {{src}}, MakeTableSink(table_));
    return graph;
  };
  std::string message =
      ErrorOf(ErrorKind::kInvalidArgument, [&] { Submit(without_operator(), Options(dir_), metrics_); });
  EXPECT_THAT(message, HasSubstr("'op'"));
  EXPECT_THAT(message, HasSubstr("ignore-unclaimed-state"));
  JobOptions options = Options(dir_);
  options.allow_non_restored_state = true;
  Submit(without_operator(), options, metrics_)->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 4000));
}

TEST_F(Runtime, RestorePathRewindsUnderANewJobId) {
  JobOptions options = Options(dir_, std::nullopt);
  options.num_retained = 10;
  NumberSourceOptions source{.splits = 10, .rows = 500, .batch_rows = 10, .pause = 300us};
  std::string job_id, savepoint;
  {
    auto job = Start(source, options);
    ASSERT_TRUE(Eventually([&] { return job->Status().rows_out > 500; }));
    savepoint = job->StopWithSavepoint();
    job_id = job->job_id();
  }
  size_t at_savepoint = table_->size();
  source.pause = 0us;
  Start(source, options)->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 5000));
  options.restore_path = savepoint;
  auto job = Start(source, options);
  job->Wait();
  EXPECT_NE(job->job_id(), job_id);
  EXPECT_EQ(table_->size(), 5000 + (5000 - at_savepoint)) << "what came after the savepoint is written again";
}

TEST_F(Runtime, FreshStartsOver) {
  Start({}, Options(dir_))->Wait();
  JobOptions options = Options(dir_);
  options.fresh = true;
  Start({}, options)->Wait();
  EXPECT_EQ(table_->size(), 8000u);
}

TEST_F(Runtime, GraphsThatLeadNowhereAreRefused) {
  JobGraph graph;
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { Submit(JobGraph(), Options(dir_), metrics_); }),
              HasSubstr("no sink"));
  auto src = graph.AddSource({"src", "numbers", 1}, MakeNumberSource({}));
  graph.AddSink({"sink", "table", 1}, {{src}}, MakeTableSink(table_));
  graph.AddOperator({"op", "loose end", 1}, {{src}}, test::MakeCountingOperator(0));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { Submit(std::move(graph), Options(dir_), metrics_); }),
              HasSubstr("'loose end' goes nowhere"));
}

TEST_F(Runtime, DestructorCancels) {
  auto job = Start(Endless(), Options(dir_));
  ASSERT_TRUE(Eventually([&] { return job->Status().state == JobState::kRunning; }));
  job.reset();
  Start({}, Options(dir_));  // the lock is free
}

}  // namespace
}  // namespace frazil::stream
