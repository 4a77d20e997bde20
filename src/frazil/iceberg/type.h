// SPDX-License-Identifier: Apache-2.0
// Iceberg's types as plain values (spec: "Schemas and Data Types").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/iceberg/literal.h"

namespace frazil::iceberg {

enum class TypeId {
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal,      ///< precision 1..38 and scale
  kDate,         ///< int32 days since 1970-01-01
  kTime,         ///< int64 microseconds since midnight
  kTimestamp,    ///< int64 microseconds, no zone
  kTimestampTz,  ///< int64 microseconds, UTC
  kTimestampNs,
  kTimestampTzNs,  ///< v3: int64 nanoseconds
  kString,
  kUuid,
  kFixed,  ///< length bytes
  kBinary,
  kUnknown,
  kVariant,
  kGeometry,
  kGeography,  ///< v3
  kStruct,
  kList,
  kMap,
};

struct NestedField;

/// A value: copyable, comparable. Nested types own their fields:
/// struct: any number; list: one, the element; map: two, key and value.
class Type {
 public:
  Type() : id_(TypeId::kUnknown) {}
  explicit Type(TypeId primitive) : id_(primitive) {}

  static Type Boolean() { return Type(TypeId::kBoolean); }
  static Type Int() { return Type(TypeId::kInt); }
  static Type Long() { return Type(TypeId::kLong); }
  static Type Float() { return Type(TypeId::kFloat); }
  static Type Double() { return Type(TypeId::kDouble); }
  static Type Date() { return Type(TypeId::kDate); }
  static Type Time() { return Type(TypeId::kTime); }
  static Type Timestamp() { return Type(TypeId::kTimestamp); }
  static Type TimestampTz() { return Type(TypeId::kTimestampTz); }
  static Type String() { return Type(TypeId::kString); }
  static Type Uuid() { return Type(TypeId::kUuid); }
  static Type Binary() { return Type(TypeId::kBinary); }
  /// Throws InvalidArgument unless 1 ≤ precision ≤ 38 and 0 ≤ scale ≤ precision.
  static Type Decimal(int precision, int scale);
  /// Throws InvalidArgument unless length > 0.
  static Type Fixed(int length);
  /// `parameters`: the CRS, and for geography "CRS, algorithm"; empty for the default.
  static Type Geo(TypeId id, std::string parameters);
  static Type Struct(std::vector<NestedField> fields);
  static Type List(NestedField element);
  static Type Map(NestedField key, NestedField value);

  TypeId id() const { return id_; }
  bool is_primitive() const { return id_ < TypeId::kStruct; }
  bool is_nested() const { return !is_primitive(); }
  int precision() const { return precision_; }  ///< decimal only
  int scale() const { return scale_; }          ///< decimal only
  int length() const { return precision_; }     ///< fixed only
  const std::string& geo_parameters() const { return geo_parameters_; }
  const std::vector<NestedField>& fields() const { return fields_; }
  std::vector<NestedField>& fields() { return fields_; }
  const NestedField& element() const;
  const NestedField& key() const;
  const NestedField& value() const;

  /// "decimal(9,2)", "fixed[16]", "struct<1: a: required int, …>"; the spec's string form for primitives.
  std::string ToString() const;

  bool operator==(const Type& other) const;

 private:
  TypeId id_;
  int precision_ = 0;
  int scale_ = 0;
  std::string geo_parameters_;
  std::vector<NestedField> fields_;
};

struct NestedField {
  int32_t id = 0;
  std::string name;
  Type type;
  bool required = false;
  std::string doc;
  std::optional<Literal> initial_default;  ///< v3
  std::optional<Literal> write_default;    ///< v3

  static NestedField Required(int32_t id, std::string name, Type type, std::string doc = "") {
    return {id, std::move(name), std::move(type), true, std::move(doc), {}, {}};
  }
  static NestedField Optional(int32_t id, std::string name, Type type, std::string doc = "") {
    return {id, std::move(name), std::move(type), false, std::move(doc), {}, {}};
  }
  bool operator==(const NestedField&) const = default;
};

/// Parses the spec's string form of a primitive, whitespace tolerated. Throws Corrupt for an unknown type.
Type ParsePrimitiveType(std::string_view text);

}  // namespace frazil::iceberg
