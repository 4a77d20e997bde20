// SPDX-License-Identifier: Apache-2.0
// Every `write.parquet.*` property is seen in the file, or refused by name.
#include <arrow/io/file.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>

#include "data_files.h"

namespace frazil::datafile {
namespace {

using iceberg::NestedField;
using iceberg::Schema;
using iceberg::Type;
using test::ErrorOf;
using test::ScratchDir;
using testing::HasSubstr;

Schema TwoColumns() {
  return Schema(0, {NestedField::Optional(1, "id", Type::Long()), NestedField::Optional(2, "name", Type::String())});
}

std::shared_ptr<arrow::RecordBatch> ManyRows(int rows) {
  std::string ids = "[";
  std::string names = "[";
  for (int i = 0; i < rows; ++i) {
    ids += fmt::format("{}{}", i == 0 ? "" : ",", i);
    names += fmt::format("{}\"name-{}\"", i == 0 ? "" : ",", i % 7);
  }
  return Rows(TwoColumns(), {ids + "]", names + "]"});
}

std::unique_ptr<parquet::ParquetFileReader> OpenWith(const ScratchDir& dir, int rows, const OptionMap& properties) {
  static int n = 0;
  std::string path = dir / fmt::format("f{}.parquet", n++);
  WriteFile(path, TwoColumns(), {ManyRows(rows)}, properties);
  return parquet::ParquetFileReader::OpenFile(path);
}

std::unique_ptr<parquet::ColumnChunkMetaData> Chunk(const parquet::ParquetFileReader& reader, int column) {
  return reader.metadata()->RowGroup(0)->ColumnChunk(column);
}

int DataPages(parquet::ParquetFileReader& reader, int column) {
  auto index = reader.GetPageIndexReader()->RowGroup(0)->GetOffsetIndex(column);
  return static_cast<int>(index->page_locations().size());
}

bool HasEncoding(const parquet::ColumnChunkMetaData& chunk, parquet::Encoding::type encoding) {
  return std::find(chunk.encodings().begin(), chunk.encodings().end(), encoding) != chunk.encodings().end();
}

std::string Refusal(ErrorKind kind, const OptionMap& properties) {
  return ErrorOf(kind, [&] { ResolveParquetWriteOptions(TwoColumns(), properties); });
}

TEST(ParquetWriteOptions, HonourTheCodec) {
  ScratchDir dir;
  using parquet::Compression;
  for (auto [name, codec] : std::map<std::string, Compression::type>{{"zstd", Compression::ZSTD},
                                                                     {"gzip", Compression::GZIP},
                                                                     {"SNAPPY", Compression::SNAPPY},
                                                                     {"lz4", Compression::LZ4},
                                                                     {"brotli", Compression::BROTLI},
                                                                     {"uncompressed", Compression::UNCOMPRESSED}}) {
    auto reader = OpenWith(dir, 100, {{"write.parquet.compression-codec", name}});
    EXPECT_EQ(Chunk(*reader, 0)->compression(), codec) << name;
  }
  EXPECT_EQ(Chunk(*OpenWith(dir, 100, {}), 0)->compression(), Compression::ZSTD);
  EXPECT_THAT(Refusal(ErrorKind::kInvalidArgument, {{"write.parquet.compression-codec", "zip"}}), HasSubstr("zstd"));
}

TEST(ParquetWriteOptions, HonourTheLevel) {
  ScratchDir dir;
  auto size = [&](const std::string& level) {
    OptionMap properties = {{"write.parquet.dict-encoding-enabled.column.name", "false"}};
    if (!level.empty()) properties["write.parquet.compression-level"] = level;
    return Chunk(*OpenWith(dir, 20'000, properties), 1)->total_compressed_size();
  };
  EXPECT_LT(size("19"), size("-5"));
  EXPECT_THAT(Refusal(ErrorKind::kInvalidArgument, {{"write.parquet.compression-level", "23"}}), HasSubstr("22"));
  EXPECT_THAT(Refusal(ErrorKind::kInvalidArgument,
                      {{"write.parquet.compression-level", "1"}, {"write.parquet.compression-codec", "snappy"}}),
              HasSubstr("has no levels"));
}

TEST(ParquetWriteOptions, HonourPages) {
  ScratchDir dir;
  auto small = OpenWith(dir, 20'000, {{"write.parquet.page-row-limit", "1000"}});
  EXPECT_EQ(DataPages(*small, 0), 20);
  auto bytes = OpenWith(
      dir, 20'000,
      {{"write.parquet.page-size-bytes", "65536"}, {"write.parquet.dict-encoding-enabled.column.id", "false"}});
  EXPECT_GE(DataPages(*bytes, 0), 2);
  EXPECT_EQ(DataPages(*OpenWith(dir, 20'000, {}), 0), 1);
  Refusal(ErrorKind::kInvalidArgument, {{"write.parquet.page-row-limit", "0"}});
  Refusal(ErrorKind::kInvalidArgument, {{"write.parquet.page-size-bytes", "4294967296"}});
  EXPECT_THAT(Refusal(ErrorKind::kInvalidArgument, {{"write.parquet.page-version", "v3"}}), HasSubstr("v1 or v2"));
}

TEST(ParquetWriteOptions, HonourThePageVersion) {
  ScratchDir dir;
  auto type_of_page = [&](const std::string& version) {
    auto reader = OpenWith(
        dir, 10, {{"write.parquet.page-version", version}, {"write.parquet.dict-encoding-enabled.column.id", "false"}});
    return reader->RowGroup(0)->GetColumnPageReader(0)->NextPage()->type();
  };
  EXPECT_EQ(type_of_page("v1"), parquet::PageType::DATA_PAGE);
  EXPECT_EQ(type_of_page("v2"), parquet::PageType::DATA_PAGE_V2);
}

TEST(ParquetWriteOptions, HonourRowGroups) {
  ScratchDir dir;
  auto groups = [&](const OptionMap& properties) {
    return OpenWith(dir, 1000, properties)->metadata()->num_row_groups();
  };
  EXPECT_EQ(groups({}), 1);
  EXPECT_EQ(groups({{"write.parquet.row-group-size-bytes", "1"}}), 1);
  EXPECT_EQ(
      groups({{"write.parquet.row-group-size-bytes", "1"}, {"write.parquet.row-group-check-max-record-count", "250"}}),
      4);
  EXPECT_EQ(groups({{"write.parquet.row-group-size-bytes", "1"},
                    {"write.parquet.row-group-check-min-record-count", "500"},
                    {"write.parquet.row-group-check-max-record-count", "500"},
                    {"write.parquet.row-group-size-track-uncompressed", "true"}}),
            2);
  Refusal(ErrorKind::kInvalidArgument, {{"write.parquet.row-group-check-min-record-count", "10"},
                                        {"write.parquet.row-group-check-max-record-count", "9"}});
  Refusal(ErrorKind::kInvalidArgument, {{"write.parquet.row-group-size-bytes", "128mb"}});
}

TEST(ParquetWriteOptions, HonourDictionaries) {
  ScratchDir dir;
  auto on = OpenWith(dir, 1000, {{"write.parquet.dict-encoding-enabled.column.id", "true"}});
  EXPECT_TRUE(Chunk(*on, 0)->has_dictionary_page());
  auto off = OpenWith(dir, 1000, {{"write.parquet.dict-encoding-enabled.column.name", "false"}});
  EXPECT_FALSE(Chunk(*off, 1)->has_dictionary_page());
  auto small =
      OpenWith(dir, 20'000,
               {{"write.parquet.dict-encoding-enabled.column.id", "true"}, {"write.parquet.dict-size-bytes", "1000"}});
  EXPECT_TRUE(HasEncoding(*Chunk(*small, 0), parquet::Encoding::PLAIN));
}

TEST(ParquetWriteOptions, ChooseDictionariesByTheData) {
  ScratchDir dir;
  auto reader = OpenWith(dir, 50'000, {});
  EXPECT_FALSE(Chunk(*reader, 0)->has_dictionary_page()) << "unique ids";
  EXPECT_TRUE(Chunk(*reader, 1)->has_dictionary_page()) << "seven names";
}

TEST(ParquetWriteOptions, HonourStatistics) {
  ScratchDir dir;
  auto reader = OpenWith(dir, 100, {{"write.parquet.stats-enabled.column.id", "false"}});
  EXPECT_FALSE(Chunk(*reader, 0)->is_stats_set());
  EXPECT_TRUE(Chunk(*reader, 1)->is_stats_set());
}

TEST(ParquetWriteOptions, HonourBloomFilters) {
  ScratchDir dir;
  const std::string enabled = "write.parquet.bloom-filter-enabled.column.name";
  EXPECT_FALSE(Chunk(*OpenWith(dir, 100, {}), 1)->bloom_filter_offset().has_value());
  auto reader = OpenWith(dir, 100, {{enabled, "true"}});
  EXPECT_FALSE(Chunk(*reader, 0)->bloom_filter_offset().has_value());
  ASSERT_TRUE(Chunk(*reader, 1)->bloom_filter_offset().has_value());
  auto length = [&](const OptionMap& properties) {
    return Chunk(*OpenWith(dir, 100, properties), 1)->bloom_filter_length().value();
  };
  OptionMap full = {{enabled, "true"}, {"write.parquet.bloom-filter-adaptive-enabled", "false"}};
  EXPECT_NEAR(length(full), 1 << 20, 100);
  OptionMap limited = full;
  limited["write.parquet.bloom-filter-max-bytes"] = "4096";
  EXPECT_NEAR(length(limited), 4096, 100);
  OptionMap few = full;
  few["write.parquet.bloom-filter-ndv.column.name"] = "1000";
  EXPECT_NEAR(length(few), 2048, 100);
  few["write.parquet.bloom-filter-fpp.column.name"] = "0.000001";
  EXPECT_GT(length(few), 4000);
  EXPECT_LT(length({{enabled, "true"}}), 4096);
  Refusal(ErrorKind::kInvalidArgument, {{"write.parquet.bloom-filter-fpp.column.name", "1.5"}});
  Refusal(ErrorKind::kInvalidArgument, {{"write.parquet.bloom-filter-ndv.column.name", "0"}});
  Schema flag(0, {NestedField::Optional(1, "flag", Type::Boolean())});
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                      [&] {
                        ResolveParquetWriteOptions(flag, {{"write.parquet.bloom-filter-enabled.column.flag", "true"}});
                      }),
              HasSubstr("boolean"));
}

TEST(ParquetWriteOptions, RefuseWhatTheyDoNotKnow) {
  EXPECT_THAT(Refusal(ErrorKind::kInvalidArgument, {{"write.parquet.page-size-byte", "1"}}),
              HasSubstr("did you mean 'write.parquet.page-size-bytes'"));
  EXPECT_THAT(Refusal(ErrorKind::kInvalidArgument, {{"write.parquet.bloom-filter-enabled.column.nome", "true"}}),
              HasSubstr("column"));
  EXPECT_THAT(Refusal(ErrorKind::kInvalidArgument, {{"write.metadata.metrics.column.nome", "full"}}),
              HasSubstr("write.metadata.metrics.column.nome"));
  EXPECT_THAT(Refusal(ErrorKind::kInvalidArgument, {{"write.metadata.metrics.default", "truncate(0)"}}),
              HasSubstr("truncate(<length>)"));
  EXPECT_THAT(Refusal(ErrorKind::kUnsupported, {{"write.parquet.shred-variants", "true"}}), HasSubstr("variants"));
  Schema list(0, {NestedField::Optional(1, "l", Type::List(NestedField::Optional(2, "element", Type::Int())))});
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                      [&] {
                        ResolveParquetWriteOptions(list, {{"write.metadata.metrics.column.l", "full"}});
                      }),
              HasSubstr("primitive"));
}

}  // namespace
}  // namespace frazil::datafile
