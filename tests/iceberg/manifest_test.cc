// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/manifest.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include <nlohmann/json.hpp>

#include "frazil/avro/container.h"
#include "frazil/iceberg/manifest_schema.h"
#include "support/support.h"

namespace frazil::iceberg {
namespace {

using test::ErrorOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kSnapshot = 1000;
constexpr int64_t kSequence = 7;

Schema TableSchema() {
  return Schema(3, {NestedField::Required(1, "id", Type::Long()), NestedField::Optional(2, "region", Type::String()),
                    NestedField::Optional(3, "price", Type::Double()), NestedField::Optional(4, "day", Type::Date())});
}

PartitionSpec RegionSpec() { return {5, {{{2}, 1000, "region", {TransformKind::kIdentity}}}}; }

DataFile FullFile(std::string region) {
  DataFile file;
  file.file_path = "s3://bucket/data/" + region + ".parquet";
  file.spec_id = 5;
  file.partition = {region};
  file.record_count = 10;
  file.file_size_in_bytes = 1234;
  file.metrics.column_sizes = {{1, 100}, {2, 50}};
  file.metrics.value_counts = {{1, 10}, {2, 10}, {3, 10}};
  file.metrics.null_value_counts = {{1, 0}, {2, 3}};
  file.metrics.nan_value_counts = {{3, 1}};
  file.metrics.lower_bounds = {{1, ToBinary(Type::Long(), int64_t{-5})}, {2, "a"}};
  file.metrics.upper_bounds = {{1, ToBinary(Type::Long(), int64_t{1} << 40)}, {2, std::string("z\0", 2)}};
  file.key_metadata = std::string("\x00\xff", 2);
  file.split_offsets = {4, 1000};
  file.sort_order_id = 1;
  return file;
}

ManifestFile Committed(ManifestFile file, std::string path = "m.avro") {
  file.manifest_path = std::move(path);
  if (file.sequence_number == kUnassignedSequence) file.sequence_number = kSequence;
  if (file.min_sequence_number == kUnassignedSequence) file.min_sequence_number = kSequence;
  return file;
}

std::vector<ManifestEntry> ReadAll(std::string_view bytes, const ManifestFile& file, const Schema& schema) {
  std::vector<ManifestEntry> entries;
  ReadManifest(bytes, file, schema, [&](ManifestEntry&& entry) { entries.push_back(std::move(entry)); });
  return entries;
}

TEST(Manifest, NewFilesRoundTrip) {
  for (const char* compression : {"gzip", "zstd", "uncompressed", "snappy"}) {
    for (const int version : {1, 2, 3}) {
      SCOPED_TRACE(fmt::format("{} v{}", compression, version));
      ManifestWriter writer(version, TableSchema(), RegionSpec(), ManifestContent::kData, kSnapshot, compression);
      writer.AddNew(FullFile("eu"));
      DataFile bare;
      bare.file_path = "bare.orc";
      bare.file_format = "orc";
      bare.spec_id = 5;
      bare.partition = {Literal()};
      bare.record_count = 2;
      bare.file_size_in_bytes = 20;
      writer.AddNew(bare);
      EXPECT_EQ(writer.entry_count(), 2);
      EXPECT_GT(writer.size(), 0);
      auto [bytes, file] = writer.Finish();

      EXPECT_EQ(file.manifest_length, static_cast<int64_t>(bytes.size()));
      EXPECT_EQ(file.partition_spec_id, 5);
      EXPECT_EQ(file.content, ManifestContent::kData);
      EXPECT_EQ(file.sequence_number, version == 1 ? 0 : kUnassignedSequence);
      EXPECT_EQ(file.min_sequence_number, version == 1 ? 0 : kUnassignedSequence);
      EXPECT_EQ(file.added_snapshot_id, kSnapshot);
      EXPECT_EQ(file.added_files_count, 2);
      EXPECT_EQ(file.existing_files_count, 0);
      EXPECT_EQ(file.deleted_files_count, 0);
      EXPECT_EQ(file.added_rows_count, 12);
      EXPECT_EQ(file.existing_rows_count, 0);
      EXPECT_EQ(file.deleted_rows_count, 0);
      ASSERT_EQ(file.partitions.size(), 1u);
      EXPECT_EQ(file.partitions[0], (PartitionFieldSummary{true, false, "eu", "eu"}));

      const auto entries = ReadAll(bytes, Committed(file), TableSchema());
      ASSERT_EQ(entries.size(), 2u);
      EXPECT_EQ(entries[0].status, EntryStatus::kAdded);
      EXPECT_EQ(entries[0].snapshot_id, kSnapshot);
      EXPECT_EQ(entries[0].sequence_number, version == 1 ? 0 : kSequence);
      EXPECT_EQ(entries[0].file_sequence_number, version == 1 ? 0 : kSequence);
      EXPECT_EQ(entries[0].file, FullFile("eu"));
      EXPECT_EQ(entries[1].file, bare);
    }
  }
}

TEST(Manifest, ExistingAndDeletedEntriesKeepTheirNumbers) {
  ManifestEntry existing{EntryStatus::kAdded, 900, 3, 4, FullFile("eu")};
  ManifestEntry deleted{EntryStatus::kExisting, 901, 2, 2, FullFile("us")};
  ManifestWriter writer(2, TableSchema(), RegionSpec(), ManifestContent::kData, kSnapshot);
  writer.AddExisting(existing);
  writer.AddDeleted(deleted);
  writer.AddNew(FullFile("asia"));
  auto [bytes, file] = writer.Finish();
  EXPECT_EQ(file.min_sequence_number, 3);  // of live entries only
  EXPECT_EQ(file.sequence_number, kUnassignedSequence);
  EXPECT_EQ(file.added_files_count, 1);
  EXPECT_EQ(file.existing_files_count, 1);
  EXPECT_EQ(file.deleted_files_count, 1);
  EXPECT_EQ(file.deleted_rows_count, 10);
  EXPECT_EQ(file.partitions[0], (PartitionFieldSummary{false, false, "asia", "us"}));

  const auto entries = ReadAll(bytes, Committed(file), TableSchema());
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].status, EntryStatus::kExisting);
  EXPECT_EQ(entries[0].snapshot_id, 900);
  EXPECT_EQ(entries[0].sequence_number, 3);
  EXPECT_EQ(entries[0].file_sequence_number, 4);
  EXPECT_EQ(entries[1].status, EntryStatus::kDeleted);
  EXPECT_FALSE(entries[1].is_live());
  EXPECT_EQ(entries[1].snapshot_id, kSnapshot);
  EXPECT_EQ(entries[1].sequence_number, 2);
  EXPECT_EQ(entries[1].file_sequence_number, 2);
  EXPECT_EQ(entries[2].sequence_number, kSequence);
  EXPECT_EQ(entries[2].file_sequence_number, kSequence);
}

