// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/schema.h"

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <nlohmann/json.hpp>

#include "frazil/iceberg/arrow_schema.h"
#include "support/support.h"

namespace frazil::iceberg {
namespace {

using nlohmann::json;
using test::ErrorOf;
using ::testing::HasSubstr;

Type AddressType() {
  return Type::Struct({NestedField::Required(5, "city", Type::String()), NestedField::Optional(6, "zip", Type::Int())});
}

Schema NestedSchema() {
  Type tags = Type::List(NestedField::Optional(7, "element", Type::String()));
  Type props =
      Type::Map(NestedField::Required(8, "key", Type::String()),
                NestedField::Optional(9, "value", Type::Struct({NestedField::Optional(10, "x", Type::Double())})));
  return Schema(
      3,
      {NestedField::Required(1, "id", Type::Long(), "the key"), NestedField::Required(2, "address", AddressType()),
       NestedField::Optional(3, "tags", tags), NestedField::Optional(4, "props", props)},
      {5, 1, 5});
}

TEST(SchemaTest, FindsFieldsAtAnyDepth) {
  Schema schema = NestedSchema();
  EXPECT_EQ(schema.schema_id(), 3);
  EXPECT_EQ(schema.HighestFieldId(), 10);
  EXPECT_EQ(schema.identifier_field_ids(), (std::vector<int32_t>{1, 5}));
  ASSERT_NE(schema.FindField(10), nullptr);
  EXPECT_EQ(schema.FindField(10)->name, "x");
  EXPECT_EQ(schema.FindField(11), nullptr);
  for (const auto& [id, name] : std::map<int32_t, std::string>{
           {1, "id"}, {5, "address.city"}, {7, "tags.element"}, {8, "props.key"}, {10, "props.value.x"}}) {
    EXPECT_EQ(schema.FullName(id), name);
    ASSERT_NE(schema.FindField(name), nullptr) << name;
    EXPECT_EQ(schema.FindField(name)->id, id);
  }
  EXPECT_EQ(schema.FullName(99), "");
  EXPECT_EQ(schema.FindField("address.street"), nullptr);
  EXPECT_EQ(schema.FindField("ADDRESS.City"), nullptr);
  EXPECT_EQ(schema.FindField("ADDRESS.City", false)->id, 5);
  EXPECT_EQ(schema.FindField("nope", false), nullptr);
}

TEST(SchemaTest, CopiesAndMovesKeepTheirOwnIndex) {
  auto original = std::make_unique<Schema>(NestedSchema());
  Schema copy = *original;
  Schema assigned;
  assigned = *original;
  Schema moved = std::move(*original);
  original.reset();
  for (const Schema* schema : {&copy, &assigned, &moved}) {
    EXPECT_EQ(schema->FindField(5), &schema->fields()[1].type.fields()[0]);
    EXPECT_EQ(schema->FindField("props.value.x")->type, Type::Double());
  }
  EXPECT_EQ(copy, moved);
}

TEST(SchemaTest, SameAsIgnoresTheSchemaId) {
  Schema a(0, {NestedField::Optional(1, "a", Type::Int())});
  Schema b(7, {NestedField::Optional(1, "a", Type::Int())});
  Schema c(0, {NestedField::Optional(1, "a", Type::Long())});
  EXPECT_TRUE(a.SameAs(b));
  EXPECT_FALSE(a == b);
  EXPECT_FALSE(a.SameAs(c));
}

TEST(SchemaTest, RefusesWhatCantBeASchema) {
  auto error = [](std::vector<NestedField> fields, std::vector<int32_t> identifiers = {}) {
    return ErrorOf(ErrorKind::kInvalidArgument, [&] { Schema(0, fields, identifiers); });
  };
  NestedField id = NestedField::Required(1, "id", Type::Long());
  EXPECT_THAT(error({id, NestedField::Optional(1, "b", Type::Int())}), HasSubstr("field id 1"));
  EXPECT_THAT(error({id, NestedField::Optional(2, "id", Type::Int())}), HasSubstr("'id' is there twice"));
  EXPECT_THAT(error({NestedField::Optional(9, "address.city", Type::Int()),
                     NestedField::Optional(2, "address", AddressType())}),
              HasSubstr("'address.city'"));
  EXPECT_THAT(error({id}, {2}), HasSubstr("no such field"));
  EXPECT_THAT(error({NestedField::Optional(1, "id", Type::Long())}, {1}), HasSubstr("must be required"));
  EXPECT_THAT(error({NestedField::Required(1, "id", Type::Double())}, {1}), HasSubstr("type double"));
  EXPECT_THAT(error({NestedField::Required(1, "a", AddressType())}, {1}), HasSubstr("can't identify"));
  EXPECT_THAT(error({NestedField::Optional(2, "address", AddressType())}, {5}),
              HasSubstr("'address' must be required"));
  Type list = Type::List(NestedField::Required(3, "element", Type::Int()));
  EXPECT_THAT(error({NestedField::Required(1, "l", list)}, {3}), HasSubstr("list or map"));
}

TEST(SchemaTest, LookUpWithoutCaseRefusesAmbiguity) {
  Schema schema(0, {NestedField::Optional(1, "id", Type::Int()), NestedField::Optional(2, "ID", Type::Int())});
  EXPECT_EQ(schema.FindField("ID", false)->id, 2);
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { schema.FindField("Id", false); }), HasSubstr("ambiguous"));
}

