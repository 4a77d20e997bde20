// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/printer.h>
#include <parquet/schema.h>

#include <nlohmann/json.hpp>

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

/// Writes, reads back and compares; in one batch, in batches of one row, and in tiny row groups.
void ExpectRoundTrip(const Type& type, const std::string& json) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "c", type)});
  auto rows = Rows(schema, {json});
  WriteFile(dir / "one", schema, {rows});
  ExpectColumn(ReadColumn(dir / "one", schema), json);

  std::vector<std::shared_ptr<arrow::RecordBatch>> single_rows;
  for (int64_t i = 0; i < rows->num_rows(); ++i) single_rows.push_back(rows->Slice(i, 1));
  WriteFile(dir / "many", schema, single_rows,
            {{"write.parquet.row-group-size-bytes", "1"},
             {"write.parquet.row-group-check-min-record-count", "2"},
             {"write.parquet.row-group-check-max-record-count", "2"}});
  ExpectColumn(ReadColumn(dir / "many", schema), json);
}

TEST(ParquetWriter, KeepsEveryPrimitiveType) {
  ExpectRoundTrip(Type::Boolean(), "[true, null, false]");
  ExpectRoundTrip(Type::Int(), "[-2147483648, null, 2147483647]");
  ExpectRoundTrip(Type::Long(), "[-9223372036854775808, null, 9223372036854775807]");
  ExpectRoundTrip(Type::Float(), "[1.5, null, -Inf]");
  ExpectRoundTrip(Type::Double(), "[1.5, null, 1e300]");
  ExpectRoundTrip(Type::Decimal(9, 2), R"(["9999999.99", null, "-0.01"])");
  ExpectRoundTrip(Type::Decimal(18, 2), R"(["9999999999999999.99", null, "-0.01"])");
  ExpectRoundTrip(Type::Decimal(19, 0), R"(["9999999999999999999", null, "-1"])");
  ExpectRoundTrip(Type::Decimal(38, 10), R"(["9999999999999999999999999999.9999999999", null, "-0.0000000001"])");
  ExpectRoundTrip(Type::Date(), "[-719162, null, 20000]");
  ExpectRoundTrip(Type::Time(), "[0, null, 86399999999]");
  ExpectRoundTrip(Type::Timestamp(), "[-1, null, 1767225600123456]");
  ExpectRoundTrip(Type::TimestampTz(), "[-1, null, 1767225600123456]");
  ExpectRoundTrip(Type(TypeId::kTimestampNs), "[-1, null, 1767225600123456789]");
  ExpectRoundTrip(Type(TypeId::kTimestampTzNs), "[-1, null, 1767225600123456789]");
  ExpectRoundTrip(Type::String(), R"(["", null, "grüße 😀"])");
  ExpectRoundTrip(Type::Binary(), R"(["", null, "abc"])");
  ExpectRoundTrip(Type::Uuid(), R"(["0123456789abcdef", null])");
  ExpectRoundTrip(Type::Fixed(3), R"(["abc", null, "def"])");
}

TEST(ParquetWriter, KeepsNestedTypes) {
  Type ints = Type::List(NestedField::Optional(11, "element", Type::Int()));
  ExpectRoundTrip(ints, "[[1, null, 3], [], null, [4]]");
  ExpectRoundTrip(Type::List(NestedField::Optional(10, "element", ints)),
                  "[[[1], [], null, [2, null]], null, [], [null]]");
  Type map =
      Type::Map(NestedField::Required(20, "key", Type::String()), NestedField::Optional(21, "value", Type::Long()));
  ExpectRoundTrip(map, R"([[["a", 1], ["b", null]], null, [], [["c", 3]]])");
  Type point = Type::Struct({NestedField::Optional(30, "x", Type::Int()), NestedField::Optional(31, "tags", ints)});
  ExpectRoundTrip(point, R"([{"x": 1, "tags": [1, 2]}, null, {"x": null, "tags": null}, {"x": 4, "tags": []}])");
  ExpectRoundTrip(Type::List(NestedField::Optional(40, "element", point)),
                  R"([[{"x": 1, "tags": [7]}, null, {"x": null, "tags": [null]}], null, [], [null]])");
  ExpectRoundTrip(Type::Struct({NestedField::Optional(50, "s", point), NestedField::Optional(51, "m", map)}),
                  R"([{"s": null, "m": [["k", 5]]}, null, {"s": {"x": 1, "tags": []}, "m": null}])");
}

