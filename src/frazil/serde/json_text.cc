// SPDX-License-Identifier: Apache-2.0
#include "frazil/serde/json_text.h"

namespace frazil::serde::json {

namespace {

/// As deep as Flink's JSON parser goes (Jackson's StreamReadConstraints).
constexpr int kMaxDepth = 1000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

const char* Fail(const char* at, std::string_view expected, SyntaxError* error) {
  *error = {at, expected};
  return nullptr;
}

const char* SkipDigits(const char* p) {
  while (IsDigit(*p)) ++p;
  return p;
}

/// `p` is at a backslash. Returns the position behind the escape.
const char* ScanEscape(const char* p, SyntaxError* error) {
  switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't': return p + 2;
    case 'u':
      for (int i = 2; i < 6; ++i) {
        if (HexDigit(p[i]) < 0) return Fail(p, "four hex digits behind \\u", error);
      }
      return p + 6;
    default: return Fail(p, "one of \" \\ / b f n r t u behind a backslash", error);
  }
}

const char* ScanLiteral(const char* p, std::string_view literal, SyntaxError* error) {
  // Compared byte by byte: the record may end, and with it what may be read, before the literal's length.
  for (size_t i = 0; i < literal.size(); ++i) {
    if (p[i] != literal[i]) return Fail(p, "a value", error);
  }
  return p + literal.size();
}

const char* SkipNested(const char* p, int depth, SyntaxError* error);

const char* SkipMember(const char* p, int depth, SyntaxError* error) {
  if (*p != '"') return Fail(p, "a key in double quotes", error);
  bool escaped;
  p = ScanString(p + 1, &escaped, error);
  if (p == nullptr) return nullptr;
  p = SkipColon(p + 1, error);
  return p == nullptr ? nullptr : SkipNested(p, depth, error);
}

const char* SkipNested(const char* p, int depth, SyntaxError* error) {
  switch (*p) {
    case '"': {
      bool escaped;
      p = ScanString(p + 1, &escaped, error);
      return p == nullptr ? nullptr : p + 1;
    }
    case '{':
    case '[':
      if (depth == kMaxDepth) return Fail(p, "at most 1000 nested arrays and objects", error);
      ++depth;
      if (*p == '{') return WalkItems(p + 1, '}', error, [&](const char* q) { return SkipMember(q, depth, error); });
      return WalkItems(p + 1, ']', error, [&](const char* q) { return SkipNested(q, depth, error); });
    case 't': return ScanLiteral(p, "true", error);
    case 'f': return ScanLiteral(p, "false", error);
    case 'n': return ScanLiteral(p, "null", error);
    default:
      if (*p == '-' || IsDigit(*p)) return ScanNumber(p, error);
      return Fail(p, "a value", error);
  }
}

void AppendUtf8(uint32_t code_point, std::string* out) {
  if (code_point < 0x80) {
    out->push_back(static_cast<char>(code_point));
    return;
  }
  if (code_point < 0x800) {
    out->push_back(static_cast<char>(0xC0 | code_point >> 6));
  } else {
    if (code_point < 0x10000) {
      out->push_back(static_cast<char>(0xE0 | code_point >> 12));
    } else {
      out->push_back(static_cast<char>(0xF0 | code_point >> 18));
      out->push_back(static_cast<char>(0x80 | (code_point >> 12 & 0x3F)));
    }
    out->push_back(static_cast<char>(0x80 | (code_point >> 6 & 0x3F)));
  }
  out->push_back(static_cast<char>(0x80 | (code_point & 0x3F)));
}

uint32_t ReadHex4(std::string_view digits) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 4 | static_cast<uint32_t>(HexDigit(digits[i]));
  return value;
}