TEST(SchemaTest, FreshIdsGoLevelByLevel) {
  int32_t next_id = 1;
  Schema shuffled(
      5,
      {NestedField::Required(40, "id", Type::Long()), NestedField::Required(31, "address", AddressType()),
       NestedField::Optional(
           33, "m",
           Type::Map(NestedField::Required(8, "key", AddressType().fields()[0].type),
                     NestedField::Optional(9, "value", Type::List(NestedField::Optional(20, "element", Type::Int()))))),
       NestedField::Optional(34, "z", Type::Int())},
      {40, 5});
  Schema fresh = AssignFreshIds(shuffled, 0, next_id);
  EXPECT_EQ(next_id, 10);
  EXPECT_EQ(fresh.schema_id(), 0);
  EXPECT_EQ(fresh.identifier_field_ids(), (std::vector<int32_t>{1, 5}));
  for (const auto& [name, id] : std::map<std::string, int32_t>{{"id", 1},
                                                               {"address", 2},
                                                               {"m", 3},
                                                               {"z", 4},
                                                               {"address.city", 5},
                                                               {"address.zip", 6},
                                                               {"m.key", 7},
                                                               {"m.value", 8},
                                                               {"m.value.element", 9}}) {
    EXPECT_EQ(fresh.FindField(name)->id, id) << name;
  }
}

TEST(SchemaJsonTest, WritesJavasKeyOrder) {
  EXPECT_EQ(
      ToJson(NestedSchema()).dump(),
      R"({"type":"struct","schema-id":3,"identifier-field-ids":[1,5],"fields":[)"
      R"({"id":1,"name":"id","required":true,"type":"long","doc":"the key"},)"
      R"({"id":2,"name":"address","required":true,"type":{"type":"struct","fields":[)"
      R"({"id":5,"name":"city","required":true,"type":"string"},{"id":6,"name":"zip","required":false,"type":"int"}]}},)"
      R"({"id":3,"name":"tags","required":false,"type":{"type":"list","element-id":7,"element":"string",)"
      R"("element-required":false}},)"
      R"({"id":4,"name":"props","required":false,"type":{"type":"map","key-id":8,"key":"string","value-id":9,)"
      R"("value":{"type":"struct","fields":[{"id":10,"name":"x","required":false,"type":"double"}]},)"
      R"("value-required":false}}]})");
  EXPECT_EQ(SchemaFromJson(json::parse(ToJson(NestedSchema()).dump())), NestedSchema());
  EXPECT_EQ(ToJson(Type::Decimal(9, 2)).dump(), "\"decimal(9, 2)\"");
}

/// A schema with one field, `member` added to it.
json SchemaWith(const std::string& type, const std::string& member = "") {
  return json::parse(R"({"type":"struct","schema-id":0,"fields":[{"id":1,"name":"a","required":false,"type":)" + type +
                     (member.empty() ? "" : "," + member) + "}]}");
}

