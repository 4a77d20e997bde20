// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/datagen/column_generator.h"

#include <limits>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/builder_time.h>
#include <arrow/util/decimal.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/clock.h"
#include "frazil/base/error.h"
#include "frazil/base/options.h"

namespace frazil::connector {

namespace {

constexpr int64_t kDefaultLength = 100;  ///< Flink's, of random strings and bytes

/// The finaliser of SplitMix64: neighbouring inputs give unrelated outputs.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Random numbers of one cell.
class Cell {
 public:
  Cell(uint64_t column_seed, int64_t row) : state_(Mix(column_seed ^ Mix(static_cast<uint64_t>(row)))) {}

  uint64_t Bits() { return state_ = Mix(state_); }
  /// Uniform in [0, 1).
  double Unit() { return static_cast<double>(Bits() >> 11) * 0x1.0p-53; }
  /// Uniform in [min, max].
  int64_t Between(int64_t min, int64_t max) {
    uint64_t range = static_cast<uint64_t>(max) - static_cast<uint64_t>(min) + 1;
    uint64_t offset =
        range == 0 ? Bits() : static_cast<uint64_t>((static_cast<unsigned __int128>(Bits()) * range) >> 64);
    return static_cast<int64_t>(static_cast<uint64_t>(min) + offset);
  }

 private:
  uint64_t state_;
};

uint64_t HashOf(std::string_view name) {
  uint64_t hash = 0;
  for (char c : name) hash = Mix(hash ^ static_cast<unsigned char>(c));
  return hash;
}

/// What all random columns have in common.
struct Randomness {
  std::string name;  ///< of the field
  std::shared_ptr<arrow::DataType> type;
  uint64_t salt;  ///< keeps columns apart
  double null_rate = 0;
};

/// A column whose values come from `value(cell)`, appended to a Builder of the column's type.
template <typename Builder, typename Value>
class RandomColumn : public ColumnGenerator {
 public:
  RandomColumn(Randomness randomness, Value value) : randomness_(std::move(randomness)), value_(std::move(value)) {}

  std::shared_ptr<arrow::Array> Generate(uint64_t seed, int64_t first_row, int64_t count) const override {
    Builder builder(randomness_.type, arrow::default_memory_pool());
    Check(builder.Reserve(count), randomness_.name);
    for (int64_t row = first_row; row < first_row + count; ++row) {
      Cell cell(seed ^ randomness_.salt, row);
      if (randomness_.null_rate > 0 && cell.Unit() < randomness_.null_rate) {
        builder.UnsafeAppendNull();
      } else {
        Check(builder.Append(value_(cell)), randomness_.name);
      }
    }
    return Unwrap(builder.Finish(), randomness_.name);
  }

 private:
  const Randomness randomness_;
  const Value value_;
};

template <typename Builder, typename Value>
std::unique_ptr<ColumnGenerator> MakeRandom(Randomness randomness, Value value) {
  return std::make_unique<RandomColumn<Builder, Value>>(std::move(randomness), std::move(value));
}

/// A column that counts from `start`.
template <typename Builder, typename Value>
class SequenceColumn : public ColumnGenerator {
 public:
  SequenceColumn(const arrow::Field& field, int64_t start, int64_t num_rows, Value value)
      : name_(field.name()), type_(field.type()), start_(start), num_rows_(num_rows), value_(std::move(value)) {}

  std::shared_ptr<arrow::Array> Generate(uint64_t, int64_t first_row, int64_t count) const override {
    Builder builder(type_, arrow::default_memory_pool());
    Check(builder.Reserve(count), name_);
    for (int64_t row = first_row; row < first_row + count; ++row) Check(builder.Append(value_(start_ + row)), name_);
    return Unwrap(builder.Finish(), name_);
  }
  std::optional<int64_t> num_rows() const override { return num_rows_; }

 private:
  const std::string name_;
  const std::shared_ptr<arrow::DataType> type_;
  const int64_t start_;
  const int64_t num_rows_;
  const Value value_;
};

/// The options of one field.
class FieldOptions {
 public:
  FieldOptions(const arrow::Field& field, OptionReader& options)
      : field_(field), prefix_("fields." + field.name() + "."), options_(options) {}

  std::string Key(std::string_view name) const { return prefix_ + std::string(name); }
  OptionReader& reader() { return options_; }

  int64_t Int(std::string_view name, int64_t fallback, int64_t min, int64_t max) {
    int64_t value = options_.GetInt64(Key(name)).value_or(fallback);
    if (value < min || value > max) {
      throw InvalidArgument("option '{}': {} is not between {} and {}", Key(name), value, min, max);
    }
    return value;
  }

