// SPDX-License-Identifier: Apache-2.0
// The Avro schemas of manifests and manifest lists: what the reader and the writer of both share. Readers find fields
// by these ids alone; names and order are those of Java, because others look there too.
#pragma once

#include <cstdint>
#include <string_view>

#include "frazil/avro/schema.h"
#include "frazil/iceberg/type.h"

namespace frazil::iceberg {

/// Field ids of manifest entries (spec: "Manifests", manifest entry fields and data file fields).
enum ManifestFieldId : int32_t {
  kStatusId = 0,
  kSnapshotIdId = 1,
  kDataFileId = 2,
  kSequenceNumberId = 3,
  kFileSequenceNumberId = 4,
  kFilePathId = 100,
  kFileFormatId = 101,
  kPartitionId = 102,
  kRecordCountId = 103,
  kFileSizeId = 104,
  kBlockSizeId = 105,
  kColumnSizesId = 108,
  kValueCountsId = 109,
  kNullValueCountsId = 110,
  kLowerBoundsId = 125,
  kUpperBoundsId = 128,
  kKeyMetadataId = 131,
  kSplitOffsetsId = 132,
  kContentId = 134,
  kEqualityIdsId = 135,
  kNanValueCountsId = 137,
  kSortOrderIdId = 140,
  kFirstRowIdId = 142,
  kReferencedDataFileId = 143,
  kContentOffsetId = 144,
  kContentSizeId = 145,
};

/// Field ids of manifest lists (spec: "Manifest Lists").
enum ManifestListFieldId : int32_t {
  kManifestPathId = 500,
  kManifestLengthId = 501,
  kPartitionSpecIdId = 502,
  kAddedSnapshotIdId = 503,
  kAddedFilesCountId = 504,
  kExistingFilesCountId = 505,
  kDeletedFilesCountId = 506,
  kPartitionsId = 507,
  kContainsNullId = 509,
  kLowerBoundId = 510,
  kUpperBoundId = 511,
  kAddedRowsCountId = 512,
  kExistingRowsCountId = 513,
  kDeletedRowsCountId = 514,
  kManifestSequenceNumberId = 515,
  kMinSequenceNumberId = 516,
  kManifestContentId = 517,
  kContainsNanId = 518,
  kManifestKeyMetadataId = 519,
  kManifestFirstRowIdId = 520,
};

/// Keys of the Avro metadata of manifests and manifest lists.
inline constexpr std::string_view kSchemaKey = "schema";
inline constexpr std::string_view kSchemaIdKey = "schema-id";
inline constexpr std::string_view kPartitionSpecKey = "partition-spec";
inline constexpr std::string_view kPartitionSpecIdKey = "partition-spec-id";
inline constexpr std::string_view kFormatVersionKey = "format-version";
inline constexpr std::string_view kContentKey = "content";
inline constexpr std::string_view kSnapshotIdKey = "snapshot-id";
inline constexpr std::string_view kParentSnapshotIdKey = "parent-snapshot-id";
inline constexpr std::string_view kSequenceNumberKey = "sequence-number";
inline constexpr std::string_view kFirstRowIdKey = "first-row-id";

/// What an encrypted file (spec: "AES GCM Stream file format") starts with.
inline constexpr std::string_view kEncryptedMagic = "AGS1";

/// Throws InvalidArgument unless `format_version` is 1, 2 or 3.
void CheckFormatVersion(int format_version);

/// The record "manifest_entry"; `partition_type` is PartitionType() of the manifest's spec.
avro::Schema ManifestEntrySchema(int format_version, const Type& partition_type);

/// The record "manifest_file".
avro::Schema ManifestListSchema(int format_version);

/// The Avro type of a primitive as Iceberg maps it (spec, appendix A: "Avro"). Throws Unsupported for types that can't
/// be partition values.
avro::Schema ToAvroType(const Type& primitive);

}  // namespace frazil::iceberg
