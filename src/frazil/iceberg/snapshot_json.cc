// SPDX-License-Identifier: Apache-2.0
// Snapshots and refs as JSON (spec appendix C).
#include <nlohmann/json.hpp>

#include "frazil/iceberg/metadata_json.h"

namespace frazil::iceberg {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr char kOperation[] = "operation";

ordered_json SummaryToJson(const Snapshot& snapshot) {
  ordered_json summary = {{kOperation, snapshot.operation}};
  for (const auto& [key, value] : snapshot.summary) summary[key] = value;
  return summary;
}

void ReadSummary(const JsonObject& object, Snapshot& snapshot) {
  if (!object.Has("summary")) return;
  JsonObject summary = object.Object("summary");
  for (const auto& [key, value] : summary.json().items()) snapshot.summary.emplace(key, summary.String(key));
  auto operation = snapshot.summary.extract(kOperation);
  // As Java does where a writer forgot it: the kind that promises least.
  snapshot.operation = operation.empty() ? operation::kOverwrite : operation.mapped();
}

std::vector<std::string> StringArray(const JsonObject& object, std::string_view key) {
  const json& array = object.Array(key);
  std::vector<std::string> values;
  values.reserve(array.size());
  for (const json& element : array) {
    if (!element.is_string()) throw object.Wrong(key, "expected strings, found {}", Excerpt(element));
    values.push_back(element.get<std::string>());
  }
  return values;
}

template <typename T>
std::optional<T> Positive(const JsonObject& object, std::string_view key, std::optional<T> value) {
  if (value && *value <= 0) throw object.Wrong(key, "must be positive, not {}", *value);
  return value;
}

template <typename T>
void WriteIf(ordered_json& out, const char* key, const std::optional<T>& value) {
  if (value) out[key] = *value;
}

}  // namespace

ordered_json ToJson(const Snapshot& snapshot, int format_version) {
  ordered_json out = ordered_json::object();
  if (format_version > 1 && snapshot.sequence_number > 0) out["sequence-number"] = snapshot.sequence_number;
  out["snapshot-id"] = snapshot.snapshot_id;
  WriteIf(out, "parent-snapshot-id", snapshot.parent_snapshot_id);
  out["timestamp-ms"] = snapshot.timestamp_ms;
  if (!snapshot.operation.empty()) out["summary"] = SummaryToJson(snapshot);
  if (!snapshot.manifest_list.empty()) {
    out["manifest-list"] = snapshot.manifest_list;
  } else {
    out["manifests"] = snapshot.manifests;
  }
  WriteIf(out, "schema-id", snapshot.schema_id);
  if (format_version > 2) {
    WriteIf(out, "first-row-id", snapshot.first_row_id);
    WriteIf(out, "added-rows", snapshot.added_rows);
    WriteIf(out, "key-id", snapshot.key_id);
  }
  return out;
}

Snapshot SnapshotFromJson(const JsonObject& object) {
  Snapshot snapshot;
  snapshot.snapshot_id = object.Int64("snapshot-id");
  snapshot.parent_snapshot_id = object.FindInt64("parent-snapshot-id");
  snapshot.sequence_number = object.FindInt64("sequence-number").value_or(0);
  snapshot.timestamp_ms = object.Int64("timestamp-ms");
  ReadSummary(object, snapshot);
  if (auto list = object.FindString("manifest-list")) {
    snapshot.manifest_list = *std::move(list);
  } else if (object.Has("manifests")) {
    snapshot.manifests = StringArray(object, "manifests");
  } else {
    throw object.Wrong("manifest-list", "missing (and no manifests of format version 1 either)");
  }
  snapshot.schema_id = object.FindInt32("schema-id");
  snapshot.first_row_id = object.FindInt64("first-row-id");
  snapshot.added_rows = object.FindInt64("added-rows");
  snapshot.key_id = object.FindString("key-id");
  if (snapshot.sequence_number < 0) throw object.Wrong("sequence-number", "{} is negative", snapshot.sequence_number);
  return snapshot;
}

Snapshot SnapshotFromJson(const json& value) { return SnapshotFromJson(JsonObject(value, "snapshot")); }

ordered_json ToJson(const SnapshotRef& ref) {
  ordered_json out = {{"snapshot-id", ref.snapshot_id}, {"type", ref.type == RefType::kBranch ? "branch" : "tag"}};
  WriteIf(out, "min-snapshots-to-keep", ref.min_snapshots_to_keep);
  WriteIf(out, "max-snapshot-age-ms", ref.max_snapshot_age_ms);
  WriteIf(out, "max-ref-age-ms", ref.max_ref_age_ms);
  return out;
}

SnapshotRef SnapshotRefFromJson(const JsonObject& object) {
  SnapshotRef ref;
  ref.snapshot_id = object.Int64("snapshot-id");
  std::string type = object.String("type");
  if (type != "branch" && type != "tag") throw object.Wrong("type", "expected branch or tag, found '{}'", type);
  ref.type = type == "branch" ? RefType::kBranch : RefType::kTag;
  ref.min_snapshots_to_keep = Positive(object, "min-snapshots-to-keep", object.FindInt32("min-snapshots-to-keep"));
  ref.max_snapshot_age_ms = Positive(object, "max-snapshot-age-ms", object.FindInt64("max-snapshot-age-ms"));
  ref.max_ref_age_ms = Positive(object, "max-ref-age-ms", object.FindInt64("max-ref-age-ms"));
  return ref;
}

SnapshotRef SnapshotRefFromJson(const json& value) { return SnapshotRefFromJson(JsonObject(value, "ref")); }

}  // namespace frazil::iceberg
