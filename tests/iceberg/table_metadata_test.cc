// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/table_metadata.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "support/support.h"

namespace frazil::iceberg {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using test::ErrorOf;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A small v2 table with one snapshot, as JSON to be broken by tests.
json ValidV2() {
  return json::parse(R"({
    "format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "s3://bucket/t/",
    "last-sequence-number": 5, "last-updated-ms": 1602638573590, "last-column-id": 2, "current-schema-id": 1,
    "schemas": [
      {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "x", "required": true, "type": "long"}]},
      {"type": "struct", "schema-id": 1, "identifier-field-ids": [1], "fields": [
        {"id": 1, "name": "x", "required": true, "type": "long"},
        {"id": 2, "name": "y", "required": false, "type": "double"}]}],
    "default-spec-id": 0,
    "partition-specs": [{"spec-id": 0, "fields": [
      {"name": "x", "transform": "identity", "source-id": 1, "field-id": 1000}]}],
    "last-partition-id": 1000, "default-sort-order-id": 3,
    "sort-orders": [{"order-id": 3, "fields": [
      {"transform": "identity", "source-id": 1, "direction": "asc", "null-order": "nulls-first"}]}],
    "properties": {"b": "2", "a": "1"}, "current-snapshot-id": 9,
    "snapshots": [{"snapshot-id": 9, "parent-snapshot-id": 8, "sequence-number": 5, "timestamp-ms": 1602638573000,
      "manifest-list": "s3://bucket/m.avro", "summary": {"added-records": "3", "operation": "append"},
      "schema-id": 1}],
    "snapshot-log": [{"snapshot-id": 9, "timestamp-ms": 1602638573000}],
    "metadata-log": [{"metadata-file": "s3://bucket/v1.json", "timestamp-ms": 1602638570000}]})");
}

TableMetadata Parse(const json& document) { return TableMetadataFromJson(document.dump(), "t.json"); }

void ExpectSame(const TableMetadata& a, const TableMetadata& b) {
  EXPECT_EQ(a.format_version, b.format_version);
  EXPECT_EQ(a.table_uuid, b.table_uuid);
  EXPECT_EQ(a.location, b.location);
  EXPECT_EQ(a.last_sequence_number, b.last_sequence_number);
  EXPECT_EQ(a.last_updated_ms, b.last_updated_ms);
  EXPECT_EQ(a.last_column_id, b.last_column_id);
  EXPECT_EQ(a.schemas, b.schemas);
  EXPECT_EQ(a.current_schema_id, b.current_schema_id);
  EXPECT_EQ(a.partition_specs, b.partition_specs);
  EXPECT_EQ(a.default_spec_id, b.default_spec_id);
  EXPECT_EQ(a.last_partition_id, b.last_partition_id);
  EXPECT_EQ(a.sort_orders, b.sort_orders);
  EXPECT_EQ(a.default_sort_order_id, b.default_sort_order_id);
  EXPECT_EQ(a.properties, b.properties);
  EXPECT_EQ(a.current_snapshot_id, b.current_snapshot_id);
  EXPECT_EQ(a.snapshots, b.snapshots);
  EXPECT_EQ(a.snapshot_log, b.snapshot_log);
  EXPECT_EQ(a.metadata_log, b.metadata_log);
  EXPECT_EQ(a.refs, b.refs);
  EXPECT_EQ(a.next_row_id, b.next_row_id);
  EXPECT_EQ(a.statistics_json, b.statistics_json);
  EXPECT_EQ(a.partition_statistics_json, b.partition_statistics_json);
  EXPECT_EQ(a.encryption_keys_json, b.encryption_keys_json);
}

