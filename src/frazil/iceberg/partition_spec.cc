// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/partition_spec.h"

#include <algorithm>
#include <set>

#include "frazil/base/error.h"

namespace frazil::iceberg {
namespace {

/// The type of the source column; unknown where the schema lost it or the transform takes several.
Type SourceType(const PartitionField& field, const Schema& schema) {
  if (field.source_ids.size() != 1) return Type();
  const NestedField* source = schema.FindField(field.source_id());
  return source == nullptr ? Type() : source->type;
}

Type PartitionFieldType(const PartitionField& field, const Schema& schema) {
  Type source = SourceType(field, schema);
  return source.id() == TypeId::kUnknown ? source : ResultType(field.transform, source);
}

/// application/x-www-form-urlencoded as Java's URLEncoder writes it.
void AppendUrlEncoded(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  for (char c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
                 c == '*' || c == '_';
    if (plain) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      auto byte = static_cast<uint8_t>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
}

/// Whether `id` is below a list or map: such a column has no one value per row.
bool IsRepeated(const Type& type, int32_t id, bool below_repeated = false) {
  for (const NestedField& field : type.fields()) {
    bool repeated = below_repeated || type.id() != TypeId::kStruct;
    if (field.id == id) return repeated;
    if (IsRepeated(field.type, id, repeated)) return true;
  }
  return false;
}

void CheckField(const PartitionField& field, const Schema& schema) {
  if (field.name.empty()) throw InvalidArgument("partition field {} has no name", field.field_id);
  if (field.transform.kind == TransformKind::kUnknown) {
    throw InvalidArgument("partition field '{}': transform '{}' is not known, nothing can be written by it", field.name,
                          field.transform.unknown_text);
  }
  if (field.source_ids.size() != 1) {
    throw InvalidArgument("partition field '{}': transform {} takes one source column, not {}", field.name,
                          ToString(field.transform), field.source_ids.size());
  }
  const NestedField* source = schema.FindField(field.source_id());
  // A void field outlives its column: v1 specs keep the place of what was dropped.
  if (source == nullptr && field.transform.kind != TransformKind::kVoid) {
    throw InvalidArgument("partition field '{}': the schema has no column with id {}", field.name, field.source_id());
  }
  if (source != nullptr) {
    try {
      ResultType(field.transform, source->type);
    } catch (const Error& e) {
      throw e.WithContext("partition field '" + field.name + "'");
    }
    if (IsRepeated(schema.struct_type(), field.source_id())) {
      throw InvalidArgument("partition field '{}': column '{}' is in a list or map", field.name,
                            schema.FullName(field.source_id()));
    }
  }
  const NestedField* same_name = schema.FindField(field.name);
  bool is_identity_of_it =
      same_name != nullptr && same_name->id == field.source_id() && (field.transform.kind == TransformKind::kIdentity);
  if (same_name != nullptr && !is_identity_of_it && field.transform.kind != TransformKind::kVoid) {
    throw InvalidArgument("partition field '{}' ({}) has the name of a column that it isn't the identity of",
                          field.name, ToString(field.transform));
  }
}

}  // namespace

bool PartitionSpec::is_unpartitioned() const {
  return std::ranges::all_of(fields,
                             [](const PartitionField& field) { return field.transform.kind == TransformKind::kVoid; });
}

Type PartitionType(const PartitionSpec& spec, const Schema& schema) {
  std::vector<NestedField> fields;
  fields.reserve(spec.fields.size());
  for (const PartitionField& field : spec.fields) {
    fields.push_back(NestedField::Optional(field.field_id, field.name, PartitionFieldType(field, schema)));
  }
  return Type::Struct(std::move(fields));
}

std::string PartitionPath(const PartitionSpec& spec, const Schema& schema, const PartitionValues& values) {
  if (values.size() != spec.fields.size()) {
    throw InvalidArgument("{} partition values for the {} fields of partition spec {}", values.size(),
                          spec.fields.size(), spec.spec_id);
  }
  std::string path;
  for (size_t i = 0; i < values.size(); ++i) {
    const PartitionField& field = spec.fields[i];
    if (i > 0) path += '/';
    AppendUrlEncoded(path, field.name);
    path += '=';
    AppendUrlEncoded(path, ToPathString(field.transform, SourceType(field, schema), values[i]));
  }
  return path;
}

namespace {

bool IsTimeUnit(TransformKind kind) {
  return kind == TransformKind::kYear || kind == TransformKind::kMonth || kind == TransformKind::kDay ||
         kind == TransformKind::kHour;
}

/// Two fields of which one tells nothing that the other doesn't.
bool AreRedundant(const PartitionField& a, const PartitionField& b) {
  if (a.source_ids != b.source_ids || a.transform.kind == TransformKind::kVoid) return false;
  return a.transform == b.transform || (IsTimeUnit(a.transform.kind) && IsTimeUnit(b.transform.kind));
}

}  // namespace

void Validate(const PartitionSpec& spec, const Schema& schema) {
  for (auto field = spec.fields.begin(); field != spec.fields.end(); ++field) {
    for (auto other = spec.fields.begin(); other != field; ++other) {
      if (!AreRedundant(*field, *other)) continue;
      throw InvalidArgument("partition fields '{}' ({}) and '{}' ({}) of one column are redundant", other->name,
                            ToString(other->transform), field->name, ToString(field->transform));
    }
  }
  std::set<std::string_view> names;
  for (const PartitionField& field : spec.fields) {
    CheckField(field, schema);
    if (!names.insert(field.name).second) {
      throw InvalidArgument("partition spec {}: two fields are called '{}'", spec.spec_id, field.name);
    }
  }
}

}  // namespace frazil::iceberg
