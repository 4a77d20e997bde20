// SPDX-License-Identifier: Apache-2.0
#include "frazil/serde/json_column.h"

#include <limits>
#include <type_traits>

#include "frazil/base/error.h"
#include "frazil/serde/json_object.h"
#include "frazil/serde/type_name.h"

namespace frazil::serde::json {

Column::Column(std::string path, const arrow::Field& field, DecodeContext& context)
    : context_(context), path_(std::move(path)), type_(field.type()), nullable_(field.nullable()) {}

bool Column::AppendMissing(const char* object) {
  if (context_.fail_on_missing_field) {
    context_.value_error = {this, object, {}, "the key is missing and 'json.fail-on-missing-field' is true"};
    return false;
  }
  if (!nullable_) {
    context_.value_error = {this, object, {}, "the key is missing and the column is NOT NULL"};
    return false;
  }
  AppendNull();
  return true;
}

const char* Column::ReadNull(const Token& token) {
  if (!nullable_) {
    context_.value_error = {this, token.begin, {}, "the value is null and the column is NOT NULL"};
    return nullptr;
  }
  AppendNull();
  return token.end;
}

const char* Column::BadValue(const Token& token, Problem problem) {
  if (context_.ignore_parse_errors && nullable_) {
    ++context_.nulled_fields;
    AppendNull();
    return token.end;
  }
  context_.value_error = {this, token.begin, token.text, problem};
  return nullptr;
}

const char* Column::ReadOther(const char* p, Problem problem) {
  Token token;
  if (!ScanToken(p, &token, &context_.syntax_error)) return nullptr;
  return token.kind == TokenKind::kNull ? ReadNull(token) : BadValue(token, problem);
}

std::string_view Column::TextOf(const Token& token) {
  if (!token.escaped) return token.text;
  context_.scratch.clear();
  AppendUnescaped(token.text, &context_.scratch);
  return context_.scratch;
}

namespace {

/// What a value's text came to.
enum class Conversion { kValue, kNull, kProblem };

bool IsText(const Token& token) { return token.kind == TokenKind::kString; }
bool IsTextOrNumber(const Token& token) { return IsText(token) || token.kind == TokenKind::kNumber; }

Conversion ValueUnless(Problem problem, Problem* out) {
  *out = problem;
  return problem.empty() ? Conversion::kValue : Conversion::kProblem;
}

/// Digits and point of a plain decimal number, as most numbers are written: no exponent, no leading zero, up to 15
/// digits on each side of the point.
struct PlainNumber {
  bool negative;
  int whole_digits;
  int fraction_digits;
  uint64_t whole;
  uint64_t fraction;
};

/// Returns the position behind the number; nullptr if it is something else, or not a number.
inline const char* ReadPlainNumber(const char* p, PlainNumber* number) {
  number->negative = *p == '-';
  p += number->negative ? 1 : 0;
  number->whole_digits = ReadUpTo16Digits(p, &number->whole);
  if (number->whole_digits == 0 || number->whole_digits == 16) return nullptr;
  if (*p == '0' && number->whole_digits > 1) return nullptr;
  p += number->whole_digits;
  number->fraction_digits = 0;
  number->fraction = 0;
  if (*p == '.') {
    number->fraction_digits = ReadUpTo16Digits(p + 1, &number->fraction);
    if (number->fraction_digits == 0 || number->fraction_digits == 16) return nullptr;
    p += 1 + number->fraction_digits;
  }
  return (*p | 0x20) == 'e' ? nullptr : p;
}

// A format turns the text of one type's values into `Value`s: ReadFast takes the usual form from the text (nullptr
// where it is another), Convert takes any token but null, of which `text` is the meaning.

template <typename T>
struct IntegerFormat {
  using Value = T;
  explicit IntegerFormat(const arrow::DataType& type, const DecodeContext& context) {}

  const char* ReadFast(const char* p, T* value) {
    bool negative = *p == '-';
    p += negative ? 1 : 0;
    uint64_t magnitude;
    int digits = ReadUpTo16Digits(p, &magnitude);
    if (digits == 0 || digits == 16 || (*p == '0' && digits > 1)) return nullptr;
    p += digits;
    if (*p == '.' || (*p | 0x20) == 'e') return nullptr;
    int64_t number = negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
    if (number < std::numeric_limits<T>::min() || number > std::numeric_limits<T>::max()) return nullptr;
    *value = static_cast<T>(number);
    return p;
  }

