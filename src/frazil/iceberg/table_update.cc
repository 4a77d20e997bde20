// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/table_update.h"

#include <nlohmann/json.hpp>

#include "frazil/base/clock.h"
#include "frazil/base/error.h"
#include "frazil/iceberg/table_properties.h"

namespace frazil::iceberg {

namespace {

constexpr int32_t kLastAdded = -1;
/// How far a clock of another machine may be behind before its timestamps are refused (Java: ONE_MINUTE).
constexpr int64_t kClockSkewMs = 60'000;
constexpr int32_t kFirstPartitionFieldId = 1000;
/// The highest version that this build writes.
constexpr int kHighestWrittenVersion = 2;

// ---------------------------------------------------------------------------------------------- requirements

template <typename T>
std::string Differs(std::string_view what, const T& actual, const T& expected) {
  return actual == expected ? "" : fmt::format("{} is {}, expected {}", what, actual, expected);
}

std::string RefName(std::string_view name) { return fmt::format("ref '{}'", name); }

/// What about `base` doesn't meet the requirement, "" if it does.
struct Unmet {
  const TableMetadata& base;

  std::string operator()(const requirement::AssertCreate&) const { return "the table exists already"; }
  std::string operator()(const requirement::AssertTableUuid& r) const {
    return Differs("table-uuid", base.table_uuid, r.uuid);
  }
  std::string operator()(const requirement::AssertRefSnapshotId& r) const {
    const Snapshot* head = base.FindRef(r.ref);
    if (head == nullptr) {
      return r.snapshot_id ? fmt::format("{} is missing, expected at snapshot {}", RefName(r.ref), *r.snapshot_id) : "";
    }
    if (!r.snapshot_id)
      return fmt::format("{} was created meanwhile, at snapshot {}", RefName(r.ref), head->snapshot_id);
    return head->snapshot_id == *r.snapshot_id ? ""
                                               : fmt::format("{} has moved to snapshot {}, expected {}", RefName(r.ref),
                                                             head->snapshot_id, *r.snapshot_id);
  }
  std::string operator()(const requirement::AssertLastAssignedFieldId& r) const {
    return Differs("last-column-id", base.last_column_id, r.last_column_id);
  }
  std::string operator()(const requirement::AssertCurrentSchemaId& r) const {
    return Differs("current-schema-id", base.current_schema_id, r.schema_id);
  }
  std::string operator()(const requirement::AssertLastAssignedPartitionId& r) const {
    return Differs("last-partition-id", base.last_partition_id, r.last_partition_id);
  }
  std::string operator()(const requirement::AssertDefaultSpecId& r) const {
    return Differs("default-spec-id", base.default_spec_id, r.spec_id);
  }
  std::string operator()(const requirement::AssertDefaultSortOrderId& r) const {
    return Differs("default-sort-order-id", base.default_sort_order_id, r.order_id);
  }
};

// --------------------------------------------------------------------------------------------------- updates

bool SameFields(const PartitionSpec& a, const PartitionSpec& b) {
  return std::ranges::equal(a.fields, b.fields, [](const PartitionField& x, const PartitionField& y) {
    return x.source_ids == y.source_ids && x.transform == y.transform && x.name == y.name;
  });
}

void ValidateOrder(const SortOrder& order, const Schema& schema) {
  for (const SortField& field : order.fields) {
    for (int32_t id : field.source_ids) {
      const NestedField* source = schema.FindField(id);
      if (source == nullptr) {
        throw InvalidArgument("sort order {} sorts by column id {}, which schema {} doesn't have", order.order_id, id,
                              schema.schema_id());
      }
      ResultType(field.transform, source->type);
    }
  }
}

/// A JSON list of statistics files without those of `removed` snapshots.
void RemoveStatistics(std::string* json, const std::set<int64_t>& removed) {
  if (json->empty()) return;
  nlohmann::json kept = nlohmann::json::array();
  for (nlohmann::json& entry : nlohmann::json::parse(*json)) {
    if (!removed.contains(entry.at("snapshot-id").get<int64_t>())) kept.push_back(std::move(entry));
  }
  *json = kept.empty() ? "" : kept.dump();
}

/// Applies one update after the other to a copy of the base.
class Updater {
 public:
  explicit Updater(const TableMetadata& base) : base_(base), result_(base) {
    if (result_.current_snapshot_id && !result_.refs.contains(kMainBranch)) {
      result_.refs[kMainBranch] = {.snapshot_id = *result_.current_snapshot_id};
    }
  }