/// `rest` starts behind "\u". Appends the character and returns how much of `rest` it took.
size_t AppendUnicodeEscape(std::string_view rest, std::string* out) {
  constexpr uint32_t kReplacement = 0xFFFD;
  uint32_t unit = ReadHex4(rest);
  if (unit < 0xD800 || unit > 0xDFFF) {
    AppendUtf8(unit, out);
    return 4;
  }
  bool partner = unit < 0xDC00 && rest.size() >= 10 && rest[4] == '\\' && rest[5] == 'u';
  uint32_t low = partner ? ReadHex4(rest.substr(6)) : 0;
  if (low < 0xDC00 || low > 0xDFFF) {
    AppendUtf8(kReplacement, out);
    return 4;
  }
  AppendUtf8(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), out);
  return 10;
}

}  // namespace

const char* ScanString(const char* p, bool* escaped, SyntaxError* error) {
  *escaped = false;
  for (;;) {
    p = FindStringStop(p);
    if (*p == '"') return p;
    if (*p != '\\')
      return Fail(p, *p == '\n' ? "'\"' at the end of a string" : "no raw control character in a string", error);
    *escaped = true;
    p = ScanEscape(p, error);
    if (p == nullptr) return nullptr;
  }
}

const char* ScanNumber(const char* p, SyntaxError* error) {
  if (*p == '-') ++p;
  if (!IsDigit(*p)) return Fail(p, "a digit", error);
  if (*p == '0' && IsDigit(p[1])) return Fail(p, "a number without leading zeros", error);
  p = SkipDigits(p);
  if (*p == '.') {
    if (!IsDigit(p[1])) return Fail(p + 1, "a digit", error);
    p = SkipDigits(p + 1);
  }
  if (*p == 'e' || *p == 'E') {
    ++p;
    if (*p == '+' || *p == '-') ++p;
    if (!IsDigit(*p)) return Fail(p, "a digit", error);
    p = SkipDigits(p);
  }
  return p;
}

const char* SkipValue(const char* p, SyntaxError* error) { return SkipNested(p, 0, error); }

bool ScanToken(const char* p, Token* token, SyntaxError* error) {
  const char* end;
  token->escaped = false;
  token->begin = p;
  if (*p == '"') {
    const char* quote = ScanString(p + 1, &token->escaped, error);
    if (quote == nullptr) return false;
    token->kind = TokenKind::kString;
    token->text = {p + 1, quote};
    token->end = quote + 1;
    return true;
  }
  end = SkipValue(p, error);
  if (end == nullptr) return false;
  switch (*p) {
    case '{': token->kind = TokenKind::kObject; break;
    case '[': token->kind = TokenKind::kArray; break;
    case 't': token->kind = TokenKind::kTrue; break;
    case 'f': token->kind = TokenKind::kFalse; break;
    case 'n': token->kind = TokenKind::kNull; break;
    default: token->kind = TokenKind::kNumber;
  }
  token->text = {p, end};
  token->end = end;
  return true;
}

void AppendUnescaped(std::string_view raw, std::string* out) {
  size_t i = 0;
  while (i < raw.size()) {
    size_t backslash = raw.find('\\', i);
    if (backslash == std::string_view::npos) backslash = raw.size();
    out->append(raw, i, backslash - i);
    if (backslash == raw.size()) return;
    i = backslash + 2;
    switch (char c = raw[backslash + 1]) {
      case 'b': out->push_back('\b'); break;
      case 'f': out->push_back('\f'); break;
      case 'n': out->push_back('\n'); break;
      case 'r': out->push_back('\r'); break;
      case 't': out->push_back('\t'); break;
      case 'u': i += AppendUnicodeEscape(raw.substr(i), out); break;
      default: out->push_back(c);
    }
  }
}

void AppendMinified(std::string_view value, std::string* out) {
  size_t i = 0;
  while (i < value.size()) {
    char c = value[i];
    if (c == ' ' || c == '\t' || c == '\r') {
      ++i;
      continue;
    }
    size_t start = i++;
    if (c == '"') {
      while (value[i] != '"') i += value[i] == '\\' ? 2 : 1;
      ++i;
    }
    out->append(value, start, i - start);
  }
}

}  // namespace frazil::serde::json
