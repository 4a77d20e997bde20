// SPDX-License-Identifier: Apache-2.0
// How each column is best encoded, told by a sample of its first values. A dictionary of values that hardly repeat
// costs more than all the rest of the encoding and is thrown away in the end; and zstd's level 3 takes over twice the
// time of a fast level on columns (random ids, numbers) that it doesn't make any smaller.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/datafile/parquet_layout.h"

namespace arrow::util {
class CodecOptions;
}

namespace frazil::datafile {

/// Cheapest first.
enum class ZstdEffort {
  kEntropy,  ///< hardly looks for matches, codes symbols by frequency: random digits
  kFast,     ///< level 1, matches of six bytes and more
  kLight,    ///< level 3 with smaller tables, which stay in the cache
  kDefault,  ///< level 3, zstd's own default and Java's
};

struct LeafEncoding {
  bool dictionary = true;
  ZstdEffort effort = ZstdEffort::kDefault;
  bool operator==(const LeafEncoding&) const = default;
};

/// Options for Arrow's zstd codec.
std::shared_ptr<arrow::util::CodecOptions> ZstdOptions(ZstdEffort effort);

/// Values of one leaf column, up to a bound, as Parquet's PLAIN encoding would store them.
class LeafSample {
 public:
  explicit LeafSample(const iceberg::Type& type) : type_(type) {}

  /// Takes what there is still room for. `values`: leaf values in ToArrowType()'s layout.
  void Add(const arrow::Array& values);

  /// Whether a dictionary of at most `max_dictionary_bytes` would hold the column's values: as many distinct values as
  /// the sample lets expect must fit, and most rows must repeat one.
  bool SuitsDictionary(int64_t max_dictionary_bytes) const;

  /// The cheapest effort whose result on the sample is at most 5 % larger than that of level 3. (Over a table it comes
  /// out even: on many columns the cheaper efforts are the smaller ones.)
  ZstdEffort CheapestEffort() const;

 private:
  void AddValue(std::string_view bytes);

  const iceberg::Type type_;
  int64_t value_count_ = 0;
  int64_t byte_count_ = 0;
  std::string plain_;             ///< PLAIN encoding, for the trial compressions
  std::vector<uint64_t> hashes_;  ///< one a value
};

/// The choices of the first file, for the next ones of the same writer: sampling every small file would cost more than
/// it saves. Thread-safe.
class EncodingMemory {
 public:
  /// Null when it is time to look at the data again.
  std::optional<std::vector<LeafEncoding>> Recall();
  void Learn(std::vector<LeafEncoding> encodings);

 private:
  static constexpr int kFilesPerSample = 16;

  std::mutex mutex_;
  std::vector<LeafEncoding> encodings_;
  int files_left_ = 0;
};

}  // namespace frazil::datafile