TEST(TableMetadataJsonTest, ReadsEveryMember) {
  TableMetadata metadata = Parse(ValidV2());
  EXPECT_EQ(metadata.format_version, 2);
  EXPECT_EQ(metadata.table_uuid, "9c12d441-03fe-4693-9a96-a0705ddf69c1");
  EXPECT_EQ(metadata.location, "s3://bucket/t");
  EXPECT_EQ(metadata.last_sequence_number, 5);
  EXPECT_EQ(metadata.last_updated_ms, 1602638573590);
  EXPECT_EQ(metadata.last_column_id, 2);
  EXPECT_EQ(metadata.schemas.size(), 2U);
  EXPECT_EQ(metadata.schema().schema_id(), 1);
  EXPECT_EQ(metadata.schema(0).fields().size(), 1U);
  EXPECT_EQ(metadata.schema().identifier_field_ids(), std::vector<int32_t>{1});
  EXPECT_EQ(metadata.spec().fields.at(0).name, "x");
  EXPECT_EQ(metadata.spec(0), metadata.spec());
  EXPECT_EQ(metadata.last_partition_id, 1000);
  EXPECT_EQ(metadata.sort_order().order_id, 3);
  EXPECT_EQ(metadata.properties, (OptionMap{{"a", "1"}, {"b", "2"}}));
  ASSERT_NE(metadata.current_snapshot(), nullptr);
  const Snapshot& snapshot = *metadata.current_snapshot();
  EXPECT_EQ(snapshot.snapshot_id, 9);
  EXPECT_EQ(snapshot.parent_snapshot_id, 8);
  EXPECT_EQ(snapshot.sequence_number, 5);
  EXPECT_EQ(snapshot.timestamp_ms, 1602638573000);
  EXPECT_EQ(snapshot.manifest_list, "s3://bucket/m.avro");
  EXPECT_EQ(snapshot.operation, "append");
  EXPECT_EQ(snapshot.summary, (std::map<std::string, std::string>{{"added-records", "3"}}));
  EXPECT_EQ(snapshot.schema_id, 1);
  EXPECT_EQ(metadata.snapshot_log, (std::vector<SnapshotLogEntry>{{1602638573000, 9}}));
  EXPECT_EQ(metadata.metadata_log, (std::vector<MetadataLogEntry>{{1602638570000, "s3://bucket/v1.json"}}));
  EXPECT_EQ(metadata.refs, (std::map<std::string, SnapshotRef>{{"main", SnapshotRef{9}}}));
}

TEST(TableMetadataJsonTest, AccessorsThrowForWhatIsMissing) {
  TableMetadata metadata = Parse(ValidV2());
  EXPECT_EQ(metadata.FindSnapshot(8), nullptr);
  EXPECT_EQ(metadata.FindSnapshot(9), metadata.current_snapshot());
  EXPECT_EQ(metadata.FindRef("main"), metadata.current_snapshot());
  EXPECT_EQ(metadata.FindRef("audit"), nullptr);
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { metadata.schema(7); }), HasSubstr("no schema with id 7"));
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { metadata.spec(7); }), HasSubstr("no partition spec with id 7"));
  metadata.default_sort_order_id = 7;
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { metadata.sort_order(); }), HasSubstr("no sort order with id 7"));
  metadata.refs.emplace("audit", SnapshotRef{77});
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { metadata.FindRef("audit"); }), HasSubstr("no snapshot 77"));
  metadata.current_snapshot_id = 66;
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { metadata.current_snapshot(); }), HasSubstr("no snapshot 66"));
}

