// SPDX-License-Identifier: Apache-2.0
#include "frazil/serde/json_text.h"

#include "frazil/serde/deserialization_schema.h"
#include "support/support.h"

namespace frazil::serde::json {
namespace {

/// The text as a line, with the padding that scans may read.
std::string Line(std::string_view text) { return std::string(text) + "\n" + std::string(kPadding, '9'); }

TEST(JsonText, FindsTheStopOfAString) {
  for (size_t length = 0; length < 70; ++length) {
    for (char stop : {'"', '\\', '\n', '\x1f', '\0'}) {
      std::string text = Line(std::string(length, ' ') + stop);
      EXPECT_EQ(FindStringStop(text.data()) - text.data(), static_cast<ptrdiff_t>(length));
    }
    std::string high = Line(std::string(length, '\xC3'));
    EXPECT_EQ(FindStringStop(high.data()) - high.data(), static_cast<ptrdiff_t>(length));
  }
}

TEST(JsonText, ScansTokens) {
  struct Case {
    const char* text;
    TokenKind kind;
    const char* meaning;
  };
  for (const Case& c :
       {Case{"null,", TokenKind::kNull, "null"}, Case{"true}", TokenKind::kTrue, "true"},
        Case{"false ", TokenKind::kFalse, "false"}, Case{"-0.5e+10]", TokenKind::kNumber, "-0.5e+10"},
        Case{"0,", TokenKind::kNumber, "0"}, Case{"\"a\\\"b\",", TokenKind::kString, "a\\\"b"},
        Case{"[1, {\"a\":[]}],", TokenKind::kArray, "[1, {\"a\":[]}]"}, Case{"{ },", TokenKind::kObject, "{ }"}}) {
    SCOPED_TRACE(c.text);
    std::string line = Line(c.text);
    Token token;
    SyntaxError error;
    ASSERT_TRUE(ScanToken(line.data(), &token, &error)) << error.expected;
    EXPECT_EQ(token.kind, c.kind);
    EXPECT_EQ(token.text, c.meaning);
    EXPECT_EQ(token.begin, line.data());
    EXPECT_EQ(token.escaped, token.text.find('\\') != std::string_view::npos);
    EXPECT_EQ(SkipValue(line.data(), &error), token.end);
  }
}

TEST(JsonText, SaysWhatItExpectedAndWhere) {
  struct Case {
    const char* text;
    ptrdiff_t at;
    const char* expected;
  };
  for (const Case& c :
       {Case{"", 0, "a value"}, Case{"nulL", 0, "a value"}, Case{"-x", 1, "a digit"},
        Case{"01", 0, "a number without leading zeros"}, Case{"1.e5", 2, "a digit"}, Case{"1e+", 3, "a digit"},
        Case{"\"abc", 4, "'\"' at the end of a string"}, Case{"\"a\tb\"", 2, "no raw control character in a string"},
        Case{"\"a\\q\"", 2, "one of \" \\ / b f n r t u behind a backslash"},
        Case{"\"\\u00g0\"", 1, "four hex digits behind \\u"}, Case{"[1 2]", 3, "',' or ']'"},
        Case{"{\"a\":1;}", 6, "',' or '}'"}, Case{"{\"a\" 1}", 5, "':'"}, Case{"{a:1}", 1, "a key in double quotes"},
        Case{"[1,]", 3, "a value"}}) {
    SCOPED_TRACE(c.text);
    std::string line = Line(c.text);
    SyntaxError error;
    EXPECT_EQ(SkipValue(line.data(), &error), nullptr);
    EXPECT_EQ(error.at - line.data(), c.at);
    EXPECT_EQ(error.expected, c.expected);
  }
}

TEST(JsonText, ReadsDigits) {
  uint64_t value;
  EXPECT_EQ(ReadUpTo8Digits(Line("").data(), &value), 0);
  EXPECT_EQ(value, 0);
  std::string digits;
  for (int count = 1; count <= 16; ++count) {
    digits += static_cast<char>('0' + count % 10);
    for (char behind : {'.', '/', ':', ' ', '\xff', '\n'}) {
      std::string line = Line(digits + behind + "123");
      EXPECT_EQ(ReadUpTo16Digits(line.data(), &value), count);
      EXPECT_EQ(value, std::stoull(digits));
    }
  }
}

TEST(JsonText, UnescapesAndMinifies) {
  std::string out = "<";
  AppendUnescaped(R"(a\u00e9\uD83D\uDE00\uD83D\n)", &out);
  EXPECT_EQ(out, "<aé😀\uFFFD\n");
  out = "<";
  AppendMinified("{ \"a b\\\\\" : [ 1 ,\t2 ] , \"\\\" \" : null }", &out);
  EXPECT_EQ(out, "<{\"a b\\\\\":[1,2],\"\\\" \":null}");
}

}  // namespace
}  // namespace frazil::serde::json