  Conversion Convert(const Token& token, std::string_view text, T* value, Problem* problem) {
    int64_t number = 0;
    *problem = IsTextOrNumber(token)
                   ? ParseInteger(text, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), &number)
                   : "is not a number";
    *value = static_cast<T>(number);
    return ValueUnless(*problem, problem);
  }
};

template <typename T>
struct FloatingFormat {
  using Value = T;
  explicit FloatingFormat(const arrow::DataType& type, const DecodeContext& context) {}

  /// Division of two exactly represented numbers rounds once, which is what the correctly rounded result needs.
  const char* ReadFast(const char* p, T* value) {
    constexpr int kExactPower = std::is_same_v<T, double> ? 22 : 10;
    PlainNumber number;
    p = ReadPlainNumber(p, &number);
    if (p == nullptr || number.fraction_digits > kExactPower || number.whole_digits + number.fraction_digits > 18) {
      return nullptr;
    }
    uint64_t power = kPowersOf10[number.fraction_digits];
    uint64_t digits = number.whole * power + number.fraction;
    if (digits > uint64_t{1} << std::numeric_limits<T>::digits) return nullptr;
    T magnitude = static_cast<T>(digits) / static_cast<T>(power);
    *value = number.negative ? -magnitude : magnitude;
    return p;
  }

  Conversion Convert(const Token& token, std::string_view text, T* value, Problem* problem) {
    return ValueUnless(IsTextOrNumber(token) ? ParseFloating(text, value) : "is not a number", problem);
  }
};

struct DecimalFormat {
  using Value = __int128;
  DecimalFormat(const arrow::DataType& type, const DecodeContext& context)
      : precision(static_cast<const arrow::DecimalType&>(type).precision()),
        scale(static_cast<const arrow::DecimalType&>(type).scale()),
        limit(precision <= 18 ? kPowersOf10[precision] : kPowersOf10[18]) {}

  const char* ReadFast(const char* p, __int128* value) {
    PlainNumber number;
    p = ReadPlainNumber(p, &number);
    if (p == nullptr || number.fraction_digits > scale || number.whole_digits + scale > 18) return nullptr;
    uint64_t unscaled =
        number.whole * kPowersOf10[scale] + number.fraction * kPowersOf10[scale - number.fraction_digits];
    if (unscaled >= limit) return nullptr;
    auto magnitude = static_cast<int64_t>(unscaled);
    *value = number.negative ? -magnitude : magnitude;
    return p;
  }

  Conversion Convert(const Token& token, std::string_view text, __int128* value, Problem* problem) {
    bool overflow = false;
    *problem = IsTextOrNumber(token) ? ParseDecimal(text, precision, scale, value, &overflow) : "is not a number";
    return problem->empty() && overflow ? Conversion::kNull : ValueUnless(*problem, problem);
  }

  int precision;
  int scale;
  uint64_t limit;
};

struct BooleanFormat {
  using Value = uint8_t;
  BooleanFormat(const arrow::DataType& type, const DecodeContext& context) {}

  const char* ReadFast(const char* p, uint8_t* value) {
    *value = 1;
    if (std::memcmp(p, "true", 4) == 0) return p + 4;
    *value = 0;
    return std::memcmp(p, "false", 5) == 0 ? p + 5 : nullptr;
  }

  Conversion Convert(const Token& token, std::string_view text, uint8_t* value, Problem* problem) {
    bool truth = token.kind == TokenKind::kTrue;
    if (IsText(token)) {
      *problem = ParseBoolean(text, &truth);
    } else {
      *problem = truth || token.kind == TokenKind::kFalse ? "" : "is neither true nor false";
    }
    *value = truth ? 1 : 0;
    return ValueUnless(*problem, problem);
  }
};

struct DateFormat {
  using Value = int32_t;
  DateFormat(const arrow::DataType& type, const DecodeContext& context) {}

  const char* ReadFast(const char* p, int32_t* days) {
    constexpr size_t kLength = 10;
    if (p[0] != '"' || p[kLength + 1] != '"') return nullptr;
    return ParseDate({p + 1, kLength}, days).empty() ? p + kLength + 2 : nullptr;
  }