TEST(SchemaJsonTest, ErrorsNameThePath) {
  auto error = [](const json& document) { return ErrorOf(ErrorKind::kCorrupt, [&] { SchemaFromJson(document); }); };
  EXPECT_THAT(error(json::parse("[]")), HasSubstr("schema: expected an object"));
  EXPECT_THAT(error(json::parse(R"({"fields":[]})")), HasSubstr("schema.type: missing"));
  EXPECT_THAT(error(json::parse(R"({"type":"list","fields":[]})")), HasSubstr("schema.type"));
  EXPECT_THAT(error(json::parse(R"({"type":"struct"})")), HasSubstr("schema.fields: missing"));
  EXPECT_THAT(error(SchemaWith(R"("integer")")), HasSubstr("schema.fields[0].type: 'integer'"));
  EXPECT_THAT(error(SchemaWith(R"({"type":"list","element-id":2,"element":{"type":"set"},"element-required":true})")),
              HasSubstr("schema.fields[0].type.element.type: 'set'"));
  EXPECT_THAT(error(SchemaWith(R"({"type":"map","key-id":2,"key":"int","value-id":"3","value":"int"})")),
              HasSubstr("schema.fields[0].type.value-id: expected a 64-bit integer, found \"3\""));
  EXPECT_THAT(error(SchemaWith(R"({"type":"list","element-id":1,"element":"int","element-required":true})")),
              HasSubstr("field id 1"));
  json reserved = SchemaWith(R"("int")");
  reserved["fields"][0]["id"] = 2147483448;
  EXPECT_THAT(error(reserved), HasSubstr("schema.fields[0].id: 2147483448"));
  reserved["fields"][0]["id"] = 2147483447;
  EXPECT_EQ(SchemaFromJson(reserved).HighestFieldId(), 2147483447);
  json identifiers = SchemaWith(R"("int")");
  identifiers["identifier-field-ids"] = {1};
  EXPECT_THAT(error(identifiers), HasSubstr("schema: identifier field 1 (a)"));
  identifiers["identifier-field-ids"] = {4294967297};
  EXPECT_THAT(error(identifiers), HasSubstr("identifier-field-ids"));
}

TEST(SchemaJsonTest, NestingIsLimited) {
  auto nested = [](int levels) {
    std::string type = "\"int\"";
    for (int i = 0; i < levels; ++i) {
      type = fmt::format(R"({{"type":"list","element-id":{},"element":{},"element-required":false}})", i + 2, type);
    }
    return SchemaWith(type);
  };
  EXPECT_EQ(SchemaFromJson(nested(99)).HighestFieldId(), 100);
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { SchemaFromJson(nested(101)); }), HasSubstr("100 levels"));
}

TEST(SchemaJsonTest, DefaultsSurvive) {
  Schema schema =
      SchemaFromJson(SchemaWith("\"decimal(9,2)\"", R"("initial-default":"14.20","write-default":"-0.01")"));
  EXPECT_EQ(schema.fields()[0].initial_default, Literal(static_cast<__int128>(1420)));
  EXPECT_EQ(schema.fields()[0].write_default, Literal(static_cast<__int128>(-1)));
  EXPECT_EQ(SchemaFromJson(ToJson(schema)), schema);
  EXPECT_EQ(SchemaFromJson(SchemaWith(R"("int")", R"("initial-default":null)")).fields()[0].initial_default,
            std::nullopt);
  EXPECT_THAT(
      ErrorOf(ErrorKind::kCorrupt, [] { SchemaFromJson(SchemaWith(R"("int")", R"("write-default":2147483648)")); }),
      HasSubstr("schema.fields[0].write-default: 2147483648 is not a value of type int"));
  Schema nested = SchemaFromJson(
      SchemaWith(R"({"type":"map","key-id":2,"key":"string","value-id":3,"value":"int","value-required":false})",
                 R"("initial-default":{"keys":["a","b"],"values":[1,2]})"));
  EXPECT_EQ(ToJson(nested)["fields"][0]["initial-default"].dump(), R"({"keys":["a","b"],"values":[1,2]})");
}