  /// Throws InvalidArgument unless min ≤ max.
  template <typename T>
  std::pair<T, T> Ordered(T min, T max) {
    if (!(min <= max)) throw InvalidArgument("option '{}' is greater than '{}'", Key("min"), Key("max"));
    return {min, max};
  }

  Error TypeError(std::string_view kind) const {
    return Unsupported("field '{}': the connector 'datagen' can't make a {} column of type {}", field_.name(), kind,
                       field_.type()->ToString());
  }

 private:
  const arrow::Field& field_;
  const std::string prefix_;
  OptionReader& options_;
};

Randomness ReadRandomness(const arrow::Field& field, FieldOptions& options) {
  Randomness randomness{field.name(), field.type(), HashOf(field.name())};
  std::string key = options.Key("null-rate");
  randomness.null_rate = options.reader().GetDouble(key).value_or(0);
  if (!(randomness.null_rate >= 0 && randomness.null_rate <= 1)) {
    throw InvalidArgument("option '{}': {} is not between 0 and 1", key, randomness.null_rate);
  }
  if (randomness.null_rate > 0 && !field.nullable()) {
    throw InvalidArgument("option '{}': the column is NOT NULL", key);
  }
  return randomness;
}

template <typename Builder, typename Native>
std::unique_ptr<ColumnGenerator> RandomInteger(Randomness randomness, FieldOptions& options) {
  constexpr int64_t kMin = std::numeric_limits<Native>::min();
  constexpr int64_t kMax = std::numeric_limits<Native>::max();
  auto [min, max] = options.Ordered(options.Int("min", kMin, kMin, kMax), options.Int("max", kMax, kMin, kMax));
  return MakeRandom<Builder>(std::move(randomness), [min = min, max = max](Cell& cell) {
    return static_cast<Native>(cell.Between(min, max));
  });
}

template <typename Builder, typename Native>
std::unique_ptr<ColumnGenerator> RandomFloat(Randomness randomness, FieldOptions& options) {
  double lowest = std::numeric_limits<Native>::lowest();
  auto [min, max] = options.Ordered(options.reader().GetDouble(options.Key("min")).value_or(lowest),
                                    options.reader().GetDouble(options.Key("max")).value_or(-lowest));
  return MakeRandom<Builder>(std::move(randomness), [min = min, max = max](Cell& cell) {
    double unit = cell.Unit();
    return static_cast<Native>(min * (1 - unit) + max * unit);  // max − min may overflow
  });
}

arrow::Decimal128 DecimalOption(FieldOptions& options, std::string_view name, const arrow::Decimal128Type& type,
                                arrow::Decimal128 fallback) {
  std::string key = options.Key(name);
  std::optional<std::string> text = options.reader().GetString(key);
  if (!text) return fallback;
  arrow::Decimal128 value;
  int32_t precision = 0, scale = 0;
  if (arrow::Decimal128::FromString(*text, &value, &precision, &scale).ok()) {
    arrow::Result<arrow::Decimal128> scaled = value.Rescale(scale, type.scale());
    if (scaled.ok() && scaled->FitsInPrecision(type.precision())) return *scaled;
  }
  throw InvalidArgument("option '{}': '{}' is no value of type {}", key, *text, type.ToString());
}

unsigned __int128 ToInt128(const arrow::Decimal128& value) {
  return (static_cast<unsigned __int128>(static_cast<uint64_t>(value.high_bits())) << 64) | value.low_bits();
}

std::unique_ptr<ColumnGenerator> RandomDecimal(Randomness randomness, FieldOptions& options) {
  const auto& type = static_cast<const arrow::Decimal128Type&>(*randomness.type);
  arrow::Decimal128 largest = arrow::Decimal128::GetMaxValue(type.precision());
  auto [min, max] =
      options.Ordered(DecimalOption(options, "min", type, -largest), DecimalOption(options, "max", type, largest));
  unsigned __int128 base = ToInt128(min);
  unsigned __int128 range = ToInt128(max) - base + 1;  // never 0: 38 digits don't fill 128 bits
  return MakeRandom<arrow::Decimal128Builder>(std::move(randomness), [base, range](Cell& cell) {
    unsigned __int128 bits = (static_cast<unsigned __int128>(cell.Bits()) << 64) | cell.Bits();
    unsigned __int128 value = base + bits % range;
    return arrow::Decimal128(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value));
  });
}

/// 'length' and 'var-len': the length of one value.
struct Length {
  int64_t max;
  bool variable;
  int64_t operator()(Cell& cell) const { return variable && max > 0 ? cell.Between(1, max) : max; }
};

Length ReadLength(FieldOptions& options) {
  return {options.Int("length", kDefaultLength, 0, std::numeric_limits<int32_t>::max()),
          options.reader().GetBool(options.Key("var-len")).value_or(false)};
}

std::string RandomHex(Cell& cell, int64_t length) {
  std::string text;
  text.reserve(static_cast<size_t>(length));
  for (uint64_t bits = 0; static_cast<int64_t>(text.size()) < length; bits >>= 4) {
    if (text.size() % 16 == 0) bits = cell.Bits();
    text += "0123456789abcdef"[bits & 15];
  }
  return text;
}

std::string RandomBytes(Cell& cell, int64_t length) {
  std::string bytes;
  bytes.reserve(static_cast<size_t>(length));
  for (uint64_t bits = 0; static_cast<int64_t>(bytes.size()) < length; bits >>= 8) {
    if (bytes.size() % 8 == 0) bits = cell.Bits();
    bytes += static_cast<char>(bits);
  }
  return bytes;
}

int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND: return 1;
    case arrow::TimeUnit::MILLI: return 1'000;
    case arrow::TimeUnit::MICRO: return 1'000'000;
    case arrow::TimeUnit::NANO: return 1'000'000'000;
  }
  throw Internal("{} is not a time unit", static_cast<int>(unit));
}

