// SPDX-License-Identifier: Apache-2.0
#include "frazil/write/partition_splitter.h"

#include <cmath>
#include <limits>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compare.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/util/decimal.h>

#include "frazil/base/arrow_compute.h"
#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"

namespace frazil::write {

namespace {

using iceberg::Literal;
using iceberg::PartitionValues;

/// Positions from the top level to the field; empty if there is none outside lists and maps.
std::vector<int> PathOf(const std::vector<iceberg::NestedField>& fields, int32_t id) {
  for (size_t i = 0; i < fields.size(); ++i) {
    const int position = static_cast<int>(i);
    if (fields[i].id == id) return {position};
    if (fields[i].type.id() != iceberg::TypeId::kStruct) continue;
    std::vector<int> rest = PathOf(fields[i].type.fields(), id);
    if (rest.empty()) continue;
    rest.insert(rest.begin(), position);
    return rest;
  }
  return {};
}

std::shared_ptr<arrow::Array> ColumnAt(const arrow::RecordBatch& rows, const std::vector<int>& path) {
  std::shared_ptr<arrow::Array> column = rows.column(path.front());
  for (size_t i = 1; i < path.size(); ++i) {
    const auto& parent = static_cast<const arrow::StructArray&>(*column);
    column = Unwrap(parent.GetFlattenedField(path[i]), "partition source column");
  }
  return column;
}

template <typename Float>
Literal CanonicalNan(Float value) {
  return std::isnan(value) ? Literal(std::numeric_limits<Float>::quiet_NaN()) : Literal(value);
}

Literal LiteralAt(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return {};
  switch (array.type_id()) {
    case arrow::Type::BOOL: return static_cast<const arrow::BooleanArray&>(array).Value(row);
    case arrow::Type::INT32: return static_cast<const arrow::Int32Array&>(array).Value(row);
    case arrow::Type::DATE32: return static_cast<const arrow::Date32Array&>(array).Value(row);
    case arrow::Type::INT64: return static_cast<const arrow::Int64Array&>(array).Value(row);
    case arrow::Type::TIME64: return static_cast<const arrow::Time64Array&>(array).Value(row);
    case arrow::Type::TIMESTAMP: return static_cast<const arrow::TimestampArray&>(array).Value(row);
    case arrow::Type::FLOAT: return CanonicalNan(static_cast<const arrow::FloatArray&>(array).Value(row));
    case arrow::Type::DOUBLE: return CanonicalNan(static_cast<const arrow::DoubleArray&>(array).Value(row));
    case arrow::Type::STRING:
    case arrow::Type::BINARY: return std::string(static_cast<const arrow::BinaryArray&>(array).GetView(row));
    case arrow::Type::FIXED_SIZE_BINARY:
      return std::string(static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row));
    case arrow::Type::DECIMAL128: {
      const arrow::Decimal128 value(static_cast<const arrow::Decimal128Array&>(array).GetValue(row));
      const auto high = static_cast<unsigned __int128>(static_cast<uint64_t>(value.high_bits()));
      return static_cast<__int128>((high << 64) | value.low_bits());
    }
    default: throw Internal("a partition value of Arrow type {}", array.type()->ToString());
  }
}

bool IsConstant(const arrow::Array& array) {
  const auto options = arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
  return array.length() < 2 || arrow::ArrayRangeEquals(array, array, 1, array.length(), 0, options);
}

/// Numbers for rows, the same where values are the same, counted from 0 in order of first appearance.
struct Grouping {
  std::vector<int32_t> group_of_row;
  std::vector<int64_t> first_row;  ///< of each group

  int32_t size() const { return static_cast<int32_t>(first_row.size()); }
};

/// Groups rows by the pair (group so far, code in `codes`), where codes are below `cardinality`.
Grouping Refine(const Grouping& coarse, const int32_t* codes, int64_t cardinality) {
  const int64_t rows = static_cast<int64_t>(coarse.group_of_row.size());
  const int64_t pairs = int64_t{coarse.size()} * cardinality;
  Grouping fine;
  fine.group_of_row.resize(rows);
  auto number = [&](auto&& group_of_pair) {
    for (int64_t row = 0; row < rows; ++row) {
      int32_t& group = group_of_pair(coarse.group_of_row[row] * cardinality + codes[row]);
      if (group < 0) {
        group = fine.size();
        fine.first_row.push_back(row);
      }
      fine.group_of_row[row] = group;
    }
  };
  // A table over all pairs is the fast way as long as it isn't much larger than the batch.
  if (pairs <= 4 * rows + 1024) {
    std::vector<int32_t> table(pairs, -1);
    number([&](int64_t pair) -> int32_t& { return table[pair]; });
  } else {
    std::unordered_map<int64_t, int32_t> table;
    number([&](int64_t pair) -> int32_t& { return table.try_emplace(pair, -1).first->second; });
  }
  return fine;
}

Grouping GroupRows(const arrow::ArrayVector& keys, int64_t rows) {
  Grouping grouping{std::vector<int32_t>(rows, 0), {0}};
  for (const auto& key : keys) {
    const arrow::compute::DictionaryEncodeOptions options(arrow::compute::DictionaryEncodeOptions::ENCODE);
    const auto encoded =
        Unwrap(arrow::compute::DictionaryEncode(key, options), "grouping rows by partition").make_array();
    const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*encoded);
    const auto& codes = static_cast<const arrow::Int32Array&>(*dictionary.indices());
    grouping = Refine(grouping, codes.raw_values(), dictionary.dictionary()->length());
  }
  return grouping;
}

