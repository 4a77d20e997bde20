// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <arrow/io/file.h>
#include <parquet/arrow/writer.h>

#include "data_files.h"

namespace frazil::datafile {
namespace {

using iceberg::NestedField;
using iceberg::Schema;
using iceberg::Type;
using iceberg::TypeId;
using test::ErrorOf;
using test::ScratchDir;
using testing::ElementsAre;
using testing::HasSubstr;

NestedField WithDefault(NestedField field, iceberg::Literal value) {
  field.initial_default = std::move(value);
  return field;
}

/// A file that another program wrote, with plain Arrow calls.
void WriteForeign(const std::string& path, const std::shared_ptr<arrow::Schema>& schema, const std::string& json) {
  auto array = arrow::json::ArrayFromJSONString(schema->field(0)->type(), json).ValueOrDie();
  auto batch = arrow::RecordBatch::Make(schema, array->length(), {array});
  auto sink = arrow::io::FileOutputStream::Open(path).ValueOrDie();
  auto writer = parquet::arrow::FileWriter::Open(*schema, arrow::default_memory_pool(), sink).ValueOrDie();
  ASSERT_TRUE(writer->WriteRecordBatch(*batch).ok());
  ASSERT_TRUE(writer->Close().ok());
}

std::shared_ptr<arrow::Schema> ForeignColumn(const std::shared_ptr<arrow::DataType>& type,
                                             const std::string& id = "1") {
  auto metadata = id.empty() ? nullptr : arrow::key_value_metadata({"PARQUET:field_id"}, {id});
  return arrow::schema({arrow::field("c", type)->WithMetadata(metadata)});
}

TEST(ParquetReader, ProjectsByIdInTheWantedOrder) {
  ScratchDir dir;
  Schema written(0, {NestedField::Optional(1, "a", Type::Int()), NestedField::Optional(2, "b", Type::String()),
                     NestedField::Optional(3, "c", Type::Int())});
  WriteFile(dir / "f", written, {Rows(written, {"[1, 2]", R"(["x", "y"])", "[5, 6]"})});
  Schema wanted(1, {NestedField::Optional(3, "renamed", Type::Int()), NestedField::Optional(1, "b", Type::Int())});
  auto batches = ReadBatches(dir / "f", wanted);
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0]->num_columns(), 2);
  EXPECT_EQ(batches[0]->schema()->field(0)->name(), "renamed");
  ExpectColumn(batches[0]->column(0), "[5, 6]");
  ExpectColumn(batches[0]->column(1), "[1, 2]");
}

TEST(ParquetReader, PrunesAndReordersNestedFields) {
  ScratchDir dir;
  Type full = Type::Struct({NestedField::Optional(2, "a", Type::Int()), NestedField::Optional(3, "b", Type::String()),
                            NestedField::Optional(4, "c", Type::Int())});
  Schema written(0,
                 {NestedField::Optional(1, "l", Type::List(NestedField::Optional(5, "element", full))),
                  NestedField::Optional(
                      6, "m",
                      Type::Map(NestedField::Required(7, "key", Type::String()),
                                NestedField::Optional(8, "value",
                                                      Type::Struct({NestedField::Optional(9, "x", Type::Int()),
                                                                    NestedField::Optional(10, "y", Type::Int())}))))});
  WriteFile(dir / "f", written,
            {Rows(written, {R"([[{"a": 1, "b": "x", "c": 3}, null], null, []])",
                            R"([[["k", {"x": 1, "y": 2}]], null, [["n", null]]])"})});
  Type some = Type::Struct({NestedField::Optional(4, "c", Type::Long()), NestedField::Optional(2, "a2", Type::Int()),
                            NestedField::Optional(77, "new", Type::Int())});
  Schema wanted(
      1,
      {NestedField::Optional(
           6, "m",
           Type::Map(NestedField::Required(7, "key", Type::String()),
                     NestedField::Optional(8, "value", Type::Struct({NestedField::Optional(10, "y", Type::Long())})))),
       NestedField::Optional(1, "l", Type::List(NestedField::Optional(5, "element", some)))});
  ExpectColumn(ReadColumn(dir / "f", wanted, 0), R"([[["k", {"y": 2}]], null, [["n", null]]])");
  ExpectColumn(ReadColumn(dir / "f", wanted, 1), R"([[{"c": 3, "a2": 1, "new": null}, null], null, []])");
}

