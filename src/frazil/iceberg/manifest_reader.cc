// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "frazil/avro/container.h"
#include "frazil/base/error.h"
#include "frazil/base/uuid.h"
#include "frazil/iceberg/ascii.h"
#include "frazil/iceberg/manifest.h"
#include "frazil/iceberg/manifest_schema.h"

namespace frazil::iceberg {

namespace {

using avro::BinaryDecoder;

// ---- matching the writer's record with the fields that are known here ----

/// What a field must look like in the writer's schema; integers may be int or long, text string or bytes.
enum class Shape { kInteger, kText, kBoolean, kRecord, kIntegers, kRecords, kCountMap, kBoundMap };

struct KnownField {
  int32_t id;
  Shape shape;
  bool is_required = false;
};

constexpr KnownField kEntryFields[] = {{kStatusId, Shape::kInteger, true},
                                       {kSnapshotIdId, Shape::kInteger},
                                       {kSequenceNumberId, Shape::kInteger},
                                       {kFileSequenceNumberId, Shape::kInteger},
                                       {kDataFileId, Shape::kRecord, true}};

constexpr KnownField kDataFileFields[] = {
    {kContentId, Shape::kInteger},           {kFilePathId, Shape::kText, true},
    {kFileFormatId, Shape::kText, true},     {kPartitionId, Shape::kRecord},
    {kRecordCountId, Shape::kInteger, true}, {kFileSizeId, Shape::kInteger, true},
    {kColumnSizesId, Shape::kCountMap},      {kValueCountsId, Shape::kCountMap},
    {kNullValueCountsId, Shape::kCountMap},  {kNanValueCountsId, Shape::kCountMap},
    {kLowerBoundsId, Shape::kBoundMap},      {kUpperBoundsId, Shape::kBoundMap},
    {kKeyMetadataId, Shape::kText},          {kSplitOffsetsId, Shape::kIntegers},
    {kEqualityIdsId, Shape::kIntegers},      {kSortOrderIdId, Shape::kInteger},
    {kFirstRowIdId, Shape::kInteger},        {kReferencedDataFileId, Shape::kText},
    {kContentOffsetId, Shape::kInteger},     {kContentSizeId, Shape::kInteger}};

constexpr KnownField kManifestFileFields[] = {
    {kManifestPathId, Shape::kText, true},        {kManifestLengthId, Shape::kInteger, true},
    {kPartitionSpecIdId, Shape::kInteger},        {kManifestContentId, Shape::kInteger},
    {kManifestSequenceNumberId, Shape::kInteger}, {kMinSequenceNumberId, Shape::kInteger},
    {kAddedSnapshotIdId, Shape::kInteger},        {kAddedFilesCountId, Shape::kInteger},
    {kExistingFilesCountId, Shape::kInteger},     {kDeletedFilesCountId, Shape::kInteger},
    {kAddedRowsCountId, Shape::kInteger},         {kExistingRowsCountId, Shape::kInteger},
    {kDeletedRowsCountId, Shape::kInteger},       {kPartitionsId, Shape::kRecords},
    {kManifestKeyMetadataId, Shape::kText},       {kManifestFirstRowIdId, Shape::kInteger}};

constexpr KnownField kFieldSummaryFields[] = {{kContainsNullId, Shape::kBoolean},
                                              {kContainsNanId, Shape::kBoolean},
                                              {kLowerBoundId, Shape::kText},
                                              {kUpperBoundId, Shape::kText}};

bool IsInteger(const avro::Schema& type) { return type.type() == avro::Type::kInt || type.type() == avro::Type::kLong; }
bool IsText(const avro::Schema& type) {
  return type.type() == avro::Type::kString || type.type() == avro::Type::kBytes;
}

bool IsMapOf(const avro::Schema& type, bool (*is_value)(const avro::Schema&)) {
  if (type.type() != avro::Type::kArray || type.element().type() != avro::Type::kRecord) return false;
  const auto& fields = type.element().fields();
  return fields.size() == 2 && IsInteger(fields[0].type) && is_value(fields[1].type.required());
}

bool HasShape(const avro::Schema& type, Shape shape) {
  switch (shape) {
    case Shape::kInteger: return IsInteger(type);
    case Shape::kText: return IsText(type);
    case Shape::kBoolean: return type.type() == avro::Type::kBoolean;
    case Shape::kRecord: return type.type() == avro::Type::kRecord;
    case Shape::kIntegers: return type.type() == avro::Type::kArray && IsInteger(type.element());
    case Shape::kRecords: return type.type() == avro::Type::kArray && type.element().type() == avro::Type::kRecord;
    case Shape::kCountMap: return IsMapOf(type, IsInteger);
    case Shape::kBoundMap: return IsMapOf(type, IsText);
  }
  return false;
}

/// A field of the writer's record; `id` is kSkipped if it is not known here.
struct PlannedField {
  static constexpr int32_t kSkipped = -1;
  int32_t id = kSkipped;
  const avro::Field* field = nullptr;
};

/// Whether a record was written without field ids, as some writers in C++ do. Its fields are then matched by Java's
/// names, which these writers use.
bool LacksIds(const avro::Schema& record) {
  for (const avro::Field& field : record.fields()) {
    if (field.field_id) return false;
  }
  return true;
}

const avro::Field* FieldOf(const std::vector<PlannedField>& plan, int32_t id) {
  for (const PlannedField& planned : plan) {
    if (planned.id == id) return planned.field;
  }
  return nullptr;
}

/// Says for each field of the writer's `record` what it is; `ours` is the same record as Frazil writes it, for the
/// names. Corrupt if a required one is missing or one has another shape than it must have.
std::vector<PlannedField> PlanRecord(const avro::Schema& record, std::span<const KnownField> known,
                                     const avro::Schema& ours, std::string_view path) {
  const bool by_name = LacksIds(record);
  std::vector<PlannedField> plan;
  plan.reserve(record.fields().size());
  for (const avro::Field& field : record.fields()) {
    PlannedField planned{PlannedField::kSkipped, &field};
    const avro::Field* named = by_name ? ours.FindField(field.name) : nullptr;
    const std::optional<int32_t> id = named != nullptr ? named->field_id : field.field_id;
    for (const KnownField& candidate : known) {
      if (id != candidate.id) continue;
      if (!HasShape(field.type.required(), candidate.shape)) {
        throw Corrupt("{}: field \"{}\" (id {}) can't be of Avro type {}", path, field.name, candidate.id,
                      field.type.ToString());
      }
      planned.id = candidate.id;
    }
    plan.push_back(planned);
  }
  for (const KnownField& needed : known) {
    if (needed.is_required && FieldOf(plan, needed.id) == nullptr) {
      throw Corrupt("{}: Avro record \"{}\" has no field with id {}", path, record.name(), needed.id);
    }
  }
  return plan;
}

/// The records as Frazil writes them, with the fields of all format versions from 2 on.
const avro::Schema& OurEntry() {
  static const avro::Schema kSchema = ManifestEntrySchema(3, Type::Struct({}));
  return kSchema;
}
const avro::Schema& OurDataFile() { return OurEntry().FindField(kDataFileId)->type; }
const avro::Schema& OurManifestFile() {
  static const avro::Schema kSchema = ManifestListSchema(3);
  return kSchema;
}
const avro::Schema& OurFieldSummary() { return OurManifestFile().FindField(kPartitionsId)->type.required().element(); }

// ---- reading single values; a null leaves its target as it is ----

template <typename T>
T ReadInteger(BinaryDecoder& decoder) {
  if constexpr (sizeof(T) == 4) {
    return decoder.ReadInt();
  } else {
    return decoder.ReadLong();
  }
}

template <typename T>
void ReadInto(T& target, const avro::Field& field, BinaryDecoder& decoder) {
  if (decoder.ReadOptional(field.type)) target = ReadInteger<T>(decoder);
}
template <typename T>
void ReadInto(std::optional<T>& target, const avro::Field& field, BinaryDecoder& decoder) {
  if (decoder.ReadOptional(field.type)) target = ReadInteger<T>(decoder);
}
void ReadInto(bool& target, const avro::Field& field, BinaryDecoder& decoder) {
  if (decoder.ReadOptional(field.type)) target = decoder.ReadBool();
}
void ReadInto(std::optional<bool>& target, const avro::Field& field, BinaryDecoder& decoder) {
  if (decoder.ReadOptional(field.type)) target = decoder.ReadBool();
}
void ReadInto(std::string& target, const avro::Field& field, BinaryDecoder& decoder) {
  if (decoder.ReadOptional(field.type)) target = decoder.ReadBytes();
}
void ReadInto(std::optional<std::string>& target, const avro::Field& field, BinaryDecoder& decoder) {
  if (decoder.ReadOptional(field.type)) target = std::string(decoder.ReadBytes());
}

template <typename T>
void ReadInto(std::vector<T>& target, const avro::Field& field, BinaryDecoder& decoder) {
  if (!decoder.ReadOptional(field.type)) return;
  decoder.ReadItems(field.type.required().element(), [&] { target.push_back(ReadInteger<T>(decoder)); });
}

/// A map of column ids, which Avro holds as an array of key/value records.
template <typename ReadValue, typename Value>
void ReadColumnMap(std::map<int32_t, Value>& target, const avro::Field& field, BinaryDecoder& decoder,
                   ReadValue read_value) {
  if (!decoder.ReadOptional(field.type)) return;
  const avro::Schema& entry = field.type.required().element();
  const avro::Schema& value_type = entry.fields()[1].type;
  decoder.ReadItems(entry, [&] {
    const int32_t id = decoder.ReadInt();
    if (decoder.ReadOptional(value_type)) target.insert_or_assign(target.end(), id, read_value());
  });
}

void ReadInto(std::map<int32_t, int64_t>& target, const avro::Field& field, BinaryDecoder& decoder) {
  ReadColumnMap(target, field, decoder, [&] { return decoder.ReadLong(); });
}
void ReadInto(std::map<int32_t, std::string>& target, const avro::Field& field, BinaryDecoder& decoder) {
  ReadColumnMap(target, field, decoder, [&] { return std::string(decoder.ReadBytes()); });
}

/// One of the values 0 … `last` of an enum.
template <typename Enum>
void ReadEnum(Enum& target, Enum last, const avro::Field& field, BinaryDecoder& decoder, std::string_view path) {
  auto value = static_cast<int32_t>(target);
  ReadInto(value, field, decoder);
  if (value < 0 || value > static_cast<int32_t>(last)) throw Corrupt("{}: {} can't be {}", path, field.name, value);
  target = static_cast<Enum>(value);
}

// ---- partition values ----

__int128 ReadDecimal(std::string_view bytes, std::string_view path) {
  if (bytes.empty() || bytes.size() > sizeof(__int128)) {
    throw Corrupt("{}: a decimal partition value of {} bytes", path, bytes.size());
  }
  __int128 value = static_cast<int8_t>(bytes.front());
  for (const char byte : bytes.substr(1)) value = value * 256 + static_cast<uint8_t>(byte);
  return value;
}

std::string ReadUuid(std::string_view text, std::string_view path) {
  try {
    const Uuid uuid = ParseUuid(text);
    return {reinterpret_cast<const char*>(uuid.data()), uuid.size()};
  } catch (const Error& e) {
    throw Corrupt("{}: a partition value: {}", path, e.what());
  }
}

/// A partition value as the writer's schema has it.
Literal ReadLiteral(const avro::Schema& schema, BinaryDecoder& decoder, std::string_view path) {
  if (!decoder.ReadOptional(schema)) return {};
  const avro::Schema& type = schema.required();
  const avro::LogicalKind logical = type.logical().kind;
  switch (type.type()) {
    case avro::Type::kNull: return {};
    case avro::Type::kBoolean: return decoder.ReadBool();
    case avro::Type::kInt: return decoder.ReadInt();
    case avro::Type::kLong: return decoder.ReadLong();
    case avro::Type::kFloat: return decoder.ReadFloat();
    case avro::Type::kDouble: return decoder.ReadDouble();
    case avro::Type::kString: {
      const std::string_view text = decoder.ReadString();
      return logical == avro::LogicalKind::kUuid ? ReadUuid(text, path) : std::string(text);
    }
    case avro::Type::kBytes:
    case avro::Type::kFixed: {
      const std::string_view bytes =
          type.type() == avro::Type::kBytes ? decoder.ReadBytes() : decoder.ReadFixed(type.fixed_size());
      if (logical == avro::LogicalKind::kDecimal) return ReadDecimal(bytes, path);
      return std::string(bytes);
    }
    default: throw Corrupt("{}: a partition value can't be of Avro type {}", path, schema.ToString());
  }
}

/// `value` in the storage of `type`: a manifest keeps what the type was when it was written (int that became long,
/// float that became double), and some writers take long for everything. False if it isn't a value of the type at all.
bool Promote(const Type& type, Literal& value) {
  if (IsNull(value)) return true;
  switch (type.id()) {
    case TypeId::kBoolean: return std::holds_alternative<bool>(value);
    case TypeId::kInt:
    case TypeId::kDate:
      if (const auto* wide = std::get_if<int64_t>(&value)) {
        if (*wide < std::numeric_limits<int32_t>::min() || *wide > std::numeric_limits<int32_t>::max()) return false;
        value = static_cast<int32_t>(*wide);
      }
      return std::holds_alternative<int32_t>(value);
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      if (const auto* narrow = std::get_if<int32_t>(&value)) value = int64_t{*narrow};
      return std::holds_alternative<int64_t>(value);
    case TypeId::kFloat: return std::holds_alternative<float>(value);
    case TypeId::kDouble:
      if (const auto* narrow = std::get_if<float>(&value)) value = double{*narrow};
      return std::holds_alternative<double>(value);
    case TypeId::kDecimal: return std::holds_alternative<__int128>(value);
    case TypeId::kUnknown: return true;
    default: return std::holds_alternative<std::string>(value);
  }
}

/// Reads partition tuples into the order of the manifest's spec.
class PartitionReader {
 public:
  /// `spec_type`: PartitionType() of the manifest's spec; nullopt if the manifest doesn't carry its spec: then the
  /// values keep the order and types of the record.
  PartitionReader(const avro::Schema& record, std::optional<Type> spec_type, std::string path)
      : record_(record), path_(std::move(path)) {
    const auto& written = record.fields();
    if (!spec_type) {
      types_.resize(written.size());
      for (size_t i = 0; i < written.size(); ++i) slots_.push_back(i);
      return;
    }
    const auto& fields = spec_type->fields();
    for (const NestedField& field : fields) types_.push_back(field.type);
    const bool by_name = LacksIds(record);
    for (const avro::Field& field : written) slots_.push_back(SlotOf(field, fields, by_name));
  }