TEST(ParquetWriter, KeepsRequiredFieldsInsideNullStructs) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "s",
                                          Type::Struct({NestedField::Required(2, "a", Type::Int()),
                                                        NestedField::Required(3, "b", Type::String())}))});
  std::string json = R"([{"a": 1, "b": "x"}, null, {"a": 3, "b": "z"}])";
  auto rows = Rows(schema, {json});
  // The children as a builder may leave them: null where the struct is.
  auto a = arrow::json::ArrayFromJSONString(arrow::int32(), "[1, null, 3]").ValueOrDie();
  auto b = arrow::json::ArrayFromJSONString(arrow::utf8(), R"(["x", null, "z"])").ValueOrDie();
  auto data = rows->column(0)->data()->Copy();
  data->child_data = {a->data(), b->data()};
  auto nulls_below = arrow::RecordBatch::Make(rows->schema(), 3, {arrow::MakeArray(data)});
  WriteFile(dir / "f", schema, {rows, nulls_below});
  auto read = ReadColumn(dir / "f", schema);
  ExpectColumn(read->Slice(0, 3), json);
  ExpectColumn(read->Slice(3, 3), json);
}

TEST(ParquetWriter, KeepsSlicesAndListsWithGaps) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "l", Type::List(NestedField::Optional(2, "element", Type::Int())))});
  auto rows = Rows(schema, {"[[9], [1, 2], null, [3], [9]]"});
  // A null list that still spans elements: legal in Arrow, and nothing of it may reach the file.
  auto values = arrow::json::ArrayFromJSONString(arrow::int32(), "[1, 2, 66, 77, 3]").ValueOrDie();
  auto offsets = arrow::json::ArrayFromJSONString(arrow::int32(), "[0, 2, 4, 5]").ValueOrDie();
  std::shared_ptr<arrow::Buffer> validity = arrow::Buffer::FromString("\x05");
  auto gaps = arrow::MakeArray(
      arrow::ArrayData::Make(rows->column(0)->type(), 3, {validity, offsets->data()->buffers[1]}, {values->data()}, 1));
  WriteFile(dir / "f", schema, {rows->Slice(1, 3), arrow::RecordBatch::Make(rows->schema(), 3, {gaps})});
  ExpectColumn(ReadColumn(dir / "f", schema), "[[1, 2], null, [3], [1, 2], null, [3]]");
}

