// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/partition_spec.h"

#include <nlohmann/json.hpp>

#include "support/support.h"

namespace frazil::iceberg {
namespace {

using nlohmann::json;
using test::ErrorOf;
using ::testing::HasSubstr;

Literal Str(std::string text) { return Literal(std::move(text)); }

Schema TableSchema() {
  return Schema(
      0, {NestedField::Required(1, "id", Type::Long()), NestedField::Optional(2, "region", Type::String()),
          NestedField::Optional(3, "ts", Type::Timestamp()), NestedField::Optional(4, "price", Type::Double()),
          NestedField::Optional(5, "tags", Type::List(NestedField::Optional(6, "element", Type::String()))),
          NestedField::Optional(7, "address", Type::Struct({NestedField::Optional(8, "city", Type::String())}))});
}

PartitionField Field(int32_t source_id, const std::string& transform, const std::string& name,
                     int32_t field_id = 1000) {
  return {{source_id}, field_id, name, ParseTransform(transform)};
}

PartitionSpec Spec(std::vector<PartitionField> fields) {
  for (size_t i = 0; i < fields.size(); ++i) fields[i].field_id = 1000 + static_cast<int32_t>(i);
  return {1, std::move(fields)};
}

TEST(PartitionSpecTest, PartitionTypeHasOneOptionalFieldPerPartitionField) {
  PartitionSpec spec = Spec({Field(2, "identity", "region"), Field(3, "day", "ts_day"), Field(1, "bucket[4]", "b"),
                             Field(99, "identity", "dropped"), Field(1, "zorder[2]", "z")});
  spec.fields.push_back({{1, 2}, 1005, "multi", ParseTransform("bucket[4]")});
  EXPECT_EQ(PartitionType(spec, TableSchema()),
            Type::Struct({NestedField::Optional(1000, "region", Type::String()),
                          NestedField::Optional(1001, "ts_day", Type::Date()),
                          NestedField::Optional(1002, "b", Type::Int()), NestedField::Optional(1003, "dropped", Type()),
                          NestedField::Optional(1004, "z", Type()), NestedField::Optional(1005, "multi", Type())}));
  EXPECT_TRUE(PartitionType({}, TableSchema()).fields().empty());
}

TEST(PartitionSpecTest, UnpartitionedMeansNoFieldThatTells) {
  EXPECT_TRUE(PartitionSpec{}.is_unpartitioned());
  EXPECT_TRUE(Spec({Field(2, "void", "region")}).is_unpartitioned());
  EXPECT_FALSE(Spec({Field(2, "void", "region"), Field(1, "identity", "id")}).is_unpartitioned());
}

TEST(PartitionSpecTest, PathIsUrlEncodedAsJavaDoes) {
  const Schema schema = TableSchema();
  PartitionSpec day_and_region = Spec({Field(3, "day", "event_day"), Field(2, "identity", "region")});
  EXPECT_EQ(PartitionPath(day_and_region, schema, {int32_t{19724}, Str("eu")}), "event_day=2024-01-02/region=eu");
  PartitionSpec odd_name = Spec({Field(2, "identity", "p#1")});
  const std::vector<std::pair<Literal, std::string>> cases = {{Str("a/b=c"), "p%231=a%2Fb%3Dc"},
                                                              {Str("100%"), "p%231=100%25"},
                                                              {Str("x y+z"), "p%231=x+y%2Bz"},
                                                              {Str("../up"), "p%231=..%2Fup"},
                                                              {Str(""), "p%231="},
                                                              {Literal(), "p%231=null"},
                                                              {Str("ü"), "p%231=%C3%BC"},
                                                              {Str("a.b-c*d_E~"), "p%231=a.b-c*d_E%7E"}};
  for (const auto& [value, path] : cases) EXPECT_EQ(PartitionPath(odd_name, schema, {value}), path);
  PartitionSpec time = Spec({Field(3, "identity", "ts")});
  EXPECT_EQ(PartitionPath(time, schema, {int64_t{0}}), "ts=1970-01-01T00%3A00");
  EXPECT_EQ(PartitionPath(Spec({Field(99, "identity", "gone")}), schema, {int32_t{5}}), "gone=5");
  EXPECT_EQ(PartitionPath({}, schema, {}), "");
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { PartitionPath(time, schema, {}); }),
              HasSubstr("0 partition values for the 1 fields"));
}

