// SPDX-License-Identifier: Apache-2.0
#include "frazil/datafile/bounds.h"

#include "support/support.h"

namespace frazil::datafile {
namespace {

TEST(TruncateText, CountsCodePoints) {
  EXPECT_EQ(TruncateText("abcdef", 3), "abc");
  EXPECT_EQ(TruncateText("abc", 3), "abc");
  EXPECT_EQ(TruncateText("a😀b", 2), "a😀");
  EXPECT_EQ(TruncateText("ééé", 2), "éé");
  EXPECT_EQ(TruncateText("", 2), "");
}

TEST(TruncateTextUp, KeepsWhatIsShort) {
  EXPECT_EQ(TruncateTextUp("aaa", 3), "aaa");
  EXPECT_EQ(TruncateTextUp("", 3), "");
  EXPECT_EQ(TruncateTextUp("😀😀", 2), "😀😀");
}

TEST(TruncateTextUp, RaisesTheLastCodePoint) {
  EXPECT_EQ(TruncateTextUp("aaaa", 2), "ab");
  EXPECT_EQ(TruncateTextUp("a😀x", 2), "a😁");
  EXPECT_EQ(TruncateTextUp("a\u007Fx", 2), "a\u0080");
  EXPECT_EQ(TruncateTextUp("a\u07FFx", 2), "a\u0800");
  EXPECT_EQ(TruncateTextUp("\uFFFFx", 1), "\U00010000");
}

TEST(TruncateTextUp, JumpsOverTheSurrogates) {
  EXPECT_EQ(TruncateTextUp("\uD7FFx", 1), "\uE000");
  EXPECT_EQ(TruncateTextUp("\uD7FEx", 1), "\uD7FF");
}

TEST(TruncateTextUp, CarriesOverTheLastCodePointThereIs) {
  EXPECT_EQ(TruncateTextUp("a\U0010FFFF\U0010FFFFx", 3), "b");
  EXPECT_EQ(TruncateTextUp(std::string_view("\U0010FFFF\U0010FFFF\0", 9), 2), std::nullopt);
}

TEST(TruncateTextUp, GivesUpOnWhatIsNotUtf8) {
  EXPECT_EQ(TruncateTextUp("\xC3\xC3x", 2), std::nullopt);
  EXPECT_EQ(TruncateTextUp("\x80\x80\x80x", 1), std::nullopt);
}

TEST(TruncateBytesUp, RaisesTheLastByte) {
  EXPECT_EQ(TruncateBytesUp("\x01\xFF\x01", 2), "\x02");
  EXPECT_EQ(TruncateBytesUp("\x01\x02\x03", 2), "\x01\x03");
  EXPECT_EQ(TruncateBytesUp("\xFF\xFF", 2), "\xFF\xFF");
  EXPECT_EQ(TruncateBytesUp("\xFF\xFF\x01", 2), std::nullopt);
}

}  // namespace
}  // namespace frazil::datafile
