// SPDX-License-Identifier: Apache-2.0
#include "frazil/scan/file_columns.h"

#include <cctype>

#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_time.h>
#include <arrow/util/decimal.h>

#include "frazil/base/error.h"
#include "frazil/iceberg/arrow_schema.h"

namespace frazil::scan {

namespace {

using enum Nullability;
using iceberg::ColumnMetrics;
using iceberg::DataFile;
using iceberg::Literal;
using iceberg::ManifestEntry;
using iceberg::NestedField;
using iceberg::PartitionValues;
using iceberg::Type;
using iceberg::TypeId;

void AppendDecimal(arrow::ArrayBuilder& builder, __int128 unscaled) {
  const auto bits = static_cast<unsigned __int128>(unscaled);
  const arrow::Decimal128 value(static_cast<int64_t>(bits >> 64), static_cast<uint64_t>(bits));
  AppendTo<arrow::Decimal128Builder>(builder, value);
}

/// Appends a value to a builder of its column's Arrow type; null where the value is of another type.
void AppendLiteral(arrow::ArrayBuilder& builder, const Literal& value) {
  const arrow::Type::type type = builder.type()->id();
  if (const bool* v = std::get_if<bool>(&value); v != nullptr && type == arrow::Type::BOOL) {
    return AppendTo<arrow::BooleanBuilder>(builder, *v);
  }
  if (const int32_t* v = std::get_if<int32_t>(&value); v != nullptr) {
    if (type == arrow::Type::INT32) return AppendTo<arrow::Int32Builder>(builder, *v);
    if (type == arrow::Type::DATE32) return AppendTo<arrow::Date32Builder>(builder, *v);
  }
  if (const int64_t* v = std::get_if<int64_t>(&value); v != nullptr) {
    if (type == arrow::Type::INT64) return AppendTo<arrow::Int64Builder>(builder, *v);
    if (type == arrow::Type::TIME64) return AppendTo<arrow::Time64Builder>(builder, *v);
    if (type == arrow::Type::TIMESTAMP) return AppendTo<arrow::TimestampBuilder>(builder, *v);
  }
  if (const float* v = std::get_if<float>(&value); v != nullptr && type == arrow::Type::FLOAT) {
    return AppendTo<arrow::FloatBuilder>(builder, *v);
  }
  if (const double* v = std::get_if<double>(&value); v != nullptr && type == arrow::Type::DOUBLE) {
    return AppendTo<arrow::DoubleBuilder>(builder, *v);
  }
  if (const __int128* v = std::get_if<__int128>(&value); v != nullptr && type == arrow::Type::DECIMAL128) {
    return AppendDecimal(builder, *v);
  }
  if (const std::string* v = std::get_if<std::string>(&value); v != nullptr) {
    if (type == arrow::Type::STRING) return AppendTo<arrow::StringBuilder>(builder, *v);
    if (type == arrow::Type::BINARY) return AppendTo<arrow::BinaryBuilder>(builder, *v);
    if (type == arrow::Type::FIXED_SIZE_BINARY &&
        static_cast<int64_t>(v->size()) ==
            static_cast<const arrow::FixedSizeBinaryType&>(*builder.type()).byte_width()) {
      return AppendTo<arrow::FixedSizeBinaryBuilder>(builder, *v);
    }
  }
  Check(builder.AppendNull(), kRowContext);
}

template <typename Row, typename Get>
Column<Row> LiteralColumn(std::string name, std::shared_ptr<arrow::DataType> type, Get get) {
  return {MakeField(std::move(name), std::move(type), kOptional),
          [get](const Row& row, arrow::ArrayBuilder& builder) { AppendLiteral(builder, get(row)); }};
}

std::string UpperCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// Maps of a file that came without any metrics are null, empty ones of a file with metrics are empty.
template <typename Map>
const Map* IfCollected(const ColumnMetrics& metrics, const Map& map) {
  return metrics == ColumnMetrics{} ? nullptr : &map;
}

template <typename T>
const std::vector<T>* IfNotEmpty(const std::vector<T>& values) {
  return values.empty() ? nullptr : &values;
}

Column<DataFile> CountsColumn(const char* name, std::map<int32_t, int64_t> ColumnMetrics::*counts) {
  return MapColumn<DataFile, arrow::Int32Builder, arrow::Int64Builder>(
      name, arrow::int32(), arrow::int64(), kOptional,
      [counts](const DataFile& file) { return IfCollected(file.metrics, file.metrics.*counts); });
}

Column<DataFile> BoundsColumn(const char* name, std::map<int32_t, std::string> ColumnMetrics::*bounds) {
  return MapColumn<DataFile, arrow::Int32Builder, arrow::BinaryBuilder>(
      name, arrow::int32(), arrow::binary(), kOptional,
      [bounds](const DataFile& file) { return IfCollected(file.metrics, file.metrics.*bounds); });
}

template <typename Value>
const Value* Find(const std::map<int32_t, Value>& values, int32_t id) {
  auto it = values.find(id);
  return it == values.end() ? nullptr : &it->second;
}

Column<DataFile> CountColumn(const char* name, int32_t id, std::map<int32_t, int64_t> ColumnMetrics::*counts) {
  return LongColumn<DataFile>(name, kOptional, [id, counts](const DataFile& file) -> std::optional<int64_t> {
    const int64_t* count = Find(file.metrics.*counts, id);
    return count == nullptr ? std::nullopt : std::optional(*count);
  });
}

/// Bounds of types without a column layout of their own are shown as their bytes.
bool HasBytesOnly(const Type& type) {
  return type.id() == TypeId::kVariant || type.id() == TypeId::kGeometry || type.id() == TypeId::kGeography ||
         type.id() == TypeId::kUnknown;
}

Column<DataFile> BoundColumn(const char* name, const NestedField& field,
                             std::map<int32_t, std::string> ColumnMetrics::*bounds) {
  const bool bytes_only = HasBytesOnly(field.type);
  auto read = [id = field.id, type = field.type, bytes_only, bounds](const DataFile& file) -> Literal {
    const std::string* bytes = Find(file.metrics.*bounds, id);
    if (bytes == nullptr) return {};
    if (bytes_only) return *bytes;
    try {
      return FromBinary(type, *bytes);
    } catch (const Error&) {
      return {};  // a damaged bound still stands in lower_bounds or upper_bounds as its bytes
    }
  };
  return LiteralColumn<DataFile>(name, bytes_only ? arrow::binary() : ToArrowType(field.type), read);
}

Column<DataFile> ReadableMetricsOf(const std::string& name, const NestedField& field) {
  Columns<DataFile> columns;
  columns.push_back(CountColumn("column_size", field.id, &ColumnMetrics::column_sizes));
  columns.push_back(CountColumn("value_count", field.id, &ColumnMetrics::value_counts));
  columns.push_back(CountColumn("null_value_count", field.id, &ColumnMetrics::null_value_counts));
  columns.push_back(CountColumn("nan_value_count", field.id, &ColumnMetrics::nan_value_counts));
  columns.push_back(BoundColumn("lower_bound", field, &ColumnMetrics::lower_bounds));
  columns.push_back(BoundColumn("upper_bound", field, &ColumnMetrics::upper_bounds));
  return StructColumn<DataFile>(name, kOptional, std::move(columns),
                                [](const DataFile& file) -> const DataFile& { return file; });
}

void CollectPrimitives(const iceberg::Schema& schema, const Type& type,
                       std::map<std::string, const NestedField*>& out) {
  for (const NestedField& field : type.fields()) {
    if (field.type.is_primitive()) {
      out.emplace(schema.FullName(field.id), &field);
    } else {
      CollectPrimitives(schema, field.type, out);
    }
  }
}

}  // namespace

Columns<PartitionValues> PartitionFieldColumns(const PartitionUnion& partitions) {
  Columns<PartitionValues> columns;
  for (size_t i = 0; i < partitions.fields().size(); ++i) {
    const NestedField& field = partitions.fields()[i];
    columns.push_back(LiteralColumn<PartitionValues>(field.name, ToArrowType(field.type),
                                                     [i](const PartitionValues& values) { return values[i]; }));
  }
  return columns;
}

Columns<DataFile> FileColumns(const PartitionUnion& partitions) {
  Columns<DataFile> columns;
  auto add = [&](Column<DataFile> column) { columns.push_back(std::move(column)); };
  add(IntColumn<DataFile>("content", kOptional, [](const DataFile& f) { return static_cast<int32_t>(f.content); }));
  add(StringColumn<DataFile>(
      "file_path", kRequired, [](const DataFile& f) -> auto& { return f.file_path; }));
  add(StringColumn<DataFile>("file_format", kRequired, [](const DataFile& f) { return UpperCase(f.file_format); }));
  add(IntColumn<DataFile>("spec_id", kOptional, [](const DataFile& f) { return f.spec_id; }));
  if (!partitions.fields().empty()) {
    add(StructColumn<DataFile>("partition", kRequired, PartitionFieldColumns(partitions),
                               [&partitions](const DataFile& f) { return partitions.Coerce(f.spec_id, f.partition); }));
  }
  add(LongColumn<DataFile>("record_count", kRequired, [](const DataFile& f) { return f.record_count; }));
  add(LongColumn<DataFile>("file_size_in_bytes", kRequired, [](const DataFile& f) { return f.file_size_in_bytes; }));
  add(CountsColumn("column_sizes", &ColumnMetrics::column_sizes));
  add(CountsColumn("value_counts", &ColumnMetrics::value_counts));
  add(CountsColumn("null_value_counts", &ColumnMetrics::null_value_counts));
  add(CountsColumn("nan_value_counts", &ColumnMetrics::nan_value_counts));
  add(BoundsColumn("lower_bounds", &ColumnMetrics::lower_bounds));
  add(BoundsColumn("upper_bounds", &ColumnMetrics::upper_bounds));
  add(BinaryColumn<DataFile>(
      "key_metadata", kOptional, [](const DataFile& f) -> auto& { return f.key_metadata; }));
  add(ListColumn<DataFile, arrow::Int64Builder>("split_offsets", arrow::int64(), kOptional,
                                                [](const DataFile& f) { return IfNotEmpty(f.split_offsets); }));
  add(ListColumn<DataFile, arrow::Int32Builder>("equality_ids", arrow::int32(), kOptional,
                                                [](const DataFile& f) { return IfNotEmpty(f.equality_ids); }));
  add(IntColumn<DataFile>("sort_order_id", kOptional, [](const DataFile& f) { return f.sort_order_id; }));
  add(LongColumn<DataFile>("first_row_id", kOptional, [](const DataFile& f) { return f.first_row_id; }));
  add(StringColumn<DataFile>(
      "referenced_data_file", kOptional, [](const DataFile& f) -> auto& { return f.referenced_data_file; }));
  add(LongColumn<DataFile>("content_offset", kOptional, [](const DataFile& f) { return f.content_offset; }));
  add(LongColumn<DataFile>("content_size_in_bytes", kOptional,
                           [](const DataFile& f) { return f.content_size_in_bytes; }));
  return columns;
}

Column<DataFile> ReadableMetricsColumn(const iceberg::Schema& schema) {
  std::map<std::string, const NestedField*> primitives;
  CollectPrimitives(schema, schema.struct_type(), primitives);
  Columns<DataFile> columns;
  for (const auto& [name, field] : primitives) columns.push_back(ReadableMetricsOf(name, *field));
  return StructColumn<DataFile>("readable_metrics", kOptional, std::move(columns),
                                [](const DataFile& file) -> const DataFile& { return file; });
}

Columns<ManifestEntry> EntryColumns(const PartitionUnion& partitions, const iceberg::Schema& schema) {
  auto file = [](const ManifestEntry& entry) -> const DataFile& { return entry.file; };
  Column<DataFile> metrics = ReadableMetricsColumn(schema);
  Columns<ManifestEntry> columns;
  columns.push_back(
      IntColumn<ManifestEntry>("status", kRequired, [](const auto& e) { return static_cast<int32_t>(e.status); }));
  columns.push_back(LongColumn<ManifestEntry>("snapshot_id", kOptional, [](const auto& e) { return e.snapshot_id; }));
  columns.push_back(
      LongColumn<ManifestEntry>("sequence_number", kOptional, [](const auto& e) { return e.sequence_number; }));
  columns.push_back(LongColumn<ManifestEntry>("file_sequence_number", kOptional,
                                              [](const auto& e) { return e.file_sequence_number; }));
  columns.push_back(StructColumn<ManifestEntry>("data_file", kRequired, FileColumns(partitions), file));
  columns.push_back(
      {metrics.field, [append = metrics.append](const ManifestEntry& entry, arrow::ArrayBuilder& builder) {
         append(entry.file, builder);
       }});
  return columns;
}

}  // namespace frazil::scan