std::string Hex(const std::string& bytes) {
  std::string text;
  for (char byte : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return text;
}

TEST(SingleValueJsonTest, ReadsAndWritesEveryType) {
  const Type timestamp_ns(TypeId::kTimestampNs);
  const Type timestamptz_ns(TypeId::kTimestampTzNs);
  struct Case {
    Type type;
    std::string text;
    Literal value;
    std::string written;  ///< "" = text
  };
  const std::vector<Case> cases = {
      {Type::Boolean(), "true", true, ""},
      {Type::Int(), "34", int32_t{34}, ""},
      {Type::Int(), "-2147483648", int32_t{-2147483647 - 1}, ""},
      {Type::Long(), "9223372036854775807", int64_t{9223372036854775807}, ""},
      {Type::Float(), "1.0", 1.0F, ""},
      {Type::Float(), "0.1", 0.1F, ""},
      {Type::Float(), "3", 3.0F, "3.0"},
      {Type::Double(), "0.1", 0.1, ""},
      {Type::Decimal(9, 2), R"("14.20")", static_cast<__int128>(1420), ""},
      {Type::Decimal(9, 2), R"("-0.05")", static_cast<__int128>(-5), ""},
      {Type::Decimal(9, 2), R"("9999999.99")", static_cast<__int128>(999999999), ""},
      {Type::Decimal(38, 0), R"("2E+20")", static_cast<__int128>(200000000000) * 1000000000,
       R"("200000000000000000000")"},
      {Type::Date(), R"("2017-11-16")", int32_t{17486}, ""},
      {Type::Time(), R"("22:31:08.123456")", int64_t{81068123456}, ""},
      {Type::Time(), R"("22:31:00")", int64_t{81060000000}, ""},
      {Type::Timestamp(), R"("2017-11-16T22:31:08.123456")", int64_t{1510871468123456}, ""},
      {Type::Timestamp(), R"("1969-12-31T23:59:59")", int64_t{-1000000}, ""},
      {Type::TimestampTz(), R"("2017-11-16T22:31:08+00:00")", int64_t{1510871468000000}, ""},
      {Type::TimestampTz(), R"("2017-11-16T22:31:08Z")", int64_t{1510871468000000}, R"("2017-11-16T22:31:08+00:00")"},
      {timestamp_ns, R"("1969-12-31T23:59:59.999999999")", int64_t{-1}, ""},
      {timestamptz_ns, R"("1970-01-01T00:00:00.000000001+00:00")", int64_t{1}, ""},
      {Type::String(), R"("a\"b")", std::string("a\"b"), ""},
      {Type::Binary(), R"("0A0b")", std::string("\x0a\x0b"), R"("0a0b")"},
      {Type::Binary(), R"("")", std::string(), ""},
      {Type::Fixed(4), R"("000102ff")", std::string("\0\1\2\xff", 4), ""},
      {Type::List(NestedField::Optional(2, "element", Type::Int())), "[1,null,3]", std::string("[1,null,3]"), ""},
      {Type::Struct({NestedField::Optional(2, "a", Type::Int())}), "{}", std::string("{}"), ""},
  };
  for (const Case& c : cases) {
    Literal value = LiteralFromJson(c.type, json::parse(c.text));
    EXPECT_EQ(value, c.value) << c.type.ToString() << " " << c.text;
    EXPECT_EQ(LiteralToJson(c.type, value).dump(), c.written.empty() ? c.text : c.written) << c.type.ToString();
  }
  Literal uuid = LiteralFromJson(Type::Uuid(), "F79C3E09-677c-4bbd-a479-3f349cb785e7");
  EXPECT_EQ(Hex(std::get<std::string>(uuid)), "f79c3e09677c4bbda4793f349cb785e7");
  EXPECT_EQ(LiteralToJson(Type::Uuid(), uuid), "f79c3e09-677c-4bbd-a479-3f349cb785e7");
  EXPECT_TRUE(IsNull(LiteralFromJson(Type(TypeId::kVariant), nullptr)));
  EXPECT_TRUE(LiteralToJson(Type::Int(), Literal()).is_null());
}

TEST(SingleValueJsonTest, RefusesWhatDoesntFit) {
  const Type list = Type::List(NestedField::Optional(2, "element", Type::Int()));
  const Type map =
      Type::Map(NestedField::Required(2, "key", Type::Int()), NestedField::Optional(3, "value", Type::Int()));
  const std::vector<std::pair<Type, std::string>> cases = {
      {Type::Boolean(), "1"},
      {Type::Int(), "2147483648"},
      {Type::Int(), "1.0"},
      {Type::Int(), R"("1")"},
      {Type::Long(), "9223372036854775808"},
      {Type::Float(), "1e39"},
      {Type::Double(), R"("NaN")"},
      {Type::Decimal(9, 2), R"("14.205")"},
      {Type::Decimal(9, 2), R"("10000000.00")"},
      {Type::Decimal(9, 2), R"("1E+2147483647")"},
      {Type::Decimal(9, 2), R"("1E-99999999999")"},
      {Type::Decimal(9, 2), R"("")"},
      {Type::Decimal(9, 2), R"("-")"},
      {Type::Decimal(9, 2), R"("1.2.3")"},
      {Type::Decimal(9, 2), "14.20"},
      {Type::Date(), R"("2017-02-30")"},
      {Type::Date(), "17486"},
      {Type::Time(), R"("25:00:00")"},
      {Type::Timestamp(), R"("2017-11-16T22:31:08+00:00")"},
      {Type::TimestampTz(), R"("2017-11-16T14:31:08-08:00")"},
      {Type::TimestampTz(), R"("2017-11-16T22:31:08")"},
      {Type::Uuid(), R"("f79c3e09677c4bbda4793f349cb785e7")"},
      {Type::Fixed(4), R"("0001")"},
      {Type::Binary(), R"("0g")"},
      {Type::Binary(), R"("012")"},
      {Type(TypeId::kVariant), "1"},
      {Type(TypeId::kGeometry), "\"POINT (1 2)\""},
      {Type(), "1"},
      {list, R"(["x"])"},
      {list, "{}"},
      {map, R"({"keys":[1],"values":[]})"},
      {map, R"({"keys":[1]})"},
      {map, "[]"},
  };
  for (const auto& [type, text] : cases) {
    EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { LiteralFromJson(type, json::parse(text)); }),
                HasSubstr("is not a value of type"))
        << type.ToString() << " " << text;
  }
  ErrorOf(ErrorKind::kInvalidArgument, [] { LiteralToJson(Type::Double(), std::numeric_limits<double>::quiet_NaN()); });
  ErrorOf(ErrorKind::kInvalidArgument, [] { LiteralToJson(Type(TypeId::kVariant), std::string("x")); });
  ErrorOf(ErrorKind::kInvalidArgument, [] { LiteralToJson(Type::Time(), int64_t{-1}); });
  ErrorOf(ErrorKind::kInvalidArgument, [] { LiteralToJson(Type::Int(), int64_t{1}); });
}