  Conversion Convert(const Token& token, std::string_view text, int32_t* days, Problem* problem) {
    return ValueUnless(IsText(token) ? ParseDate(text, days) : "is not a date in quotes", problem);
  }
};

int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND: return 1;
    case arrow::TimeUnit::MILLI: return 1'000;
    case arrow::TimeUnit::MICRO: return 1'000'000;
    default: return 1'000'000'000;
  }
}

template <typename T>
struct TimeFormat {
  using Value = T;
  TimeFormat(const arrow::DataType& type, const DecodeContext& context)
      : nanos_per_unit(1'000'000'000 / UnitsPerSecond(static_cast<const arrow::TimeType&>(type).unit())) {}

  const char* ReadFast(const char* p, T* value) { return nullptr; }

  Conversion Convert(const Token& token, std::string_view text, T* value, Problem* problem) {
    int64_t nanos = 0;
    *problem = IsText(token) ? ParseTime(text, &nanos) : "is not a time in quotes";
    *value = static_cast<T>(nanos / nanos_per_unit);
    return ValueUnless(*problem, problem);
  }

  int64_t nanos_per_unit;
};

/// "HH:MM:SS" at `p` to seconds of the day; -1 if it is something else.
inline int32_t ReadClock(const char* p) {
  uint64_t digits = LoadWord(p) ^ 0x30303A30303A3030;  // digits become 0..9 and the colons 0
  if (((digits + 0x76767F76767F7676) | digits) & 0x8080808080808080) return -1;
  uint64_t pairs = digits * 10 + (digits >> 8);
  auto hour = static_cast<int32_t>(pairs & 0xFF);
  auto minute = static_cast<int32_t>(pairs >> 24 & 0xFF);
  auto second = static_cast<int32_t>(pairs >> 48 & 0xFF);
  if (hour > 23 || minute > 59 || second > 59) return -1;
  return hour * 3600 + minute * 60 + second;
}

struct TimestampFormat {
  using Value = int64_t;
  TimestampFormat(const arrow::DataType& type, const DecodeContext& context)
      : standard(context.timestamp_standard),
        zoned(!static_cast<const arrow::TimestampType&>(type).timezone().empty()),
        units_per_second(UnitsPerSecond(static_cast<const arrow::TimestampType&>(type).unit())) {}

  const char* ReadFast(const char* p, int64_t* value) {
    if (*p++ != '"' || p[10] != (standard == TimestampStandard::kSql ? ' ' : 'T') || !ReadDate(p)) return nullptr;
    int32_t second_of_day = ReadClock(p + 11);
    if (second_of_day < 0) return nullptr;
    p += 19;
    int64_t nanos = 0;
    if (*p == '.') {
      uint64_t fraction;
      int digits = ReadUpTo8Digits(p + 1, &fraction);
      if (digits == 0 || digits == 8) return nullptr;
      nanos = static_cast<int64_t>(fraction * kPowersOf10[9 - digits]);
      p += 1 + digits;
    }
    if (zoned && *p++ != 'Z') return nullptr;
    if (*p != '"') return nullptr;
    return ToUnits(last_days * 86400 + second_of_day, nanos, value) ? p + 1 : nullptr;
  }

  Conversion Convert(const Token& token, std::string_view text, int64_t* value, Problem* problem) {
    int64_t seconds = 0;
    int32_t nanos = 0;
    *problem = IsText(token) ? ParseTimestamp(text, standard, zoned, &seconds, &nanos) : "is not a timestamp in quotes";
    if (problem->empty() && !ToUnits(seconds, nanos, value)) *problem = "is out of range";
    return ValueUnless(*problem, problem);
  }

  /// The ten characters at `p` to `last_days`. Neighbouring records mostly share their date.
  bool ReadDate(const char* p) {
    uint64_t head = LoadWord(p);
    uint64_t tail = LoadWord(p + 2);
    if (head == last_head && tail == last_tail) return true;
    int32_t days;
    if (!ParseDate({p, 10}, &days).empty()) return false;
    last_head = head;
    last_tail = tail;
    last_days = days;
    return true;
  }

