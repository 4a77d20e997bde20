// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/filesystem/line_reader.h"

#include <filesystem>
#include <fstream>

#include <arrow/util/compression.h>

#include "frazil/base/arrow_status.h"
#include "frazil/connector/filesystem/file_listing.h"
#include "support/support.h"

namespace frazil::connector {
namespace {

namespace fs = std::filesystem;
using frazil::test::ErrorOf;
using frazil::test::ScratchDir;
using testing::ElementsAre;
using testing::HasSubstr;

void Write(const std::string& path, std::string_view bytes) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string Compressed(arrow::Compression::type type, const std::string& text) {
  auto codec = Unwrap(arrow::util::Codec::Create(type), "codec");
  std::string out(static_cast<size_t>(codec->MaxCompressedLen(static_cast<int64_t>(text.size()), nullptr)), '\0');
  auto size = codec->Compress(static_cast<int64_t>(text.size()), reinterpret_cast<const uint8_t*>(text.data()),
                              static_cast<int64_t>(out.size()), reinterpret_cast<uint8_t*>(out.data()));
  out.resize(static_cast<size_t>(Unwrap(size, "compress")));
  return out;
}

constexpr int64_t kNoLimit = int64_t{1} << 40;

/// Everything that the reader gives, and a check of the offsets.
std::string ReadAll(LineReader& reader) {
  std::string all;
  int64_t expected = -1;
  while (auto chunk = reader.Next()) {
    if (expected >= 0) {
      EXPECT_EQ(chunk->offset, expected);
    }
    all.append(chunk->bytes.data(), chunk->bytes.size());
    expected = chunk->offset + static_cast<int64_t>(chunk->bytes.size());
    EXPECT_EQ(reader.split().position, expected);
  }
  return all;
}

class LineReaderTest : public testing::Test {
 protected:
  FileSplit Whole(const std::string& path) {
    auto size = static_cast<int64_t>(fs::file_size(path));
    return {path, size, 0, CompressionOf(path) == FileCompression::kNone ? size : FileSplit::kToTheEnd, 0};
  }
  std::string Read(FileSplit split, int64_t limit = kNoLimit) {
    LineReader reader(*io_, std::move(split), limit);
    return ReadAll(reader);
  }

  ScratchDir dir_;
  std::shared_ptr<storage::FileIO> io_ = storage::MakeFileIO({});
};

TEST_F(LineReaderTest, LastLineNeedsNoNewline) {
  for (std::string text : {"a\nb\n", "a\nb", "\n\na", "\n"}) {
    Write(dir_ / "f", text);
    EXPECT_EQ(Read(Whole(dir_ / "f")), text);
  }
}

TEST_F(LineReaderTest, EverySplitPointGivesEachLineOnce) {
  const std::string text = "first\n\nthird is longer\nx\nno newline";
  Write(dir_ / "f", text);
  auto size = static_cast<int64_t>(text.size());
  for (int64_t cut = 1; cut < size; ++cut) {
    std::string left = Read({dir_ / "f", size, 0, cut, 0});
    std::string right = Read({dir_ / "f", size, cut, size, cut});
    EXPECT_EQ(left + right, text) << cut;
    EXPECT_TRUE(left.ends_with('\n') || left == text) << cut;
    // A line belongs to the split in which it begins.
    size_t last_begin = text.rfind('\n', static_cast<size_t>(cut) - 1);
    if (text[static_cast<size_t>(cut) - 1] != '\n') {
      EXPECT_GT(left.size(), last_begin == std::string::npos ? 0 : last_begin + 1) << cut;
    } else {
      EXPECT_EQ(static_cast<int64_t>(left.size()), cut);
    }
  }
}

TEST_F(LineReaderTest, GoesOnFromAnyPosition) {
  std::string text;
  for (int i = 0; i < 400000; ++i) text += fmt::format("line {}\n", i);
  Write(dir_ / "f", text);
  Write(dir_ / "f.gz", Compressed(arrow::Compression::GZIP, text));
  Write(dir_ / "f.zst", Compressed(arrow::Compression::ZSTD, text));
  for (const char* name : {"f", "f.gz", "f.zst"}) {
    FileSplit split = Whole(dir_ / name);
    LineReader reader(*io_, split, kNoLimit);
    std::string first;
    for (int i = 0; i < 2; ++i) {
      auto chunk = reader.Next();
      first.append(chunk->bytes.data(), chunk->bytes.size());
    }
    ASSERT_LT(first.size(), text.size()) << "several chunks";
    EXPECT_EQ(reader.split().position, static_cast<int64_t>(first.size()));
    EXPECT_EQ(first + Read(reader.split()), text) << name;
  }
}

TEST_F(LineReaderTest, ConcatenatedArchivesAreOneFile) {
  Write(dir_ / "f.gz", Compressed(arrow::Compression::GZIP, "a\n") + Compressed(arrow::Compression::GZIP, "b\n"));
  Write(dir_ / "f.zst", Compressed(arrow::Compression::ZSTD, "a\n") + Compressed(arrow::Compression::ZSTD, "b\n"));
  EXPECT_EQ(Read(Whole(dir_ / "f.gz")), "a\nb\n");
  EXPECT_EQ(Read(Whole(dir_ / "f.zst")), "a\nb\n");
}

TEST_F(LineReaderTest, TruncatedAndDamagedArchives) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += fmt::format("line {}\n", i * 7919 % 10007);
  for (auto [suffix, type] : {std::pair{".gz", arrow::Compression::GZIP}, {".zst", arrow::Compression::ZSTD}}) {
    std::string bytes = Compressed(type, text);
    std::string path = dir_ / (std::string("cut") + suffix);
    Write(path, bytes.substr(0, bytes.size() - 10));
    std::string message = ErrorOf(ErrorKind::kCorrupt, [&] { Read(Whole(path)); });
    EXPECT_THAT(message, HasSubstr(path));
    EXPECT_THAT(message, HasSubstr("behind byte"));
    bytes[bytes.size() / 2] ^= 0x55;
    path = dir_ / (std::string("bad") + suffix);
    Write(path, bytes);
    EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Read(Whole(path)); }), HasSubstr(path));
  }
}

