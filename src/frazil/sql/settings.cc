// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/settings.h"

#include <cstdlib>
#include <filesystem>

#include "frazil/base/clock.h"
#include "frazil/base/error.h"
#include "frazil/base/suggest.h"
#include "frazil/sql/time_zone.h"
#include "frazil/stream/job_options.h"

namespace frazil::sql {

namespace {

constexpr char kRuntimeMode[] = "execution.runtime-mode";
constexpr char kTimeZone[] = "table.local-time-zone";
constexpr char kNotNullEnforcer[] = "table.exec.sink.not-null-enforcer";
constexpr char kTableParallelism[] = "table.exec.resource.default-parallelism";
constexpr char kParallelism[] = "parallelism.default";

/// Of ASCII, as GetChoice compares.
bool SameIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

using Validator = void (*)(std::string_view key, const std::string& value);

void CheckBool(std::string_view key, const std::string& value) { ParseBool(key, value); }

void CheckPositive(std::string_view key, const std::string& value) {
  if (ParseInt64(key, value) < 1) throw InvalidArgument("'{}' must be positive, not {}", key, value);
}

void CheckChoice(std::string_view key, const std::string& value, const std::vector<std::string>& choices) {
  const OptionMap one{{std::string(key), value}};
  OptionReader(one, "SET").GetChoice(key, choices);
}

void CheckZone(std::string_view, const std::string& value) {
  if (value != "default") ArrowZone(value);
}

void CheckTrue(std::string_view key, const std::string& value) {
  if (!ParseBool(key, value)) throw Unsupported("'{}' = 'false' is not supported: there is only the newer way", key);
}

void CheckRuntimeMode(std::string_view key, const std::string& value) {
  CheckChoice(key, value, {"streaming", "batch", "automatic"});
}

void CheckEnforcer(std::string_view key, const std::string& value) { CheckChoice(key, value, {"ERROR", "DROP"}); }

void CheckResultMode(std::string_view key, const std::string& value) {
  CheckChoice(key, value, {"table", "changelog", "tableau"});
  if (!SameIgnoringCase(value, "tableau"))
    throw Unsupported("'{}' = '{}' is not supported: only 'tableau' is", key, value);
}

void CheckDialect(std::string_view key, const std::string& value) {
  CheckChoice(key, value, {"default", "hive"});
  if (value == "hive") throw Unsupported("'{}' = 'hive' is not supported", key);
}

void CheckParallelism(std::string_view key, const std::string& value) {
  if (ParseInt64(key, value) != -1) CheckPositive(key, value);
}

struct Key {
  std::string_view name;
  const char* default_value;  ///< null: none
  Validator check;
};

/// Keys besides the job's and the write options.
constexpr Key kOwnKeys[] = {
    {kRuntimeMode, "streaming", CheckRuntimeMode},
    {"sql-client.display.max-column-width", "30", CheckPositive},
    {"sql-client.execution.result-mode", "tableau", CheckResultMode},
    {"table.dml-sync", "false", CheckBool},
    {"table.exec.iceberg.use-flip27-source", "true", CheckTrue},
    {"table.exec.iceberg.use-v2-sink", "true", CheckTrue},
    {kTableParallelism, "-1", CheckParallelism},
    {kNotNullEnforcer, "ERROR", CheckEnforcer},
    {kTimeZone, "default", CheckZone},
    {"table.sql-dialect", "default", CheckDialect},
};

/// Flink: FlinkWriteConf, those with a flinkConfig(…). Checked with the table, whose properties they stand before.
constexpr std::string_view kWriteKeys[] = {"write-format",      "target-file-size-bytes", "compression-codec",
                                           "compression-level", "compression-strategy",   "upsert-enabled",
                                           "overwrite-enabled", "distribution-mode"};

const Key* FindOwn(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kOwnKeys), std::end(kOwnKeys), [&](const Key& k) { return k.name == name; });
  return found == std::end(kOwnKeys) ? nullptr : found;
}

