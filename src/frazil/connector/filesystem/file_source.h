// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "frazil/connector/filesystem/file_listing.h"
#include "frazil/serde/deserialization_schema.h"
#include "frazil/storage/file_io.h"
#include "frazil/stream/source.h"

namespace frazil::connector {

struct FileSourceOptions {
  std::shared_ptr<storage::FileIO> io;
  std::shared_ptr<const FileListing> listing;
  std::function<std::unique_ptr<serde::DeserializationSchema>()> make_decoder;
  std::optional<std::chrono::milliseconds> monitor_interval;  ///< nullopt: bounded
  int64_t split_size = 32 << 20;
  int64_t batch_rows = 16384;
  int64_t max_record_bytes = 64 << 20;
};

/// Lines of files → batches. Each file found is read once; a restored enumerator reads what it hasn't seen, so a
/// bounded job that is started again after its end reads the files that are new.
std::unique_ptr<stream::Source> MakeFileSource(FileSourceOptions options);

}  // namespace frazil::connector
