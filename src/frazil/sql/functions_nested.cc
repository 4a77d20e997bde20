// SPDX-License-Identifier: Apache-2.0
// Arrays, maps and rows: access, construction, CARDINALITY and the like.
#include <arrow/array/array_nested.h>
#include <arrow/array/concatenate.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/api_vector.h>

#include "frazil/base/arrow_compute.h"
#include "frazil/base/suggest.h"
#include "frazil/sql/columns.h"
#include "frazil/sql/function_table.h"

namespace frazil::sql {

namespace {

using arrow::Datum;

std::shared_ptr<arrow::Array> Whole(const Datum& datum, int64_t rows) {
  return datum.is_array() ? datum.make_array()
                          : Unwrap(arrow::MakeArrayFromScalar(*datum.scalar(), rows), "constant argument");
}

/// values[indices], where a negative index gives null.
std::shared_ptr<arrow::Array> TakeOrNull(const arrow::Array& values, const std::vector<int64_t>& indices) {
  InitializeArrowCompute();
  arrow::Int64Builder builder;
  Check(builder.Reserve(static_cast<int64_t>(indices.size())), "[]");
  for (int64_t index : indices) {
    if (index < 0) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(index);
    }
  }
  return Unwrap(arrow::compute::Take(values, *Unwrap(builder.Finish(), "[]")), "[]");
}

/// Where in `keys` (the child of `maps`) each row's key stands, −1 if nowhere; the last one of duplicates wins.
template <typename ArrayType>
std::vector<int64_t> FindKeys(const arrow::MapArray& maps, const Datum& wanted, int64_t rows) {
  const auto& keys = static_cast<const ArrayType&>(*maps.keys());
  View<ArrayType> want(wanted);
  std::vector<int64_t> found(static_cast<size_t>(rows), -1);
  for (int64_t row = 0; row < rows; ++row) {
    if (maps.IsNull(row) || want.IsNull(row)) continue;
    for (int64_t i = maps.value_offset(row); i < maps.value_offset(row + 1); ++i) {
      bool same = false;
      if constexpr (std::is_base_of_v<arrow::BinaryArray, ArrayType>) {
        same = keys.GetView(i) == want[row];
      } else {
        same = keys.Value(i) == want[row];
      }
      if (same) found[static_cast<size_t>(row)] = i;
    }
  }
  return found;
}

Kernel MapLookup(TypeRoot key) {
  return [key](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
    std::shared_ptr<arrow::Array> array = Whole(a[0], rows);
    const auto& maps = static_cast<const arrow::MapArray&>(*array);
    std::vector<int64_t> found;
    switch (key) {
      case TypeRoot::kInteger:
      case TypeRoot::kDate:
        found = key == TypeRoot::kDate ? FindKeys<arrow::Date32Array>(maps, a[1], rows)
                                       : FindKeys<arrow::Int32Array>(maps, a[1], rows);
        break;
      case TypeRoot::kBigInt: found = FindKeys<arrow::Int64Array>(maps, a[1], rows); break;
      default: found = FindKeys<arrow::StringArray>(maps, a[1], rows); break;
    }
    return TakeOrNull(*maps.items(), found);
  };
}

Kernel ArrayElement() {
  return [](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
    std::shared_ptr<arrow::Array> array = Whole(a[0], rows);
    const auto& lists = static_cast<const arrow::ListArray&>(*array);
    View<arrow::Int32Array> index(a[1]);
    std::vector<int64_t> found(static_cast<size_t>(rows), -1);
    for (int64_t row = 0; row < rows; ++row) {
      if (lists.IsNull(row) || index.IsNull(row)) continue;
      if (index[row] >= 1 && index[row] <= lists.value_length(row))
        found[static_cast<size_t>(row)] = lists.value_offset(row) + index[row] - 1;
    }
    return TakeOrNull(*lists.values(), found);
  };
}

/// Row-major interleaving of columns of one type: the children of ARRAY[…] rows.
std::shared_ptr<arrow::Array> Interleave(std::span<const Datum> columns, int64_t rows) {
  arrow::ArrayVector arrays;
  for (const Datum& column : columns) arrays.push_back(Whole(column, rows));
  std::shared_ptr<arrow::Array> all = Unwrap(arrow::Concatenate(arrays), "ARRAY");
  std::vector<int64_t> order;
  order.reserve(static_cast<size_t>(rows) * columns.size());
  for (int64_t row = 0; row < rows; ++row) {
    for (size_t c = 0; c < columns.size(); ++c) order.push_back(static_cast<int64_t>(c) * rows + row);
  }
  return TakeOrNull(*all, order);
}

std::shared_ptr<arrow::Array> EvenOffsets(int64_t rows, int64_t width) {
  arrow::Int32Builder builder;
  for (int64_t row = 0; row <= rows; ++row) Check(builder.Append(static_cast<int32_t>(row * width)), "ARRAY");
  return Unwrap(builder.Finish(), "ARRAY");
}

}  // namespace

