// SPDX-License-Identifier: Apache-2.0
#include "frazil/table/manifest_merger.h"

#include "frazil/base/error.h"
#include "frazil/iceberg/table_properties.h"
#include "frazil/storage/file_io.h"

namespace frazil::table {

namespace property = iceberg::property;
using iceberg::EntryStatus;
using iceberg::ManifestEntry;
using iceberg::ManifestFile;

namespace {

/// Manifests of a spec whose column was dropped stay as they are: their partition values can't be typed any more.
bool CanBeRewritten(const iceberg::TableMetadata& metadata, int32_t spec_id) {
  for (const iceberg::PartitionField& field : metadata.spec(spec_id).fields) {
    if (field.transform.kind == iceberg::TransformKind::kUnknown) return false;
    for (int32_t id : field.source_ids) {
      if (metadata.schema().FindField(id) == nullptr) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::pair<size_t, size_t>> PackFromEnd(const std::vector<int64_t>& sizes, int64_t target) {
  std::vector<std::pair<size_t, size_t>> bins;
  size_t end = sizes.size();
  int64_t weight = 0;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (i + 1 < end && weight + sizes[i] > target) {
      bins.emplace_back(i + 1, end);
      end = i + 1;
      weight = 0;
    }
    weight += sizes[i];
  }
  if (end > 0) bins.emplace_back(0, end);
  std::ranges::reverse(bins);
  return bins;
}

std::vector<ManifestFile> ManifestMerger::Merge(const iceberg::TableMetadata& metadata,
                                                const std::vector<ManifestFile>& manifests) {
  std::vector<ManifestFile> result;
  if (manifests.empty()) return result;
  int64_t target = property::GetInt(metadata.properties, property::kManifestTargetSize, 8 << 20);
  auto min_count = static_cast<size_t>(property::GetInt(metadata.properties, property::kManifestMinMergeCount, 100));
  std::map<int32_t, Bin, std::greater<>> by_spec;
  for (const ManifestFile& manifest : manifests) by_spec[manifest.partition_spec_id].push_back(manifest);
  for (const auto& [spec_id, group] : by_spec) {
    bool rewritable = CanBeRewritten(metadata, spec_id);
    std::vector<int64_t> sizes;
    for (const ManifestFile& manifest : group) sizes.push_back(manifest.manifest_length);
    for (auto [begin, end] : PackFromEnd(sizes, target)) {
      Bin bin(group.begin() + begin, group.begin() + end);
      bool has_first = bin.front().manifest_path == manifests.front().manifest_path;
      if (!rewritable || bin.size() == 1 || (has_first && bin.size() < min_count)) {
        result.insert(result.end(), bin.begin(), bin.end());
      } else {
        result.push_back(MergeBin(metadata, bin));
      }
    }
  }
  return result;
}

const ManifestFile& ManifestMerger::MergeBin(const iceberg::TableMetadata& metadata, const Bin& bin) {
  std::vector<std::string> paths;
  for (const ManifestFile& manifest : bin) {
    paths.push_back(manifest.manifest_path);
    if (manifest.added_snapshot_id != output_.snapshot_id()) ++replaced_;
  }
  auto it = merged_.find(paths);
  if (it == merged_.end()) it = merged_.emplace(std::move(paths), WriteMerged(metadata, bin)).first;
  return it->second;
}

ManifestFile ManifestMerger::WriteMerged(const iceberg::TableMetadata& metadata, const Bin& bin) {
  int64_t snapshot_id = output_.snapshot_id();
  std::unique_ptr<iceberg::ManifestWriter> writer =
      output_.NewWriter(metadata, bin.front().partition_spec_id, bin.front().content);
  for (const ManifestFile& manifest : bin) {
    iceberg::ReadManifest(io_.ReadAll(manifest.manifest_path), manifest, metadata.schema(), [&](ManifestEntry&& entry) {
      bool ours = entry.snapshot_id == snapshot_id;
      if (entry.status == EntryStatus::kAdded && ours) {
        writer->AddNew(entry.file);
      } else if (entry.is_live()) {
        writer->AddExisting(entry);
      } else if (ours) {
        writer->AddDeleted(entry);  // deletes of earlier snapshots have done their work
      }
    });
  }
  return output_.Write(metadata, *writer);
}

}  // namespace frazil::table
