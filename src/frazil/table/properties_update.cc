// SPDX-License-Identifier: Apache-2.0
#include "frazil/table/properties_update.h"

#include "frazil/base/error.h"
#include "frazil/iceberg/table_properties.h"
#include "frazil/table/commit_loop.h"

namespace frazil::table {

namespace property = iceberg::property;

namespace {

struct Change {
  OptionMap updated;
  std::vector<std::string> removed;
  std::optional<int> format_version;

  bool IsIn(const iceberg::TableMetadata& metadata) const {
    for (const auto& [key, value] : updated) {
      auto it = metadata.properties.find(key);
      if (it == metadata.properties.end() || it->second != value) return false;
    }
    for (const std::string& key : removed) {
      if (metadata.properties.contains(key)) return false;
    }
    return !format_version || metadata.format_version == *format_version;
  }
};

Change MakeChange(const OptionMap& updated, const std::vector<std::string>& removed) {
  Change change{updated, removed, {}};
  if (auto it = change.updated.find(property::kFormatVersion); it != change.updated.end()) {
    change.format_version = static_cast<int>(ParseInt64(it->first, it->second));
    change.updated.erase(it);
  }
  property::Validate(change.updated);
  for (const std::string& key : removed) {
    if (property::IsReserved(key)) throw InvalidArgument("'{}' is reserved and can't be removed", key);
    if (updated.contains(key)) throw InvalidArgument("table property '{}' can't be both set and removed", key);
  }
  return change;
}

}  // namespace

void UpdateProperties(Table& table, const OptionMap& updated, const std::vector<std::string>& removed) {
  Change change = MakeChange(updated, removed);
  auto attempt = [&]() -> std::optional<catalog::TableCommit> {
    const iceberg::TableMetadata& base = table.metadata();
    if (change.IsIn(base)) return std::nullopt;
    catalog::TableCommit commit{table.id(), {}, {}};
    if (!base.table_uuid.empty()) {
      commit.requirements.push_back(iceberg::requirement::AssertTableUuid{base.table_uuid});
    }
    if (change.format_version) commit.updates.push_back(iceberg::update::UpgradeFormatVersion{*change.format_version});
    if (!change.updated.empty()) commit.updates.push_back(iceberg::update::SetProperties{change.updated});
    if (!change.removed.empty()) commit.updates.push_back(iceberg::update::RemoveProperties{change.removed});
    return commit;
  };
  RunCommitLoop(table, attempt, [&](const iceberg::TableMetadata& now) { return change.IsIn(now); });
}

}  // namespace frazil::table