TEST(ParquetReader, ReadsAStructOfWhichOnlyNewFieldsAreWanted) {
  ScratchDir dir;
  Schema written(0, {NestedField::Optional(1, "s", Type::Struct({NestedField::Optional(2, "a", Type::Int())}))});
  WriteFile(dir / "f", written, {Rows(written, {R"([{"a": 1}, null, {"a": null}])"})});
  Schema wanted(1, {NestedField::Optional(
                       1, "s", Type::Struct({WithDefault(NestedField::Optional(9, "n", Type::Int()), int32_t{7})}))});
  ExpectColumn(ReadColumn(dir / "f", wanted), R"([{"n": 7}, null, {"n": 7}])");
}

TEST(ParquetReader, Promotes) {
  ScratchDir dir;
  auto promoted = [&](const Type& from, const std::string& json, const Type& to) {
    static int n = 0;
    std::string path = dir / fmt::format("f{}", n++);
    Schema written(0, {NestedField::Optional(1, "c", from)});
    WriteFile(path, written, {Rows(written, {json})});
    return ReadColumn(path, Schema(1, {NestedField::Optional(1, "c", to)}));
  };
  ExpectColumn(promoted(Type::Int(), "[-1, null, 2147483647]", Type::Long()), "[-1, null, 2147483647]");
  ExpectColumn(promoted(Type::Float(), "[1.5, null]", Type::Double()), "[1.5, null]");
  ExpectColumn(promoted(Type::Decimal(9, 2), R"(["14.20", null])", Type::Decimal(20, 2)), R"(["14.20", null])");
  ExpectColumn(promoted(Type::Decimal(18, 2), R"(["14.20", null])", Type::Decimal(38, 2)), R"(["14.20", null])");
  ExpectColumn(promoted(Type::Date(), "[-1, null, 1]", Type::Timestamp()), "[-86400000000, null, 86400000000]");
  ExpectColumn(promoted(Type::Date(), "[1]", Type(TypeId::kTimestampNs)), "[86400000000000]");
}

TEST(ParquetReader, RefusesWhatIsNoPromotion) {
  ScratchDir dir;
  auto refusal = [&](const Type& from, const std::string& json, const Type& to) {
    static int n = 0;
    std::string path = dir / fmt::format("g{}", n++);
    Schema written(0, {NestedField::Optional(1, "c", from)});
    WriteFile(path, written, {Rows(written, {json})});
    return ErrorOf(ErrorKind::kCorrupt, [&] { ReadColumn(path, Schema(1, {NestedField::Optional(1, "c", to)})); });
  };
  EXPECT_THAT(
      refusal(Type::Long(), "[1]", Type::Int()),
      testing::AllOf(HasSubstr("column 'c' (id 1) is int64"), HasSubstr("can't be read as int"), HasSubstr("/g0")));
  refusal(Type::Double(), "[1]", Type::Float());
  refusal(Type::Decimal(9, 2), R"(["1.00"])", Type::Decimal(9, 3));
  refusal(Type::Decimal(9, 2), R"(["1.00"])", Type::Decimal(8, 2));
  refusal(Type::Date(), "[1]", Type::TimestampTz());
  refusal(Type::String(), R"(["1"])", Type::Int());
  refusal(Type::Int(), "[1]", Type::List(NestedField::Optional(2, "element", Type::Int())));
  refusal(Type::Int(), "[1]", Type::Struct({NestedField::Optional(2, "x", Type::Int())}));
}