TEST(Manifest, DeleteFilesRoundTrip) {
  DataFile equality = FullFile("eu");
  equality.content = FileContent::kEqualityDeletes;
  equality.equality_ids = {1, 2};
  DataFile vector = FullFile("us");
  vector.content = FileContent::kPositionDeletes;
  vector.file_format = "puffin";
  vector.referenced_data_file = "s3://bucket/data/us.parquet";
  vector.content_offset = 4;
  vector.content_size_in_bytes = 42;
  ManifestWriter writer(3, TableSchema(), RegionSpec(), ManifestContent::kDeletes, kSnapshot);
  writer.AddNew(equality);
  writer.AddNew(vector);
  auto [bytes, file] = writer.Finish();
  EXPECT_EQ(file.content, ManifestContent::kDeletes);
  const auto entries = ReadAll(bytes, Committed(file), TableSchema());
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].file, equality);
  EXPECT_EQ(entries[1].file, vector);
}

TEST(Manifest, FirstRowIdsAreInherited) {
  ManifestWriter writer(3, TableSchema(), RegionSpec(), ManifestContent::kData, kSnapshot);
  DataFile with_id = FullFile("b");
  with_id.first_row_id = 500;
  writer.AddNew(FullFile("a"));
  writer.AddNew(with_id);
  writer.AddDeleted({EntryStatus::kDeleted, 1, 1, 1, FullFile("c")});
  writer.AddExisting({EntryStatus::kExisting, 1, 1, 1, FullFile("d")});
  auto [bytes, file] = writer.Finish();
  ManifestFile committed = Committed(file);
  committed.first_row_id = 100;
  std::vector<std::optional<int64_t>> ids;
  for (const auto& entry : ReadAll(bytes, committed, TableSchema())) ids.push_back(entry.file.first_row_id);
  EXPECT_THAT(ids, ElementsAre(100, 500, std::nullopt, 110));

  // A committed manifest without one: its files have none, whatever they say.
  committed.first_row_id.reset();
  for (const auto& entry : ReadAll(bytes, committed, TableSchema())) EXPECT_EQ(entry.file.first_row_id, std::nullopt);
  // Before the commit what is written stays.
  EXPECT_EQ(ReadAll(bytes, file, TableSchema())[1].file.first_row_id, 500);

  committed.first_row_id = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { ReadAll(bytes, committed, TableSchema()); }), HasSubstr("row ids"));
}

Schema WideSchema() {
  return Schema(
      0, {NestedField::Optional(1, "bool", Type::Boolean()), NestedField::Optional(2, "int", Type::Int()),
          NestedField::Optional(3, "long", Type::Long()), NestedField::Optional(4, "float", Type::Float()),
          NestedField::Optional(5, "double", Type::Double()), NestedField::Optional(6, "small", Type::Decimal(9, 2)),
          NestedField::Optional(7, "wide", Type::Decimal(38, 10)), NestedField::Optional(8, "date", Type::Date()),
          NestedField::Optional(9, "time", Type::Time()), NestedField::Optional(10, "ts", Type::Timestamp()),
          NestedField::Optional(11, "tstz", Type::TimestampTz()),
          NestedField::Optional(12, "ns", Type(TypeId::kTimestampNs)),
          NestedField::Optional(13, "nstz", Type(TypeId::kTimestampTzNs)),
          NestedField::Optional(14, "text", Type::String()), NestedField::Optional(15, "uuid", Type::Uuid()),
          NestedField::Optional(16, "fixed", Type::Fixed(3)), NestedField::Optional(17, "binary", Type::Binary())});
}

PartitionSpec IdentitySpec(const Schema& schema) {
  PartitionSpec spec;
  for (const NestedField& field : schema.fields()) {
    spec.fields.push_back({{field.id}, 1000 + field.id, "p." + field.name, {TransformKind::kIdentity}});
  }
  return spec;
}