  /// False if nanoseconds since the epoch don't fit 64 bits.
  bool ToUnits(int64_t seconds, int64_t nanos, int64_t* value) const {
    return !__builtin_mul_overflow(seconds, units_per_second, value) &&
           !__builtin_add_overflow(*value, nanos / (1'000'000'000 / units_per_second), value);
  }

  TimestampStandard standard;
  bool zoned;
  int64_t units_per_second;
  uint64_t last_head = 0;  // the bytes of the last date, and the last eight of them
  uint64_t last_tail = 0;
  int64_t last_days = 0;
};

std::shared_ptr<arrow::Buffer> PackBits(const ValueBuffer<uint8_t>& bytes) {
  std::shared_ptr<arrow::Buffer> bits =
      Unwrap(arrow::AllocateBuffer(arrow::bit_util::BytesForBits(bytes.size())), "a column buffer");
  std::memset(bits->mutable_data(), 0, static_cast<size_t>(bits->size()));
  for (int64_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != 0) arrow::bit_util::SetBit(bits->mutable_data(), i);
  }
  return bits;
}

/// Numbers, dates, times and booleans.
template <typename Format>
class FixedColumn final : public Column {
 public:
  using Value = typename Format::Value;

  FixedColumn(std::string path, const arrow::Field& field, DecodeContext& context)
      : Column(std::move(path), field, context), format_(*field.type(), context) {}

  const char* Read(const char* p) override {
    Value value;
    const char* end = format_.ReadFast(p, &value);
    if (end == nullptr) [[unlikely]]
      return ReadAny(p);
    Append(value);
    return end;
  }

  void AppendNull() override {
    if (nullable()) validity_.SetNull(length_);
    Append(Value{});
  }

  void Truncate(int64_t length) override {
    validity_.Truncate(length);
    values_.Truncate(length);
    length_ = length;
  }

  std::shared_ptr<arrow::ArrayData> Take() override {
    int64_t null_count = validity_.null_count();
    std::shared_ptr<arrow::Buffer> values;
    if constexpr (std::is_same_v<Format, BooleanFormat>) {
      values = PackBits(values_);
      values_.Truncate(0);
    } else {
      values = values_.Take();
    }
    int64_t length = std::exchange(length_, 0);
    return arrow::ArrayData::Make(type(), length, {validity_.Take(length), std::move(values)}, null_count);
  }

 private:
  void Append(Value value) {
    values_.Append(value);
    ++length_;
  }

  const char* ReadAny(const char* p) {
    Token token;
    if (!ScanToken(p, &token, &context_.syntax_error)) return nullptr;
    if (token.kind == TokenKind::kNull) return ReadNull(token);
    Value value{};
    Problem problem;
    switch (format_.Convert(token, TextOf(token), &value, &problem)) {
      case Conversion::kProblem: return BadValue(token, problem);
      case Conversion::kValue: Append(value); break;
      case Conversion::kNull:
        if (!nullable()) return BadValue(token, "has too many digits, which makes it NULL, and the column is NOT NULL");
        AppendNull();
    }
    return token.end;
  }

  Format format_;
  ValueBuffer<Value> values_;
};

/// The offsets of variable-width values.
class OffsetBuffer {
 public:
  int32_t operator[](int64_t i) const { return i == 0 ? 0 : ends_[i]; }

  /// Throws Unsupported if the values don't fit one batch.
  void Append(int64_t end, const Column& column) {
    if (end > std::numeric_limits<int32_t>::max()) [[unlikely]] {
      throw Unsupported("column '{}' has more than 2 GiB of values in one batch: decode smaller chunks", column.path());
    }
    if (ends_.size() == 0) ends_.Append(0);
    ends_.Append(static_cast<int32_t>(end));
  }

  void Truncate(int64_t length) { ends_.Truncate(std::min(ends_.size(), length + 1)); }

  std::shared_ptr<arrow::Buffer> Take() {
    if (ends_.size() == 0) ends_.Append(0);
    return ends_.Take();
  }

 private:
  ValueBuffer<int32_t> ends_;  // with the leading 0 from the first value on
};

enum class Encoding { kText, kBase64 };

/// STRING, or BYTES from base64.
template <Encoding encoding>
class BytesColumn final : public Column {
 public:
  BytesColumn(std::string path, const arrow::Field& field, DecodeContext& context)
      : Column(std::move(path), field, context) {}

  std::string_view operator[](int64_t i) const {
    return {data_.data() + offsets_[i], static_cast<size_t>(offsets_[i + 1] - offsets_[i])};
  }