TEST(ParquetWriter, PutsFieldIdsAndTypesAtAllLevels) {
  ScratchDir dir;
  Type map =
      Type::Map(NestedField::Required(7, "key", Type::String()), NestedField::Optional(8, "value", Type::Uuid()));
  Schema schema(
      0, {NestedField::Required(1, "id", Type::Long()), NestedField::Optional(2, "amount", Type::Decimal(18, 2)),
          NestedField::Optional(3, "small", Type::Decimal(9, 2)), NestedField::Optional(4, "big", Type::Decimal(20, 2)),
          NestedField::Optional(5, "at", Type::TimestampTz()), NestedField::Optional(6, "m", map),
          NestedField::Optional(
              9, "l",
              Type::List(NestedField::Required(10, "element",
                                               Type::Struct({NestedField::Optional(11, "t", Type::Time()),
                                                             NestedField::Required(12, "a b", Type::Fixed(4))})))),
          NestedField::Optional(13, "local", Type::Timestamp()),
          NestedField::Optional(14, "ns", Type(TypeId::kTimestampNs))});
  WriteFile(dir / "f", schema,
            {Rows(schema, {"[1]", "[null]", "[null]", "[null]", "[null]", "[null]", "[null]", "[null]", "[null]"})});
  auto reader = parquet::ParquetFileReader::OpenFile(dir / "f");
  std::stringstream text;
  parquet::schema::PrintSchema(reader->metadata()->schema()->schema_root().get(), text);
  EXPECT_EQ(text.str(), R"(required group field_id=-1 table {
  required int64 field_id=1 id;
  optional int64 field_id=2 amount (Decimal(precision=18, scale=2));
  optional int32 field_id=3 small (Decimal(precision=9, scale=2));
  optional fixed_len_byte_array(9) field_id=4 big (Decimal(precision=20, scale=2));
  optional int64 field_id=5 at (Timestamp(isAdjustedToUTC=true, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false));
  optional group field_id=6 m (Map) {
    repeated group field_id=-1 key_value {
      required binary field_id=7 key (String);
      optional fixed_len_byte_array(16) field_id=8 value (UUID);
    }
  }
  optional group field_id=9 l (List) {
    repeated group field_id=-1 list {
      required group field_id=10 element {
        optional int64 field_id=11 t (Time(isAdjustedToUTC=false, timeUnit=microseconds));
        required fixed_len_byte_array(4) field_id=12 a_x20b;
      }
    }
  }
  optional int64 field_id=13 local (Timestamp(isAdjustedToUTC=false, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false));
  optional int64 field_id=14 ns (Timestamp(isAdjustedToUTC=false, timeUnit=nanoseconds, is_from_converted_type=false, force_set_converted_type=false));
}
)");
  auto metadata = reader->metadata()->key_value_metadata();
  ASSERT_EQ(metadata->size(), 1);
  EXPECT_EQ(metadata->key(0), "iceberg.schema");
  EXPECT_EQ(iceberg::SchemaFromJson(nlohmann::json::parse(metadata->value(0))), schema);
}

TEST(ParquetWriter, DescribesTheFile) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Required(1, "id", Type::Long())});
  std::string location = "file://" + (dir / "f");
  auto file = WriteFile(location, schema, {Rows(schema, {"[1, 2, 3]"}), Rows(schema, {"[4]"})});
  EXPECT_EQ(file.file_path, location);
  EXPECT_EQ(file.file_format, "parquet");
  EXPECT_EQ(file.content, iceberg::FileContent::kData);
  EXPECT_EQ(file.record_count, 4);
  EXPECT_EQ(file.file_size_in_bytes, static_cast<int64_t>(std::filesystem::file_size(dir / "f")));
  EXPECT_THAT(file.split_offsets, ElementsAre(4));
  EXPECT_EQ(file.sort_order_id, std::nullopt);
  EXPECT_EQ(file.first_row_id, std::nullopt);
}

TEST(ParquetWriter, WritesAnEmptyFile) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Required(1, "id", Type::Long())});
  auto file = WriteFile(dir / "f", schema, {});
  EXPECT_EQ(file.record_count, 0);
  EXPECT_TRUE(file.split_offsets.empty());
  EXPECT_TRUE(ReadBatches(dir / "f", schema).empty());
}

TEST(ParquetWriter, LeavesOutUnknownColumns) {
  ScratchDir dir;
  Schema schema(
      0, {NestedField::Optional(1, "nothing", Type(TypeId::kUnknown)), NestedField::Optional(2, "id", Type::Int())});
  WriteFile(dir / "f", schema, {Rows(schema, {"[null, null]", "[1, 2]"})});
  EXPECT_EQ(parquet::ParquetFileReader::OpenFile(dir / "f")->metadata()->num_columns(), 1);
  ExpectColumn(ReadColumn(dir / "f", schema, 0), "[null, null]");
  ExpectColumn(ReadColumn(dir / "f", schema, 1), "[1, 2]");
}

TEST(ParquetWriter, EstimatesTheSizeBeforeItCloses) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "s", Type::String())});
  auto io = storage::MakeFileIO({});
  auto writer = OpenParquetWriter(io->Create(dir / "f"), schema, ResolveParquetWriteOptions(schema, {}));
  std::string json = "[";
  uint64_t state = 1;
  for (int i = 0; i < 30'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    json += fmt::format("{}\"{:016x}{:016x}\"", i == 0 ? "" : ",", state, state * 0x9E3779B97F4A7C15u);
  }
  auto rows = Rows(schema, {json + "]"});
  writer->Write(*rows->Slice(0, 100));
  EXPECT_GT(writer->EstimatedSize(), 100 * 16);
  EXPECT_EQ(writer->rows_written(), 100);
  int64_t last = 0;
  for (int i = 0; i < 20; ++i) {
    writer->Write(*rows);
    EXPECT_GT(writer->EstimatedSize(), last);
    last = writer->EstimatedSize();
  }
  auto file = writer->Close();
  EXPECT_NEAR(static_cast<double>(last), static_cast<double>(file.file_size_in_bytes), file.file_size_in_bytes * 0.2);
}

