// SPDX-License-Identifier: Apache-2.0
#include "frazil/table/snapshot_summary.h"

#include <charconv>

namespace frazil::table {

namespace {

constexpr char kAddedDataFiles[] = "added-data-files";
constexpr char kAddedRecords[] = "added-records";
constexpr char kAddedFilesSize[] = "added-files-size";
constexpr char kPartitionPrefix[] = "partitions.";

constexpr std::string_view kComputed[] = {
    "operation",
    kAddedDataFiles,
    "deleted-data-files",
    "total-data-files",
    "added-delete-files",
    "added-equality-delete-files",
    "removed-equality-delete-files",
    "added-position-delete-files",
    "removed-position-delete-files",
    "added-dvs",
    "removed-dvs",
    "removed-delete-files",
    "total-delete-files",
    kAddedRecords,
    "deleted-records",
    "total-records",
    kAddedFilesSize,
    "removed-files-size",
    "total-files-size",
    "added-position-deletes",
    "removed-position-deletes",
    "total-position-deletes",
    "added-equality-deletes",
    "removed-equality-deletes",
    "total-equality-deletes",
    "deleted-duplicate-files",
    "changed-partition-count",
    "partition-summaries-included",
    "manifests-created",
    "manifests-kept",
    "manifests-replaced",
    "entries-processed",
};

/// The parent's total plus `added`; nullopt where there is nothing to go on from, or the sum doesn't fit.
std::optional<int64_t> NextTotal(const iceberg::Snapshot* parent, const std::string& key, int64_t added) {
  if (parent == nullptr) return added;
  auto it = parent->summary.find(key);
  if (it == parent->summary.end()) return std::nullopt;
  const std::string& text = it->second;
  int64_t previous = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), previous);
  if (error != std::errc() || end != text.data() + text.size() || previous < 0) return std::nullopt;
  int64_t total = 0;
  if (__builtin_add_overflow(previous, added, &total)) return std::nullopt;
  return total;
}

}  // namespace

bool IsComputedSummaryKey(std::string_view key) {
  return key.starts_with(kPartitionPrefix) || std::ranges::find(kComputed, key) != std::end(kComputed);
}

std::map<std::string, std::string> SnapshotSummaryBuilder::Added::ToMap() const {
  std::map<std::string, std::string> map;
  if (bytes > 0) map[kAddedFilesSize] = std::to_string(bytes);
  if (files > 0) map[kAddedDataFiles] = std::to_string(files);
  if (records > 0) map[kAddedRecords] = std::to_string(records);
  return map;
}

void SnapshotSummaryBuilder::AddDataFile(const iceberg::DataFile& file, const std::string& partition_path) {
  for (Added* added : {&added_, &partitions_[partition_path]}) {
    ++added->files;
    added->records += file.record_count;
    added->bytes += file.file_size_in_bytes;
  }
}

std::map<std::string, std::string> SnapshotSummaryBuilder::Build(const iceberg::Snapshot* parent,
                                                                 const std::map<std::string, std::string>& properties,
                                                                 const ManifestCounts& manifests,
                                                                 int64_t partition_limit) const {
  std::map<std::string, std::string> summary = added_.ToMap();
  summary["changed-partition-count"] = std::to_string(partitions_.size());
  if (!partitions_.empty() && static_cast<int64_t>(partitions_.size()) <= partition_limit) {
    summary["partition-summaries-included"] = "true";
    for (const auto& [path, added] : partitions_) {
      if (path.empty()) continue;
      std::vector<std::string> items;
      for (const auto& [key, value] : added.ToMap()) items.push_back(key + "=" + value);
      summary[kPartitionPrefix + path] = fmt::format("{}", fmt::join(items, ","));
    }
  }
  summary["manifests-created"] = std::to_string(manifests.created);
  summary["manifests-kept"] = std::to_string(manifests.kept);
  summary["manifests-replaced"] = std::to_string(manifests.replaced);
  const std::pair<const char*, int64_t> totals[] = {
      {"total-records", added_.records}, {"total-files-size", added_.bytes}, {"total-data-files", added_.files},
      {"total-delete-files", 0},         {"total-position-deletes", 0},      {"total-equality-deletes", 0},
  };
  for (const auto& [key, added] : totals) {
    if (auto total = NextTotal(parent, key, added)) summary[key] = std::to_string(*total);
  }
  for (const auto& [key, value] : properties) {
    if (!IsComputedSummaryKey(key)) summary[key] = value;
  }
  return summary;
}

}  // namespace frazil::table