TEST(ParquetReader, SuppliesWhatTheFileLacks) {
  ScratchDir dir;
  Schema written(0, {NestedField::Optional(1, "id", Type::Int())});
  WriteFile(dir / "f", written, {Rows(written, {"[1, 2]"})});
  ReadOptions options;
  options.constants = {{2, std::string("eu")}, {1, int32_t{99}}, {4, iceberg::Literal()}};
  Schema wanted(1, {NestedField::Optional(2, "region", Type::String()), NestedField::Optional(1, "id", Type::Int()),
                    WithDefault(NestedField::Required(3, "n", Type::Long()), int64_t{-5}),
                    WithDefault(NestedField::Optional(4, "p", Type::Int()), int32_t{8}),
                    NestedField::Optional(5, "s", Type::Struct({NestedField::Optional(6, "x", Type::Int())})),
                    WithDefault(NestedField::Optional(7, "dec", Type::Decimal(38, 2)), static_cast<__int128>(-1420)),
                    WithDefault(NestedField::Optional(8, "at", Type::TimestampTz()), int64_t{256}),
                    WithDefault(NestedField::Optional(9, "flag", Type::Boolean()), true),
                    WithDefault(NestedField::Optional(10, "u", Type::Uuid()), std::string("0123456789abcdef")),
                    WithDefault(NestedField::Optional(11, "d", Type::Double()), 1.5),
                    WithDefault(NestedField::Optional(12, "day", Type::Date()), int32_t{3}),
                    WithDefault(NestedField::Optional(13, "b", Type::Binary()), std::string("xy")),
                    WithDefault(NestedField::Optional(14, "f", Type::Float()), 2.5f),
                    WithDefault(NestedField::Optional(15, "t", Type::Time()), int64_t{9})});
  auto batches = ReadBatches(dir / "f", wanted, options);
  ASSERT_EQ(batches.size(), 1u);
  const char* expected[] = {R"(["eu", "eu"])", "[1, 2]",       "[-5, -5]",
                            "[null, null]",    "[null, null]", R"(["-14.20", "-14.20"])",
                            "[256, 256]",      "[true, true]", R"(["0123456789abcdef", "0123456789abcdef"])",
                            "[1.5, 1.5]",      "[3, 3]",       R"(["xy", "xy"])",
                            "[2.5, 2.5]",      "[9, 9]"};
  for (int i = 0; i < batches[0]->num_columns(); ++i) ExpectColumn(batches[0]->column(i), expected[i]);

  Schema missing(1, {NestedField::Required(3, "n", Type::Long())});
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { ReadColumn(dir / "f", missing); }),
              testing::AllOf(HasSubstr("required column 'n' (id 3)"), HasSubstr(dir / "f")));
}

TEST(ParquetReader, CountsRowsWithoutReadingColumns) {
  ScratchDir dir;
  Schema written(0, {NestedField::Optional(1, "id", Type::Int())});
  WriteFile(dir / "f", written, {Rows(written, {"[1, 2, 3, 4, 5]"})},
            {{"write.parquet.row-group-size-bytes", "1"},
             {"write.parquet.row-group-check-min-record-count", "3"},
             {"write.parquet.row-group-check-max-record-count", "3"}});
  ReadOptions options;
  options.batch_size = 2;
  std::vector<int64_t> rows;
  for (const auto& batch : ReadBatches(dir / "f", Schema(1, {}), options)) rows.push_back(batch->num_rows());
  EXPECT_THAT(rows, ElementsAre(2, 1, 2));
  ExpectColumn(ReadColumn(dir / "f", Schema(1, {NestedField::Optional(9, "new", Type::Int())})),
               "[null, null, null, null, null]");
}

TEST(ParquetReader, ReadsSplitsByRowGroupStart) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "id", Type::Int())});
  auto file = WriteFile(dir / "f", schema, {Rows(schema, {"[1, 2, 3, 4, 5, 6]"})},
                        {{"write.parquet.row-group-size-bytes", "1"},
                         {"write.parquet.row-group-check-min-record-count", "2"},
                         {"write.parquet.row-group-check-max-record-count", "2"}});
  ASSERT_EQ(file.split_offsets.size(), 3u);
  auto read = [&](int64_t start, std::optional<int64_t> length) {
    ReadOptions options;
    options.split_start = start;
    options.split_length = length;
    return ReadColumn(dir / "f", schema, 0, options);
  };
  ExpectColumn(read(0, file.split_offsets[1]), "[1, 2]");
  ExpectColumn(read(file.split_offsets[1], file.split_offsets[2] - file.split_offsets[1]), "[3, 4]");
  ExpectColumn(read(file.split_offsets[1], std::nullopt), "[3, 4, 5, 6]");
  ExpectColumn(read(file.split_offsets[2] + 1, std::nullopt), "[]");
}

TEST(ParquetReader, LimitsBatches) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "id", Type::Int())});
  WriteFile(dir / "f", schema, {Rows(schema, {"[1, 2, 3, 4, 5]"})});
  ReadOptions options;
  options.batch_size = 2;
  std::vector<int64_t> rows;
  for (const auto& batch : ReadBatches(dir / "f", schema, options)) rows.push_back(batch->num_rows());
  EXPECT_THAT(rows, ElementsAre(2, 2, 1));
  options.batch_size = 0;
  ErrorOf(ErrorKind::kInvalidArgument, [&] { ReadBatches(dir / "f", schema, options); });
}