TEST(ParquetWriter, LeavesNothingWhenAbandoned) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "id", Type::Int())});
  auto io = storage::MakeFileIO({});
  auto writer = OpenParquetWriter(io->Create(dir / "f"), schema, ResolveParquetWriteOptions(schema, {}));
  writer->Write(*Rows(schema, {"[1, 2]"}));
  writer.reset();
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(ParquetWriter, RefusesWhatIsNotTheSchema) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Required(1, "id", Type::Int()),
                    NestedField::Optional(2, "l", Type::List(NestedField::Required(3, "element", Type::String())))});
  auto io = storage::MakeFileIO({});
  auto options = ResolveParquetWriteOptions(schema, {});
  auto refusal = [&](const std::shared_ptr<arrow::RecordBatch>& rows) {
    auto writer = OpenParquetWriter(io->Create(dir / "f"), schema, options);
    return ErrorOf(ErrorKind::kInvalidArgument, [&] {
      writer->Write(*rows);
      writer->Close();
    });
  };
  EXPECT_THAT(refusal(Rows(schema, {"[1, null]", "[null, null]"})), HasSubstr("required column 'id'"));
  EXPECT_THAT(refusal(Rows(schema, {"[1]", R"([["a", null]])"})), HasSubstr("required column 'l.element'"));
  Schema longer(0, {NestedField::Required(1, "id", Type::Long()), schema.fields()[1]});
  EXPECT_THAT(refusal(Rows(longer, {"[1]", "[null]"})), HasSubstr("column 'id' is int and comes as Arrow int64"));
  Schema other_list(0, {schema.fields()[0],
                        NestedField::Optional(2, "l", Type::List(NestedField::Optional(3, "element", Type::Int())))});
  EXPECT_THAT(refusal(Rows(other_list, {"[1]", "[null]"})), HasSubstr("column 'l.element'"));
  EXPECT_THAT(refusal(Rows(Schema(0, {schema.fields()[0]}), {"[1]"})), HasSubstr("1 columns for a table of 2"));
  ErrorOf(ErrorKind::kInvalidArgument, [&] { OpenParquetWriter(io->Create(dir / "f"), longer, options); });
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(ParquetWriter, SaysWhatItCannotStore) {
  auto refusal = [](const Type& type) {
    Schema schema(0, {NestedField::Optional(1, "c", type)});
    return ErrorOf(ErrorKind::kUnsupported, [&] { ResolveParquetWriteOptions(schema, {}); });
  };
  EXPECT_THAT(refusal(Type(TypeId::kVariant)), HasSubstr("variant"));
  EXPECT_THAT(refusal(Type::Geo(TypeId::kGeometry, "")), HasSubstr("geometry"));
  EXPECT_THAT(refusal(Type::Struct({})), HasSubstr("without fields"));
  ErrorOf(ErrorKind::kUnsupported, [] { ResolveParquetWriteOptions(Schema(0, {}), {}); });
}

TEST(ParquetWriter, SaysThatTheTargetIsTaken) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "id", Type::Int())});
  auto io = storage::MakeFileIO({});
  auto writer = OpenParquetWriter(io->Create(dir / "f"), schema, ResolveParquetWriteOptions(schema, {}));
  io->WriteAll(dir / "f", "other");
  EXPECT_THAT(ErrorOf(ErrorKind::kAlreadyExists, [&] { writer->Close(); }), HasSubstr(dir / "f"));
  EXPECT_EQ(io->ReadAll(dir / "f"), "other");
}

}  // namespace
}  // namespace frazil::datafile
