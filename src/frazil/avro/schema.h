// SPDX-License-Identifier: Apache-2.0
// The avro room: Avro schemas, the binary encoding and object container files (Avro specification 1.12), with what
// Iceberg adds to a schema kept: field ids, logical types, maps with non-string keys. It knows nothing of Iceberg's own
// types, does no IO (bytes in, bytes out) and builds no generic value tree: who reads walks the writer's schema and
// decodes field by field (decoder.h), skipping what it doesn't know.
//
// This header: a schema as an immutable value tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace frazil::avro {

enum class Type : uint8_t {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kRecord,
  kEnum,
  kArray,
  kMap,
  kFixed,
  kUnion,
};

/// Avro's name of the type: "null", "boolean", …, "union".
std::string_view ToString(Type type);

enum class LogicalKind : uint8_t {
  kNone,
  kDecimal,  ///< bytes or fixed: big-endian two's complement, see Logical::precision
  kDate,     ///< int: days since 1970-01-01
  kTimeMillis,
  kTimeMicros,
  kTimestampMillis,  ///< long since the epoch, see Logical::adjust_to_utc
  kTimestampMicros,
  kTimestampNanos,
  kLocalTimestampMillis,  ///< Avro's own names of timestamps without zone
  kLocalTimestampMicros,
  kLocalTimestampNanos,
  kUuid,  ///< fixed(16) big-endian, or string
  kMap,   ///< array of records {key, value}: Iceberg's map with non-string keys
};

/// A logical type and its attributes. One that isn't listed in LogicalKind, or doesn't fit the type it annotates, is
/// ignored, as the Avro specification demands.
struct Logical {
  LogicalKind kind = LogicalKind::kNone;
  int32_t precision = 0;              ///< kDecimal
  int32_t scale = 0;                  ///< kDecimal
  std::optional<bool> adjust_to_utc;  ///< kTimestamp…: Iceberg's "adjust-to-utc"; not set where the writer left it out

  bool operator==(const Logical&) const = default;
};

struct Field;

/// An Avro schema. Copyable; immutable but for assignment. References to named types are resolved where they stand (the
/// tree holds the definition again), which is why a schema that contains itself is refused as Unsupported: Iceberg has
/// no such types.
class Schema {
 public:
  /// Deepest nesting of types, and most types in one schema after references are resolved: what Parse refuses beyond.
  static constexpr int kMaxDepth = 64;
  static constexpr int kMaxTypes = 100'000;

  /// The schema "null".
  Schema() = default;

  /// Parses the JSON form (the value of `avro.schema` in a file). Corrupt if it isn't JSON or isn't a schema, with the
  /// path of the wrong part ("manifest_entry.data_file.partition"); Unsupported if a type contains itself.
  static Schema Parse(std::string_view json);
  static Schema FromJson(const nlohmann::ordered_json& json);

  /// A type without attributes: kNull … kString. InvalidArgument for others.
  static Schema Primitive(Type type);
  /// A record; `name` may have a namespace ("a.b.Name").
  static Schema Record(std::string name, std::vector<Field> fields);
  static Schema Array(Schema element, std::optional<int32_t> element_id = std::nullopt);
  /// A map with string keys, Avro's own.
  static Schema Map(Schema value, std::optional<int32_t> key_id = std::nullopt,
                    std::optional<int32_t> value_id = std::nullopt);
  /// A map with any keys as Iceberg writes it: an array with logical type `map` of records "k<key_id>_v<value_id>".
  static Schema KeyValueMap(Schema key, int32_t key_id, Schema value, int32_t value_id);
  static Schema Fixed(std::string name, size_t size);
  static Schema Enum(std::string name, std::vector<std::string> symbols);
  static Schema Union(std::vector<Schema> branches);
  /// The union [null, value].
  static Schema Optional(Schema value);
  /// The same schema with the logical type `logical`.
  Schema WithLogical(Logical logical) const;

  /// The JSON form; a named type is defined at its first place and referred to by name at the others.
  nlohmann::ordered_json ToJson() const;
  std::string ToString() const;

  Type type() const { return type_; }
  const Logical& logical() const { return logical_; }
  /// Full name (namespace.name) of a record, enum or fixed; empty for others.
  const std::string& name() const { return name_; }
  const std::string& doc() const { return doc_; }
  /// Fields of a record in the order in which they are encoded; empty for others.
  const std::vector<Field>& fields() const { return fields_; }
  /// Branches of a union; empty for others.
  const std::vector<Schema>& branches() const;
  /// Element of an array. InvalidArgument for others.
  const Schema& element() const;
  /// Value of a map. InvalidArgument for others.
  const Schema& map_value() const;
  /// Size of a fixed in bytes.
  size_t fixed_size() const { return fixed_size_; }
  /// Symbols of an enum.
  const std::vector<std::string>& symbols() const { return symbols_; }

  /// Iceberg's `element-id` of an array, `key-id` and `value-id` of a map.
  std::optional<int32_t> element_id() const { return element_id_; }
  std::optional<int32_t> key_id() const { return key_id_; }
  std::optional<int32_t> value_id() const { return value_id_; }

  /// True for a union of null and one other type, in either order: the only union that Iceberg writes.
  bool is_optional() const { return null_branch_ >= 0; }
  /// Which of an optional's two branches is null: 0 or 1; -1 if this is not an optional.
  int null_branch() const { return null_branch_; }
  /// The other branch of an optional; for everything else the schema itself.
  const Schema& required() const { return is_optional() ? children_[1 - null_branch_] : *this; }

  /// The field with `field-id` (or name) of a record; nullptr if there is none.
  const Field* FindField(int32_t field_id) const;
  const Field* FindField(std::string_view name) const;

  /// The least number of bytes that a value takes: what bounds the counts that a hostile file may claim.
  size_t min_encoded_size() const { return min_encoded_size_; }

  bool operator==(const Schema&) const;

 private:
  friend class SchemaParser;

  void Seal();

  Type type_ = Type::kNull;
  int8_t null_branch_ = -1;
  Logical logical_;
  std::string name_;
  std::string doc_;
  std::vector<Field> fields_;
  std::vector<Schema> children_;  ///< branches, element or map value
  std::vector<std::string> symbols_;
  size_t fixed_size_ = 0;
  size_t min_encoded_size_ = 0;
  std::optional<int32_t> element_id_, key_id_, value_id_;
};

/// A field of a record.
struct Field {
  std::string name;
  Schema type;
  std::optional<int32_t> field_id;          ///< Iceberg's `field-id`
  std::string doc;                          ///< empty: none
  std::optional<std::string> default_json;  ///< the `default` as JSON text, "null" for a null default
  std::string iceberg_name;                 ///< `iceberg-field-name`: the name before it was made legal; empty: same

  bool operator==(const Field&) const = default;
};

/// `name` made legal for Avro as Iceberg does it ([A-Za-z_][A-Za-z0-9_]*): a leading digit gets '_' before it, any
/// other illegal character becomes "_x" and its code point in upper-case hex ("a.b" → "a_x2Eb").
std::string SanitizeName(std::string_view name);

}  // namespace frazil::avro