TEST(ParquetReader, ReadsOtherUnitsAndWidths) {
  ScratchDir dir;
  auto read = [&](const std::shared_ptr<arrow::DataType>& stored, const std::string& json, const Type& wanted) {
    static int n = 0;
    std::string path = dir / fmt::format("h{}", n++);
    WriteForeign(path, ForeignColumn(stored), json);
    return ReadColumn(path, Schema(0, {NestedField::Optional(1, "c", wanted)}));
  };
  ExpectColumn(read(arrow::timestamp(arrow::TimeUnit::MILLI), "[-1, null, 5]", Type::Timestamp()),
               "[-1000, null, 5000]");
  ExpectColumn(read(arrow::timestamp(arrow::TimeUnit::NANO, "UTC"), "[-1, null, 5999]", Type::TimestampTz()),
               "[-1, null, 5]");
  ExpectColumn(read(arrow::timestamp(arrow::TimeUnit::MICRO), "[7]", Type(TypeId::kTimestampNs)), "[7000]");
  ExpectColumn(read(arrow::time32(arrow::TimeUnit::MILLI), "[7, null]", Type::Time()), "[7000, null]");
  ExpectColumn(read(arrow::int8(), "[-7, null]", Type::Int()), "[-7, null]");
  ExpectColumn(read(arrow::uint16(), "[65535, null]", Type::Long()), "[65535, null]");
  ExpectColumn(read(arrow::binary(), R"(["abc", null])", Type::String()), R"(["abc", null])");
  ExpectColumn(read(arrow::decimal128(9, 2), R"(["1.50", null])", Type::Decimal(9, 2)), R"(["1.50", null])");
  EXPECT_THAT(
      ErrorOf(
          ErrorKind::kCorrupt,
          [&] { read(arrow::timestamp(arrow::TimeUnit::MICRO), "[9223372036854775807]", Type(TypeId::kTimestampNs)); }),
      HasSubstr("out of the range"));
}

TEST(ParquetReader, RefusesFilesWithoutFieldIds) {
  ScratchDir dir;
  WriteForeign(dir / "f", ForeignColumn(arrow::int32(), ""), "[1]");
  Schema schema(0, {NestedField::Optional(1, "c", Type::Int())});
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { ReadColumn(dir / "f", schema); }), HasSubstr("name mapping"));
}

TEST(ParquetReader, NamesBrokenFiles) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "id", Type::Int()), NestedField::Optional(2, "s", Type::String())});
  WriteFile(dir / "f", schema, {Rows(schema, {"[1, 2, 3]", R"(["a", "b", "c"])"})});
  auto io = storage::MakeFileIO({});
  std::string bytes = io->ReadAll(dir / "f");
  auto refusal = [&](ErrorKind kind, const std::string& name, const std::string& content) {
    io->WriteAll(dir / name, content);
    return ErrorOf(kind, [&] { ReadBatches(dir / name, schema); });
  };
  EXPECT_THAT(refusal(ErrorKind::kCorrupt, "empty", ""), HasSubstr("/empty"));
  EXPECT_THAT(refusal(ErrorKind::kCorrupt, "text", "this is not a Parquet file"), HasSubstr("/text"));
  EXPECT_THAT(refusal(ErrorKind::kCorrupt, "cut", bytes.substr(0, bytes.size() / 2)), HasSubstr("/cut"));
  EXPECT_THAT(refusal(ErrorKind::kUnsupported, "secret", bytes.substr(0, bytes.size() - 4) + "PARE"),
              HasSubstr("encrypted"));
  std::string damaged = bytes;
  for (size_t i = 4; i < 40; ++i) damaged[i] = '\xFF';
  EXPECT_THAT(refusal(ErrorKind::kCorrupt, "damaged", damaged), HasSubstr("/damaged"));
  EXPECT_THAT(ErrorOf(ErrorKind::kNotFound, [&] { ReadBatches(dir / "none", schema); }), HasSubstr("/none"));
}

/// No damaged byte may crash the reader: it reads something or says Corrupt (or Unsupported, or that memory is short).
TEST(ParquetReader, SurvivesEveryDamagedByteOfAFooter) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "id", Type::Int()), NestedField::Optional(2, "s", Type::String())});
  WriteFile(dir / "f", schema, {Rows(schema, {"[1, 2, 3]", R"(["a", "b", "c"])"})});
  auto io = storage::MakeFileIO({});
  std::string bytes = io->ReadAll(dir / "f");
  for (size_t i = 4; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    io->Delete(dir / "d");
    io->WriteAll(dir / "d", damaged);
    try {
      auto reader = OpenParquetReader(*io, dir / "d", schema, {});
      while (reader->Next() != nullptr) {
      }
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr("/d")) << "byte " << i;
      EXPECT_TRUE(e.kind() == ErrorKind::kCorrupt || e.kind() == ErrorKind::kUnsupported ||
                  e.kind() == ErrorKind::kUnavailable)
          << "byte " << i << ": " << e.what();
    }
  }
}

}  // namespace
}  // namespace frazil::datafile
