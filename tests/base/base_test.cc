// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "frazil/base/arrow_status.h"
#include "frazil/base/clock.h"
#include "frazil/base/metrics.h"
#include "frazil/base/options.h"
#include "frazil/base/suggest.h"
#include "frazil/base/uuid.h"
#include "support/support.h"

namespace frazil {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(Clock, ParsesFlinkDurations) {
  EXPECT_EQ(ParseDuration("10 s"), 10s);
  EXPECT_EQ(ParseDuration("500ms"), 500ms);
  EXPECT_EQ(ParseDuration("1 min"), 1min);
  EXPECT_EQ(ParseDuration("2 Hours"), 2h);
  EXPECT_EQ(ParseDuration("1500"), 1500ms);
  EXPECT_EQ(ParseDuration(" 3 µs "), 3us);
  for (std::string_view bad : {"", "s", "-1 s", "1 parsec", "1.5 s", "99999999999 d"}) {
    EXPECT_THAT(test::ErrorOf(ErrorKind::kInvalidArgument, [&] { ParseDuration(bad); }), HasSubstr("not a duration"));
  }
}

TEST(Clock, FormatsTheLargestTwoUnits) {
  EXPECT_EQ(FormatDuration(63s), "1 min 3 s");
  EXPECT_EQ(FormatDuration(250ms), "250 ms");
  EXPECT_EQ(FormatDuration(0ms), "0 ms");
}

TEST(ArrowStatus, BecomesAnErrorAndKeepsOneThatWasInside) {
  EXPECT_EQ(test::ErrorOf(ErrorKind::kUnavailable, [] { Check(arrow::Status::IOError("disk full"), "/data/x"); }),
            "/data/x: disk full");
  const arrow::Status status = ToStatus(NotFound("no snapshot {}", 7));
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(test::ErrorOf(ErrorKind::kNotFound, [&] { Check(status, "scan"); }), "no snapshot 7");
}

TEST(Options, ReadsTypesAndRefusesTheRest) {
  OptionMap options = {{"path", "/x"}, {"size", "128 mb"}, {"on", "TRUE"}, {"formt", "json"}, {"json.a", "1"}};
  OptionReader reader(options, "table 't'");
  EXPECT_EQ(reader.Require("path"), "/x");
  EXPECT_EQ(reader.GetMemorySize("size"), int64_t{128} << 20);
  EXPECT_EQ(reader.GetBool("on"), true);
  EXPECT_EQ(reader.GetString("format"), std::nullopt);
  EXPECT_EQ(reader.GetPrefixed("json."), (OptionMap{{"a", "1"}}));
  std::string message = test::ErrorOf(ErrorKind::kInvalidArgument, [&] { reader.RefuseUnread(); });
  EXPECT_THAT(message, HasSubstr("table 't': unknown option 'formt' (did you mean 'format'?)"));
}

TEST(Options, ErrorsNameOwnerKeyAndValue) {
  OptionMap options = {{"n", "12a"}, {"mode", "fast"}};
  OptionReader reader(options, "table 't'");
  EXPECT_EQ(test::ErrorOf(ErrorKind::kInvalidArgument, [&] { reader.GetInt64("n"); }),
            "table 't': option 'n' is '12a': expected a whole number");
  EXPECT_EQ(test::ErrorOf(ErrorKind::kInvalidArgument,
                          [&] {
                            reader.GetChoice("mode", {"none", "hash"});
                          }),
            "table 't': option 'mode' is 'fast': expected one of 'none', 'hash'");
  EXPECT_EQ(test::ErrorOf(ErrorKind::kInvalidArgument, [&] { reader.Require("uri"); }),
            "table 't': the required option 'uri' is missing");
}

TEST(Uuid, RoundTripsAndIsRandom) {
  std::string text = "f79c3e09-677c-4bbd-a479-3f349cb785e7";
  EXPECT_EQ(ToString(ParseUuid(text)), text);
  EXPECT_NE(RandomUuid(), RandomUuid());
  EXPECT_EQ(ToString(RandomUuid())[14], '4');
  EXPECT_GT(RandomSnapshotId(), 0);
  test::ErrorOf(ErrorKind::kInvalidArgument, [] { ParseUuid("f79c3e09"); });
}

TEST(Suggest, OnlyNearNames) {
  std::vector<std::string> names = {"connector", "format", "path"};
  EXPECT_EQ(DidYouMean("conector", names), " (did you mean 'connector'?)");
  EXPECT_EQ(DidYouMean("zzz", names), "");
}

TEST(Metrics, SumsOverScopes) {
  MetricRegistry registry;
  registry.counter("a", "numRecordsIn").Add(2);
  registry.counter("b", "numRecordsIn").Add(3);
  registry.gauge("b", "lastCommitDurationMs").Set(7);
  EXPECT_EQ(registry.SumCounters("numRecordsIn"), 5);
  EXPECT_EQ(registry.Snapshot().at("b.lastCommitDurationMs"), 7);
}

}  // namespace
}  // namespace frazil
