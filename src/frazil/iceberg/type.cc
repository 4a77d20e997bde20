// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/type.h"

#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "frazil/base/error.h"
#include "frazil/iceberg/ascii.h"

namespace frazil::iceberg {
namespace {

constexpr std::string_view kDefaultCrs = "OGC:CRS84";

struct NamedType {
  std::string_view name;
  TypeId id;
};
/// Primitive types without parameters, by the spec's name.
constexpr std::array<NamedType, 15> kNamedTypes = {{
    {"boolean", TypeId::kBoolean},
    {"int", TypeId::kInt},
    {"long", TypeId::kLong},
    {"float", TypeId::kFloat},
    {"double", TypeId::kDouble},
    {"date", TypeId::kDate},
    {"time", TypeId::kTime},
    {"timestamp", TypeId::kTimestamp},
    {"timestamptz", TypeId::kTimestampTz},
    {"timestamp_ns", TypeId::kTimestampNs},
    {"timestamptz_ns", TypeId::kTimestampTzNs},
    {"string", TypeId::kString},
    {"uuid", TypeId::kUuid},
    {"binary", TypeId::kBinary},
    {"unknown", TypeId::kUnknown},
}};

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

/// A type's text taken apart: "decimal ( 9, 2 )" → name "decimal", arguments "9, 2".
struct ParameterizedName {
  std::string name;
  std::string_view arguments;
  char open = 0;  ///< '(' or '[', 0 without arguments
};

std::optional<ParameterizedName> SplitArguments(std::string_view text) {
  size_t open = text.find_first_of("([");
  if (open == std::string_view::npos) return ParameterizedName{LowerAscii(text), {}, 0};
  char close = text[open] == '(' ? ')' : ']';
  if (text.back() != close) return std::nullopt;
  return ParameterizedName{LowerAscii(Trim(text.substr(0, open))), Trim(text.substr(open + 1, text.size() - open - 2)),
                           text[open]};
}

std::optional<int> ParseSmallInt(std::string_view text) {
  text = Trim(text);
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Type> ParseDecimal(std::string_view arguments) {
  size_t comma = arguments.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  auto precision = ParseSmallInt(arguments.substr(0, comma));
  auto scale = ParseSmallInt(arguments.substr(comma + 1));
  if (!precision || !scale) return std::nullopt;
  return Type::Decimal(*precision, *scale);
}

std::optional<Type> ParseFixed(std::string_view arguments) {
  auto length = ParseSmallInt(arguments);
  if (!length) return std::nullopt;
  return Type::Fixed(*length);
}

std::optional<Type> ParseParameterized(std::string_view text) {
  auto parts = SplitArguments(text);
  if (!parts) return std::nullopt;
  if (parts->open == 0) {
    for (const NamedType& named : kNamedTypes) {
      if (named.name == parts->name) return Type(named.id);
    }
    if (parts->name == "variant") return Type(TypeId::kVariant);
  }
  if (parts->name == "decimal" && parts->open == '(') return ParseDecimal(parts->arguments);
  if (parts->name == "fixed" && parts->open == '[') return ParseFixed(parts->arguments);
  if (parts->open != '[') {
    if (parts->name == "geometry") return Type::Geo(TypeId::kGeometry, std::string(parts->arguments));
    if (parts->name == "geography") return Type::Geo(TypeId::kGeography, std::string(parts->arguments));
  }
  return std::nullopt;
}

std::string FieldToString(const NestedField& field) {
  std::string text = fmt::format("{}: {}: {} {}", field.id, field.name, field.required ? "required" : "optional",
                                 field.type.ToString());
  if (!field.doc.empty()) text += fmt::format(" ({})", field.doc);
  return text;
}

std::string GeoToString(std::string_view name, const std::string& parameters) {
  return parameters.empty() ? std::string(name) : fmt::format("{}({})", name, parameters);
}

std::string CheckedCrs(std::string_view crs, std::string_view type_name) {
  crs = Trim(crs);
  if (crs.empty()) throw InvalidArgument("{}: the CRS is empty", type_name);
  if (crs.front() == '{') {
    throw InvalidArgument("{}: an inline PROJJSON is not a CRS; name a table property as \"projjson:<property>\"",
                          type_name);
  }
  return std::string(crs);
}

/// "CRS, algorithm" with the algorithm lower case; throws for an algorithm that the spec doesn't know.
std::string GeographyParameters(std::string_view crs, std::string_view algorithm) {
  std::string lower = LowerAscii(Trim(algorithm));
  for (std::string_view known : {"spherical", "vincenty", "thomas", "andoyer", "karney"}) {
    if (lower == known) return fmt::format("{}, {}", CheckedCrs(crs, "geography"), lower);
  }
  throw InvalidArgument("geography: no edge algorithm '{}'; there are spherical, vincenty, thomas, andoyer, karney",
                        algorithm);
}

}  // namespace

Type Type::Decimal(int precision, int scale) {
  if (precision < 1 || precision > 38) {
    throw InvalidArgument("decimal({},{}): the precision must be from 1 to 38", precision, scale);
  }
  if (scale < 0 || scale > precision) {
    throw InvalidArgument("decimal({},{}): the scale must be from 0 to the precision", precision, scale);
  }
  Type type(TypeId::kDecimal);
  type.precision_ = precision;
  type.scale_ = scale;
  return type;
}

Type Type::Fixed(int length) {
  if (length <= 0) throw InvalidArgument("fixed[{}]: the length must be positive", length);
  Type type(TypeId::kFixed);
  type.precision_ = length;
  return type;
}

Type Type::Geo(TypeId id, std::string parameters) {
  Type type(id);
  std::string_view name = id == TypeId::kGeometry ? "geometry" : "geography";
  std::string_view text = Trim(parameters);
  if (text.empty()) return type;
  size_t comma = text.find(',');
  if (comma != std::string_view::npos && id == TypeId::kGeography) {
    type.geo_parameters_ = GeographyParameters(text.substr(0, comma), text.substr(comma + 1));
    return type;
  }
  std::string crs = CheckedCrs(text, name);
  // The default CRS is not spelt out, so that "geometry" and "geometry(OGC:CRS84)" are one type.
  if (!EqualsIgnoreCase(crs, kDefaultCrs)) type.geo_parameters_ = std::move(crs);
  return type;
}

Type Type::Struct(std::vector<NestedField> fields) {
  Type type(TypeId::kStruct);
  type.fields_ = std::move(fields);
  return type;
}

Type Type::List(NestedField element) {
  Type type(TypeId::kList);
  type.fields_.push_back(std::move(element));
  return type;
}

Type Type::Map(NestedField key, NestedField value) {
  Type type(TypeId::kMap);
  type.fields_.reserve(2);
  type.fields_.push_back(std::move(key));
  type.fields_.push_back(std::move(value));
  return type;
}

const NestedField& Type::element() const { return fields_.at(0); }
const NestedField& Type::key() const { return fields_.at(0); }
const NestedField& Type::value() const { return fields_.at(1); }

std::string Type::ToString() const {
  switch (id_) {
    case TypeId::kDecimal: return fmt::format("decimal({},{})", precision_, scale_);
    case TypeId::kFixed: return fmt::format("fixed[{}]", length());
    case TypeId::kVariant: return "variant";
    case TypeId::kGeometry: return GeoToString("geometry", geo_parameters_);
    case TypeId::kGeography: return GeoToString("geography", geo_parameters_);
    case TypeId::kList: return fmt::format("list<{}>", element().type.ToString());
    case TypeId::kMap: return fmt::format("map<{}, {}>", key().type.ToString(), value().type.ToString());
    case TypeId::kStruct: {
      std::string text;
      for (const NestedField& field : fields_) text += (text.empty() ? "" : ", ") + FieldToString(field);
      return fmt::format("struct<{}>", text);
    }
    default: break;
  }
  for (const NamedType& named : kNamedTypes) {
    if (named.id == id_) return std::string(named.name);
  }
  throw Internal("type id {} has no name", static_cast<int>(id_));
}

bool Type::operator==(const Type& other) const {
  return id_ == other.id_ && precision_ == other.precision_ && scale_ == other.scale_ &&
         geo_parameters_ == other.geo_parameters_ && fields_ == other.fields_;
}

Type ParsePrimitiveType(std::string_view text) {
  std::string_view trimmed = Trim(text);
  std::optional<Type> type;
  if (!trimmed.empty()) {
    try {
      type = ParseParameterized(trimmed);
    } catch (const Error& e) {
      throw Corrupt("type '{}': {}", text, e.what());
    }
  }
  if (!type) throw Corrupt("'{}' is not a type of Iceberg", text);
  return *std::move(type);
}

}  // namespace frazil::iceberg
