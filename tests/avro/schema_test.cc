// SPDX-License-Identifier: Apache-2.0
#include "frazil/avro/schema.h"

#include <nlohmann/json.hpp>

#include "support/support.h"

namespace frazil::avro {
namespace {

using test::ErrorOf;
using testing::HasSubstr;

TEST(Schema, PrimitivesParseAndPrint) {
  for (const char* name : {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}) {
    const Schema plain = Schema::Parse(fmt::format("\"{}\"", name));
    EXPECT_EQ(ToString(plain.type()), name);
    EXPECT_EQ(plain.ToString(), fmt::format("\"{}\"", name));
    EXPECT_EQ(Schema::Parse(fmt::format(R"({{"type":"{}"}})", name)), plain);
    EXPECT_EQ(Schema::Parse(fmt::format(R"({{"type":{{"type":"{}"}}}})", name)), plain);
    EXPECT_EQ(Schema::Primitive(plain.type()), plain);
  }
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [] { Schema::Primitive(Type::kRecord); }), HasSubstr("record"));
}

TEST(Schema, KeepsFieldIdsDefaultsAndDocs) {
  const char* text = R"({"type":"record","name":"manifest_file","doc":"d","fields":[)"
                     R"({"name":"path","type":"string","doc":"where","field-id":500},)"
                     R"({"name":"n","type":["null","int"],"default":null,"field-id":501},)"
                     R"({"name":"m","type":{"type":"map","values":"long","key-id":7,"value-id":8}},)"
                     R"({"name":"a_x2Eb","type":{"type":"array","items":"int","element-id":9},"default":[1,2],)"
                     R"("iceberg-field-name":"a.b"}]})";
  const Schema schema = Schema::Parse(text);
  EXPECT_EQ(schema.name(), "manifest_file");
  EXPECT_EQ(schema.doc(), "d");
  ASSERT_EQ(schema.fields().size(), 4u);
  EXPECT_EQ(schema.fields()[0].field_id, 500);
  EXPECT_EQ(schema.fields()[0].doc, "where");
  EXPECT_FALSE(schema.fields()[0].default_json.has_value());
  EXPECT_EQ(schema.fields()[1].default_json, "null");
  EXPECT_TRUE(schema.fields()[1].type.is_optional());
  EXPECT_EQ(schema.fields()[1].type.null_branch(), 0);
  EXPECT_EQ(schema.fields()[1].type.required().type(), Type::kInt);
  EXPECT_EQ(schema.fields()[2].type.key_id(), 7);
  EXPECT_EQ(schema.fields()[2].type.value_id(), 8);
  EXPECT_EQ(schema.fields()[2].type.map_value().type(), Type::kLong);
  EXPECT_FALSE(schema.fields()[2].field_id.has_value());
  EXPECT_EQ(schema.fields()[3].type.element_id(), 9);
  EXPECT_EQ(schema.fields()[3].type.element().type(), Type::kInt);
  EXPECT_EQ(schema.fields()[3].default_json, "[1,2]");
  EXPECT_EQ(schema.fields()[3].iceberg_name, "a.b");
  EXPECT_EQ(schema.ToString(), text);
  EXPECT_EQ(schema.FindField(501), &schema.fields()[1]);
  EXPECT_EQ(schema.FindField(502), nullptr);
  EXPECT_EQ(schema.FindField("m"), &schema.fields()[2]);
  EXPECT_EQ(schema.FindField("x"), nullptr);
}