TEST(TableMetadataJsonTest, WritesJavasKeysInJavasOrder) {
  TableMetadata metadata = Parse(ValidV2());
  EXPECT_EQ(
      ToJsonString(metadata),
      R"({"format-version":2,"table-uuid":"9c12d441-03fe-4693-9a96-a0705ddf69c1","location":"s3://bucket/t",)"
      R"("last-sequence-number":5,"last-updated-ms":1602638573590,"last-column-id":2,"current-schema-id":1,"schemas":[)"
      R"({"type":"struct","schema-id":0,"fields":[{"id":1,"name":"x","required":true,"type":"long"}]},)"
      R"({"type":"struct","schema-id":1,"identifier-field-ids":[1],"fields":[)"
      R"({"id":1,"name":"x","required":true,"type":"long"},{"id":2,"name":"y","required":false,"type":"double"}]}],)"
      R"("default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[)"
      R"({"name":"x","transform":"identity","source-id":1,"field-id":1000}]}],"last-partition-id":1000,)"
      R"("default-sort-order-id":3,"sort-orders":[{"order-id":3,"fields":[)"
      R"({"transform":"identity","source-id":1,"direction":"asc","null-order":"nulls-first"}]}],)"
      R"("properties":{"a":"1","b":"2"},"current-snapshot-id":9,)"
      R"("refs":{"main":{"snapshot-id":9,"type":"branch"}},"snapshots":[{"sequence-number":5,"snapshot-id":9,)"
      R"("parent-snapshot-id":8,"timestamp-ms":1602638573000,"summary":{"operation":"append","added-records":"3"},)"
      R"("manifest-list":"s3://bucket/m.avro","schema-id":1}],"statistics":[],"partition-statistics":[],)"
      R"("snapshot-log":[{"timestamp-ms":1602638573000,"snapshot-id":9}],)"
      R"("metadata-log":[{"timestamp-ms":1602638570000,"metadata-file":"s3://bucket/v1.json"}]})");
  ExpectSame(TableMetadataFromJson(ToJsonString(metadata), "t.json"), metadata);
}

TEST(TableMetadataJsonTest, EmptyTables) {
  json document = ValidV2();
  document["snapshots"] = json::array();
  for (const json& none : {json(-1), json(nullptr), json("absent")}) {
    document["current-snapshot-id"] = none;
    if (none == "absent") document.erase("current-snapshot-id");
    TableMetadata metadata = Parse(document);
    EXPECT_EQ(metadata.current_snapshot(), nullptr);
    EXPECT_EQ(metadata.current_snapshot_id, std::nullopt);
    EXPECT_TRUE(metadata.refs.empty());
    ordered_json written = ordered_json::parse(ToJsonString(metadata));
    EXPECT_EQ(written["current-snapshot-id"], -1);
    EXPECT_EQ(written["refs"], ordered_json::object());
  }
  document.erase("snapshots");
  EXPECT_TRUE(Parse(document).snapshots.empty());
}

TEST(TableMetadataJsonTest, RefsAndWhatIsOnlyCarriedAlong) {
  json document = ValidV2();
  document["format-version"] = 3;
  document["next-row-id"] = 40;
  document["snapshots"][0]["first-row-id"] = 30;
  document["snapshots"][0]["added-rows"] = 10;
  document["snapshots"][0]["key-id"] = "k1";
  document["refs"] = json::parse(R"({"release": {"snapshot-id": 9, "type": "tag", "max-ref-age-ms": 5},
    "audit": {"snapshot-id": 9, "type": "branch", "min-snapshots-to-keep": 3, "max-snapshot-age-ms": 4}})");
  document["statistics"] = json::parse(R"([{"snapshot-id": 9, "blob-metadata": []}])");
  document["partition-statistics"] = json::parse(R"([{"snapshot-id": 9}])");
  document["encryption-keys"] = json::parse(R"([{"key-id": "k1", "encrypted-key-metadata": "AAAA"}])");
  TableMetadata metadata = Parse(document);
  EXPECT_EQ(metadata.next_row_id, 40);
  EXPECT_EQ(metadata.snapshots[0].first_row_id, 30);
  EXPECT_EQ(metadata.snapshots[0].added_rows, 10);
  EXPECT_EQ(metadata.snapshots[0].key_id, "k1");
  EXPECT_EQ(metadata.refs, (std::map<std::string, SnapshotRef>{
                               {"audit", SnapshotRef{9, RefType::kBranch, 3, 4, std::nullopt}},
                               {"main", SnapshotRef{9}},
                               {"release", SnapshotRef{9, RefType::kTag, std::nullopt, std::nullopt, 5}}}));
  EXPECT_EQ(metadata.FindRef("release")->snapshot_id, 9);
  std::string text = ToJsonString(metadata);
  ExpectSame(TableMetadataFromJson(text, "t.json"), metadata);
  json written = json::parse(text);
  for (const char* key : {"statistics", "partition-statistics", "encryption-keys", "next-row-id"}) {
    EXPECT_EQ(written[key], document[key]) << key;
  }
  document["snapshots"] = json::array();
  document["current-snapshot-id"] = -1;
  document.erase("refs");
  EXPECT_TRUE(json::parse(ToJsonString(Parse(document)))["current-snapshot-id"].is_null());
}