TEST(Manifest, PartitionValuesOfEveryTypeRoundTrip) {
  const Schema schema = WideSchema();
  const PartitionSpec spec = IdentitySpec(schema);
  DataFile file;
  file.file_path = "f";
  __int128 wide = 1;
  for (int i = 0; i < 37; ++i) wide *= 10;
  file.partition = {true,
                    int32_t{-1},
                    std::numeric_limits<int64_t>::min(),
                    1.5F,
                    -2.5,
                    __int128{-12345},
                    -wide,
                    int32_t{19785},
                    int64_t{86'399'999'999},
                    int64_t{-1},
                    int64_t{1'700'000'000'000'000},
                    int64_t{5},
                    int64_t{6},
                    std::string("köln/1"),
                    std::string("0123456789abcdef"),
                    std::string("\0\1\2", 3),
                    std::string("\xff")};
  DataFile nulls = file;
  nulls.file_path = "g";
  nulls.partition.assign(17, Literal());
  ManifestWriter writer(3, schema, spec, ManifestContent::kData, kSnapshot);
  writer.AddNew(file);
  writer.AddNew(nulls);
  auto [bytes, summary] = writer.Finish();
  const auto entries = ReadAll(bytes, Committed(summary), schema);
  ASSERT_EQ(entries.size(), 2u);
  for (size_t i = 0; i < 17; ++i) {
    EXPECT_EQ(entries[0].file.partition[i], file.partition[i]) << i;
    EXPECT_TRUE(IsNull(entries[1].file.partition[i])) << i;
    const std::string bound = ToBinary(schema.fields()[i].type, file.partition[i]);
    EXPECT_EQ(summary.partitions[i], (PartitionFieldSummary{true, false, bound, bound})) << i;
  }
  // Names that Avro doesn't allow are made legal and kept beside.
  avro::ObjectContainerReader reader(bytes, "m");
  const avro::Field& text = reader.schema().FindField(kDataFileId)->type.FindField(kPartitionId)->type.fields()[13];
  EXPECT_EQ(text.name, "p_x2Etext");
  EXPECT_EQ(text.iceberg_name, "p.text");
}

TEST(Manifest, PartitionSummariesOfFloats) {
  const Schema schema(0, {NestedField::Optional(1, "x", Type::Double())});
  const PartitionSpec spec = IdentitySpec(schema);
  const auto summarize = [&](std::initializer_list<Literal> values) {
    ManifestWriter writer(2, schema, spec, ManifestContent::kData, kSnapshot);
    for (const Literal& value : values) {
      DataFile file;
      file.file_path = "f";
      file.partition = {value};
      writer.AddNew(file);
    }
    return writer.Finish().file.partitions.at(0);
  };
  const auto bound = [](double value) { return ToBinary(Type::Double(), value); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(summarize({}), (PartitionFieldSummary{false, false, {}, {}}));
  EXPECT_EQ(summarize({nan, Literal()}), (PartitionFieldSummary{true, true, {}, {}}));
  EXPECT_EQ(summarize({2.0, nan, -3.0}), (PartitionFieldSummary{false, true, bound(-3.0), bound(2.0)}));
  EXPECT_EQ(summarize({0.0}), (PartitionFieldSummary{false, false, bound(-0.0), bound(0.0)}));
  EXPECT_EQ(summarize({-0.0}), (PartitionFieldSummary{false, false, bound(-0.0), bound(0.0)}));
}

TEST(Manifest, PromotedAndDroppedPartitionSources) {
  const Schema old_schema(
      0, {NestedField::Optional(1, "a", Type::Int()), NestedField::Optional(2, "b", Type::Float()),
          NestedField::Optional(3, "c", Type::Decimal(4, 1)), NestedField::Optional(4, "gone", Type::String())});
  ManifestWriter writer(2, old_schema, IdentitySpec(old_schema), ManifestContent::kData, kSnapshot);
  DataFile file;
  file.file_path = "f";
  file.partition = {int32_t{-7}, 1.5F, __int128{-99}, std::string("x")};
  writer.AddNew(file);
  auto [bytes, summary] = writer.Finish();
  const Schema new_schema(1,
                          {NestedField::Optional(1, "a", Type::Long()), NestedField::Optional(2, "b", Type::Double()),
                           NestedField::Optional(3, "c", Type::Decimal(20, 1))});
  const auto entries = ReadAll(bytes, Committed(summary), new_schema);
  EXPECT_EQ(entries.at(0).file.partition, (PartitionValues{int64_t{-7}, 1.5, __int128{-99}, std::string("x")}));

  const Schema other(1, {NestedField::Optional(1, "a", Type::String())});
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { ReadAll(bytes, Committed(summary), other); }),
              HasSubstr("m.avro: partition field \"p_x2Ea\" of Avro type [\"null\",\"int\"] doesn't hold a string"));
}

TEST(Manifest, MetadataAndNamesAreJavas) {
  ManifestWriter writer(2, TableSchema(), RegionSpec(), ManifestContent::kDeletes, kSnapshot);
  const auto result = writer.Finish();
  avro::ObjectContainerReader reader(result.bytes, "m");
  EXPECT_EQ(reader.codec(), avro::Codec::kDeflate);
  EXPECT_EQ(reader.FindMetadata("format-version"), "2");
  EXPECT_EQ(reader.FindMetadata("content"), "deletes");
  EXPECT_EQ(reader.FindMetadata("schema-id"), "3");
  EXPECT_EQ(reader.FindMetadata("partition-spec-id"), "5");
  EXPECT_EQ(SchemaFromJson(nlohmann::json::parse(*reader.FindMetadata("schema"))), TableSchema());
  EXPECT_EQ(nlohmann::json::parse(*reader.FindMetadata("partition-spec")),
            nlohmann::json::parse(R"([{"name":"region","transform":"identity","source-id":2,"field-id":1000}])"));
  const avro::Schema& entry = reader.schema();
  EXPECT_EQ(entry.name(), "manifest_entry");
  const avro::Schema& file = entry.FindField("data_file")->type;
  EXPECT_EQ(file.name(), "r2");
  EXPECT_EQ(
      file.FindField("partition")->type.ToString(),
      R"({"type":"record","name":"r102","fields":[{"name":"region","type":["null","string"],"default":null,"field-id":1000}]})");
  EXPECT_EQ(
      file.FindField("upper_bounds")->type.required().ToString(),
      R"({"type":"array","items":{"type":"record","name":"k129_v130","fields":[{"name":"key","type":"int","field-id":129},{"name":"value","type":"bytes","field-id":130}]},"logicalType":"map"})");
  std::vector<std::string> names;
  for (const avro::Field& field : entry.fields()) names.push_back(field.name);
  EXPECT_THAT(names, ElementsAre("status", "snapshot_id", "sequence_number", "file_sequence_number", "data_file"));
  EXPECT_EQ(ReadAll(result.bytes, Committed(result.file), TableSchema()).size(), 0u);
}

TEST(Manifest, WriterRefusesWhatDoesNotFit) {
  const auto error = [](auto&& call) { return ErrorOf(ErrorKind::kInvalidArgument, call); };
  const Schema schema = TableSchema();
  EXPECT_THAT(error([&] { ManifestWriter(4, schema, RegionSpec(), ManifestContent::kData, 1); }),
              HasSubstr("format version 4"));
  EXPECT_THAT(error([&] { ManifestWriter(0, schema, RegionSpec(), ManifestContent::kData, 1); }),
              HasSubstr("format version 0"));
  EXPECT_THAT(error([&] { ManifestWriter(1, schema, RegionSpec(), ManifestContent::kDeletes, 1); }),
              HasSubstr("format version 1"));
  EXPECT_THAT(error([&] { ManifestWriter(2, schema, RegionSpec(), ManifestContent::kData, 1, "lz4"); }),
              HasSubstr("lz4"));
  ManifestWriter writer(2, schema, RegionSpec(), ManifestContent::kData, 1);
  DataFile deletes = FullFile("eu");
  deletes.content = FileContent::kPositionDeletes;
  EXPECT_THAT(error([&] { writer.AddNew(deletes); }), HasSubstr("manifest of data"));
  DataFile unpartitioned = FullFile("eu");
  unpartitioned.partition.clear();
  EXPECT_THAT(error([&] { writer.AddNew(unpartitioned); }), HasSubstr("0 partition values"));
  EXPECT_THAT(error([&] {
                writer.AddExisting({EntryStatus::kAdded, 1, {}, {}, FullFile("eu")});
              }),
              HasSubstr("no sequence numbers"));
  EXPECT_THAT(error([&] {
                writer.AddDeleted({EntryStatus::kAdded, 1, 1, {}, FullFile("eu")});
              }),
              HasSubstr("no sequence numbers"));
  EXPECT_THAT(error([&] {
                writer.AddExisting({EntryStatus::kAdded, {}, 1, 1, FullFile("eu")});
              }),
              HasSubstr("no snapshot id"));
}

TEST(Manifest, WriterRefusesPartitionValuesOfAnotherType) {
  const Schema schema = WideSchema();
  const PartitionSpec spec = IdentitySpec(schema);
  const auto error = [&](size_t position, Literal value) {
    DataFile file;
    file.file_path = "f";
    file.partition.assign(17, Literal());
    file.partition[position] = std::move(value);
    return ErrorOf(ErrorKind::kInvalidArgument,
                   [&] { ManifestWriter(3, schema, spec, ManifestContent::kData, 1).AddNew(file); });
  };
  EXPECT_THAT(error(1, int64_t{1}), HasSubstr("\"p_x2Eint\""));
  EXPECT_THAT(error(13, int64_t{1}), HasSubstr("\"p_x2Etext\""));
  EXPECT_THAT(error(15, std::string("four")), HasSubstr("takes 3 bytes, not 4"));
  EXPECT_THAT(error(5, __int128{1} << 40), HasSubstr("more digits"));
}

// ---- hostile and foreign manifests ----

/// A manifest with one entry, written by hand: `entry` is a schema's JSON.
std::string ForeignManifest(std::string_view schema, const std::function<void(avro::BinaryEncoder&)>& write,
                            const avro::Metadata& metadata = {}) {
  avro::ObjectContainerWriter writer(avro::Schema::Parse(schema), metadata, {});
  write(writer.encoder());
  writer.EndRecord();
  return std::move(writer).Finish();
}

constexpr std::string_view kSmallEntry =
    R"({"type":"record","name":"e","fields":[{"name":"status","type":"int","field-id":0},
       {"name":"new","type":["null",{"type":"array","items":"string"}],"field-id":999},
       {"name":"data_file","field-id":2,"type":{"type":"record","name":"f","fields":[
         {"name":"path","type":"string","field-id":100},{"name":"format","type":"string","field-id":101},
         {"name":"without_id","type":"double"},
         {"name":"partition","field-id":102,"type":{"type":"record","name":"p","fields":[
            {"name":"d","type":["null",{"type":"int","logicalType":"date"}],"field-id":1000}]}},
         {"name":"rows","type":"int","field-id":103},{"name":"size","type":"long","field-id":104}]}}]})";