TEST(Schema, LogicalTypes) {
  const auto logical = [](const char* text) { return Schema::Parse(text).logical(); };
  EXPECT_EQ(logical(R"({"type":"int","logicalType":"date"})").kind, LogicalKind::kDate);
  EXPECT_EQ(logical(R"({"type":"long","logicalType":"time-micros"})").kind, LogicalKind::kTimeMicros);
  EXPECT_EQ(logical(R"({"type":"string","logicalType":"uuid"})").kind, LogicalKind::kUuid);
  EXPECT_EQ(logical(R"({"type":"fixed","name":"u","size":16,"logicalType":"uuid"})").kind, LogicalKind::kUuid);
  EXPECT_EQ(logical(R"({"type":"long","logicalType":"local-timestamp-nanos"})").kind,
            LogicalKind::kLocalTimestampNanos);
  const Logical micros = logical(R"({"type":"long","logicalType":"timestamp-micros","adjust-to-utc":true})");
  EXPECT_EQ(micros.kind, LogicalKind::kTimestampMicros);
  EXPECT_EQ(micros.adjust_to_utc, true);
  const Logical nanos = logical(R"({"type":"long","logicalType":"timestamp-nanos","adjust-to-utc":false})");
  EXPECT_EQ(nanos.kind, LogicalKind::kTimestampNanos);
  EXPECT_EQ(nanos.adjust_to_utc, false);
  EXPECT_FALSE(logical(R"({"type":"long","logicalType":"timestamp-micros"})").adjust_to_utc.has_value());
  const Logical decimal = logical(R"({"type":"bytes","logicalType":"decimal","precision":36,"scale":23})");
  EXPECT_EQ(decimal.kind, LogicalKind::kDecimal);
  EXPECT_EQ(decimal.precision, 36);
  EXPECT_EQ(decimal.scale, 23);
}

TEST(Schema, LogicalTypesThatDoNotFitAreIgnored) {
  for (const char* text :
       {R"({"type":"string","logicalType":"date"})", R"({"type":"int","logicalType":"timestamp-micros"})",
        R"({"type":"bytes","logicalType":"decimal","precision":2,"scale":3})",
        R"({"type":"bytes","logicalType":"decimal","precision":0})", R"({"type":"long","logicalType":"of-my-own"})",
        R"({"type":"fixed","name":"u","size":15,"logicalType":"uuid"})",
        R"({"type":"array","items":"int","logicalType":"map"})"}) {
    EXPECT_EQ(Schema::Parse(text).logical().kind, LogicalKind::kNone) << text;
  }
}

TEST(Schema, KeyValueMapIsWrittenAsIcebergDoes) {
  const Schema map = Schema::KeyValueMap(Schema::Primitive(Type::kInt), 117, Schema::Primitive(Type::kLong), 118);
  EXPECT_EQ(map.ToString(),
            R"({"type":"array","items":{"type":"record","name":"k117_v118","fields":[)"
            R"({"name":"key","type":"int","field-id":117},{"name":"value","type":"long","field-id":118}]},)"
            R"("logicalType":"map"})");
  EXPECT_EQ(Schema::Parse(map.ToString()), map);
  EXPECT_EQ(map.logical().kind, LogicalKind::kMap);
}

TEST(Schema, MakersRoundTrip) {
  Field field;
  field.name = "f";
  field.type = Schema::Optional(Schema::Fixed("a.b.uuid_fixed", 16).WithLogical({LogicalKind::kUuid}));
  field.field_id = 3;
  field.default_json = "null";
  Field again = field;
  again.name = "g";
  Field kind;
  kind.name = "kind";
  kind.type = Schema::Enum("a.Kind", {"X", "Y"});
  Field general;
  general.name = "u";
  general.type = Schema::Union({Schema::Primitive(Type::kInt), Schema::Primitive(Type::kString), Schema()});
  Field map;
  map.name = "m";
  map.type = Schema::Map(Schema::Array(Schema::Primitive(Type::kDouble), 5), 6, 7);
  const Schema record = Schema::Record("a.R", {field, again, kind, general, map});
  const std::string text = record.ToString();
  EXPECT_THAT(text, HasSubstr(R"("name":"uuid_fixed","namespace":"a.b","size":16,"logicalType":"uuid")"));
  EXPECT_THAT(text, HasSubstr(R"({"name":"g","type":["null","a.b.uuid_fixed"])"));
  EXPECT_THAT(text, HasSubstr(R"({"name":"kind","type":{"type":"enum","name":"Kind","symbols":["X","Y"]}})"));
  EXPECT_EQ(Schema::Parse(text), record);
  EXPECT_EQ(Schema::FromJson(record.ToJson()), record);
  EXPECT_EQ(record.fields()[3].type.branches().size(), 3u);
  EXPECT_FALSE(record.fields()[3].type.is_optional());
  EXPECT_EQ(&record.fields()[3].type.required(), &record.fields()[3].type);
}

TEST(Schema, WithLogicalRefusesWhatDoesNotFit) {
  EXPECT_THAT(
      ErrorOf(ErrorKind::kInvalidArgument, [] { Schema::Primitive(Type::kString).WithLogical({LogicalKind::kDate}); }),
      HasSubstr("string"));
}