int64_t FromMicros(int64_t micros, arrow::TimeUnit::type unit) {
  int64_t per_second = UnitsPerSecond(unit);
  return per_second >= 1'000'000 ? micros * (per_second / 1'000'000) : micros / (1'000'000 / per_second);
}

/// The present, or up to 'max-past' before it.
std::unique_ptr<ColumnGenerator> RandomTimestamp(Randomness randomness, FieldOptions& options) {
  auto max_past = options.reader().GetDuration(options.Key("max-past")).value_or(std::chrono::nanoseconds(0));
  int64_t max_past_us = std::chrono::duration_cast<std::chrono::microseconds>(max_past).count();
  if (max_past_us < 0) throw InvalidArgument("option '{}' is negative", options.Key("max-past"));
  auto unit = static_cast<const arrow::TimestampType&>(*randomness.type).unit();
  return MakeRandom<arrow::TimestampBuilder>(std::move(randomness), [max_past_us, unit](Cell& cell) {
    return FromMicros(NowMicros() - cell.Between(0, max_past_us), unit);
  });
}

constexpr int64_t kMicrosPerDay = 86'400'000'000;

template <typename Builder>
std::unique_ptr<ColumnGenerator> CurrentTime(Randomness randomness) {
  auto unit = static_cast<const arrow::TimeType&>(*randomness.type).unit();
  return MakeRandom<Builder>(std::move(randomness), [unit](Cell&) {
    return static_cast<typename Builder::value_type>(FromMicros(NowMicros() % kMicrosPerDay, unit));
  });
}

std::unique_ptr<ColumnGenerator> MakeRandomColumn(const arrow::Field& field, FieldOptions& options) {
  Randomness randomness = ReadRandomness(field, options);
  switch (field.type()->id()) {
    case arrow::Type::BOOL:
      return MakeRandom<arrow::BooleanBuilder>(std::move(randomness),
                                               [](Cell& cell) { return (cell.Bits() & 1) != 0; });
    case arrow::Type::INT8: return RandomInteger<arrow::Int8Builder, int8_t>(std::move(randomness), options);
    case arrow::Type::INT16: return RandomInteger<arrow::Int16Builder, int16_t>(std::move(randomness), options);
    case arrow::Type::INT32: return RandomInteger<arrow::Int32Builder, int32_t>(std::move(randomness), options);
    case arrow::Type::INT64: return RandomInteger<arrow::Int64Builder, int64_t>(std::move(randomness), options);
    case arrow::Type::FLOAT: return RandomFloat<arrow::FloatBuilder, float>(std::move(randomness), options);
    case arrow::Type::DOUBLE: return RandomFloat<arrow::DoubleBuilder, double>(std::move(randomness), options);
    case arrow::Type::DECIMAL128: return RandomDecimal(std::move(randomness), options);
    case arrow::Type::STRING:
      return MakeRandom<arrow::StringBuilder>(
          std::move(randomness), [length = ReadLength(options)](Cell& cell) { return RandomHex(cell, length(cell)); });
    case arrow::Type::BINARY:
      return MakeRandom<arrow::BinaryBuilder>(std::move(randomness), [length = ReadLength(options)](Cell& cell) {
        return RandomBytes(cell, length(cell));
      });
    case arrow::Type::FIXED_SIZE_BINARY: {
      int64_t width = static_cast<const arrow::FixedSizeBinaryType&>(*field.type()).byte_width();
      return MakeRandom<arrow::FixedSizeBinaryBuilder>(std::move(randomness),
                                                       [width](Cell& cell) { return RandomBytes(cell, width); });
    }
    case arrow::Type::DATE32:
      return MakeRandom<arrow::Date32Builder>(std::move(randomness),
                                              [](Cell&) { return static_cast<int32_t>(NowMicros() / kMicrosPerDay); });
    case arrow::Type::TIME32: return CurrentTime<arrow::Time32Builder>(std::move(randomness));
    case arrow::Type::TIME64: return CurrentTime<arrow::Time64Builder>(std::move(randomness));
    case arrow::Type::TIMESTAMP: return RandomTimestamp(std::move(randomness), options);
    default: throw options.TypeError("random");
  }
}