void WriteSmallEntry(avro::BinaryEncoder& encoder, int32_t status, int32_t rows = 3) {
  encoder.WriteInt(status);
  encoder.WritePresent();
  encoder.BeginBlock(1);
  encoder.WriteString("unknown to us");
  encoder.EndBlocks();
  encoder.WriteString("path");
  encoder.WriteString("AVRO");
  encoder.WriteDouble(1);
  encoder.WritePresent();
  encoder.WriteInt(19785);
  encoder.WriteInt(rows);
  encoder.WriteLong(30);
}

TEST(Manifest, UnknownFieldsAndMissingMetadata) {
  const std::string bytes = ForeignManifest(kSmallEntry, [](auto& encoder) { WriteSmallEntry(encoder, 1); });
  ManifestFile file;
  file.manifest_path = "foreign.avro";
  file.partition_spec_id = 2;
  file.sequence_number = 4;
  file.added_snapshot_id = 44;
  const auto entries = ReadAll(bytes, file, Schema());
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].snapshot_id, 44);
  EXPECT_EQ(entries[0].sequence_number, 4);
  EXPECT_EQ(entries[0].file.content, FileContent::kData);
  EXPECT_EQ(entries[0].file.file_path, "path");
  EXPECT_EQ(entries[0].file.file_format, "avro");
  EXPECT_EQ(entries[0].file.spec_id, 2);
  EXPECT_EQ(entries[0].file.partition, PartitionValues{int32_t{19785}});
  EXPECT_EQ(entries[0].file.record_count, 3);
  EXPECT_EQ(entries[0].file.file_size_in_bytes, 30);
}

