// SPDX-License-Identifier: Apache-2.0
// Exactly once under random failures: in tasks (the job restarts itself) and of the whole process (the execution is
// dropped at a random moment and submitted again). The committed numbers are compared with the truth.
#include <thread>

#include "frazil/base/error.h"
#include "frazil/stream/job.h"
#include "stream/nodes.h"
#include "support/support.h"

namespace frazil::stream {
namespace {

using namespace std::chrono_literals;
using frazil::test::ScratchDir;
using test::CommittedTable;
using test::MakeNumberSource;
using test::MakeTableSink;
using test::Range;

struct Tables {
  std::shared_ptr<CommittedTable> one = std::make_shared<CommittedTable>();
  std::shared_ptr<CommittedTable> two = std::make_shared<CommittedTable>();
};

/// A chain, a hash edge, two sinks, one behind a rebalance edge.
JobGraph Graph(const Tables& tables, int parallelism, const test::Fault& fault) {
  JobGraph graph;
  test::NumberSourceOptions options;
  options.splits = 12;
  options.rows = 1000;
  options.batch_rows = 25;
  options.pause = 50us;
  options.fault = fault;
  auto src = graph.AddSource({"src", "numbers", parallelism}, MakeNumberSource(options));
  auto map = graph.AddOperator({"map", "map", parallelism}, {{src}}, test::MakeCountingOperator(0, fault));
  auto by_number = [] {
    return [](const arrow::RecordBatch& rows, int num_targets, std::span<int32_t> targets) {
      const auto& numbers = static_cast<const arrow::Int64Array&>(*rows.column(0));
      for (size_t i = 0; i < targets.size(); ++i) {
        targets[i] = static_cast<int32_t>(numbers.Value(static_cast<int64_t>(i)) % num_targets);
      }
    };
  };
  auto keyed =
      graph.AddOperator({"keyed", "keyed", 3}, {{map, Edge::Hash(by_number)}}, test::MakeCountingOperator(0, fault));
  graph.AddSink({"one", "one", 3}, {{keyed}}, MakeTableSink(tables.one, {.fault = fault}));
  graph.AddSink({"two", "two", 2}, {{keyed, Edge::Rebalance()}}, MakeTableSink(tables.two, {.fault = fault}));
  return graph;
}

JobOptions Options(const ScratchDir& dir) {
  JobOptions options;
  options.name = "crash";
  options.checkpoint_dir = dir / "chk";
  options.checkpoint_interval = 3ms;
  options.tolerable_failed_checkpoints = 2;
  options.restart.type = RestartStrategyOptions::Type::kFixedDelay;
  options.restart.fixed_delay = {1000, 1ms};
  return options;
}

class CrashTest : public testing::TestWithParam<uint32_t> {};

TEST_P(CrashTest, EveryRowOnceInEachTable) {
  ScratchDir dir;
  MetricRegistry metrics;
  Tables tables;
  auto fault = std::make_shared<test::RandomFault>(GetParam(), 150, 15);
  std::minstd_rand random(GetParam());
  JobOptions options = Options(dir);
  int crashes = 0;
  for (bool finished = false; !finished;) {
    int parallelism = 1 + static_cast<int>(random() % 3);
    auto job =
        Submit(Graph(tables, parallelism, [fault](std::string_view place) { (*fault)(place); }), options, metrics);
    auto life = crashes < 6 ? std::chrono::milliseconds(random() % 60) : 60s;
    try {
      finished = job->WaitFor(life);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("injected")) << "before the first attempt was running";
    }
    ++crashes;
    ASSERT_LT(crashes, 100);
  }
  EXPECT_EQ(tables.one->numbers(), Range(0, 12000));
  EXPECT_EQ(tables.two->numbers(), Range(0, 12000));
  EXPECT_GT(crashes + fault->thrown(), 3);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CrashTest, testing::Range(1u, 13u));

}  // namespace
}  // namespace frazil::stream
