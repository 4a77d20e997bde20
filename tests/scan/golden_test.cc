// SPDX-License-Identifier: Apache-2.0
// Tables that other engines wrote (Java with Spark, Trino and Flink, DuckDB, PyIceberg), read in place.
#include <arrow/table.h>

#include "frazil/base/arrow_status.h"
#include "frazil/scan/metadata_table.h"
#include "frazil/scan/table_scan.h"
#include "frazil/storage/file_io.h"
#include "support/rows.h"
#include "support/support.h"

namespace frazil::scan {
namespace {

using iceberg::Expression;
using iceberg::Literal;
using Op = Expression::Op;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;
using Rows = std::vector<std::string>;

constexpr char kDuckdb[] = "duckdb-iceberg/";
constexpr char kTrino[] = "iceberg-cxx/tests/tables/";
constexpr char kImpala[] = "impala/testdata/data/iceberg_test/";

Expression Where(Op op, std::string column, std::vector<Literal> values = {}) {
  return {op, {}, std::move(column), std::move(values)};
}
Literal Text(std::string text) { return text; }

class GoldenTable : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!test::GoldenDir()) GTEST_SKIP() << "no golden tables: set FRAZIL_GOLDEN to their folder";
  }

  /// Opens `metadata_file` (below the golden folder); locations that start with `from` are read at `to` below it.
  void Open(const std::string& metadata_file, const std::string& from, const std::string& to) {
    const std::string root = test::GoldenDir()->string() + "/";
    io_ = storage::MakeFileIO({{"frazil.storage.path-prefix-map", fmt::format("{}={}", from, root + to)}});
    const std::string location = root + metadata_file;
    metadata_ =
        std::make_shared<iceberg::TableMetadata>(iceberg::TableMetadataFromJson(io_->ReadAll(location), location));
  }
  /// `name`: "<table>/metadata/<file>" below data/persistent/.
  void OpenDuckdb(const std::string& name) {
    Open(fmt::format("{}data/persistent/{}.metadata.json", kDuckdb, name), "data/persistent/",
         fmt::format("{}data/persistent/", kDuckdb));
  }
  void OpenTrino(const std::string& name) {
    Open(fmt::format("{}{}.metadata.json", kTrino, name), "s3a://warehouse/", kTrino);
  }

  /// `name`: "<table>/metadata/<file>" below iceberg_test/; `from`: the table's location, less the table.
  void OpenImpala(const std::string& name, const std::string& from, const std::string& below = "") {
    Open(fmt::format("{}{}{}.metadata.json", kImpala, below, name), from, kImpala + below);
  }
  void OpenImpalaHadoop(const std::string& name) {
    OpenImpala(name, "/test-warehouse/iceberg_test/hadoop_catalog/ice/", "hadoop_catalog/ice/");
  }
  void OpenImpalaV3(const std::string& name) {
    OpenImpala(name, "hdfs://localhost:20500/test-warehouse/", "iceberg_v3/");
  }

  ScanPlan Plan(const ScanOptions& options = {}) { return PlanScan(metadata_, *io_, options); }
  Rows Read(const ScanOptions& options = {}) { return test::RowLines(*ReadScan(Plan(options), io_, 2)); }
  Rows Read(Expression filter) { return Read(Filter(std::move(filter))); }
  static ScanOptions Filter(Expression filter) {
    ScanOptions options;
    options.filter = std::move(filter);
    return options;
  }

  iceberg::TableMetadataPtr metadata_;
  std::shared_ptr<storage::FileIO> io_;
};

// ---- identity partitions of every type, whose columns the data files lack ----

