// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/manifest_schema.h"

#include <initializer_list>
#include <utility>
#include <vector>

#include "frazil/base/error.h"

namespace frazil::iceberg {

namespace {

using AvroField = avro::Field;
using AvroSchema = avro::Schema;
using AvroType = avro::Type;

AvroField Required(int32_t id, std::string name, AvroSchema type, std::string doc = "") {
  AvroField field;
  field.name = std::move(name);
  field.type = std::move(type);
  field.field_id = id;
  field.doc = std::move(doc);
  return field;
}

AvroField Optional(int32_t id, std::string name, AvroSchema type, std::string doc = "") {
  AvroField field = Required(id, std::move(name), AvroSchema::Optional(std::move(type)), std::move(doc));
  field.default_json = "null";
  return field;
}

AvroSchema Boolean() { return AvroSchema::Primitive(AvroType::kBoolean); }
AvroSchema Int() { return AvroSchema::Primitive(AvroType::kInt); }
AvroSchema Long() { return AvroSchema::Primitive(AvroType::kLong); }
AvroSchema Bytes() { return AvroSchema::Primitive(AvroType::kBytes); }
AvroSchema String() { return AvroSchema::Primitive(AvroType::kString); }

AvroSchema Timestamp(avro::LogicalKind kind, bool adjust_to_utc) {
  avro::Logical logical;
  logical.kind = kind;
  logical.adjust_to_utc = adjust_to_utc;
  return Long().WithLogical(logical);
}

/// The least number of bytes whose two's complement holds every unscaled value of `precision` digits.
size_t DecimalBytes(int precision) {
  __int128 most = 1;
  for (int i = 0; i < precision; ++i) most *= 10;
  --most;
  size_t bytes = 1;
  while (bytes < sizeof(__int128) && (most >> (8 * bytes - 1)) != 0) ++bytes;
  return bytes;
}

AvroSchema Decimal(const Type& type) {
  avro::Logical logical;
  logical.kind = avro::LogicalKind::kDecimal;
  logical.precision = type.precision();
  logical.scale = type.scale();
  return AvroSchema::Fixed(fmt::format("decimal_{}_{}", type.precision(), type.scale()), DecimalBytes(type.precision()))
      .WithLogical(logical);
}

AvroField PartitionAvroField(const NestedField& field) {
  const std::string name = avro::SanitizeName(field.name);
  // Avro has no [null, null].
  const bool is_unknown = field.type.id() == TypeId::kUnknown;
  AvroField avro_field =
      is_unknown ? Required(field.id, name, AvroSchema()) : Optional(field.id, name, ToAvroType(field.type));
  avro_field.default_json = "null";
  if (name != field.name) avro_field.iceberg_name = field.name;
  return avro_field;
}

AvroSchema PartitionRecord(const Type& partition_type) {
  std::vector<AvroField> fields;
  for (const NestedField& field : partition_type.fields()) fields.push_back(PartitionAvroField(field));
  return AvroSchema::Record("r102", std::move(fields));
}

AvroField CountMap(int32_t id, std::string name, int32_t key_id, int32_t value_id, std::string doc) {
  return Optional(id, std::move(name), AvroSchema::KeyValueMap(Int(), key_id, Long(), value_id), std::move(doc));
}

AvroField BoundMap(int32_t id, std::string name, int32_t key_id, int32_t value_id, std::string doc) {
  return Optional(id, std::move(name), AvroSchema::KeyValueMap(Int(), key_id, Bytes(), value_id), std::move(doc));
}

AvroSchema DataFileRecord(int format_version, const Type& partition_type) {
  std::vector<AvroField> fields;
  if (format_version >= 2) {
    fields.push_back(
        Required(kContentId, "content", Int(), "Contents of the file: 0=data, 1=position deletes, 2=equality deletes"));
  }
  fields.push_back(Required(kFilePathId, "file_path", String(), "Location URI with FS scheme"));
  fields.push_back(Required(kFileFormatId, "file_format", String(), "File format name: avro, orc, parquet, or puffin"));
  fields.push_back(Required(kPartitionId, "partition", PartitionRecord(partition_type),
                            "Partition data tuple, schema based on the partition spec"));
  fields.push_back(Required(kRecordCountId, "record_count", Long(), "Number of records in the file"));
  fields.push_back(Required(kFileSizeId, "file_size_in_bytes", Long(), "Total file size in bytes"));
  if (format_version == 1) fields.push_back(Required(kBlockSizeId, "block_size_in_bytes", Long()));
  fields.push_back(CountMap(kColumnSizesId, "column_sizes", 117, 118, "Map of column id to total size on disk"));
  fields.push_back(
      CountMap(kValueCountsId, "value_counts", 119, 120, "Map of column id to total count, including null and NaN"));
  fields.push_back(CountMap(kNullValueCountsId, "null_value_counts", 121, 122, "Map of column id to null value count"));
  fields.push_back(CountMap(kNanValueCountsId, "nan_value_counts", 138, 139,
                            "Map of column id to number of NaN values in the column"));
  fields.push_back(BoundMap(kLowerBoundsId, "lower_bounds", 126, 127, "Map of column id to lower bound"));
  fields.push_back(BoundMap(kUpperBoundsId, "upper_bounds", 129, 130, "Map of column id to upper bound"));
  fields.push_back(Optional(kKeyMetadataId, "key_metadata", Bytes(), "Encryption key metadata blob"));
  fields.push_back(Optional(kSplitOffsetsId, "split_offsets", AvroSchema::Array(Long(), 133), "Splittable offsets"));
  if (format_version >= 2) {
    fields.push_back(
        Optional(kEqualityIdsId, "equality_ids", AvroSchema::Array(Int(), 136), "Equality comparison field IDs"));
  }
  fields.push_back(Optional(kSortOrderIdId, "sort_order_id", Int(), "Sort order ID"));
  if (format_version >= 3) {
    fields.push_back(
        Optional(kFirstRowIdId, "first_row_id", Long(), "The first row ID assigned to the first row in the data file"));
  }
  if (format_version >= 2) {
    fields.push_back(
        Optional(kReferencedDataFileId, "referenced_data_file", String(),
                 "Fully qualified location (URI with FS scheme) of a data file that all deletes reference"));
  }
  if (format_version >= 3) {
    fields.push_back(
        Optional(kContentOffsetId, "content_offset", Long(), "The offset in the file where the content starts"));
    fields.push_back(Optional(kContentSizeId, "content_size_in_bytes", Long(),
                              "The length of referenced content stored in the file"));
  }
  return AvroSchema::Record("r2", std::move(fields));
}

AvroSchema FieldSummaryRecord() {
  return AvroSchema::Record(
      "r508", {Required(kContainsNullId, "contains_null", Boolean(), "True if any file has a null partition value"),
               Optional(kContainsNanId, "contains_nan", Boolean(), "True if any file has a nan partition value"),
               Optional(kLowerBoundId, "lower_bound", Bytes(), "Partition lower bound for all files"),
               Optional(kUpperBoundId, "upper_bound", Bytes(), "Partition upper bound for all files")});
}

}  // namespace

void CheckFormatVersion(int format_version) {
  if (format_version < 1 || format_version > 3) {
    throw InvalidArgument("format version {} can't be written: 1, 2 and 3 can", format_version);
  }
}

avro::Schema ToAvroType(const Type& primitive) {
  switch (primitive.id()) {
    case TypeId::kBoolean: return Boolean();
    case TypeId::kInt: return Int();
    case TypeId::kLong: return Long();
    case TypeId::kFloat: return AvroSchema::Primitive(AvroType::kFloat);
    case TypeId::kDouble: return AvroSchema::Primitive(AvroType::kDouble);
    case TypeId::kDecimal: return Decimal(primitive);
    case TypeId::kDate: return Int().WithLogical({avro::LogicalKind::kDate});
    case TypeId::kTime: return Long().WithLogical({avro::LogicalKind::kTimeMicros});
    case TypeId::kTimestamp: return Timestamp(avro::LogicalKind::kTimestampMicros, false);
    case TypeId::kTimestampTz: return Timestamp(avro::LogicalKind::kTimestampMicros, true);
    case TypeId::kTimestampNs: return Timestamp(avro::LogicalKind::kTimestampNanos, false);
    case TypeId::kTimestampTzNs: return Timestamp(avro::LogicalKind::kTimestampNanos, true);
    case TypeId::kString: return String();
    case TypeId::kUuid: return AvroSchema::Fixed("uuid_fixed", 16).WithLogical({avro::LogicalKind::kUuid});
    case TypeId::kFixed:
      return AvroSchema::Fixed(fmt::format("fixed_{}", primitive.length()), static_cast<size_t>(primitive.length()));
    case TypeId::kBinary: return Bytes();
    case TypeId::kUnknown: return AvroSchema();
    default: throw Unsupported("{} can't be the type of a partition value", primitive.ToString());
  }
}

avro::Schema ManifestEntrySchema(int format_version, const Type& partition_type) {
  CheckFormatVersion(format_version);
  AvroSchema data_file = DataFileRecord(format_version, partition_type);
  if (format_version == 1) {
    return AvroSchema::Record("manifest_entry",
                              {Required(kStatusId, "status", Int()), Required(kSnapshotIdId, "snapshot_id", Long()),
                               Required(kDataFileId, "data_file", std::move(data_file))});
  }
  return AvroSchema::Record("manifest_entry",
                            {Required(kStatusId, "status", Int()), Optional(kSnapshotIdId, "snapshot_id", Long()),
                             Optional(kSequenceNumberId, "sequence_number", Long()),
                             Optional(kFileSequenceNumberId, "file_sequence_number", Long()),
                             Required(kDataFileId, "data_file", std::move(data_file))});
}

avro::Schema ManifestListSchema(int format_version) {
  CheckFormatVersion(format_version);
  const auto count = [&](int32_t id, std::string name, AvroSchema type, std::string doc) {
    return format_version == 1 ? Optional(id, std::move(name), std::move(type), std::move(doc))
                               : Required(id, std::move(name), std::move(type), std::move(doc));
  };
  std::vector<AvroField> fields;
  fields.push_back(Required(kManifestPathId, "manifest_path", String(), "Location URI with FS scheme"));
  fields.push_back(Required(kManifestLengthId, "manifest_length", Long(), "Total file size in bytes"));
  fields.push_back(Required(kPartitionSpecIdId, "partition_spec_id", Int(), "Spec ID used to write"));
  if (format_version >= 2) {
    fields.push_back(Required(kManifestContentId, "content", Int(), "Contents of the manifest: 0=data, 1=deletes"));
    fields.push_back(
        Required(kManifestSequenceNumberId, "sequence_number", Long(), "Sequence number when the manifest was added"));
    fields.push_back(
        Required(kMinSequenceNumberId, "min_sequence_number", Long(), "Lowest sequence number in the manifest"));
  }
  fields.push_back(Required(kAddedSnapshotIdId, "added_snapshot_id", Long(), "Snapshot ID that added the manifest"));
  fields.push_back(count(kAddedFilesCountId, "added_files_count", Int(), "Added entry count"));
  fields.push_back(count(kExistingFilesCountId, "existing_files_count", Int(), "Existing entry count"));
  fields.push_back(count(kDeletedFilesCountId, "deleted_files_count", Int(), "Deleted entry count"));
  fields.push_back(count(kAddedRowsCountId, "added_rows_count", Long(), "Added rows count"));
  fields.push_back(count(kExistingRowsCountId, "existing_rows_count", Long(), "Existing rows count"));
  fields.push_back(count(kDeletedRowsCountId, "deleted_rows_count", Long(), "Deleted rows count"));
  fields.push_back(Optional(kPartitionsId, "partitions", AvroSchema::Array(FieldSummaryRecord(), 508),
                            "Summary for each partition"));
  fields.push_back(Optional(kManifestKeyMetadataId, "key_metadata", Bytes(), "Encryption key metadata blob"));
  if (format_version >= 3) {
    fields.push_back(Optional(kManifestFirstRowIdId, "first_row_id", Long(),
                              "Starting row ID to assign to new rows in ADDED data files"));
  }
  return AvroSchema::Record("manifest_file", std::move(fields));
}

}  // namespace frazil::iceberg
