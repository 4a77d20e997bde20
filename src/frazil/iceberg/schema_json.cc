// SPDX-License-Identifier: Apache-2.0
// Schemas, types and single values as JSON (spec appendices C and D).
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include <nlohmann/json.hpp>

#include "frazil/base/error.h"
#include "frazil/base/uuid.h"
#include "frazil/iceberg/calendar.h"
#include "frazil/iceberg/json_object.h"
#include "frazil/iceberg/metadata_json.h"
#include "frazil/iceberg/schema.h"
#include "frazil/iceberg/typed_literal.h"

namespace frazil::iceberg {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kMaxTypeDepth = 100;
/// Ids above are reserved for metadata columns (spec: "Reserved Field IDs").
constexpr int32_t kMaxFieldId = 2147483447;

ordered_json FieldToJson(const NestedField& field) {
  ordered_json out = {
      {"id", field.id}, {"name", field.name}, {"required", field.required}, {"type", ToJson(field.type)}};
  if (!field.doc.empty()) out["doc"] = field.doc;
  if (field.initial_default) out["initial-default"] = LiteralToJson(field.type, *field.initial_default);
  if (field.write_default) out["write-default"] = LiteralToJson(field.type, *field.write_default);
  return out;
}

ordered_json FieldsToJson(const Type& type) {
  ordered_json fields = ordered_json::array();
  for (const NestedField& field : type.fields()) fields.push_back(FieldToJson(field));
  return fields;
}

Type TypeFromJson(const json& value, const std::string& path, int depth);

int32_t FieldId(const JsonObject& object, std::string_view key) {
  int32_t id = object.Int32(key);
  if (id < 0 || id > kMaxFieldId) throw object.Wrong(key, "{} is not a field id from 0 to {}", id, kMaxFieldId);
  return id;
}

std::optional<Literal> DefaultFromJson(const JsonObject& object, std::string_view key, const Type& type) {
  const json* value = object.FindMember(key);
  if (value == nullptr) return std::nullopt;
  try {
    return LiteralFromJson(type, *value);
  } catch (const Error& e) {
    throw e.WithContext(object.PathOf(key));
  }
}

NestedField FieldFromJson(const JsonObject& object, int depth) {
  NestedField field;
  field.id = FieldId(object, "id");
  field.name = object.String("name");
  field.required = object.Bool("required");
  field.type = TypeFromJson(object.Member("type"), object.PathOf("type"), depth + 1);
  field.doc = object.FindString("doc").value_or("");
  field.initial_default = DefaultFromJson(object, "initial-default", field.type);
  field.write_default = DefaultFromJson(object, "write-default", field.type);
  return field;
}

std::vector<NestedField> FieldsFromJson(const JsonObject& object, int depth) {
  const json& array = object.Array("fields");
  std::vector<NestedField> fields;
  fields.reserve(array.size());
  for (size_t i = 0; i < array.size(); ++i) {
    fields.push_back(FieldFromJson(JsonObject(array[i], object.PathOf("fields", i)), depth));
  }
  return fields;
}

/// The element of a list, the key or value of a map: "<name>-id", "<name>", and "<name>-required" where it has one.
NestedField InnerFieldFromJson(const JsonObject& object, const std::string& name, bool always_required, int depth) {
  NestedField field;
  field.id = FieldId(object, name + "-id");
  field.name = name;
  field.required = always_required || object.Bool(name + "-required");
  field.type = TypeFromJson(object.Member(name), object.PathOf(name), depth + 1);
  return field;
}

Type TypeFromJson(const json& value, const std::string& path, int depth) {
  if (depth > kMaxTypeDepth) throw Corrupt("{}: the type nests deeper than {} levels", path, kMaxTypeDepth);
  if (value.is_string()) {
    try {
      return ParsePrimitiveType(value.get_ref<const std::string&>());
    } catch (const Error& e) {
      throw e.WithContext(path);
    }
  }
  JsonObject object(value, path);
  std::string kind = object.String("type");
  if (kind == "struct") return Type::Struct(FieldsFromJson(object, depth));
  if (kind == "list") return Type::List(InnerFieldFromJson(object, "element", false, depth));
  if (kind == "map") {
    return Type::Map(InnerFieldFromJson(object, "key", true, depth), InnerFieldFromJson(object, "value", false, depth));
  }
  throw object.Wrong("type", "'{}' is not a nested type (struct, list or map)", kind);
}

// Single values ---------------------------------------------------------------------------------------------------

std::string HexText(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (char byte : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return text;
}

std::optional<std::string> ParseHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    uint8_t byte = 0;
    auto [end, error] = std::from_chars(&text[i], &text[i] + 2, byte, 16);
    if (error != std::errc() || end != &text[i] + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

template <typename T>
ordered_json FloatToJson(const Type& type, T value) {
  if (!std::isfinite(value)) {
    throw InvalidArgument("{} has no JSON single value in type {}", value, type.ToString());
  }
  // Through the shortest text of its own type: 0.1f is 0.1, not 0.10000000149011612.
  std::array<char, 64> buffer;
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  double shortest = 0;
  std::from_chars(buffer.data(), end.ptr, shortest);
  return shortest;
}

std::string UuidText(const Type& type, const std::string& bytes) {
  Uuid uuid;
  if (bytes.size() != uuid.size()) throw InvalidArgument("a {} of {} bytes", type.ToString(), bytes.size());
  std::memcpy(uuid.data(), bytes.data(), uuid.size());
  return frazil::ToString(uuid);
}

std::string TimeText(int64_t micros) {
  if (micros < 0 || micros >= kMicrosPerDay) throw InvalidArgument("{} microseconds are no time of a day", micros);
  return FormatIsoTime(micros * kNanosPerMicro, TimeStyle::kIsoLocal);
}

/// A decimal's text taken apart.
struct DecimalParts {
  unsigned __int128 digits = 0;
  int64_t scale = 0;
  bool negative = false;
};

/// "[-+]digits[.digits][e[-+]digits]", without the digits that only make it longer; nullopt beyond 38 digits.
std::optional<DecimalParts> SplitDecimal(std::string_view text) {
  DecimalParts parts;
  if (text.starts_with('-') || text.starts_with('+')) {
    parts.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view exponent = text.substr(e + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    int32_t value = 0;
    auto [end, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
    if (error != std::errc() || end != exponent.data() + exponent.size()) return std::nullopt;
    parts.scale = -static_cast<int64_t>(value);
    text = text.substr(0, e);
  }
  bool point = false;
  int significant = 0;
  bool any = false;
  for (char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    any = true;
    if (parts.digits != 0 || c != '0') ++significant;
    if (significant > 38) return std::nullopt;
    parts.digits = parts.digits * 10 + static_cast<unsigned>(c - '0');
    parts.scale += point;
  }
  if (!any) return std::nullopt;
  return parts;
}

std::optional<__int128> ParseDecimal(std::string_view text, int precision, int scale) {
  auto parts = SplitDecimal(text);
  if (!parts) return std::nullopt;
  unsigned __int128 limit = 1;
  for (int i = 0; i < precision; ++i) limit *= 10;
  if (parts->digits == 0) return 0;
  while (parts->scale > scale) {
    if (parts->digits % 10 != 0) return std::nullopt;
    parts->digits /= 10;
    --parts->scale;
  }
  while (parts->scale < scale) {
    if (parts->digits >= limit) return std::nullopt;
    parts->digits *= 10;
    ++parts->scale;
  }
  if (parts->digits >= limit) return std::nullopt;
  auto value = static_cast<__int128>(parts->digits);
  return parts->negative ? -value : value;
}

/// The text without its UTC zone ("+00:00" or "Z"); nullopt in another zone or none.
std::optional<std::string_view> WithoutUtc(std::string_view text) {
  for (std::string_view zone : {"Z", "+00:00"}) {
    if (text.ends_with(zone)) return text.substr(0, text.size() - zone.size());
  }
  return std::nullopt;
}

std::optional<Literal> TimestampFromText(std::string_view text, int64_t units_per_day, bool utc) {
  if (utc) {
    auto local = WithoutUtc(text);
    if (!local) return std::nullopt;
    text = *local;
  }
  auto value = ParseIsoTimestamp(text, units_per_day);
  return value ? std::optional<Literal>(*value) : std::nullopt;
}

std::optional<Literal> UuidFromText(std::string_view text) {
  try {
    Uuid uuid = ParseUuid(text);
    return std::string(reinterpret_cast<const char*>(uuid.data()), uuid.size());
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Types whose single value is a JSON string; nullopt where the text doesn't fit the type.
std::optional<Literal> LiteralFromText(const Type& type, const std::string& text) {
  switch (type.id()) {
    case TypeId::kString: return text;
    case TypeId::kDecimal:
      if (auto value = ParseDecimal(text, type.precision(), type.scale())) return *value;
      return std::nullopt;
    case TypeId::kDate:
      if (auto days = ParseIsoDate(text); days && *days == static_cast<int32_t>(*days)) {
        return static_cast<int32_t>(*days);
      }
      return std::nullopt;
    case TypeId::kTime:
      if (auto micros = ParseIsoTime(text, kMicrosPerDay)) return *micros;
      return std::nullopt;
    case TypeId::kTimestamp: return TimestampFromText(text, kMicrosPerDay, false);
    case TypeId::kTimestampTz: return TimestampFromText(text, kMicrosPerDay, true);
    case TypeId::kTimestampNs: return TimestampFromText(text, kNanosPerDay, false);
    case TypeId::kTimestampTzNs: return TimestampFromText(text, kNanosPerDay, true);
    case TypeId::kUuid: return UuidFromText(text);
    case TypeId::kFixed:
    case TypeId::kBinary: {
      auto bytes = ParseHex(text);
      if (!bytes || (type.id() == TypeId::kFixed && bytes->size() != static_cast<size_t>(type.length()))) {
        return std::nullopt;
      }
      return *std::move(bytes);
    }
    default: return std::nullopt;
  }
}

std::optional<Literal> LiteralFromNumber(const Type& type, const json& value) {
  switch (type.id()) {
    case TypeId::kInt:
      if (auto number = AsInt64(value); number && *number == static_cast<int32_t>(*number)) {
        return static_cast<int32_t>(*number);
      }
      return std::nullopt;
    case TypeId::kLong:
      if (auto number = AsInt64(value)) return *number;
      return std::nullopt;
    case TypeId::kFloat:
      if (auto number = value.get<double>(); std::abs(number) <= std::numeric_limits<float>::max()) {
        return static_cast<float>(number);
      }
      return std::nullopt;
    case TypeId::kDouble:
      if (auto number = value.get<double>(); std::isfinite(number)) return number;
      return std::nullopt;
    default: return std::nullopt;
  }
}

/// Throws unless every part of a nested default fits its type.
bool FitsNestedType(const Type& type, const json& value) {
  auto check_all = [](const json& values, const NestedField& field) {
    for (const json& element : values) LiteralFromJson(field.type, element);
    return true;
  };
  if (type.id() == TypeId::kList) return value.is_array() && check_all(value, type.element());
  if (!value.is_object()) return false;
  if (type.id() == TypeId::kMap) {
    auto keys = value.find("keys");
    auto values = value.find("values");
    if (keys == value.end() || values == value.end() || !keys->is_array() || !values->is_array()) return false;
    return keys->size() == values->size() && check_all(*keys, type.key()) && check_all(*values, type.value());
  }
  for (const NestedField& field : type.fields()) {
    auto member = value.find(std::to_string(field.id));
    if (member != value.end()) LiteralFromJson(field.type, *member);
  }
  return true;
}

}  // namespace

ordered_json ToJson(const Type& type) {
  switch (type.id()) {
    case TypeId::kStruct: return {{"type", "struct"}, {"fields", FieldsToJson(type)}};
    case TypeId::kList:
      return {{"type", "list"},
              {"element-id", type.element().id},
              {"element", ToJson(type.element().type)},
              {"element-required", type.element().required}};
    case TypeId::kMap:
      return {{"type", "map"},
              {"key-id", type.key().id},
              {"key", ToJson(type.key().type)},
              {"value-id", type.value().id},
              {"value", ToJson(type.value().type)},
              {"value-required", type.value().required}};
    default: break;
  }
  // The spec spells a decimal with a blank after the comma.
  if (type.id() == TypeId::kDecimal) return fmt::format("decimal({}, {})", type.precision(), type.scale());
  return type.ToString();
}

ordered_json ToJson(const Schema& schema) {
  ordered_json out = {{"type", "struct"}, {"schema-id", schema.schema_id()}};
  if (!schema.identifier_field_ids().empty()) out["identifier-field-ids"] = schema.identifier_field_ids();
  out["fields"] = FieldsToJson(schema.struct_type());
  return out;
}

Schema SchemaFromJson(const JsonObject& object) {
  if (std::string kind = object.String("type"); kind != "struct") {
    throw object.Wrong("type", "a schema is a struct, not '{}'", kind);
  }
  std::vector<NestedField> fields = FieldsFromJson(object, 0);
  std::vector<int32_t> identifiers = object.FindInt32Array("identifier-field-ids");
  try {
    return Schema(object.FindInt32("schema-id").value_or(0), std::move(fields), std::move(identifiers));
  } catch (const Error& e) {
    throw Corrupt("{}: {}", object.path(), e.what());
  }
}

Schema SchemaFromJson(const json& value) { return SchemaFromJson(JsonObject(value, "schema")); }

ordered_json LiteralToJson(const Type& type, const Literal& value) {
  if (IsNull(value)) return nullptr;
  constexpr TimeStyle kStyle = TimeStyle::kIsoLocal;
  switch (type.id()) {
    case TypeId::kBoolean: return Get<bool>(type, value);
    case TypeId::kInt: return Get<int32_t>(type, value);
    case TypeId::kLong: return Get<int64_t>(type, value);
    case TypeId::kFloat: return FloatToJson(type, Get<float>(type, value));
    case TypeId::kDouble: return FloatToJson(type, Get<double>(type, value));
    case TypeId::kDecimal: return DecimalText(Get<__int128>(type, value), type.scale());
    case TypeId::kDate: return FormatIsoDate(Get<int32_t>(type, value));
    case TypeId::kTime: return TimeText(Get<int64_t>(type, value));
    case TypeId::kTimestamp: return FormatIsoTimestamp(Get<int64_t>(type, value), kMicrosPerDay, kStyle);
    case TypeId::kTimestampTz: return FormatIsoTimestamp(Get<int64_t>(type, value), kMicrosPerDay, kStyle) + "+00:00";
    case TypeId::kTimestampNs: return FormatIsoTimestamp(Get<int64_t>(type, value), kNanosPerDay, kStyle);
    case TypeId::kTimestampTzNs: return FormatIsoTimestamp(Get<int64_t>(type, value), kNanosPerDay, kStyle) + "+00:00";
    case TypeId::kString: return Get<std::string>(type, value);
    case TypeId::kUuid: return UuidText(type, Get<std::string>(type, value));
    case TypeId::kFixed:
    case TypeId::kBinary: return HexText(Get<std::string>(type, value));
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap: return ordered_json::parse(Get<std::string>(type, value));
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography: break;
  }
  throw InvalidArgument("type {} has no default but null", type.ToString());
}

Literal LiteralFromJson(const Type& type, const json& value) {
  if (value.is_null()) return Literal();
  std::optional<Literal> literal;
  if (type.is_nested()) {
    if (FitsNestedType(type, value)) literal = value.dump();
  } else if (value.is_string()) {
    literal = LiteralFromText(type, value.get_ref<const std::string&>());
  } else if (value.is_number()) {
    literal = LiteralFromNumber(type, value);
  } else if (value.is_boolean() && type.id() == TypeId::kBoolean) {
    literal = value.get<bool>();
  }
  if (!literal) throw Corrupt("{} is not a value of type {}", Excerpt(value), type.ToString());
  return *std::move(literal);
}

}  // namespace frazil::iceberg
