// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/iceberg_types.h"

#include <arrow/type.h>

#include "frazil/iceberg/arrow_schema.h"
#include "frazil/sql/parser.h"
#include "support/support.h"

namespace frazil::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Pair {
  const char* flink;
  const char* iceberg;
  const char* back;  ///< the Flink type that the Iceberg type shows as
};

class IcebergTypesTest : public ::testing::TestWithParam<Pair> {};

TEST_P(IcebergTypesTest, BothWays) {
  int32_t next_id = 1;
  const iceberg::Type type = ToIcebergType(ParseType(GetParam().flink), next_id);
  EXPECT_EQ(type.ToString(), GetParam().iceberg);
  const LogicalType back = FromIcebergType(type, false);
  EXPECT_EQ(back.ToString(), GetParam().back);
  // Scans give this layout, and expressions expect it.
  EXPECT_TRUE(ToArrow(back)->Equals(*iceberg::ToArrowType(type)));
}

INSTANTIATE_TEST_SUITE_P(
    Types, IcebergTypesTest,
    ::testing::Values(Pair{"BOOLEAN", "boolean", "BOOLEAN"}, Pair{"TINYINT", "int", "INT"},
                      Pair{"SMALLINT", "int", "INT"}, Pair{"INT", "int", "INT"}, Pair{"BIGINT", "long", "BIGINT"},
                      Pair{"FLOAT", "float", "FLOAT"}, Pair{"DOUBLE", "double", "DOUBLE"},
                      Pair{"DECIMAL(9, 2)", "decimal(9,2)", "DECIMAL(9, 2)"}, Pair{"CHAR(3)", "string", "STRING"},
                      Pair{"VARCHAR(3)", "string", "STRING"}, Pair{"STRING", "string", "STRING"},
                      Pair{"BINARY(4)", "fixed[4]", "BINARY(4)"}, Pair{"VARBINARY(4)", "binary", "BYTES"},
                      Pair{"BYTES", "binary", "BYTES"}, Pair{"DATE", "date", "DATE"},
                      Pair{"TIME(3)", "time", "TIME(6)"}, Pair{"TIMESTAMP(3)", "timestamp", "TIMESTAMP(6)"},
                      Pair{"TIMESTAMP(9)", "timestamp_ns", "TIMESTAMP(9)"},
                      Pair{"TIMESTAMP_LTZ(3)", "timestamptz", "TIMESTAMP_LTZ(6)"},
                      Pair{"TIMESTAMP_LTZ(7)", "timestamptz_ns", "TIMESTAMP_LTZ(9)"}));

TEST(IcebergTypes, NestedFieldsGetIdsLevelByLevel) {
  int32_t next_id = 10;
  const iceberg::Type type =
      ToIcebergType(ParseType("ROW<a INT NOT NULL, b ARRAY<ROW<c STRING>>, m MAP<STRING, INT NOT NULL>>"), next_id);
  ASSERT_EQ(type.fields().size(), 3);
  EXPECT_EQ(type.fields()[0].id, 10);
  EXPECT_TRUE(type.fields()[0].required);
  EXPECT_EQ(type.fields()[1].id, 11);
  EXPECT_EQ(type.fields()[2].id, 12);
  EXPECT_EQ(type.fields()[1].type.element().id, 13);
  EXPECT_EQ(type.fields()[1].type.element().type.fields()[0].id, 14);
  EXPECT_EQ(type.fields()[2].type.key().id, 15);
  EXPECT_TRUE(type.fields()[2].type.key().required);
  EXPECT_EQ(type.fields()[2].type.value().id, 16);
  EXPECT_EQ(next_id, 17);
  EXPECT_EQ(FromIcebergType(type, true).ToString(),
            "ROW<`a` INT NOT NULL, `b` ARRAY<ROW<`c` STRING>>, `m` MAP<STRING NOT NULL, INT NOT NULL>> NOT NULL");
}

TEST(IcebergTypes, MultisetsCountTheirElements) {
  int32_t next_id = 1;
  const iceberg::Type type = ToIcebergType(ParseType("MULTISET<STRING>"), next_id);
  EXPECT_EQ(type.key().type, iceberg::Type::String());
  EXPECT_EQ(type.value().type, iceberg::Type::Int());
  EXPECT_TRUE(type.value().required);
}

TEST(IcebergTypes, Uuid) { EXPECT_EQ(FromIcebergType(iceberg::Type::Uuid(), true).ToString(), "BINARY(16) NOT NULL"); }

TEST(IcebergTypes, SchemasKeepCommentsAndKeys) {
  const std::vector<RowField> columns = {{"id", BigIntType(), "the key"}, {"name", StringType().NotNull(), ""}};
  const std::vector<std::string> key = {"id"};
  const iceberg::Schema schema = ToIcebergSchema(columns, key);
  EXPECT_TRUE(schema.fields()[0].required);
  EXPECT_EQ(schema.fields()[0].doc, "the key");
  EXPECT_TRUE(schema.fields()[1].required);
  EXPECT_THAT(schema.identifier_field_ids(), ElementsAre(1));
  EXPECT_THAT(PrimaryKeyOf(schema), ElementsAre("id"));
  EXPECT_EQ(FromIcebergSchema(schema)[0].comment, "the key");
  const std::vector<std::string> unknown = {"x"};
  EXPECT_THAT(test::ErrorOf(ErrorKind::kInvalidArgument, [&] { ToIcebergSchema(columns, unknown); }),
              HasSubstr("primary key column 'x'"));
}

TEST(IcebergTypes, WhatHasNoCounterpart) {
  int32_t next_id = 1;
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported, [&] { ToIcebergType(ParseType("INTERVAL DAY"), next_id); }),
              HasSubstr("no counterpart in Iceberg"));
  const std::vector<RowField> columns = {{"nothing", NullType(), ""}};
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported, [&] { ToIcebergSchema(columns, {}); }),
              HasSubstr("column 'nothing'"));
  EXPECT_THAT(
      test::ErrorOf(ErrorKind::kUnsupported, [&] { FromIcebergType(iceberg::Type(iceberg::TypeId::kVariant), false); }),
      HasSubstr("variant"));
}

}  // namespace
}  // namespace frazil::sql
