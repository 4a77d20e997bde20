// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "frazil/avro/container.h"
#include "frazil/base/error.h"
#include "frazil/iceberg/manifest.h"
#include "frazil/iceberg/manifest_schema.h"

namespace frazil::iceberg {

namespace {

avro::WriterOptions CodecOptions(std::string_view compression) {
  avro::WriterOptions options;
  options.codec = avro::CodecFromIcebergName(compression);
  return options;
}

/// The range of one partition field over the entries of a manifest.
class PartitionFieldRange {
 public:
  explicit PartitionFieldRange(Type type) : type_(std::move(type)) {}

  void Add(const Literal& value) {
    if (IsNull(value)) {
      contains_null_ = true;
    } else if (IsNan(value)) {
      contains_nan_ = true;
    } else {
      if (IsNull(lower_) || Compare(type_, value, lower_) < 0) lower_ = value;
      if (IsNull(upper_) || Compare(type_, value, upper_) > 0) upper_ = value;
    }
  }

  PartitionFieldSummary Summarize() const {
    PartitionFieldSummary summary;
    summary.contains_null = contains_null_;
    summary.contains_nan = contains_nan_;
    if (!IsNull(lower_)) summary.lower_bound = ToBinary(type_, WithZero(lower_, -1));
    if (!IsNull(upper_)) summary.upper_bound = ToBinary(type_, WithZero(upper_, 1));
    return summary;
  }

 private:
  static bool IsNan(const Literal& value) {
    if (const auto* f = std::get_if<float>(&value)) return std::isnan(*f);
    if (const auto* d = std::get_if<double>(&value)) return std::isnan(*d);
    return false;
  }

  /// Zero as a lower bound is written as -0.0 and as an upper bound as +0.0, since both zeros may be in the files.
  static Literal WithZero(const Literal& value, int sign) {
    if (const auto* f = std::get_if<float>(&value); f != nullptr && *f == 0) return std::copysign(0.0F, sign * 1.0F);
    if (const auto* d = std::get_if<double>(&value); d != nullptr && *d == 0) return std::copysign(0.0, sign * 1.0);
    return value;
  }

