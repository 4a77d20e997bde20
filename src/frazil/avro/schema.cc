// SPDX-License-Identifier: Apache-2.0
#include "frazil/avro/schema.h"

#include <array>
#include <limits>
#include <set>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "frazil/base/error.h"

namespace frazil::avro {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 14> kTypeNames = {"null",   "boolean", "int",    "long",   "float",
                                                         "double", "bytes",   "string", "record", "enum",
                                                         "array",  "map",     "fixed",  "union"};

struct LogicalName {
  LogicalKind kind;
  std::string_view name;
};
constexpr LogicalName kLogicalNames[] = {
    {LogicalKind::kDecimal, "decimal"},
    {LogicalKind::kDate, "date"},
    {LogicalKind::kTimeMillis, "time-millis"},
    {LogicalKind::kTimeMicros, "time-micros"},
    {LogicalKind::kTimestampMillis, "timestamp-millis"},
    {LogicalKind::kTimestampMicros, "timestamp-micros"},
    {LogicalKind::kTimestampNanos, "timestamp-nanos"},
    {LogicalKind::kLocalTimestampMillis, "local-timestamp-millis"},
    {LogicalKind::kLocalTimestampMicros, "local-timestamp-micros"},
    {LogicalKind::kLocalTimestampNanos, "local-timestamp-nanos"},
    {LogicalKind::kUuid, "uuid"},
    {LogicalKind::kMap, "map"},
};

constexpr bool IsPrimitive(Type type) { return type <= Type::kString; }
constexpr bool IsNamed(Type type) { return type == Type::kRecord || type == Type::kEnum || type == Type::kFixed; }

std::string_view NamespaceOf(std::string_view full_name) {
  const size_t dot = full_name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : full_name.substr(0, dot);
}

std::string_view ShortName(std::string_view full_name) {
  const size_t dot = full_name.rfind('.');
  return dot == std::string_view::npos ? full_name : full_name.substr(dot + 1);
}

size_t SaturatingAdd(size_t a, size_t b) {
  return a > std::numeric_limits<size_t>::max() - b ? std::numeric_limits<size_t>::max() : a + b;
}

/// Whether a logical type may stand on a schema; where it may not, it is ignored.
bool Fits(const Logical& logical, const Schema& schema) {
  switch (logical.kind) {
    case LogicalKind::kNone: return true;
    case LogicalKind::kDecimal:
      return (schema.type() == Type::kFixed || schema.type() == Type::kBytes) && logical.precision > 0 &&
             logical.scale >= 0 && logical.scale <= logical.precision;
    case LogicalKind::kDate:
    case LogicalKind::kTimeMillis: return schema.type() == Type::kInt;
    case LogicalKind::kTimeMicros:
    case LogicalKind::kTimestampMillis:
    case LogicalKind::kTimestampMicros:
    case LogicalKind::kTimestampNanos:
    case LogicalKind::kLocalTimestampMillis:
    case LogicalKind::kLocalTimestampMicros:
    case LogicalKind::kLocalTimestampNanos: return schema.type() == Type::kLong;
    case LogicalKind::kUuid:
      return schema.type() == Type::kString || (schema.type() == Type::kFixed && schema.fixed_size() == 16);
    case LogicalKind::kMap:
      return schema.type() == Type::kArray && schema.element().type() == Type::kRecord &&
             schema.element().fields().size() == 2;
  }
  return false;
}

/// How many types a schema holds, itself included, and how deep it is nested.
struct Extent {
  int types = 0;
  int depth = 0;
};

}  // namespace