TEST(Manifest, WrongManifests) {
  ManifestFile file;
  file.manifest_path = "wrong.avro";
  file.sequence_number = 4;
  const auto error = [&](const std::string& bytes, ErrorKind kind = ErrorKind::kCorrupt) {
    const std::string message = ErrorOf(kind, [&] { ReadAll(bytes, file, TableSchema()); });
    EXPECT_THAT(message, testing::StartsWith("wrong.avro"));
    return message;
  };
  const auto small = [](int32_t status, int32_t rows = 3) {
    return ForeignManifest(kSmallEntry, [&](auto& encoder) { WriteSmallEntry(encoder, status, rows); });
  };
  EXPECT_THAT(error(""), HasSubstr("empty"));
  EXPECT_THAT(error("AGS1 and more", ErrorKind::kUnsupported), HasSubstr("encrypted"));
  EXPECT_THAT(error(ForeignManifest(R"({"type":"record","name":"e","fields":[{"name":"status","type":"int"}]})",
                                    [](auto& encoder) { encoder.WriteInt(1); })),
              HasSubstr("has no field with id 2"));
  EXPECT_THAT(error(small(3)), HasSubstr("status can't be 3"));
  EXPECT_THAT(error(small(-1)), HasSubstr("status can't be -1"));
  EXPECT_THAT(error(small(0)), HasSubstr("is not new, but has no sequence number"));
  EXPECT_THAT(error(small(1, -3)), HasSubstr("-3 records"));
  EXPECT_THAT(error(ForeignManifest("\"int\"", [](auto& encoder) { encoder.WriteInt(1); })),
              HasSubstr("type int, not records"));
  EXPECT_THAT(error(ForeignManifest(R"({"type":"record","name":"e","fields":[]})", [](auto&) {})),
              HasSubstr("\"e\" has no field with id 0"));
  EXPECT_THAT(error(ForeignManifest(R"({"type":"record","name":"e","fields":[
                       {"name":"status","type":"string","field-id":0}]})",
                                    [](auto& encoder) { encoder.WriteString("x"); })),
              HasSubstr("field \"status\" (id 0) can't be of Avro type \"string\""));
  const auto write_small = [](auto& encoder) { WriteSmallEntry(encoder, 1); };
  EXPECT_THAT(error(ForeignManifest(kSmallEntry, write_small, {{"format-version", "4"}}), ErrorKind::kUnsupported),
              HasSubstr("format version 4"));
  EXPECT_THAT(error(ForeignManifest(kSmallEntry, write_small, {{"partition-spec", "["}})), HasSubstr("partition-spec"));
  const std::string good = small(1);
  for (size_t size = 0; size < good.size(); ++size) {
    // Cut at the end of the header it is a manifest without entries.
    try {
      EXPECT_EQ(ReadAll(good.substr(0, size), file, TableSchema()).size(), 0u);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kCorrupt);
    }
  }
}

// ---- manifest lists ----

std::vector<ManifestFile> TwoManifests() {
  ManifestFile data;
  data.manifest_path = "s3://bucket/metadata/m0.avro";
  data.manifest_length = 5000;
  data.partition_spec_id = 5;
  data.sequence_number = kUnassignedSequence;
  data.min_sequence_number = kUnassignedSequence;
  data.added_snapshot_id = kSnapshot;
  data.added_files_count = 1;
  data.existing_files_count = 2;
  data.deleted_files_count = 3;
  data.added_rows_count = 10;
  data.existing_rows_count = 20;
  data.deleted_rows_count = int64_t{1} << 40;
  data.partitions = {{true, false, "a", "z"}, {false, std::nullopt, std::nullopt, std::nullopt}};
  data.key_metadata = "key";
  ManifestFile old = data;
  old.manifest_path = "s3://bucket/metadata/m1.avro";
  old.sequence_number = 3;
  old.min_sequence_number = 2;
  old.added_snapshot_id = 900;
  old.partitions.clear();
  old.key_metadata.reset();
  return {data, old};
}

TEST(ManifestList, RoundTrips) {
  for (const char* compression : {"gzip", "zstd", "uncompressed"}) {
    for (const int version : {2, 3}) {
      auto manifests = TwoManifests();
      manifests[1].content = ManifestContent::kDeletes;
      if (version == 3) manifests[0].first_row_id = 77;
      const std::string bytes =
          WriteManifestList(version, kSnapshot, 900, kSequence, manifests, compression, int64_t{77});
      manifests[0].sequence_number = manifests[0].min_sequence_number = kSequence;
      EXPECT_EQ(ReadManifestList(bytes, "snap.avro"), manifests);
      avro::ObjectContainerReader reader(bytes, "snap.avro");
      EXPECT_EQ(reader.schema().name(), "manifest_file");
      EXPECT_EQ(reader.FindMetadata("format-version"), fmt::to_string(version));
      EXPECT_EQ(reader.FindMetadata("snapshot-id"), "1000");
      EXPECT_EQ(reader.FindMetadata("parent-snapshot-id"), "900");
      EXPECT_EQ(reader.FindMetadata("sequence-number"), "7");
      EXPECT_EQ(reader.FindMetadata("first-row-id").has_value(), version == 3);
    }
  }
}

TEST(ManifestList, Version1) {
  auto manifests = TwoManifests();
  manifests[0].added_files_count.reset();
  manifests[0].deleted_rows_count.reset();
  const std::string bytes = WriteManifestList(1, kSnapshot, std::nullopt, 0, manifests);
  for (auto& manifest : manifests) manifest.sequence_number = manifest.min_sequence_number = 0;
  EXPECT_EQ(ReadManifestList(bytes, "snap.avro"), manifests);
  avro::ObjectContainerReader reader(bytes, "snap.avro");
  EXPECT_EQ(reader.FindMetadata("parent-snapshot-id"), "null");
  EXPECT_EQ(reader.FindMetadata("sequence-number"), std::nullopt);
}

