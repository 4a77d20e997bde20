// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/filesystem/file_split.h"

#include "frazil/base/error.h"
#include "frazil/stream/state_codec.h"

namespace frazil::connector {

namespace {

constexpr uint64_t kVersion = 1;
/// A rest shorter than this share of a split goes with the split before it.
constexpr double kSlop = 0.1;

}  // namespace

FileCompression CompressionOf(std::string_view path) {
  if (path.ends_with(".gz") || path.ends_with(".gzip")) return FileCompression::kGzip;
  if (path.ends_with(".zst")) return FileCompression::kZstd;
  for (std::string_view suffix : {".bz2", ".xz", ".deflate"}) {
    if (path.ends_with(suffix)) {
      throw Unsupported("file {}: the compression '{}' is not supported, only .gz and .zst", path, suffix);
    }
  }
  return FileCompression::kNone;
}

stream::SourceSplit EncodeSplit(const FileSplit& split) {
  stream::StateEncoder out;
  out.Unsigned(kVersion);
  out.String(split.path);
  out.Signed(split.file_size);
  out.Signed(split.begin);
  out.Signed(split.end);
  out.Signed(split.position);
  return {fmt::format("{}:{}", split.path, split.begin), out.Take()};
}

FileSplit DecodeSplit(const stream::SourceSplit& encoded) {
  stream::StateDecoder in(encoded.state, encoded.id);
  in.Version(kVersion);
  FileSplit split;
  split.path = in.String();
  split.file_size = in.Signed();
  split.begin = in.Signed();
  split.end = in.Signed();
  split.position = in.Signed();
  return split;
}

std::vector<FileSplit> SplitFile(const storage::FileInfo& file, int64_t split_size) {
  if (CompressionOf(file.location) != FileCompression::kNone) {
    return {{file.location, file.size, 0, FileSplit::kToTheEnd, 0}};
  }
  const auto slop = static_cast<int64_t>(static_cast<double>(split_size) * kSlop);
  std::vector<FileSplit> splits;
  for (int64_t begin = 0; begin < file.size;) {
    int64_t end = file.size - begin <= split_size + slop ? file.size : begin + split_size;
    splits.push_back({file.location, file.size, begin, end, begin});
    begin = end;
  }
  return splits;
}

}  // namespace frazil::connector