/// Parses one schema; holds the named types seen so far.
class SchemaParser {
 public:
  Schema ParseType(const Json& json, std::string_view enclosing_namespace) {
    const Nesting nesting(*this);
    if (json.is_string()) return ParseTypeName(json.get_ref<const std::string&>(), enclosing_namespace);
    if (json.is_array()) return ParseUnion(json, enclosing_namespace);
    if (!json.is_object()) throw Wrong("a type is a name, an object or an array of branches");
    const auto type = json.find("type");
    if (type == json.end()) throw Wrong("an object without \"type\"");
    // {"type": {"type": "long"}}: some writers wrap a type once more.
    if (!type->is_string()) return ParseType(*type, enclosing_namespace);
    Schema schema = ParseObject(type->get_ref<const std::string&>(), json, enclosing_namespace);
    schema.logical_ = ParseLogical(json);
    if (!Fits(schema.logical_, schema)) schema.logical_ = {};
    if (IsNamed(schema.type_)) named_[schema.name_] = schema;
    return schema;
  }

 private:
  class Nesting {
   public:
    explicit Nesting(SchemaParser& parser) : parser_(parser) {
      if (++parser_.depth_ > Schema::kMaxDepth) throw parser_.Wrong("types are nested too deeply");
      parser_.CountTypes(1);
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    SchemaParser& parser_;
  };

  Error Wrong(std::string_view what) const {
    return Corrupt("Avro schema{}{}: {}", path_.empty() ? "" : " at ", fmt::join(path_, "."), what);
  }

  void CountTypes(int types) {
    types_ += types;
    if (types_ > Schema::kMaxTypes) throw Wrong(fmt::format("more than {} types", Schema::kMaxTypes));
  }

  static Extent Measure(const Schema& schema) {
    Extent extent{1, 0};
    const auto add = [&](const Schema& child) {
      const Extent inner = Measure(child);
      extent.types += inner.types;
      extent.depth = std::max(extent.depth, inner.depth);
    };
    for (const Schema& child : schema.children_) add(child);
    for (const Field& field : schema.fields_) add(field.type);
    ++extent.depth;
    return extent;
  }

  Schema ParseTypeName(const std::string& name, std::string_view enclosing_namespace) {
    for (size_t i = 0; i < kTypeNames.size(); ++i) {
      if (kTypeNames[i] != name) continue;
      if (!IsPrimitive(static_cast<Type>(i))) throw Wrong(fmt::format("\"{}\" needs an object with its parts", name));
      return Schema::Primitive(static_cast<Type>(i));
    }
    return Resolve(name, enclosing_namespace);
  }

  Schema Resolve(const std::string& name, std::string_view enclosing_namespace) {
    auto found = named_.end();
    if (name.find('.') == std::string::npos && !enclosing_namespace.empty()) {
      found = named_.find(fmt::format("{}.{}", enclosing_namespace, name));
    }
    if (found == named_.end()) found = named_.find(name);
    if (found == named_.end()) throw Wrong(fmt::format("type \"{}\" is not defined", name));
    if (!found->second) {
      throw Unsupported("Avro schema at {}: type \"{}\" contains itself; recursive types can't be read",
                        fmt::join(path_, "."), found->first);
    }
    const Extent extent = Measure(*found->second);
    CountTypes(extent.types);
    if (depth_ - 1 + extent.depth > Schema::kMaxDepth) throw Wrong("types are nested too deeply");
    return *found->second;
  }

  Schema ParseObject(const std::string& type, const Json& json, std::string_view enclosing_namespace) {
    if (type == "record" || type == "error") return ParseRecord(json, enclosing_namespace);
    if (type == "enum") return ParseEnum(json, enclosing_namespace);
    if (type == "fixed") return ParseFixed(json, enclosing_namespace);
    if (type == "array") return ParseArray(json, enclosing_namespace);
    if (type == "map") return ParseMap(json, enclosing_namespace);
    return ParseTypeName(type, enclosing_namespace);
  }

  Schema ParseUnion(const Json& json, std::string_view enclosing_namespace) {
    std::vector<Schema> branches;
    branches.reserve(json.size());
    for (const Json& branch : json) {
      branches.push_back(ParseType(branch, enclosing_namespace));
      if (branches.back().type() == Type::kUnion) throw Wrong("a union directly in a union");
    }
    if (branches.empty()) throw Wrong("a union without branches");
    return Schema::Union(std::move(branches));
  }