TEST(ManifestList, WriterRefusesWhatDoesNotFit) {
  const auto error = [](int version, const ManifestFile& manifest) {
    return ErrorOf(ErrorKind::kInvalidArgument,
                   [&] { WriteManifestList(version, kSnapshot, std::nullopt, kSequence, {manifest}); });
  };
  ManifestFile manifest = TwoManifests()[0];
  manifest.added_snapshot_id = 5;
  EXPECT_THAT(error(2, manifest), HasSubstr("m0.avro of snapshot 5 has no sequence number"));
  manifest = TwoManifests()[1];
  manifest.existing_rows_count.reset();
  EXPECT_THAT(error(2, manifest), HasSubstr("m1.avro has no existing_rows_count"));
  manifest = TwoManifests()[1];
  manifest.content = ManifestContent::kDeletes;
  EXPECT_THAT(error(1, manifest), HasSubstr("format version 1"));
  EXPECT_THAT(error(5, TwoManifests()[1]), HasSubstr("format version 5"));
}

TEST(ManifestList, WrongLists) {
  const auto error = [](const std::string& bytes, ErrorKind kind = ErrorKind::kCorrupt) {
    const std::string message = ErrorOf(kind, [&] { ReadManifestList(bytes, "snap.avro"); });
    EXPECT_THAT(message, testing::StartsWith("snap.avro"));
    return message;
  };
  EXPECT_THAT(error("AGS1", ErrorKind::kUnsupported), HasSubstr("encrypted"));
  EXPECT_THAT(error("PAR1"), HasSubstr("not an Avro file"));
  EXPECT_THAT(error(ForeignManifest(kSmallEntry, [](auto& e) { WriteSmallEntry(e, 1); })),
              HasSubstr("no field with id 500"));
  const std::string good = WriteManifestList(2, kSnapshot, {}, kSequence, TwoManifests(), "uncompressed");
  EXPECT_THAT(error(good.substr(0, good.size() - 1)), HasSubstr("ends within the block"));
  // Bytes changed at random: an error of the right kind or some list, never anything worse.
  for (size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    try {
      ReadManifestList(damaged, "snap.avro");
    } catch (const Error& e) {
      EXPECT_THAT(e.kind(), testing::AnyOf(ErrorKind::kCorrupt, ErrorKind::kUnsupported)) << e.what();
    }
  }
}

// ---- files that others wrote ----

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The file `name` in the metadata folder `folder` of the golden tables; nullopt where it is missing.
std::optional<std::filesystem::path> Golden(const std::string& folder, const std::string& name = "") {
  const auto golden = test::GoldenDir();
  if (!golden || !exists(*golden / folder / name)) return std::nullopt;
  return *golden / folder / name;
}

Schema SchemaOf(const std::string& manifest) {
  avro::ObjectContainerReader reader(manifest, "m");
  const auto text = reader.FindMetadata("schema");
  return text ? SchemaFromJson(nlohmann::json::parse(*text)) : Schema();
}

/// A manifest list and the entries of its manifests, which are looked for beside it.
struct GoldenSnapshot {
  std::vector<ManifestFile> manifests;
  std::vector<ManifestEntry> entries;
};

GoldenSnapshot ReadSnapshot(const std::filesystem::path& list) {
  GoldenSnapshot snapshot;
  snapshot.manifests = ReadManifestList(ReadFile(list), list.string());
  for (const ManifestFile& manifest : snapshot.manifests) {
    const std::string bytes = ReadFile(list.parent_path() / std::filesystem::path(manifest.manifest_path).filename());
    for (auto& entry : ReadAll(bytes, manifest, SchemaOf(bytes))) snapshot.entries.push_back(std::move(entry));
  }
  return snapshot;
}

TEST(ManifestGolden, SparkVersion1) {
  const auto path = Golden("duckdb-iceberg/data/persistent/iceberg_v1_deprecated/default/legacy_v1/metadata",
                           "snap-2456114553637229296-1-d65f86b0-b799-467f-b1f4-9c697e4c4fc7.avro");
  if (!path) GTEST_SKIP() << "no golden files";
  const GoldenSnapshot snapshot = ReadSnapshot(*path);
  ASSERT_EQ(snapshot.manifests.size(), 1u);
  const ManifestFile& manifest = snapshot.manifests[0];
  EXPECT_EQ(manifest.manifest_length, 6147);
  EXPECT_EQ(manifest.added_snapshot_id, 2456114553637229296);
  EXPECT_EQ(manifest.sequence_number, 0);
  EXPECT_EQ(manifest.added_files_count, 2);
  EXPECT_EQ(manifest.added_rows_count, 3);
  EXPECT_THAT(manifest.partitions, ElementsAre(PartitionFieldSummary{false, false, "alpha", "beta"}));
  ASSERT_EQ(snapshot.entries.size(), 2u);
  const ManifestEntry& alpha = snapshot.entries[0];
  EXPECT_EQ(alpha.status, EntryStatus::kAdded);
  EXPECT_EQ(alpha.snapshot_id, 2456114553637229296);
  EXPECT_EQ(alpha.sequence_number, 0);
  EXPECT_EQ(alpha.file_sequence_number, 0);
  EXPECT_THAT(alpha.file.file_path, testing::EndsWith("00000-3-f0ac2992-4f01-4ee2-b833-f46763b728bd-0-00001.parquet"));
  EXPECT_EQ(alpha.file.file_format, "parquet");
  EXPECT_EQ(alpha.file.partition, PartitionValues{std::string("alpha")});
  EXPECT_EQ(alpha.file.record_count, 2);
  EXPECT_EQ(alpha.file.file_size_in_bytes, 935);
  EXPECT_EQ(alpha.file.metrics.lower_bounds.at(1), std::string("\x01\0\0\0", 4));
  EXPECT_EQ(alpha.file.metrics.upper_bounds.at(2), "alpha");
  EXPECT_THAT(alpha.file.split_offsets, ElementsAre(4));
  EXPECT_EQ(alpha.file.sort_order_id, 0);
  EXPECT_EQ(snapshot.entries[1].file.partition, PartitionValues{std::string("beta")});
  EXPECT_EQ(snapshot.entries[1].file.record_count, 1);
}

