// SPDX-License-Identifier: Apache-2.0
// String options with types: table properties, WITH clauses, session configuration. An option is honoured or refused:
// an OptionReader knows every key that was asked for and refuses the rest by name.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace frazil {

using OptionMap = std::map<std::string, std::string, std::less<>>;

/// Text to value; each throws InvalidArgument that names `key`, the text and what was expected.
bool ParseBool(std::string_view key, std::string_view text);
int64_t ParseInt64(std::string_view key, std::string_view text);
double ParseDouble(std::string_view key, std::string_view text);
/// Flink's memory sizes: "128 mb", "1g", "64kb", "1048576" (bytes); units are powers of 1024.
int64_t ParseMemorySize(std::string_view key, std::string_view text);
std::chrono::nanoseconds ParseDurationOption(std::string_view key, std::string_view text);

/// Reads one map of options and remembers which keys were asked for.
class OptionReader {
 public:
  /// `owner` is how errors name the map: "table 'orders' (connector 'filesystem')".
  OptionReader(const OptionMap& options, std::string owner) : options_(options), owner_(std::move(owner)) {}

  std::optional<std::string> GetString(std::string_view key);
  std::optional<bool> GetBool(std::string_view key);
  std::optional<int64_t> GetInt64(std::string_view key);
  std::optional<double> GetDouble(std::string_view key);
  std::optional<int64_t> GetMemorySize(std::string_view key);
  std::optional<std::chrono::nanoseconds> GetDuration(std::string_view key);
  /// One of `allowed`, compared without case and returned as spelt in `allowed`; else InvalidArgument listing them.
  std::optional<std::string> GetChoice(std::string_view key, const std::vector<std::string>& allowed);

  /// Like GetString, but throws InvalidArgument if the key is missing.
  std::string Require(std::string_view key);

  /// All options whose key starts with `prefix`, the prefix cut off.
  OptionMap GetPrefixed(std::string_view prefix);

  /// Throws InvalidArgument naming every key that no Get asked for, with the nearest known one.
  void RefuseUnread() const;

 private:
  const std::string* Find(std::string_view key);
  template <typename Parse>
  auto GetParsed(std::string_view key, Parse parse) -> std::optional<decltype(parse(key, key))>;

  const OptionMap& options_;
  std::string owner_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace frazil
