// SPDX-License-Identifier: Apache-2.0
// The session's configuration: which keys SET may name, their defaults, and what they mean to SQL.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/options.h"
#include "frazil/sql/bound_expression.h"

namespace frazil::sql {

class Settings {
 public:
  /// `configuration` are values beneath those of SET. Throws InvalidArgument as Set.
  explicit Settings(OptionMap configuration);

  /// Throws InvalidArgument for an unknown key (with the nearest known one) or a bad value, Unsupported for a legal
  /// value that Frazil lacks.
  void Set(const std::string& key, const std::string& value);
  /// Back to the configuration's value, or the default. Throws InvalidArgument for an unknown key.
  void Reset(const std::string& key);
  void ResetAll();

  /// The value in effect: of SET, of the configuration, or the default.
  std::optional<std::string> Get(std::string_view key) const;
  bool IsSet(std::string_view key) const { return values_.contains(key); }
  /// What was set, configuration included; no defaults.
  const OptionMap& values() const { return values_; }

  /// Every key that Set takes, sorted.
  static const std::vector<std::string>& Keys();

  /// `table.local-time-zone`, where it is "default" the system's zone.
  std::string TimeZone() const;
  /// With the time of now.
  EvalContext MakeEvalContext() const;
  /// `table.exec.resource.default-parallelism`, else `parallelism.default`.
  int Parallelism() const;
  /// `table.exec.sink.not-null-enforcer` = DROP.
  bool DropsNulls() const;
  /// `execution.runtime-mode` = batch: sources must end.
  bool IsBatch() const;
  /// Write options of Iceberg tables that Flink also reads from its configuration, under the same keys.
  OptionMap WriteOptions() const;

 private:
  OptionMap configuration_;
  OptionMap values_;
};

/// An IANA name: TZ, else where /etc/localtime leads, else "UTC".
std::string SystemTimeZone();

}  // namespace frazil::sql
