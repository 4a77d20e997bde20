// SPDX-License-Identifier: Apache-2.0
#include "frazil/catalog/metadata_file.h"

#include "catalog/fixture.h"
#include "frazil/catalog/names.h"

namespace frazil::catalog {
namespace {

using test::ErrorOf;
using testing::HasSubstr;
using testing::MatchesRegex;

iceberg::TableMetadata Metadata(OptionMap properties = {}) {
  return NewTableMetadata(test::Creation().schema, {}, {}, "/w/t", std::move(properties));
}

TEST(MetadataFile, Folder) {
  EXPECT_EQ(MetadataFolder(Metadata()), "/w/t/metadata");
  EXPECT_EQ(MetadataFolder(Metadata({{"write.metadata.path", "/m/"}})), "/m");
}

TEST(MetadataFile, NamesCountUp) {
  iceberg::TableMetadata m = Metadata();
  constexpr char kUuid[] = "-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\\.metadata\\.json";
  auto next = [&](std::string_view previous) { return NewMetadataLocation(m, previous); };
  EXPECT_THAT(next(""), MatchesRegex(std::string("/w/t/metadata/00000") + kUuid));
  EXPECT_THAT(next("/w/t/metadata/00041-a.metadata.json"), MatchesRegex(std::string("/w/t/metadata/00042") + kUuid));
  EXPECT_THAT(next("/x/123456-a.gz.metadata.json"), MatchesRegex(std::string("/w/t/metadata/123457") + kUuid));
  for (const char* foreign : {"/x/v3.metadata.json", "/x/v3-a.metadata.json", "/x/99999999999-a.metadata.json"}) {
    EXPECT_THAT(next(foreign), MatchesRegex(std::string("/w/t/metadata/00000") + kUuid)) << foreign;
  }
  m = Metadata({{"write.metadata.compression-codec", "GZIP"}});
  EXPECT_THAT(next(""), testing::EndsWith(".gz.metadata.json"));
  m = Metadata({{"write.metadata.compression-codec", "zstd"}});
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { next(""); }), HasSubstr("none and gzip"));
}

TEST(MetadataFile, GzipRoundTripAndDamage) {
  test::ScratchDir scratch;
  auto io = storage::MakeFileIO({});
  iceberg::TableMetadata m = Metadata({{"big", std::string(200'000, 'x')}});
  std::string location = scratch / "00000-a.gz.metadata.json";
  WriteMetadata(*io, location, m);
  std::string bytes = io->ReadAll(location);
  EXPECT_LT(bytes.size(), 3'000u);
  EXPECT_EQ(ReadMetadata(*io, location)->properties.at("big").size(), 200'000u);

  io->WriteAll(scratch / "b.metadata.json.gz", bytes);
  EXPECT_EQ(ReadMetadata(*io, scratch / "b.metadata.json.gz")->table_uuid, m.table_uuid);
  io->WriteAll(scratch / "cut.gz.metadata.json", bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { ReadMetadata(*io, scratch / "cut.gz.metadata.json"); }),
              HasSubstr("cut.gz.metadata.json"));
  io->WriteAll(scratch / "z.metadata.json", "\x28\xb5\x2f\xfdrest");
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { ReadMetadata(*io, scratch / "z.metadata.json"); }),
              HasSubstr("zstd"));
  ErrorOf(ErrorKind::kNotFound, [&] { ReadMetadata(*io, scratch / "none.metadata.json"); });
  ErrorOf(ErrorKind::kAlreadyExists, [&] { WriteMetadata(*io, location, m); });
}

TEST(Names, JoinSplitWithin) {
  EXPECT_EQ(JoinNamespace({"a", "b c", "d"}), "a.b c.d");
  EXPECT_EQ(SplitNamespace("a.b c.d"), (Namespace{"a", "b c", "d"}));
  EXPECT_EQ(SplitNamespace(""), Namespace{});
  EXPECT_TRUE(IsWithin({"a", "b"}, {"a"}));
  EXPECT_TRUE(IsWithin({"a"}, {"a"}));
  EXPECT_FALSE(IsWithin({"ab"}, {"a"}));
  EXPECT_FALSE(IsWithin({"a"}, {"a", "b"}));
  ValidateIdentifier({{"a"}, "t.with.dots"});
  ErrorOf(ErrorKind::kInvalidArgument, [] { ValidateIdentifier({{}, "t"}); });
}

}  // namespace
}  // namespace frazil::catalog
