// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/checkpoint.h"

#include <filesystem>
#include <fstream>

#include "frazil/stream/checkpoint_store.h"
#include "frazil/stream/state_codec.h"
#include "support/support.h"

namespace frazil::stream {
namespace {

namespace fs = std::filesystem;
using frazil::test::ErrorOf;
using frazil::test::ScratchDir;
using testing::ElementsAre;
using testing::HasSubstr;

Checkpoint Sample(int64_t id) {
  Checkpoint checkpoint;
  checkpoint.id = id;
  checkpoint.job_id = "0123456789abcdef0123456789abcdef";
  checkpoint.job_name = "orders";
  checkpoint.completed_ms = 1700000000123;
  checkpoint.savepoint = true;
  OperatorSnapshot& source = checkpoint.operators["src"];
  source.enumerator = std::string("\0state", 6);
  source.subtasks = {EncodeSplits({{"file-1", "100"}, {"file-2", ""}}), {}};
  OperatorSnapshot& sink = checkpoint.operators["sink"];
  sink.pending = {{"job", "sink", 4, "", false}, {"job", "sink", 5, "manifest", false}};
  return checkpoint;
}

std::string Read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void Write(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

TEST(Checkpoint, RoundTrip) {
  Checkpoint read = DecodeCheckpoint(EncodeCheckpoint(Sample(5)), "x");
  EXPECT_EQ(read.id, 5);
  EXPECT_EQ(read.job_id, "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(read.job_name, "orders");
  EXPECT_EQ(read.completed_ms, 1700000000123);
  EXPECT_TRUE(read.savepoint);
  EXPECT_FALSE(read.end_of_input);
  const OperatorSnapshot& source = read.operators.at("src");
  EXPECT_EQ(source.enumerator, std::string("\0state", 6));
  ASSERT_EQ(source.subtasks.size(), 2u);
  std::vector<SourceSplit> splits = DecodeSplits(source.subtasks[0]);
  ASSERT_EQ(splits.size(), 2u);
  EXPECT_EQ(splits[0].id, "file-1");
  EXPECT_EQ(splits[0].state, "100");
  EXPECT_EQ(splits[1].id, "file-2");
  const std::vector<CommitRequest>& pending = read.operators.at("sink").pending;
  ASSERT_EQ(pending.size(), 2u);
  EXPECT_EQ(pending[0].committable, "");
  EXPECT_EQ(pending[1].checkpoint_id, 5);
  EXPECT_EQ(pending[1].committable, "manifest");
  EXPECT_FALSE(read.operators.at("sink").empty());
}

TEST(Checkpoint, EveryDamageIsNoticed) {
  const std::string bytes = EncodeCheckpoint(Sample(5));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(DecodeCheckpoint(bytes.substr(0, size), "x"), Error) << size;
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] ^= 0x10;
    EXPECT_THROW(DecodeCheckpoint(damaged, "x"), Error) << i;
  }
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { DecodeCheckpoint(bytes + "x", "the/file"); }), HasSubstr("the/file"));
  std::string newer = bytes;
  newer[8] = 2;
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { DecodeCheckpoint(newer, "x"); }), HasSubstr("version 2"));
}

TEST(StateCodec, RoundTrip) {
  const std::vector<uint64_t> unsigned_values = {0, 1, 127, 128, 300, UINT64_MAX};
  const std::vector<int64_t> signed_values = {0, -1, 1, -64, 64, INT64_MIN, INT64_MAX};
  StateEncoder out;
  for (uint64_t value : unsigned_values) out.Unsigned(value);
  for (int64_t value : signed_values) out.Signed(value);
  out.Bool(true);
  out.Bool(false);
  out.String(std::string("a\0b", 3));
  out.String("");
  const std::string bytes = out.Take();
  StateDecoder in(bytes, "x");
  for (uint64_t value : unsigned_values) EXPECT_EQ(in.Unsigned(), value);
  for (int64_t value : signed_values) EXPECT_EQ(in.Signed(), value);
  EXPECT_TRUE(in.Bool());
  EXPECT_FALSE(in.Bool());
  EXPECT_EQ(in.String(), std::string("a\0b", 3));
  EXPECT_FALSE(in.at_end());
  EXPECT_EQ(in.String(), "");
  EXPECT_TRUE(in.at_end());
}