TEST(Schema, PartsOfOtherTypesAreRefused) {
  const Schema schema = Schema::Primitive(Type::kInt);
  EXPECT_TRUE(schema.branches().empty());
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { schema.element(); }), HasSubstr("int has no element"));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { schema.map_value(); }), HasSubstr("int has no map value"));
}

TEST(Schema, NamedReferencesResolveWithNamespaces) {
  const Schema schema = Schema::Parse(
      R"({"type":"record","name":"R","namespace":"n","fields":[
          {"name":"a","type":{"type":"fixed","name":"F","size":4}},
          {"name":"b","type":"F"},
          {"name":"c","type":{"type":"n.F"}},
          {"name":"d","type":{"type":"enum","name":"m.E","symbols":["A"]}},
          {"name":"e","type":["null","m.E"]}]})");
  EXPECT_EQ(schema.name(), "n.R");
  EXPECT_EQ(schema.fields()[0].type.name(), "n.F");
  EXPECT_EQ(schema.fields()[1].type.fixed_size(), 4u);
  EXPECT_EQ(schema.fields()[2].type, schema.fields()[0].type);
  EXPECT_EQ(schema.fields()[3].type.name(), "m.E");
  EXPECT_EQ(schema.fields()[4].type.required().symbols(), std::vector<std::string>{"A"});
}

TEST(Schema, OptionalInEitherOrder) {
  const Schema schema = Schema::Parse(R"(["string","null"])");
  EXPECT_EQ(schema.null_branch(), 1);
  EXPECT_EQ(schema.required().type(), Type::kString);
}

TEST(Schema, MinEncodedSize) {
  const auto size = [](const char* text) { return Schema::Parse(text).min_encoded_size(); };
  EXPECT_EQ(size(R"("null")"), 0u);
  EXPECT_EQ(size(R"("long")"), 1u);
  EXPECT_EQ(size(R"("float")"), 4u);
  EXPECT_EQ(size(R"("double")"), 8u);
  EXPECT_EQ(size(R"(["null","double"])"), 1u);
  EXPECT_EQ(size(R"(["int","double"])"), 2u);
  EXPECT_EQ(size(R"({"type":"fixed","name":"f","size":9})"), 9u);
  EXPECT_EQ(size(R"({"type":"array","items":"double"})"), 1u);
  EXPECT_EQ(size(R"({"type":"record","name":"r","fields":[{"name":"a","type":"int"},{"name":"b","type":"float"}]})"),
            5u);
  // Sizes that add up beyond 64 bits stay at the top.
  EXPECT_EQ(size(R"({"type":"record","name":"r","fields":[
                     {"name":"a","type":{"type":"fixed","name":"f","size":18446744073709551615}},
                     {"name":"b","type":"f"}]})"),
            std::numeric_limits<size_t>::max());
}