  void Append(std::string_view bytes) {
    data_.Append(bytes.data(), static_cast<int64_t>(bytes.size()));
    offsets_.Append(data_.size(), *this);
    ++length_;
  }

  const char* Read(const char* p) override {
    if constexpr (encoding == Encoding::kText) {
      if (*p == '"') [[likely]] {
        const char* stop = FindStringStop(p + 1);
        if (*stop == '"') [[likely]] {
          data_.AppendPadded(p + 1, stop - p - 1);
          offsets_.Append(data_.size(), *this);
          ++length_;
          return stop + 1;
        }
      }
    }
    return ReadAny(p);
  }

  void AppendNull() override {
    if (nullable()) validity_.SetNull(length_);
    Append({});
  }

  void Truncate(int64_t length) override {
    validity_.Truncate(length);
    offsets_.Truncate(length);
    data_.Truncate(offsets_[length]);
    length_ = length;
  }

  std::shared_ptr<arrow::ArrayData> Take() override {
    int64_t null_count = validity_.null_count();
    int64_t length = std::exchange(length_, 0);
    return arrow::ArrayData::Make(type(), length, {validity_.Take(length), offsets_.Take(), data_.Take()}, null_count);
  }

 private:
  const char* ReadAny(const char* p) {
    Token token;
    if (!ScanToken(p, &token, &context_.syntax_error)) return nullptr;
    if (token.kind == TokenKind::kNull) return ReadNull(token);
    std::string_view text = TextOf(token);
    if constexpr (encoding == Encoding::kBase64) {
      std::string bytes;
      Problem problem = IsText(token) ? AppendBase64(text, &bytes) : "is not base64 text in quotes";
      if (!problem.empty()) return BadValue(token, problem);
      Append(bytes);
    } else {
      if (token.kind == TokenKind::kObject || token.kind == TokenKind::kArray) {
        context_.scratch.clear();
        AppendMinified(text, &context_.scratch);
        text = context_.scratch;
      }
      Append(text);
    }
    return token.end;
  }

  OffsetBuffer offsets_;
  ValueBuffer<char> data_;
};

using StringColumn = BytesColumn<Encoding::kText>;

/// BINARY(n) from base64.
class FixedBytesColumn final : public Column {
 public:
  FixedBytesColumn(std::string path, const arrow::Field& field, DecodeContext& context)
      : Column(std::move(path), field, context),
        width_(static_cast<const arrow::FixedSizeBinaryType&>(*field.type()).byte_width()) {}

  const char* Read(const char* p) override {
    Token token;
    if (!ScanToken(p, &token, &context_.syntax_error)) return nullptr;
    if (token.kind == TokenKind::kNull) return ReadNull(token);
    std::string bytes;
    Problem problem = IsText(token) ? AppendBase64(TextOf(token), &bytes) : "is not base64 text in quotes";
    if (problem.empty() && bytes.size() != static_cast<size_t>(width_)) problem = "has another number of bytes";
    if (!problem.empty()) return BadValue(token, problem);
    data_.Append(bytes.data(), width_);
    ++length_;
    return token.end;
  }

  void AppendNull() override {
    if (nullable()) validity_.SetNull(length_);
    std::string zeros(static_cast<size_t>(width_), '\0');
    data_.Append(zeros.data(), width_);
    ++length_;
  }

  void Truncate(int64_t length) override {
    validity_.Truncate(length);
    data_.Truncate(length * width_);
    length_ = length;
  }

  std::shared_ptr<arrow::ArrayData> Take() override {
    int64_t null_count = validity_.null_count();
    int64_t length = std::exchange(length_, 0);
    return arrow::ArrayData::Make(type(), length, {validity_.Take(length), data_.Take()}, null_count);
  }

 private:
  int64_t width_;
  ValueBuffer<char> data_;
};

/// ROW.
class RowColumn final : public Column {
 public:
  RowColumn(std::string path, const arrow::Field& field, DecodeContext& context)
      : Column(path, field, context), fields_(path, field.type()->fields(), context) {}

  const char* Read(const char* p) override {
    if (*p != '{') return ReadOther(p, "is not an object");
    p = fields_.Read(p + 1);
    if (p != nullptr) ++length_;
    return p;
  }

  void AppendNull() override {
    if (nullable()) validity_.SetNull(length_);
    fields_.AppendNull();
    ++length_;
  }

