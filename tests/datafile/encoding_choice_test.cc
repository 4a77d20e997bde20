// SPDX-License-Identifier: Apache-2.0
#include "frazil/datafile/encoding_choice.h"

#include <random>

#include <arrow/builder.h>

#include "frazil/datafile/metrics_mode.h"
#include "support/support.h"

namespace frazil::datafile {
namespace {

using iceberg::Type;
using test::ErrorOf;

constexpr int kRows = 16 << 10;
constexpr int64_t kDictionaryBytes = 2 << 20;

template <typename Text>
LeafSample TextSample(Text&& text) {
  arrow::StringBuilder builder;
  for (int i = 0; i < kRows; ++i) EXPECT_TRUE(builder.Append(text(i)).ok());
  LeafSample sample(Type::String());
  sample.Add(*builder.Finish().ValueOrDie());
  return sample;
}

template <typename Number>
LeafSample NumberSample(Number&& number) {
  arrow::Int64Builder builder;
  for (int i = 0; i < kRows; ++i) EXPECT_TRUE(builder.Append(number(i)).ok());
  LeafSample sample(Type::Long());
  sample.Add(*builder.Finish().ValueOrDie());
  return sample;
}

TEST(LeafSample, WantsADictionaryForWhatRepeats) {
  EXPECT_TRUE(TextSample([](int i) { return fmt::format("region-{}", i % 10); }).SuitsDictionary(kDictionaryBytes));
  EXPECT_TRUE(NumberSample([](int i) { return i % 1000; }).SuitsDictionary(kDictionaryBytes));
  EXPECT_TRUE(LeafSample(Type::String()).SuitsDictionary(kDictionaryBytes));
}

TEST(LeafSample, WantsNoDictionaryForWhatHardlyRepeats) {
  EXPECT_FALSE(TextSample([](int i) { return fmt::format("id-{}", i); }).SuitsDictionary(kDictionaryBytes));
  EXPECT_FALSE(NumberSample([](int i) { return i; }).SuitsDictionary(kDictionaryBytes));
  std::mt19937 random(1);
  EXPECT_FALSE(NumberSample([&](int) { return random() % 20'000; }).SuitsDictionary(kDictionaryBytes))
      << "indices would be as wide as the numbers compress to";
  EXPECT_FALSE(TextSample([](int i) {
                 return fmt::format("{}{}", i % 5000, std::string(1000, 'x'));
               }).SuitsDictionary(kDictionaryBytes))
      << "five megabytes of distinct values";
}

TEST(LeafSample, SpendsLittleOnRandomDigits) {
  std::mt19937_64 random(1);
  LeafSample ids = TextSample([&](int) { return fmt::format("{:016x}{:016x}", random(), random()); });
  EXPECT_LE(ids.CheapestEffort(), ZstdEffort::kFast);
}

TEST(LeafSample, SpendsMoreWhereItPays) {
  std::mt19937 random(1);
  const char* words[] = {"alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"};
  LeafSample text = TextSample([&](int) {
    std::string line;
    for (int i = 0; i < 12; ++i) line += fmt::format("{} ", words[random() % 8]);
    return line;
  });
  EXPECT_GT(text.CheapestEffort(), ZstdEffort::kEntropy);
  EXPECT_EQ(LeafSample(Type::String()).CheapestEffort(), ZstdEffort::kDefault) << "nothing to go by";
}

TEST(EncodingMemory, LooksAgainAfterSomeFiles) {
  EncodingMemory memory;
  EXPECT_EQ(memory.Recall(), std::nullopt);
  std::vector<LeafEncoding> encodings = {{false, ZstdEffort::kFast}};
  memory.Learn(encodings);
  int files = 0;
  while (auto recalled = memory.Recall()) {
    EXPECT_EQ(*recalled, encodings);
    ++files;
  }
  EXPECT_EQ(files, 16);
}

TEST(MetricsMode, Parses) {
  EXPECT_EQ(ParseMetricsMode("k", "NONE"), (MetricsMode{MetricsMode::Kind::kNone, 0}));
  EXPECT_EQ(ParseMetricsMode("k", "counts"), (MetricsMode{MetricsMode::Kind::kCounts, 0}));
  EXPECT_EQ(ParseMetricsMode("k", "Full"), (MetricsMode{MetricsMode::Kind::kFull, 0}));
  EXPECT_EQ(ParseMetricsMode("k", "truncate(24)"), (MetricsMode{MetricsMode::Kind::kTruncate, 24}));
  for (const char* wrong : {"", "truncate", "truncate(-1)", "truncate(1", "truncate(x)", "some"}) {
    EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { ParseMetricsMode("k", wrong); }), testing::HasSubstr("'k'"));
  }
}

}  // namespace
}  // namespace frazil::datafile