  void Read(BinaryDecoder& decoder, PartitionValues& values) const {
    values.resize(types_.size());
    for (size_t i = 0; i < slots_.size(); ++i) {
      const avro::Field& field = record_.fields()[i];
      if (slots_[i] == kNoSlot) {
        SkipValue(field.type, decoder);
        continue;
      }
      Literal value = ReadLiteral(field.type, decoder, path_);
      if (!Promote(types_[slots_[i]], value)) {
        throw Corrupt("{}: partition field \"{}\" of Avro type {} doesn't hold a {}", path_, field.name,
                      field.type.ToString(), types_[slots_[i]].ToString());
      }
      values[slots_[i]] = std::move(value);
    }
  }

 private:
  static constexpr size_t kNoSlot = std::numeric_limits<size_t>::max();

  static size_t SlotOf(const avro::Field& written, const std::vector<NestedField>& fields, bool by_name) {
    for (size_t i = 0; i < fields.size(); ++i) {
      if (by_name ? written.name == avro::SanitizeName(fields[i].name) : written.field_id == fields[i].id) return i;
    }
    return kNoSlot;
  }

  const avro::Schema& record_;
  std::string path_;
  std::vector<Type> types_;    ///< by slot
  std::vector<size_t> slots_;  ///< by field of the record
};

// ---- files ----

/// Opens the file; an encrypted one is refused by that name.
std::unique_ptr<avro::ObjectContainerReader> Open(std::string_view bytes, std::string_view path) {
  if (bytes.starts_with(kEncryptedMagic)) {
    throw Unsupported("{}: the file is encrypted, and Frazil doesn't read encrypted tables", path);
  }
  auto reader = std::make_unique<avro::ObjectContainerReader>(bytes, std::string(path));
  if (reader->schema().type() != avro::Type::kRecord) {
    throw Corrupt("{}: the file holds Avro values of type {}, not records", path,
                  avro::ToString(reader->schema().type()));
  }
  if (const auto version = reader->FindMetadata(kFormatVersionKey)) {
    if (*version != "1" && *version != "2" && *version != "3") {
      throw Unsupported("{}: format version {}: Frazil reads 1, 2 and 3", path, *version);
    }
  }
  return reader;
}

/// PartitionType() of the spec that the manifest carries; nullopt if it carries none.
std::optional<Type> PartitionTypeOf(const avro::ObjectContainerReader& reader, int32_t spec_id, const Schema& schema) {
  const auto text = reader.FindMetadata(kPartitionSpecKey);
  if (!text) return std::nullopt;
  try {
    const PartitionSpec spec = PartitionSpecFromFieldsJson(nlohmann::json::parse(*text), spec_id);
    return PartitionType(spec, schema);
  } catch (const nlohmann::json::exception& e) {
    throw Corrupt("{}: {}: {}", reader.name(), kPartitionSpecKey, e.what());
  } catch (const Error& e) {
    throw e.WithContext(fmt::format("{}: {}", reader.name(), kPartitionSpecKey));
  }
}

/// Reads the entries of one manifest.
class EntryReader {
 public:
  EntryReader(const avro::ObjectContainerReader& reader, const ManifestFile& list_entry, const Schema& schema)
      : list_entry_(list_entry),
        path_(reader.name()),
        entry_plan_(PlanRecord(reader.schema(), kEntryFields, OurEntry(), path_)),
        file_plan_(
            PlanRecord(FieldOf(entry_plan_, kDataFileId)->type.required(), kDataFileFields, OurDataFile(), path_)),
        next_row_id_(list_entry.first_row_id) {
    const avro::Field* partition = FieldOf(file_plan_, kPartitionId);
    if (partition != nullptr) {
      partition_.emplace(partition->type.required(), PartitionTypeOf(reader, list_entry.partition_spec_id, schema),
                         path_);
    }
  }

