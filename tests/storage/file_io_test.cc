// SPDX-License-Identifier: Apache-2.0
#include "frazil/storage/file_io.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include <arrow/io/interfaces.h>

#include "frazil/storage/posix.h"
#include "support/support.h"

namespace frazil::storage {
namespace {

using test::ErrorOf;
using test::ScratchDir;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::vector<std::string> NamesIn(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(LocalPath, TakesTheThreeSpellings) {
  EXPECT_EQ(LocalPath("file:///a/b"), "/a/b");
  EXPECT_EQ(LocalPath("file:/a/b"), "/a/b");
  EXPECT_EQ(LocalPath("/a/b"), "/a/b");
  EXPECT_EQ(LocalPath("/a/b=c:d/x y%20"), "/a/b=c:d/x y%20");
}

TEST(LocalPath, RefusesTheRest) {
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [] { LocalPath("s3://bucket/x"); }), HasSubstr("s3://bucket/x"));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [] { LocalPath("data/x"); }), HasSubstr("not absolute"));
  ErrorOf(ErrorKind::kInvalidArgument, [] { LocalPath("file://host/x"); });
  ErrorOf(ErrorKind::kInvalidArgument, [] { LocalPath(""); });
}

TEST(FileIO, WritesAndReadsBack) {
  ScratchDir dir;
  auto io = MakeFileIO({});
  std::string location = "file://" + (dir / "a/b/c.bin");
  EXPECT_FALSE(io->Exists(location));
  io->WriteAll(location, "hello");
  EXPECT_TRUE(io->Exists(location));
  EXPECT_EQ(io->ReadAll(location), "hello");
  auto file = io->Open(location);
  EXPECT_EQ(file->GetSize().ValueOrDie(), 5);
  EXPECT_EQ(file->ReadAt(1, 3).ValueOrDie()->ToString(), "ell");
  EXPECT_THAT(NamesIn(dir.path() / "a/b"), ElementsAre("c.bin"));
}

TEST(FileIO, IsInvisibleUntilClosed) {
  ScratchDir dir;
  auto io = MakeFileIO({});
  std::string location = dir / "x";
  auto file = io->Create(location);
  EXPECT_EQ(file->location(), location);
  ASSERT_TRUE(file->stream().Write("abc", 3).ok());
  std::string large(1 << 20, 'z');
  ASSERT_TRUE(file->stream().Write(large.data(), static_cast<int64_t>(large.size())).ok());
  ASSERT_TRUE(file->stream().Write("end", 3).ok());
  EXPECT_EQ(file->Tell(), 6 + (1 << 20));
  EXPECT_FALSE(io->Exists(location));
  file->Close();
  EXPECT_EQ(io->ReadAll(location), "abc" + large + "end");
}

TEST(FileIO, LeavesNothingWhenAbandoned) {
  ScratchDir dir;
  auto io = MakeFileIO({});
  auto file = io->Create(dir / "x");
  ASSERT_TRUE(file->stream().Write("abc", 3).ok());
  file.reset();
  EXPECT_THAT(NamesIn(dir.path()), ElementsAre());
}

TEST(FileIO, NeverOverwrites) {
  ScratchDir dir;
  auto io = MakeFileIO({});
  auto first = io->Create(dir / "x");
  auto second = io->Create(dir / "x");
  ASSERT_TRUE(first->stream().Write("1", 1).ok());
  ASSERT_TRUE(second->stream().Write("2", 1).ok());
  second->Close();
  EXPECT_THAT(ErrorOf(ErrorKind::kAlreadyExists, [&] { first->Close(); }), HasSubstr(dir / "x"));
  first.reset();
  ErrorOf(ErrorKind::kAlreadyExists, [&] { io->Create(dir / "x"); });
  EXPECT_EQ(io->ReadAll(dir / "x"), "2");
  EXPECT_THAT(NamesIn(dir.path()), ElementsAre("x"));
}

TEST(FileIO, NamesWhatIsMissing) {
  ScratchDir dir;
  auto io = MakeFileIO({});
  EXPECT_THAT(ErrorOf(ErrorKind::kNotFound, [&] { io->Open(dir / "none"); }), HasSubstr(dir / "none"));
  ErrorOf(ErrorKind::kNotFound, [&] { io->ReadAll(dir / "none"); });
  ErrorOf(ErrorKind::kInvalidArgument, [&] { io->Open(dir.path().string()); });
  io->Delete(dir / "none");
  io->WriteAll(dir / "f", "x");
  EXPECT_FALSE(io->Exists(dir / "f/below"));
  ErrorOf(ErrorKind::kInvalidArgument, [&] { io->WriteAll(dir / "f/below", "x"); });
}

