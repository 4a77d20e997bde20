// SPDX-License-Identifier: Apache-2.0
#include <arrow/array/builder_primitive.h>

#include "frazil/base/arrow_status.h"
#include "frazil/stream/attempt.h"
#include "frazil/stream/change_batch.h"
#include "frazil/stream/job_graph.h"
#include "frazil/stream/state.h"
#include "stream/nodes.h"
#include "support/support.h"

namespace frazil::stream {
namespace {

using frazil::test::ErrorOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Source> Numbers() { return test::MakeNumberSource({}); }
std::unique_ptr<Sink> Table() { return test::MakeTableSink(std::make_shared<test::CommittedTable>()); }

TEST(JobGraph, RefusesWhatCannotRun) {
  JobGraph graph;
  auto src = graph.AddSource({"src", "numbers", 2}, Numbers());
  auto refused = [&](auto call) { return ErrorOf(ErrorKind::kInvalidArgument, call); };
  EXPECT_THAT(refused([&] { graph.AddSource({"", "x", 1}, Numbers()); }), HasSubstr("no uid"));
  EXPECT_THAT(refused([&] { graph.AddSource({"src", "x", 1}, Numbers()); }), HasSubstr("same uid 'src'"));
  EXPECT_THAT(refused([&] { graph.AddSource({"b", "x", 0}, Numbers()); }), HasSubstr("parallelism 0"));
  EXPECT_THAT(refused([&] { graph.AddSink({"c", "x", 2}, {}, Table()); }), HasSubstr("no input"));
  EXPECT_THAT(refused([&] { graph.AddSink({"c", "x", 2}, {{9}}, Table()); }), HasSubstr("not in the graph"));
  EXPECT_THAT(refused([&] { graph.AddSink({"c", "x", 3}, {{src}}, Table()); }), HasSubstr("forward edge"));
  EXPECT_THAT(refused([&] {
                graph.AddSink({"c", "x", 3}, {{src, Edge::Hash({})}}, Table());
              }),
              HasSubstr("no partitioner"));
  auto sink = graph.AddSink({"c", "x", 2}, {{src}}, Table());
  EXPECT_THAT(refused([&] { graph.AddSink({"d", "x", 2}, {{sink}}, Table()); }), HasSubstr("can't read from the sink"));
  EXPECT_EQ(graph.nodes().size(), 2u) << "what was refused left nothing behind";
}

TEST(JobGraph, BoundedIfEverySourceIs) {
  JobGraph graph;
  graph.AddSource({"a", "a", 1}, Numbers());
  EXPECT_TRUE(graph.bounded());
  test::NumberSourceOptions unbounded;
  unbounded.unbounded = true;
  graph.AddSource({"b", "b", 1}, test::MakeNumberSource(unbounded));
  EXPECT_FALSE(graph.bounded());
}

TEST(ExecutionPlan, ChainsSingleForwardInputsOnly) {
  JobGraph graph;
  auto a = graph.AddSource({"a", "a", 2}, Numbers());
  auto b = graph.AddSource({"b", "b", 2}, Numbers());
  auto map = graph.AddOperator({"map", "map", 2}, {{a}}, test::MakeCountingOperator(0));
  auto both = graph.AddOperator({"union", "union", 2}, {{map}, {b}}, test::MakeCountingOperator(0));
  auto one = graph.AddSink({"one", "one", 1}, {{both, Edge::Rebalance()}}, Table());
  auto two = graph.AddSink({"two", "two", 2}, {{both}}, Table());
  ExecutionPlan plan(graph);
  EXPECT_TRUE(plan.nodes[map].chained);
  EXPECT_FALSE(plan.nodes[both].chained) << "two inputs";
  EXPECT_FALSE(plan.nodes[one].chained);
  EXPECT_TRUE(plan.nodes[two].chained);
  EXPECT_THAT(plan.nodes[a].next_in_chain, ElementsAre(map));
  EXPECT_THAT(plan.nodes[both].next_in_chain, ElementsAre(two));
  ASSERT_EQ(plan.nodes[b].outputs.size(), 1u);
  EXPECT_EQ(plan.nodes[b].outputs[0].consumer, both);
  EXPECT_EQ(plan.nodes[b].outputs[0].input, 1u);
}

TEST(ExecutionPlan, ChainsHashEdgesFromOneToOne) {
  auto make = [] { return Partitioner(); };
  for (int parallelism : {1, 2}) {
    JobGraph graph;
    auto a = graph.AddSource({"a", "a", 1}, Numbers());
    auto sink = graph.AddSink({"sink", "sink", parallelism}, {{a, Edge::Hash(make)}}, Table());
    EXPECT_EQ(ExecutionPlan(graph).nodes[sink].chained, parallelism == 1);
  }
}

TEST(ChangeBatch, SlicesAndMeasuresBothParts) {
  ChangeBatch batch = test::NumberBatch({1, 2, 3, 4});
  EXPECT_EQ(batch.num_rows(), 4);
  EXPECT_EQ(batch.num_bytes(), 32);
  arrow::Int8Builder kinds;
  Check(kinds.AppendValues({0, 1, 2, 3}), "kinds");
  batch.row_kinds = std::static_pointer_cast<arrow::Int8Array>(Unwrap(kinds.Finish(), "kinds"));
  EXPECT_EQ(batch.num_bytes(), 36);
  ChangeBatch slice = batch.Slice(1, 2);
  EXPECT_THAT(test::NumbersOf(slice), ElementsAre(2, 3));
  EXPECT_EQ(slice.row_kinds->Value(0), static_cast<int8_t>(RowKind::kUpdateBefore));
  EXPECT_EQ(slice.num_bytes(), 18);
}

TEST(RowKind, ShortStringsAreFlinks) {
  EXPECT_EQ(ShortString(RowKind::kInsert), "+I");
  EXPECT_EQ(ShortString(RowKind::kUpdateBefore), "-U");
  EXPECT_EQ(ShortString(RowKind::kUpdateAfter), "+U");
  EXPECT_EQ(ShortString(RowKind::kDelete), "-D");
}

TEST(OperatorState, KeepsListsInOrder) {
  OperatorState state;
  EXPECT_TRUE(state.empty());
  state.Add("a", "1");
  state.Add("a", "2");
  EXPECT_THAT(state.List("a"), ElementsAre("1", "2"));
  EXPECT_TRUE(state.List("b").empty());
}

TEST(OperatorState, RedistributesOnlyWhenParallelismChanges) {
  std::vector<OperatorState> old(3);
  old[0].Add("a", "1");
  old[0].Add("a", "2");
  old[0].Add("b", "x");
  old[2].Add("a", "3");
  std::vector<OperatorState> same = Redistribute(old, 3);
  EXPECT_THAT(same[0].List("a"), ElementsAre("1", "2"));
  EXPECT_TRUE(same[1].empty());
  std::vector<OperatorState> two = Redistribute(old, 2);
  EXPECT_THAT(two[0].List("a"), ElementsAre("1", "3"));
  EXPECT_THAT(two[0].List("b"), ElementsAre("x"));
  EXPECT_THAT(two[1].List("a"), ElementsAre("2"));
}

}  // namespace
}  // namespace frazil::stream