  Type type_;
  bool contains_null_ = false;
  bool contains_nan_ = false;
  Literal lower_, upper_;
};

void WriteDecimal(__int128 value, size_t size, const avro::Field& field, avro::BinaryEncoder& encoder) {
  if (const __int128 rest = value >> (8 * size - 1); rest != 0 && rest != -1) {
    throw InvalidArgument("the value of partition field \"{}\" has more digits than its type", field.name);
  }
  char bytes[sizeof(__int128)];
  for (size_t i = 0; i < size; ++i) bytes[size - 1 - i] = static_cast<char>(value >> (8 * i));
  encoder.WriteFixed({bytes, size});
}

/// The alternative T of a partition value. InvalidArgument if the value is of another type than its field.
template <typename T>
const T& As(const Literal& value, const avro::Field& field) {
  const T* typed = std::get_if<T>(&value);
  if (typed == nullptr)
    throw InvalidArgument("the value of partition field \"{}\" is not of the field's type", field.name);
  return *typed;
}

void WritePartitionValue(const Literal& value, const avro::Field& field, avro::BinaryEncoder& encoder) {
  const avro::Schema& type = field.type.required();
  if (type.type() == avro::Type::kNull) return;
  if (IsNull(value)) {
    encoder.WriteNull();
    return;
  }
  encoder.WritePresent();
  switch (type.type()) {
    case avro::Type::kBoolean: encoder.WriteBool(As<bool>(value, field)); return;
    case avro::Type::kInt: encoder.WriteInt(As<int32_t>(value, field)); return;
    case avro::Type::kLong: encoder.WriteLong(As<int64_t>(value, field)); return;
    case avro::Type::kFloat: encoder.WriteFloat(As<float>(value, field)); return;
    case avro::Type::kDouble: encoder.WriteDouble(As<double>(value, field)); return;
    case avro::Type::kFixed: {
      if (type.logical().kind == avro::LogicalKind::kDecimal) {
        WriteDecimal(As<__int128>(value, field), type.fixed_size(), field, encoder);
        return;
      }
      const auto& bytes = As<std::string>(value, field);
      if (bytes.size() != type.fixed_size()) {
        throw InvalidArgument("partition field \"{}\" takes {} bytes, not {}", field.name, type.fixed_size(),
                              bytes.size());
      }
      encoder.WriteFixed(bytes);
      return;
    }
    default: encoder.WriteBytes(As<std::string>(value, field)); return;
  }
}

template <typename T, typename Write>
void WriteOptional(const std::optional<T>& value, avro::BinaryEncoder& encoder, Write write) {
  if (!value) {
    encoder.WriteNull();
    return;
  }
  encoder.WritePresent();
  write(*value);
}

void WriteOptionalLong(const std::optional<int64_t>& value, avro::BinaryEncoder& encoder) {
  WriteOptional(value, encoder, [&](int64_t v) { encoder.WriteLong(v); });
}

/// An optional list or map, where an empty one is null.
template <typename Items, typename WriteItem>
void WriteOptionalItems(const Items& items, avro::BinaryEncoder& encoder, WriteItem write_item) {
  if (items.empty()) {
    encoder.WriteNull();
    return;
  }
  encoder.WritePresent();
  encoder.WriteItems(items, write_item);
}

void WriteCounts(const std::map<int32_t, int64_t>& counts, avro::BinaryEncoder& encoder) {
  WriteOptionalItems(counts, encoder, [&](const auto& entry) {
    encoder.WriteInt(entry.first);
    encoder.WriteLong(entry.second);
  });
}

void WriteBounds(const std::map<int32_t, std::string>& bounds, avro::BinaryEncoder& encoder) {
  WriteOptionalItems(bounds, encoder, [&](const auto& entry) {
    encoder.WriteInt(entry.first);
    encoder.WriteBytes(entry.second);
  });
}

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

void WriteDataFile(const avro::Schema& schema, const DataFile& file, avro::BinaryEncoder& encoder) {
  // Required in v1 and never read: what Java writes there.
  constexpr int64_t kBlockSize = int64_t{64} << 20;
  for (const avro::Field& field : schema.fields()) {
    switch (*field.field_id) {
      case kContentId: encoder.WriteInt(static_cast<int32_t>(file.content)); break;
      case kFilePathId: encoder.WriteString(file.file_path); break;
      case kFileFormatId: encoder.WriteString(UpperCase(file.file_format)); break;
      case kPartitionId:
        for (size_t i = 0; i < file.partition.size(); ++i) {
          WritePartitionValue(file.partition[i], field.type.fields()[i], encoder);
        }
        break;
      case kRecordCountId: encoder.WriteLong(file.record_count); break;
      case kFileSizeId: encoder.WriteLong(file.file_size_in_bytes); break;
      case kBlockSizeId: encoder.WriteLong(kBlockSize); break;
      case kColumnSizesId: WriteCounts(file.metrics.column_sizes, encoder); break;
      case kValueCountsId: WriteCounts(file.metrics.value_counts, encoder); break;
      case kNullValueCountsId: WriteCounts(file.metrics.null_value_counts, encoder); break;
      case kNanValueCountsId: WriteCounts(file.metrics.nan_value_counts, encoder); break;
      case kLowerBoundsId: WriteBounds(file.metrics.lower_bounds, encoder); break;
      case kUpperBoundsId: WriteBounds(file.metrics.upper_bounds, encoder); break;
      case kKeyMetadataId:
        WriteOptional(file.key_metadata, encoder, [&](const auto& bytes) { encoder.WriteBytes(bytes); });
        break;
      case kSplitOffsetsId:
        WriteOptionalItems(file.split_offsets, encoder, [&](int64_t offset) { encoder.WriteLong(offset); });
        break;
      case kEqualityIdsId:
        WriteOptionalItems(file.equality_ids, encoder, [&](int32_t id) { encoder.WriteInt(id); });
        break;
      case kSortOrderIdId: WriteOptional(file.sort_order_id, encoder, [&](int32_t id) { encoder.WriteInt(id); }); break;
      case kFirstRowIdId: WriteOptionalLong(file.first_row_id, encoder); break;
      case kReferencedDataFileId:
        WriteOptional(file.referenced_data_file, encoder, [&](const auto& path) { encoder.WriteString(path); });
        break;
      case kContentOffsetId: WriteOptionalLong(file.content_offset, encoder); break;
      case kContentSizeId: WriteOptionalLong(file.content_size_in_bytes, encoder); break;
      default: throw Internal("manifest field {} is not written", *field.field_id);
    }
  }
}

avro::Metadata ManifestMetadata(int format_version, const Schema& schema, const PartitionSpec& spec,
                                ManifestContent content) {
  avro::Metadata metadata;
  metadata.emplace(kSchemaKey, ToJson(schema).dump());
  metadata.emplace(kSchemaIdKey, fmt::to_string(schema.schema_id()));
  metadata.emplace(kPartitionSpecKey, FieldsToJson(spec).dump());
  metadata.emplace(kPartitionSpecIdKey, fmt::to_string(spec.spec_id));
  metadata.emplace(kFormatVersionKey, fmt::to_string(format_version));
  if (format_version >= 2) metadata.emplace(kContentKey, content == ManifestContent::kData ? "data" : "deletes");
  return metadata;
}

}  // namespace

struct ManifestWriter::Impl {
  Impl(int version, const Schema& schema, const PartitionSpec& spec, ManifestContent content, int64_t snapshot,
       std::string_view compression)
      : format_version(version),
        snapshot_id(snapshot),
        partition_type(PartitionType(spec, schema)),
        entry_schema(ManifestEntrySchema(version, partition_type)),
        writer(entry_schema, ManifestMetadata(version, schema, spec, content), CodecOptions(compression)) {
    if (format_version == 1 && content == ManifestContent::kDeletes) {
      throw InvalidArgument("a table of format version 1 can't have delete manifests: upgrade it to 2");
    }
    result.partition_spec_id = spec.spec_id;
    result.content = content;
    result.added_snapshot_id = snapshot_id;
    result.added_files_count = result.existing_files_count = result.deleted_files_count = 0;
    result.added_rows_count = result.existing_rows_count = result.deleted_rows_count = 0;
    for (const NestedField& field : partition_type.fields()) ranges.emplace_back(field.type);
  }

