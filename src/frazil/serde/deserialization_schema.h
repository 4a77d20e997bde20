// SPDX-License-Identifier: Apache-2.0
// serde: bytes of a source ⇄ columns (Arrow record batches), by a table's physical row type.
//
// It decodes chunks of whole records and names the place of every bad one. It does not read files or topics, does not
// find record boundaries for splits, and knows nothing of splits, checkpoints or SQL: a connector hands it bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <arrow/type_fwd.h>

namespace frazil {
class OptionReader;
}

namespace frazil::serde {

/// Readable bytes that Decode needs behind a chunk; their values don't matter.
inline constexpr size_t kPadding = 64;

/// Where a chunk comes from; only error messages read it.
struct ChunkPosition {
  std::string origin;       ///< a file, or topic-partition
  int64_t first_line = 0;   ///< 1-based number of the chunk's first line; 0 = unknown, then messages give byte offsets
  int64_t byte_offset = 0;  ///< of the chunk's first byte
};

/// Turns encoded records into rows of one Arrow schema. Flink's DeserializationSchema, column-wise. Not thread-safe:
/// one per reader.
class DeserializationSchema {
 public:
  virtual ~DeserializationSchema() = default;

  /// Decodes a chunk of whole records, separated (and possibly ended) by '\n', and appends their rows to the buffer.
  /// A record never continues in the next chunk. `chunk.data()[chunk.size() .. chunk.size() + kPadding)` must be
  /// readable. Throws Corrupt naming origin, line, column and value of a bad record, unless the format was told
  /// to ignore it; the rows of the chunk before the bad record stay buffered.
  virtual void Decode(std::span<const char> chunk, const ChunkPosition& position) = 0;

  /// Rows appended since the last Take.
  virtual int64_t buffered_rows() const = 0;

  /// The buffered rows as one batch of the produced schema (an empty batch when there are none); the buffer is empty
  /// afterwards.
  virtual std::shared_ptr<arrow::RecordBatch> Take() = 0;

  /// Records (elements, where a record is an array) dropped so far because they are no rows of the schema and
  /// 'ignore-parse-errors' says to go on.
  virtual int64_t num_skipped() const = 0;

  /// Fields set to NULL so far because their value could not be converted and 'ignore-parse-errors' says to go on.
  virtual int64_t num_nulled_fields() const = 0;
};

}  // namespace frazil::serde