ResolvedFunction ResolveSubscript(const LogicalType& base, const LogicalType& index, const SourceSpan& span) {
  if (base.Is(TypeRoot::kArray) && IsIntegerOrNull(index)) {
    return {base.element().WithNullable(true), {base, IntType()}, ArrayElement()};
  }
  if (base.Is(TypeRoot::kMap) && CanImplicitlyCast(index, base.key())) {
    const LogicalType& key = base.key();
    if (key.IsCharacter() || key.Is(TypeRoot::kInteger) || key.Is(TypeRoot::kBigInt) || key.Is(TypeRoot::kDate)) {
      return {base.value().WithNullable(true),
              {base, key.WithNullable(true)},
              MapLookup(key.IsCharacter() ? TypeRoot::kVarChar : key.root)};
    }
    throw UnsupportedSql(span, "[] on a map with keys of type {} is not supported", key.ToString());
  }
  throw InvalidSql(span, "[{}] can't be applied to {}: arrays take an INT from 1, maps a key",
                   index.ToStringWithoutNullability(), base.ToStringWithoutNullability());
}

ResolvedFunction ResolveField(const LogicalType& row, std::string_view field, const SourceSpan& span) {
  if (!row.Is(TypeRoot::kRow))
    throw InvalidSql(span, "'.{}': {} has no fields", field, row.ToStringWithoutNullability());
  std::vector<std::string> names;
  for (size_t i = 0; i < row.children.size(); ++i) {
    names.push_back(row.children[i].name);
    if (row.children[i].name != field) continue;
    LogicalType type = row.children[i].type;
    type.nullable = type.nullable || row.nullable;
    return {type, {row}, [i](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
              std::shared_ptr<arrow::Array> array = Whole(a[0], rows);
              // GetFlattenedField: a null row has null fields
              return Unwrap(static_cast<const arrow::StructArray&>(*array).GetFlattenedField(static_cast<int>(i)),
                            "field");
            }};
  }
  throw InvalidSql(span, "{} has no field '{}'{}", row.ToStringWithoutNullability(), field, DidYouMean(field, names));
}

ResolvedFunction ResolveRow(std::span<const LogicalType> types, const SourceSpan& span) {
  std::vector<RowField> fields;
  for (size_t i = 0; i < types.size(); ++i) fields.push_back({fmt::format("EXPR${}", i), types[i], ""});
  LogicalType type = RowType(std::move(fields)).NotNull();
  auto arrow_type = ToArrow(type);
  return {type,
          {types.begin(), types.end()},
          [arrow_type](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
            arrow::ArrayVector children;
            for (const Datum& child : a) children.push_back(Whole(child, rows));
            return Datum(std::static_pointer_cast<arrow::Array>(
                std::make_shared<arrow::StructArray>(arrow_type, rows, std::move(children))));
          }};
}