  ManifestEntry Read(BinaryDecoder& decoder) {
    ManifestEntry entry;
    for (const auto& [id, field] : entry_plan_) {
      switch (id) {
        case kStatusId: ReadEnum(entry.status, EntryStatus::kDeleted, *field, decoder, path_); break;
        case kSnapshotIdId: ReadInto(entry.snapshot_id, *field, decoder); break;
        case kSequenceNumberId: ReadInto(entry.sequence_number, *field, decoder); break;
        case kFileSequenceNumberId: ReadInto(entry.file_sequence_number, *field, decoder); break;
        case kDataFileId:
          if (!decoder.ReadOptional(field->type)) throw Corrupt("{}: an entry without data file", path_);
          ReadFile(decoder, entry.file);
          break;
        default: SkipValue(field->type, decoder); break;
      }
    }
    Inherit(entry);
    return entry;
  }

 private:
  void ReadFile(BinaryDecoder& decoder, DataFile& file) const {
    for (const auto& [id, field] : file_plan_) {
      switch (id) {
        case kContentId: ReadEnum(file.content, FileContent::kEqualityDeletes, *field, decoder, path_); break;
        case kFilePathId: ReadInto(file.file_path, *field, decoder); break;
        case kFileFormatId: ReadInto(file.file_format, *field, decoder); break;
        case kPartitionId:
          if (decoder.ReadOptional(field->type)) partition_->Read(decoder, file.partition);
          break;
        case kRecordCountId: ReadInto(file.record_count, *field, decoder); break;
        case kFileSizeId: ReadInto(file.file_size_in_bytes, *field, decoder); break;
        case kColumnSizesId: ReadInto(file.metrics.column_sizes, *field, decoder); break;
        case kValueCountsId: ReadInto(file.metrics.value_counts, *field, decoder); break;
        case kNullValueCountsId: ReadInto(file.metrics.null_value_counts, *field, decoder); break;
        case kNanValueCountsId: ReadInto(file.metrics.nan_value_counts, *field, decoder); break;
        case kLowerBoundsId: ReadInto(file.metrics.lower_bounds, *field, decoder); break;
        case kUpperBoundsId: ReadInto(file.metrics.upper_bounds, *field, decoder); break;
        case kKeyMetadataId: ReadInto(file.key_metadata, *field, decoder); break;
        case kSplitOffsetsId: ReadInto(file.split_offsets, *field, decoder); break;
        case kEqualityIdsId: ReadInto(file.equality_ids, *field, decoder); break;
        case kSortOrderIdId: ReadInto(file.sort_order_id, *field, decoder); break;
        case kFirstRowIdId: ReadInto(file.first_row_id, *field, decoder); break;
        case kReferencedDataFileId: ReadInto(file.referenced_data_file, *field, decoder); break;
        case kContentOffsetId: ReadInto(file.content_offset, *field, decoder); break;
        case kContentSizeId: ReadInto(file.content_size_in_bytes, *field, decoder); break;
        default: SkipValue(field->type, decoder); break;
      }
    }
    file.spec_id = list_entry_.partition_spec_id;
    file.file_format = LowerAscii(file.file_format);
    if (file.file_path.empty()) throw Corrupt("{}: an entry without file path", path_);
    if (file.record_count < 0 || file.file_size_in_bytes < 0) {
      throw Corrupt("{}: the entry of {} has {} records in {} bytes", path_, file.file_path, file.record_count,
                    file.file_size_in_bytes);
    }
  }

