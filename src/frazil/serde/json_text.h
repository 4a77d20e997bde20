// SPDX-License-Identifier: Apache-2.0
// The lexical layer of JSON lines: strict RFC 8259, one record a line.
//
// Every function takes a pointer into a record that is followed by '\n' with kPadding readable bytes behind it. '\n' is
// no white space here: inside a string it is a raw control character, between tokens it is nothing that is expected, so
// it ends every scan and no function needs an end pointer. The bytes are known to be valid UTF-8.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace frazil::serde::json {

/// Where a text stops being JSON, and what should have been there.
struct SyntaxError {
  const char* at = nullptr;
  std::string_view expected;
};

enum class TokenKind { kNull, kTrue, kFalse, kNumber, kString, kArray, kObject };

/// One value of any kind.
struct Token {
  TokenKind kind = TokenKind::kNull;
  bool escaped = false;         ///< kString: has backslashes
  std::string_view text;        ///< as in the input; kString: between the quotes
  const char* begin = nullptr;  ///< first byte, of a string the quote
  const char* end = nullptr;    ///< behind the last byte
};

static_assert(std::endian::native == std::endian::little, "the word-at-a-time scans read little endian words");

inline uint64_t LoadWord(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

inline const char* SkipSpace(const char* p) {
  while (*p == ' ' || *p == '\t' || *p == '\r') ++p;
  return p;
}

/// The first '"', '\\' or control character at or behind `p`. Reads at most 15 bytes beyond it.
inline const char* FindStringStop(const char* p) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i last_control = _mm_set1_epi8(0x1f);
  for (;; p += 16) {
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    __m128i stops = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
    stops = _mm_or_si128(stops, _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes));
    auto mask = static_cast<unsigned>(_mm_movemask_epi8(stops));
    if (mask != 0) return p + std::countr_zero(mask);
  }
#else
  while (static_cast<unsigned char>(*p) >= 0x20 && *p != '"' && *p != '\\') ++p;
  return p;
#endif
}

/// `p` is behind the opening quote. Returns the closing quote; nullptr with `error` set if the string is not well
/// formed.
const char* ScanString(const char* p, bool* escaped, SyntaxError* error);

/// `p` is at '-' or a digit. Returns the position behind the number; nullptr with `error` set.
const char* ScanNumber(const char* p, SyntaxError* error);

/// Scans the value that starts at `p` and checks all of it. False with `error` set if it is not well formed.
bool ScanToken(const char* p, Token* token, SyntaxError* error);

/// The position behind the value that starts at `p`, all of it checked; nullptr with `error` set.
const char* SkipValue(const char* p, SyntaxError* error);

/// Walks what is between brackets or braces: `p` is behind the opening one, `item(p)` takes the position of an element
/// or member and returns that behind it (or nullptr: then so does this). Returns the position behind `close`; nullptr
/// with `error` set.
template <typename Item>
const char* WalkItems(const char* p, char close, SyntaxError* error, Item&& item) {
  p = SkipSpace(p);
  if (*p == close) return p + 1;
  for (;;) {
    p = item(p);
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    if (*p == close) return p + 1;
    if (*p != ',') {
      *error = {p, close == ']' ? "',' or ']'" : "',' or '}'"};
      return nullptr;
    }
    p = SkipSpace(p + 1);
  }
}

/// `p` is behind a key. Returns the position of its value; nullptr with `error` set if there is no colon.
inline const char* SkipColon(const char* p, SyntaxError* error) {
  p = SkipSpace(p);
  if (*p == ':') return SkipSpace(p + 1);
  *error = {p, "':'"};
  return nullptr;
}

/// Appends the meaning of a well-formed string's inside: escapes decoded to UTF-8, a surrogate without its partner as
/// U+FFFD. Never longer than `raw`.
void AppendUnescaped(std::string_view raw, std::string* out);

/// Appends a well-formed value without the white space between its tokens; key order, numbers and escapes stay as
/// written.
void AppendMinified(std::string_view value, std::string* out);

/// Up to eight digits at `p`: their number, and their value in `*value` (0 if there are none).
inline int ReadUpTo8Digits(const char* p, uint64_t* value) {
  uint64_t digits = LoadWord(p) ^ 0x3030303030303030;
  // A byte that is no digit gets its high bit set; a carry out of it only reaches bytes behind the first such byte.
  uint64_t others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
  int count = others == 0 ? 8 : std::countr_zero(others) / 8;
  if (count == 0) {
    *value = 0;
    return 0;
  }
  digits <<= 8 * (8 - count);
  digits = digits * 10 + (digits >> 8);  // pairs
  *value = ((digits & 0x000000FF000000FF) * 0x000F424000000064 +
            ((digits >> 16) & 0x000000FF000000FF) * 0x0000271000000001) >>
           32;
  return count;
}

inline constexpr uint64_t kPowersOf10[] = {1,
                                           10,
                                           100,
                                           1000,
                                           10000,
                                           100000,
                                           1000000,
                                           10000000,
                                           100000000,
                                           1000000000,
                                           10000000000,
                                           100000000000,
                                           1000000000000,
                                           10000000000000,
                                           100000000000000,
                                           1000000000000000,
                                           10000000000000000,
                                           100000000000000000,
                                           1000000000000000000,
                                           10000000000000000000u};

/// Up to 16 digits at `p`, as ReadUpTo8Digits.
inline int ReadUpTo16Digits(const char* p, uint64_t* value) {
  int count = ReadUpTo8Digits(p, value);
  if (count < 8) return count;
  uint64_t low;
  int more = ReadUpTo8Digits(p + 8, &low);
  *value = *value * kPowersOf10[more] + low;
  return 8 + more;
}

}  // namespace frazil::serde::json