TEST_F(LineReaderTest, LongLinesUpToTheLimit) {
  std::string text = "short\n" + std::string(5 << 20, 'x') + "\nend\n";
  Write(dir_ / "f", text);
  EXPECT_EQ(Read(Whole(dir_ / "f")), text);
  EXPECT_EQ(Read(Whole(dir_ / "f"), 6 << 20), text);
  std::string message = ErrorOf(ErrorKind::kInvalidArgument, [&] { Read(Whole(dir_ / "f"), 2 << 20); });
  EXPECT_THAT(message, HasSubstr("the line at byte 6"));
  EXPECT_THAT(message, HasSubstr("frazil.source.max-record-bytes"));
  // A split within the long line owns nothing, the next one what follows.
  auto size = static_cast<int64_t>(text.size());
  EXPECT_EQ(Read({dir_ / "f", size, 1 << 20, 2 << 20, 1 << 20}), "");
  EXPECT_EQ(Read({dir_ / "f", size, 2 << 20, size, 2 << 20}), "end\n");
}

TEST_F(LineReaderTest, ChangedFilesAreNoticed) {
  Write(dir_ / "f", "a\nb\n");
  FileSplit split = Whole(dir_ / "f");
  Write(dir_ / "f", "a\n");
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Read(split); }), HasSubstr("has 2 bytes, it had 4"));
  fs::remove(dir_ / "f");
  EXPECT_THAT(ErrorOf(ErrorKind::kNotFound, [&] { Read(split); }), HasSubstr(dir_ / "f"));
  Write(dir_ / "f.gz", Compressed(arrow::Compression::GZIP, "a\n"));
  split = Whole(dir_ / "f.gz");
  split.position = 100;
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Read(split); }), HasSubstr("ends at byte 2"));
}

TEST_F(LineReaderTest, LineNumbers) {
  Write(dir_ / "f", "a\nbb\nccc\n");
  FileSplit split = Whole(dir_ / "f");
  EXPECT_EQ(LineReader::LineNumberAt(*io_, split, 0), 1);
  EXPECT_EQ(LineReader::LineNumberAt(*io_, split, 2), 2);
  EXPECT_EQ(LineReader::LineNumberAt(*io_, split, 5), 3);
}

