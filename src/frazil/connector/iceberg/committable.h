// SPDX-License-Identifier: Apache-2.0
// What travels from a writer to the committer and rests in the checkpoint in between: data files as bytes. The entries
// are Avro manifests, so whatever a data file has to say survives, also in a checkpoint that a later version reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frazil/iceberg/manifest.h"
#include "frazil/iceberg/table_metadata.h"

namespace frazil::connector::iceberg {

/// "" for no files. Files of several partition specs may be mixed.
std::string EncodeDataFiles(const std::vector<frazil::iceberg::DataFile>& files,
                            const frazil::iceberg::TableMetadata& metadata);

/// Several committables as one. "" for none or only empty ones.
std::string JoinCommittables(const std::vector<std::string>& committables);

/// Throws Corrupt, and InvalidArgument if they belong to another table than `metadata`'s (its table-uuid differs).
std::vector<frazil::iceberg::DataFile> DecodeDataFiles(std::string_view committable,
                                                       const frazil::iceberg::TableMetadata& metadata);

}  // namespace frazil::connector::iceberg
