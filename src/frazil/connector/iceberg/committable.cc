// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/iceberg/committable.h"

#include "frazil/base/error.h"

namespace frazil::connector::iceberg {

namespace {

using frazil::iceberg::DataFile;
using frazil::iceberg::TableMetadata;

// A committable is a sequence of blocks, so that joining is appending:
//   magic "FZC1", table-uuid (36 bytes of text), int32 spec id, int32 schema id, int32 length, an Avro manifest.
constexpr std::string_view kMagic = "FZC1";
constexpr size_t kUuidSize = 36;

void PutInt32(int32_t value, std::string& out) {
  auto u = static_cast<uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(u >> shift & 0xFF));
}

class BlockReader {
 public:
  explicit BlockReader(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }
  std::string_view Take(size_t size) {
    if (size > rest_.size()) throw Corrupt("a committable in the checkpoint is cut off");
    std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  int32_t TakeInt32() {
    std::string_view bytes = Take(4);
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return static_cast<int32_t>(value);
  }

 private:
  std::string_view rest_;
};

void EncodeBlock(const std::vector<const DataFile*>& files, int32_t spec_id, const TableMetadata& metadata,
                 std::string& out) {
  const frazil::iceberg::Schema& schema = metadata.schema();
  // The snapshot is not known yet: the commit assigns its id to every file.
  frazil::iceberg::ManifestWriter writer(metadata.format_version, schema, metadata.spec(spec_id),
                                         frazil::iceberg::ManifestContent::kData, /*snapshot_id=*/0, "uncompressed");
  for (const DataFile* file : files) writer.AddNew(*file);
  std::string manifest = writer.Finish().bytes;
  out += kMagic;
  out += metadata.table_uuid;
  PutInt32(spec_id, out);
  PutInt32(schema.schema_id(), out);
  PutInt32(static_cast<int32_t>(manifest.size()), out);
  out += manifest;
}

}  // namespace

std::string EncodeDataFiles(const std::vector<DataFile>& files, const TableMetadata& metadata) {
  if (metadata.table_uuid.size() != kUuidSize) {
    throw Corrupt("the table at {} has the table-uuid '{}', which is no UUID", metadata.location, metadata.table_uuid);
  }
  std::map<int32_t, std::vector<const DataFile*>> by_spec;
  for (const DataFile& file : files) by_spec[file.spec_id].push_back(&file);
  std::string out;
  for (const auto& [spec_id, of_spec] : by_spec) EncodeBlock(of_spec, spec_id, metadata, out);
  return out;
}

std::string JoinCommittables(const std::vector<std::string>& committables) {
  std::string joined;
  for (const std::string& committable : committables) joined += committable;
  return joined;
}

std::vector<DataFile> DecodeDataFiles(std::string_view committable, const TableMetadata& metadata) {
  std::vector<DataFile> files;
  BlockReader reader(committable);
  while (!reader.done()) {
    if (reader.Take(kMagic.size()) != kMagic) throw Corrupt("a committable in the checkpoint has an unknown format");
    std::string_view uuid = reader.Take(kUuidSize);
    if (uuid != metadata.table_uuid) {
      throw InvalidArgument(
          "the checkpoint holds files for the table with uuid {}, but the table at {} has uuid {}: it was "
          "dropped and created anew; start the job afresh to write into the new one",
          uuid, metadata.location, metadata.table_uuid);
    }
    frazil::iceberg::ManifestFile list_entry;
    list_entry.manifest_path = "committable in the checkpoint";
    list_entry.partition_spec_id = reader.TakeInt32();
    int32_t schema_id = reader.TakeInt32();
    std::string_view manifest = reader.Take(static_cast<size_t>(reader.TakeInt32()));
    list_entry.manifest_length = static_cast<int64_t>(manifest.size());
    ReadManifest(manifest, list_entry, metadata.schema(schema_id), [&](frazil::iceberg::ManifestEntry&& entry) {
      entry.file.spec_id = list_entry.partition_spec_id;
      files.push_back(std::move(entry.file));
    });
  }
  return files;
}

}  // namespace frazil::connector::iceberg