/// Where each group starts once rows are ordered by group; one more entry for the end.
std::vector<int64_t> GroupStarts(const Grouping& grouping) {
  std::vector<int64_t> starts(grouping.size() + 1, 0);
  for (int32_t group : grouping.group_of_row) ++starts[group + 1];
  for (int32_t group = 0; group < grouping.size(); ++group) starts[group + 1] += starts[group];
  return starts;
}

/// The batch's rows ordered by group, order within a group kept.
std::shared_ptr<arrow::RecordBatch> OrderByGroup(const std::shared_ptr<arrow::RecordBatch>& rows,
                                                 const Grouping& grouping, const std::vector<int64_t>& starts) {
  // Groups are numbered by first appearance: if the numbers never fall, rows are in order.
  if (std::is_sorted(grouping.group_of_row.begin(), grouping.group_of_row.end())) return rows;
  std::vector<int64_t> next(starts.begin(), starts.end() - 1);
  auto buffer = Unwrap(arrow::AllocateBuffer(rows->num_rows() * static_cast<int64_t>(sizeof(int32_t))), "row order");
  auto* order = buffer->mutable_data_as<int32_t>();
  for (int64_t row = 0; row < rows->num_rows(); ++row) {
    order[next[grouping.group_of_row[row]]++] = static_cast<int32_t>(row);
  }
  const auto indices = std::make_shared<arrow::Int32Array>(rows->num_rows(), std::move(buffer));
  return Unwrap(arrow::compute::Take(rows, indices, arrow::compute::TakeOptions::NoBoundsCheck()),
                "splitting rows by partition")
      .record_batch();
}

}  // namespace

PartitionSplitter::PartitionSplitter(const iceberg::Schema& schema, const iceberg::PartitionSpec& spec) {
  InitializeArrowCompute();
  for (const iceberg::PartitionField& field : spec.fields) {
    if (field.transform.kind == iceberg::TransformKind::kUnknown || field.source_ids.size() != 1) {
      throw Unsupported(
          "partition field '{}' with transform '{}' can't be written: only readers may meet a transform "
          "that is not known",
          field.name, ToString(field.transform));
    }
    Field resolved{PathOf(schema.fields(), field.source_id()), field.transform, {}};
    if (resolved.path.empty()) {
      throw InvalidArgument("partition field '{}' is made from column id {}, which the schema doesn't have", field.name,
                            field.source_id());
    }
    resolved.source_type = schema.FindField(field.source_id())->type;
    fields_.push_back(std::move(resolved));
  }
}

void PartitionSplitter::Split(const arrow::RecordBatch& rows, const Visit& visit) const {
  if (rows.num_rows() == 0) return;
  arrow::ArrayVector keys;
  for (const Field& field : fields_) {
    keys.push_back(ApplyTransform(field.transform, field.source_type, ColumnAt(rows, field.path)));
  }
  auto values_at = [&](int64_t row) {
    PartitionValues values;
    for (const auto& key : keys) values.push_back(LiteralAt(*key, row));
    return values;
  };
  arrow::ArrayVector varying = keys;
  std::erase_if(varying, [](const auto& key) { return IsConstant(*key); });
  if (varying.empty()) return visit(values_at(0), rows);
  const Grouping grouping = GroupRows(varying, rows.num_rows());
  const std::vector<int64_t> starts = GroupStarts(grouping);
  const auto ordered = OrderByGroup(rows.Slice(0), grouping, starts);
  for (int32_t group = 0; group < grouping.size(); ++group) {
    visit(values_at(grouping.first_row[group]), *ordered->Slice(starts[group], starts[group + 1] - starts[group]));
  }
}

}  // namespace frazil::write