TEST(ManifestGolden, Version1ListWithoutCounts) {
  const auto path =
      Golden("duckdb-iceberg/data/persistent/iceberg_v1_repro/repro/merch_v1/metadata", "snap-v1-null-counts.avro");
  if (!path) GTEST_SKIP() << "no golden files";
  const GoldenSnapshot snapshot = ReadSnapshot(*path);
  ASSERT_EQ(snapshot.manifests.size(), 2u);
  EXPECT_EQ(snapshot.manifests[0].added_files_count, std::nullopt);
  EXPECT_EQ(snapshot.manifests[0].deleted_rows_count, std::nullopt);
  ASSERT_EQ(snapshot.entries.size(), 4u);
  EXPECT_EQ(snapshot.entries[0].status, EntryStatus::kExisting);
  EXPECT_EQ(snapshot.entries[0].snapshot_id, 5191822260710938731);
  EXPECT_EQ(snapshot.entries[0].sequence_number, 0);
  EXPECT_EQ(snapshot.entries[2].status, EntryStatus::kDeleted);
  EXPECT_EQ(snapshot.entries[2].snapshot_id, 381223374871251311);
}

TEST(ManifestGolden, DecimalPartitions) {
  const auto path = Golden("duckdb-iceberg/data/persistent/partition_decimal_hugeint/metadata",
                           "snap-1741222731966192430-1-b4dfc09f-c94f-4d63-8ce3-f7d030bd44cb.avro");
  if (!path) GTEST_SKIP() << "no golden files";
  const GoldenSnapshot snapshot = ReadSnapshot(*path);
  ASSERT_EQ(snapshot.entries.size(), 15u);
  EXPECT_EQ(snapshot.entries[0].sequence_number, 1);
  const auto human = [&](size_t i) {
    return ToHumanString(Type::Decimal(36, 23), snapshot.entries[i].file.partition.at(0));
  };
  EXPECT_EQ(human(0), "123456789.45678901234567890123456");
  EXPECT_EQ(human(1), "-1000000000000.00000000000000000001000");
  EXPECT_EQ(human(5), "-2.71828182845904523536029");
  const auto& summary = snapshot.manifests.at(0).partitions.at(0);
  EXPECT_EQ(summary.lower_bound, ToBinary(Type::Decimal(36, 23), snapshot.entries[1].file.partition[0]));
}

TEST(ManifestGolden, EqualityDeletes) {
  const auto path = Golden("duckdb-iceberg/data/persistent/equality_deletes/warehouse/mydb/mytable/metadata",
                           "snap-1916084761853986166-1-61648895-78fc-44d6-bf55-298a7614c4f8.avro");
  if (!path) GTEST_SKIP() << "no golden files";
  const GoldenSnapshot snapshot = ReadSnapshot(*path);
  ASSERT_EQ(snapshot.entries.size(), 6u);
  EXPECT_EQ(snapshot.manifests[2].content, ManifestContent::kDeletes);
  EXPECT_EQ(snapshot.entries[0].file.content, FileContent::kData);
  EXPECT_EQ(snapshot.entries[0].sequence_number, 5);
  EXPECT_EQ(snapshot.entries[2].file.content, FileContent::kEqualityDeletes);
  EXPECT_EQ(snapshot.entries[2].sequence_number, 6);
  EXPECT_THAT(snapshot.entries[2].file.equality_ids, ElementsAre(2));
  EXPECT_EQ(snapshot.entries[2].file.metrics.lower_bounds.at(2), "f");
  EXPECT_THAT(snapshot.entries[3].file.equality_ids, ElementsAre(1, 2));
}

TEST(ManifestGolden, DeletionVectors) {
  const auto path = Golden("impala/testdata/data/iceberg_test/iceberg_v3/iceberg_v3_deletion_vectors/metadata",
                           "snap-3685752423136077685-1-e9787b6c-e745-4040-b78f-e4012aa178ab.avro");
  if (!path) GTEST_SKIP() << "no golden files";
  const GoldenSnapshot snapshot = ReadSnapshot(*path);
  ASSERT_EQ(snapshot.manifests.size(), 2u);
  EXPECT_EQ(snapshot.manifests[0].first_row_id, 0);
  EXPECT_EQ(snapshot.manifests[1].first_row_id, std::nullopt);
  ASSERT_EQ(snapshot.entries.size(), 7u);
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(snapshot.entries[i].file.first_row_id, i);
  const DataFile& vector = snapshot.entries[6].file;
  EXPECT_EQ(vector.content, FileContent::kPositionDeletes);
  EXPECT_EQ(vector.file_format, "puffin");
  EXPECT_EQ(vector.record_count, 1);
  EXPECT_EQ(vector.file_size_in_bytes, 824);
  EXPECT_EQ(vector.content_offset, 46);
  EXPECT_EQ(vector.content_size_in_bytes, 42);
  EXPECT_EQ(vector.referenced_data_file, snapshot.entries[1].file.file_path);
  EXPECT_EQ(vector.first_row_id, std::nullopt);
  EXPECT_EQ(snapshot.entries[6].sequence_number, 2);
}

