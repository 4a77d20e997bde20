// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/type.h"

#include "support/support.h"

namespace frazil::iceberg {
namespace {

using test::ErrorOf;
using ::testing::HasSubstr;

TEST(TypeTest, PrimitivesPrintAndParseBack) {
  for (const char* text : {"boolean",      "int",
                           "long",         "float",
                           "double",       "decimal(9,2)",
                           "date",         "time",
                           "timestamp",    "timestamptz",
                           "timestamp_ns", "timestamptz_ns",
                           "string",       "uuid",
                           "fixed[16]",    "binary",
                           "unknown",      "variant",
                           "geometry",     "geometry(srid:3857)",
                           "geography",    "geography(OGC:CRS84, karney)"}) {
    Type type = ParsePrimitiveType(text);
    EXPECT_EQ(type.ToString(), text);
    EXPECT_TRUE(type.is_primitive());
    EXPECT_EQ(type, ParsePrimitiveType(type.ToString()));
  }
}

TEST(TypeTest, ParseToleratesWhitespaceAndCase) {
  EXPECT_EQ(ParsePrimitiveType(" Decimal ( 38 ,  10 ) "), Type::Decimal(38, 10));
  EXPECT_EQ(ParsePrimitiveType("fixed[ 4 ]"), Type::Fixed(4));
  EXPECT_EQ(ParsePrimitiveType("TIMESTAMPTZ"), Type::TimestampTz());
  EXPECT_EQ(ParsePrimitiveType("geometry(ogc:crs84)"), Type(TypeId::kGeometry));
  EXPECT_EQ(ParsePrimitiveType("geography( srid:4269 ,Vincenty)").geo_parameters(), "srid:4269, vincenty");
}

TEST(TypeTest, ParseRefusesWhatIsNoType) {
  for (const char* text : {"", "integer", "decimal", "decimal(9)", "decimal(9,2", "decimal(39,2)", "decimal(9,10)",
                           "decimal(9,-1)", "decimal[9,2]", "fixed", "fixed(16)", "fixed[0]", "fixed[x]", "int(4)",
                           "geometry[x]", "geography(srid:1, flat)", "geometry({\"type\":1})", "struct"}) {
    EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { ParsePrimitiveType(text); }), HasSubstr(text)) << text;
  }
}

TEST(TypeTest, FactoriesCheckTheirParameters) {
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [] { Type::Decimal(39, 0); }), HasSubstr("1 to 38"));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [] { Type::Decimal(5, 6); }), HasSubstr("scale"));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [] { Type::Fixed(0); }), HasSubstr("positive"));
  EXPECT_EQ(Type::Decimal(9, 2).precision(), 9);
  EXPECT_EQ(Type::Decimal(9, 2).scale(), 2);
  EXPECT_EQ(Type::Fixed(7).length(), 7);
}

TEST(TypeTest, NestedTypes) {
  Type map = Type::Map(NestedField::Required(3, "key", Type::String()),
                       NestedField::Optional(4, "value", Type::List(NestedField::Optional(5, "element", Type::Int()))));
  EXPECT_TRUE(map.is_nested());
  EXPECT_EQ(map.key().type, Type::String());
  EXPECT_EQ(map.value().type.element().id, 5);
  Type type = Type::Struct({NestedField::Required(1, "a", Type::Int(), "the key"), NestedField::Optional(2, "m", map)});
  EXPECT_EQ(type.ToString(), "struct<1: a: required int (the key), 2: m: optional map<string, list<int>>>");
  Type copy = type;
  EXPECT_EQ(copy, type);
  copy.fields()[1].type.fields()[1].type.fields()[0].required = true;
  EXPECT_NE(copy, type);
  copy = type;
  copy.fields()[0].write_default = Literal(int32_t{1});
  EXPECT_NE(copy, type);
}

}  // namespace
}  // namespace frazil::iceberg
