// SPDX-License-Identifier: Apache-2.0
// Compression of the blocks of an object container file. Used by container.cc only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "frazil/avro/container.h"

namespace frazil::avro {

/// Compresses block after block with one codec.
class BlockCompressor {
 public:
  virtual ~BlockCompressor() = default;
  /// Replaces `out` by the compressed `data`.
  virtual void Compress(std::string_view data, std::string& out) = 0;
};

/// Decompresses block after block.
class BlockDecompressor {
 public:
  virtual ~BlockDecompressor() = default;
  /// Replaces `out` by what `data` decompresses to. Corrupt if `data` is not of the codec or the result is larger than
  /// `max_size`; memory grows with what really comes out, not with what the data claim.
  virtual void Decompress(std::string_view data, size_t max_size, std::string& out) = 0;
};

/// nullptr for Codec::kNull. InvalidArgument for a level that the codec doesn't have.
std::unique_ptr<BlockCompressor> MakeCompressor(Codec codec, std::optional<int> level);
/// nullptr for Codec::kNull.
std::unique_ptr<BlockDecompressor> MakeDecompressor(Codec codec);

}  // namespace frazil::avro