  /// Spec: "Sequence Number Inheritance", "First Row ID Inheritance".
  void Inherit(ManifestEntry& entry) {
    if (!entry.snapshot_id) entry.snapshot_id = list_entry_.added_snapshot_id;
    // Manifests of v1 have sequence number 0 in the list, and so have all their entries.
    const bool inherits = entry.status == EntryStatus::kAdded || list_entry_.sequence_number == 0;
    if (!entry.sequence_number) {
      if (!inherits) {
        throw Corrupt("{}: the entry of {} is not new, but has no sequence number", path_, entry.file.file_path);
      }
      entry.sequence_number = list_entry_.sequence_number;
    }
    // Early v2 writers didn't know the file sequence number: the data sequence number is the nearest there is.
    if (!entry.file_sequence_number) {
      entry.file_sequence_number = inherits ? list_entry_.sequence_number : *entry.sequence_number;
    }
    InheritFirstRowId(entry);
  }

  void InheritFirstRowId(ManifestEntry& entry) {
    std::optional<int64_t>& first_row_id = entry.file.first_row_id;
    const bool is_committed = list_entry_.sequence_number != kUnassignedSequence;
    if (!next_row_id_) {
      if (is_committed) first_row_id.reset();
      return;
    }
    if (!entry.is_live() || first_row_id) return;
    first_row_id = next_row_id_;
    if (__builtin_add_overflow(*next_row_id_, entry.file.record_count, &*next_row_id_)) {
      throw Corrupt("{}: row ids beyond 63 bits", path_);
    }
  }