template <typename Builder, typename Native>
std::unique_ptr<ColumnGenerator> MakeCounter(const arrow::Field& field, FieldOptions& options, int64_t start,
                                             int64_t end) {
  if constexpr (std::is_integral_v<Native>) {
    for (int64_t bound : {start, end}) {
      if (bound < std::numeric_limits<Native>::min() || bound > std::numeric_limits<Native>::max()) {
        throw InvalidArgument("options '{}' … '{}': {} does not fit into {}", options.Key("start"), options.Key("end"),
                              bound, field.type()->ToString());
      }
    }
  }
  auto value = [](int64_t number) { return static_cast<Native>(number); };
  return std::make_unique<SequenceColumn<Builder, decltype(value)>>(field, start, end - start + 1, value);
}

std::unique_ptr<ColumnGenerator> MakeSequenceColumn(const arrow::Field& field, FieldOptions& options) {
  int64_t start = ParseInt64(options.Key("start"), options.reader().Require(options.Key("start")));
  int64_t end = ParseInt64(options.Key("end"), options.reader().Require(options.Key("end")));
  int64_t distance = 0;
  if (end < start || __builtin_sub_overflow(end, start, &distance) || distance == std::numeric_limits<int64_t>::max()) {
    throw InvalidArgument("options '{}' = {} and '{}' = {} are no sequence", options.Key("start"), start,
                          options.Key("end"), end);
  }
  switch (field.type()->id()) {
    case arrow::Type::INT8: return MakeCounter<arrow::Int8Builder, int8_t>(field, options, start, end);
    case arrow::Type::INT16: return MakeCounter<arrow::Int16Builder, int16_t>(field, options, start, end);
    case arrow::Type::INT32: return MakeCounter<arrow::Int32Builder, int32_t>(field, options, start, end);
    case arrow::Type::INT64: return MakeCounter<arrow::Int64Builder, int64_t>(field, options, start, end);
    case arrow::Type::FLOAT: return MakeCounter<arrow::FloatBuilder, float>(field, options, start, end);
    case arrow::Type::DOUBLE: return MakeCounter<arrow::DoubleBuilder, double>(field, options, start, end);
    case arrow::Type::STRING: {
      auto value = [](int64_t number) { return std::to_string(number); };
      return std::make_unique<SequenceColumn<arrow::StringBuilder, decltype(value)>>(field, start, distance + 1, value);
    }
    case arrow::Type::DECIMAL128: {
      const auto& type = static_cast<const arrow::Decimal128Type&>(*field.type());
      auto value = [scale = type.scale()](int64_t number) {
        return arrow::Decimal128(arrow::Decimal128(number).IncreaseScaleBy(scale));
      };
      if (!value(start).FitsInPrecision(type.precision()) || !value(end).FitsInPrecision(type.precision())) {
        throw InvalidArgument("options '{}' … '{}' do not fit into {}", options.Key("start"), options.Key("end"),
                              type.ToString());
      }
      return std::make_unique<SequenceColumn<arrow::Decimal128Builder, decltype(value)>>(field, start, distance + 1,
                                                                                         value);
    }
    default: throw options.TypeError("sequence");
  }
}

}  // namespace

std::unique_ptr<ColumnGenerator> MakeColumnGenerator(const arrow::Field& field, OptionReader& options) {
  FieldOptions of_field(field, options);
  std::string kind = options.GetChoice(of_field.Key("kind"), {"random", "sequence"}).value_or("random");
  return kind == "sequence" ? MakeSequenceColumn(field, of_field) : MakeRandomColumn(field, of_field);
}

}  // namespace frazil::connector
