// SPDX-License-Identifier: Apache-2.0
#include "frazil/write/location_provider.h"

#include "support/support.h"

namespace frazil::write {
namespace {

using ::testing::HasSubstr;

iceberg::TableMetadata Table(OptionMap properties, std::string location = "s3://lake/db/orders") {
  iceberg::TableMetadata metadata;
  metadata.location = std::move(location);
  metadata.properties = std::move(properties);
  return metadata;
}

TEST(LocationProvider, PutsFilesBelowTheTableOrTheDataPath) {
  EXPECT_EQ(LocationProvider(Table({})).DataFileLocation("", "a.parquet"), "s3://lake/db/orders/data/a.parquet");
  EXPECT_EQ(LocationProvider(Table({})).DataFileLocation("day=2024-01-02/region=eu", "a.parquet"),
            "s3://lake/db/orders/data/day=2024-01-02/region=eu/a.parquet");
  EXPECT_EQ(LocationProvider(Table({{"write.data.path", "s3://fast/x/"}})).DataFileLocation("p=1", "a.parquet"),
            "s3://fast/x/p=1/a.parquet");
}

// The hashes of Java's tests.
TEST(LocationProvider, SpreadsFilesOverHashedFolders) {
  const LocationProvider locations(Table({{"write.object-storage.enabled", "true"}}));
  EXPECT_EQ(locations.DataFileLocation("", "a"), "s3://lake/db/orders/data/0101/0110/1001/10110010/a");
  EXPECT_EQ(locations.DataFileLocation("", "b"), "s3://lake/db/orders/data/1110/0111/1110/00000011/b");
  EXPECT_EQ(locations.DataFileLocation("", "c"), "s3://lake/db/orders/data/0010/1101/0110/01011111/c");
  EXPECT_EQ(locations.DataFileLocation("", "d"), "s3://lake/db/orders/data/1001/0001/0100/01110011/d");
}

TEST(LocationProvider, HashesThePartitionPathWithTheName) {
  const LocationProvider locations(Table({{"write.object-storage.enabled", "true"}}));
  const std::string location = locations.DataFileLocation("p=1", "a");
  EXPECT_THAT(location, ::testing::MatchesRegex("s3://lake/db/orders/data/[01]+/[01]+/[01]+/[01]+/p=1/a"));
  EXPECT_THAT(location, Not(HasSubstr("/0101/0110/1001/10110010/")));
  EXPECT_EQ(location, locations.DataFileLocation("", "p=1/a"));
}

TEST(LocationProvider, LeavesThePartitionPathOutWhereAsked) {
  const LocationProvider locations(
      Table({{"write.object-storage.enabled", "true"}, {"write.object-storage.partitioned-paths", "false"}}));
  EXPECT_EQ(locations.DataFileLocation("p=1", "a"), "s3://lake/db/orders/data/0101/0110/1001/10110010-a");
  // The default layout keeps it.
  const LocationProvider plain(Table({{"write.object-storage.partitioned-paths", "false"}}));
  EXPECT_EQ(plain.DataFileLocation("p=1", "a"), "s3://lake/db/orders/data/p=1/a");
}

TEST(LocationProvider, NamesTheTableInASharedDataPath) {
  const LocationProvider locations(
      Table({{"write.object-storage.enabled", "true"}, {"write.data.path", "s3://shared"}}));
  EXPECT_EQ(locations.DataFileLocation("", "a"), "s3://shared/0101/0110/1001/10110010/db/orders/a");
  const LocationProvider inside(
      Table({{"write.object-storage.enabled", "true"}, {"write.data.path", "s3://lake/db/orders/x"}}));
  EXPECT_EQ(inside.DataFileLocation("", "a"), "s3://lake/db/orders/x/0101/0110/1001/10110010/a");
}

TEST(LocationProvider, RefusesWhatItCantHonour) {
  for (const char* key : {"write.object-storage.path", "write.folder-storage.path"}) {
    const std::string message = test::ErrorOf(ErrorKind::kInvalidArgument, [&] {
      LocationProvider(Table({{key, "s3://x"}}));
    });
    EXPECT_THAT(message, HasSubstr(key));
    EXPECT_THAT(message, HasSubstr("'write.data.path'"));
  }
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported,
                            [] {
                              LocationProvider(Table({{"write.location-provider.impl", "com.acme.Locations"}}));
                            }),
              HasSubstr("com.acme.Locations"));
  EXPECT_THAT(test::ErrorOf(ErrorKind::kInvalidArgument,
                            [] {
                              LocationProvider(Table({{"write.object-storage.enabled", "yes please"}}));
                            }),
              HasSubstr("write.object-storage.enabled"));
}

}  // namespace
}  // namespace frazil::write