  void Truncate(int64_t length) override {
    validity_.Truncate(length);
    fields_.Truncate(length);
    length_ = length;
  }

  std::shared_ptr<arrow::ArrayData> Take() override {
    int64_t null_count = validity_.null_count();
    int64_t length = std::exchange(length_, 0);
    return arrow::ArrayData::Make(type(), length, {validity_.Take(length)}, fields_.Take(), null_count);
  }

 private:
  ObjectReader fields_;
};

/// ARRAY.
class ArrayColumn final : public Column {
 public:
  ArrayColumn(std::string path, const arrow::Field& field, DecodeContext& context)
      : Column(path, field, context), elements_(MakeColumn(path + ".element", *field.type()->field(0), context)) {}

  const char* Read(const char* p) override {
    if (*p != '[') return ReadOther(p, "is not an array");
    p = WalkItems(p + 1, ']', &context_.syntax_error, [this](const char* q) { return elements_->Read(q); });
    if (p != nullptr) EndValue();
    return p;
  }

  void AppendNull() override {
    if (nullable()) validity_.SetNull(length_);
    EndValue();
  }

  void Truncate(int64_t length) override {
    validity_.Truncate(length);
    offsets_.Truncate(length);
    elements_->Truncate(offsets_[length]);
    length_ = length;
  }

  std::shared_ptr<arrow::ArrayData> Take() override {
    int64_t null_count = validity_.null_count();
    int64_t length = std::exchange(length_, 0);
    return arrow::ArrayData::Make(type(), length, {validity_.Take(length), offsets_.Take()}, {elements_->Take()},
                                  null_count);
  }

 private:
  void EndValue() {
    offsets_.Append(elements_->length(), *this);
    ++length_;
  }

  OffsetBuffer offsets_;
  std::unique_ptr<Column> elements_;
};

/// MAP with STRING keys, from an object.
class MapColumn final : public Column {
 public:
  MapColumn(std::string path, const arrow::Field& field, DecodeContext& context)
      : Column(path, field, context),
        keys_(path + ".key", *static_cast<const arrow::MapType&>(*field.type()).key_field(), context),
        values_(MakeColumn(path + ".value", *static_cast<const arrow::MapType&>(*field.type()).item_field(), context)) {
  }

  const char* Read(const char* p) override {
    if (*p != '{') return ReadOther(p, "is not an object");
    int64_t nulled_fields = context_.nulled_fields;
    const char* end = WalkEntries(p, [this](const char* value) { return values_->Read(value); });
    if (end == nullptr) return nullptr;
    if (HasDuplicates()) {
      context_.nulled_fields = nulled_fields;
      if (!KeepLastOfDuplicates(p)) return nullptr;
    }
    EndValue();
    return end;
  }

  void AppendNull() override {
    if (nullable()) validity_.SetNull(length_);
    EndValue();
  }

  void Truncate(int64_t length) override {
    validity_.Truncate(length);
    offsets_.Truncate(length);
    TruncateEntries(offsets_[length]);
    length_ = length;
  }

  std::shared_ptr<arrow::ArrayData> Take() override {
    int64_t null_count = validity_.null_count();
    int64_t length = std::exchange(length_, 0);
    int64_t entries = keys_.length();
    auto entry_type = static_cast<const arrow::MapType&>(*type()).value_type();
    auto entry_data = arrow::ArrayData::Make(entry_type, entries, {nullptr}, {keys_.Take(), values_->Take()}, 0);
    return arrow::ArrayData::Make(type(), length, {validity_.Take(length), offsets_.Take()}, {std::move(entry_data)},
                                  null_count);
  }

 private:
  void EndValue() {
    offsets_.Append(keys_.length(), *this);
    ++length_;
  }

  void TruncateEntries(int64_t entries) {
    keys_.Truncate(entries);
    values_->Truncate(entries);
  }

  /// Appends the keys of the object at `p`; `read_value` handles each value.
  template <typename ReadValue>
  const char* WalkEntries(const char* p, ReadValue&& read_value) {
    return WalkItems(p + 1, '}', &context_.syntax_error, [&](const char* q) -> const char* {
      if (*q != '"') {
        context_.syntax_error = {q, "a key in double quotes"};
        return nullptr;
      }
      q = keys_.Read(q);
      if (q == nullptr) return nullptr;
      q = SkipColon(q, &context_.syntax_error);
      return q == nullptr ? nullptr : read_value(q);
    });
  }