TEST(StateCodec, DamageIsNamed) {
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [] { StateDecoder("", "split 7").Unsigned(); }), HasSubstr("split 7"));
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [] { StateDecoder("\x80", "x").Signed(); }), HasSubstr("middle"));
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt,
                      [] {
                        StateDecoder(
                            "\x05"
                            "abc",
                            "x")
                            .String();
                      }),
              HasSubstr("middle"));
  const std::string endless(11, '\xff');
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { StateDecoder(endless, "x").Unsigned(); }), HasSubstr("64 bits"));
  EXPECT_EQ(StateDecoder("\x01", "x").Version(2), 1u);
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [] { StateDecoder("\x03", "x").Version(2); }), HasSubstr("version 3"));
}

JobOptions Options(const ScratchDir& dir, const std::string& name = "orders") {
  JobOptions options;
  options.name = name;
  options.checkpoint_dir = dir / "checkpoints";
  return options;
}

TEST(CheckpointStore, KeepsIdentityAttemptsAndTheNewestCheckpoint) {
  ScratchDir dir;
  std::string job_id;
  {
    auto store = OpenCheckpointStore(Options(dir));
    job_id = store->job_id();
    EXPECT_EQ(job_id.size(), 32u);
    EXPECT_EQ(job_id.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_FALSE(store->Latest().has_value());
    EXPECT_EQ(store->NextAttempt(), 0);
    EXPECT_EQ(store->NextAttempt(), 1);
    auto written = store->Write(Sample(1));
    EXPECT_EQ(written.path, (dir.path() / "checkpoints/orders" / job_id / "chk-1").string());
    EXPECT_EQ(written.bytes, static_cast<int64_t>(fs::file_size(fs::path(written.path) / "_metadata")));
    store->Write(Sample(2));
    EXPECT_FALSE(fs::exists(written.path)) << "one is retained";
  }
  auto store = OpenCheckpointStore(Options(dir));
  EXPECT_EQ(store->job_id(), job_id);
  EXPECT_EQ(store->NextAttempt(), 2);
  EXPECT_EQ(store->Latest()->id, 2);
  EXPECT_FALSE(store->Latest()->committed);
  store->ConfirmCommitted(2);
  store->ConfirmCommitted(1);  // gone already: nothing to note
  EXPECT_TRUE(store->Latest()->committed);
}

TEST(CheckpointStore, RetainsAsManyAsAskedAndOrdersByNumber) {
  ScratchDir dir;
  JobOptions options = Options(dir);
  options.num_retained = 2;
  auto store = OpenCheckpointStore(options);
  for (int64_t id : {8, 9, 10}) store->Write(Sample(id));
  EXPECT_EQ(store->Latest()->id, 10);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(dir.path() / "checkpoints/orders" / store->job_id())) {
    names.push_back(entry.path().filename());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("chk-9", "chk-10"));
}

TEST(CheckpointStore, OneProcessAtATime) {
  ScratchDir dir;
  auto store = OpenCheckpointStore(Options(dir));
  std::string message = ErrorOf(ErrorKind::kUnavailable, [&] { OpenCheckpointStore(Options(dir)); });
  EXPECT_THAT(message, HasSubstr("job 'orders' is running already"));
  OpenCheckpointStore(Options(dir, "others"));
  store.reset();
  OpenCheckpointStore(Options(dir));
}

TEST(CheckpointStore, UnfinishedFoldersAreNoCheckpoints) {
  ScratchDir dir;
  std::string folder;
  {
    auto store = OpenCheckpointStore(Options(dir));
    folder = fs::path(store->Write(Sample(1)).path).parent_path();
  }
  fs::create_directory(folder + "/.unfinished-2");
  Write(folder + "/.unfinished-2/_metadata", "half");
  auto store = OpenCheckpointStore(Options(dir));
  EXPECT_EQ(store->Latest()->id, 1);
  EXPECT_FALSE(fs::exists(folder + "/.unfinished-2"));
}

TEST(CheckpointStore, DamagedNewestIsAnErrorWithTheWaysOut) {
  ScratchDir dir;
  JobOptions options = Options(dir);
  options.num_retained = 2;
  std::string older;
  {
    auto store = OpenCheckpointStore(options);
    older = store->Write(Sample(1)).path;
    std::string newest = store->Write(Sample(2)).path + "/_metadata";
    std::string bytes = Read(newest);
    bytes[bytes.size() / 2] ^= 1;
    Write(newest, bytes);
  }
  {
    auto store = OpenCheckpointStore(options);
    std::string message = ErrorOf(ErrorKind::kCorrupt, [&] { store->Latest(); });
    EXPECT_THAT(message, HasSubstr("chk-2/_metadata: the checksum"));
    EXPECT_THAT(message, HasSubstr("'execution.state-recovery.path' = '" + older));
  }
  options.restore_path = older;
  EXPECT_EQ(OpenCheckpointStore(options)->Latest()->id, 1);
}

