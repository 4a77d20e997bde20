// SPDX-License-Identifier: Apache-2.0
#include "frazil/avro/container.h"

#include <algorithm>
#include <utility>

#include "frazil/avro/codec.h"
#include "frazil/base/error.h"
#include "frazil/base/uuid.h"

namespace frazil::avro {

namespace {

constexpr std::string_view kMagic("Obj\x01", 4);
constexpr size_t kSyncSize = 16;
constexpr std::string_view kSchemaKey = "avro.schema";
constexpr std::string_view kCodecKey = "avro.codec";
constexpr std::array<std::string_view, 4> kCodecNames = {"null", "deflate", "snappy", "zstandard"};

std::array<char, kSyncSize> RandomSyncMarker() {
  const Uuid uuid = RandomUuid();
  std::array<char, kSyncSize> marker{};
  std::copy(uuid.begin(), uuid.end(), marker.begin());
  return marker;
}

}  // namespace

std::string_view ToString(Codec codec) { return kCodecNames[static_cast<size_t>(codec)]; }

Codec CodecFromName(std::string_view name) {
  for (size_t i = 0; i < kCodecNames.size(); ++i) {
    if (kCodecNames[i] == name) return static_cast<Codec>(i);
  }
  throw Unsupported("Avro codec \"{}\": Frazil knows {}", name, fmt::join(kCodecNames, ", "));
}

Codec CodecFromIcebergName(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower == "uncompressed") return Codec::kNull;
  if (lower == "gzip") return Codec::kDeflate;
  if (lower == "snappy") return Codec::kSnappy;
  if (lower == "zstd") return Codec::kZstandard;
  throw InvalidArgument("Avro compression codec \"{}\": give one of uncompressed, gzip, snappy, zstd", name);
}

// ---- reader ----

ObjectContainerReader::ObjectContainerReader(std::string_view file, std::string name)
    : file_(file), name_(std::move(name)), file_decoder_(file, name_) {
  ReadHeader();
}

ObjectContainerReader::~ObjectContainerReader() = default;

void ObjectContainerReader::ReadHeader() {
  if (file_.empty()) throw Corrupt("{}: not an Avro file: it is empty", name_);
  if (!file_.starts_with(kMagic)) throw Corrupt("{}: not an Avro file: it doesn't start with \"Obj\" and 1", name_);
  file_decoder_.Skip(kMagic.size());
  static const Schema kBytes = Schema::Primitive(Type::kBytes);
  file_decoder_.ReadMap(kBytes, [&](std::string_view key) {
    metadata_.insert_or_assign(std::string(key), std::string(file_decoder_.ReadBytes()));
  });
  if (file_decoder_.remaining() < kSyncSize) throw Corrupt("{}: the file ends within its header", name_);
  sync_marker_ = file_decoder_.ReadFixed(kSyncSize);
  const auto schema = FindMetadata(kSchemaKey);
  if (!schema) throw Corrupt("{}: the header has no {}", name_, kSchemaKey);
  try {
    schema_ = Schema::Parse(*schema);
    codec_ = CodecFromName(FindMetadata(kCodecKey).value_or("null"));
    decompressor_ = MakeDecompressor(codec_);
  } catch (const Error& e) {
    throw e.WithContext(name_);
  }
}

std::optional<std::string_view> ObjectContainerReader::FindMetadata(std::string_view key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) return std::nullopt;
  return found->second;
}