TEST(TableMetadataJsonTest, SummariesOfOtherWriters) {
  json document = ValidV2();
  document["snapshots"][0]["summary"] = {{"operation", "defragment"}};
  EXPECT_EQ(Parse(document).current_snapshot()->operation, "defragment");
  EXPECT_THAT(ToJsonString(Parse(document)), HasSubstr(R"("summary":{"operation":"defragment"})"));
  document["snapshots"][0]["summary"] = {{"total-records", "1"}};
  EXPECT_EQ(Parse(document).current_snapshot()->operation, "overwrite");
  document["snapshots"][0].erase("summary");
  EXPECT_EQ(Parse(document).current_snapshot()->operation, "");
  EXPECT_THAT(ToJsonString(Parse(document)), ::testing::Not(HasSubstr("summary")));
  document["snapshots"][0]["summary"] = {{"operation", "append"}, {"total-records", 1}};
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Parse(document); }),
              HasSubstr("t.json: snapshots[0].summary.total-records: expected a string"));
}

TEST(TableMetadataJsonTest, Version1FillsInWhatIsMissing) {
  json document = json::parse(R"({"format-version": 1, "location": "/t", "last-updated-ms": 1, "last-column-id": 2,
    "schema": {"type": "struct", "fields": [{"id": 1, "name": "x", "required": true, "type": "long"},
                                            {"id": 2, "name": "y", "required": false, "type": "date"}]},
    "partition-spec": [{"name": "x", "transform": "identity", "source-id": 1},
                       {"name": "d", "transform": "day", "source-id": 2}],
    "snapshots": [{"snapshot-id": 4, "timestamp-ms": 1, "manifests": ["/t/m1.avro", "/t/m2.avro"]}],
    "current-snapshot-id": 4})");
  TableMetadata metadata = Parse(document);
  EXPECT_EQ(metadata.table_uuid, "");
  EXPECT_EQ(metadata.last_sequence_number, 0);
  EXPECT_EQ(metadata.current_schema_id, 0);
  EXPECT_EQ(metadata.schema().fields().size(), 2U);
  EXPECT_EQ(metadata.spec().fields.at(1).field_id, 1001);
  EXPECT_EQ(metadata.last_partition_id, 1001);
  EXPECT_EQ(metadata.sort_order(), SortOrder{});
  EXPECT_EQ(metadata.current_snapshot()->manifests, (std::vector<std::string>{"/t/m1.avro", "/t/m2.avro"}));
  EXPECT_EQ(metadata.FindRef("main")->sequence_number, 0);
  std::string text = ToJsonString(metadata);
  ExpectSame(TableMetadataFromJson(text, "t.json"), metadata);
  json written = json::parse(text);
  EXPECT_EQ(written["schema"], json(ToJson(metadata.schema())));
  EXPECT_EQ(written["partition-spec"].size(), 2U);
  EXPECT_EQ(written["snapshots"][0]["manifests"].size(), 2U);
  EXPECT_FALSE(written.contains("last-sequence-number"));
  EXPECT_FALSE(written.contains("table-uuid"));

  document["partition-spec"] = json::array();
  EXPECT_EQ(Parse(document).last_partition_id, 999);
  document.erase("partition-spec");
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Parse(document); }), HasSubstr("t.json: partition-spec: missing"));
}

TEST(TableMetadataJsonTest, MissingMembersAreNamed) {
  for (const char* key : {"format-version", "table-uuid", "location", "last-sequence-number", "last-updated-ms",
                          "last-column-id", "current-schema-id", "schemas", "default-spec-id", "partition-specs",
                          "last-partition-id", "default-sort-order-id", "sort-orders"}) {
    json document = ValidV2();
    document.erase(key);
    EXPECT_EQ(ErrorOf(ErrorKind::kCorrupt, [&] { Parse(document); }), fmt::format("t.json: {}: missing", key));
  }
  json v3 = ValidV2();
  v3["format-version"] = 3;
  EXPECT_EQ(Parse(v3).next_row_id, 0);
  v3["snapshots"][0]["first-row-id"] = 0;
  v3["snapshots"][0]["added-rows"] = 3;
  EXPECT_EQ(ErrorOf(ErrorKind::kCorrupt, [&] { Parse(v3); }), "t.json: next-row-id: missing");
}

