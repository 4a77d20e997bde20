// SPDX-License-Identifier: Apache-2.0
#include "frazil/avro/container.h"

#include <filesystem>
#include <fstream>
#include <random>

#include "support/support.h"

namespace frazil::avro {
namespace {

using test::ErrorOf;
using testing::HasSubstr;
using namespace std::string_literals;

constexpr Codec kCodecs[] = {Codec::kNull, Codec::kDeflate, Codec::kSnappy, Codec::kZstandard};

Schema RowSchema() {
  return Schema::Parse(R"({"type":"record","name":"row","fields":[
      {"name":"id","type":"long","field-id":1},{"name":"text","type":["null","string"],"default":null,"field-id":2}]})");
}

std::string TextOf(int64_t id) { return fmt::format("text number {} of a file", id); }

WriterOptions Options(Codec codec) {
  WriterOptions options;
  options.codec = codec;
  options.sync_marker = {'s', 'y', 'n', 'c', '-', 'm', 'a', 'r', 'k', 'e', 'r', '-', '1', '6', 'b', '!'};
  return options;
}

/// A file of `rows` records; every third text is null.
std::string WriteRows(int64_t rows, WriterOptions options, const Metadata& metadata = {}) {
  ObjectContainerWriter writer(RowSchema(), metadata, options);
  for (int64_t id = 0; id < rows; ++id) {
    writer.encoder().WriteLong(id);
    if (id % 3 == 0) {
      writer.encoder().WriteNull();
    } else {
      writer.encoder().WritePresent();
      writer.encoder().WriteString(TextOf(id));
    }
    writer.EndRecord();
  }
  EXPECT_EQ(writer.record_count(), rows);
  return std::move(writer).Finish();
}

/// Checks that `file` holds the records of WriteRows(rows).
void ExpectRows(const std::string& file, int64_t rows) {
  ObjectContainerReader reader(file, "rows.avro");
  int64_t id = 0;
  for (; reader.NextRecord(); ++id) {
    ASSERT_EQ(reader.decoder().ReadLong(), id);
    ASSERT_EQ(reader.decoder().ReadOptional(reader.schema().fields()[1].type), id % 3 != 0);
    if (id % 3 != 0) {
      ASSERT_EQ(reader.decoder().ReadString(), TextOf(id));
    }
  }
  EXPECT_EQ(id, rows);
  EXPECT_FALSE(reader.NextRecord());
}

std::string ReadAllError(const std::string& file, ErrorKind kind = ErrorKind::kCorrupt) {
  return ErrorOf(kind, [&] {
    ObjectContainerReader reader(file, "rows.avro");
    while (reader.NextRecord()) SkipValue(reader.schema(), reader.decoder());
  });
}