  void operator()(const update::AssignUuid& u) {
    if (u.uuid.empty()) throw InvalidArgument("a table's uuid must not be empty");
    if (!result_.table_uuid.empty() && result_.table_uuid != u.uuid) {
      throw InvalidArgument("the uuid of a table never changes: it is {}, not {}", result_.table_uuid, u.uuid);
    }
    result_.table_uuid = u.uuid;
  }

  void operator()(const update::UpgradeFormatVersion& u) {
    if (u.format_version < result_.format_version) {
      throw InvalidArgument("a table can't go back from format-version {} to {}", result_.format_version,
                            u.format_version);
    }
    if (u.format_version > std::max(kHighestWrittenVersion, result_.format_version)) {
      throw Unsupported("format-version {} can't be written yet; up to {} can", u.format_version,
                        kHighestWrittenVersion);
    }
    result_.format_version = u.format_version;
  }

  void operator()(const update::AddSchema& u) {
    result_.last_column_id = std::max(result_.last_column_id, u.schema.HighestFieldId());
    int32_t new_id = result_.current_schema_id;
    for (const Schema& schema : result_.schemas) {
      if (schema.SameAs(u.schema)) {
        last_added_schema_ = schema.schema_id();
        return;
      }
      new_id = std::max(new_id, schema.schema_id() + 1);
    }
    result_.schemas.emplace_back(new_id, u.schema.fields(), u.schema.identifier_field_ids());
    last_added_schema_ = new_id;
  }

  void operator()(const update::SetCurrentSchema& u) {
    int32_t id = Resolve(u.schema_id, last_added_schema_, "schema");
    bool known = std::ranges::any_of(result_.schemas, [&](const Schema& s) { return s.schema_id() == id; });
    if (!known) throw InvalidArgument("schema {} can't become the current one: the table doesn't have it", id);
    result_.current_schema_id = id;
    layout_changed_ = true;
  }

  void operator()(const update::AddPartitionSpec& u) {
    int32_t new_id = result_.default_spec_id;
    for (const PartitionSpec& spec : result_.partition_specs) {
      if (SameFields(spec, u.spec)) {
        last_added_spec_ = spec.spec_id;
        return;
      }
      new_id = std::max(new_id, spec.spec_id + 1);
    }
    PartitionSpec spec{new_id, u.spec.fields};
    AssignPartitionFieldIds(&spec);
    Validate(spec, result_.schema());
    for (const PartitionField& field : spec.fields) {
      result_.last_partition_id = std::max(result_.last_partition_id, field.field_id);
    }
    result_.partition_specs.push_back(std::move(spec));
    last_added_spec_ = new_id;
  }

  void operator()(const update::SetDefaultSpec& u) {
    int32_t id = Resolve(u.spec_id, last_added_spec_, "partition spec");
    if (std::ranges::find(result_.partition_specs, id, &PartitionSpec::spec_id) == result_.partition_specs.end()) {
      throw InvalidArgument("partition spec {} can't become the default: the table doesn't have it", id);
    }
    result_.default_spec_id = id;
    layout_changed_ = true;
  }

  void operator()(const update::AddSortOrder& u) {
    int32_t new_id = u.order.fields.empty() ? 0 : 1;
    for (const SortOrder& order : result_.sort_orders) {
      if (order.fields == u.order.fields) {
        last_added_order_ = order.order_id;
        return;
      }
      if (!u.order.fields.empty()) new_id = std::max(new_id, order.order_id + 1);
    }
    SortOrder order{new_id, u.order.fields};
    ValidateOrder(order, result_.schema());
    result_.sort_orders.push_back(std::move(order));
    last_added_order_ = new_id;
  }

  void operator()(const update::SetDefaultSortOrder& u) {
    int32_t id = Resolve(u.order_id, last_added_order_, "sort order");
    if (std::ranges::find(result_.sort_orders, id, &SortOrder::order_id) == result_.sort_orders.end()) {
      throw InvalidArgument("sort order {} can't become the default: the table doesn't have it", id);
    }
    result_.default_sort_order_id = id;
    layout_changed_ = true;
  }

  void operator()(const update::AddSnapshot& u) {
    const Snapshot& snapshot = u.snapshot;
    if (result_.FindSnapshot(snapshot.snapshot_id) != nullptr) {
      throw InvalidArgument("snapshot {} is in the table already", snapshot.snapshot_id);
    }
    if (result_.format_version > 1 && snapshot.sequence_number <= result_.last_sequence_number) {
      throw CommitConflict("snapshot {} has sequence number {}, but the table is at {} already", snapshot.snapshot_id,
                           snapshot.sequence_number, result_.last_sequence_number);
    }
    if (result_.format_version >= 3) AdvanceRowIds(snapshot);
    result_.last_updated_ms = snapshot.timestamp_ms;
    updated_ = true;
    result_.last_sequence_number = snapshot.sequence_number;
    result_.snapshots.push_back(snapshot);
    added_snapshots_.insert(snapshot.snapshot_id);
  }

