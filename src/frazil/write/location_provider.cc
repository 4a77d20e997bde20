// SPDX-License-Identifier: Apache-2.0
#include "frazil/write/location_provider.h"

#include "frazil/base/error.h"
#include "frazil/iceberg/table_properties.h"
#include "frazil/iceberg/transform.h"
#include "frazil/table/table.h"

namespace frazil::write {

namespace {

using iceberg::Literal;
namespace property = iceberg::property;

constexpr int kHashBits = 20;

void RefuseUnsupported(const OptionMap& properties) {
  for (const char* key : {property::kDeprecatedObjectStoragePath, property::kDeprecatedFolderStoragePath}) {
    if (properties.contains(key)) {
      throw InvalidArgument("table property '{}' is deprecated and not honoured: set '{}' instead and remove it", key,
                            property::kDataPath);
    }
  }
  if (auto it = properties.find(property::kLocationProviderImpl); it != properties.end()) {
    throw Unsupported("table property '{}' = '{}' names a Java class, which can't be loaded: remove it, or use '{}'",
                      property::kLocationProviderImpl, it->second, property::kObjectStorageEnabled);
  }
}

/// The low 20 bits of the name's murmur3 hash as "bbbb/bbbb/bbbb/bbbbbbbb".
std::string HashFolders(const std::string& name) {
  const iceberg::Transform low_bits{iceberg::TransformKind::kBucket, 1 << kHashBits, ""};
  const auto hash = std::get<int32_t>(ApplyTransform(low_bits, iceberg::Type::String(), Literal(name)));
  std::string folders;
  for (int bit = 0; bit < kHashBits; ++bit) {
    if (bit == 4 || bit == 8 || bit == 12) folders += '/';
    folders += ((hash >> (kHashBits - 1 - bit)) & 1) != 0 ? '1' : '0';
  }
  return folders;
}

/// "s3://bucket/db/table" → "db/table/".
std::string LastTwoFolders(std::string_view location) {
  const size_t last = location.rfind('/');
  if (last == std::string_view::npos || last == 0) return std::string(location) + "/";
  const size_t parent = location.rfind('/', last - 1);
  return std::string(location.substr(parent == std::string_view::npos ? 0 : parent + 1)) + "/";
}

}  // namespace

LocationProvider::LocationProvider(const iceberg::TableMetadata& metadata)
    : data_location_(table::DataLocation(metadata)),
      hashed_(property::GetBool(metadata.properties, property::kObjectStorageEnabled, false)),
      partitioned_paths_(property::GetBool(metadata.properties, property::kObjectStoragePartitionedPaths, true)) {
  RefuseUnsupported(metadata.properties);
  if (!data_location_.starts_with(metadata.location)) context_ = LastTwoFolders(metadata.location);
}

std::string LocationProvider::DataFileLocation(std::string_view partition_path, std::string_view file_name) const {
  std::string name(file_name);
  if (!partition_path.empty() && (!hashed_ || partitioned_paths_)) name = fmt::format("{}/{}", partition_path, name);
  if (!hashed_) return fmt::format("{}/{}", data_location_, name);
  // Java ends the hash with '/' before a context even where partition paths are left out.
  const char* end = partitioned_paths_ || !context_.empty() ? "/" : "-";
  return fmt::format("{}/{}{}{}{}", data_location_, HashFolders(name), end, context_, name);
}

}  // namespace frazil::write