TEST(ManifestGolden, RowLineageAfterCompaction) {
  const auto path = Golden("impala/testdata/data/iceberg_test/iceberg_v3/iceberg_v3_row_lineage/metadata",
                           "snap-5398841822738664432-1-7411e291-ddc0-4c54-9e25-75ef7878df0d.avro");
  if (!path) GTEST_SKIP() << "no golden files";
  const GoldenSnapshot snapshot = ReadSnapshot(*path);
  ASSERT_EQ(snapshot.entries.size(), 4u);
  EXPECT_EQ(snapshot.entries[0].sequence_number, 3);       // explicit, though the entry is new
  EXPECT_EQ(snapshot.entries[0].file_sequence_number, 4);  // inherited
  EXPECT_EQ(snapshot.entries[0].file.first_row_id, 3);     // inherited
  EXPECT_EQ(snapshot.entries[1].status, EntryStatus::kDeleted);
  EXPECT_EQ(snapshot.entries[1].sequence_number, 3);
  EXPECT_EQ(snapshot.entries[1].file.first_row_id, 2);
}

TEST(ManifestGolden, DayPartitionsOfTrino) {
  const auto path = Golden("iceberg-cxx/tests/tables/day_timestamptz_partitioning/metadata",
                           "snap-8652648222487599862-1-50c451b7-68a3-45d5-924a-8d655175c051.avro");
  if (!path) GTEST_SKIP() << "no golden files";
  const GoldenSnapshot snapshot = ReadSnapshot(*path);
  ASSERT_EQ(snapshot.entries.size(), 3u);
  EXPECT_EQ(snapshot.entries[0].file.partition, PartitionValues{int32_t{19785}});
  EXPECT_EQ(snapshot.entries[1].file.partition, PartitionValues{int32_t{20150}});
  EXPECT_EQ(snapshot.entries[2].file.partition, PartitionValues{Literal()});
  EXPECT_TRUE(snapshot.manifests[0].partitions.at(0).contains_null);
}

TEST(ManifestGolden, ListWithoutFieldIds) {
  const auto path = Golden("iceberg-cxx/tests/metadata", "snap-2dfe8bdb-200b-1006-9bb5-0242ac110002.avro");
  if (!path) GTEST_SKIP() << "no golden files";
  const auto manifests = ReadManifestList(ReadFile(*path), path->string());
  ASSERT_EQ(manifests.size(), 2u);
  EXPECT_EQ(manifests[0].manifest_path,
            "s3://warehouse/gperov/test/metadata/98887eae-200b-1006-9bb5-0242ac110002-m0.avro");
  EXPECT_EQ(manifests[0].manifest_length, 6825);
  EXPECT_EQ(manifests[0].sequence_number, 2);
  EXPECT_EQ(manifests[0].added_snapshot_id, 5231658854638766100);
  EXPECT_EQ(manifests[0].added_files_count, 6);
  EXPECT_EQ(manifests[0].added_rows_count, 10000);
}

TEST(ManifestGolden, ManifestWithoutFieldIds) {
  const auto path = Golden("iceberg-cxx/tests/metadata", "02ce7cec-31fd-4de7-8811-02ce7cec44a9-m0.avro");
  if (!path) GTEST_SKIP() << "no golden files";
  const std::string bytes = ReadFile(*path);
  ManifestFile file;
  file.manifest_path = path->string();
  file.sequence_number = 3;
  const auto entries = ReadAll(bytes, file, Schema());
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].snapshot_id, 5231658854638766100);
  EXPECT_EQ(entries[0].sequence_number, 3);
  EXPECT_EQ(entries[0].file.file_path, "data/00000-6-d4e36f4d-a2c0-467d-90e7-0ef1a54e2724-0-00001.parquet");
  EXPECT_EQ(entries[0].file.record_count, 1024);
  EXPECT_EQ(entries[0].file.metrics.column_sizes, (std::map<int32_t, int64_t>{{1, 1715}, {2, 1673}}));
  EXPECT_EQ(entries[0].file.metrics.upper_bounds.at(2), std::string("\xfe\x07\0\0\0\0\0\0", 8));
}

TEST(ManifestGolden, FiveThousandEntries) {
  const auto path = Golden("duckdb-iceberg/data/persistent/generated_bounds/metadata", "manifest-m0.avro");
  if (!path) GTEST_SKIP() << "no golden files";
  const std::string bytes = ReadFile(*path);
  ManifestFile file;
  file.manifest_path = path->string();
  file.sequence_number = 1;
  const auto entries = ReadAll(bytes, file, SchemaOf(bytes));
  ASSERT_EQ(entries.size(), 5000u);
  EXPECT_EQ(entries[4999].file.file_path, "s3://fake-bucket/d/0000004999/t.parquet");
  EXPECT_EQ(FromBinary(Type::Int(), entries[4999].file.metrics.upper_bounds.at(1)), Literal(int32_t{500000}));
}

TEST(ManifestGolden, EncryptedListIsRefused) {
  const auto path = Golden("iceberg-rust/crates/iceberg/testdata/manifests_lists", "manifest-list-v3-encrypted.avro");
  if (!path) GTEST_SKIP() << "no golden files";
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { ReadManifestList(ReadFile(*path), path->string()); }),
              HasSubstr("encrypted"));
}

TEST(ManifestGolden, EveryFileReads) {
  const auto golden = test::GoldenDir();
  if (!golden) GTEST_SKIP() << "no golden files";
  size_t lists = 0;
  size_t manifests = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*golden)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".avro" || name.starts_with("broken") || name.starts_with("empty") ||
        name.find("encrypted") != std::string::npos) {
      continue;
    }
    SCOPED_TRACE(entry.path());
    const std::string bytes = ReadFile(entry.path());
    try {
      const avro::ObjectContainerReader reader(bytes, name);
      if (reader.schema().name() == "manifest_file") {
        ReadManifestList(bytes, name);
        ++lists;
      } else if (reader.schema().name() == "manifest_entry") {
        ManifestFile file;
        file.manifest_path = name;
        ReadAll(bytes, file, SchemaOf(bytes));
        ++manifests;
      }
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
  EXPECT_GT(lists, 100u);
  EXPECT_GT(manifests, 100u);
}

}  // namespace
}  // namespace frazil::iceberg