TEST_F(GoldenTable, DuckdbPartitions) {
  const std::vector<std::pair<std::string, Rows>> tables = {
      {"partition_bigint/metadata/v2", {"9223372036854775807|12345|click", "-9223372036854775808|67890|purchase"}},
      {"partition_binary/metadata/v2", {"aabbcc|67890|purchase", "010203|12345|click"}},
      {"partition_bool/metadata/v2", {"true|12345|click", "false|67890|purchase"}},
      {"partition_decimal_bigint/metadata/v2",
       {"1.23456789012|67890|purchase", "-0.12345678901|888999|drag", "42.56378901234|12345|click",
        "1E-11|444555|scroll", "9999.99999999999|666777|hover", "0E-11|987654|pinch", "123.45678901234|123456|drop",
        "-9876.54321098765|222333|view", "1234.54321098765|111213|delete", "-5432.10987654321|654321|swipe"}},
      {"partition_decimal_hugeint/metadata/v2",
       {"123456789.45678901234567890123456|123456|drop", "-1000000000000.00000000000000000001000|246802|rotate",
        "9999999999999.99999999999999999999000|666777|hover", "1000000000000.00000000000000000001000|135790|zoom",
        "1234.54321098765432109876543|111213|delete", "-2.71828182845904523536029|271828|doubletap",
        "-9876.54321098765432109876543|222333|view", "-0.12345678901234567890123|888999|drag",
        "42.56378901234567890123456|12345|click", "1E-23|444555|scroll",
        "-5432109876.10987654321098765432109|654321|swipe", "0E-23|987654|pinch",
        "1.23456789012345678901234|67890|purchase", "0.50000000000000000000000|975310|tap",
        "3.14159265358979323846264|314159|longpress"}},
      {"partition_decimal_integer/metadata/v2",
       {"1234.5432|111213|delete", "1.2300|67890|purchase", "42.5630|12345|click"}},
      {"partition_decimal_smallint/metadata/v2", {"1.23|12345|click", "4.56|67890|purchase"}},
      {"partition_double/metadata/v2", {"3.1415927|12345|click", "2.7182817|67890|purchase"}},
      {"partition_fixed_length_binary/default.db/partition_fixed_length_binary/metadata/"
       "00001-b4b3d6d2-cac2-4480-952e-0e4b3b88b5d7",
       {"68656c6c6f20776f726c64|12345|click", "66697865642076616c7565|67890|purchase"}},
      {"partition_float/metadata/v2", {"1.23|12345|click", "4.56|67890|purchase"}},
      {"partition_integer/metadata/v2", {"1337|67890|purchase", "42|12345|click"}},
      {"partition_time/default.db/partition_time/metadata/00001-44546aa6-1ee5-48c5-9e3b-bc6c0bc0a60c",
       {"12:34:56.000000|12345|click", "08:21:09.000000|67890|purchase"}},
      {"partition_timestamp/default.db/partition_timestamp/metadata/00001-0c9938a5-103e-4185-b46d-331368ae4db7",
       {"2023-05-15 14:30:45.000000|12345|click", "2023-08-22 09:15:20.000000|67890|purchase"}},
      {"partition_timestamptz/default.db/partition_timestamptz/metadata/00001-ffeadb58-2a9e-46ba-8b4f-f363f05de68c",
       {"2023-05-15 14:30:45.000000Z|12345|click", "2023-08-22 09:15:20.000000Z|67890|purchase"}},
  };
  for (const auto& [name, rows] : tables) {
    OpenDuckdb(name);
    EXPECT_THAT(Read(), UnorderedElementsAreArray(rows)) << name;
  }
}

