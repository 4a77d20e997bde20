// SPDX-License-Identifier: Apache-2.0
// A part of a file, with the position to go on from.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/storage/file_io.h"
#include "frazil/stream/source.h"

namespace frazil::connector {

enum class FileCompression { kNone, kGzip, kZstd };

/// By the suffix of the name (.gz, .gzip, .zst). Throws Unsupported for suffixes of other compressions that Flink knows
/// (.bz2, .xz, .deflate), whose bytes would look like broken records.
FileCompression CompressionOf(std::string_view path);

/// Owns the lines that begin in [begin, end). Offsets are in the decompressed bytes.
struct FileSplit {
  static constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();

  std::string path;
  int64_t file_size = 0;  ///< stored bytes when the file was found
  int64_t begin = 0;
  int64_t end = kToTheEnd;
  /// Of the next byte to decode: `begin` (which may lie within a line of the split before) or the begin of a line.
  int64_t position = 0;
};

stream::SourceSplit EncodeSplit(const FileSplit& split);
/// Throws Corrupt, Unsupported.
FileSplit DecodeSplit(const stream::SourceSplit& split);

/// The splits of one file, in order: parts of about `split_size` of a plain file, else all of it.
std::vector<FileSplit> SplitFile(const storage::FileInfo& file, int64_t split_size);

}  // namespace frazil::connector
