// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/print/row_text.h"

#include <cmath>

#include <arrow/array/array_decimal.h>
#include <arrow/array/array_nested.h>

#include "frazil/base/error.h"

namespace frazil::connector {

namespace {

/// Java's Double.toString and Float.toString: always with a fraction, in E notation outside [10⁻³, 10⁷).
template <typename Float>
void AppendFloat(Float value, std::string& out) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value > 0 ? "Infinity" : "-Infinity";
  } else if (value == 0) {
    out += std::signbit(value) ? "-0.0" : "0.0";
  } else {
    // The shortest digits that read back as the same value: "-d.ddde±xx".
    std::string scientific;
    int precision = 0;
    for (; precision < 17; ++precision) {
      scientific = fmt::format("{:.{}e}", value, precision);
      if (static_cast<Float>(std::strtod(scientific.c_str(), nullptr)) == value) break;
    }
    size_t e = scientific.find('e');
    int exponent = std::atoi(scientific.c_str() + e + 1);
    if (exponent >= -3 && exponent < 7) {
      out += fmt::format("{:.{}f}", value, std::max(1, precision - exponent));
    } else {
      std::string mantissa = scientific.substr(0, e);
      if (mantissa.find('.') == std::string::npos) mantissa += ".0";
      out += fmt::format("{}E{}", mantissa, exponent);
    }
  }
}

struct Date {
  int64_t year;
  unsigned month, day;
};

Date DateOf(int64_t days) {
  std::chrono::year_month_day ymd{std::chrono::sys_days(std::chrono::days(days))};
  return {static_cast<int>(ymd.year()), static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day())};
}

void AppendDate(int64_t days, std::string& out) {
  Date date = DateOf(days);
  out += fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

/// "10:15", "10:15:30", then as many groups of three decimals as are needed: java.time.LocalTime.
void AppendTime(int64_t nanos, std::string& out) {
  int64_t seconds = nanos / 1'000'000'000;
  int64_t fraction = nanos % 1'000'000'000;
  out += fmt::format("{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
  if (seconds % 60 == 0 && fraction == 0) return;
  out += fmt::format(":{:02}", seconds % 60);
  if (fraction == 0) return;
  if (fraction % 1'000'000 == 0) {
    out += fmt::format(".{:03}", fraction / 1'000'000);
  } else if (fraction % 1000 == 0) {
    out += fmt::format(".{:06}", fraction / 1000);
  } else {
    out += fmt::format(".{:09}", fraction);
  }
}

int64_t NanosPer(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND: return 1'000'000'000;
    case arrow::TimeUnit::MILLI: return 1'000'000;
    case arrow::TimeUnit::MICRO: return 1000;
    case arrow::TimeUnit::NANO: return 1;
  }
  throw Internal("{} is not a time unit", static_cast<int>(unit));
}

void AppendTimestamp(const arrow::TimestampType& type, int64_t value, std::string& out) {
  const int64_t per_day = 86'400'000'000'000 / NanosPer(type.unit());
  int64_t days = value / per_day - (value % per_day < 0 ? 1 : 0);
  AppendDate(days, out);
  out += 'T';
  int64_t nanos = (value - days * per_day) * NanosPer(type.unit());
  AppendTime(nanos, out);
  if (type.timezone().empty()) return;
  // java.time.Instant writes the seconds even where they are zero.
  if (nanos % 60'000'000'000 == 0) out += ":00";
  out += 'Z';
}

void AppendBytes(std::string_view bytes, std::string& out) {
  out += '[';
  for (size_t i = 0; i < bytes.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : ", ", static_cast<signed char>(bytes[i]));
  out += ']';
}

void AppendList(const arrow::Array& values, int64_t begin, int64_t end, std::string& out) {
  out += '[';
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) out += ", ";
    AppendValue(values, i, out);
  }
  out += ']';
}

