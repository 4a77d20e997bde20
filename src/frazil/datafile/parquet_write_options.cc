// SPDX-License-Identifier: Apache-2.0
#include "frazil/datafile/parquet_write_options.h"

#include <limits>

#include <arrow/memory_pool.h>
#include <arrow/util/compression.h>
#include <parquet/bloom_filter.h>
#include <parquet/properties.h>
#include <nlohmann/json.hpp>

#include "frazil/base/error.h"
#include "frazil/base/suggest.h"
#include "frazil/datafile/column_option.h"
#include "frazil/datafile/data_file_writer.h"
#include "frazil/iceberg/table_properties.h"

namespace frazil::datafile {

namespace {

namespace property = iceberg::property;

// Keys of Java's TableProperties.
constexpr char kRowGroupSize[] = "write.parquet.row-group-size-bytes";
constexpr char kTrackUncompressed[] = "write.parquet.row-group-size-track-uncompressed";
constexpr char kCheckMinRows[] = "write.parquet.row-group-check-min-record-count";
constexpr char kCheckMaxRows[] = "write.parquet.row-group-check-max-record-count";
constexpr char kPageSize[] = "write.parquet.page-size-bytes";
constexpr char kPageRows[] = "write.parquet.page-row-limit";
constexpr char kPageVersion[] = "write.parquet.page-version";
constexpr char kDictionarySize[] = "write.parquet.dict-size-bytes";
constexpr char kCompression[] = "write.parquet.compression-codec";
constexpr char kCompressionLevel[] = "write.parquet.compression-level";
constexpr char kBloomMaxBytes[] = "write.parquet.bloom-filter-max-bytes";
constexpr char kBloomAdaptive[] = "write.parquet.bloom-filter-adaptive-enabled";
constexpr char kShredVariants[] = "write.parquet.shred-variants";
constexpr char kVariantBuffer[] = "write.parquet.variant-inference-buffer-size";
constexpr char kBloomEnabled[] = "write.parquet.bloom-filter-enabled.column.";
constexpr char kBloomFpp[] = "write.parquet.bloom-filter-fpp.column.";
constexpr char kBloomNdv[] = "write.parquet.bloom-filter-ndv.column.";
constexpr char kStatsEnabled[] = "write.parquet.stats-enabled.column.";
constexpr char kDictEnabled[] = "write.parquet.dict-encoding-enabled.column.";

int64_t GetPositive(const OptionMap& properties, std::string_view key, int64_t default_value) {
  int64_t value = property::GetInt(properties, key, default_value);
  if (value <= 0) throw InvalidArgument("'{}' = {} must be positive", key, value);
  return value;
}

void RefuseUnknownKeys(const OptionMap& properties) {
  static const std::vector<std::string> kKeys = {kRowGroupSize,  kTrackUncompressed, kCheckMinRows,  kCheckMaxRows,
                                                 kPageSize,      kPageRows,          kPageVersion,   kDictionarySize,
                                                 kCompression,   kCompressionLevel,  kBloomMaxBytes, kBloomAdaptive,
                                                 kShredVariants, kVariantBuffer};
  static const std::vector<std::string> kColumnKeys = {kBloomEnabled, kBloomFpp, kBloomNdv, kStatsEnabled,
                                                       kDictEnabled};
  for (auto it = properties.lower_bound(property::kParquetPrefix);
       it != properties.end() && it->first.starts_with(property::kParquetPrefix); ++it) {
    const std::string& key = it->first;
    bool known = std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end() ||
                 std::any_of(kColumnKeys.begin(), kColumnKeys.end(),
                             [&](const std::string& prefix) { return key.starts_with(prefix); });
    if (known) continue;
    std::vector<std::string> candidates = kKeys;
    candidates.insert(candidates.end(), kColumnKeys.begin(), kColumnKeys.end());
    throw InvalidArgument("unknown table property '{}'{}", key, DidYouMean(key, candidates));
  }
}

arrow::Compression::type ParseCompression(std::string_view text) {
  std::string codec(text);
  std::transform(codec.begin(), codec.end(), codec.begin(), [](unsigned char c) { return std::tolower(c); });
  using arrow::Compression;
  static const std::map<std::string, Compression::type, std::less<>> kCodecs = {
      {"zstd", Compression::ZSTD},         {"gzip", Compression::GZIP},    {"snappy", Compression::SNAPPY},
      {"lz4", Compression::LZ4},           {"lz4_raw", Compression::LZ4},  {"uncompressed", Compression::UNCOMPRESSED},
      {"none", Compression::UNCOMPRESSED}, {"brotli", Compression::BROTLI}};
  auto it = kCodecs.find(codec);
  if (it == kCodecs.end()) {
    throw InvalidArgument("'{}' = '{}': use zstd, gzip, snappy, lz4, brotli or uncompressed", kCompression, text);
  }
  if (!arrow::util::Codec::IsAvailable(it->second)) {
    throw Unsupported("'{}' = '{}': this build's Arrow lacks the codec", kCompression, text);
  }
  return it->second;
}

}  // namespace

arrow::MemoryPool* EncodePool() {
  static arrow::MemoryPool* const kPool = [] {
    arrow::MemoryPool* pool = nullptr;
    return arrow::jemalloc_memory_pool(&pool).ok() ? pool : arrow::default_memory_pool();
  }();
  return kPool;
}

ParquetWriteOptions::ParquetWriteOptions(const iceberg::Schema& schema, const OptionMap& properties)
    : schema_(schema), layout_(MakeParquetLayout(schema)), metrics_modes_(ResolveMetricsModes(schema, properties)) {
  schema_json_ = iceberg::ToJson(schema).dump();
  RefuseUnknownKeys(properties);
  ResolveSizes(properties);
  ResolveCompression(properties);
  ResolveColumns(properties);
}

void ParquetWriteOptions::ResolveSizes(const OptionMap& properties) {
  row_group_bytes_ = GetPositive(properties, kRowGroupSize, kDefaultRowGroupBytes);
  track_uncompressed_ = property::GetBool(properties, kTrackUncompressed, false);
  check_min_rows_ = GetPositive(properties, kCheckMinRows, 100);
  check_max_rows_ = GetPositive(properties, kCheckMaxRows, 10'000);
  if (check_min_rows_ > check_max_rows_) {
    throw InvalidArgument("'{}' = {} is more than '{}' = {}", kCheckMinRows, check_min_rows_, kCheckMaxRows,
                          check_max_rows_);
  }
  page_bytes_ = GetPositive(properties, kPageSize, 1 << 20);
  page_rows_ = GetPositive(properties, kPageRows, 20'000);
  dictionary_bytes_ = GetPositive(properties, kDictionarySize, 2 << 20);
  for (auto [key, value] : {std::pair{kPageSize, page_bytes_}, std::pair{kDictionarySize, dictionary_bytes_}}) {
    if (value > std::numeric_limits<int32_t>::max()) {
      throw InvalidArgument("'{}' = {}: a Parquet page holds less than 2 GiB", key, value);
    }
  }
  std::string version = property::GetString(properties, kPageVersion, "v1");
  if (version != "v1" && version != "v2") throw InvalidArgument("'{}' = '{}': use v1 or v2", kPageVersion, version);
  data_page_v2_ = version == "v2";
  if (property::GetBool(properties, kShredVariants, false) || properties.contains(kVariantBuffer)) {
    throw Unsupported("'{}' and '{}': Frazil doesn't write variants yet", kShredVariants, kVariantBuffer);
  }
}

void ParquetWriteOptions::ResolveCompression(const OptionMap& properties) {
  compression_ = ParseCompression(property::GetString(properties, kCompression, "zstd"));
  auto level = properties.find(kCompressionLevel);
  if (level == properties.end()) return;
  int64_t value = ParseInt64(level->first, level->second);
  auto require = [&](int64_t min, int64_t max) {
    if (value < min || value > max) {
      throw InvalidArgument("'{}' = {} must be between {} and {} for '{}' = {}", kCompressionLevel, value, min, max,
                            kCompression, arrow::util::Codec::GetCodecAsString(compression_));
    }
  };
  switch (compression_) {
    case arrow::Compression::ZSTD: require(-7, 22); break;
    case arrow::Compression::GZIP: require(1, 9); break;
    case arrow::Compression::BROTLI: require(0, 11); break;
    default:
      throw InvalidArgument("'{}' is set, but '{}' = {} has no levels: remove one of them", kCompressionLevel,
                            kCompression, arrow::util::Codec::GetCodecAsString(compression_));
  }
  compression_level_ = static_cast<int>(value);
}

void ParquetWriteOptions::ResolveColumns(const OptionMap& properties) {
  using iceberg::NestedField;
  bloom_max_bytes_ = GetPositive(properties, kBloomMaxBytes, 1 << 20);
  bloom_fold_ = property::GetBool(properties, kBloomAdaptive, true);
  ForEachColumnOption(schema_, properties, kBloomEnabled, [&](const NestedField& field, auto key, auto value) {
    bool enabled = ParseBool(key, value);
    if (enabled && field.type.id() == iceberg::TypeId::kBoolean) {
      throw InvalidArgument("'{}': a boolean column can't have a bloom filter", key);
    }
    leaf_options_[field.id].bloom_filter = enabled;
  });
  ForEachColumnOption(schema_, properties, kBloomFpp, [&](const NestedField& field, auto key, auto value) {
    double fpp = ParseDouble(key, value);
    if (!(fpp > 0 && fpp < 1)) throw InvalidArgument("'{}' = {} must be between 0 and 1", key, value);
    leaf_options_[field.id].bloom_fpp = fpp;
  });
  ForEachColumnOption(schema_, properties, kBloomNdv, [&](const NestedField& field, auto key, auto value) {
    int64_t ndv = ParseInt64(key, value);
    if (ndv <= 0) throw InvalidArgument("'{}' = {} must be positive", key, value);
    leaf_options_[field.id].bloom_ndv = ndv;
  });
  ForEachColumnOption(schema_, properties, kStatsEnabled, [&](const NestedField& field, auto key, auto value) {
    leaf_options_[field.id].statistics = ParseBool(key, value);
  });
  ForEachColumnOption(schema_, properties, kDictEnabled, [&](const NestedField& field, auto key, auto value) {
    leaf_options_[field.id].dictionary = ParseBool(key, value);
  });
}

const LeafOptions& ParquetWriteOptions::leaf(int32_t field_id) const {
  static const LeafOptions kDefaults;
  auto it = leaf_options_.find(field_id);
  return it == leaf_options_.end() ? kDefaults : it->second;
}

/// The number of distinct values that a filter is made for: as asked, but no more than fit into
/// write.parquet.bloom-filter-max-bytes.
int64_t ParquetWriteOptions::BloomValues(const LeafOptions& leaf) const {
  auto bytes = [&](int64_t ndv) {
    return parquet::BlockSplitBloomFilter::OptimalNumOfBytes(static_cast<uint64_t>(ndv), leaf.bloom_fpp);
  };
  int64_t fits = 1;
  int64_t too_many = int64_t{1} << 40;
  while (too_many - fits > 1) {
    int64_t middle = fits + (too_many - fits) / 2;
    (bytes(middle) <= bloom_max_bytes_ ? fits : too_many) = middle;
  }
  return std::min(leaf.bloom_ndv.value_or(fits), fits);
}

std::shared_ptr<parquet::WriterProperties> ParquetWriteOptions::MakeProperties(
    const std::vector<LeafEncoding>& encodings) const {
  parquet::WriterProperties::Builder builder;
  builder.memory_pool(EncodePool())
      ->version(parquet::ParquetVersion::PARQUET_2_6)
      ->data_page_version(data_page_v2_ ? parquet::ParquetDataPageVersion::V2 : parquet::ParquetDataPageVersion::V1)
      ->data_pagesize(page_bytes_)
      ->max_rows_per_page(page_rows_)
      ->dictionary_pagesize_limit(dictionary_bytes_)
      ->write_batch_size(check_max_rows_)
      ->max_row_group_length(std::numeric_limits<int64_t>::max())
      // Level histograms: no reader makes use of them.
      ->set_size_statistics_level(parquet::SizeStatisticsLevel::None)
      ->compression(compression_);
  if (compression_level_) builder.compression_level(*compression_level_);
  for (size_t i = 0; i < layout_.leaves.size(); ++i) {
    const LeafColumn& column = layout_.leaves[i];
    const LeafOptions& options = leaf(column.field_id);
    if (!encodings[i].dictionary) builder.disable_dictionary(column.path);
    if (!options.statistics) builder.disable_statistics(column.path);
    if (adapts_zstd()) builder.codec_options(column.path, ZstdOptions(encodings[i].effort));
    if (options.bloom_filter) {
      builder.enable_bloom_filter(column.path, {BloomValues(options), options.bloom_fpp, bloom_fold_});
    }
  }
  return builder.build();
}

std::shared_ptr<const ParquetWriteOptions> ResolveParquetWriteOptions(const iceberg::Schema& schema,
                                                                      const OptionMap& table_properties) {
  return std::make_shared<const ParquetWriteOptions>(schema, table_properties);
}

}  // namespace frazil::datafile