  void CheckFile(const DataFile& file) const {
    const bool is_data = file.content == FileContent::kData;
    if (is_data != (result.content == ManifestContent::kData)) {
      throw InvalidArgument("{} can't be written to a manifest of {}: it is a {} file", file.file_path,
                            is_data ? "deletes" : "data", is_data ? "data" : "delete");
    }
    if (file.partition.size() != ranges.size()) {
      throw InvalidArgument("{} has {} partition values, partition spec {} has {} fields", file.file_path,
                            file.partition.size(), result.partition_spec_id, ranges.size());
    }
  }

  void CheckSequenceNumbers(const ManifestEntry& entry) const {
    if (format_version >= 2 && (!entry.sequence_number || !entry.file_sequence_number)) {
      throw InvalidArgument(
          "the entry of {} has no sequence numbers: those of existing and deleted files can't be inherited",
          entry.file.file_path);
    }
  }

  void Write(EntryStatus status, int64_t entry_snapshot_id, std::optional<int64_t> sequence_number,
             std::optional<int64_t> file_sequence_number, const DataFile& file) {
    CheckFile(file);
    avro::BinaryEncoder& encoder = writer.encoder();
    for (const avro::Field& field : entry_schema.fields()) {
      switch (*field.field_id) {
        case kStatusId: encoder.WriteInt(static_cast<int32_t>(status)); break;
        case kSnapshotIdId:
          if (field.type.is_optional()) encoder.WritePresent();
          encoder.WriteLong(entry_snapshot_id);
          break;
        case kSequenceNumberId: WriteOptionalLong(sequence_number, encoder); break;
        case kFileSequenceNumberId: WriteOptionalLong(file_sequence_number, encoder); break;
        case kDataFileId: WriteDataFile(field.type, file, encoder); break;
        default: throw Internal("manifest field {} is not written", *field.field_id);
      }
    }
    writer.EndRecord();
    for (size_t i = 0; i < ranges.size(); ++i) ranges[i].Add(file.partition[i]);
    if (status != EntryStatus::kDeleted && sequence_number) {
      min_sequence_number = std::min(min_sequence_number.value_or(*sequence_number), *sequence_number);
    }
  }