TEST(FileIO, SaysWhenItMayNot) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  ScratchDir dir;
  ::chmod(dir.path().c_str(), 0500);
  auto io = MakeFileIO({});
  EXPECT_THAT(ErrorOf(ErrorKind::kUnauthorized, [&] { io->WriteAll(dir / "x", "1"); }), HasSubstr(dir / "x"));
  ::chmod(dir.path().c_str(), 0700);
}

TEST(ErrnoError, SaysWhatToDo) {
  Error full = ErrnoError(ENOSPC, "write", "file:///w/x", "/w/not/there/x");
  EXPECT_EQ(full.kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(full.what(), AllOf(HasSubstr("cannot write file:///w/x: No space left on device ("), HasSubstr("MiB"),
                                 HasSubstr("free some space")));
  Error read_only = ErrnoError(EROFS, "create", "/w/x", "/w/x");
  EXPECT_EQ(read_only.kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(read_only.what(), HasSubstr("mount it for writing"));
  EXPECT_EQ(ErrnoError(EACCES, "create", "/w/x", "/w/x").kind(), ErrorKind::kUnauthorized);
  EXPECT_EQ(ErrnoError(EIO, "sync", "/w/x", "/w/x").kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(ErrnoError(ENAMETOOLONG, "open", "/w/x", "/w/x").kind(), ErrorKind::kInvalidArgument);
}

TEST(FileIO, DeletesFiles) {
  ScratchDir dir;
  auto io = MakeFileIO({});
  io->WriteAll(dir / "x", "1");
  io->Delete("file:" + (dir / "x"));
  EXPECT_FALSE(io->Exists(dir / "x"));
}

TEST(FileIO, ListsInTheCallersSpelling) {
  ScratchDir dir;
  auto io = MakeFileIO({});
  io->WriteAll(dir / "t/data/a", "1");
  io->WriteAll(dir / "t/data/p=1/b", "22");
  io->WriteAll(dir / "u/c", "333");
  std::vector<std::string> seen;
  std::string prefix = "file://" + (dir / "t");
  for (const FileInfo& file : io->List(prefix + "/")) seen.push_back(fmt::format("{} {}", file.location, file.size));
  EXPECT_THAT(seen, UnorderedElementsAre(prefix + "/data/a 1", prefix + "/data/p=1/b 2"));
  ASSERT_EQ(io->List(dir / "u").size(), 1u);
  EXPECT_GT(io->List(dir / "u")[0].modified_ms, 1'700'000'000'000);
  EXPECT_TRUE(io->List(dir / "none").empty());
}

TEST(FileIO, FindsLakesThatMoved) {
  ScratchDir dir;
  auto io = MakeFileIO({{"frazil.storage.path-prefix-map",
                         fmt::format("s3://b/wh={},s3://b/wh/deep=file://{}", dir / "one", dir / "two")}});
  io->WriteAll("s3://b/wh/x", "1");
  io->WriteAll("s3://b/wh/deep/y", "2");
  EXPECT_EQ(MakeFileIO({})->ReadAll(dir / "one/x"), "1");
  EXPECT_EQ(MakeFileIO({})->ReadAll(dir / "two/y"), "2");
  ASSERT_EQ(io->List("s3://b/wh").size(), 1u);
  EXPECT_EQ(io->List("s3://b/wh")[0].location, "s3://b/wh/x");
  ErrorOf(ErrorKind::kUnsupported, [&] { io->Exists("s3://b/whale/x"); });
}

TEST(FileIO, RefusesAMalformedPrefixMap) {
  for (std::string text : {"a", "=b", "a=", "a=/b,c"}) {
    EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                        [&] {
                          MakeFileIO({{"frazil.storage.path-prefix-map", text}});
                        }),
                HasSubstr("frazil.storage.path-prefix-map"));
  }
  ErrorOf(ErrorKind::kUnsupported, [] { MakeFileIO({{"frazil.storage.path-prefix-map", "/a=s3://x"}}); });
}

}  // namespace
}  // namespace frazil::storage
