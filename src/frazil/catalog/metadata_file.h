// SPDX-License-Identifier: Apache-2.0
// Table metadata as files: where they lie, how they are named and compressed.
#pragma once

#include <string>
#include <string_view>

#include "frazil/iceberg/table_metadata.h"

namespace frazil::storage {
class FileIO;
}

namespace frazil::catalog {

/// `write.metadata.path`, else `<location>/metadata`; no trailing slash.
std::string MetadataFolder(const iceberg::TableMetadata& metadata);

/// "<folder>/<version:05d>-<uuid>.metadata.json", with ".gz" before ".metadata.json" if
/// `write.metadata.compression-codec` is gzip. The version is one above that in the name of `previous`; 0 if `previous`
/// is empty or has none. Throws InvalidArgument for another codec.
std::string NewMetadataLocation(const iceberg::TableMetadata& metadata, std::string_view previous);

/// Compressed if the location says so. Throws what FileIO::WriteAll throws.
void WriteMetadata(storage::FileIO& io, const std::string& location, const iceberg::TableMetadata& metadata);

/// Plain or gzip, recognised by content. Throws NotFound, Corrupt, Unsupported (format version, other compression).
iceberg::TableMetadataPtr ReadMetadata(storage::FileIO& io, const std::string& location);

}  // namespace frazil::catalog