  ManifestFile Summarize() const {
    ManifestFile file = result;
    file.sequence_number = format_version == 1 ? 0 : kUnassignedSequence;
    file.min_sequence_number = format_version == 1 ? 0 : min_sequence_number.value_or(kUnassignedSequence);
    for (const PartitionFieldRange& range : ranges) file.partitions.push_back(range.Summarize());
    return file;
  }

  int format_version;
  int64_t snapshot_id;
  Type partition_type;
  avro::Schema entry_schema;
  avro::ObjectContainerWriter writer;
  ManifestFile result;  ///< counts so far
  std::vector<PartitionFieldRange> ranges;
  std::optional<int64_t> min_sequence_number;  ///< of live entries with an explicit one
};

ManifestWriter::ManifestWriter(int format_version, const Schema& schema, const PartitionSpec& spec,
                               ManifestContent content, int64_t snapshot_id, std::string_view compression)
    : impl_(std::make_unique<Impl>(format_version, schema, spec, content, snapshot_id, compression)) {}

ManifestWriter::~ManifestWriter() = default;

void ManifestWriter::AddNew(const DataFile& file) {
  impl_->Write(EntryStatus::kAdded, impl_->snapshot_id, std::nullopt, std::nullopt, file);
  ++*impl_->result.added_files_count;
  *impl_->result.added_rows_count += file.record_count;
}

void ManifestWriter::AddExisting(const ManifestEntry& entry) {
  impl_->CheckSequenceNumbers(entry);
  if (!entry.snapshot_id) throw InvalidArgument("the existing entry of {} has no snapshot id", entry.file.file_path);
  impl_->Write(EntryStatus::kExisting, *entry.snapshot_id, entry.sequence_number, entry.file_sequence_number,
               entry.file);
  ++*impl_->result.existing_files_count;
  *impl_->result.existing_rows_count += entry.file.record_count;
}

void ManifestWriter::AddDeleted(const ManifestEntry& entry) {
  impl_->CheckSequenceNumbers(entry);
  impl_->Write(EntryStatus::kDeleted, impl_->snapshot_id, entry.sequence_number, entry.file_sequence_number,
               entry.file);
  ++*impl_->result.deleted_files_count;
  *impl_->result.deleted_rows_count += entry.file.record_count;
}

int64_t ManifestWriter::entry_count() const { return impl_->writer.record_count(); }

int64_t ManifestWriter::size() const { return static_cast<int64_t>(impl_->writer.EstimatedLength()); }

ManifestWriter::Result ManifestWriter::Finish() {
  Result result{std::move(impl_->writer).Finish(), impl_->Summarize()};
  result.file.manifest_length = static_cast<int64_t>(result.bytes.size());
  return result;
}

// ---- manifest list ----

namespace {

avro::Metadata ManifestListMetadata(int format_version, int64_t snapshot_id, std::optional<int64_t> parent_snapshot_id,
                                    int64_t sequence_number, std::optional<int64_t> first_row_id) {
  avro::Metadata metadata;
  metadata.emplace(kFormatVersionKey, fmt::to_string(format_version));
  metadata.emplace(kSnapshotIdKey, fmt::to_string(snapshot_id));
  // Java writes "null" for a first snapshot and readers expect the key.
  metadata.emplace(kParentSnapshotIdKey, parent_snapshot_id ? fmt::to_string(*parent_snapshot_id) : "null");
  if (format_version >= 2) metadata.emplace(kSequenceNumberKey, fmt::to_string(sequence_number));
  if (format_version >= 3 && first_row_id) metadata.emplace(kFirstRowIdKey, fmt::to_string(*first_row_id));
  return metadata;
}

/// `number`, or that of the commit where it is unassigned, which only a manifest of this snapshot may be.
int64_t AssignedSequence(int64_t number, const ManifestFile& manifest, int64_t snapshot_id, int64_t sequence_number) {
  if (number != kUnassignedSequence) return number;
  if (manifest.added_snapshot_id != snapshot_id) {
    throw InvalidArgument("manifest {} of snapshot {} has no sequence number, but is listed by snapshot {}",
                          manifest.manifest_path, manifest.added_snapshot_id, snapshot_id);
  }
  return sequence_number;
}

template <typename T>
void WriteCount(const std::optional<T>& count, const avro::Field& field, const ManifestFile& manifest,
                avro::BinaryEncoder& encoder) {
  if (field.type.is_optional()) {
    WriteOptional(count, encoder, [&](T value) { encoder.WriteLong(value); });
    return;
  }
  if (!count) {
    throw InvalidArgument("manifest {} has no {}: count its entries before it is listed by a table of format version 2",
                          manifest.manifest_path, field.name);
  }
  encoder.WriteLong(*count);
}

void WriteSummary(const PartitionFieldSummary& summary, avro::BinaryEncoder& encoder) {
  encoder.WriteBool(summary.contains_null);
  WriteOptional(summary.contains_nan, encoder, [&](bool value) { encoder.WriteBool(value); });
  WriteOptional(summary.lower_bound, encoder, [&](const auto& bytes) { encoder.WriteBytes(bytes); });
  WriteOptional(summary.upper_bound, encoder, [&](const auto& bytes) { encoder.WriteBytes(bytes); });
}

void WriteManifestFile(const avro::Schema& schema, const ManifestFile& manifest, int64_t snapshot_id,
                       int64_t sequence_number, avro::BinaryEncoder& encoder) {
  for (const avro::Field& field : schema.fields()) {
    switch (*field.field_id) {
      case kManifestPathId: encoder.WriteString(manifest.manifest_path); break;
      case kManifestLengthId: encoder.WriteLong(manifest.manifest_length); break;
      case kPartitionSpecIdId: encoder.WriteInt(manifest.partition_spec_id); break;
      case kManifestContentId: encoder.WriteInt(static_cast<int32_t>(manifest.content)); break;
      case kManifestSequenceNumberId:
        encoder.WriteLong(AssignedSequence(manifest.sequence_number, manifest, snapshot_id, sequence_number));
        break;
      case kMinSequenceNumberId:
        encoder.WriteLong(AssignedSequence(manifest.min_sequence_number, manifest, snapshot_id, sequence_number));
        break;
      case kAddedSnapshotIdId: encoder.WriteLong(manifest.added_snapshot_id); break;
      case kAddedFilesCountId: WriteCount(manifest.added_files_count, field, manifest, encoder); break;
      case kExistingFilesCountId: WriteCount(manifest.existing_files_count, field, manifest, encoder); break;
      case kDeletedFilesCountId: WriteCount(manifest.deleted_files_count, field, manifest, encoder); break;
      case kAddedRowsCountId: WriteCount(manifest.added_rows_count, field, manifest, encoder); break;
      case kExistingRowsCountId: WriteCount(manifest.existing_rows_count, field, manifest, encoder); break;
      case kDeletedRowsCountId: WriteCount(manifest.deleted_rows_count, field, manifest, encoder); break;
      case kPartitionsId:
        // Java writes an empty list for unpartitioned tables, and so do we.
        encoder.WritePresent();
        encoder.WriteItems(manifest.partitions, [&](const auto& summary) { WriteSummary(summary, encoder); });
        break;
      case kManifestKeyMetadataId:
        WriteOptional(manifest.key_metadata, encoder, [&](const auto& bytes) { encoder.WriteBytes(bytes); });
        break;
      case kManifestFirstRowIdId: WriteOptionalLong(manifest.first_row_id, encoder); break;
      default: throw Internal("manifest list field {} is not written", *field.field_id);
    }
  }
}

}  // namespace

std::string WriteManifestList(int format_version, int64_t snapshot_id, std::optional<int64_t> parent_snapshot_id,
                              int64_t sequence_number, const std::vector<ManifestFile>& manifests,
                              std::string_view compression, std::optional<int64_t> first_row_id) {
  const avro::Schema schema = ManifestListSchema(format_version);
  avro::ObjectContainerWriter writer(
      schema, ManifestListMetadata(format_version, snapshot_id, parent_snapshot_id, sequence_number, first_row_id),
      CodecOptions(compression));
  for (const ManifestFile& manifest : manifests) {
    if (format_version == 1 && manifest.content == ManifestContent::kDeletes) {
      throw InvalidArgument("manifest {} has deletes, which a table of format version 1 can't have",
                            manifest.manifest_path);
    }
    WriteManifestFile(schema, manifest, snapshot_id, sequence_number, writer.encoder());
    writer.EndRecord();
  }
  return std::move(writer).Finish();
}

}  // namespace frazil::iceberg