  Schema ParseRecord(const Json& json, std::string_view enclosing_namespace) {
    Schema schema = BeginNamed(Type::kRecord, json, enclosing_namespace);
    schema.doc_ = StringOr(json, "doc", "");
    const Json& fields = Part(json, "fields");
    if (!fields.is_array()) throw Wrong("\"fields\" of a record is not an array");
    schema.fields_.reserve(fields.size());
    std::set<std::string_view> names;
    for (const Json& field : fields) {
      schema.fields_.push_back(ParseField(field, NamespaceOf(schema.name_)));
      if (!names.insert(schema.fields_.back().name).second) {
        throw Wrong(fmt::format("two fields are called \"{}\"", schema.fields_.back().name));
      }
    }
    schema.Seal();
    return schema;
  }

  Field ParseField(const Json& json, std::string_view enclosing_namespace) {
    if (!json.is_object()) throw Wrong("a field is not an object");
    Field field;
    field.name = Part(json, "name").is_string() ? json["name"].get<std::string>() : throw Wrong("a field without name");
    path_.push_back(field.name);
    field.type = ParseType(Part(json, "type"), enclosing_namespace);
    field.field_id = Id(json, "field-id");
    field.doc = StringOr(json, "doc", "");
    field.iceberg_name = StringOr(json, "iceberg-field-name", "");
    if (const auto value = json.find("default"); value != json.end()) {
      field.default_json = value->dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    path_.pop_back();
    return field;
  }

  Schema ParseEnum(const Json& json, std::string_view enclosing_namespace) {
    Schema schema = BeginNamed(Type::kEnum, json, enclosing_namespace);
    schema.doc_ = StringOr(json, "doc", "");
    const Json& symbols = Part(json, "symbols");
    if (!symbols.is_array()) throw Wrong("\"symbols\" of an enum is not an array");
    for (const Json& symbol : symbols) {
      if (!symbol.is_string()) throw Wrong("a symbol of an enum is not a string");
      schema.symbols_.push_back(symbol.get<std::string>());
    }
    schema.Seal();
    return schema;
  }

  Schema ParseFixed(const Json& json, std::string_view enclosing_namespace) {
    Schema schema = BeginNamed(Type::kFixed, json, enclosing_namespace);
    const Json& size = Part(json, "size");
    if (!size.is_number_unsigned()) throw Wrong("\"size\" of a fixed is not a whole number");
    schema.fixed_size_ = size.get<size_t>();
    schema.Seal();
    return schema;
  }

  Schema ParseArray(const Json& json, std::string_view enclosing_namespace) {
    path_.emplace_back("element");
    Schema schema = Schema::Array(ParseType(Part(json, "items"), enclosing_namespace), Id(json, "element-id"));
    path_.pop_back();
    return schema;
  }

  Schema ParseMap(const Json& json, std::string_view enclosing_namespace) {
    path_.emplace_back("value");
    Schema schema =
        Schema::Map(ParseType(Part(json, "values"), enclosing_namespace), Id(json, "key-id"), Id(json, "value-id"));
    path_.pop_back();
    return schema;
  }

  Schema BeginNamed(Type type, const Json& json, std::string_view enclosing_namespace) {
    const std::string name = StringOr(json, "name", "");
    if (name.empty()) throw Wrong(fmt::format("a {} without name", ToString(type)));
    Schema schema;
    schema.type_ = type;
    const std::string space = StringOr(json, "namespace", enclosing_namespace);
    schema.name_ = name.find('.') != std::string::npos || space.empty() ? name : fmt::format("{}.{}", space, name);
    if (path_.empty()) path_.push_back(schema.name_);
    if (!named_.emplace(schema.name_, std::nullopt).second) {
      throw Wrong(fmt::format("type \"{}\" is defined twice", schema.name_));
    }
    return schema;
  }

  Logical ParseLogical(const Json& json) const {
    Logical logical;
    const std::string name = StringOr(json, "logicalType", "");
    for (const auto& known : kLogicalNames) {
      if (known.name == name) logical.kind = known.kind;
    }
    if (logical.kind == LogicalKind::kDecimal) {
      logical.precision = Id(json, "precision").value_or(0);
      logical.scale = Id(json, "scale").value_or(0);
    }
    if (const auto adjust = json.find("adjust-to-utc"); adjust != json.end() && adjust->is_boolean()) {
      logical.adjust_to_utc = adjust->get<bool>();
    }
    return logical;
  }

  const Json& Part(const Json& json, const char* key) const {
    const auto found = json.find(key);
    if (found == json.end()) throw Wrong(fmt::format("\"{}\" is missing", key));
    return *found;
  }

  static std::string StringOr(const Json& json, const char* key, std::string_view otherwise) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string(otherwise);
  }

