// SPDX-License-Identifier: Apache-2.0
// Reads the lines of one split in large chunks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <arrow/io/type_fwd.h>

#include "frazil/connector/filesystem/file_split.h"
#include "frazil/storage/file_io.h"

namespace frazil::connector {

/// Whole lines. The bytes are valid until the next call, with serde::kPadding readable bytes behind them.
struct LineChunk {
  std::span<const char> bytes;
  int64_t offset;  ///< of its first byte in the (decompressed) file
};

/// Reads lines from `split.position` on; a last line needs no newline. Not thread-safe.
class LineReader {
 public:
  /// Throws NotFound if the file is gone.
  LineReader(storage::FileIO& io, FileSplit split, int64_t max_line_bytes);
  ~LineReader();

  /// The next lines of the split, or nullopt at its end. Throws Corrupt, naming file and offset, for a damaged or
  /// truncated file; InvalidArgument for a line longer than the limit.
  std::optional<LineChunk> Next();

  /// The split with the position behind the last chunk given.
  const FileSplit& split() const { return split_; }

  /// The number (1-based) of the line that begins at `offset` of the split's file: reads the file from its begin.
  static int64_t LineNumberAt(storage::FileIO& io, const FileSplit& split, int64_t offset);

 private:
  void Open(storage::FileIO& io);
  /// Goes to `offset`, by reading where the file is compressed.
  void SkipTo(int64_t offset);
  /// Drops the line of the split before that reaches into this one.
  void AlignToLine();
  /// The number of bytes, from the begin of what is buffered, that may be given out; 0: more must be read.
  int64_t WholeLines() const;
  /// Reads more bytes behind those buffered; sets at_end_.
  void Fill();
  int64_t ReadSome(char* out, int64_t size);
  void ThrowDamaged(const arrow::Status& status);

  FileSplit split_;
  const FileCompression compression_;
  const int64_t max_line_bytes_;
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::shared_ptr<arrow::io::InputStream> stream_;
  std::vector<char> buffer_;
  int64_t begin_ = 0;        ///< of the bytes not given out, in buffer_; at split_.position in the file
  int64_t filled_ = 0;       ///< end of the bytes read, in buffer_
  int64_t read_offset_ = 0;  ///< in the file, of what is read next
  bool at_end_ = false;
};

}  // namespace frazil::connector