TEST(ArrowSchemaTest, FieldIdsAreAtEveryLevel) {
  auto schema = ToArrowSchema(NestedSchema());
  ASSERT_EQ(schema->num_fields(), 4);
  EXPECT_EQ(FieldIdOf(*schema->field(0)), 1);
  EXPECT_FALSE(schema->field(0)->nullable());
  EXPECT_EQ(schema->field(0)->metadata()->Get("PARQUET:field_id").ValueOrDie(), "1");
  const auto& address = *schema->field(1)->type();
  EXPECT_EQ(FieldIdOf(*address.field(1)), 6);
  EXPECT_TRUE(address.field(1)->nullable());
  const auto& tags = static_cast<const arrow::ListType&>(*schema->field(2)->type());
  EXPECT_EQ(tags.value_field()->name(), "element");
  EXPECT_EQ(FieldIdOf(*tags.value_field()), 7);
  const auto& props = static_cast<const arrow::MapType&>(*schema->field(3)->type());
  EXPECT_EQ(FieldIdOf(*props.key_field()), 8);
  EXPECT_EQ(FieldIdOf(*props.item_field()), 9);
  EXPECT_EQ(FieldIdOf(*props.item_type()->field(0)), 10);
}

TEST(ArrowSchemaTest, PrimitivesMapToTheirLayout) {
  const std::vector<std::pair<std::string, std::shared_ptr<arrow::DataType>>> cases = {
      {"boolean", arrow::boolean()},
      {"int", arrow::int32()},
      {"long", arrow::int64()},
      {"float", arrow::float32()},
      {"double", arrow::float64()},
      {"decimal(9,2)", arrow::decimal128(9, 2)},
      {"date", arrow::date32()},
      {"time", arrow::time64(arrow::TimeUnit::MICRO)},
      {"timestamp", arrow::timestamp(arrow::TimeUnit::MICRO)},
      {"timestamptz", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")},
      {"timestamp_ns", arrow::timestamp(arrow::TimeUnit::NANO)},
      {"timestamptz_ns", arrow::timestamp(arrow::TimeUnit::NANO, "UTC")},
      {"string", arrow::utf8()},
      {"uuid", arrow::fixed_size_binary(16)},
      {"fixed[5]", arrow::fixed_size_binary(5)},
      {"binary", arrow::binary()},
      {"unknown", arrow::null()},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_TRUE(ToArrowType(ParsePrimitiveType(text))->Equals(expected)) << text;
  }
  Schema variant(0, {NestedField::Optional(1, "v", Type(TypeId::kVariant))});
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { ToArrowSchema(variant); }), HasSubstr("column 'v'"));
  ErrorOf(ErrorKind::kUnsupported, [] { ToArrowType(Type(TypeId::kGeography)); });
}

TEST(ArrowSchemaTest, FieldIdOfFieldsWithoutOne) {
  EXPECT_EQ(FieldIdOf(*arrow::field("a", arrow::int32())), -1);
  EXPECT_EQ(FieldIdOf(*arrow::field("a", arrow::int32(), arrow::key_value_metadata({{"k", "1"}}))), -1);
  EXPECT_EQ(FieldIdOf(*arrow::field("a", arrow::int32(), arrow::key_value_metadata({{"PARQUET:field_id", "x"}}))), -1);
}

}  // namespace
}  // namespace frazil::iceberg