TEST(Container, RoundTripsWithEveryCodec) {
  for (const Codec codec : kCodecs) {
    for (const int64_t rows : {0, 1, 5, 20'000}) {
      SCOPED_TRACE(fmt::format("{} {}", ToString(codec), rows));
      const std::string file = WriteRows(rows, Options(codec), {{"format-version", "2"}, {"content", "data"}});
      ObjectContainerReader reader(file, "rows.avro");
      EXPECT_EQ(reader.codec(), codec);
      EXPECT_EQ(reader.name(), "rows.avro");
      EXPECT_EQ(reader.schema(), RowSchema());
      EXPECT_EQ(reader.FindMetadata("format-version"), "2");
      EXPECT_EQ(reader.FindMetadata("content"), "data");
      EXPECT_EQ(reader.FindMetadata("avro.codec"), ToString(codec));
      EXPECT_EQ(reader.FindMetadata("partition-spec"), std::nullopt);
      EXPECT_EQ(reader.metadata().size(), 4u);
      ExpectRows(file, rows);
    }
  }
}

TEST(Container, CompressesAndSplitsIntoBlocks) {
  const std::string plain = WriteRows(20'000, Options(Codec::kNull));
  for (const Codec codec : {Codec::kDeflate, Codec::kSnappy, Codec::kZstandard}) {
    EXPECT_LT(WriteRows(20'000, Options(codec)).size(), plain.size() / 2) << ToString(codec);
  }
  ObjectContainerReader reader(plain, "rows.avro");
  int64_t records = 0;
  int blocks = 0;
  while (const auto block = reader.NextBlock()) {
    records += block->record_count;
    EXPECT_LT(block->records.size(), 65u * 1024);
    EXPECT_LT(block->offset, plain.size());
    ++blocks;
  }
  EXPECT_EQ(records, 20'000);
  EXPECT_GT(blocks, 5);
}

TEST(Container, EveryLevelOfACodec) {
  for (const auto& [codec, level] : {std::pair(Codec::kDeflate, 0), std::pair(Codec::kDeflate, 9),
                                     std::pair(Codec::kZstandard, 1), std::pair(Codec::kZstandard, 19)}) {
    WriterOptions options = Options(codec);
    options.compression_level = level;
    ExpectRows(WriteRows(2'000, options), 2'000);
  }
  for (const auto& [codec, level] : {std::pair(Codec::kDeflate, 10), std::pair(Codec::kDeflate, -1),
                                     std::pair(Codec::kZstandard, 0), std::pair(Codec::kZstandard, 23)}) {
    WriterOptions options = Options(codec);
    options.compression_level = level;
    EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { ObjectContainerWriter(RowSchema(), {}, options); }),
                HasSubstr(fmt::format("compression level {} of {}", level, ToString(codec))));
  }
}

TEST(Container, RandomSyncMarkersDiffer) {
  WriterOptions options;
  EXPECT_NE(WriteRows(1, options), WriteRows(1, options));
  ExpectRows(WriteRows(1, options), 1);
}

TEST(Container, AppendRecordAndEstimate) {
  ObjectContainerWriter writer(RowSchema(), {}, Options(Codec::kNull));
  const size_t header = writer.EstimatedLength();
  writer.AppendRecord("\x00\x00"s);
  EXPECT_EQ(writer.EstimatedLength(), header + 2);
  ObjectContainerWriter moved = std::move(writer);
  ExpectRows(std::move(moved).Finish(), 1);
}

TEST(Container, ReservedMetadataIsRefused) {
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                      [] {
                        ObjectContainerWriter(RowSchema(), {{"avro.codec", "null"}}, {});
                      }),
              HasSubstr("avro.codec"));
}

TEST(Container, CodecNames) {
  for (const Codec codec : kCodecs) EXPECT_EQ(CodecFromName(ToString(codec)), codec);
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [] { CodecFromName("bzip2"); }), HasSubstr("\"bzip2\""));
  EXPECT_EQ(CodecFromIcebergName("gzip"), Codec::kDeflate);
  EXPECT_EQ(CodecFromIcebergName("GZIP"), Codec::kDeflate);
  EXPECT_EQ(CodecFromIcebergName("zstd"), Codec::kZstandard);
  EXPECT_EQ(CodecFromIcebergName("snappy"), Codec::kSnappy);
  EXPECT_EQ(CodecFromIcebergName("uncompressed"), Codec::kNull);
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [] { CodecFromIcebergName("brotli"); }), HasSubstr("brotli"));
}

TEST(Container, NotAnAvroFile) {
  EXPECT_EQ(ReadAllError(""), "rows.avro: not an Avro file: it is empty");
  EXPECT_THAT(ReadAllError("Obj"), HasSubstr("not an Avro file"));
  EXPECT_THAT(ReadAllError("Obj\x02......................"), HasSubstr("doesn't start with"));
  EXPECT_THAT(ReadAllError("PAR1 and more"), HasSubstr("doesn't start with"));
}

/// A header with the given metadata and a sync marker of 16 's'.
std::string Header(const Metadata& metadata) {
  BinaryEncoder encoder;
  encoder.WriteFixed("Obj\x01"s);
  encoder.WriteItems(metadata, [&](const auto& entry) {
    encoder.WriteString(entry.first);
    encoder.WriteBytes(entry.second);
  });
  encoder.WriteFixed(std::string(16, 's'));
  return encoder.Take();
}

TEST(Container, WrongHeaders) {
  EXPECT_EQ(ReadAllError(Header({{"avro.codec", "null"}})), "rows.avro: the header has no avro.schema");
  EXPECT_THAT(ReadAllError(Header({{"avro.schema", "{"}})), HasSubstr("rows.avro: Avro schema"));
  EXPECT_THAT(ReadAllError(Header({{"avro.schema", "\"int\""}, {"avro.codec", "lz4"}}), ErrorKind::kUnsupported),
              HasSubstr("rows.avro: Avro codec \"lz4\""));
  const std::string header = Header({{"avro.schema", "\"int\""}});
  EXPECT_THAT(ReadAllError(header.substr(0, header.size() - 1)), HasSubstr("ends within its header"));
}

TEST(Container, NoCodecAndNoEntries) {
  const std::string file = Header({{"avro.schema", "\"int\""}, {"extra", "\x00\xff"s}});
  ObjectContainerReader reader(file, "f");
  EXPECT_EQ(reader.codec(), Codec::kNull);
  EXPECT_EQ(reader.FindMetadata("extra"), "\x00\xff"s);
  EXPECT_FALSE(reader.NextRecord());
}

