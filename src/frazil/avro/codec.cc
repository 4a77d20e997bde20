// SPDX-License-Identifier: Apache-2.0
#include "frazil/avro/codec.h"

#include <algorithm>
#include <limits>

#include <zlib.h>
#include <zstd.h>

#include <arrow/util/compression.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"

namespace frazil::avro {

namespace {

constexpr size_t kFirstOutput = size_t{128} << 10;

/// Makes room for more output behind the `used` bytes of `out`. Doubles, so that memory follows what was produced.
void Grow(std::string& out, size_t used, size_t max_size) {
  if (used >= max_size) throw Corrupt("the block decompresses to more than {} bytes", max_size);
  out.resize(std::min(max_size, std::max(kFirstOutput, used * 2)));
}

void CheckLevel(Codec codec, int level, int least, int most) {
  if (level < least || level > most) {
    throw InvalidArgument("compression level {} of {} is not in {} … {}", level, ToString(codec), least, most);
  }
}

// ---- deflate: raw, without zlib's header and checksum ----

constexpr int kRawWindowBits = -15;

class DeflateCompressor final : public BlockCompressor {
 public:
  explicit DeflateCompressor(int level) {
    CheckLevel(Codec::kDeflate, level, 0, 9);
    constexpr int kMemLevel = 8;
    if (deflateInit2(&stream_, level, Z_DEFLATED, kRawWindowBits, kMemLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw Internal("zlib could not be initialized");
    }
  }
  ~DeflateCompressor() override { deflateEnd(&stream_); }

  void Compress(std::string_view data, std::string& out) override {
    if (data.size() > std::numeric_limits<uInt>::max()) {
      throw InvalidArgument("an Avro block of {} bytes is too large for deflate", data.size());
    }
    deflateReset(&stream_);
    out.resize(deflateBound(&stream_, data.size()));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream_.avail_in = static_cast<uInt>(data.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    if (deflate(&stream_, Z_FINISH) != Z_STREAM_END) throw Internal("deflate did not finish within its bound");
    out.resize(stream_.total_out);
  }

 private:
  z_stream stream_{};
};

class DeflateDecompressor final : public BlockDecompressor {
 public:
  DeflateDecompressor() {
    if (inflateInit2(&stream_, kRawWindowBits) != Z_OK) throw Internal("zlib could not be initialized");
  }
  ~DeflateDecompressor() override { inflateEnd(&stream_); }

  void Decompress(std::string_view data, size_t max_size, std::string& out) override {
    if (data.size() > std::numeric_limits<uInt>::max()) throw Corrupt("a deflate block of {} bytes", data.size());
    inflateReset(&stream_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream_.avail_in = static_cast<uInt>(data.size());
    size_t used = 0;
    for (;;) {
      Grow(out, used, max_size);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + used);
      stream_.avail_out = static_cast<uInt>(out.size() - used);
      const int result = inflate(&stream_, Z_NO_FLUSH);
      used = out.size() - stream_.avail_out;
      // What follows the end is ignored: PyIceberg leaves bytes of zlib's checksum behind it.
      if (result == Z_STREAM_END) break;
      if (result != Z_OK && result != Z_BUF_ERROR) {
        throw Corrupt("wrong deflate data: {}", stream_.msg != nullptr ? stream_.msg : "unknown error");
      }
      if (stream_.avail_out != 0) throw Corrupt("the deflate data end too early");
    }
    out.erase(used);
  }

 private:
  z_stream stream_{};
};

// ---- zstandard ----

class ZstdCompressor final : public BlockCompressor {
 public:
  explicit ZstdCompressor(int level) : level_(level) {
    CheckLevel(Codec::kZstandard, level, 1, ZSTD_maxCLevel());
    if (context_ == nullptr) throw Internal("zstandard could not be initialized");
  }

  void Compress(std::string_view data, std::string& out) override {
    out.resize(ZSTD_compressBound(data.size()));
    const size_t size = ZSTD_compressCCtx(context_.get(), out.data(), out.size(), data.data(), data.size(), level_);
    if (ZSTD_isError(size)) throw Internal("zstandard: {}", ZSTD_getErrorName(size));
    out.resize(size);
  }

 private:
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_{ZSTD_createCCtx(), &ZSTD_freeCCtx};
  int level_;
};

class ZstdDecompressor final : public BlockDecompressor {
 public:
  ZstdDecompressor() {
    if (context_ == nullptr) throw Internal("zstandard could not be initialized");
  }

  // Streaming, because writers don't always state the content size in the frame, and because it may lie.
  void Decompress(std::string_view data, size_t max_size, std::string& out) override {
    ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
    ZSTD_inBuffer in{data.data(), data.size(), 0};
    size_t used = 0;
    size_t expected = data.empty() ? 1 : 0;
    while (in.pos < in.size || expected != 0) {
      Grow(out, used, max_size);
      ZSTD_outBuffer piece{out.data() + used, out.size() - used, 0};
      expected = ZSTD_decompressStream(context_.get(), &piece, &in);
      if (ZSTD_isError(expected)) throw Corrupt("wrong zstandard data: {}", ZSTD_getErrorName(expected));
      used += piece.pos;
      if (expected != 0 && in.pos == in.size && piece.pos < piece.size) {
        throw Corrupt("the zstandard data end too early");
      }
    }
    out.resize(used);
  }

 private:
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_{ZSTD_createDCtx(), &ZSTD_freeDCtx};
};

// ---- snappy: a raw snappy block, then the CRC-32 of the uncompressed bytes, big endian ----

constexpr size_t kCrcSize = 4;

uint32_t Crc32(std::string_view data) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

std::unique_ptr<arrow::util::Codec> MakeArrowSnappy() {
  if (!arrow::util::Codec::IsAvailable(arrow::Compression::SNAPPY)) {
    throw Unsupported("Avro codec snappy: this build of Arrow has no snappy");
  }
  return Unwrap(arrow::util::Codec::Create(arrow::Compression::SNAPPY), "snappy");
}

class SnappyCompressor final : public BlockCompressor {
 public:
  void Compress(std::string_view data, std::string& out) override {
    const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
    const auto size = static_cast<int64_t>(data.size());
    out.resize(static_cast<size_t>(codec_->MaxCompressedLen(size, bytes)));
    const int64_t used =
        Unwrap(codec_->Compress(size, bytes, static_cast<int64_t>(out.size()), reinterpret_cast<uint8_t*>(out.data())),
               "snappy");
    out.resize(static_cast<size_t>(used));
    const uint32_t crc = Crc32(data);
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(crc >> shift));
  }

 private:
  std::unique_ptr<arrow::util::Codec> codec_ = MakeArrowSnappy();
};

class SnappyDecompressor final : public BlockDecompressor {
 public:
  void Decompress(std::string_view data, size_t max_size, std::string& out) override {
    if (data.size() < kCrcSize) throw Corrupt("a snappy block of {} bytes has no checksum", data.size());
    const std::string_view body = data.substr(0, data.size() - kCrcSize);
    out.resize(UncompressedSize(body, max_size));
    const auto* bytes = reinterpret_cast<const uint8_t*>(body.data());
    const auto result = codec_->Decompress(static_cast<int64_t>(body.size()), bytes, static_cast<int64_t>(out.size()),
                                           reinterpret_cast<uint8_t*>(out.data()));
    if (!result.ok()) throw Corrupt("wrong snappy data: {}", result.status().message());
    if (*result != static_cast<int64_t>(out.size())) throw Corrupt("the snappy data end too early");
    uint32_t stored = 0;
    for (const char byte : data.substr(body.size())) stored = stored << 8 | static_cast<uint8_t>(byte);
    if (stored != Crc32(out)) throw Corrupt("the checksum of the snappy block is wrong");
  }