  const ManifestFile& list_entry_;
  const std::string& path_;
  std::vector<PlannedField> entry_plan_;
  std::vector<PlannedField> file_plan_;
  std::optional<PartitionReader> partition_;
  std::optional<int64_t> next_row_id_;
};

PartitionFieldSummary ReadSummary(const std::vector<PlannedField>& plan, BinaryDecoder& decoder) {
  PartitionFieldSummary summary;
  for (const auto& [id, field] : plan) {
    switch (id) {
      case kContainsNullId: ReadInto(summary.contains_null, *field, decoder); break;
      case kContainsNanId: ReadInto(summary.contains_nan, *field, decoder); break;
      case kLowerBoundId: ReadInto(summary.lower_bound, *field, decoder); break;
      case kUpperBoundId: ReadInto(summary.upper_bound, *field, decoder); break;
      default: SkipValue(field->type, decoder); break;
    }
  }
  return summary;
}

ManifestFile ReadManifestFile(const std::vector<PlannedField>& plan, const std::vector<PlannedField>& summary_plan,
                              BinaryDecoder& decoder, std::string_view path) {
  ManifestFile file;
  for (const auto& [id, field] : plan) {
    switch (id) {
      case kManifestPathId: ReadInto(file.manifest_path, *field, decoder); break;
      case kManifestLengthId: ReadInto(file.manifest_length, *field, decoder); break;
      case kPartitionSpecIdId: ReadInto(file.partition_spec_id, *field, decoder); break;
      case kManifestContentId: ReadEnum(file.content, ManifestContent::kDeletes, *field, decoder, path); break;
      case kManifestSequenceNumberId: ReadInto(file.sequence_number, *field, decoder); break;
      case kMinSequenceNumberId: ReadInto(file.min_sequence_number, *field, decoder); break;
      case kAddedSnapshotIdId: ReadInto(file.added_snapshot_id, *field, decoder); break;
      case kAddedFilesCountId: ReadInto(file.added_files_count, *field, decoder); break;
      case kExistingFilesCountId: ReadInto(file.existing_files_count, *field, decoder); break;
      case kDeletedFilesCountId: ReadInto(file.deleted_files_count, *field, decoder); break;
      case kAddedRowsCountId: ReadInto(file.added_rows_count, *field, decoder); break;
      case kExistingRowsCountId: ReadInto(file.existing_rows_count, *field, decoder); break;
      case kDeletedRowsCountId: ReadInto(file.deleted_rows_count, *field, decoder); break;
      case kPartitionsId:
        if (decoder.ReadOptional(field->type)) {
          decoder.ReadItems(field->type.required().element(),
                            [&] { file.partitions.push_back(ReadSummary(summary_plan, decoder)); });
        }
        break;
      case kManifestKeyMetadataId: ReadInto(file.key_metadata, *field, decoder); break;
      case kManifestFirstRowIdId: ReadInto(file.first_row_id, *field, decoder); break;
      default: SkipValue(field->type, decoder); break;
    }
  }
  if (file.manifest_path.empty()) throw Corrupt("{}: a manifest without path", path);
  return file;
}

}  // namespace

void ReadManifest(std::string_view bytes, const ManifestFile& list_entry, const Schema& schema,
                  const std::function<void(ManifestEntry&&)>& visit) {
  const auto reader = Open(bytes, list_entry.manifest_path);
  EntryReader entries(*reader, list_entry, schema);
  while (reader->NextRecord()) visit(entries.Read(reader->decoder()));
}

std::vector<ManifestFile> ReadManifestList(std::string_view bytes, std::string_view origin) {
  const auto reader = Open(bytes, origin);
  const auto plan = PlanRecord(reader->schema(), kManifestFileFields, OurManifestFile(), origin);
  std::vector<PlannedField> summary_plan;
  if (const avro::Field* partitions = FieldOf(plan, kPartitionsId)) {
    summary_plan = PlanRecord(partitions->type.required().element(), kFieldSummaryFields, OurFieldSummary(), origin);
  }
  std::vector<ManifestFile> manifests;
  while (reader->NextRecord()) {
    manifests.push_back(ReadManifestFile(plan, summary_plan, reader->decoder(), origin));
  }
  return manifests;
}

}  // namespace frazil::iceberg
