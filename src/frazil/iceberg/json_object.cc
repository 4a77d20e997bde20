// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/json_object.h"

#include <limits>

namespace frazil::iceberg {
namespace {

/// How deep brackets nest, looked at before anything is built: the document tree is copied by recursion.
void CheckDepth(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxJsonDepth) throw Corrupt("JSON nests deeper than {} levels at byte {}", kMaxJsonDepth, i);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

}  // namespace

JsonObject::JsonObject(const nlohmann::json& json, std::string path) : json_(json), path_(std::move(path)) {
  if (!json.is_object()) {
    throw Corrupt("{}{}expected an object, found {}", path_, path_.empty() ? "" : ": ", json.type_name());
  }
}

const nlohmann::json* JsonObject::FindMember(std::string_view key) const {
  auto it = json_.find(key);
  return it == json_.end() || it->is_null() ? nullptr : &*it;
}

const nlohmann::json& JsonObject::Member(std::string_view key) const {
  if (const nlohmann::json* member = FindMember(key)) return *member;
  throw Wrong(key, "missing");
}

std::optional<int64_t> AsInt64(const nlohmann::json& json) {
  if (json.is_number_unsigned()) {
    auto value = json.get<uint64_t>();
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    return static_cast<int64_t>(value);
  }
  if (json.is_number_integer()) return json.get<int64_t>();
  return std::nullopt;
}

std::optional<int64_t> JsonObject::FindInt64(std::string_view key) const {
  const nlohmann::json* member = FindMember(key);
  if (member == nullptr) return std::nullopt;
  if (auto value = AsInt64(*member)) return value;
  throw Wrong(key, "expected a 64-bit integer, found {}", Excerpt(*member));
}

std::optional<int32_t> JsonObject::FindInt32(std::string_view key) const {
  auto value = FindInt64(key);
  if (!value) return std::nullopt;
  if (*value < std::numeric_limits<int32_t>::min() || *value > std::numeric_limits<int32_t>::max()) {
    throw Wrong(key, "{} does not fit 32 bits", *value);
  }
  return static_cast<int32_t>(*value);
}

std::optional<bool> JsonObject::FindBool(std::string_view key) const {
  const nlohmann::json* member = FindMember(key);
  if (member == nullptr) return std::nullopt;
  if (!member->is_boolean()) throw Wrong(key, "expected true or false, found {}", member->type_name());
  return member->get<bool>();
}

std::optional<std::string> JsonObject::FindString(std::string_view key) const {
  const nlohmann::json* member = FindMember(key);
  if (member == nullptr) return std::nullopt;
  if (!member->is_string()) throw Wrong(key, "expected a string, found {}", member->type_name());
  return member->get_ref<const std::string&>();
}

const nlohmann::json* JsonObject::FindArray(std::string_view key) const {
  const nlohmann::json* member = FindMember(key);
  if (member != nullptr && !member->is_array()) throw Wrong(key, "expected an array, found {}", member->type_name());
  return member;
}

std::vector<int32_t> JsonObject::FindInt32Array(std::string_view key) const {
  std::vector<int32_t> values;
  const nlohmann::json* array = FindArray(key);
  if (array == nullptr) return values;
  for (const nlohmann::json& element : *array) {
    auto value = AsInt64(element);
    if (!value || *value != static_cast<int32_t>(*value)) {
      throw Wrong(key, "{} is not a 32-bit integer", Excerpt(element));
    }
    values.push_back(static_cast<int32_t>(*value));
  }
  return values;
}

int32_t JsonObject::Int32(std::string_view key) const {
  if (auto value = FindInt32(key)) return *value;
  throw Wrong(key, "missing");
}

int64_t JsonObject::Int64(std::string_view key) const {
  if (auto value = FindInt64(key)) return *value;
  throw Wrong(key, "missing");
}

bool JsonObject::Bool(std::string_view key) const {
  if (auto value = FindBool(key)) return *value;
  throw Wrong(key, "missing");
}

std::string JsonObject::String(std::string_view key) const {
  if (auto value = FindString(key)) return *std::move(value);
  throw Wrong(key, "missing");
}

const nlohmann::json& JsonObject::Array(std::string_view key) const {
  if (const nlohmann::json* array = FindArray(key)) return *array;
  throw Wrong(key, "missing");
}

std::string JsonObject::PathOf(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

std::string JsonObject::PathOf(std::string_view key, size_t index) const {
  return fmt::format("{}[{}]", PathOf(key), index);
}

std::string Excerpt(const nlohmann::json& json) {
  constexpr size_t kMaxSize = 100;
  std::string text = json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (text.size() > kMaxSize) text.replace(kMaxSize, std::string::npos, "…");
  return text;
}

nlohmann::json ParseJson(std::string_view text) {
  CheckDepth(text);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& e) {
    throw Corrupt("not JSON: {}", e.what());
  }
}

std::string DumpJson(const nlohmann::ordered_json& json) {
  try {
    return json.dump();
  } catch (const nlohmann::json::exception& e) {
    throw InvalidArgument("can't be written as JSON: {}", e.what());
  }
}

}  // namespace frazil::iceberg