 private:
  // The block starts with its uncompressed size, a 32-bit varint, which is not to be believed: three bytes of snappy
  // can't stand for more than 64.
  static size_t UncompressedSize(std::string_view body, size_t max_size) {
    constexpr size_t kMostRatio = 64;
    uint64_t size = 0;
    for (size_t i = 0; i < 5 && i < body.size(); ++i) {
      const auto byte = static_cast<uint8_t>(body[i]);
      size |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
      if (byte >= 0x80) continue;
      if (size > max_size || size > body.size() * kMostRatio) {
        throw Corrupt("a snappy block of {} bytes claims to hold {}", body.size(), size);
      }
      return static_cast<size_t>(size);
    }
    throw Corrupt("a snappy block without length");
  }

  std::unique_ptr<arrow::util::Codec> codec_ = MakeArrowSnappy();
};

}  // namespace

std::unique_ptr<BlockCompressor> MakeCompressor(Codec codec, std::optional<int> level) {
  constexpr int kDeflateLevel = 6;
  switch (codec) {
    case Codec::kNull: return nullptr;
    case Codec::kDeflate: return std::make_unique<DeflateCompressor>(level.value_or(kDeflateLevel));
    case Codec::kSnappy: return std::make_unique<SnappyCompressor>();
    case Codec::kZstandard: return std::make_unique<ZstdCompressor>(level.value_or(ZSTD_CLEVEL_DEFAULT));
  }
  throw Internal("Avro codec {}", static_cast<int>(codec));
}

std::unique_ptr<BlockDecompressor> MakeDecompressor(Codec codec) {
  switch (codec) {
    case Codec::kNull: return nullptr;
    case Codec::kDeflate: return std::make_unique<DeflateDecompressor>();
    case Codec::kSnappy: return std::make_unique<SnappyDecompressor>();
    case Codec::kZstandard: return std::make_unique<ZstdDecompressor>();
  }
  throw Internal("Avro codec {}", static_cast<int>(codec));
}

}  // namespace frazil::avro