TEST(TableMetadataJsonTest, ContradictionsAreNamed) {
  struct Case {
    const char* pointer;
    const char* value;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"/format-version", "\"2\"", "t.json: format-version: expected a 64-bit integer, found \"2\""},
      {"/format-version", "0", "format-version: 0 is no version"},
      {"/last-updated-ms", "1.5", "last-updated-ms: expected a 64-bit integer, found 1.5"},
      {"/last-column-id", "4294967296", "last-column-id: 4294967296 does not fit 32 bits"},
      {"/current-schema-id", "2", "current-schema-id: 2 is not the id of any of schemas"},
      {"/schemas/1/schema-id", "0", "schemas: id 0 is there twice"},
      {"/schemas/1/identifier-field-ids", "[2]", "schemas[1]: identifier field 2 (y): type double"},
      {"/schemas/0/fields/0/id", "2147483448", "schemas[0].fields[0].id: 2147483448"},
      {"/schemas/0/fields", "{}", "schemas[0].fields: expected an array, found object"},
      {"/default-spec-id", "1", "default-spec-id: 1 is not the id of any of partition-specs"},
      {"/partition-specs/0/fields/0/transform", "null", "partition-specs[0].fields[0].transform: missing"},
      {"/default-sort-order-id", "0", "default-sort-order-id: 0 is not the id of any of sort-orders"},
      {"/sort-orders/0/order-id", "0", "sort-orders[0].order-id: 0 with 1 fields"},
      {"/properties/a", "1", "properties.a: expected a string, found number"},
      {"/last-sequence-number", "4", "snapshots[0].sequence-number: 5 is above last-sequence-number 4"},
      {"/snapshots/0/sequence-number", "-1", "snapshots[0].sequence-number: -1 is negative"},
      {"/snapshots/0/manifest-list", "null", "snapshots[0].manifest-list: missing"},
      {"/snapshots/0", "7", "snapshots[0]: expected an object, found number"},
      {"/current-snapshot-id", "10", "current-snapshot-id: 10 is not the id of any of snapshots"},
      {"/refs", R"({"b": {"snapshot-id": 8, "type": "branch"}})", "refs.b: points to snapshot 8"},
      {"/refs", R"({"b": {"snapshot-id": 9, "type": "twig"}})", "refs.b.type: expected branch or tag"},
      {"/refs", R"({"b": {"snapshot-id": 9, "type": "tag", "max-ref-age-ms": 0}})", "refs.b.max-ref-age-ms: must be"},
      {"/snapshot-log/0/timestamp-ms", "null", "snapshot-log[0].timestamp-ms: missing"},
      {"/metadata-log/0/metadata-file", "3", "metadata-log[0].metadata-file: expected a string"},
      {"/statistics", "{}", "statistics: expected an array"},
  };
  for (const Case& c : cases) {
    json document = ValidV2();
    document[json::json_pointer(c.pointer)] = json::parse(c.value);
    EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Parse(document); }), HasSubstr(c.message)) << c.pointer;
  }
  json twice = ValidV2();
  twice["snapshots"].push_back(twice["snapshots"][0]);
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Parse(twice); }), HasSubstr("snapshots: id 9 is there twice"));
  json main = ValidV2();
  main["snapshots"].push_back(main["snapshots"][0]);
  main["snapshots"][1]["snapshot-id"] = 10;
  main["refs"] = {{"main", {{"snapshot-id", 10}, {"type", "branch"}}}};
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Parse(main); }),
              HasSubstr("refs.main: points to snapshot 10, but current-snapshot-id is 9"));
  main["current-snapshot-id"] = -1;
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Parse(main); }), HasSubstr("refs.main: exists, but"));
}

