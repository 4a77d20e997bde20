// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/cast.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <arrow/array/array_nested.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/cast.h>
#include <arrow/util/utf8.h>

#include "frazil/base/error.h"
#include "frazil/sql/columns.h"
#include "frazil/sql/datetime.h"
#include "frazil/sql/decimal_text.h"
#include "frazil/sql/time_zone.h"

namespace frazil::sql {

namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

/// One CAST: source and target type, and what happens to a value that can't be cast.
struct CastCall {
  const LogicalType& from;
  const LogicalType& to;
  bool is_try;
  const EvalContext& context;
  std::shared_ptr<arrow::DataType> target = ToArrow(to);

  [[noreturn]] void Fail(std::string_view value, std::string_view why = "") const {
    constexpr size_t kShown = 60;
    throw InvalidArgument("'{}{}' can't be cast to {}{}{}; TRY_CAST gives NULL instead", value.substr(0, kShown),
                          value.size() > kShown ? "…" : "", to.ToStringWithoutNullability(), why.empty() ? "" : ": ",
                          why);
  }
  [[noreturn]] void Refuse() const {
    throw Unsupported("CAST from {} to {} is not supported", from.ToStringWithoutNullability(),
                      to.ToStringWithoutNullability());
  }
  ArrayPtr Arrow(const ArrayPtr& values, bool safe = false) const {
    arrow::compute::CastOptions options =
        safe ? arrow::compute::CastOptions::Safe(target) : arrow::compute::CastOptions::Unsafe(target);
    return Unwrap(arrow::compute::Cast(*values, target, options), "CAST");
  }
};

/// The same buffers under another type of the same layout.
ArrayPtr Retyped(const ArrayPtr& values, const std::shared_ptr<arrow::DataType>& type) {
  return Unwrap(values->View(type), "CAST");
}

// ---- From text

/// Flink's BinaryStringDataUtil.toLong: blanks around, a sign, digits, and digits after a point that are cut off.
template <typename T>
std::optional<T> ParseInteger(std::string_view text) {
  text = TrimBlanks(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  if (size_t point = text.find('.'); point != std::string_view::npos) {
    for (char c : text.substr(point + 1)) {
      if (c < '0' || c > '9') return std::nullopt;
    }
    if (point == 0) return text.size() > 1 ? std::optional<T>(0) : std::nullopt;
    text = text.substr(0, point);
  }
  T value = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename T>
std::optional<T> ParseFloat(std::string_view text) {
  text = TrimBlanks(text);
  std::string_view bare = text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
  bool negative = text.starts_with('-');
  if (bare == "Infinity") return negative ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
  if (bare == "NaN") return std::numeric_limits<T>::quiet_NaN();
  if (bare.empty() || !((bare.front() >= '0' && bare.front() <= '9') || bare.front() == '.')) return std::nullopt;
  T value = 0;
  auto [end, ec] = std::from_chars(bare.data(), bare.data() + bare.size(), value);
  if (ec == std::errc::result_out_of_range) {
    value = std::strtod(std::string(bare).c_str(), nullptr);  // Java: infinity or zero, not an error
  } else if (ec != std::errc() || end != bare.data() + bare.size()) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

std::optional<bool> ParseBoolean(std::string_view text) {
  std::string lower;
  for (char c : TrimBlanks(text)) lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  for (std::string_view yes : {"t", "true", "y", "yes", "1"}) {
    if (lower == yes) return true;
  }
  for (std::string_view no : {"f", "false", "n", "no", "0"}) {
    if (lower == no) return false;
  }
  return std::nullopt;
}

template <typename Builder, typename Parse>
ArrayPtr ParseText(const CastCall& call, const ArrayPtr& values, Parse&& parse) {
  View<arrow::StringArray> view{arrow::Datum(values)};
  return MapRows<Builder>(
      call.target, values->length(),
      [&](std::string_view text) {
        auto value = parse(text);
        if (!value.has_value() && !call.is_try) call.Fail(text);
        return value;
      },
      view);
}

ArrayPtr ParseDecimals(const CastCall& call, const ArrayPtr& values) {
  View<arrow::StringArray> view{arrow::Datum(values)};
  return MapRows<arrow::Decimal128Builder>(
      call.target, values->length(),
      [&](std::string_view text) {
        __int128 value = 0;
        DecimalParse parsed = ParseDecimal(TrimBlanks(text), call.to.precision, call.to.scale, value);
        if (parsed == DecimalParse::kMalformed && !call.is_try) call.Fail(text);
        return parsed == DecimalParse::kOk ? std::optional(value) : std::nullopt;
      },
      view);
}

/// Digits beyond `precision` of a timestamp or time are cut off, not rounded.
int64_t TruncateTicks(int64_t ticks, arrow::TimeUnit::type unit, int precision) {
  int64_t per_second = TicksPerSecond(unit);
  int64_t step = per_second;
  for (int i = 0; i < precision && step > 1; ++i) step /= 10;
  return step <= 1 ? ticks : FloorDiv(ticks, step) * step;
}

ArrayPtr ParseTimestamps(const CastCall& call, const ArrayPtr& values) {
  bool ltz = call.to.Is(TypeRoot::kTimestampLtz);
  auto unit = static_cast<const arrow::TimestampType&>(*call.target).unit();
  auto local_type = arrow::timestamp(unit);
  View<arrow::StringArray> view{arrow::Datum(values)};
  ArrayPtr local = MapRows<arrow::TimestampBuilder>(
      local_type, values->length(),
      [&](std::string_view text) {
        std::optional<int64_t> ticks;
        if (std::optional<LocalTimestamp> parsed = ParseLocalTimestamp(text)) ticks = ToTicks(*parsed, unit);
        if (!ticks.has_value() && !call.is_try) call.Fail(text);
        if (ticks.has_value()) ticks = TruncateTicks(*ticks, unit, call.to.precision);
        return ticks;
      },
      view);
  return ltz ? LocalToInstant(local, call.context.time_zone) : local;
}

ArrayPtr ParseTimes(const CastCall& call, const ArrayPtr& values) {
  if (call.target->id() == arrow::Type::TIME32) {
    return ParseText<arrow::Time32Builder>(call, values, [&](std::string_view text) -> std::optional<int32_t> {
      std::optional<int64_t> nanos = ParseTimeOfDay(text);
      if (!nanos.has_value()) return std::nullopt;
      return static_cast<int32_t>(TruncateTicks(*nanos / 1'000'000, arrow::TimeUnit::MILLI, call.to.precision));
    });
  }
  auto unit = static_cast<const arrow::Time64Type&>(*call.target).unit();
  return ParseText<arrow::Time64Builder>(call, values, [&](std::string_view text) -> std::optional<int64_t> {
    std::optional<int64_t> nanos = ParseTimeOfDay(text);
    if (!nanos.has_value()) return std::nullopt;
    return TruncateTicks(*nanos / (1'000'000'000 / TicksPerSecond(unit)), unit, call.to.precision);
  });
}

/// CHAR(n) and VARCHAR(n) cut to n characters, CHAR(n) pads with blanks; BINARY(n) the same with bytes and zeros.
ArrayPtr FitText(const CastCall& call, const ArrayPtr& values) {
  bool pad = call.to.Is(TypeRoot::kChar);
  if (!pad && call.to.precision == LogicalType::kMaxLength) return values;
  View<arrow::StringArray> view{arrow::Datum(values)};
  auto wanted = static_cast<size_t>(call.to.precision);
  return MapRows<arrow::StringBuilder>(
      arrow::utf8(), values->length(),
      [&](std::string_view text) {
        size_t characters = 0;
        size_t at = 0;
        while (at < text.size() && characters < wanted) {
          do ++at;
          while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
          ++characters;
        }
        std::string fitted(text.substr(0, at));
        if (pad) fitted.append(wanted - characters, ' ');
        return fitted;
      },
      view);
}

ArrayPtr FitBytes(const CastCall& call, const ArrayPtr& values) {
  View<arrow::BinaryArray> view{arrow::Datum(values)};
  auto wanted = static_cast<size_t>(call.to.precision);
  auto fit = [&](std::string_view bytes) {
    std::string fitted(bytes.substr(0, wanted));
    if (call.to.Is(TypeRoot::kBinary)) fitted.resize(wanted, '\0');
    return fitted;
  };
  if (call.to.Is(TypeRoot::kBinary)) {
    return MapRows<arrow::FixedSizeBinaryBuilder>(call.target, values->length(), fit, view);
  }
  if (call.to.precision == LogicalType::kMaxLength) return Retyped(values, arrow::binary());
  return MapRows<arrow::BinaryBuilder>(call.target, values->length(), fit, view);
}

ArrayPtr CastFromText(const CastCall& call, const ArrayPtr& values) {
  switch (call.to.root) {
    case TypeRoot::kChar:
    case TypeRoot::kVarChar: return FitText(call, values);
    case TypeRoot::kBoolean: return ParseText<arrow::BooleanBuilder>(call, values, ParseBoolean);
    case TypeRoot::kTinyInt: return ParseText<arrow::Int8Builder>(call, values, ParseInteger<int8_t>);
    case TypeRoot::kSmallInt: return ParseText<arrow::Int16Builder>(call, values, ParseInteger<int16_t>);
    case TypeRoot::kInteger: return ParseText<arrow::Int32Builder>(call, values, ParseInteger<int32_t>);
    case TypeRoot::kBigInt: return ParseText<arrow::Int64Builder>(call, values, ParseInteger<int64_t>);
    case TypeRoot::kFloat: return ParseText<arrow::FloatBuilder>(call, values, ParseFloat<float>);
    case TypeRoot::kDouble: return ParseText<arrow::DoubleBuilder>(call, values, ParseFloat<double>);
    case TypeRoot::kDecimal: return ParseDecimals(call, values);
    case TypeRoot::kDate: return ParseText<arrow::Date32Builder>(call, values, ParseDate);
    case TypeRoot::kTime: return ParseTimes(call, values);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: return ParseTimestamps(call, values);
    case TypeRoot::kBinary:
    case TypeRoot::kVarBinary: return FitBytes(call, Retyped(values, arrow::binary()));
    default: call.Refuse();
  }
}

// ---- To text

template <typename ArrayType, typename Append>
ArrayPtr FormatRows(const ArrayPtr& values, Append&& append) {
  View<ArrayType> view{arrow::Datum(values)};
  std::string text;
  return MapRows<arrow::StringBuilder>(
      arrow::utf8(), values->length(),
      [&](auto value) -> std::string_view {
        text.clear();
        append(value, text);
        return text;
      },
      view);
}

ArrayPtr ToText(const ArrayPtr& values, const LogicalType& from, const EvalContext& context);

/// Flink prints (a, b), [a, b] and {k=v, k=v}; a null inside is NULL.
ArrayPtr NestedToText(const ArrayPtr& values, const LogicalType& from, const EvalContext& context) {
  std::vector<ArrayPtr> children;
  auto text_of = [&](size_t child, const ArrayPtr& array) {
    children.push_back(ToText(array, from.children[child].type, context));
  };
  if (from.Is(TypeRoot::kRow)) {
    const auto& rows = static_cast<const arrow::StructArray&>(*values);
    for (size_t i = 0; i < from.children.size(); ++i) text_of(i, rows.field(static_cast<int>(i)));
  } else if (from.Is(TypeRoot::kArray)) {
    text_of(0, static_cast<const arrow::ListArray&>(*values).values());
  } else {
    const auto& maps = static_cast<const arrow::MapArray&>(*values);
    text_of(0, maps.keys());
    if (from.Is(TypeRoot::kMap)) {
      text_of(1, maps.items());
    } else {
      children.push_back(ToText(maps.items(), IntType(), context));
    }
  }
  auto cell = [&](size_t child, int64_t row) {
    const auto& column = static_cast<const arrow::StringArray&>(*children[child]);
    return column.IsNull(row) ? std::string_view("NULL") : column.GetView(row);
  };
  arrow::StringBuilder builder;
  for (int64_t row = 0; row < values->length(); ++row) {
    if (values->IsNull(row)) {
      Check(builder.AppendNull(), "CAST");
      continue;
    }
    std::string text;
    if (from.Is(TypeRoot::kRow)) {
      for (size_t i = 0; i < children.size(); ++i) text += fmt::format("{}{}", i == 0 ? "(" : ", ", cell(i, row));
      text += children.empty() ? "()" : ")";
    } else {
      const auto& list = static_cast<const arrow::ListArray&>(*values);  // a map's layout is a list's
      bool is_map = !from.Is(TypeRoot::kArray);
      text = is_map ? "{" : "[";
      for (int64_t i = list.value_offset(row); i < list.value_offset(row + 1); ++i) {
        if (i > list.value_offset(row)) text += ", ";
        text += is_map ? fmt::format("{}={}", cell(0, i), cell(1, i)) : std::string(cell(0, i));
      }
      text += is_map ? "}" : "]";
    }
    Check(builder.Append(text), "CAST");
  }
  return Unwrap(builder.Finish(), "CAST");
}

ArrayPtr TimestampsToText(const ArrayPtr& values, const LogicalType& from, const EvalContext& context) {
  ArrayPtr local = from.Is(TypeRoot::kTimestampLtz) ? InstantToLocal(values, context.time_zone) : values;
  auto unit = static_cast<const arrow::TimestampType&>(*local->type()).unit();
  return FormatRows<arrow::TimestampArray>(
      local, [&](int64_t ticks, std::string& out) { AppendTimestamp(ticks, unit, from.precision, out); });
}

ArrayPtr ToText(const ArrayPtr& values, const LogicalType& from, const EvalContext& context) {
  switch (from.root) {
    case TypeRoot::kNull:
      return Unwrap(arrow::MakeArrayOfNull(arrow::utf8(), values->length()), "CAST");
    case TypeRoot::kChar:
    case TypeRoot::kVarChar: return values;
    case TypeRoot::kBoolean:
      return FormatRows<arrow::BooleanArray>(values, [](bool v, std::string& out) { out = v ? "TRUE" : "FALSE"; });
    case TypeRoot::kTinyInt:
    case TypeRoot::kSmallInt:
    case TypeRoot::kInteger:
    case TypeRoot::kBigInt: return Unwrap(arrow::compute::Cast(*values, arrow::utf8()), "CAST");
    case TypeRoot::kFloat:
      return FormatRows<arrow::FloatArray>(values, [](float v, std::string& out) { out = FormatDouble(v, true); });
    case TypeRoot::kDouble:
      return FormatRows<arrow::DoubleArray>(values, [](double v, std::string& out) { out = FormatDouble(v, false); });
    case TypeRoot::kDecimal:
      return FormatRows<arrow::Decimal128Array>(
          values, [&](__int128 v, std::string& out) { AppendDecimal(v, from.scale, out); });
    case TypeRoot::kDate:
      return FormatRows<arrow::Date32Array>(values, [](int32_t days, std::string& out) { AppendDate(days, out); });
    case TypeRoot::kTime: {
      int digits = from.precision;
      if (values->type_id() == arrow::Type::TIME32) {
        return FormatRows<arrow::Time32Array>(values, [&](int32_t millis, std::string& out) {
          AppendTimeOfDay(int64_t{millis} * 1'000'000, digits, out);
        });
      }
      int64_t nanos = 1'000'000'000 / TicksPerSecond(static_cast<const arrow::Time64Type&>(*values->type()).unit());
      return FormatRows<arrow::Time64Array>(
          values, [&](int64_t ticks, std::string& out) { AppendTimeOfDay(ticks * nanos, digits, out); });
    }
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: return TimestampsToText(values, from, context);
    case TypeRoot::kBinary:
    case TypeRoot::kVarBinary: {
      // Bytes are taken as UTF-8; what isn't becomes U+FFFD, as Java's String does.
      ArrayPtr bytes = Unwrap(arrow::compute::Cast(*values, arrow::binary()), "CAST");
      return FormatRows<arrow::BinaryArray>(bytes, [](std::string_view v, std::string& out) {
        arrow::util::InitializeUTF8();
        if (arrow::util::ValidateUTF8(v)) {
          out = v;
          return;
        }
        for (char c : v)
          static_cast<unsigned char>(c) < 0x80 ? (void)out.push_back(c) : (void)out.append("\xEF\xBF\xBD");
      });
    }
    case TypeRoot::kArray:
    case TypeRoot::kMultiset:
    case TypeRoot::kMap:
    case TypeRoot::kRow: return NestedToText(values, from, context);
    default: throw Unsupported("CAST from {} to STRING is not supported", from.ToStringWithoutNullability());
  }
}

// ---- Numbers and booleans

/// Java's (int) of a double: NaN is 0, out of range saturates.
template <typename T>
T SaturatingCast(double value) {
  if (std::isnan(value)) return 0;
  if (value >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  if (value <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

template <typename Source>
ArrayPtr FloatToInteger(const CastCall& call, const ArrayPtr& values) {
  View<Source> view{arrow::Datum(values)};
  int64_t rows = values->length();
  // byte and short go through int in Java, and wrap there
  switch (call.to.root) {
    case TypeRoot::kTinyInt:
      return MapRows<arrow::Int8Builder>(
          call.target, rows, [](double v) { return static_cast<int8_t>(SaturatingCast<int32_t>(v)); }, view);
    case TypeRoot::kSmallInt:
      return MapRows<arrow::Int16Builder>(
          call.target, rows, [](double v) { return static_cast<int16_t>(SaturatingCast<int32_t>(v)); }, view);
    case TypeRoot::kInteger:
      return MapRows<arrow::Int32Builder>(
          call.target, rows, [](double v) { return SaturatingCast<int32_t>(v); }, view);
    default:
      return MapRows<arrow::Int64Builder>(
          call.target, rows, [](double v) { return SaturatingCast<int64_t>(v); }, view);
  }
}

ArrayPtr DecimalToNumber(const CastCall& call, const ArrayPtr& values) {
  View<arrow::Decimal128Array> view{arrow::Datum(values)};
  int64_t rows = values->length();
  __int128 divisor = PowerOfTen(call.from.scale);
  switch (call.to.root) {
    case TypeRoot::kDecimal:
      return MapRows<arrow::Decimal128Builder>(
          call.target, rows,
          [&](__int128 v) {
            __int128 out = 0;
            bool fits = RescaleDecimal(v, call.from.scale, call.to.scale, call.to.precision, out);
            return fits ? std::optional(out) : std::nullopt;
          },
          view);
    case TypeRoot::kBoolean:
      return MapRows<arrow::BooleanBuilder>(
          call.target, rows, [](__int128 v) { return v != 0; }, view);
    case TypeRoot::kTinyInt:
      return MapRows<arrow::Int8Builder>(
          call.target, rows, [&](__int128 v) { return static_cast<int8_t>(v / divisor); }, view);
    case TypeRoot::kSmallInt:
      return MapRows<arrow::Int16Builder>(
          call.target, rows, [&](__int128 v) { return static_cast<int16_t>(v / divisor); }, view);
    case TypeRoot::kInteger:
      return MapRows<arrow::Int32Builder>(
          call.target, rows, [&](__int128 v) { return static_cast<int32_t>(v / divisor); }, view);
    case TypeRoot::kBigInt:
      return MapRows<arrow::Int64Builder>(
          call.target, rows, [&](__int128 v) { return static_cast<int64_t>(v / divisor); }, view);
    default: {
      // Through the text, so that the nearest float or double comes out.
      std::string text;
      auto to_double = [&](__int128 v) {
        text.clear();
        AppendDecimal(v, call.from.scale, text);
        return std::strtod(text.c_str(), nullptr);
      };
      if (call.to.Is(TypeRoot::kDouble)) return MapRows<arrow::DoubleBuilder>(call.target, rows, to_double, view);
      return MapRows<arrow::FloatBuilder>(
          call.target, rows, [&](__int128 v) { return static_cast<float>(to_double(v)); }, view);
    }
  }
}

ArrayPtr NumberToDecimal(const CastCall& call, const ArrayPtr& values) {
  if (call.from.IsApproximateNumeric()) {
    // As BigDecimal.valueOf(double): the shortest digits that name the double.
    ArrayPtr text = ToText(values, call.from, call.context);
    View<arrow::StringArray> view{arrow::Datum(text)};
    return MapRows<arrow::Decimal128Builder>(
        call.target, values->length(),
        [&](std::string_view digits) {
          __int128 out = 0;
          DecimalParse parsed = ParseDecimal(digits, call.to.precision, call.to.scale, out);
          if (parsed == DecimalParse::kMalformed && !call.is_try) call.Fail(digits);
          return parsed == DecimalParse::kOk ? std::optional(out) : std::nullopt;
        },
        view);
  }
  ArrayPtr longs = Unwrap(arrow::compute::Cast(*values, arrow::int64()), "CAST");
  View<arrow::Int64Array> view{arrow::Datum(longs)};
  return MapRows<arrow::Decimal128Builder>(
      call.target, values->length(),
      [&](int64_t v) {
        __int128 out = 0;
        return RescaleDecimal(v, 0, call.to.scale, call.to.precision, out) ? std::optional(out) : std::nullopt;
      },
      view);
}

ArrayPtr CastNumber(const CastCall& call, const ArrayPtr& values) {
  if (call.from.Is(TypeRoot::kDecimal)) return DecimalToNumber(call, values);
  if (call.to.Is(TypeRoot::kDecimal)) return NumberToDecimal(call, values);
  if (call.from.Is(TypeRoot::kFloat) && call.to.IsInteger()) return FloatToInteger<arrow::FloatArray>(call, values);
  if (call.from.Is(TypeRoot::kDouble) && call.to.IsInteger()) return FloatToInteger<arrow::DoubleArray>(call, values);
  return call.Arrow(values);  // widens exactly, narrows by wrapping as Java does
}

// ---- Dates and times

ArrayPtr RescaleTimestamps(const CastCall& call, const ArrayPtr& values, const std::shared_ptr<arrow::DataType>& target,
                           int precision) {
  auto from_unit = static_cast<const arrow::TimestampType&>(*values->type()).unit();
  auto to_unit = static_cast<const arrow::TimestampType&>(*target).unit();
  int64_t from_ticks = TicksPerSecond(from_unit);
  int64_t to_ticks = TicksPerSecond(to_unit);
  View<arrow::TimestampArray> view{arrow::Datum(values)};
  return MapRows<arrow::TimestampBuilder>(
      target, values->length(),
      [&](int64_t v) -> std::optional<int64_t> {
        int64_t out = v;
        if (to_ticks < from_ticks) {
          out = FloorDiv(v, from_ticks / to_ticks);
        } else if (__builtin_mul_overflow(v, to_ticks / from_ticks, &out)) {
          if (call.is_try) return std::nullopt;
          std::string text;
          AppendTimestamp(v, from_unit, call.from.precision, text);
          call.Fail(text, "it is outside the range of this precision");
        }
        return TruncateTicks(out, to_unit, precision);
      },
      view);
}

/// From a local timestamp of any unit to what `call` wants.
ArrayPtr CastLocalTimestamp(const CastCall& call, const ArrayPtr& local) {
  auto unit = static_cast<const arrow::TimestampType&>(*local->type()).unit();
  int64_t per_day = TicksPerSecond(unit) * 86'400;
  View<arrow::TimestampArray> view{arrow::Datum(local)};
  switch (call.to.root) {
    case TypeRoot::kDate:
      return MapRows<arrow::Date32Builder>(
          call.target, local->length(), [&](int64_t v) { return static_cast<int32_t>(FloorDiv(v, per_day)); }, view);
    case TypeRoot::kTime: {
      auto nanos_of_day = [&](int64_t v) { return FloorMod(v, per_day) * (1'000'000'000 / TicksPerSecond(unit)); };
      if (call.target->id() == arrow::Type::TIME32) {
        return MapRows<arrow::Time32Builder>(
            call.target, local->length(),
            [&](int64_t v) {
              return static_cast<int32_t>(
                  TruncateTicks(nanos_of_day(v) / 1'000'000, arrow::TimeUnit::MILLI, call.to.precision));
            },
            view);
      }
      auto to_unit = static_cast<const arrow::Time64Type&>(*call.target).unit();
      return MapRows<arrow::Time64Builder>(
          call.target, local->length(),
          [&](int64_t v) {
            return TruncateTicks(nanos_of_day(v) / (1'000'000'000 / TicksPerSecond(to_unit)), to_unit,
                                 call.to.precision);
          },
          view);
    }
    case TypeRoot::kTimestamp: return RescaleTimestamps(call, local, call.target, call.to.precision);
    case TypeRoot::kTimestampLtz: {
      auto to_unit = static_cast<const arrow::TimestampType&>(*call.target).unit();
      ArrayPtr scaled = RescaleTimestamps(call, local, arrow::timestamp(to_unit), call.to.precision);
      return LocalToInstant(scaled, call.context.time_zone);
    }
    default: call.Refuse();
  }
}

ArrayPtr CastTemporal(const CastCall& call, const ArrayPtr& values) {
  switch (call.from.root) {
    case TypeRoot::kDate: {
      if (!call.to.IsTimestamp()) call.Refuse();
      auto unit = static_cast<const arrow::TimestampType&>(*call.target).unit();
      ArrayPtr local = Unwrap(arrow::compute::Cast(*values, arrow::timestamp(unit)), "CAST");
      return call.to.Is(TypeRoot::kTimestampLtz) ? LocalToInstant(local, call.context.time_zone) : local;
    }
    case TypeRoot::kTime:
      if (!call.to.Is(TypeRoot::kTime)) call.Refuse();
      return call.Arrow(values);
    case TypeRoot::kTimestamp: return CastLocalTimestamp(call, values);
    case TypeRoot::kTimestampLtz:
      if (call.to.Is(TypeRoot::kTimestampLtz)) return RescaleTimestamps(call, values, call.target, call.to.precision);
      return CastLocalTimestamp(call, InstantToLocal(values, call.context.time_zone));
    default: call.Refuse();
  }
}

// ---- Nested

ArrayPtr CastNested(const CastCall& call, const ArrayPtr& values) {
  auto child = [&](size_t i, const ArrayPtr& array) {
    return CastArray(array, call.from.children[i].type, call.to.children[i].type, call.is_try, call.context);
  };
  if (call.from.root != call.to.root || call.from.children.size() != call.to.children.size()) call.Refuse();
  const std::shared_ptr<arrow::ArrayData>& data = values->data();
  auto result = data->Copy();
  result->type = call.target;
  if (call.from.Is(TypeRoot::kRow)) {
    // Children keep the parent's offset: cast the whole child, not the slice.
    for (size_t i = 0; i < call.from.children.size(); ++i) {
      result->child_data[i] = child(i, arrow::MakeArray(data->child_data[i]))->data();
    }
  } else if (call.from.Is(TypeRoot::kArray)) {
    result->child_data[0] = child(0, arrow::MakeArray(data->child_data[0]))->data();
  } else if (call.from.Is(TypeRoot::kMap)) {
    auto entries = data->child_data[0]->Copy();
    entries->type = call.target->field(0)->type();
    for (size_t i = 0; i < 2; ++i) entries->child_data[i] = child(i, arrow::MakeArray(entries->child_data[i]))->data();
    result->child_data[0] = entries;
  } else {
    call.Refuse();
  }
  return arrow::MakeArray(result);
}

bool SameValues(const LogicalType& from, const LogicalType& to) {
  return from.WithNullable(true) == to.WithNullable(true);
}

}  // namespace

std::shared_ptr<arrow::Array> CastArray(const std::shared_ptr<arrow::Array>& values, const LogicalType& from,
                                        const LogicalType& to, bool is_try, const EvalContext& context) {
  if (SameValues(from, to)) return values;
  CastCall call{from, to, is_try, context};
  if (from.Is(TypeRoot::kNull)) return Unwrap(arrow::MakeArrayOfNull(call.target, values->length()), "CAST");
  if (from.IsCharacter()) return CastFromText(call, values);
  if (to.IsCharacter()) return FitText(call, ToText(values, from, context));
  bool number_or_boolean = from.IsNumeric() || from.Is(TypeRoot::kBoolean);
  if (number_or_boolean && (to.IsNumeric() || to.Is(TypeRoot::kBoolean))) return CastNumber(call, values);
  if (from.IsBinary() && to.IsBinary()) {
    return FitBytes(call, Unwrap(arrow::compute::Cast(*values, arrow::binary()), "CAST"));
  }
  if (from.IsNested()) return CastNested(call, values);
  if (from.IsDatetime() && to.IsDatetime()) return CastTemporal(call, values);
  if (from.IsInterval() && from.root == to.root) return values;
  call.Refuse();
}

bool CastCanFail(const LogicalType& from, const LogicalType& to) {
  if (SameValues(from, to) || from.Is(TypeRoot::kNull)) return false;
  if (from.IsCharacter()) return !to.IsCharacter() && !to.IsBinary();
  if (to.IsCharacter()) return false;
  if (from.IsNested() && from.root == to.root && from.children.size() == to.children.size()) {
    for (size_t i = 0; i < from.children.size(); ++i) {
      if (CastCanFail(from.children[i].type, to.children[i].type)) return true;
    }
    return false;
  }
  if (from.IsApproximateNumeric()) return to.Is(TypeRoot::kDecimal);
  bool number = from.IsNumeric() || from.Is(TypeRoot::kBoolean);
  if (number && (to.IsNumeric() || to.Is(TypeRoot::kBoolean))) return false;
  if (from.IsBinary() && to.IsBinary()) return false;
  return true;
}

std::string FormatDouble(double value, bool single) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  char buffer[40];
  std::to_chars_result end =
      single ? std::to_chars(buffer, buffer + sizeof(buffer), static_cast<float>(value), std::chars_format::scientific)
             : std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<size_t>(end.ptr - buffer));
  std::string sign;
  if (text.front() == '-') {
    sign = "-";
    text.remove_prefix(1);
  }
  size_t e = text.find('e');
  int exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  std::string digits;
  for (char c : text.substr(0, e)) {
    if (c != '.') digits.push_back(c);
  }
  if (exponent >= -3 && exponent < 7) {
    if (exponent < 0) return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
    auto whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() < whole) digits.append(whole - digits.size(), '0');
    std::string fraction = digits.substr(whole);
    return sign + digits.substr(0, whole) + "." + (fraction.empty() ? "0" : fraction);
  }
  std::string fraction = digits.substr(1);
  return fmt::format("{}{}.{}E{}", sign, digits[0], fraction.empty() ? "0" : fraction, exponent);
}

}  // namespace frazil::sql