std::string BlockOf(int64_t count, const std::string& data, const std::string& sync = std::string(16, 's')) {
  BinaryEncoder encoder;
  encoder.WriteLong(count);
  encoder.WriteBytes(data);
  encoder.WriteFixed(sync);
  return encoder.Take();
}

TEST(Container, WrongBlocks) {
  const std::string header = Header({{"avro.schema", "\"int\""}});
  const auto error = [&](const std::string& blocks) { return ReadAllError(header + blocks); };
  EXPECT_THAT(error(BlockOf(1, "\x02", std::string(16, 't'))), HasSubstr("no sync marker"));
  EXPECT_THAT(error(BlockOf(1, "\x02", "sss")), HasSubstr("ends within the block at offset"));
  EXPECT_THAT(error(BlockOf(2, "\x02")), HasSubstr("claims 2 records in 1 bytes"));
  EXPECT_THAT(error(BlockOf(-1, "\x02")), HasSubstr("claims -1 records"));
  EXPECT_THAT(error(BlockOf(std::numeric_limits<int64_t>::max(), "\x02")), HasSubstr("claims 9223372036854775807"));
  EXPECT_THAT(error(BlockOf(0, "\x02")), HasSubstr("has bytes but no records"));
  EXPECT_THAT(error(BlockOf(1, "\x02\x02")), HasSubstr("1 bytes are left behind the last record"));
  BinaryEncoder huge;
  huge.WriteLong(1);
  huge.WriteLong(std::numeric_limits<int64_t>::max());
  EXPECT_THAT(error(huge.buffer()), HasSubstr("rows.avro, offset"));
  BinaryEncoder negative;
  negative.WriteLong(1);
  negative.WriteLong(-10);
  EXPECT_THAT(error(negative.buffer()), HasSubstr("a length of -10"));
  // An empty block is legal.
  ObjectContainerReader reader(header, "f");
  const std::string file = header + BlockOf(0, "") + BlockOf(1, "\x02");
  ObjectContainerReader with_empty(file, "f");
  EXPECT_TRUE(with_empty.NextRecord());
  EXPECT_EQ(with_empty.decoder().ReadInt(), 1);
  EXPECT_FALSE(with_empty.NextRecord());
}

TEST(Container, RecordsWithoutBytesAreLimited) {
  EXPECT_THAT(ReadAllError(Header({{"avro.schema", "\"null\""}}) + BlockOf(int64_t{1} << 60, "")), HasSubstr("claims"));
}

TEST(Container, DamagedCompression) {
  for (const char* codec : {"deflate", "snappy", "zstandard"}) {
    const std::string header = Header({{"avro.schema", "\"int\""}, {"avro.codec", codec}});
    for (const std::string& data : {""s, "\xff"s, "\xff\xff\xff\xff\xff\xff\xff\xff"s, std::string(100, 'x')}) {
      EXPECT_THAT(ReadAllError(header + BlockOf(1, data)), HasSubstr("rows.avro, block at offset")) << codec;
    }
  }
}

TEST(Container, SnappyChecksumAndLength) {
  const std::string header = Header({{"avro.schema", "\"int\""}, {"avro.codec", "snappy"}});
  // One literal byte 0x02; CRC-32 of it.
  const std::string body = "\x01\x00\x02"s;
  const std::string crc = "\x3c\x0c\x8e\xa1"s;
  const std::string good = header + BlockOf(1, body + crc);
  ObjectContainerReader reader(good, "f");
  ASSERT_TRUE(reader.NextRecord());
  EXPECT_EQ(reader.decoder().ReadInt(), 1);
  EXPECT_THAT(ReadAllError(header + BlockOf(1, body + "\x3c\x0c\x8e\xa2"s)), HasSubstr("checksum"));
  EXPECT_THAT(ReadAllError(header + BlockOf(1, "\xff\xff\xff\xff\x0f\x00\x02"s + crc)), HasSubstr("claims to hold"));
}

TEST(Container, DeflateIgnoresWhatFollowsItsEnd) {
  // PyIceberg leaves three bytes of zlib's checksum there.
  const std::string header = Header({{"avro.schema", "\"int\""}, {"avro.codec", "deflate"}});
  const std::string stored = "\x01\x01\x00\xfe\xff\x02"s;  // one stored block with the byte 0x02
  const std::string file = header + BlockOf(1, stored + "abc");
  ObjectContainerReader reader(file, "f");
  ASSERT_TRUE(reader.NextRecord());
  EXPECT_EQ(reader.decoder().ReadInt(), 1);
}

TEST(Container, TruncatedAnywhereIsCorrupt) {
  for (const Codec codec : kCodecs) {
    const std::string file = WriteRows(50, Options(codec));
    const size_t header = WriteRows(0, Options(codec)).size();
    for (size_t size = 0; size < file.size(); ++size) {
      if (size == header) continue;  // a file without blocks
      EXPECT_THAT(ReadAllError(file.substr(0, size)), HasSubstr("rows.avro")) << size;
    }
  }
}

