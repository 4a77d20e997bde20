// SPDX-License-Identifier: Apache-2.0
// Arrow tables from small numbers of C++ values: each column is declared once, with its field and how a row fills it.
// For metadata, which comes row by row; never for data.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/builder.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "frazil/base/arrow_status.h"

namespace frazil::scan {

enum class Nullability { kRequired, kOptional };

template <typename Row>
struct Column {
  std::shared_ptr<arrow::Field> field;
  std::function<void(const Row&, arrow::ArrayBuilder&)> append;  ///< of the field's type
};
template <typename Row>
using Columns = std::vector<Column<Row>>;

inline constexpr char kRowContext[] = "building a metadata table";

inline std::shared_ptr<arrow::Field> MakeField(std::string name, std::shared_ptr<arrow::DataType> type,
                                               Nullability nullability) {
  return arrow::field(std::move(name), std::move(type), nullability == Nullability::kOptional);
}

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// Appends a value or an optional one.
template <typename Builder, typename Value>
void AppendTo(arrow::ArrayBuilder& builder, const Value& value) {
  if constexpr (IsOptional<Value>::value) {
    if (!value) return Check(builder.AppendNull(), kRowContext);
    AppendTo<Builder>(builder, *value);
  } else {
    Check(static_cast<Builder&>(builder).Append(value), kRowContext);
  }
}

/// A column of plain values; `get` gives a value, or an optional one where the column is optional.
template <typename Row, typename Builder, typename Get>
Column<Row> ValueColumn(std::string name, std::shared_ptr<arrow::DataType> type, Nullability nullability, Get get) {
  return {MakeField(std::move(name), std::move(type), nullability),
          [get](const Row& row, arrow::ArrayBuilder& builder) { AppendTo<Builder>(builder, get(row)); }};
}
template <typename Row, typename Get>
Column<Row> BoolColumn(std::string name, Nullability nullability, Get get) {
  return ValueColumn<Row, arrow::BooleanBuilder>(std::move(name), arrow::boolean(), nullability, get);
}
template <typename Row, typename Get>
Column<Row> IntColumn(std::string name, Nullability nullability, Get get) {
  return ValueColumn<Row, arrow::Int32Builder>(std::move(name), arrow::int32(), nullability, get);
}
template <typename Row, typename Get>
Column<Row> LongColumn(std::string name, Nullability nullability, Get get) {
  return ValueColumn<Row, arrow::Int64Builder>(std::move(name), arrow::int64(), nullability, get);
}
template <typename Row, typename Get>
Column<Row> StringColumn(std::string name, Nullability nullability, Get get) {
  return ValueColumn<Row, arrow::StringBuilder>(std::move(name), arrow::utf8(), nullability, get);
}
template <typename Row, typename Get>
Column<Row> BinaryColumn(std::string name, Nullability nullability, Get get) {
  return ValueColumn<Row, arrow::BinaryBuilder>(std::move(name), arrow::binary(), nullability, get);
}
/// `get` gives milliseconds, the column has microseconds of UTC.
template <typename Row, typename Get>
Column<Row> TimestampColumn(std::string name, Nullability nullability, Get get) {
  auto micros = [get](const Row& row) -> std::optional<int64_t> {
    const std::optional<int64_t> millis = get(row);
    return millis ? std::optional(*millis * 1000) : std::nullopt;
  };
  return ValueColumn<Row, arrow::TimestampBuilder>(std::move(name), arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                                                   nullability, micros);
}

template <typename Row>
arrow::FieldVector FieldsOf(const Columns<Row>& columns) {
  arrow::FieldVector fields;
  for (const auto& column : columns) fields.push_back(column.field);
  return fields;
}

/// Appends one struct.
template <typename Row>
void AppendStruct(const Columns<Row>& columns, const Row& row, arrow::ArrayBuilder& builder) {
  auto& structs = static_cast<arrow::StructBuilder&>(builder);
  Check(structs.Append(), kRowContext);
  for (size_t i = 0; i < columns.size(); ++i) columns[i].append(row, *structs.field_builder(static_cast<int>(i)));
}

/// A struct whose fields are filled from what `get` gives.
template <typename Row, typename Inner, typename Get>
Column<Row> StructColumn(std::string name, Nullability nullability, Columns<Inner> columns, Get get) {
  auto field = MakeField(std::move(name), arrow::struct_(FieldsOf(columns)), nullability);
  return {std::move(field), [columns = std::move(columns), get](const Row& row, arrow::ArrayBuilder& builder) {
            AppendStruct<Inner>(columns, get(row), builder);
          }};
}

/// A list of required values; `get` gives an optional container.
template <typename Row, typename Builder, typename Get>
Column<Row> ListColumn(std::string name, std::shared_ptr<arrow::DataType> element, Nullability nullability, Get get) {
  auto type = arrow::list(arrow::field("element", std::move(element), /*nullable=*/false));
  return {MakeField(std::move(name), std::move(type), nullability),
          [get](const Row& row, arrow::ArrayBuilder& builder) {
            auto& lists = static_cast<arrow::ListBuilder&>(builder);
            const auto& values = get(row);
            if (!values) return Check(lists.AppendNull(), kRowContext);
            Check(lists.Append(), kRowContext);
            for (const auto& value : *values) AppendTo<Builder>(*lists.value_builder(), value);
          }};
}

/// A map of required values; `get` gives an optional std::map.
template <typename Row, typename KeyBuilder, typename ItemBuilder, typename Get>
Column<Row> MapColumn(std::string name, std::shared_ptr<arrow::DataType> key, std::shared_ptr<arrow::DataType> item,
                      Nullability nullability, Get get) {
  auto type = arrow::map(std::move(key), arrow::field("value", std::move(item), /*nullable=*/false));
  return {MakeField(std::move(name), std::move(type), nullability),
          [get](const Row& row, arrow::ArrayBuilder& builder) {
            auto& maps = static_cast<arrow::MapBuilder&>(builder);
            const auto& entries = get(row);
            if (!entries) return Check(maps.AppendNull(), kRowContext);
            Check(maps.Append(), kRowContext);
            for (const auto& [map_key, value] : *entries) {
              AppendTo<KeyBuilder>(*maps.key_builder(), map_key);
              AppendTo<ItemBuilder>(*maps.item_builder(), value);
            }
          }};
}

/// Collects rows into a table.
template <typename Row>
class RowTable {
 public:
  explicit RowTable(Columns<Row> columns) : columns_(std::move(columns)) {
    for (const auto& column : columns_)
      builders_.push_back(Unwrap(arrow::MakeBuilder(column.field->type()), kRowContext));
  }

  void Append(const Row& row) {
    for (size_t i = 0; i < columns_.size(); ++i) columns_[i].append(row, *builders_[i]);
  }

  std::shared_ptr<arrow::Table> Finish() {
    arrow::ArrayVector arrays;
    for (const auto& builder : builders_) arrays.push_back(Unwrap(builder->Finish(), kRowContext));
    return arrow::Table::Make(arrow::schema(FieldsOf(columns_)), arrays);
  }

 private:
  Columns<Row> columns_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
};

}  // namespace frazil::scan
