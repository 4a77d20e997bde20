// SPDX-License-Identifier: Apache-2.0
// Where new data files go (Java: LocationProviders).
#pragma once

#include <string>
#include <string_view>

#include "frazil/iceberg/table_metadata.h"

namespace frazil::write {

/// Default layout: `<data location>/[<partition path>/]<file name>`.
///
/// With `write.object-storage.enabled` files are spread over prefixes, so that object stores don't throttle:
/// `<data location>/<4>/<4>/<4>/<8>/[<partition path>/]<file name>`, where the digits are the low 20 bits of the
/// murmur3 hash of what follows them. `write.object-storage.partitioned-paths` = false leaves the partition path out
/// and ends the hash with '-' instead of '/'. A data location outside the table's gets `<parent folder>/<table
/// folder>/` before the file, since several tables may share it.
class LocationProvider {
 public:
  /// Throws InvalidArgument for the deprecated `write.object-storage.path` and `write.folder-storage.path`, Unsupported
  /// for `write.location-provider.impl`.
  explicit LocationProvider(const iceberg::TableMetadata& metadata);

  /// `partition_path` is empty for an unpartitioned table.
  std::string DataFileLocation(std::string_view partition_path, std::string_view file_name) const;

 private:
  std::string data_location_;
  bool hashed_ = false;
  bool partitioned_paths_ = true;
  std::string context_;  ///< "" or "<parent folder>/<table folder>/"
};

}  // namespace frazil::write