  bool HasDuplicates() const {
    int64_t begin = offsets_[length_];
    int64_t end = keys_.length();
    if (end - begin > 8) {
      std::set<std::string_view> seen;
      for (int64_t i = begin; i < end; ++i) {
        if (!seen.insert(keys_[i]).second) return true;
      }
      return false;
    }
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = begin; j < i; ++j) {
        if (keys_[i] == keys_[j]) return true;
      }
    }
    return false;
  }

  /// Reads the object at `p` again: each key once, in the place of its first and with the value of its last appearance.
  bool KeepLastOfDuplicates(const char* p) {
    TruncateEntries(offsets_[length_]);
    std::vector<const char*> values;
    if (WalkEntries(p, [&](const char* value) {
          values.push_back(value);
          return SkipValue(value, &context_.syntax_error);
        }) == nullptr) {
      return false;
    }
    std::vector<std::string> order;
    std::map<std::string, const char*> last;
    for (size_t i = 0; i < values.size(); ++i) {
      std::string key(keys_[offsets_[length_] + static_cast<int64_t>(i)]);
      if (!last.contains(key)) order.push_back(key);
      last[key] = values[i];
    }
    keys_.Truncate(offsets_[length_]);
    for (const std::string& key : order) {
      keys_.Append(key);
      if (values_->Read(last[key]) == nullptr) return false;
    }
    return true;
  }

  OffsetBuffer offsets_;
  StringColumn keys_;
  std::unique_ptr<Column> values_;
};

}  // namespace

std::unique_ptr<Column> MakeColumn(const std::string& path, const arrow::Field& field, DecodeContext& context) {
  switch (field.type()->id()) {
    case arrow::Type::BOOL: return std::make_unique<FixedColumn<BooleanFormat>>(path, field, context);
    case arrow::Type::INT8: return std::make_unique<FixedColumn<IntegerFormat<int8_t>>>(path, field, context);
    case arrow::Type::INT16: return std::make_unique<FixedColumn<IntegerFormat<int16_t>>>(path, field, context);
    case arrow::Type::INT32: return std::make_unique<FixedColumn<IntegerFormat<int32_t>>>(path, field, context);
    case arrow::Type::INT64: return std::make_unique<FixedColumn<IntegerFormat<int64_t>>>(path, field, context);
    case arrow::Type::FLOAT: return std::make_unique<FixedColumn<FloatingFormat<float>>>(path, field, context);
    case arrow::Type::DOUBLE: return std::make_unique<FixedColumn<FloatingFormat<double>>>(path, field, context);
    case arrow::Type::DECIMAL128: return std::make_unique<FixedColumn<DecimalFormat>>(path, field, context);
    case arrow::Type::DATE32: return std::make_unique<FixedColumn<DateFormat>>(path, field, context);
    case arrow::Type::TIME32: return std::make_unique<FixedColumn<TimeFormat<int32_t>>>(path, field, context);
    case arrow::Type::TIME64: return std::make_unique<FixedColumn<TimeFormat<int64_t>>>(path, field, context);
    case arrow::Type::TIMESTAMP: return std::make_unique<FixedColumn<TimestampFormat>>(path, field, context);
    case arrow::Type::STRING: return std::make_unique<StringColumn>(path, field, context);
    case arrow::Type::BINARY: return std::make_unique<BytesColumn<Encoding::kBase64>>(path, field, context);
    case arrow::Type::FIXED_SIZE_BINARY: return std::make_unique<FixedBytesColumn>(path, field, context);
    case arrow::Type::STRUCT: return std::make_unique<RowColumn>(path, field, context);
    case arrow::Type::LIST: return std::make_unique<ArrayColumn>(path, field, context);
    case arrow::Type::MAP:
      if (static_cast<const arrow::MapType&>(*field.type()).key_type()->id() == arrow::Type::STRING) {
        return std::make_unique<MapColumn>(path, field, context);
      }
      throw Unsupported("column '{}' {}: the format 'json' reads maps with STRING keys only", path,
                        FlinkTypeName(*field.type()));
    default:
      throw Unsupported("column '{}': the format 'json' has no form for the type {}", path,
                        FlinkTypeName(*field.type()));
  }
}

}  // namespace frazil::serde::json