  void operator()(const update::SetSnapshotRef& u) {
    if (u.name.empty()) throw InvalidArgument("a branch or tag needs a name");
    bool is_main = u.name == kMainBranch;
    if (is_main && u.ref.type == RefType::kTag) throw InvalidArgument("'main' is a branch and can't be set as a tag");
    if (u.ref.type == RefType::kTag && (u.ref.min_snapshots_to_keep || u.ref.max_snapshot_age_ms)) {
      throw InvalidArgument("tag '{}' can't keep snapshots: only branches have that setting", u.name);
    }
    const Snapshot* snapshot = result_.FindSnapshot(u.ref.snapshot_id);
    if (snapshot == nullptr) {
      throw InvalidArgument("{} can't be set to snapshot {}: the table doesn't have it", RefName(u.name),
                            u.ref.snapshot_id);
    }
    auto existing = result_.refs.find(u.name);
    if (existing != result_.refs.end() && existing->second == u.ref) return;
    result_.refs[u.name] = u.ref;
    if (is_main) SetMain(*snapshot);
  }

  void operator()(const update::RemoveSnapshotRef& u) { RemoveRef(u.name); }

  void operator()(const update::RemoveSnapshots& u) {
    std::set<int64_t> removed(u.snapshot_ids.begin(), u.snapshot_ids.end());
    std::erase_if(result_.snapshots, [&](const Snapshot& s) { return removed.contains(s.snapshot_id); });
    RemoveStatistics(&result_.statistics_json, removed);
    RemoveStatistics(&result_.partition_statistics_json, removed);
    std::vector<std::string> dangling;
    for (const auto& [name, ref] : result_.refs) {
      if (removed.contains(ref.snapshot_id)) dangling.push_back(name);
    }
    for (const std::string& name : dangling) RemoveRef(name);
    removed_snapshots_ = true;
  }

  void operator()(const update::SetLocation& u) {
    std::string location = u.location;
    while (location.size() > 1 && location.ends_with('/')) location.pop_back();
    if (location.empty()) throw InvalidArgument("a table's location must not be empty");
    result_.location = std::move(location);
  }

  void operator()(const update::SetProperties& u) {
    property::Validate(u.updated);
    for (const auto& [key, value] : u.updated) result_.properties[key] = value;
  }

  void operator()(const update::RemoveProperties& u) {
    for (const std::string& key : u.removed) result_.properties.erase(key);
  }

  TableMetadata Finish(std::string_view base_metadata_location) && {
    if (!updated_) result_.last_updated_ms = std::max(NowMillis(), base_.last_updated_ms);
    if (layout_changed_) {
      Validate(result_.spec(), result_.schema());
      ValidateOrder(result_.sort_order(), result_.schema());
    }
    TrimSnapshotLog();
    if (!base_metadata_location.empty()) LogMetadata(base_metadata_location);
    return std::move(result_);
  }

 private:
  static int32_t Resolve(int32_t id, std::optional<int32_t> last_added, std::string_view what) {
    if (id != kLastAdded) return id;
    if (!last_added) throw InvalidArgument("{} -1 means the last one added, but none was added", what);
    return *last_added;
  }

  /// Fields without an id get that of the same field in an older spec, else a new one (spec: "Partition Evolution").
  void AssignPartitionFieldIds(PartitionSpec* spec) {
    int32_t last_id = result_.last_partition_id;
    std::set<int32_t> used;
    for (PartitionField& field : spec->fields) {
      if (field.field_id == 0) field.field_id = EquivalentFieldId(field).value_or(0);
      if (field.field_id == 0) field.field_id = ++last_id;
      if (!used.insert(field.field_id).second) {
        throw InvalidArgument("partition field id {} stands twice in one spec", field.field_id);
      }
    }
    if (result_.format_version > 1) return;
    for (size_t i = 0; i < spec->fields.size(); ++i) {
      if (spec->fields[i].field_id != kFirstPartitionFieldId + static_cast<int32_t>(i)) {
        throw InvalidArgument(
            "format-version 1 needs partition field ids 1000, 1001, …: replace a field by void "
            "instead of dropping it, or upgrade the table");
      }
    }
  }

  std::optional<int32_t> EquivalentFieldId(const PartitionField& field) const {
    for (const PartitionSpec& spec : result_.partition_specs) {
      for (const PartitionField& other : spec.fields) {
        if (other.source_ids == field.source_ids && other.transform == field.transform) return other.field_id;
      }
    }
    return std::nullopt;
  }

