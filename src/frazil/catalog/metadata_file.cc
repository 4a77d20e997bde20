// SPDX-License-Identifier: Apache-2.0
#include "frazil/catalog/metadata_file.h"

#include <charconv>

#include <zlib.h>

#include "frazil/base/error.h"
#include "frazil/base/fault.h"
#include "frazil/base/uuid.h"
#include "frazil/iceberg/table_properties.h"
#include "frazil/storage/file_io.h"

namespace frazil::catalog {

namespace {

constexpr std::string_view kSuffix = ".metadata.json";
constexpr std::string_view kGzipSuffix = ".gz.metadata.json";
constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
/// zlib's window bits for the gzip format.
constexpr int kGzipWindow = 15 + 16;
/// Metadata beyond this is taken for a decompression bomb.
constexpr size_t kMaxMetadataBytes = size_t{1} << 30;

std::string Gzip(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Internal("zlib can't start to compress");
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  int code = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw Internal("zlib can't compress table metadata: code {}", code);
  return out;
}

std::string Gunzip(std::string_view bytes, std::string_view origin) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw Internal("zlib can't start to decompress");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int code = Z_OK;
  while (code == Z_OK && out.size() < kMaxMetadataBytes) {
    size_t filled = out.size();
    out.resize(std::max<size_t>(filled * 2, bytes.size() * 4 + 64));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
    stream.avail_out = static_cast<uInt>(out.size() - filled);
    code = inflate(&stream, Z_NO_FLUSH);
    out.resize(stream.total_out);
    if (code == Z_OK && stream.avail_in == 0 && stream.avail_out != 0) break;  // cut off
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END) throw Corrupt("{}: not a whole gzip stream", origin);
  return out;
}

bool WritesGzip(const iceberg::TableMetadata& metadata) {
  std::string codec =
      iceberg::property::GetString(metadata.properties, iceberg::property::kMetadataCompression, "none");
  std::string lower = codec;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "none") return false;
  if (lower == "gzip") return true;
  throw InvalidArgument("table property '{}' is '{}': only none and gzip are allowed",
                        iceberg::property::kMetadataCompression, codec);
}

/// The number at the start of the file's name; -1 if there is none (Java: BaseMetastoreTableOperations.parseVersion).
int VersionOf(std::string_view location) {
  std::string_view name = location.substr(location.rfind('/') + 1);
  size_t dash = name.find('-');
  int version = -1;
  if (dash == std::string_view::npos) return -1;
  auto [end, error] = std::from_chars(name.data(), name.data() + dash, version);
  return error == std::errc() && end == name.data() + dash && version >= 0 ? version : -1;
}

}  // namespace

std::string MetadataFolder(const iceberg::TableMetadata& metadata) {
  std::string folder = iceberg::property::GetString(metadata.properties, iceberg::property::kMetadataPath,
                                                    metadata.location + "/metadata");
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

std::string NewMetadataLocation(const iceberg::TableMetadata& metadata, std::string_view previous) {
  return fmt::format("{}/{:05d}-{}{}", MetadataFolder(metadata), VersionOf(previous) + 1, ToString(RandomUuid()),
                     WritesGzip(metadata) ? kGzipSuffix : kSuffix);
}

void WriteMetadata(storage::FileIO& io, const std::string& location, const iceberg::TableMetadata& metadata) {
  std::string text = ToJsonString(metadata);
  FaultPoint("metadata-write.before");
  io.WriteAll(location, location.ends_with(kGzipSuffix) ? Gzip(text) : text);
  FaultPoint("metadata-write.after");
}

iceberg::TableMetadataPtr ReadMetadata(storage::FileIO& io, const std::string& location) {
  std::string text = io.ReadAll(location);
  if (text.starts_with(kGzipMagic)) text = Gunzip(text, location);
  if (text.starts_with(kZstdMagic)) throw Unsupported("{}: metadata compressed with zstd can't be read", location);
  return std::make_shared<const iceberg::TableMetadata>(iceberg::TableMetadataFromJson(text, location));
}

}  // namespace frazil::catalog