  std::optional<int32_t> Id(const Json& json, const char* key) const {
    const auto found = json.find(key);
    if (found == json.end()) return std::nullopt;
    if (!found->is_number_integer()) throw Wrong(fmt::format("\"{}\" is not a whole number", key));
    const auto id = found->get<int64_t>();
    if (id < std::numeric_limits<int32_t>::min() || id > std::numeric_limits<int32_t>::max()) {
      throw Wrong(fmt::format("\"{}\" is out of range", key));
    }
    return static_cast<int32_t>(id);
  }

  /// By full name; nullopt while the type's own definition is being parsed.
  std::unordered_map<std::string, std::optional<Schema>> named_;
  std::vector<std::string> path_;
  int depth_ = 0;
  int types_ = 0;
};

namespace {

/// Prints one schema; remembers which named types are defined already.
class SchemaPrinter {
 public:
  Json Print(const Schema& schema, std::string_view enclosing_namespace) {
    switch (schema.type()) {
      case Type::kUnion: return PrintUnion(schema, enclosing_namespace);
      case Type::kRecord:
      case Type::kEnum:
      case Type::kFixed: return PrintNamed(schema, enclosing_namespace);
      case Type::kArray: return PrintArray(schema, enclosing_namespace);
      case Type::kMap: return PrintMap(schema, enclosing_namespace);
      default: break;
    }
    if (schema.logical().kind == LogicalKind::kNone) return ToString(schema.type());
    Json json = {{"type", ToString(schema.type())}};
    PrintLogical(schema.logical(), json);
    return json;
  }

 private:
  Json PrintUnion(const Schema& schema, std::string_view enclosing_namespace) {
    Json json = Json::array();
    for (const Schema& branch : schema.branches()) json.push_back(Print(branch, enclosing_namespace));
    return json;
  }

  Json PrintArray(const Schema& schema, std::string_view enclosing_namespace) {
    Json json = {{"type", "array"}, {"items", Print(schema.element(), enclosing_namespace)}};
    if (schema.element_id()) json["element-id"] = *schema.element_id();
    PrintLogical(schema.logical(), json);
    return json;
  }

  Json PrintMap(const Schema& schema, std::string_view enclosing_namespace) {
    Json json = {{"type", "map"}, {"values", Print(schema.map_value(), enclosing_namespace)}};
    if (schema.key_id()) json["key-id"] = *schema.key_id();
    if (schema.value_id()) json["value-id"] = *schema.value_id();
    return json;
  }

  Json PrintNamed(const Schema& schema, std::string_view enclosing_namespace) {
    const std::string_view space = NamespaceOf(schema.name());
    const auto [defined, is_new] = defined_.emplace(schema.name(), &schema);
    if (!is_new) {
      if (*defined->second != schema) {
        throw InvalidArgument("two different Avro types of one schema are called \"{}\"", schema.name());
      }
      return space == enclosing_namespace ? Json(ShortName(schema.name())) : Json(schema.name());
    }
    Json json = {{"type", ToString(schema.type())}, {"name", ShortName(schema.name())}};
    if (space != enclosing_namespace) json["namespace"] = space;
    if (!schema.doc().empty()) json["doc"] = schema.doc();
    if (schema.type() == Type::kFixed) json["size"] = schema.fixed_size();
    if (schema.type() == Type::kEnum) json["symbols"] = schema.symbols();
    if (schema.type() == Type::kRecord) {
      Json fields = Json::array();
      for (const Field& field : schema.fields()) fields.push_back(PrintField(field, space));
      json["fields"] = std::move(fields);
    }
    PrintLogical(schema.logical(), json);
    return json;
  }