TEST(FileSplit, RoundTripAndCuts) {
  FileSplit split{"/in/a.json", 1000, 100, 200, 150};
  stream::SourceSplit encoded = EncodeSplit(split);
  EXPECT_EQ(encoded.id, "/in/a.json:100");
  FileSplit decoded = DecodeSplit(encoded);
  EXPECT_EQ(decoded.path, "/in/a.json");
  EXPECT_EQ(decoded.file_size, 1000);
  EXPECT_EQ(decoded.begin, 100);
  EXPECT_EQ(decoded.end, 200);
  EXPECT_EQ(decoded.position, 150);
  ErrorOf(ErrorKind::kCorrupt, [&] { DecodeSplit({"x", encoded.state.substr(0, 5)}); });
  ErrorOf(ErrorKind::kUnsupported, [&] { DecodeSplit({"x", "\x02"}); });

  auto ends = [](int64_t size, const char* name) {
    std::vector<int64_t> result;
    for (const FileSplit& each : SplitFile({name, size, 0}, 100)) result.push_back(each.end);
    return result;
  };
  EXPECT_THAT(ends(0, "/f"), ElementsAre());
  EXPECT_THAT(ends(110, "/f"), ElementsAre(110)) << "a short rest is not a split of its own";
  EXPECT_THAT(ends(111, "/f"), ElementsAre(100, 111));
  EXPECT_THAT(ends(300, "/f"), ElementsAre(100, 200, 300));
  EXPECT_THAT(ends(300, "/f.gz"), ElementsAre(FileSplit::kToTheEnd));
}

TEST(FileCompression, BySuffix) {
  EXPECT_EQ(CompressionOf("/a.json"), FileCompression::kNone);
  EXPECT_EQ(CompressionOf("/a.json.gz"), FileCompression::kGzip);
  EXPECT_EQ(CompressionOf("/a.gzip"), FileCompression::kGzip);
  EXPECT_EQ(CompressionOf("/a.zst"), FileCompression::kZstd);
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [] { CompressionOf("/a.bz2"); }), HasSubstr("'.bz2'"));
}

class FileListingTest : public testing::Test {
 protected:
  std::vector<std::string> List(const std::string& path, std::optional<std::string> pattern = std::nullopt) {
    std::vector<std::string> names;
    for (const storage::FileInfo& file : FileListing(storage::MakeFileIO({}), path, pattern).List()) {
      names.push_back(file.location.substr(dir_.path().string().size() + 1));
    }
    return names;
  }

  ScratchDir dir_;
};

TEST_F(FileListingTest, FoldersFilesAndGlobs) {
  for (const char* name : {"in/b.json", "in/a.json", "in/sub/c.json", "in/.hidden", "in/_SUCCESS", "in/_tmp/d.json",
                           "in/sub/.e.json", "in2/f.json", "in/x[1].json"}) {
    Write(dir_ / name, "{}");
  }
  EXPECT_THAT(List(dir_ / "in"), ElementsAre("in/a.json", "in/b.json", "in/sub/c.json", "in/x[1].json"));
  EXPECT_THAT(List("file://" + (dir_ / "in/")), ElementsAre("in/a.json", "in/b.json", "in/sub/c.json", "in/x[1].json"));
  EXPECT_THAT(List(dir_ / "in/b.json"), ElementsAre("in/b.json"));
  EXPECT_THAT(List(dir_ / "in/_SUCCESS"), ElementsAre("in/_SUCCESS")) << "asked for by name";
  EXPECT_THAT(List(dir_ / "in/x[1].json"), ElementsAre("in/x[1].json")) << "a name that looks like a glob";
  EXPECT_THAT(List(dir_ / "in/?.json"), ElementsAre("in/a.json", "in/b.json"));
  EXPECT_THAT(List(dir_ / "in*/[c-f].json"), ElementsAre("in2/f.json"));
  EXPECT_THAT(List(dir_ / "*2"), ElementsAre("in2/f.json")) << "a folder that matches is read wholly";
  EXPECT_THAT(List(dir_ / "nothing*"), ElementsAre());
  EXPECT_THAT(List(dir_ / "in", ".*/[ab]\\.json"), ElementsAre("in/a.json", "in/b.json"));
  EXPECT_THAT(List(dir_ / "in", "[ab]\\.json"), ElementsAre()) << "the whole path must match";
  EXPECT_THAT(ErrorOf(ErrorKind::kNotFound, [&] { List(dir_ / "none"); }), HasSubstr("none"));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { List(dir_ / "in", "("); }),
              HasSubstr("source.path.regex-pattern"));
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { List("s3://bucket/x"); }), HasSubstr("s3"));
  fs::create_directory(dir_ / "empty");
  EXPECT_THAT(List(dir_ / "empty"), ElementsAre());
}

}  // namespace
}  // namespace frazil::connector