TEST(TableMetadataJsonTest, NewerVersionsAreRefusedByName) {
  json document = ValidV2();
  document["format-version"] = 4;
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { Parse(document); }),
              AllOf(HasSubstr("t.json"), HasSubstr("format version 4"), HasSubstr("1 to 3")));
}

TEST(TableMetadataJsonTest, HostileDocuments) {
  auto error = [](const std::string& text) {
    return ErrorOf(ErrorKind::kCorrupt, [&] { TableMetadataFromJson(text, "x.json"); });
  };
  EXPECT_THAT(error(std::string(100'000, '[')), HasSubstr("x.json: JSON nests deeper than 512 levels at byte 512"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(error(objects), HasSubstr("nests deeper"));
  EXPECT_THAT(error(""), HasSubstr("not JSON"));
  EXPECT_THAT(error("{}\n{}"), HasSubstr("not JSON"));
  EXPECT_THAT(error("[]"), HasSubstr("x.json: expected an object, found array"));
  EXPECT_THAT(error(R"({"format-version": 1e999})"), HasSubstr("x.json"));
  EXPECT_THAT(error("{\"a\":\"\xff\"}"), HasSubstr("not JSON"));
  // Brackets inside strings are no nesting.
  json document = ValidV2();
  document["properties"]["brackets"] = "\"\\" + std::string(10'000, '[');
  EXPECT_EQ(Parse(document).properties.at("brackets").size(), 10'002U);
  TableMetadata metadata = Parse(ValidV2());
  metadata.properties["bad"] = "\xff";
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { ToJsonString(metadata); }), HasSubstr("UTF-8"));
}

TEST(TableMetadataJsonTest, LocationsLoseTrailingSlashes) {
  for (const auto& [given, kept] : std::map<std::string, std::string>{
           {"/a/b//", "/a/b"}, {"file:///", "file://"}, {"s3://", "s3://"}, {"/", "/"}, {"a", "a"}}) {
    json document = ValidV2();
    document["location"] = given;
    EXPECT_EQ(Parse(document).location, kept) << given;
  }
}

TEST(TableMetadataJsonTest, DamagedDocumentsAreReadOrRefused) {
  const std::string text = ToJsonString(Parse(ValidV2()));
  int refused = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    for (char replacement : {'\0', '"', '0', '-', '{', ']', ',', '\\', static_cast<char>(text[i] ^ 1), '\xff'}) {
      std::string damaged = text;
      damaged[i] = replacement;
      try {
        TableMetadata metadata = TableMetadataFromJson(damaged, "t.json");
        ExpectSame(TableMetadataFromJson(ToJsonString(metadata), "t.json"), metadata);
      } catch (const Error& e) {
        ASSERT_TRUE(e.kind() == ErrorKind::kCorrupt || e.kind() == ErrorKind::kUnsupported) << e.what();
        ++refused;
      }
    }
    ErrorOf(ErrorKind::kCorrupt, [&] { TableMetadataFromJson(text.substr(0, i), "t.json"); });
  }
  EXPECT_GT(refused, 1000);
}

// Documents of other writers --------------------------------------------------------------------------------------

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class GoldenMetadataTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto golden = test::GoldenDir();
    if (!golden) GTEST_SKIP() << "no golden files";
    golden_ = *golden;
  }

  std::string Text(const std::string& path) const {
    EXPECT_TRUE(std::filesystem::exists(golden_ / path)) << path;
    return ReadFile(golden_ / path);
  }

  /// Reads a valid document and checks that writing it loses nothing.
  TableMetadata Read(const std::string& path) const {
    TableMetadata metadata = TableMetadataFromJson(Text(path), path);
    ExpectSame(TableMetadataFromJson(ToJsonString(metadata), path), metadata);
    return metadata;
  }

  std::filesystem::path golden_;
};

constexpr char kJava[] = "iceberg-java/metadata/";
constexpr char kRust[] = "iceberg-rust/crates/iceberg/testdata/";

TEST_F(GoldenMetadataTest, JavaValid) {
  TableMetadata v1 = Read(std::string(kJava) + "TableMetadataV1Valid.json");
  EXPECT_EQ(v1.format_version, 1);
  EXPECT_EQ(v1.table_uuid, "d20125c8-7284-442c-9aea-15fee620737c");
  EXPECT_EQ(v1.schema().fields().size(), 3U);
  EXPECT_EQ(v1.schema().FindField("y")->doc, "comment");
  EXPECT_EQ(v1.spec().fields.at(0).name, "x");
  EXPECT_EQ(v1.current_snapshot(), nullptr);

  TableMetadata v2 = Read(std::string(kJava) + "TableMetadataV2Valid.json");
  EXPECT_EQ(v2.last_sequence_number, 34);
  EXPECT_EQ(v2.schemas.size(), 2U);
  EXPECT_EQ(v2.current_schema_id, 1);
  EXPECT_EQ(v2.schema().identifier_field_ids(), (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(v2.sort_order().fields.at(1).transform, ParseTransform("bucket[4]"));
  EXPECT_EQ(v2.sort_order().fields.at(1).direction, SortDirection::kDescending);
  EXPECT_EQ(v2.current_snapshot()->snapshot_id, 3055729675574597004);
  EXPECT_EQ(v2.snapshots.size(), 2U);
  EXPECT_EQ(v2.snapshots[1].parent_snapshot_id, 3051729675574597004);

  TableMetadata minimal = Read(std::string(kJava) + "TableMetadataV2ValidMinimal.json");
  EXPECT_TRUE(minimal.snapshots.empty());
  EXPECT_EQ(minimal.spec().fields.at(0).field_id, 1000);

  TableMetadata v3 = Read(std::string(kJava) + "TableMetadataV3ValidMinimal.json");
  EXPECT_EQ(v3.format_version, 3);
  EXPECT_EQ(v3.next_row_id, 0);

  TableMetadata statistics = Read(std::string(kJava) + "TableMetadataStatisticsFiles.json");
  EXPECT_THAT(statistics.statistics_json, HasSubstr("statistics-path"));
}

TEST_F(GoldenMetadataTest, JavaInvalid) {
  auto error = [&](const std::string& file, ErrorKind kind = ErrorKind::kCorrupt) {
    return ErrorOf(kind, [&] { TableMetadataFromJson(Text(kJava + file), file); });
  };
  EXPECT_THAT(error("TableMetadataV1MissingSchemaType.json"), HasSubstr("schema.type: missing"));
  EXPECT_THAT(error("TableMetadataV2CurrentSchemaNotFound.json"), HasSubstr("current-schema-id"));
  EXPECT_THAT(error("TableMetadataV2MissingPartitionSpecs.json"), HasSubstr("partition-specs: missing"));
  EXPECT_THAT(error("TableMetadataV2MissingSchemas.json"), HasSubstr("schemas: missing"));
  EXPECT_THAT(error("TableMetadataV2MissingSortOrder.json"), HasSubstr("sort-orders: missing"));
  EXPECT_THAT(error("TableMetadataUnsupportedVersion.json", ErrorKind::kUnsupported), HasSubstr("format-version"));
}

TEST_F(GoldenMetadataTest, Rust) {
  TableMetadata compatible = Read(std::string(kRust) + "table_metadata/TableMetadataV1Compat.json");
  EXPECT_EQ(compatible.format_version, 1);
  TableMetadata schemas = Read(std::string(kRust) + "table_metadata/TableMetadataV1SchemasWithoutCurrentId.json");
  EXPECT_EQ(schemas.schemas.size(), 1U);
  EXPECT_EQ(schemas.current_schema_id, 0);
  TableMetadata specs = Read(std::string(kRust) + "table_metadata/TableMetadataV1PartitionSpecsWithoutDefaultId.json");
  EXPECT_EQ(specs.partition_specs.size(), 2U);
  EXPECT_EQ(specs.default_spec_id, 2);
  TableMetadata encrypted = Read(std::string(kRust) + "table_metadata/TableMetadataV3ValidEncryption.json");
  EXPECT_THAT(encrypted.encryption_keys_json, HasSubstr("key-id"));
  TableMetadata example = Read(std::string(kRust) + "example_table_metadata_v2.json");
  EXPECT_EQ(example.refs.at("main").snapshot_id, *example.current_snapshot_id);
  EXPECT_EQ(Read(std::string(kRust) + "example_table_metadata_v2_partition_evolution.json").partition_specs.size(), 3U);
  EXPECT_EQ(Read(std::string(kRust) + "example_empty_table_metadata_v2.json").current_snapshot(), nullptr);
  EXPECT_GT(Read(std::string(kRust) + "example_table_metadata_v2_deep_history.json").snapshots.size(), 2U);
  for (const auto& [file, message] : std::map<std::string, std::string>{
           {"TableMetadataV1NoValidSchema.json", "schema: missing"},
           {"TableMetadataV2MissingLastPartitionId.json", "last-partition-id: missing"}}) {
    EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt,
                        [&] { TableMetadataFromJson(Text(std::string(kRust) + "table_metadata/" + file), file); }),
                HasSubstr(message));
  }
}

TEST_F(GoldenMetadataTest, GoAndCxx) {
  TableMetadata statistics = Read("iceberg-go/table/testdata/TableMetadataV3WithPartitionStatistics.json");
  EXPECT_EQ(statistics.next_row_id, 3000);
  EXPECT_EQ(statistics.snapshots.at(1).first_row_id, 2000);
  EXPECT_EQ(json::parse(statistics.partition_statistics_json).size(), 2U);
  // Its snapshots were written by a spec that is not there any more.
  TableMetadata missing_spec = Read(
      "iceberg-cxx/tests/tables/partitioned_table_with_missing_spec/metadata/"
      "00001-3ac0dc8d-0a8e-44c2-b786-fff45a265023.metadata.json");
  EXPECT_EQ(missing_spec.last_partition_id, 1001);
  ErrorOf(ErrorKind::kCorrupt, [&] { missing_spec.spec(1); });
  TableMetadata defaults = Read("iceberg-cxx/tests/warehouse/streams/default_value/metadata/DefaultValues.json");
  EXPECT_EQ(json::parse(ToJsonString(defaults))["schemas"].size(), defaults.schemas.size());
  EXPECT_EQ(Read("iceberg-cxx/tests/warehouse/MockMetadataWithFixed.json").location, "s3://warehouse/gperov/test");
  const std::string negative_scale = "iceberg-cxx/tests/warehouse/SchemaWithDefaults.json";
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Read(negative_scale); }), HasSubstr("decimal(2, -5)"));
  const std::string lines = "duckdb-iceberg/data/persistent/bad_data/bad_iceberg_metadata.json";
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Read(lines); }), HasSubstr("not JSON"));
}

