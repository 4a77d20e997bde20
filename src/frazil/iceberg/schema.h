// SPDX-License-Identifier: Apache-2.0
// A table schema: a struct type with ids, and look-up by id and by name (spec: "Schemas and Data Types").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "frazil/iceberg/type.h"

namespace frazil::iceberg {

class Schema {
 public:
  Schema() = default;
  /// Throws InvalidArgument for duplicate ids or names, or an identifier field that the spec doesn't allow (missing,
  /// optional, nested in a list or map, float or double).
  Schema(int32_t schema_id, std::vector<NestedField> fields, std::vector<int32_t> identifier_field_ids = {});

  int32_t schema_id() const { return schema_id_; }
  const std::vector<NestedField>& fields() const { return struct_.fields(); }
  const Type& struct_type() const { return struct_; }
  const std::vector<int32_t>& identifier_field_ids() const { return identifier_field_ids_; }

  /// At any depth; null if there is none. The pointer lives as long as this schema.
  const NestedField* FindField(int32_t id) const;
  /// By full name ("a", "address.city", "tags.element", "props.value.x"); null if there is none.
  const NestedField* FindField(std::string_view full_name, bool case_sensitive = true) const;
  /// "" if there is no such id.
  std::string FullName(int32_t id) const;
  int32_t HighestFieldId() const;

  /// Same fields and identifier fields; the schema id doesn't count.
  bool SameAs(const Schema& other) const;
  bool operator==(const Schema& other) const { return schema_id_ == other.schema_id_ && SameAs(other); }

  Schema(const Schema& other);
  Schema& operator=(const Schema& other);
  Schema(Schema&&) = default;
  Schema& operator=(Schema&&) = default;

 private:
  void BuildIndex();
  void IndexFields(const Type& type, const std::string& prefix);

  int32_t schema_id_ = 0;
  Type struct_ = Type(TypeId::kStruct);
  std::vector<int32_t> identifier_field_ids_;
  std::unordered_map<int32_t, const NestedField*> by_id_;
  std::unordered_map<int32_t, std::string> names_;
  std::unordered_map<std::string, int32_t> ids_by_name_;
};

/// Gives every field, at all levels, a fresh id from `next_id` on in Java's order (all fields of a level first, then
/// their children), as a table creation does; identifier fields are found again by name.
Schema AssignFreshIds(const Schema& schema, int32_t schema_id, int32_t& next_id);

/// Spec appendix C, keys in Java's order. `identifier-field-ids` is written only where there are any.
nlohmann::ordered_json ToJson(const Schema& schema);
nlohmann::ordered_json ToJson(const Type& type);
/// Throws Corrupt with the path inside the document; nesting is limited to 100 levels.
Schema SchemaFromJson(const nlohmann::json& json);

/// Spec appendix D, JSON single-value serialisation (defaults).
nlohmann::ordered_json LiteralToJson(const Type& type, const Literal& value);
Literal LiteralFromJson(const Type& type, const nlohmann::json& json);

}  // namespace frazil::iceberg
