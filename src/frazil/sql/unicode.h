// SPDX-License-Identifier: Apache-2.0
// What the SQL front end needs to know of UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace frazil::sql {

inline bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

struct CodePoint {
  char32_t value = 0;
  size_t length = 1;   ///< bytes
  bool valid = false;  ///< false: no UTF-8 here; `length` is 1, `value` the replacement character
};

/// The code point at byte `offset`, which must be inside of `text`.
CodePoint DecodeCodePoint(std::string_view text, size_t offset);

void AppendUtf8(std::string& out, char32_t value);

/// Terminal cells of a code point: 0 for combining marks, 2 for East Asian wide and emoji, else 1.
size_t CellWidth(char32_t value);

/// `text` for one line of a terminal: what is no UTF-8, and controls that could move the cursor or turn the direction
/// of writing, become U+FFFD; line ends become blanks; tabs stay.
std::string Printable(std::string_view text);

/// A blank outside ASCII that word processors put into SQL: no-break space, ideographic space, byte order mark, …
bool IsUnicodeBlank(char32_t value);

/// May start, or continue, an unquoted identifier (ASCII letters, `_`; letters of other scripts; to continue also
/// digits).
bool IsIdentifierStart(char32_t value);
bool IsIdentifierPart(char32_t value);

}  // namespace frazil::sql
