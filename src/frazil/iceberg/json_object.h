// SPDX-License-Identifier: Apache-2.0
// Reading JSON documents of other writers: every access says where it stands when something is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "frazil/base/error.h"

namespace frazil::iceberg {

/// A view of one JSON object and its path in the document ("schemas[0].fields[2]"). Accessors throw Corrupt with the
/// path for a member of another kind; those without "Find" also for one that is missing. A null member counts as
/// missing.
class JsonObject {
 public:
  /// Throws Corrupt unless `json` is an object, which must outlive this view.
  JsonObject(const nlohmann::json& json, std::string path);

  const std::string& path() const { return path_; }
  const nlohmann::json& json() const { return json_; }

  bool Has(std::string_view key) const { return FindMember(key) != nullptr; }
  const nlohmann::json* FindMember(std::string_view key) const;
  const nlohmann::json& Member(std::string_view key) const;

  std::optional<int32_t> FindInt32(std::string_view key) const;
  std::optional<int64_t> FindInt64(std::string_view key) const;
  std::optional<bool> FindBool(std::string_view key) const;
  std::optional<std::string> FindString(std::string_view key) const;
  const nlohmann::json* FindArray(std::string_view key) const;
  std::vector<int32_t> FindInt32Array(std::string_view key) const;  ///< empty where it is missing

  int32_t Int32(std::string_view key) const;
  int64_t Int64(std::string_view key) const;
  bool Bool(std::string_view key) const;
  std::string String(std::string_view key) const;
  const nlohmann::json& Array(std::string_view key) const;
  JsonObject Object(std::string_view key) const { return {Member(key), PathOf(key)}; }

  /// "<path>.<key>" and "<path>.<key>[<index>]".
  std::string PathOf(std::string_view key) const;
  std::string PathOf(std::string_view key, size_t index) const;

  /// Corrupt, its message opening with the path of `key`.
  template <typename... Args>
  [[nodiscard]] Error Wrong(std::string_view key, fmt::format_string<Args...> format, Args&&... args) const {
    return Corrupt("{}: {}", PathOf(key), fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  const nlohmann::json& json_;
  std::string path_;
};

/// An integer of at most 64 bits; floats, even whole ones, are none.
std::optional<int64_t> AsInt64(const nlohmann::json& json);

/// The value as compact text for an error message, its end cut off where it is long.
std::string Excerpt(const nlohmann::json& json);

/// Parses a whole document. Throws Corrupt for what isn't JSON or nests deeper than `kMaxJsonDepth` levels.
nlohmann::json ParseJson(std::string_view text);
inline constexpr int kMaxJsonDepth = 512;

/// Compact text. Throws InvalidArgument where a string isn't UTF-8.
std::string DumpJson(const nlohmann::ordered_json& json);

}  // namespace frazil::iceberg