TEST(Container, DamagedBytesNeverEscape) {
  std::mt19937 random(7);
  for (const Codec codec : kCodecs) {
    const std::string file = WriteRows(200, Options(codec));
    for (int round = 0; round < 500; ++round) {
      std::string damaged = file;
      for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
      try {
        ObjectContainerReader reader(damaged, "damaged.avro");
        while (reader.NextRecord()) RenderValue(reader.schema(), reader.decoder());
      } catch (const Error& e) {
        EXPECT_THAT(e.kind(), testing::AnyOf(ErrorKind::kCorrupt, ErrorKind::kUnsupported)) << e.what();
      }
    }
  }
}

// ---- files that others wrote ----

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> Render(const std::string& file, const std::string& name) {
  ObjectContainerReader reader(file, name);
  std::vector<std::string> records;
  while (reader.NextRecord()) records.push_back(RenderValue(reader.schema(), reader.decoder()));
  return records;
}

TEST(ContainerGolden, ManifestListOfJava) {
  const auto golden = test::GoldenDir();
  if (!golden) GTEST_SKIP() << "no golden files";
  const auto path = *golden / "iceberg-rust/crates/iceberg/testdata/manifests_lists/manifest-list-v2-1.avro";
  if (!exists(path)) GTEST_SKIP() << path;
  const std::string file = ReadFile(path);
  ObjectContainerReader reader(file, path);
  EXPECT_EQ(reader.FindMetadata("format-version"), "2");
  EXPECT_EQ(reader.schema().name(), "manifest_file");
  ASSERT_NE(reader.schema().FindField(507), nullptr);
  EXPECT_EQ(reader.schema().FindField(507)->type.required().element_id(), 508);
  const auto records = Render(file, path);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0],
            R"({"manifest_path":"iceberg-warehouse/people/metadata/794bd2ee-052c-449c-9a6f-3a88857c747f-m0.avro",)"
            R"("manifest_length":6658,"partition_spec_id":0,"content":0,"sequence_number":1,"min_sequence_number":1,)"
            R"("added_snapshot_id":6653143792592159268,"added_data_files_count":1,"existing_data_files_count":0,)"
            R"("deleted_data_files_count":0,"added_rows_count":1,"existing_rows_count":0,"deleted_rows_count":0,)"
            R"("partitions":[]})");
}

TEST(ContainerGolden, ManifestListOfDuckDb) {
  const auto golden = test::GoldenDir();
  if (!golden) GTEST_SKIP() << "no golden files";
  const auto path = *golden / "iceberg-go/testdata/duckdb_v3_manifest_list.avro";
  if (!exists(path)) GTEST_SKIP() << path;
  const std::string file = ReadFile(path);
  ObjectContainerReader reader(file, path);
  EXPECT_EQ(reader.metadata().size(), 2u);
  EXPECT_EQ(reader.codec(), Codec::kNull);
  const auto records = Render(file, path);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0],
            R"({"manifest_path":"s3://warehouse/wh/db/logs/metadata/d0a470ec-1c03-429b-bd84-34a66a122316-m0.avro",)"
            R"("manifest_length":2390,"partition_spec_id":0,"content":0,"sequence_number":1,"min_sequence_number":1,)"
            R"("added_snapshot_id":5275221492656851850,"added_files_count":1,"existing_files_count":0,)"
            R"("deleted_files_count":0,"added_rows_count":100,"existing_rows_count":0,"deleted_rows_count":0,)"
            R"("partitions":null,"first_row_id":0})");
}

TEST(ContainerGolden, EveryFileReads) {
  const auto golden = test::GoldenDir();
  if (!golden) GTEST_SKIP() << "no golden files";
  size_t files = 0;
  size_t records = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*golden)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".avro" || name.starts_with("broken") || name.starts_with("empty") ||
        name.find("encrypted") != std::string::npos) {
      continue;
    }
    SCOPED_TRACE(entry.path());
    const std::string file = ReadFile(entry.path());
    try {
      ObjectContainerReader reader(file, entry.path());
      EXPECT_EQ(Schema::Parse(reader.schema().ToString()), reader.schema());
      while (reader.NextRecord()) {
        BinaryDecoder rendering = reader.decoder();
        RenderValue(reader.schema(), rendering);
        SkipValue(reader.schema(), reader.decoder());
        EXPECT_EQ(rendering.offset(), reader.decoder().offset());
        ++records;
      }
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
    ++files;
  }
  EXPECT_GT(files, 100u);
  EXPECT_GT(records, 1'000u);
}

}  // namespace
}  // namespace frazil::avro
