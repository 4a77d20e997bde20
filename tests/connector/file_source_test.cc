// SPDX-License-Identifier: Apache-2.0
// The filesystem source in a running job: what is committed is compared with what is in the files.
#include <filesystem>
#include <fstream>

#include <arrow/util/compression.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/options.h"
#include "frazil/connector/filesystem/filesystem.h"
#include "frazil/stream/job.h"
#include "stream/nodes.h"
#include "support/support.h"

namespace frazil::connector {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using frazil::test::ErrorOf;
using frazil::test::ScratchDir;
using stream::test::CommittedTable;
using stream::test::Eventually;
using stream::test::Range;
using testing::HasSubstr;

std::string Lines(int64_t begin, int64_t end) {
  std::string text;
  for (int64_t i = begin; i < end; ++i) text += fmt::format("{{\"n\": {}, \"text\": \"line number {}\"}}\n", i, i);
  return text;
}

std::string Gzip(const std::string& text) {
  auto codec = Unwrap(arrow::util::Codec::Create(arrow::Compression::GZIP), "codec");
  std::string out(static_cast<size_t>(codec->MaxCompressedLen(static_cast<int64_t>(text.size()), nullptr)), '\0');
  auto size = codec->Compress(static_cast<int64_t>(text.size()), reinterpret_cast<const uint8_t*>(text.data()),
                              static_cast<int64_t>(out.size()), reinterpret_cast<uint8_t*>(out.data()));
  out.resize(static_cast<size_t>(Unwrap(size, "compress")));
  return out;
}

class FileSourceTest : public testing::Test {
 protected:
  FileSourceTest() { fs::create_directory(dir_ / "in"); }

  /// Appears at once, as it should.
  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(dir_ / "tmp", std::ios::binary) << bytes;
    fs::create_directories(fs::path(dir_ / ("in/" + name)).parent_path());
    fs::rename(dir_ / "tmp", dir_ / ("in/" + name));
  }

  std::unique_ptr<stream::Source> Source(OptionMap more = {}) {
    OptionMap given = {{"path", dir_ / "in"}, {"format", "json"}};
    for (auto& [key, value] : more) given[key] = value;
    OptionReader options(given, "table 'events'");
    auto source = MakeFilesystemConnector()->CreateSource({"events", stream::test::NumberSchema(), nullptr}, options);
    options.RefuseUnread();
    return source;
  }

  std::unique_ptr<stream::JobExecution> Start(OptionMap more = {}, int parallelism = 2,
                                              stream::test::Fault fault = {}) {
    stream::JobOptions options;
    options.name = "files";
    options.checkpoint_dir = dir_ / "chk";
    options.checkpoint_interval = 5ms;
    options.restart.type = stream::RestartStrategyOptions::Type::kFixedDelay;
    options.restart.fixed_delay = {100, 1ms};
    return stream::Submit(
        stream::test::Pipeline(Source(std::move(more)), stream::test::MakeTableSink(table_), parallelism, fault),
        options, metrics_);
  }

  ScratchDir dir_;
  MetricRegistry metrics_;
  std::shared_ptr<CommittedTable> table_ = std::make_shared<CommittedTable>();
};

TEST_F(FileSourceTest, ReadsPlainAndCompressedFilesInManySplits) {
  Write("a.json", Lines(0, 30000));
  Write("sub/b.json.gz", Gzip(Lines(30000, 40000)));
  std::string last = Lines(40000, 45000);
  last.pop_back();
  Write("c.json", last);
  Write("_ignored.json", "not json");
  auto job = Start({{"frazil.source.split-size", "100 kb"}, {"frazil.source.batch-rows", "1000"}}, 3);
  job->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 45000));
  EXPECT_EQ(job->Status().rows_in, 45000);
  auto metrics = metrics_.Snapshot();
  int64_t bytes = 0;
  for (int i = 0; i < 3; ++i) bytes += metrics.at(fmt::format("files.Source: numbers.{}.numBytesIn", i));
  EXPECT_EQ(bytes, static_cast<int64_t>(Lines(0, 45000).size()) - 1);
}

TEST_F(FileSourceTest, FinishedJobReadsOnlyNewFiles) {
  Write("a.json", Lines(0, 100));
  Start()->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 100));
  Write("b.json", Lines(100, 250));
  auto job = Start();
  job->Wait();
  EXPECT_EQ(job->Status().rows_in, 150);
  EXPECT_EQ(table_->numbers(), Range(0, 250));
}

TEST_F(FileSourceTest, WatchesAFolder) {
  Write("a.json", Lines(0, 100));
  OptionMap watch = {{"source.monitor-interval", "5 ms"}};
  auto job = Start(watch);
  ASSERT_TRUE(Eventually([&] { return table_->size() == 100; }));
  std::ofstream(dir_ / "in/later.json").close();  // empty for now: not to be taken for read
  Write("b.json.gz", Gzip(Lines(100, 200)));
  ASSERT_TRUE(Eventually([&] { return table_->size() == 200; }));
  Write("later.json", Lines(200, 300));
  ASSERT_TRUE(Eventually([&] { return table_->size() == 300; }));
  job->StopWithSavepoint();
  job.reset();
  Write("sub/c.json", Lines(300, 400));
  job = Start(watch);
  ASSERT_TRUE(Eventually([&] { return table_->size() == 400; }));
  EXPECT_EQ(table_->numbers(), Range(0, 400));
}