TEST_F(GoldenTable, DuckdbPartitionsArePruned) {
  OpenDuckdb("partition_integer/metadata/v2");
  const ScanPlan plan = Plan(Filter(Where(Op::kEq, "partition_col", {int32_t{42}})));
  EXPECT_EQ(plan.tasks.size(), 1);
  EXPECT_EQ(plan.skipped_files, 1);
  EXPECT_THAT(Read(Where(Op::kEq, "partition_col", {int32_t{42}})), ElementsAre("42|12345|click"));
  OpenDuckdb("partition_timestamp/default.db/partition_timestamp/metadata/00001-0c9938a5-103e-4185-b46d-331368ae4db7");
  EXPECT_THAT(Read(Where(Op::kLt, "partition_col", {int64_t{1'688'000'000'000'000}})),
              ElementsAre("2023-05-15 14:30:45.000000|12345|click"));
  OpenDuckdb("partition_decimal_hugeint/metadata/v2");
  EXPECT_EQ(Plan(Filter(Where(Op::kLt, "partition_col", {static_cast<__int128>(0)}))).tasks.size(), 5);
}

TEST_F(GoldenTable, HivePartitionedTable) {
  OpenDuckdb("hive_partitioned_table/metadata/v4");
  EXPECT_THAT(Read(), UnorderedElementsAreArray({"2024-01-03|13579|view", "2024-01-03|24680|click",
                                                 "2024-01-04|97531|purchase", "2024-01-04|86420|view",
                                                 "2024-01-02|67890|purchase", "2024-01-01|12345|click"}));
  EXPECT_THAT(Read(Where(Op::kEq, "event_type", {Text("view")})),
              UnorderedElementsAreArray({"2024-01-03|13579|view", "2024-01-04|86420|view"}));
}

// ---- schema evolution and defaults ----

TEST_F(GoldenTable, ColumnsWithDefaults) {
  OpenDuckdb(
      "add_columns_with_defaults/default.db/add_columns_with_defaults/metadata/"
      "00003-3f1801a5-7dfb-4072-b14a-39cd12f9279b");
  const Rows rows = Read();
  ASSERT_EQ(rows.size(), 3);
  EXPECT_THAT(rows,
              ::testing::Contains(
                  "test|false|453243|328725092345834|23.34342|23.343424523423433|3423434.23|0011-03-05|12:06:45.000000|"
                  "0011-03-05 12:06:45.000000|2023-05-15 14:30:45.000000Z|World|020d4fc7acd645acb2167873f4038e1f|"
                  "8000800080|800080"));
  for (const char* old : {"click", "purchase"}) {
    EXPECT_THAT(rows,
                ::testing::Contains(AllOf(::testing::StartsWith(std::string(old) + "|true|"), Not(HasSubstr("null")))));
  }
}

TEST_F(GoldenTable, ColumnsWithDefaultsInAStruct) {
  OpenDuckdb(
      "add_columns_with_defaults_in_struct/default.db/add_columns_with_defaults_in_struct/metadata/"
      "00003-21a957f9-c2ee-431a-9d18-bf257b561198");
  const Rows rows = Read();
  ASSERT_EQ(rows.size(), 2);
  EXPECT_THAT(rows, ::testing::Contains(HasSubstr("col_boolean:bool = false, col_integer:int32 = 453243")));
  EXPECT_THAT(rows, ::testing::Contains(HasSubstr("col_boolean:bool = true")));
}

TEST_F(GoldenTable, NamesWithCase) {
  OpenDuckdb(
      "case_sensitive_names/default.db/case_sensitive_names/metadata/"
      "00001-a7a3a44c-4aac-4619-bebd-11be37b27351");
  EXPECT_THAT(Read(), ElementsAre("1|user_1", "2|user_2", "3|user_3"));
  ScanOptions options;
  options.columns = {"uSeR_Id"};
  EXPECT_THAT(Read(options), ElementsAre("user_1", "user_2", "user_3"));
}

// ---- versions and histories ----

TEST_F(GoldenTable, VersionOneWithInlineManifests) {
  OpenDuckdb("iceberg_v1_deprecated/default/legacy_v1/metadata/v2");
  EXPECT_THAT(Read(), UnorderedElementsAreArray({"1|alpha|10", "2|beta|20", "3|alpha|null"}));
}

TEST_F(GoldenTable, VersionOneUpgradedToThree) {
  OpenDuckdb("iceberg_v1_repro/repro/merch_v1/metadata/00004-v3-upgraded-v1-null-counts");
  EXPECT_THAT(Read(), UnorderedElementsAreArray({"2|nba|20", "3|mlb|30", "4|nhl|40", "6|nba|60"}));
}

TEST_F(GoldenTable, AnEmptyTable) {
  OpenDuckdb("custom_write_paths/metadata/00000-acdf842e-3a9d-4b9b-ad87-daf785831925");
  EXPECT_THAT(Read(), ::testing::IsEmpty());
}

// ---- pruning by bounds ----

TEST_F(GoldenTable, NullsPruneFiles) {
  OpenDuckdb("is_null_is_not_null/metadata/00001-43ceeb9a-cd0d-4556-b1e2-513b5bf88ff8");
  EXPECT_EQ(Read().size(), 8);
  EXPECT_THAT(Read(Where(Op::kIsNull, "value")),
              UnorderedElementsAreArray({"1|null", "2|null", "3|null", "7|null", "8|blah"}));
  EXPECT_THAT(Read(Where(Op::kNotNull, "value")),
              UnorderedElementsAreArray({"4|foo", "5|bar", "6|baz", "7|null", "8|blah"}));
  EXPECT_EQ(Plan(Filter(Where(Op::kIsNull, "value"))).skipped_files, 1);
  EXPECT_EQ(Plan(Filter(Where(Op::kNotNull, "value"))).skipped_files, 1);
}

TEST_F(GoldenTable, UuidsPruneFiles) {
  OpenDuckdb("uuid/metadata/00001-43fda1f4-1c96-4376-ad16-91beb71d0759");
  EXPECT_EQ(Read().size(), 10);
  std::string uuid;
  for (int byte : {0x15, 0x71, 0xef, 0xfb, 0xfa, 0xcd, 0x42, 0xa3, 0x90, 0xe9, 0x0a, 0xf5, 0x22, 0xe9, 0xb6, 0xc2}) {
    uuid += static_cast<char>(byte);
  }
  const Rows rows = Read(Where(Op::kEq, "uuid", {Text(uuid)}));
  EXPECT_EQ(rows.size(), 5);
  EXPECT_THAT(rows, ::testing::Contains("1571effbfacd42a390e90af522e9b6c2"));
}

TEST_F(GoldenTable, FiltersOnOneColumn) {
  OpenDuckdb("expression_filter/metadata/00001-19739cda-f528-4429-84cc-377ffdd24c75");
  EXPECT_THAT(Read(), ElementsAre("1|foo", "2|bar", "3|baz"));
  EXPECT_THAT(Read(Where(Op::kStartsWith, "value", {Text("g")})), ::testing::IsEmpty());
}

// ---- Trino's partition transforms ----

TEST_F(GoldenTable, TrinoTimePartitions) {
  const std::vector<std::pair<std::string, Rows>> tables = {
      {"day_timestamptz_partitioning/metadata/00002-bf5ed300-c344-41fe-87ad-0d1190705bf9",
       {"1|2025-03-03 23:00:00.000000Z|0", "2|2024-03-03 23:52:00.000000Z|0", "3|null|0"}},
      {"hour_timestamptz_partitioning/metadata/00002-aa3a65d9-0e43-452c-a96f-2ec0194f0104",
       {"1|2025-03-03 23:00:00.000000Z|0", "2|2024-03-03 23:52:00.000000Z|0", "3|null|0"}},
      {"month_timestamptz_partitioning/metadata/00002-f44ed222-470e-4e33-b813-6646d434b185",
       {"1|2025-03-03 23:00:00.000000Z|0", "2|2024-03-03 23:52:00.000000Z|0", "3|null|0"}},
      {"w_clean_expired_metadata/metadata/00005-6d3c29aa-bb3a-45a8-adb6-51c2ab74195b",
       {"1|2025-03-03 23:00:00.000000Z|0", "2|2024-03-03 23:52:00.000000Z|0", "3|null|0"}},
      {"year_timestamptz_partitioning/metadata/00002-d52e2c04-065b-4d14-98bb-ec47abcd1597",
       {"1|2025-03-03 23:00:00.000000Z|0", "2|2024-03-03 23:52:00.000000Z|0", "3|2025-03-03 22:00:00.000000Z|0"}},
      {"year_timestamp_partitioning/metadata/00002-ac56aa65-6214-44b3-bb0f-86728eb58d8b",
       {"1|2025-03-03 23:00:00.000000|0", "2|2024-03-03 23:52:00.000000|0", "3|2025-03-03 22:00:00.000000|0"}},
      {"year_date_partitioning/metadata/00002-b30c996e-fb0e-4ebc-a987-3536ceb792ea",
       {"1|2025-03-03|0", "2|2024-03-03|0", "3|2025-03-03|0"}},
  };
  for (const auto& [name, rows] : tables) {
    OpenTrino(name);
    EXPECT_THAT(Read(), UnorderedElementsAreArray(rows)) << name;
  }
}

constexpr int64_t kMicros20250101 = 1'735'689'600'000'000;

TEST_F(GoldenTable, TrinoTimePartitionsArePruned) {
  for (const char* name : {"day_timestamptz_partitioning/metadata/00002-bf5ed300-c344-41fe-87ad-0d1190705bf9",
                           "hour_timestamptz_partitioning/metadata/00002-aa3a65d9-0e43-452c-a96f-2ec0194f0104",
                           "month_timestamptz_partitioning/metadata/00002-f44ed222-470e-4e33-b813-6646d434b185"}) {
    OpenTrino(name);
    EXPECT_THAT(Read(Where(Op::kGtEq, "c2", {kMicros20250101})), ElementsAre("1|2025-03-03 23:00:00.000000Z|0"))
        << name;
    EXPECT_THAT(Read(Where(Op::kLt, "c2", {kMicros20250101})), ElementsAre("2|2024-03-03 23:52:00.000000Z|0")) << name;
    EXPECT_THAT(Read(Where(Op::kIsNull, "c2")), ElementsAre("3|null|0")) << name;
  }
  OpenTrino("year_date_partitioning/metadata/00002-b30c996e-fb0e-4ebc-a987-3536ceb792ea");
  EXPECT_THAT(Read(Where(Op::kLt, "c2", {int32_t{20089}})), ElementsAre("2|2024-03-03|0"));
}

TEST_F(GoldenTable, TrinoIdentityPartitions) {
  OpenTrino("identity_partitioning/metadata/00002-30bff4d8-0c4f-46a9-8e7a-ebea458dbb1d");
  EXPECT_THAT(Read(), ElementsAre("false|1|2|2.25|2.375|3.00|2025-03-03|17:00:00.000000|2025-03-03 00:00:00.000000|"
                                  "2025-03-03 00:00:00.000000Z|some-string|12151fd2758611e98f9e2a86e4085a59|"
                                  "736f6d652d76617262696e617279"));
  OpenTrino("decimal_partitioning/metadata/00002-1f7414b4-70da-433f-8a71-40192d2942fc");
  EXPECT_THAT(Read(), ElementsAre("3.00|-5.00|0.00|0.00"));
  OpenTrino("partitioned_table/metadata/00001-3ac0dc8d-0a8e-44c2-b786-fff45a265023");
  EXPECT_THAT(Read(), UnorderedElementsAreArray({"1|2025-03-02|-50", "1|2025-03-03|0", "1|2025-03-04|1.5",
                                                 "1|2025-03-05|17", "2|2025-03-03|-1", "2|2025-03-04|42"}));
  EXPECT_THAT(Read(Where(Op::kEq, "c1", {int32_t{2}})),
              UnorderedElementsAreArray({"2|2025-03-03|-1", "2|2025-03-04|42"}));
  OpenTrino("no_partitioning/metadata/00002-f7dd062a-ad44-4948-ba0c-4cd9f585ba04");
  EXPECT_THAT(Read(), ElementsAre("1|2025-03-03|0", "2|2025-03-03|-1", "1|2025-03-04|1.5", "2|2025-03-04|42",
                                  "1|2025-03-05|17", "1|2025-03-02|-50"));
}

TEST_F(GoldenTable, TrinoNullPartitions) {
  OpenTrino("partitioning_with_null_value/metadata/00002-39819572-24a4-4c4f-bfe1-63693ece734f");
  EXPECT_THAT(Read(),
              UnorderedElementsAreArray({"1|null|-50", "2|2025-03-03|-1", "null|2025-03-03|0", "null|null|17"}));
  EXPECT_THAT(Read(Where(Op::kIsNull, "c1")), UnorderedElementsAreArray({"null|2025-03-03|0", "null|null|17"}));
  EXPECT_THAT(Read(Where(Op::kNotNull, "c2")), UnorderedElementsAreArray({"2|2025-03-03|-1", "null|2025-03-03|0"}));
}

TEST_F(GoldenTable, ASpecThatIsNotTheManifests) {
  OpenTrino("partitioned_table_with_missing_spec/metadata/00001-3ac0dc8d-0a8e-44c2-b786-fff45a265023");
  EXPECT_THAT(test::ErrorOf(ErrorKind::kCorrupt, [&] { Plan(); }),
              AllOf(HasSubstr("2 partition values"), HasSubstr("spec 0 has 1")));
}

// ---- Impala's tables ----

/// Of both tables: user, action and hour go together.
Rows ImpalaEvents(const std::string& action) {
  const std::map<std::string, std::string> views = {{"view", "Alex|view|2020-01-01 08:00:00.000000Z"},
                                                    {"click", "Alan|click|2020-01-01 09:00:00.000000Z"},
                                                    {"download", "Lisa|download|2020-01-01 10:00:00.000000Z"}};
  const std::map<std::string, std::vector<int>> ids = {
      {"view", {1, 4, 6, 11, 15, 17, 19, 20}}, {"click", {3, 9, 10, 12, 13, 18}}, {"download", {2, 5, 7, 8, 14, 16}}};
  Rows rows;
  for (int id : ids.at(action)) rows.push_back(fmt::format("{}|{}", id, views.at(action)));
  return rows;
}

TEST_F(GoldenTable, ImpalaEvents) {
  for (const char* name : {"iceberg_non_partitioned", "iceberg_partitioned"}) {
    OpenImpala(fmt::format("{}/metadata/v2", name), "/test-warehouse/iceberg_test/");
    Rows all;
    for (const char* action : {"view", "click", "download"}) {
      for (std::string& row : ImpalaEvents(action)) all.push_back(std::move(row));
      EXPECT_THAT(Read(Where(Op::kEq, "action", {Text(action)})), UnorderedElementsAreArray(ImpalaEvents(action)));
    }
    EXPECT_THAT(Read(), UnorderedElementsAreArray(all));
    // 2020-01-01T09:30:00Z
    EXPECT_THAT(Read(Where(Op::kGt, "event_time", {int64_t{1'577'871'000'000'000}})),
                UnorderedElementsAreArray(ImpalaEvents("download")));
  }
}

TEST_F(GoldenTable, ImpalaHoursBefore1970) {
  OpenImpalaHadoop("iceberg_timestamp_part/metadata/v2");
  EXPECT_THAT(Read(), UnorderedElementsAreArray({"-2|1969-01-01 01:00:00.000000", "-1|1969-01-01 01:15:00.000000",
                                                 "1|2021-10-31 02:15:00.000000", "2|2021-01-10 12:00:00.000000",
                                                 "3|2022-04-11 00:04:00.000000", "4|2022-04-11 12:04:55.000000"}));
  EXPECT_THAT(Read(Where(Op::kLt, "ts", {int64_t{0}})),
              ElementsAre("-2|1969-01-01 01:00:00.000000", "-1|1969-01-01 01:15:00.000000"));
  OpenImpalaHadoop("iceberg_timestamptz_part/metadata/v2");
  EXPECT_THAT(Read(), UnorderedElementsAreArray({"-2|1969-01-01 00:00:00.000000Z", "-1|1969-01-01 00:15:00.000000Z",
                                                 "0|2021-10-31 00:15:00.000000Z", "1|2021-10-31 01:15:00.000000Z",
                                                 "2|2021-01-10 11:00:00.000000Z", "3|2022-04-10 22:04:00.000000Z",
                                                 "4|2022-04-11 10:04:55.000000Z"}));
}

TEST_F(GoldenTable, ImpalaVersionTwo) {
  OpenImpalaHadoop("iceberg_v2_no_deletes/metadata/v2");
  EXPECT_THAT(Read(), ElementsAre("1|x", "2|y", "3|z"));
}

TEST_F(GoldenTable, ImpalaDefaults) {
  OpenImpalaV3("iceberg_v3_default_value/metadata/v4");
  EXPECT_THAT(Read(), UnorderedElementsAreArray({"1|-1", "2|2"}));
  // The file that lacks the column has no bounds to prune by; the other one has.
  EXPECT_THAT(Read(Where(Op::kEq, "j", {int32_t{-1}})), ElementsAre("1|-1"));
  ScanOptions first;
  first.snapshot_id = 7752776210164022855;
  EXPECT_THAT(Read(first), ElementsAre("1"));
  OpenImpalaV3("iceberg_v3_all_types/metadata/v4");
  EXPECT_THAT(Read(), UnorderedElementsAreArray(
                          {"1|false|-1|-1|1.5|2.5|123.45|initial_default|2024-01-01|1969-12-31 23:59:59.123456|"
                           "0102030405060708|1970-01-01 00:00:00.000000|2024-01-15 10:30:45.123456",
                           "2|true|42|9999999999|3.14|2.71828|999.99|explicit|2024-12-25|2024-12-25 10:30:45.123456|"
                           "deadbeef|1970-01-01 00:00:00.000000|2024-01-15 10:30:45.123456"}));
  OpenImpalaV3("test_default_part/metadata/v6");
  EXPECT_THAT(Read(), UnorderedElementsAreArray({"1|-1", "2|-1", "3|5", "4|10", "5|null"}));
  EXPECT_THAT(Read(Where(Op::kIsNull, "j")), UnorderedElementsAreArray({"1|-1", "2|-1", "5|null"}));
  OpenImpalaV3("iceberg_v3_row_lineage/metadata/v5");
  EXPECT_THAT(Read(), UnorderedElementsAreArray({"1", "2", "3"}));
}

// ---- metadata tables ----

TEST_F(GoldenTable, MetadataTables) {
  OpenTrino("partitioned_table/metadata/00001-3ac0dc8d-0a8e-44c2-b786-fff45a265023");
  for (const std::string& name : MetadataTableNames()) {
    const auto table = MetadataTable(name, *metadata_, *io_);
    EXPECT_TRUE(table->ValidateFull().ok()) << name;
  }
  EXPECT_EQ(MetadataTable("files", *metadata_, *io_)->num_rows(), 6);
  EXPECT_EQ(MetadataTable("partitions", *metadata_, *io_)->num_rows(), 6);
}

TEST_F(GoldenTable, MetadataTablesOfATableWithDeletes) {
  OpenDuckdb("equality_deletes/warehouse/mydb/mytable_partitioned/metadata/v6");
  EXPECT_EQ(MetadataTable("data_files", *metadata_, *io_)->num_rows(), 6);
  EXPECT_EQ(MetadataTable("delete_files", *metadata_, *io_)->num_rows(), 3);
}

// ---- what can't be read yet says so ----

TEST_F(GoldenTable, DeletesAreRefused) {
  OpenDuckdb("equality_deletes/warehouse/mydb/mytable_partitioned/metadata/v6");
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported, [&] { Plan(); }),
              AllOf(HasSubstr("delete files"), HasSubstr("mytable_partitioned")));
  OpenImpalaHadoop("iceberg_v2_delete_positional/metadata/v2");
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported, [&] { Plan(); }), HasSubstr("delete files"));
  OpenTrino("deletion_vectors/metadata/00004-ae0294d0-1de5-4fab-97f1-cd80e0078fa4");
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported, [&] { Plan(); }), HasSubstr("delete files"));
}

TEST_F(GoldenTable, OtherFormatsAreRefused) {
  OpenImpala("iceberg_mixed_file_format_test/metadata/v8", "/test-warehouse/");
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported, [&] { Plan(); }), HasSubstr(".orc is orc"));
  OpenImpalaHadoop("iceberg_v2_no_deletes_orc/metadata/v2");
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported, [&] { Plan(); }), HasSubstr("only Parquet"));
  OpenImpalaV3("iceberg_v3_default_value_avro/metadata/v4");
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported, [&] { Plan(); }), HasSubstr("is avro"));
  OpenImpalaHadoop("iceberg_with_key_metadata/metadata/v2");
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported, [&] { Plan(); }), HasSubstr("encrypted"));
}

TEST_F(GoldenTable, FilesWithoutFieldIdsAreRefused) {
  OpenDuckdb("name_mapping/warehouse_1/mydb/t1/metadata/v7");
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported, [&] { Read(); }), HasSubstr("field id"));
}

}  // namespace
}  // namespace frazil::scan
