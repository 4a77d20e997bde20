// SPDX-License-Identifier: Apache-2.0
#include "frazil/datafile/encoding_choice.h"

#include <cmath>

#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_primitive.h>
#include <arrow/util/compression.h>
#include <zstd.h>

#include "frazil/base/arrow_status.h"

namespace frazil::datafile {

namespace {

constexpr int64_t kSampleValues = 16 << 10;
constexpr size_t kSampleBytes = 256 << 10;
/// Below this a trial says nothing.
constexpr size_t kMinTrialBytes = 4 << 10;

/// The part of sampled values that may be distinct where a dictionary is to pay. Numbers are hardly wider than the
/// indices that would stand for them, and zstd finds most of what repeats in them.
constexpr double kNarrowBytes = 8;
constexpr double kNarrowDistinct = 0.3;
constexpr double kWideDistinct = 0.7;
/// So few say little of the rest, and cost nothing either way.
constexpr int64_t kFewValues = 64;

/// ZSTD_c_literalCompressionMode, which zstd.h names only for static linking: 1 codes literals always.
constexpr int kLiteralCompressionMode = ZSTD_c_experimentalParam5;
constexpr double kTolerance = 1.05;

uint64_t Hash(std::string_view bytes) { return std::hash<std::string_view>()(bytes); }

/// How many distinct values a column has, if `distinct` of `sampled` draws were: inverts distinct = n(1 −
/// e^(−sampled/n)).
double ExpectedDistinct(double distinct, double sampled) {
  double n = distinct;
  for (int i = 0; i < 20; ++i) n = distinct / (1 - std::exp(-sampled / n));
  return n;
}

size_t CompressedSize(const std::string& plain, ZstdEffort effort) {
  std::unique_ptr<arrow::util::Codec> codec =
      Unwrap(arrow::util::Codec::Create(arrow::Compression::ZSTD, *ZstdOptions(effort)), "zstd");
  const auto* input = reinterpret_cast<const uint8_t*>(plain.data());
  int64_t size = static_cast<int64_t>(plain.size());
  std::vector<uint8_t> output(static_cast<size_t>(codec->MaxCompressedLen(size, input)));
  return static_cast<size_t>(
      Unwrap(codec->Compress(size, input, static_cast<int64_t>(output.size()), output.data()), "zstd"));
}

}  // namespace

std::shared_ptr<arrow::util::CodecOptions> ZstdOptions(ZstdEffort effort) {
  auto options = std::make_shared<arrow::util::ZstdCodecOptions>();
  options->compression_level = effort == ZstdEffort::kEntropy || effort == ZstdEffort::kFast ? 1 : 3;
  switch (effort) {
    case ZstdEffort::kEntropy:
      // For the fast strategy, the target length is how many positions it may skip where nothing matches.
      options->compression_context_params = {
          {ZSTD_c_minMatch, 7}, {ZSTD_c_targetLength, 1000}, {kLiteralCompressionMode, 1}};
      break;
    case ZstdEffort::kFast: options->compression_context_params = {{ZSTD_c_minMatch, 6}}; break;
    case ZstdEffort::kLight: options->compression_context_params = {{ZSTD_c_hashLog, 16}, {ZSTD_c_chainLog, 13}}; break;
    case ZstdEffort::kDefault: break;
  }
  return options;
}

void LeafSample::AddValue(std::string_view bytes) {
  ++value_count_;
  byte_count_ += static_cast<int64_t>(bytes.size());
  hashes_.push_back(Hash(bytes));
  if (plain_.size() >= kSampleBytes) return;
  if (type_.id() == iceberg::TypeId::kString || type_.id() == iceberg::TypeId::kBinary) {
    uint32_t length = static_cast<uint32_t>(bytes.size());
    plain_.append(reinterpret_cast<const char*>(&length), sizeof(length));
  }
  plain_.append(bytes.substr(0, kSampleBytes));
}

void LeafSample::Add(const arrow::Array& values) {
  auto add_all = [&](auto view) {
    for (int64_t i = 0; i < values.length() && value_count_ < kSampleValues; ++i) {
      if (values.IsValid(i)) AddValue(view(i));
    }
  };
  switch (values.type_id()) {
    case arrow::Type::BOOL:
    case arrow::Type::NA: return;
    case arrow::Type::STRING:
    case arrow::Type::BINARY: {
      const auto& binary = static_cast<const arrow::BinaryArray&>(values);
      return add_all([&](int64_t i) { return binary.GetView(i); });
    }
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::Decimal128Array&>(values);
      size_t stored = type_.precision() <= 9 ? 4 : type_.precision() <= 18 ? 8 : 16;
      return add_all(
          [&](int64_t i) { return std::string_view(reinterpret_cast<const char*>(decimal.GetValue(i)), stored); });
    }
    case arrow::Type::FIXED_SIZE_BINARY: {
      const auto& fixed = static_cast<const arrow::FixedSizeBinaryArray&>(values);
      return add_all([&](int64_t i) { return fixed.GetView(i); });
    }
    default: {
      const auto& primitive = static_cast<const arrow::PrimitiveArray&>(values);
      size_t width = static_cast<size_t>(values.type()->byte_width());
      const char* raw = reinterpret_cast<const char*>(primitive.values()->data());
      return add_all(
          [&](int64_t i) { return std::string_view(raw + static_cast<size_t>(i + values.offset()) * width, width); });
    }
  }
}

bool LeafSample::SuitsDictionary(int64_t max_dictionary_bytes) const {
  if (value_count_ == 0) return true;
  std::vector<uint64_t> sorted = hashes_;
  std::sort(sorted.begin(), sorted.end());
  auto distinct = static_cast<double>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  auto sampled = static_cast<double>(value_count_);
  double width = static_cast<double>(byte_count_) / sampled;
  double most = width <= kNarrowBytes ? kNarrowDistinct : kWideDistinct;
  if (distinct > most * sampled && value_count_ > kFewValues) return false;
  return ExpectedDistinct(distinct, sampled) * (width + 4) <= static_cast<double>(max_dictionary_bytes);
}

ZstdEffort LeafSample::CheapestEffort() const {
  if (plain_.size() < kMinTrialBytes) return ZstdEffort::kDefault;
  auto target = static_cast<double>(CompressedSize(plain_, ZstdEffort::kDefault)) * kTolerance;
  for (ZstdEffort effort : {ZstdEffort::kEntropy, ZstdEffort::kFast, ZstdEffort::kLight}) {
    if (static_cast<double>(CompressedSize(plain_, effort)) <= target) return effort;
  }
  return ZstdEffort::kDefault;
}

std::optional<std::vector<LeafEncoding>> EncodingMemory::Recall() {
  std::lock_guard lock(mutex_);
  if (files_left_ == 0) return std::nullopt;
  --files_left_;
  return encodings_;
}

void EncodingMemory::Learn(std::vector<LeafEncoding> encodings) {
  std::lock_guard lock(mutex_);
  encodings_ = std::move(encodings);
  files_left_ = kFilesPerSample;
}

}  // namespace frazil::datafile
