// SPDX-License-Identifier: Apache-2.0
// Avro object container files: a header (magic, metadata, sync marker), then blocks of encoded records, each
// compressed and closed by the sync marker. Whole files in memory: a manifest is about 8 MB.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "frazil/avro/decoder.h"
#include "frazil/avro/encoder.h"
#include "frazil/avro/schema.h"

namespace frazil::avro {

class BlockCompressor;
class BlockDecompressor;

enum class Codec : uint8_t { kNull, kDeflate, kSnappy, kZstandard };

/// Avro's name of the codec: "null", "deflate", "snappy", "zstandard".
std::string_view ToString(Codec codec);
/// The codec that `avro.codec` names. Unsupported for Avro's other codecs (bzip2, xz) and unknown ones.
Codec CodecFromName(std::string_view name);
/// The codec that Iceberg's `write.avro.compression-codec` names: "uncompressed", "gzip" (Avro's deflate), "snappy",
/// "zstd", without regard to case. InvalidArgument for others.
Codec CodecFromIcebergName(std::string_view name);

/// Key-value metadata of a file; values are bytes.
using Metadata = std::map<std::string, std::string, std::less<>>;

/// A block of records, decompressed.
struct Block {
  int64_t record_count = 0;
  std::string_view records;  ///< the encoded records, one after another; valid until the next block is read
  uint64_t offset = 0;       ///< of the block in the file
};

/// Reads a file. The records themselves are read with decoder(), by the writer's schema():
///
///     ObjectContainerReader reader(bytes, path);
///     while (reader.NextRecord()) ReadEntry(reader.decoder());
class ObjectContainerReader {
 public:
  /// A block that claims to be larger than this when decompressed is refused as Corrupt.
  static constexpr size_t kMaxBlockBytes = size_t{1} << 30;

  /// Reads the header of `file`, the file's bytes, which must outlive the reader and all views taken from it. `name`
  /// (its path) stands in every message. Corrupt if the bytes are no Avro file (empty, other magic, truncated header,
  /// no or a wrong schema), Unsupported for an unknown codec.
  ObjectContainerReader(std::string_view file, std::string name);
  ~ObjectContainerReader();
  ObjectContainerReader(const ObjectContainerReader&) = delete;
  ObjectContainerReader& operator=(const ObjectContainerReader&) = delete;

  /// The writer's schema.
  const Schema& schema() const { return schema_; }
  /// All metadata, `avro.schema` and `avro.codec` included.
  const Metadata& metadata() const { return metadata_; }
  /// The metadata value of `key`; nullopt if there is none.
  std::optional<std::string_view> FindMetadata(std::string_view key) const;
  Codec codec() const { return codec_; }
  const std::string& name() const { return name_; }

  /// Moves to the next record, reading the next block where needed: false at the end of the file. The caller must have
  /// read the record before exactly: Corrupt if a block's records don't end with the block. Also Corrupt if a block is
  /// truncated, doesn't decompress or isn't followed by the file's sync marker.
  bool NextRecord();
  /// Where the record's fields are read from; views that it returns are valid until NextRecord moves to another block.
  BinaryDecoder& decoder() { return decoder_; }

  /// Block by block instead: the next block with at least one record, nullopt at the end. Not to be mixed with
  /// NextRecord.
  std::optional<Block> NextBlock();

 private:
  void ReadHeader();
  std::string_view Decompress(std::string_view data, uint64_t offset);

  std::string_view file_;
  std::string name_;
  Schema schema_;
  Metadata metadata_;
  Codec codec_ = Codec::kNull;
  std::string_view sync_marker_;
  BinaryDecoder file_decoder_;
  BinaryDecoder decoder_;
  int64_t records_left_ = 0;
  std::string place_;  ///< name_ and the block's offset, for messages
  std::string decompressed_;
  std::unique_ptr<BlockDecompressor> decompressor_;  ///< none for Codec::kNull
};

struct WriterOptions {
  Codec codec = Codec::kDeflate;
  /// Of the codec's own scale; not set: its default (deflate 6, zstandard 3). Ignored by null and snappy, which have
  /// none. InvalidArgument outside deflate 0…9, zstandard 1…22.
  std::optional<int> compression_level;
  /// A block is closed when its records have reached this many bytes before compression.
  size_t block_bytes = size_t{64} << 10;
  /// Random if not set.
  std::optional<std::array<char, 16>> sync_marker;
};

/// Builds a file in memory:
///
///     ObjectContainerWriter writer(schema, {{"format-version", "2"}}, {});
///     WriteEntry(writer.encoder()); writer.EndRecord();
///     std::string bytes = std::move(writer).Finish();
class ObjectContainerWriter {
 public:
  /// `metadata` must not set `avro.schema` and `avro.codec`, which come from `schema` and `options`: InvalidArgument.
  ObjectContainerWriter(const Schema& schema, const Metadata& metadata, WriterOptions options);
  ~ObjectContainerWriter();
  ObjectContainerWriter(ObjectContainerWriter&&) noexcept;
  ObjectContainerWriter& operator=(ObjectContainerWriter&&) noexcept;

  /// Where the fields of the next record are written, by the schema; what is written is not checked against it.
  BinaryEncoder& encoder() { return block_; }
  /// Ends the record.
  void EndRecord();
  /// A record that is encoded already.
  void AppendRecord(std::string_view encoded);

  int64_t record_count() const { return record_count_; }
  /// Length of the file if it ended here, an upper estimate: records that aren't compressed yet count in full.
  size_t EstimatedLength() const { return file_.size() + block_.size(); }

  /// Ends the file and gives its bytes.
  std::string Finish() &&;

 private:
  void FlushBlock();

  WriterOptions options_;
  std::array<char, 16> sync_marker_{};
  std::string file_;
  BinaryEncoder block_;
  int64_t block_records_ = 0;
  int64_t record_count_ = 0;
  std::string compressed_;
  std::unique_ptr<BlockCompressor> compressor_;  ///< none for Codec::kNull
};

}  // namespace frazil::avro
