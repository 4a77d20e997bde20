// SPDX-License-Identifier: Apache-2.0
#include "frazil/avro/decoder.h"

#include <limits>

#include "frazil/avro/encoder.h"
#include "support/support.h"

namespace frazil::avro {
namespace {

using test::ErrorOf;
using testing::HasSubstr;
using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(Encoding, LongsAsTheSpecificationShowsThem) {
  const std::pair<int64_t, std::string> cases[] = {{0, "\x00"s},
                                                   {-1, "\x01"s},
                                                   {1, "\x02"s},
                                                   {-2, "\x03"s},
                                                   {2, "\x04"s},
                                                   {-64, "\x7f"s},
                                                   {64, "\x80\x01"s},
                                                   {8192, "\x80\x80\x01"s},
                                                   {kMax, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"s},
                                                   {kMin, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s}};
  for (const auto& [value, bytes] : cases) {
    BinaryEncoder encoder;
    encoder.WriteLong(value);
    EXPECT_EQ(encoder.buffer(), bytes) << value;
    BinaryDecoder decoder(bytes);
    EXPECT_EQ(decoder.ReadLong(), value);
    EXPECT_TRUE(decoder.at_end());
  }
}

TEST(Encoding, EveryValueRoundTrips) {
  BinaryEncoder encoder;
  encoder.WriteBool(true);
  encoder.WriteBool(false);
  encoder.WriteInt(std::numeric_limits<int32_t>::min());
  encoder.WriteInt(std::numeric_limits<int32_t>::max());
  encoder.WriteFloat(1.5f);
  encoder.WriteDouble(-2.25);
  encoder.WriteBytes("\x00\xff"s);
  encoder.WriteString("höhe");
  encoder.WriteFixed("abc");
  encoder.WriteIndex(3);
  encoder.WriteNull();
  encoder.WritePresent();
  encoder.WriteLong(7);
  encoder.WriteItems(std::vector<int>{5, 6}, [&](int i) { encoder.WriteInt(i); });
  encoder.WriteItems(std::vector<int>{}, [&](int i) { encoder.WriteInt(i); });
  EXPECT_EQ(encoder.buffer().substr(encoder.size() - 5), "\x04\x0a\x0c\x00\x00"s);

  const Schema optional = Schema::Optional(Schema::Primitive(Type::kLong));
  const Schema item = Schema::Primitive(Type::kInt);
  BinaryDecoder decoder(encoder.buffer());
  EXPECT_TRUE(decoder.ReadBool());
  EXPECT_FALSE(decoder.ReadBool());
  EXPECT_EQ(decoder.ReadInt(), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(decoder.ReadInt(), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(decoder.ReadFloat(), 1.5f);
  EXPECT_EQ(decoder.ReadDouble(), -2.25);
  EXPECT_EQ(decoder.ReadBytes(), "\x00\xff"s);
  EXPECT_EQ(decoder.ReadString(), "höhe");
  EXPECT_EQ(decoder.ReadFixed(3), "abc");
  EXPECT_EQ(decoder.ReadIndex(4), 3u);
  EXPECT_FALSE(decoder.ReadOptional(optional));
  EXPECT_TRUE(decoder.ReadOptional(optional));
  EXPECT_EQ(decoder.ReadLong(), 7);
  std::vector<int> items;
  decoder.ReadItems(item, [&] { items.push_back(decoder.ReadInt()); });
  decoder.ReadItems(item, [&] { items.push_back(decoder.ReadInt()); });
  EXPECT_EQ(items, (std::vector<int>{5, 6}));
  EXPECT_TRUE(decoder.at_end());
  EXPECT_EQ(decoder.remaining(), 0u);
  EXPECT_EQ(decoder.offset(), encoder.size());
  EXPECT_EQ(encoder.Take().size(), decoder.offset());
  EXPECT_EQ(encoder.size(), 0u);
}

TEST(Encoding, ClearKeepsNothing) {
  BinaryEncoder encoder;
  encoder.WriteString("x");
  encoder.Clear();
  EXPECT_EQ(encoder.buffer(), "");
}

TEST(Decoder, OptionalWithNullLast) {
  const Schema schema = Schema::Parse(R"(["long","null"])");
  BinaryDecoder decoder("\x00\x02\x02"sv);
  EXPECT_TRUE(decoder.ReadOptional(schema));
  EXPECT_EQ(decoder.ReadLong(), 1);
  EXPECT_FALSE(decoder.ReadOptional(schema));
  EXPECT_TRUE(BinaryDecoder("").ReadOptional(Schema::Primitive(Type::kLong)));
}

TEST(Decoder, BlocksWithByteSizes) {
  // Two blocks of ints: -2 items in 2 bytes, then 1 item.
  const std::string bytes = "\x03\x04\x02\x04\x02\x06\x00"s;
  const Schema array = Schema::Array(Schema::Primitive(Type::kInt));
  std::vector<int> items;
  BinaryDecoder decoder(bytes);
  decoder.ReadItems(array.element(), [&] { items.push_back(decoder.ReadInt()); });
  EXPECT_EQ(items, (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(decoder.at_end());
  BinaryDecoder skipping(bytes);
  SkipValue(array, skipping);
  EXPECT_TRUE(skipping.at_end());
}

TEST(Decoder, Maps) {
  BinaryEncoder encoder;
  encoder.BeginBlock(2);
  encoder.WriteString("a");
  encoder.WriteLong(1);
  encoder.WriteString("b");
  encoder.WriteLong(2);
  encoder.EndBlocks();
  const Schema map = Schema::Map(Schema::Primitive(Type::kLong));
  BinaryDecoder decoder(encoder.buffer());
  std::vector<std::pair<std::string, int64_t>> entries;
  decoder.ReadMap(map.map_value(), [&](std::string_view key) { entries.emplace_back(key, decoder.ReadLong()); });
  EXPECT_EQ(entries, (std::vector<std::pair<std::string, int64_t>>{{"a", 1}, {"b", 2}}));
  BinaryDecoder skipping(encoder.buffer());
  SkipValue(map, skipping);
  EXPECT_TRUE(skipping.at_end());
}

TEST(Decoder, SkipAndRenderEveryType) {
  const Schema schema = Schema::Parse(
      R"({"type":"record","name":"r","fields":[
          {"name":"n","type":"null"},{"name":"b","type":"boolean"},{"name":"i","type":"int"},
          {"name":"l","type":"long"},{"name":"f","type":"float"},{"name":"d","type":"double"},
          {"name":"y","type":"bytes"},{"name":"s","type":"string"},
          {"name":"e","type":{"type":"enum","name":"e","symbols":["A","B"]}},
          {"name":"a","type":{"type":"array","items":"int"}},
          {"name":"m","type":{"type":"map","values":"string"}},
          {"name":"x","type":{"type":"fixed","name":"x","size":2}},
          {"name":"u","type":["null","string","long"]}]})");
  BinaryEncoder encoder;
  encoder.WriteBool(true);
  encoder.WriteInt(-3);
  encoder.WriteLong(4);
  encoder.WriteFloat(0.5f);
  encoder.WriteDouble(std::numeric_limits<double>::infinity());
  encoder.WriteBytes("\x0f\xf0");
  encoder.WriteString("a\"b");
  encoder.WriteIndex(1);
  encoder.WriteItems(std::vector<int>{1, 2}, [&](int i) { encoder.WriteInt(i); });
  encoder.BeginBlock(1);
  encoder.WriteString("k");
  encoder.WriteString("v");
  encoder.EndBlocks();
  encoder.WriteFixed("\x01\x02");
  encoder.WriteIndex(2);
  encoder.WriteLong(9);
  BinaryDecoder decoder(encoder.buffer());
  EXPECT_EQ(RenderValue(schema, decoder),
            R"({"n":null,"b":true,"i":-3,"l":4,"f":0.5,"d":"inf","y":"0ff0","s":"a\"b","e":"B","a":[1,2],)"
            R"("m":{"k":"v"},"x":"0102","u":9})");
  EXPECT_TRUE(decoder.at_end());
  BinaryDecoder skipping(encoder.buffer());
  SkipValue(schema, skipping);
  EXPECT_TRUE(skipping.at_end());

  // Cut anywhere, both say that the data are damaged and neither reads on.
  for (size_t size = 0; size < encoder.size(); ++size) {
    const std::string cut = encoder.buffer().substr(0, size);
    ErrorOf(ErrorKind::kCorrupt, [&] {
      BinaryDecoder d(cut);
      SkipValue(schema, d);
    });
    ErrorOf(ErrorKind::kCorrupt, [&] {
      BinaryDecoder d(cut);
      RenderValue(schema, d);
    });
  }
}

std::string Encoded(std::initializer_list<int64_t> values) {
  BinaryEncoder encoder;
  for (const int64_t value : values) encoder.WriteLong(value);
  return encoder.Take();
}

TEST(Decoder, HostileNumbers) {
  const auto error = [](const std::string& bytes, auto&& read) {
    return ErrorOf(ErrorKind::kCorrupt, [&] {
      BinaryDecoder decoder(bytes, "m0.avro");
      read(decoder);
    });
  };
  const auto read_long = [](BinaryDecoder& d) { d.ReadLong(); };
  EXPECT_EQ(error("", read_long), "m0.avro, offset 0: the data ends within a number");
  EXPECT_THAT(error("\x80\x80"s, read_long), HasSubstr("ends within a number"));
  EXPECT_THAT(error(std::string(20, '\xff'), read_long), HasSubstr("more than 10 bytes"));
  EXPECT_THAT(error(Encoded({int64_t{1} << 31}), [](BinaryDecoder& d) { d.ReadInt(); }),
              HasSubstr("2147483648 is out of the range of an int"));
  EXPECT_THAT(error("\x02"s, [](BinaryDecoder& d) { d.ReadBool(); }), HasSubstr("2 for a boolean"));
  EXPECT_THAT(error(Encoded({2}), [](BinaryDecoder& d) { d.ReadIndex(2); }), HasSubstr("branch 2 of 2"));
  EXPECT_THAT(error(Encoded({-1}), [](BinaryDecoder& d) { d.ReadIndex(2); }), HasSubstr("branch -1 of 2"));
  EXPECT_THAT(error("abc", [](BinaryDecoder& d) { d.ReadFloat(); }), HasSubstr("4 bytes, but only 3"));
  EXPECT_THAT(error("abc", [](BinaryDecoder& d) { d.ReadDouble(); }), HasSubstr("8 bytes, but only 3"));
  EXPECT_THAT(error("abc", [](BinaryDecoder& d) { d.Skip(std::numeric_limits<size_t>::max()); }), HasSubstr("only 3"));
}

TEST(Decoder, BitsBeyond64AreDropped) {
  // 9876543210123456789 doesn't fit; PyIceberg once wrote such a snapshot id, Java reads it like this.
  const std::string bytes = "\xaa\xc4\xa3\x83\x96\xee\xc3\x90\x92\x02"s;
  BinaryDecoder decoder(bytes);
  EXPECT_EQ(decoder.ReadLong(), 653171173268680981);
  EXPECT_TRUE(decoder.at_end());
}

TEST(Decoder, HostileLengths) {
  const auto error = [](const std::string& bytes) {
    return ErrorOf(ErrorKind::kCorrupt, [&] { BinaryDecoder(bytes, "m0.avro").ReadBytes(); });
  };
  EXPECT_EQ(error(Encoded({100}) + "abc"), "m0.avro, offset 2: a string of 100 bytes, but only 3 are left");
  EXPECT_THAT(error(Encoded({kMax})), HasSubstr("9223372036854775807 bytes, but only 0"));
  EXPECT_THAT(error(Encoded({-5})), HasSubstr("a length of -5"));
  EXPECT_THAT(error(Encoded({kMin})), HasSubstr("a length of -9223372036854775808"));
}

TEST(Decoder, HostileCounts) {
  const Schema ints = Schema::Array(Schema::Primitive(Type::kInt));
  const Schema nulls = Schema::Array(Schema());
  const Schema map = Schema::Map(Schema::Primitive(Type::kInt));
  const auto errors = [](const Schema& schema, const std::string& bytes) {
    const std::string rendering = ErrorOf(ErrorKind::kCorrupt, [&] {
      BinaryDecoder decoder(bytes);
      RenderValue(schema, decoder);
    });
    const std::string skipping = ErrorOf(ErrorKind::kCorrupt, [&] {
      BinaryDecoder decoder(bytes);
      SkipValue(schema, decoder);
    });
    return rendering + "|" + skipping;
  };
  for (const Schema* schema : {&ints, &map}) {
    EXPECT_THAT(errors(*schema, Encoded({kMax})), HasSubstr("a block of 9223372036854775807 items in 0 bytes"));
    EXPECT_THAT(errors(*schema, Encoded({5, 1})), HasSubstr("a block of 5 items in 1 bytes"));
    EXPECT_THAT(errors(*schema, Encoded({-5, -1})), HasSubstr("a block of -1 bytes"));
    EXPECT_THAT(errors(*schema, Encoded({-5, kMax})), HasSubstr("a block of 9223372036854775807 bytes, but only 0"));
    errors(*schema, Encoded({kMin, 0}));
  }
  // Items without bytes: rendering them is limited, skipping them costs nothing.
  const std::string many = Encoded({kMax, 0});
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt,
                      [&] {
                        BinaryDecoder decoder(many);
                        RenderValue(nulls, decoder);
                      }),
              HasSubstr("items in 1 bytes"));
  BinaryDecoder decoder(many);
  SkipValue(nulls, decoder);
  EXPECT_TRUE(decoder.at_end());
}

}  // namespace
}  // namespace frazil::avro