std::optional<Block> ObjectContainerReader::NextBlock() {
  while (!file_decoder_.at_end()) {
    Block block;
    block.offset = file_decoder_.offset();
    block.record_count = file_decoder_.ReadLong();
    const std::string_view data = file_decoder_.ReadBytes();
    if (file_decoder_.remaining() < kSyncSize) {
      throw Corrupt("{}: the file ends within the block at offset {}", name_, block.offset);
    }
    if (file_decoder_.ReadFixed(kSyncSize) != sync_marker_) {
      throw Corrupt("{}: no sync marker behind the block at offset {}", name_, block.offset);
    }
    block.records = Decompress(data, block.offset);
    const size_t least = schema_.min_encoded_size();
    const size_t most = least == 0 ? BinaryDecoder::kMaxEmptyItems : block.records.size() / least;
    if (block.record_count < 0 || static_cast<uint64_t>(block.record_count) > most) {
      throw Corrupt("{}: the block at offset {} claims {} records in {} bytes", name_, block.offset, block.record_count,
                    block.records.size());
    }
    if (block.record_count > 0) return block;
    if (!block.records.empty())
      throw Corrupt("{}: the block at offset {} has bytes but no records", name_, block.offset);
  }
  return std::nullopt;
}

std::string_view ObjectContainerReader::Decompress(std::string_view data, uint64_t offset) {
  if (decompressor_ == nullptr) return data;
  try {
    decompressor_->Decompress(data, kMaxBlockBytes, decompressed_);
  } catch (const Error& e) {
    throw e.WithContext(fmt::format("{}, block at offset {}", name_, offset));
  }
  return decompressed_;
}

bool ObjectContainerReader::NextRecord() {
  if (records_left_ == 0) {
    if (!decoder_.at_end()) {
      throw Corrupt("{}: {} bytes are left behind the last record", place_, decoder_.remaining());
    }
    const auto block = NextBlock();
    if (!block) return false;
    place_ = fmt::format("{}, block at offset {}", name_, block->offset);
    decoder_ = BinaryDecoder(block->records, place_);
    records_left_ = block->record_count;
  }
  --records_left_;
  return true;
}

// ---- writer ----

ObjectContainerWriter::ObjectContainerWriter(const Schema& schema, const Metadata& metadata, WriterOptions options)
    : options_(options),
      sync_marker_(options.sync_marker ? *options.sync_marker : RandomSyncMarker()),
      compressor_(MakeCompressor(options.codec, options.compression_level)) {
  Metadata all = metadata;
  for (const std::string_view key : {kSchemaKey, kCodecKey}) {
    if (all.contains(key)) throw InvalidArgument("Avro metadata key {} is set by the writer itself", key);
  }
  all.emplace(kSchemaKey, schema.ToString());
  all.emplace(kCodecKey, ToString(options_.codec));
  BinaryEncoder header;
  header.WriteFixed(kMagic);
  header.WriteItems(all, [&](const auto& entry) {
    header.WriteString(entry.first);
    header.WriteBytes(entry.second);
  });
  header.WriteFixed({sync_marker_.data(), sync_marker_.size()});
  file_ = header.Take();
}

ObjectContainerWriter::~ObjectContainerWriter() = default;
ObjectContainerWriter::ObjectContainerWriter(ObjectContainerWriter&&) noexcept = default;
ObjectContainerWriter& ObjectContainerWriter::operator=(ObjectContainerWriter&&) noexcept = default;

void ObjectContainerWriter::EndRecord() {
  ++block_records_;
  ++record_count_;
  if (block_.size() >= options_.block_bytes) FlushBlock();
}

void ObjectContainerWriter::AppendRecord(std::string_view encoded) {
  block_.WriteFixed(encoded);
  EndRecord();
}

void ObjectContainerWriter::FlushBlock() {
  if (block_records_ == 0) return;
  std::string_view data = block_.buffer();
  if (compressor_ != nullptr) {
    compressor_->Compress(data, compressed_);
    data = compressed_;
  }
  BinaryEncoder prefix;
  prefix.WriteLong(block_records_);
  prefix.WriteLong(static_cast<int64_t>(data.size()));
  file_ += prefix.buffer();
  file_ += data;
  file_.append(sync_marker_.data(), sync_marker_.size());
  block_.Clear();
  block_records_ = 0;
}

std::string ObjectContainerWriter::Finish() && {
  FlushBlock();
  return std::move(file_);
}

}  // namespace frazil::avro