TEST(PartitionSpecTest, ValidateAcceptsGoodSpecs) {
  const Schema schema = TableSchema();
  Validate({}, schema);
  Validate(Spec({Field(2, "identity", "region"), Field(3, "hour", "ts_hour"), Field(3, "identity", "ts"),
                 Field(1, "bucket[4]", "b4"), Field(1, "bucket[8]", "b8"), Field(8, "truncate[2]", "city_trunc")}),
           schema);
  Validate(Spec({Field(2, "void", "region"), Field(99, "void", "gone")}), schema);
}

TEST(PartitionSpecTest, ValidateRefusesWhatCantBeWritten) {
  auto error = [](std::vector<PartitionField> fields) {
    return ErrorOf(ErrorKind::kInvalidArgument, [&] { Validate(Spec(fields), TableSchema()); });
  };
  EXPECT_THAT(error({Field(99, "identity", "x")}), HasSubstr("'x': the schema has no column with id 99"));
  EXPECT_THAT(error({Field(4, "bucket[4]", "x")}),
              HasSubstr("'x': transform bucket[4] can't be applied to type double"));
  EXPECT_THAT(error({Field(5, "identity", "x")}), HasSubstr("list<string>"));
  EXPECT_THAT(error({Field(6, "identity", "x")}), HasSubstr("'tags.element' is in a list or map"));
  EXPECT_THAT(error({Field(2, "truncate[2]", "region")}), HasSubstr("the name of a column"));
  EXPECT_THAT(error({Field(1, "identity", "region")}), HasSubstr("the name of a column"));
  EXPECT_THAT(error({Field(1, "bucket[2]", "x"), Field(2, "bucket[2]", "x")}), HasSubstr("two fields are called 'x'"));
  EXPECT_THAT(error({Field(3, "day", "x"), Field(3, "hour", "y")}), HasSubstr("redundant"));
  EXPECT_THAT(error({Field(1, "bucket[2]", "x"), Field(1, "bucket[2]", "y")}), HasSubstr("redundant"));
  EXPECT_THAT(error({Field(1, "zorder[2]", "x")}), HasSubstr("'zorder[2]' is not known"));
  EXPECT_THAT(error({Field(1, "identity", "")}), HasSubstr("no name"));
  EXPECT_THAT(error({{{1, 2}, 1000, "x", ParseTransform("bucket[4]")}}), HasSubstr("takes one source column, not 2"));
}

TEST(PartitionSpecJsonTest, RoundTrip) {
  PartitionSpec spec = Spec({Field(2, "identity", "region"), Field(1, "zorder-ish[4]", "z")});
  spec.fields.push_back({{1, 2}, 1002, "multi", ParseTransform("bucket[4]")});
  const std::string text = R"([{"name":"region","transform":"identity","source-id":2,"field-id":1000},)"
                           R"({"name":"z","transform":"zorder-ish[4]","source-id":1,"field-id":1001},)"
                           R"({"name":"multi","transform":"bucket[4]","source-ids":[1,2],"field-id":1002}])";
  EXPECT_EQ(FieldsToJson(spec).dump(), text);
  EXPECT_EQ(ToJson(spec).dump(), R"({"spec-id":1,"fields":)" + text + "}");
  EXPECT_EQ(PartitionSpecFromJson(ToJson(spec)), spec);
  EXPECT_EQ(PartitionSpecFromFieldsJson(FieldsToJson(spec), 1), spec);
}