/// Every document of every writer is either read and written without loss, or on the list of those that must not be.
TEST_F(GoldenMetadataTest, AllMetadataFiles) {
  const std::map<std::string, std::string> refused = {
      {"duckdb-iceberg/data/persistent/equality_delete_extra_column/warehouse/ns/t/metadata/vfinal.metadata.json",
       "snapshots[1].snapshot-id: expected a 64-bit integer, found 9876543210123456789"},
      {"iceberg-cxx/tests/metadata/broken1.metadata.json", "not JSON"},
      {"iceberg-cxx/tests/metadata/broken2.metadata.json", "not JSON"},
      {"iceberg-cxx/tests/metadata/empty.metadata.json", "not JSON"},
      {"iceberg-go/table/testdata/TableMetadataV2Valid.zstd.metadata.json", "not JSON"},
  };
  int read = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(golden_)) {
    std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || !name.ends_with(".metadata.json") || name.find(".gz.") != std::string::npos)
      continue;
    std::string path = std::filesystem::relative(entry.path(), golden_).string();
    SCOPED_TRACE(path);
    if (auto it = refused.find(path); it != refused.end()) {
      EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Read(path); }), AllOf(HasSubstr(path), HasSubstr(it->second)));
      continue;
    }
    try {
      Read(path);
      ++read;
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace frazil::iceberg