ResolvedFunction ResolveArray(std::span<const LogicalType> types, const SourceSpan& span) {
  std::optional<LogicalType> element = CommonType(std::vector<LogicalType>(types.begin(), types.end()));
  if (!element.has_value()) throw InvalidSql(span, "the elements of ARRAY[…] have no common type");
  LogicalType type = ArrayType(*element).NotNull();
  auto arrow_type = ToArrow(type);
  auto width = static_cast<int64_t>(types.size());
  return {type, std::vector(types.size(), *element),
          [=](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
            auto offsets = EvenOffsets(rows, width);
            return Datum(std::static_pointer_cast<arrow::Array>(std::make_shared<arrow::ListArray>(
                arrow_type, rows, offsets->data()->buffers[1], Interleave(a, rows))));
          }};
}

ResolvedFunction ResolveMap(std::span<const LogicalType> types, const SourceSpan& span) {
  std::vector<LogicalType> keys;
  std::vector<LogicalType> values;
  for (size_t i = 0; i + 1 < types.size(); i += 2) {
    keys.push_back(types[i]);
    values.push_back(types[i + 1]);
  }
  std::optional<LogicalType> key = CommonType(keys);
  std::optional<LogicalType> value = CommonType(values);
  if (!key.has_value() || !value.has_value())
    throw InvalidSql(span, "the keys or the values of MAP[…] have no common type");
  LogicalType type = MapType(*key, *value).NotNull();
  auto arrow_type = ToArrow(type);
  std::vector<LogicalType> wanted;
  for (size_t i = 0; i < keys.size(); ++i) wanted.insert(wanted.end(), {*key, *value});
  auto width = static_cast<int64_t>(keys.size());
  return {type, wanted, [=](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
            std::vector<Datum> key_columns;
            std::vector<Datum> value_columns;
            for (size_t i = 0; i + 1 < a.size(); i += 2) {
              key_columns.push_back(a[i]);
              value_columns.push_back(a[i + 1]);
            }
            auto offsets = EvenOffsets(rows, width);
            return Datum(std::static_pointer_cast<arrow::Array>(
                std::make_shared<arrow::MapArray>(arrow_type, rows, offsets->data()->buffers[1],
                                                  Interleave(key_columns, rows), Interleave(value_columns, rows))));
          }};
}

void AddNestedFunctions(FunctionTable& table) {
  table.Add("CARDINALITY", "CARDINALITY(ARRAY or MAP)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (arguments.size() != 1 || !(arguments[0].Is(TypeRoot::kArray) || arguments[0].Is(TypeRoot::kMap)))
      return std::nullopt;
    return ResolvedFunction{
        IntType().WithNullable(arguments[0].nullable),
        {arguments[0]},
        [](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
          std::shared_ptr<arrow::Array> array = Whole(a[0], rows);
          const auto& lists = static_cast<const arrow::ListArray&>(*array);  // a map's layout is a list's
          arrow::Int32Builder builder;
          for (int64_t row = 0; row < rows; ++row) {
            Check(lists.IsNull(row) ? builder.AppendNull() : builder.Append(lists.value_length(row)), "CARDINALITY");
          }
          return Unwrap(builder.Finish(), "CARDINALITY");
        }};
  });
  auto map_part = [](bool keys) {
    return [keys](std::span<const LogicalType> arguments,
                  std::span<const std::string>) -> std::optional<ResolvedFunction> {
      if (arguments.size() != 1 || !arguments[0].Is(TypeRoot::kMap)) return std::nullopt;
      LogicalType type =
          ArrayType(keys ? arguments[0].key() : arguments[0].value()).WithNullable(arguments[0].nullable);
      return ResolvedFunction{
          type,
          {arguments[0]},
          [keys, arrow_type = ToArrow(type)](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
            std::shared_ptr<arrow::Array> array = Whole(a[0], rows);
            const auto& maps = static_cast<const arrow::MapArray&>(*array);
            return Datum(std::static_pointer_cast<arrow::Array>(std::make_shared<arrow::ListArray>(
                arrow_type, rows, maps.value_offsets(), keys ? maps.keys() : maps.items(), maps.null_bitmap(),
                arrow::kUnknownNullCount, maps.offset())));
          }};
    };
  };
  table.Add("MAP_KEYS", "MAP_KEYS(MAP)", map_part(true));
  table.Add("MAP_VALUES", "MAP_VALUES(MAP)", map_part(false));
}

}  // namespace frazil::sql
