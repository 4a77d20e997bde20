// SPDX-License-Identifier: Apache-2.0
#include "frazil/datafile/parquet_metrics.h"

#include <bit>

#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include "frazil/datafile/bounds.h"

namespace frazil::datafile {

namespace {

using iceberg::Literal;
using iceberg::Type;
using iceberg::TypeId;

/// Two's complement of `bytes` (big endian), sign extended.
__int128 BigEndianToInt(std::string_view bytes) {
  __int128 value = !bytes.empty() && static_cast<int8_t>(bytes[0]) < 0 ? -1 : 0;
  for (char c : bytes)
    value = static_cast<__int128>(static_cast<unsigned __int128>(value) << 8 | static_cast<uint8_t>(c));
  return value;
}

/// A minimum or maximum as Parquet encodes it (PLAIN), as a value. Null for types whose statistics aren't used.
std::optional<Literal> StatisticToLiteral(const Type& type, std::string_view plain) {
  switch (type.id()) {
    case TypeId::kDecimal: {
      if (type.precision() > 18) return BigEndianToInt(plain);
      int64_t unscaled = 0;
      if (type.precision() <= 9) {
        int32_t narrow = 0;
        std::memcpy(&narrow, plain.data(), std::min(plain.size(), sizeof(narrow)));
        unscaled = narrow;
      } else {
        std::memcpy(&unscaled, plain.data(), std::min(plain.size(), sizeof(unscaled)));
      }
      return static_cast<__int128>(unscaled);
    }
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kString:
    case TypeId::kBinary: return std::nullopt;  // by ValueTally
    default: return iceberg::FromBinary(type, plain);
  }
}

/// The figures of one leaf over all row groups.
struct LeafFigures {
  int64_t compressed_size = 0;
  int64_t value_count = 0;
  int64_t null_count = 0;
  bool has_statistics = true;
  bool has_bounds = true;  ///< false once a row group with values has none: bounds of the rest would be wrong
  std::optional<Literal> lower;
  std::optional<Literal> upper;

  void Add(const Type& type, const parquet::ColumnChunkMetaData& chunk) {
    compressed_size += chunk.total_compressed_size();
    value_count += chunk.num_values();
    std::shared_ptr<parquet::Statistics> statistics = chunk.is_stats_set() ? chunk.statistics() : nullptr;
    if (statistics == nullptr || !statistics->HasNullCount()) {
      has_statistics = has_statistics && chunk.num_values() == 0;
      has_bounds = has_bounds && chunk.num_values() == 0;
      return;
    }
    null_count += statistics->null_count();
    if (statistics->null_count() == chunk.num_values()) return;
    if (!statistics->HasMinMax()) {
      has_bounds = false;
      return;
    }
    std::optional<Literal> min = StatisticToLiteral(type, statistics->EncodeMin());
    std::optional<Literal> max = StatisticToLiteral(type, statistics->EncodeMax());
    if (!min || !max) return;
    if (!lower || iceberg::Compare(type, *min, *lower) < 0) lower = std::move(min);
    if (!upper || iceberg::Compare(type, *max, *upper) > 0) upper = std::move(max);
  }
};

struct Bounds {
  std::optional<std::string> lower;
  std::optional<std::string> upper;
};

Bounds BoundsOf(const LeafColumn& leaf, const LeafFigures& figures, const std::optional<ValueTally>& tally,
                const MetricsMode& mode) {
  Bounds bounds;
  if (tally) {
    bounds = {tally->lower(), tally->upper()};
  } else if (figures.has_bounds && figures.lower && figures.upper) {
    bounds = {iceberg::ToBinary(leaf.type, *figures.lower), iceberg::ToBinary(leaf.type, *figures.upper)};
  }
  if (mode.kind != MetricsMode::Kind::kTruncate || !bounds.lower) return bounds;
  size_t length = static_cast<size_t>(mode.length);
  if (leaf.type.id() == TypeId::kString) {
    bounds.lower = std::string(TruncateText(*bounds.lower, length));
    bounds.upper = TruncateTextUp(*bounds.upper, length);
  } else if (leaf.type.id() == TypeId::kBinary || leaf.type.id() == TypeId::kFixed) {
    bounds.lower = bounds.lower->substr(0, length);
    bounds.upper = TruncateBytesUp(*bounds.upper, length);
  }
  return bounds;
}

}  // namespace

iceberg::ColumnMetrics MetricsOf(const parquet::FileMetaData& footer, const std::vector<LeafColumn>& leaves,
                                 const std::vector<std::optional<ValueTally>>& tallies,
                                 const std::unordered_map<int32_t, MetricsMode>& modes) {
  std::vector<LeafFigures> figures(leaves.size());
  for (int group = 0; group < footer.num_row_groups(); ++group) {
    std::unique_ptr<parquet::RowGroupMetaData> row_group = footer.RowGroup(group);
    for (size_t i = 0; i < leaves.size(); ++i) {
      figures[i].Add(leaves[i].type, *row_group->ColumnChunk(static_cast<int>(i)));
    }
  }

  iceberg::ColumnMetrics metrics;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const LeafColumn& leaf = leaves[i];
    const MetricsMode& mode = modes.at(leaf.field_id);
    if (!mode.has_counts()) continue;
    metrics.column_sizes[leaf.field_id] = figures[i].compressed_size;
    if (!figures[i].has_statistics) continue;
    metrics.value_counts[leaf.field_id] = figures[i].value_count;
    metrics.null_value_counts[leaf.field_id] = figures[i].null_count;
    if (leaf.type.id() == TypeId::kFloat || leaf.type.id() == TypeId::kDouble) {
      metrics.nan_value_counts[leaf.field_id] = tallies[i]->nan_count();
    }
    if (leaf.is_repeated || !mode.has_bounds()) continue;
    Bounds bounds = BoundsOf(leaf, figures[i], tallies[i], mode);
    if (bounds.lower) metrics.lower_bounds[leaf.field_id] = *std::move(bounds.lower);
    if (bounds.upper) metrics.upper_bounds[leaf.field_id] = *std::move(bounds.upper);
  }
  return metrics;
}

std::vector<int64_t> SplitOffsetsOf(const parquet::FileMetaData& footer) {
  std::vector<int64_t> offsets;
  for (int group = 0; group < footer.num_row_groups(); ++group) {
    std::unique_ptr<parquet::ColumnChunkMetaData> first = footer.RowGroup(group)->ColumnChunk(0);
    offsets.push_back(first->has_dictionary_page() ? first->dictionary_page_offset() : first->data_page_offset());
  }
  return offsets;
}

}  // namespace frazil::datafile