void AppendMap(const arrow::MapArray& map, int64_t index, std::string& out) {
  out += '{';
  for (int64_t i = map.value_offset(index); i < map.value_offset(index + 1); ++i) {
    if (i > map.value_offset(index)) out += ", ";
    AppendValue(*map.keys(), i, out);
    out += '=';
    AppendValue(*map.items(), i, out);
  }
  out += '}';
}

void AppendStruct(const arrow::StructArray& row, int64_t index, std::string& out) {
  out += "+I[";
  for (int i = 0; i < row.num_fields(); ++i) {
    if (i > 0) out += ", ";
    AppendValue(*row.field(i), index, out);
  }
  out += ']';
}

template <typename Array>
auto ValueOf(const arrow::Array& array, int64_t index) {
  return static_cast<const Array&>(array).Value(index);
}

}  // namespace

void AppendValue(const arrow::Array& array, int64_t index, std::string& out) {
  if (array.IsNull(index)) {
    out += "null";
    return;
  }
  auto append_number = [&](auto number) { fmt::format_to(std::back_inserter(out), "{}", number); };
  const arrow::DataType& type = *array.type();
  switch (type.id()) {
    case arrow::Type::NA: out += "null"; return;
    case arrow::Type::BOOL: out += ValueOf<arrow::BooleanArray>(array, index) ? "true" : "false"; return;
    case arrow::Type::INT8: return append_number(static_cast<int>(ValueOf<arrow::Int8Array>(array, index)));
    case arrow::Type::INT16: return append_number(ValueOf<arrow::Int16Array>(array, index));
    case arrow::Type::INT32: return append_number(ValueOf<arrow::Int32Array>(array, index));
    case arrow::Type::INT64: return append_number(ValueOf<arrow::Int64Array>(array, index));
    case arrow::Type::FLOAT: return AppendFloat(ValueOf<arrow::FloatArray>(array, index), out);
    case arrow::Type::DOUBLE: return AppendFloat(ValueOf<arrow::DoubleArray>(array, index), out);
    case arrow::Type::DECIMAL128: out += static_cast<const arrow::Decimal128Array&>(array).FormatValue(index); return;
    case arrow::Type::STRING: out += ValueOf<arrow::StringArray>(array, index); return;
    case arrow::Type::BINARY: return AppendBytes(ValueOf<arrow::BinaryArray>(array, index), out);
    case arrow::Type::FIXED_SIZE_BINARY:
      return AppendBytes(static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(index), out);
    case arrow::Type::DATE32: return AppendDate(ValueOf<arrow::Date32Array>(array, index), out);
    case arrow::Type::TIME32:
      return AppendTime(
          ValueOf<arrow::Time32Array>(array, index) * NanosPer(static_cast<const arrow::Time32Type&>(type).unit()),
          out);
    case arrow::Type::TIME64:
      return AppendTime(
          ValueOf<arrow::Time64Array>(array, index) * NanosPer(static_cast<const arrow::Time64Type&>(type).unit()),
          out);
    case arrow::Type::TIMESTAMP:
      return AppendTimestamp(static_cast<const arrow::TimestampType&>(type),
                             ValueOf<arrow::TimestampArray>(array, index), out);
    case arrow::Type::LIST: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      return AppendList(*list.values(), list.value_offset(index), list.value_offset(index + 1), out);
    }
    case arrow::Type::MAP: return AppendMap(static_cast<const arrow::MapArray&>(array), index, out);
    case arrow::Type::STRUCT: return AppendStruct(static_cast<const arrow::StructArray&>(array), index, out);
    default: throw Unsupported("a value of type {} can't be printed", type.ToString());
  }
}

void AppendRow(const stream::ChangeBatch& batch, int64_t row, std::string& out) {
  auto kind = stream::RowKind::kInsert;
  if (batch.row_kinds != nullptr) kind = static_cast<stream::RowKind>(batch.row_kinds->Value(row));
  out += stream::ShortString(kind);
  out += '[';
  for (int i = 0; i < batch.rows->num_columns(); ++i) {
    if (i > 0) out += ", ";
    AppendValue(*batch.rows->column(i), row, out);
  }
  out += ']';
}

}  // namespace frazil::connector
