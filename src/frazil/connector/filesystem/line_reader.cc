// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/filesystem/line_reader.h"

#include <arrow/io/compressed.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/compression.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"
#include "frazil/serde/deserialization_schema.h"

namespace frazil::connector {

namespace {

/// Small enough to stay in the cache between read and decode, large enough to make a call per chunk nothing.
constexpr int64_t kChunkBytes = 1 << 20;

/// Index of the first newline at or behind `from`, or -1.
int64_t FindNewline(const char* bytes, int64_t from, int64_t size) {
  if (from >= size) return -1;
  const void* found = std::memchr(bytes + from, '\n', static_cast<size_t>(size - from));
  return found == nullptr ? -1 : static_cast<const char*>(found) - bytes;
}

int64_t FindLastNewline(const char* bytes, int64_t size) {
  const void* found = memrchr(bytes, '\n', static_cast<size_t>(size));
  return found == nullptr ? -1 : static_cast<const char*>(found) - bytes;
}

std::shared_ptr<arrow::io::InputStream> Decompress(FileCompression compression,
                                                   const std::shared_ptr<arrow::io::RandomAccessFile>& file,
                                                   const std::string& path) {
  if (compression == FileCompression::kNone) return file;
  auto type = compression == FileCompression::kGzip ? arrow::Compression::GZIP : arrow::Compression::ZSTD;
  std::unique_ptr<arrow::util::Codec> codec = Unwrap(arrow::util::Codec::Create(type), path);
  return Unwrap(arrow::io::CompressedInputStream::Make(codec.get(), file), path);
}

}  // namespace

LineReader::LineReader(storage::FileIO& io, FileSplit split, int64_t max_line_bytes)
    : split_(std::move(split)),
      compression_(CompressionOf(split_.path)),
      max_line_bytes_(max_line_bytes),
      buffer_(static_cast<size_t>(kChunkBytes) + serde::kPadding) {
  Open(io);
  bool inside_line = split_.position == split_.begin && split_.begin > 0;
  SkipTo(inside_line ? split_.begin - 1 : split_.position);
  if (inside_line) AlignToLine();
}

LineReader::~LineReader() = default;

void LineReader::Open(storage::FileIO& io) {
  file_ = io.Open(split_.path);
  int64_t size = Unwrap(file_->GetSize(), split_.path);
  if (size < split_.file_size) {
    throw Corrupt("file {}: has {} bytes, it had {} when it was found; files must not change once they are there",
                  split_.path, size, split_.file_size);
  }
  stream_ = Decompress(compression_, file_, split_.path);
}

void LineReader::SkipTo(int64_t offset) {
  if (compression_ == FileCompression::kNone) {
    Check(file_->Seek(offset), split_.path);
    read_offset_ = offset;
    return;
  }
  while (read_offset_ < offset) {
    int64_t got = ReadSome(buffer_.data(), std::min(kChunkBytes, offset - read_offset_));
    if (got == 0) {
      throw Corrupt("file {}: ends at byte {} (decompressed), the checkpoint goes on at {}; files must not change",
                    split_.path, read_offset_, offset);
    }
  }
}

void LineReader::AlignToLine() {
  split_.position = read_offset_;
  for (;;) {
    if (filled_ == begin_ && at_end_) break;
    Fill();
    int64_t newline = FindNewline(buffer_.data(), begin_, filled_);
    if (newline >= 0) {
      split_.position += newline + 1 - begin_;
      begin_ = newline + 1;
      return;
    }
    split_.position += filled_ - begin_;
    begin_ = filled_ = 0;
    // The line goes on through the whole split: nothing begins here.
    if (at_end_ || split_.position >= split_.end) break;
  }
  split_.position = std::max(split_.position, split_.end);
}

std::optional<LineChunk> LineReader::Next() {
  for (;;) {
    if (split_.position >= split_.end || (at_end_ && begin_ == filled_)) return std::nullopt;
    if (int64_t size = WholeLines(); size > 0) {
      LineChunk chunk{{buffer_.data() + begin_, static_cast<size_t>(size)}, split_.position};
      begin_ += size;
      split_.position += size;
      return chunk;
    }
    if (filled_ - begin_ >= max_line_bytes_) {
      throw InvalidArgument(
          "file {}: the line at byte {} is longer than {} bytes; if it is one record, raise "
          "'frazil.source.max-record-bytes'",
          split_.path, split_.position, max_line_bytes_);
    }
    Fill();
  }
}

int64_t LineReader::WholeLines() const {
  const char* bytes = buffer_.data() + begin_;
  const int64_t size = filled_ - begin_;
  // The last line of the split is the one that holds its last byte.
  const int64_t to_last_byte = split_.end - 1 - split_.position;
  if (int64_t newline = FindNewline(bytes, to_last_byte, size); newline >= 0) return newline + 1;
  if (at_end_) return size;
  return FindLastNewline(bytes, size) + 1;
}

void LineReader::Fill() {
  int64_t rest = filled_ - begin_;
  std::memmove(buffer_.data(), buffer_.data() + begin_, static_cast<size_t>(rest));
  begin_ = 0;
  filled_ = rest;
  auto room = static_cast<int64_t>(buffer_.size() - serde::kPadding) - filled_;
  if (room < kChunkBytes / 2) {
    buffer_.resize(buffer_.size() * 2);
    room = static_cast<int64_t>(buffer_.size() - serde::kPadding) - filled_;
  }
  int64_t got = ReadSome(buffer_.data() + filled_, std::min(room, kChunkBytes));
  at_end_ = got == 0;
  filled_ += got;
}

int64_t LineReader::ReadSome(char* out, int64_t size) {
  arrow::Result<int64_t> got = stream_->Read(size, out);
  if (!got.ok()) ThrowDamaged(got.status());
  read_offset_ += *got;
  return *got;
}

void LineReader::ThrowDamaged(const arrow::Status& status) {
  // What the operating system reports has a detail; a codec's complaint has none.
  if (compression_ == FileCompression::kNone || status.detail() != nullptr) {
    ThrowStatus(status, fmt::format("file {} at byte {}", split_.path, read_offset_));
  }
  throw Corrupt("file {}: damaged or cut off behind byte {} of {} ({} decompressed): {}", split_.path,
                file_->Tell().ValueOr(-1), split_.file_size, read_offset_, status.message());
}

int64_t LineReader::LineNumberAt(storage::FileIO& io, const FileSplit& split, int64_t offset) {
  FileSplit whole = split;
  whole.begin = whole.position = 0;
  whole.end = offset;
  LineReader reader(io, whole, FileSplit::kToTheEnd);
  int64_t line = 1;
  while (std::optional<LineChunk> chunk = reader.Next()) {
    line += std::count(chunk->bytes.begin(), chunk->bytes.end(), '\n');
  }
  return line;
}

}  // namespace frazil::connector
