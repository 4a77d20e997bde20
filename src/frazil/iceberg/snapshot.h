// SPDX-License-Identifier: Apache-2.0
// Snapshots and refs (spec: "Snapshots", "Snapshot References").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace frazil::iceberg {

/// Snapshot summary keys and operations (Java: SnapshotSummary, DataOperations).
namespace operation {
inline constexpr char kAppend[] = "append";
inline constexpr char kReplace[] = "replace";
inline constexpr char kOverwrite[] = "overwrite";
inline constexpr char kDelete[] = "delete";
}  // namespace operation

struct Snapshot {
  int64_t snapshot_id = 0;
  std::optional<int64_t> parent_snapshot_id;
  int64_t sequence_number = 0;  ///< 0 for v1
  int64_t timestamp_ms = 0;
  std::string manifest_list;                   ///< location; empty where v1 lists manifests inline
  std::vector<std::string> manifests;          ///< v1 only
  std::string operation;                       ///< "" where v1 has no summary
  std::map<std::string, std::string> summary;  ///< without "operation"
  std::optional<int32_t> schema_id;
  std::optional<int64_t> first_row_id;  ///< v3
  std::optional<int64_t> added_rows;    ///< v3
  std::optional<std::string> key_id;    ///< v3

  bool operator==(const Snapshot&) const = default;
};

enum class RefType { kBranch, kTag };

struct SnapshotRef {
  int64_t snapshot_id = 0;
  RefType type = RefType::kBranch;
  std::optional<int32_t> min_snapshots_to_keep;
  std::optional<int64_t> max_snapshot_age_ms;
  std::optional<int64_t> max_ref_age_ms;

  bool operator==(const SnapshotRef&) const = default;
};

inline constexpr char kMainBranch[] = "main";

/// Keys in Java's order; the readers throw Corrupt with the path inside the document.
nlohmann::ordered_json ToJson(const Snapshot& snapshot, int format_version);
Snapshot SnapshotFromJson(const nlohmann::json& json);
nlohmann::ordered_json ToJson(const SnapshotRef& ref);
SnapshotRef SnapshotRefFromJson(const nlohmann::json& json);

}  // namespace frazil::iceberg