TEST(PartitionSpecJsonTest, FieldsOfV1GetTheirIdsByPlace) {
  json fields = json::parse(R"([{"name":"a","transform":"identity","source-id":2},
                                {"name":"b","transform":"day","source-id":3}])");
  PartitionSpec spec = PartitionSpecFromFieldsJson(fields, 0);
  ASSERT_EQ(spec.fields.size(), 2U);
  EXPECT_EQ(spec.fields[0].field_id, 1000);
  EXPECT_EQ(spec.fields[1].field_id, 1001);
  fields[0]["field-id"] = 1000;
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { PartitionSpecFromFieldsJson(fields, 0); }),
              HasSubstr("1 of 2 partition fields have no field-id"));
}

TEST(PartitionSpecJsonTest, ErrorsNameThePath) {
  auto error = [](const char* text) {
    return ErrorOf(ErrorKind::kCorrupt, [&] { PartitionSpecFromJson(json::parse(text)); });
  };
  EXPECT_THAT(error(R"({"fields":[]})"), HasSubstr("partition-spec.spec-id: missing"));
  EXPECT_THAT(error(R"({"spec-id":0})"), HasSubstr("partition-spec.fields: missing"));
  EXPECT_THAT(error(R"({"spec-id":0,"fields":[{"name":"a","transform":"identity","field-id":1}]})"),
              HasSubstr("partition-spec.fields[0].source-id: missing"));
  EXPECT_THAT(error(R"({"spec-id":0,"fields":[{"name":"a","transform":"x","field-id":1,"source-ids":[]}]})"),
              HasSubstr("partition-spec.fields[0].source-ids: is empty"));
  EXPECT_THAT(error(R"({"spec-id":0,"fields":[7]})"), HasSubstr("partition-spec.fields[0]: expected an object"));
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [] { PartitionSpecFromFieldsJson(json::object(), 0); }),
              HasSubstr("expected an array"));
}

TEST(SortOrderJsonTest, RoundTrip) {
  SortOrder order{3,
                  {{{1}, ParseTransform("identity"), SortDirection::kDescending, NullOrder::kNullsLast},
                   {{2, 3}, ParseTransform("bucket[4]"), SortDirection::kAscending, NullOrder::kNullsFirst}}};
  EXPECT_EQ(ToJson(order).dump(),
            R"({"order-id":3,"fields":[)"
            R"({"transform":"identity","source-id":1,"direction":"desc","null-order":"nulls-last"},)"
            R"({"transform":"bucket[4]","source-ids":[2,3],"direction":"asc","null-order":"nulls-first"}]})");
  EXPECT_EQ(SortOrderFromJson(ToJson(order)), order);
  EXPECT_EQ(SortOrderFromJson(ToJson(SortOrder{})), SortOrder{});
}

TEST(SortOrderJsonTest, Refusals) {
  auto error = [](const char* text) {
    return ErrorOf(ErrorKind::kCorrupt, [&] { SortOrderFromJson(json::parse(text)); });
  };
  EXPECT_THAT(error(R"({"order-id":1,"fields":[]})"), HasSubstr("sort-order.order-id: 1 with 0 fields"));
  EXPECT_THAT(error(R"({"order-id":0,"fields":[{"transform":"identity","source-id":1,"direction":"asc",
                        "null-order":"nulls-first"}]})"),
              HasSubstr("0 with 1 fields"));
  EXPECT_THAT(error(R"({"order-id":1,"fields":[{"transform":"identity","source-id":1,"direction":"up",
                        "null-order":"nulls-first"}]})"),
              HasSubstr("sort-order.fields[0].direction: expected asc or desc, found 'up'"));
  EXPECT_THAT(error(R"({"order-id":1,"fields":[{"transform":"identity","source-id":1,"direction":"asc",
                        "null-order":"first"}]})"),
              HasSubstr("fields[0].null-order"));
}

}  // namespace
}  // namespace frazil::iceberg