  Json PrintField(const Field& field, std::string_view enclosing_namespace) {
    Json json = {{"name", field.name}, {"type", Print(field.type, enclosing_namespace)}};
    if (!field.doc.empty()) json["doc"] = field.doc;
    if (field.default_json) json["default"] = Json::parse(*field.default_json);
    if (field.field_id) json["field-id"] = *field.field_id;
    if (!field.iceberg_name.empty()) json["iceberg-field-name"] = field.iceberg_name;
    return json;
  }

  static void PrintLogical(const Logical& logical, Json& json) {
    for (const auto& known : kLogicalNames) {
      if (known.kind == logical.kind) json["logicalType"] = known.name;
    }
    if (logical.kind == LogicalKind::kDecimal) {
      json["precision"] = logical.precision;
      json["scale"] = logical.scale;
    }
    if (logical.adjust_to_utc) json["adjust-to-utc"] = *logical.adjust_to_utc;
  }

  std::unordered_map<std::string, const Schema*> defined_;
};

}  // namespace

std::string_view ToString(Type type) { return kTypeNames[static_cast<size_t>(type)]; }

Schema Schema::Parse(std::string_view json) {
  // A type takes at most four levels of JSON (field list, field, type, union); beyond that the text is refused before
  // anything walks it recursively.
  const auto limit_depth = [](int depth, Json::parse_event_t, Json&) {
    if (depth > 4 * kMaxDepth) throw Corrupt("Avro schema: the JSON is nested too deeply");
    return true;
  };
  try {
    return FromJson(Json::parse(json, limit_depth));
  } catch (const Json::exception& e) {
    throw Corrupt("Avro schema: {}", e.what());
  }
}

Schema Schema::FromJson(const Json& json) { return SchemaParser().ParseType(json, ""); }

Schema Schema::Primitive(Type type) {
  if (!IsPrimitive(type)) throw InvalidArgument("{} is not a primitive Avro type", avro::ToString(type));
  Schema schema;
  schema.type_ = type;
  schema.Seal();
  return schema;
}

Schema Schema::Record(std::string name, std::vector<Field> fields) {
  Schema schema;
  schema.type_ = Type::kRecord;
  schema.name_ = std::move(name);
  schema.fields_ = std::move(fields);
  schema.Seal();
  return schema;
}

Schema Schema::Array(Schema element, std::optional<int32_t> element_id) {
  Schema schema;
  schema.type_ = Type::kArray;
  schema.children_.push_back(std::move(element));
  schema.element_id_ = element_id;
  schema.Seal();
  return schema;
}

Schema Schema::Map(Schema value, std::optional<int32_t> key_id, std::optional<int32_t> value_id) {
  Schema schema;
  schema.type_ = Type::kMap;
  schema.children_.push_back(std::move(value));
  schema.key_id_ = key_id;
  schema.value_id_ = value_id;
  schema.Seal();
  return schema;
}

Schema Schema::KeyValueMap(Schema key, int32_t key_id, Schema value, int32_t value_id) {
  std::vector<Field> fields(2);
  fields[0].name = "key";
  fields[0].type = std::move(key);
  fields[0].field_id = key_id;
  fields[1].name = "value";
  fields[1].type = std::move(value);
  fields[1].field_id = value_id;
  Schema schema = Array(Record(fmt::format("k{}_v{}", key_id, value_id), std::move(fields)));
  schema.logical_.kind = LogicalKind::kMap;
  return schema;
}

Schema Schema::Fixed(std::string name, size_t size) {
  Schema schema;
  schema.type_ = Type::kFixed;
  schema.name_ = std::move(name);
  schema.fixed_size_ = size;
  schema.Seal();
  return schema;
}

Schema Schema::Enum(std::string name, std::vector<std::string> symbols) {
  Schema schema;
  schema.type_ = Type::kEnum;
  schema.name_ = std::move(name);
  schema.symbols_ = std::move(symbols);
  schema.Seal();
  return schema;
}

Schema Schema::Union(std::vector<Schema> branches) {
  Schema schema;
  schema.type_ = Type::kUnion;
  schema.children_ = std::move(branches);
  schema.Seal();
  return schema;
}

Schema Schema::Optional(Schema value) {
  std::vector<Schema> branches(2);
  branches[1] = std::move(value);
  return Union(std::move(branches));
}

Schema Schema::WithLogical(Logical logical) const {
  if (!Fits(logical, *this)) {
    throw InvalidArgument("an Avro {} can't have this logical type", avro::ToString(type_));
  }
  Schema schema = *this;
  schema.logical_ = logical;
  return schema;
}

void Schema::Seal() {
  switch (type_) {
    case Type::kNull: min_encoded_size_ = 0; break;
    case Type::kFloat: min_encoded_size_ = 4; break;
    case Type::kDouble: min_encoded_size_ = 8; break;
    case Type::kFixed: min_encoded_size_ = fixed_size_; break;
    case Type::kRecord:
      min_encoded_size_ = 0;
      for (const Field& field : fields_) {
        min_encoded_size_ = SaturatingAdd(min_encoded_size_, field.type.min_encoded_size_);
      }
      break;
    case Type::kUnion: {
      size_t least = std::numeric_limits<size_t>::max();
      for (const Schema& branch : children_) least = std::min(least, branch.min_encoded_size_);
      min_encoded_size_ = SaturatingAdd(least, 1);
      null_branch_ = -1;
      if (children_.size() == 2 && (children_[0].type_ == Type::kNull) != (children_[1].type_ == Type::kNull)) {
        null_branch_ = children_[0].type_ == Type::kNull ? 0 : 1;
      }
      break;
    }
    default: min_encoded_size_ = 1; break;
  }
}

nlohmann::ordered_json Schema::ToJson() const { return SchemaPrinter().Print(*this, ""); }

std::string Schema::ToString() const { return ToJson().dump(-1, ' ', false, Json::error_handler_t::replace); }

const std::vector<Schema>& Schema::branches() const {
  static const std::vector<Schema> kNone;
  return type_ == Type::kUnion ? children_ : kNone;
}

const Schema& Schema::element() const {
  if (type_ != Type::kArray) throw InvalidArgument("an Avro {} has no element", avro::ToString(type_));
  return children_.front();
}

const Schema& Schema::map_value() const {
  if (type_ != Type::kMap) throw InvalidArgument("an Avro {} has no map value", avro::ToString(type_));
  return children_.front();
}

const Field* Schema::FindField(int32_t field_id) const {
  for (const Field& field : fields_) {
    if (field.field_id == field_id) return &field;
  }
  return nullptr;
}

const Field* Schema::FindField(std::string_view name) const {
  for (const Field& field : fields_) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

bool Schema::operator==(const Schema&) const = default;

namespace {

constexpr bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// The code point that starts at `text[position]`, moving position over it; a byte that is not UTF-8 stands for itself.
uint32_t NextCodePoint(std::string_view text, size_t& position) {
  const auto lead = static_cast<uint8_t>(text[position++]);
  const int following = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  if (following == 0 || text.size() - position < static_cast<size_t>(following)) return lead;
  uint32_t code = lead & (0x3F >> following);
  for (int i = 0; i < following; ++i) code = code << 6 | (static_cast<uint8_t>(text[position + i]) & 0x3F);
  position += following;
  return code;
}

}  // namespace

std::string SanitizeName(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (size_t i = 0; i < name.size();) {
    const char c = name[i];
    if (IsLetter(c) || (IsDigit(c) && !out.empty())) {
      out.push_back(c);
      ++i;
    } else if (IsDigit(c)) {
      out.push_back('_');
      out.push_back(c);
      ++i;
    } else {
      fmt::format_to(std::back_inserter(out), "_x{:X}", NextCodePoint(name, i));
    }
  }
  return out;
}

}  // namespace frazil::avro