TEST(CheckpointStore, RestorePathBeginsANewJobIdOnce) {
  ScratchDir dir;
  JobOptions options = Options(dir);
  std::string first_id, savepoint;
  {
    auto store = OpenCheckpointStore(options);
    first_id = store->job_id();
    savepoint = store->Write(Sample(3)).path;
  }
  options.restore_path = "file://" + savepoint;
  std::string second_id;
  {
    auto store = OpenCheckpointStore(options);
    second_id = store->job_id();
    EXPECT_NE(second_id, first_id);
    EXPECT_EQ(store->Latest()->id, 3);
    EXPECT_EQ(store->NextAttempt(), 0);
  }
  {
    // Killed before its first checkpoint and started without the path: still from there.
    JobOptions plain = Options(dir);
    auto store = OpenCheckpointStore(plain);
    EXPECT_EQ(store->job_id(), second_id);
    EXPECT_EQ(store->Latest()->id, 3);
    store->Write(Sample(4));
  }
  {
    auto store = OpenCheckpointStore(options);
    EXPECT_EQ(store->job_id(), second_id) << "the same script again goes on instead of going back";
    EXPECT_EQ(store->Latest()->id, 4);
  }
  options.fresh = true;
  auto store = OpenCheckpointStore(options);
  EXPECT_NE(store->job_id(), second_id);
  EXPECT_EQ(store->Latest()->id, 3);
}

TEST(CheckpointStore, FreshForgetsEarlierRuns) {
  ScratchDir dir;
  JobOptions options = Options(dir);
  std::string first_id = [&] {
    auto store = OpenCheckpointStore(options);
    store->Write(Sample(3));
    return store->job_id();
  }();
  options.fresh = true;
  auto store = OpenCheckpointStore(options);
  EXPECT_NE(store->job_id(), first_id);
  EXPECT_FALSE(store->Latest().has_value());
  EXPECT_TRUE(fs::exists(dir.path() / "checkpoints/orders" / first_id / "chk-3")) << "but does not delete them";
}

TEST(CheckpointStore, ErrorsNameTheirPlace) {
  ScratchDir dir;
  JobOptions options = Options(dir);
  options.restore_path = dir / "nothing";
  EXPECT_THAT(ErrorOf(ErrorKind::kNotFound, [&] { OpenCheckpointStore(options); }),
              HasSubstr("nothing is not a checkpoint"));
  options = Options(dir);
  options.checkpoint_dir = "s3://bucket/checkpoints";
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { OpenCheckpointStore(options); }), HasSubstr("s3://bucket"));
  Write(dir / "file", "");
  options.checkpoint_dir = dir / "file";
  EXPECT_THAT(ErrorOf(ErrorKind::kUnavailable, [&] { OpenCheckpointStore(options); }), HasSubstr("file"));
  options = Options(dir);
  fs::create_directories(dir.path() / "checkpoints/orders");
  Write(dir / "checkpoints/orders/job.json", "{");
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { OpenCheckpointStore(options); }), HasSubstr("job.json"));
  options.fresh = true;
  OpenCheckpointStore(options);
}

TEST(CheckpointStore, InMemory) {
  JobOptions options;
  auto store = OpenCheckpointStore(options);
  EXPECT_EQ(store->job_id().size(), 32u);
  EXPECT_FALSE(store->Latest().has_value());
  EXPECT_EQ(store->Write(Sample(1)).path, "");
  EXPECT_EQ(store->Latest()->id, 1);
  store->ConfirmCommitted(1);
  EXPECT_TRUE(store->Latest()->committed);
  EXPECT_EQ(store->NextAttempt(), 0);
  EXPECT_EQ(store->NextAttempt(), 1);
}

TEST(PathSafe, EscapesWhatIsNoName) {
  EXPECT_EQ(PathSafe("insert-into_db.orders"), "insert-into_db.orders");
  EXPECT_EQ(PathSafe("a/b c"), "a%2Fb%20c");
  EXPECT_EQ(PathSafe(".."), "%2E.");
  EXPECT_EQ(PathSafe("größe"), "größe");
  std::string long_name(400, 'x');
  EXPECT_LE(PathSafe(long_name).size(), 255u);
  EXPECT_NE(PathSafe(long_name), PathSafe(long_name + "y"));
}

}  // namespace
}  // namespace frazil::stream
