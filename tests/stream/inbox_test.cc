// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/inbox.h"

#include <future>
#include <thread>

#include "frazil/base/error.h"
#include "stream/nodes.h"
#include "support/support.h"

namespace frazil::stream {
namespace {

using namespace std::chrono_literals;
using frazil::test::ErrorOf;
using test::NumberBatch;
using test::NumbersOf;

Arrival NextArrival(Inbox& inbox, Counter& idle) { return std::get<Arrival>(inbox.Next(idle)); }

TEST(Inbox, BarrierBlocksItsChannelUntilAligned) {
  Counter ms;
  Inbox inbox(2, {10, 1 << 20});
  inbox.Push(0, Barrier{1}, ms);
  inbox.Push(0, NumberBatch({10}), ms);  // behind the barrier: belongs to checkpoint 2
  inbox.Push(1, NumberBatch({20}), ms);
  inbox.Push(1, Barrier{1}, ms);
  inbox.Push(1, NumberBatch({21}), ms);

  Arrival first = NextArrival(inbox, ms);
  EXPECT_EQ(first.channel, 1);
  EXPECT_EQ(NumbersOf(std::get<ChangeBatch>(first.element)), std::vector<int64_t>{20});
  EXPECT_EQ(std::get<Barrier>(NextArrival(inbox, ms).element).checkpoint_id, 1);
  std::set<int64_t> after;
  for (int i = 0; i < 2; ++i) after.insert(NumbersOf(std::get<ChangeBatch>(NextArrival(inbox, ms).element))[0]);
  EXPECT_EQ(after, (std::set<int64_t>{10, 21}));
}

TEST(Inbox, WatermarkIsTheLeastOfAllChannels) {
  Counter ms;
  Inbox inbox(2, {10, 1 << 20});
  inbox.Push(0, Watermark{100}, ms);
  inbox.Push(1, Watermark{50}, ms);
  EXPECT_EQ(std::get<Watermark>(NextArrival(inbox, ms).element).timestamp_ms, 50);
  inbox.Push(0, Watermark{110}, ms);  // nothing new for the least
  inbox.Push(1, Watermark{105}, ms);
  EXPECT_EQ(std::get<Watermark>(NextArrival(inbox, ms).element).timestamp_ms, 105);
}

TEST(Inbox, EndOfInputComesOnceAllHaveEndedAndBarriersStillPass) {
  Counter ms;
  Inbox inbox(2, {10, 1 << 20});
  inbox.Push(0, EndOfInput(), ms);
  inbox.Push(1, NumberBatch({1}), ms);
  EXPECT_TRUE(std::holds_alternative<ChangeBatch>(NextArrival(inbox, ms).element));
  inbox.Push(1, EndOfInput(), ms);
  EXPECT_TRUE(std::holds_alternative<EndOfInput>(NextArrival(inbox, ms).element));
  inbox.Push(0, Barrier{7, true}, ms);
  inbox.Push(1, Barrier{7, true}, ms);
  EXPECT_TRUE(std::get<Barrier>(NextArrival(inbox, ms).element).end_of_input);
}

TEST(Inbox, ControlGoesFirst) {
  Counter ms;
  Inbox inbox(1, {10, 1 << 20});
  inbox.Push(0, NumberBatch({1}), ms);
  inbox.Post(Shutdown());
  EXPECT_TRUE(std::holds_alternative<Shutdown>(std::get<Control>(inbox.Next(ms))));
  EXPECT_FALSE(inbox.PollControl().has_value());
}

TEST(Inbox, FullChannelBlocksByBatchesAndByBytes) {
  for (ChannelLimits limits : {ChannelLimits{2, 1 << 20}, ChannelLimits{100, 16}}) {
    Counter blocked, idle;
    Inbox inbox(1, limits);
    inbox.Push(0, NumberBatch({1}), blocked);
    inbox.Push(0, NumberBatch({2}), blocked);
    auto third = std::async(std::launch::async, [&] { inbox.Push(0, NumberBatch({3}), blocked); });
    EXPECT_EQ(third.wait_for(30ms), std::future_status::timeout);
    NextArrival(inbox, idle);
    third.get();
    EXPECT_GE(blocked.value(), 20);
  }
}

TEST(Inbox, HugeBatchPassesAlone) {
  Counter ms;
  Inbox inbox(1, {4, 1});
  inbox.Push(0, NumberBatch({1, 2, 3}), ms);
  EXPECT_EQ(NumbersOf(std::get<ChangeBatch>(NextArrival(inbox, ms).element)).size(), 3u);
}

TEST(Inbox, CancelEndsEveryWait) {
  Counter ms;
  Inbox full(1, {1, 1 << 20});
  full.Push(0, NumberBatch({1}), ms);
  auto push = std::async(std::launch::async, [&] { full.Push(0, NumberBatch({2}), ms); });
  Inbox empty(1, {1, 1});
  auto next = std::async(std::launch::async, [&] { empty.Next(ms); });
  Inbox source(0, {1, 1});
  auto wait = std::async(std::launch::async, [&] { source.WaitForControl(std::nullopt, ms); });
  std::this_thread::sleep_for(10ms);
  full.Cancel();
  empty.Cancel();
  source.Cancel();
  EXPECT_THROW(push.get(), TaskCancelled);
  EXPECT_THROW(next.get(), TaskCancelled);
  EXPECT_THROW(wait.get(), TaskCancelled);
  EXPECT_THROW(source.PollControl(), TaskCancelled);
}

TEST(Inbox, WakeUpBeforeTheWaitIsNotLost) {
  Counter ms;
  Inbox inbox(0, {1, 1});
  inbox.WakeUp();
  EXPECT_FALSE(inbox.WaitForControl(std::nullopt, ms).has_value());
  EXPECT_FALSE(inbox.WaitForControl(std::chrono::steady_clock::now() + 5ms, ms).has_value()) << "ends by its deadline";
  inbox.Post(NoMoreSplits());
  EXPECT_TRUE(std::holds_alternative<NoMoreSplits>(*inbox.WaitForControl(std::nullopt, ms)));
}

TEST(Inbox, MixedBarriersAreADefect) {
  Counter ms;
  Inbox inbox(2, {1, 1});
  inbox.Push(0, Barrier{1}, ms);
  inbox.Push(1, Barrier{2}, ms);
  ErrorOf(ErrorKind::kInternal, [&] { inbox.Next(ms); });
}

}  // namespace
}  // namespace frazil::stream