TEST(Schema, WrongSchemasNameTheirPlace) {
  const auto error = [](std::string_view text) { return ErrorOf(ErrorKind::kCorrupt, [&] { Schema::Parse(text); }); };
  EXPECT_THAT(error(""), HasSubstr("Avro schema"));
  EXPECT_THAT(error("{"), HasSubstr("Avro schema"));
  EXPECT_THAT(error("3"), HasSubstr("a type is a name"));
  EXPECT_THAT(error("[]"), HasSubstr("union without branches"));
  EXPECT_THAT(error(R"([["null"]])"), HasSubstr("union directly in a union"));
  EXPECT_THAT(error(R"("record")"), HasSubstr("needs an object"));
  EXPECT_THAT(error(R"("nonsense")"), HasSubstr("type \"nonsense\" is not defined"));
  EXPECT_THAT(error(R"({"name":"x"})"), HasSubstr("without \"type\""));
  EXPECT_THAT(error(R"({"type":"record","fields":[]})"), HasSubstr("record without name"));
  EXPECT_THAT(error(R"({"type":"record","name":"r"})"), HasSubstr("at r: \"fields\" is missing"));
  EXPECT_THAT(error(R"({"type":"record","name":"r","fields":3})"), HasSubstr("not an array"));
  EXPECT_THAT(error(R"({"type":"record","name":"r","fields":[3]})"), HasSubstr("a field is not an object"));
  EXPECT_THAT(error(R"({"type":"record","name":"r","fields":[{"type":"int"}]})"), HasSubstr("\"name\" is missing"));
  EXPECT_THAT(error(R"({"type":"record","name":"r","fields":[{"name":"a"}]})"), HasSubstr("at r.a: \"type\""));
  EXPECT_THAT(error(R"({"type":"record","name":"r","fields":[{"name":"a","type":{"type":"array","items":"q"}}]})"),
              HasSubstr("at r.a.element: type \"q\""));
  EXPECT_THAT(error(R"({"type":"record","name":"r","fields":[{"name":"a","type":"int","field-id":"1"}]})"),
              HasSubstr("\"field-id\" is not a whole number"));
  EXPECT_THAT(error(R"({"type":"record","name":"r","fields":[{"name":"a","type":"int","field-id":3000000000}]})"),
              HasSubstr("out of range"));
  EXPECT_THAT(error(R"({"type":"record","name":"r","fields":[{"name":"a","type":"int"},{"name":"a","type":"int"}]})"),
              HasSubstr("two fields are called \"a\""));
  EXPECT_THAT(error(R"(["null",{"type":"fixed","name":"f","size":1},{"type":"fixed","name":"f","size":2}])"),
              HasSubstr("\"f\" is defined twice"));
  EXPECT_THAT(error(R"({"type":"fixed","name":"f","size":-1})"), HasSubstr("not a whole number"));
  EXPECT_THAT(error(R"({"type":"enum","name":"e"})"), HasSubstr("\"symbols\" is missing"));
  EXPECT_THAT(error(R"({"type":"enum","name":"e","symbols":[1]})"), HasSubstr("not a string"));
  EXPECT_THAT(error(R"({"type":"map"})"), HasSubstr("\"values\" is missing"));
}

TEST(Schema, RecursiveTypesAreUnsupported) {
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported,
                      [] {
                        Schema::Parse(R"({"type":"record","name":"node","fields":[
                                          {"name":"next","type":["null","node"]}]})");
                      }),
              HasSubstr("type \"node\" contains itself"));
}

TEST(Schema, DepthIsLimited) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 1; i < depth; ++i) text += R"({"type":"array","items":)";
    return text + "\"int\"" + std::string(depth - 1, '}');
  };
  EXPECT_EQ(Schema::Parse(nested(Schema::kMaxDepth)).type(), Type::kArray);
  for (int depth : {Schema::kMaxDepth + 1, 200, 100'000}) {
    EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Schema::Parse(nested(depth)); }), HasSubstr("nested too deeply"));
  }
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { Schema::Parse(std::string(1'000'000, '[')); }), HasSubstr("deeply"));
}

TEST(Schema, ReferencesCannotExplode) {
  // Each record holds the one before twice: 2^40 types when resolved.
  std::string fields = R"({"name":"f0","type":{"type":"record","name":"r0","fields":[]}})";
  for (int i = 1; i <= 40; ++i) {
    fields += fmt::format(
        R"(,{{"name":"f{0}","type":{{"type":"record","name":"r{0}","fields":[{{"name":"a","type":"r{1}"}},{{"name":"b","type":"r{1}"}}]}}}})",
        i, i - 1);
  }
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt,
                      [&] { Schema::Parse(R"({"type":"record","name":"top","fields":[)" + fields + "]}"); }),
              HasSubstr("types"));
}

TEST(Schema, TwoTypesOfOneNameAreNotPrinted) {
  const Schema schema = Schema::Union({Schema::Fixed("f", 1), Schema::Fixed("f", 2)});
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { schema.ToString(); }), HasSubstr("\"f\""));
}

TEST(Schema, SanitizeName) {
  EXPECT_EQ(SanitizeName("plain_1"), "plain_1");
  EXPECT_EQ(SanitizeName("a.b"), "a_x2Eb");
  EXPECT_EQ(SanitizeName("9x"), "_9x");
  EXPECT_EQ(SanitizeName("-"), "_x2D");
  EXPECT_EQ(SanitizeName("a b/c"), "a_x20b_x2Fc");
  EXPECT_EQ(SanitizeName("☃"), "_x2603");
  EXPECT_EQ(SanitizeName("é"), "_xE9");
}

}  // namespace
}  // namespace frazil::avro
