// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/table_metadata.h"

#include <algorithm>

#include "frazil/base/error.h"

namespace frazil::iceberg {
namespace {

/// The element whose `id` is asked for; throws Corrupt naming `what`.
template <typename T, typename IdOf>
const T& FindById(const std::vector<T>& elements, int32_t id, IdOf id_of, std::string_view what) {
  auto it = std::ranges::find(elements, id, id_of);
  if (it == elements.end()) throw Corrupt("the table metadata has no {} with id {}", what, id);
  return *it;
}

}  // namespace

const Schema& TableMetadata::schema() const { return schema(current_schema_id); }

const Schema& TableMetadata::schema(int32_t schema_id) const {
  return FindById(schemas, schema_id, &Schema::schema_id, "schema");
}

const PartitionSpec& TableMetadata::spec() const { return spec(default_spec_id); }

const PartitionSpec& TableMetadata::spec(int32_t spec_id) const {
  return FindById(partition_specs, spec_id, &PartitionSpec::spec_id, "partition spec");
}

const SortOrder& TableMetadata::sort_order() const {
  return FindById(sort_orders, default_sort_order_id, &SortOrder::order_id, "sort order");
}

const Snapshot* TableMetadata::current_snapshot() const {
  if (!current_snapshot_id) return nullptr;
  const Snapshot* snapshot = FindSnapshot(*current_snapshot_id);
  if (snapshot == nullptr) {
    throw Corrupt("the table metadata has no snapshot {}, which it names as current", *current_snapshot_id);
  }
  return snapshot;
}

const Snapshot* TableMetadata::FindSnapshot(int64_t snapshot_id) const {
  // From the end: what is looked for is mostly recent.
  auto it = std::find_if(snapshots.rbegin(), snapshots.rend(),
                         [&](const Snapshot& snapshot) { return snapshot.snapshot_id == snapshot_id; });
  return it == snapshots.rend() ? nullptr : &*it;
}

const Snapshot* TableMetadata::FindRef(std::string_view name) const {
  if (name == kMainBranch) return current_snapshot();
  auto it = refs.find(std::string(name));
  if (it == refs.end()) return nullptr;
  const Snapshot* snapshot = FindSnapshot(it->second.snapshot_id);
  if (snapshot == nullptr) {
    throw Corrupt("the table metadata has no snapshot {}, to which ref '{}' points", it->second.snapshot_id, name);
  }
  return snapshot;
}

}  // namespace frazil::iceberg
