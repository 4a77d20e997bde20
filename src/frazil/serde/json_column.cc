// SPDX-License-Identifier: Apache-2.0
#include "frazil/serde/json_column.h"

#include <limits>
#include <map>
#include <set>
#include <type_traits>
#include <vector>

#include "frazil/base/error.h"
#include "frazil/serde/json_formats.h"
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