  /// v3: a snapshot's rows take their ids from the table's counter (spec: "Row Lineage").
  void AdvanceRowIds(const Snapshot& snapshot) {
    if (!snapshot.first_row_id || !snapshot.added_rows) {
      throw InvalidArgument("snapshot {} of a v3 table needs first-row-id and added-rows", snapshot.snapshot_id);
    }
    if (*snapshot.first_row_id < result_.next_row_id) {
      throw CommitConflict("snapshot {} starts at row id {}, but the table is at {} already", snapshot.snapshot_id,
                           *snapshot.first_row_id, result_.next_row_id);
    }
    result_.next_row_id = *snapshot.first_row_id + *snapshot.added_rows;
  }

  void SetMain(const Snapshot& snapshot) {
    result_.current_snapshot_id = snapshot.snapshot_id;
    int64_t since = added_snapshots_.contains(snapshot.snapshot_id) ? snapshot.timestamp_ms
                                                                    : std::max(NowMillis(), base_.last_updated_ms);
    if (!result_.snapshot_log.empty() && since < result_.snapshot_log.back().timestamp_ms - kClockSkewMs) {
      throw InvalidArgument(
          "snapshot {} is dated {} ms, more than a minute before the one it follows ({} ms): "
          "check the clock of this machine",
          snapshot.snapshot_id, since, result_.snapshot_log.back().timestamp_ms);
    }
    result_.last_updated_ms = since;
    updated_ = true;
    result_.snapshot_log.push_back({since, snapshot.snapshot_id});
  }

  void RemoveRef(const std::string& name) {
    if (name == kMainBranch) result_.current_snapshot_id.reset();
    result_.refs.erase(name);
  }

  /// Drops the entries of snapshots that were made current and replaced within this one set of updates, and everything
  /// up to an entry whose snapshot is gone: a gap would let time travel find the wrong snapshot.
  void TrimSnapshotLog() {
    std::set<int64_t> intermediate = added_snapshots_;
    if (result_.current_snapshot_id) intermediate.erase(*result_.current_snapshot_id);
    if (intermediate.empty() && !removed_snapshots_) return;
    std::vector<SnapshotLogEntry> kept;
    for (const SnapshotLogEntry& entry : result_.snapshot_log) {
      if (result_.FindSnapshot(entry.snapshot_id) == nullptr) {
        if (removed_snapshots_) kept.clear();
      } else if (!intermediate.contains(entry.snapshot_id)) {
        kept.push_back(entry);
      }
    }
    result_.snapshot_log = std::move(kept);
  }

  void LogMetadata(std::string_view base_metadata_location) {
    result_.metadata_log.push_back({base_.last_updated_ms, std::string(base_metadata_location)});
    int64_t kept = std::max<int64_t>(
        1, property::GetInt(result_.properties, property::kMetadataPreviousVersionsMax, kDefaultPreviousVersions));
    auto surplus = static_cast<int64_t>(result_.metadata_log.size()) - kept;
    if (surplus > 0) result_.metadata_log.erase(result_.metadata_log.begin(), result_.metadata_log.begin() + surplus);
  }

  static constexpr int64_t kDefaultPreviousVersions = 100;

  const TableMetadata& base_;
  TableMetadata result_;
  std::optional<int32_t> last_added_schema_;
  std::optional<int32_t> last_added_spec_;
  std::optional<int32_t> last_added_order_;
  std::set<int64_t> added_snapshots_;
  bool removed_snapshots_ = false;
  bool layout_changed_ = false;  ///< the current schema, spec or order
  bool updated_ = false;         ///< last-updated-ms is that of a snapshot or ref
};

}  // namespace

void CheckRequirements(std::span<const TableRequirement> requirements, const TableMetadata* base) {
  for (const TableRequirement& requirement : requirements) {
    std::string unmet;
    if (base != nullptr) {
      unmet = std::visit(Unmet{*base}, requirement);
    } else if (!std::holds_alternative<requirement::AssertCreate>(requirement)) {
      unmet = "the table doesn't exist";
    }
    if (!unmet.empty()) throw CommitConflict("requirement not met: {}", unmet);
  }
}

TableMetadata ApplyUpdates(const TableMetadata& base, std::span<const TableUpdate> updates,
                           std::string_view base_metadata_location) {
  Updater updater(base);
  for (const TableUpdate& update : updates) std::visit(updater, update);
  return std::move(updater).Finish(base_metadata_location);
}

}  // namespace frazil::iceberg
