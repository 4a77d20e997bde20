// SPDX-License-Identifier: Apache-2.0
#include "frazil/serde/json_object.h"

namespace frazil::serde::json {

namespace {

/// Keys that are remembered with their successors; data used as keys (ids, dates) must not fill the memory.
constexpr size_t kMaxKeys = 4096;

/// A bit per byte in which the 16 bytes at `a` and `b` are equal.
inline unsigned EqualBytes(const char* a, const char* b) {
#if defined(__SSE2__)
  __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a)),
                                 _mm_loadu_si128(reinterpret_cast<const __m128i*>(b)));
  return static_cast<unsigned>(_mm_movemask_epi8(equal));
#else
  unsigned mask = 0;
  for (unsigned i = 0; i < 16; ++i) mask |= static_cast<unsigned>(a[i] == b[i]) << i;
  return mask;
#endif
}

}  // namespace

inline bool ObjectReader::Key::Matches(const char* p) const {
  if ((EqualBytes(block.data(), p) & block_mask) != block_mask) return false;
  return token.size() <= kBlock || MatchesBehindBlock(p);
}

bool ObjectReader::Key::MatchesBehindBlock(const char* p) const {
  // Byte by byte, because the text may end, and with it what may be read, before the token's length.
  for (size_t i = kBlock; i < token.size(); ++i) {
    if (p[i] != token[i]) return false;
  }
  return true;
}

ObjectReader::ObjectReader(const std::string& path, const std::vector<std::shared_ptr<arrow::Field>>& fields,
                           DecodeContext& context)
    : context_(context) {
  for (const auto& field : fields) {
    columns_.push_back(MakeColumn(path.empty() ? field->name() : path + "." + field->name(), *field, context));
    columns_by_name_.emplace(field->name(), columns_.back().get());
  }
}

const char* ObjectReader::Read(const char* p) {
  const char* object = p - 1;
  size_t filled = 0;
  p = SkipSpace(p);
  if (*p != '}') {
    p = ReadMembers(p, &filled);
    if (p == nullptr) return nullptr;
  }
  if (filled != columns_.size() && !AppendMissing(object)) return nullptr;
  ++length_;
  return p + 1;
}

const char* ObjectReader::ReadMembers(const char* p, size_t* filled) {
  const int64_t row = length_;
  Key* last = &start_;
  for (;;) {
    Key* key = last->next;
    if (key != nullptr && key->Matches(p)) [[likely]] {
      p += key->token.size();
    } else {
      p = FindKey(p, &key);
      if (p == nullptr) return nullptr;
      if (key != &forgotten_) last->next = key;
    }
    last = key;
    p = SkipSpace(p);
    if (Column* column = key->column; column != nullptr) {
      if (column->length() != row) [[unlikely]] {
        column->Truncate(row);
        --*filled;
      }
      p = column->Read(p);
      ++*filled;
    } else {
      p = SkipValue(p, &context_.syntax_error);
    }
    if (p == nullptr) [[unlikely]]
      return nullptr;
    p = SkipSpace(p);
    if (*p == '}') return p;
    if (*p != ',') [[unlikely]] {
      context_.syntax_error = {p, "',' or '}'"};
      return nullptr;
    }
    p = SkipSpace(p + 1);
  }
}

bool ObjectReader::AppendMissing(const char* object) {
  for (const auto& column : columns_) {
    if (column->length() == length_ && !column->AppendMissing(object)) return false;
  }
  return true;
}

const char* ObjectReader::FindKey(const char* p, Key** key) {
  if (*p != '"') {
    context_.syntax_error = {p, "a key in double quotes"};
    return nullptr;
  }
  bool escaped;
  const char* quote = ScanString(p + 1, &escaped, &context_.syntax_error);
  if (quote == nullptr) return nullptr;
  std::string_view spelling(p + 1, quote);
  auto known = keys_by_spelling_.find(spelling);
  *key = known != keys_by_spelling_.end() ? known->second : RememberKey(spelling, escaped);
  return SkipColon(quote + 1, &context_.syntax_error);
}

ObjectReader::Key* ObjectReader::RememberKey(std::string_view spelling, bool escaped) {
  Column* column = FindColumn(spelling, escaped);
  if (keys_.size() >= kMaxKeys) {
    forgotten_.column = column;
    return &forgotten_;
  }
  Key& key = keys_.emplace_back();
  key.token = fmt::format("\"{}\":", spelling);
  size_t head = std::min(key.token.size(), kBlock);
  std::copy_n(key.token.begin(), head, key.block.begin());
  key.block_mask = (1u << head) - 1;
  key.column = column;
  keys_by_spelling_.emplace(std::string_view(key.token).substr(1, spelling.size()), &key);
  return &key;
}

Column* ObjectReader::FindColumn(std::string_view spelling, bool escaped) {
  std::string name;
  if (escaped) {
    AppendUnescaped(spelling, &name);
  } else {
    name = spelling;
  }
  auto it = columns_by_name_.find(name);
  return it == columns_by_name_.end() ? nullptr : it->second;
}

void ObjectReader::AppendNull() {
  for (const auto& column : columns_) column->AppendNull();
  ++length_;
}

void ObjectReader::Truncate(int64_t length) {
  for (const auto& column : columns_) column->Truncate(length);
  length_ = length;
}

std::vector<std::shared_ptr<arrow::ArrayData>> ObjectReader::Take() {
  std::vector<std::shared_ptr<arrow::ArrayData>> arrays;
  for (const auto& column : columns_) arrays.push_back(column->Take());
  length_ = 0;
  return arrays;
}

}  // namespace frazil::serde::json