void RequireKnown(const std::string& key) {
  const std::vector<std::string>& keys = Settings::Keys();
  if (std::binary_search(keys.begin(), keys.end(), key)) return;
  throw InvalidArgument("unknown configuration key '{}'{}", key, DidYouMean(key, keys));
}

void CheckValue(const std::string& key, const std::string& value) {
  if (const Key* own = FindOwn(key)) {
    own->check(key, value);
    return;
  }
  if (std::find(std::begin(kWriteKeys), std::end(kWriteKeys), key) != std::end(kWriteKeys)) return;
  // The keys of restart strategies bound each other, so they are checked together when a job starts.
  if (key.starts_with("restart-strategy.") && key != "restart-strategy.type") return;
  stream::JobOptions::FromOptions({{key, value}});
}

}  // namespace

const std::vector<std::string>& Settings::Keys() {
  static const std::vector<std::string> kKeys = [] {
    std::vector<std::string> keys(std::begin(kWriteKeys), std::end(kWriteKeys));
    for (const Key& key : kOwnKeys) keys.emplace_back(key.name);
    for (std::string_view key : stream::JobOptions::Keys()) keys.emplace_back(key);
    std::sort(keys.begin(), keys.end());
    return keys;
  }();
  return kKeys;
}

Settings::Settings(OptionMap configuration) : configuration_(std::move(configuration)) {
  for (const auto& [key, value] : configuration_) {
    RequireKnown(key);
    CheckValue(key, value);
  }
  values_ = configuration_;
}

void Settings::Set(const std::string& key, const std::string& value) {
  RequireKnown(key);
  CheckValue(key, value);
  values_[key] = value;
}

void Settings::Reset(const std::string& key) {
  RequireKnown(key);
  values_.erase(key);
  if (auto configured = configuration_.find(key); configured != configuration_.end()) values_.insert(*configured);
}

void Settings::ResetAll() { values_ = configuration_; }

std::optional<std::string> Settings::Get(std::string_view key) const {
  if (auto set = values_.find(key); set != values_.end()) return set->second;
  const Key* own = FindOwn(key);
  if (own == nullptr || own->default_value == nullptr) return std::nullopt;
  return own->default_value;
}

std::string Settings::TimeZone() const {
  const std::string zone = *Get(kTimeZone);
  return zone == "default" ? SystemTimeZone() : zone;
}

EvalContext Settings::MakeEvalContext() const { return {TimeZone(), NowMicros()}; }

int Settings::Parallelism() const {
  const int64_t of_tables = ParseInt64(kTableParallelism, *Get(kTableParallelism));
  if (of_tables > 0) return static_cast<int>(of_tables);
  return static_cast<int>(ParseInt64(kParallelism, Get(kParallelism).value_or("1")));
}

bool Settings::DropsNulls() const { return SameIgnoringCase(*Get(kNotNullEnforcer), "DROP"); }

bool Settings::IsBatch() const { return SameIgnoringCase(*Get(kRuntimeMode), "batch"); }

OptionMap Settings::WriteOptions() const {
  OptionMap options;
  for (std::string_view key : kWriteKeys) {
    if (auto set = values_.find(key); set != values_.end()) options.insert(*set);
  }
  return options;
}

std::string SystemTimeZone() {
  if (const char* zone = std::getenv("TZ"); zone != nullptr && *zone != '\0' && *zone != '/') {
    return *zone == ':' ? zone + 1 : zone;
  }
  std::error_code none;
  const std::string target = std::filesystem::read_symlink("/etc/localtime", none).string();
  static constexpr std::string_view kFolder = "zoneinfo/";
  const size_t at = target.find(kFolder);
  if (at == std::string::npos) return "UTC";
  const std::string zone = target.substr(at + kFolder.size());
  return zone == "Etc/UTC" ? "UTC" : zone;
}

}  // namespace frazil::sql