TEST_F(FileSourceTest, EveryLineOnceUnderFailuresAndCrashes) {
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    table_ = std::make_shared<CommittedTable>();
    fs::remove_all(dir_ / "chk");
    for (int i = 0; i < 6; ++i) Write(fmt::format("{}.json", i), Lines(i * 5000, (i + 1) * 5000));
    Write("6.json.gz", Gzip(Lines(30000, 40000)));
    auto fault = std::make_shared<stream::test::RandomFault>(seed, 120, 10);
    std::minstd_rand random(seed);
    int crashes = 0;
    for (bool finished = false; !finished; ++crashes) {
      auto job = Start({{"frazil.source.split-size", "50 kb"}, {"frazil.source.batch-rows", "50"}},
                       1 + static_cast<int>(random() % 3), [fault](std::string_view place) { (*fault)(place); });
      finished = job->WaitFor(crashes < 4 ? std::chrono::milliseconds(random() % 50) : 60s);
    }
    EXPECT_EQ(table_->numbers(), Range(0, 40000));
  }
}

TEST_F(FileSourceTest, BadRecordIsNamedByFileAndLine) {
  Write("a.json", Lines(0, 30000) + "{\"n\": oops}\n" + Lines(30000, 30010));
  auto job = Start({{"frazil.source.split-size", "100 kb"}}, 1);
  std::string message = ErrorOf(ErrorKind::kCorrupt, [&] { job->Wait(); });
  EXPECT_THAT(message, HasSubstr("Source: numbers: "));
  EXPECT_THAT(message, HasSubstr(dir_ / "in/a.json"));
  EXPECT_THAT(message, HasSubstr("30001"));
}

TEST_F(FileSourceTest, VanishedFileIsNamed) {
  Write("a.json", Lines(0, 10));
  Write("b.json", Lines(10, 20));
  std::atomic<bool> removed{false};
  stream::JobOptions options;
  auto graph = stream::test::Pipeline(Source(), stream::test::MakeTableSink(table_), 1, [&](std::string_view place) {
    if (place == "process" && !removed.exchange(true)) fs::remove(dir_ / "in/b.json");
  });
  auto job = stream::Submit(std::move(graph), options, metrics_);
  EXPECT_THAT(ErrorOf(ErrorKind::kNotFound, [&] { job->Wait(); }), HasSubstr(dir_ / "in/b.json"));
}

TEST_F(FileSourceTest, BadOptionsAreRefused) {
  auto refused = [&](ErrorKind kind, OptionMap more) { return ErrorOf(kind, [&] { Source(more); }); };
  EXPECT_THAT(refused(ErrorKind::kUnsupported, {{"format", "csv"}}), HasSubstr("'csv'"));
  EXPECT_THAT(refused(ErrorKind::kInvalidArgument, {{"source.monitor-interval", "0"}}), HasSubstr("monitor-interval"));
  EXPECT_THAT(refused(ErrorKind::kInvalidArgument, {{"frazil.source.batch-rows", "0"}}), HasSubstr("batch-rows"));
  EXPECT_THAT(refused(ErrorKind::kInvalidArgument, {{"json.ignore-parse-errors", "perhaps"}}), HasSubstr("json."));
  EXPECT_THAT(refused(ErrorKind::kInvalidArgument, {{"source.regex", "x"}}), HasSubstr("'source.regex'"));
  EXPECT_THAT(refused(ErrorKind::kUnsupported, {{"source.report-statistics", "all"}}), HasSubstr("report-statistics"));
  EXPECT_THAT(refused(ErrorKind::kUnsupported, {{"path", "s3://bucket/in"}}), HasSubstr("s3"));
  OptionMap no_path = {{"format", "json"}};
  OptionReader options(no_path, "table 'events'");
  EXPECT_THAT(
      ErrorOf(ErrorKind::kInvalidArgument,
              [&] {
                MakeFilesystemConnector()->CreateSource({"events", stream::test::NumberSchema(), nullptr}, options);
              }),
      HasSubstr("path"));
}

TEST_F(FileSourceTest, MissingFolderFailsTheJob) {
  stream::JobOptions options;
  auto job =
      stream::Submit(stream::test::Pipeline(Source({{"path", dir_ / "none"}}), stream::test::MakeTableSink(table_), 1),
                     options, metrics_);
  EXPECT_THAT(ErrorOf(ErrorKind::kNotFound, [&] { job->Wait(); }), HasSubstr("none"));
}

}  // namespace
}  // namespace frazil::connector
