// SPDX-License-Identifier: Apache-2.0
// The decoder against an independent JSON library, and its fast forms against its general ones, on random texts.
#include <random>

#include <arrow/array/concatenate.h>
#include <nlohmann/json.hpp>

#include "decode.h"
#include "frazil/serde/text_values.h"
#include "support/support.h"

namespace frazil::serde {
namespace {

using arrow::field;
using nlohmann::ordered_json;
using test::Decoder;
using test::kIgnoreErrors;

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int Below(int n) { return static_cast<int>(engine_() % static_cast<uint32_t>(n)); }
  template <typename T>
  const T& Pick(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(Below(static_cast<int>(choices.size())))];
  }

 private:
  std::mt19937 engine_;
};

std::string RandomString(Random& random) {
  static const std::vector<std::string> kPieces = {"a",
                                                   "Z",
                                                   "0",
                                                   " ",
                                                   "é",
                                                   "😀",
                                                   "\\n",
                                                   "\\\"",
                                                   "\\\\",
                                                   "\\u00e9",
                                                   "\\ud83d\\ude00",
                                                   "\\/",
                                                   "}",
                                                   ",",
                                                   ":",
                                                   "the quick brown fox",
                                                   "\x7f"};
  std::string text = "\"";
  for (int i = random.Below(8); i > 0; --i) text += random.Pick(kPieces);
  return text + "\"";
}

std::string RandomNumber(Random& random) {
  std::string text = random.Below(3) == 0 ? "-" : "";
  text += random.Below(4) == 0 ? "0" : std::to_string(1 + random.Below(9));
  if (text.back() != '0') {
    for (int i = random.Below(random.Below(5) == 0 ? 22 : 9); i > 0; --i)
      text += static_cast<char>('0' + random.Below(10));
  }
  if (random.Below(2) == 0) {
    text += '.';
    for (int i = 1 + random.Below(random.Below(5) == 0 ? 20 : 4); i > 0; --i)
      text += static_cast<char>('0' + random.Below(10));
  }
  if (random.Below(6) == 0) text += random.Pick<std::string>({"e", "E", "e+", "e-"}) + std::to_string(random.Below(30));
  return text;
}

std::string RandomValue(Random& random, int depth);

std::string RandomKey(Random& random) {
  static const std::vector<std::string> kKeys = {"\"s\"", "\"i\"", "\"d\"", "\"f\"",
                                                 "\"b\"", "\"x\"", "\"y\"", "\"\\u0073\""};
  return random.Pick(kKeys);
}

std::string Space(Random& random) { return random.Below(6) == 0 ? random.Pick<std::string>({" ", "\t", "  "}) : ""; }

std::string RandomObject(Random& random, int depth) {
  std::string text = "{" + Space(random);
  for (int i = random.Below(7); i > 0; --i) {
    text +=
        RandomKey(random) + Space(random) + ":" + Space(random) + RandomValue(random, depth + 1) + Space(random) + ",";
  }
  if (text.back() == ',') text.pop_back();
  return text + "}";
}

std::string RandomValue(Random& random, int depth) {
  switch (random.Below(depth > 3 ? 6 : 8)) {
    case 0: return "null";
    case 1: return random.Below(2) == 0 ? "true" : "false";
    case 2:
    case 3: return RandomNumber(random);
    case 4:
    case 5: return RandomString(random);
    case 6: return RandomObject(random, depth);
    default: {
      std::string text = "[";
      for (int i = random.Below(4); i > 0; --i) text += Space(random) + RandomValue(random, depth + 1) + ",";
      if (text.back() == ',') text.pop_back();
      return text + "]";
    }
  }
}

/// Changes, drops or doubles a byte, mostly of the syntax.
std::string Mutated(Random& random, std::string text) {
  static const std::vector<char> kBytes = {'{', '}', '[', ']', ',', ':', '"',  '\\', '0',
                                           '-', '.', 'e', 't', 'n', ' ', '\t', 'u',  '\x01'};
  for (int i = 1 + random.Below(2); i > 0 && !text.empty(); --i) {
    size_t at = static_cast<size_t>(random.Below(static_cast<int>(text.size())));
    switch (random.Below(3)) {
      case 0: text[at] = random.Pick(kBytes); break;
      case 1: text.erase(at, 1); break;
      default: text.insert(at, 1, random.Pick(kBytes));
    }
  }
  return text;
}

const test::Fields kFields = {field("s", arrow::utf8()), field("i", arrow::int64()),
                              field("d", arrow::decimal128(20, 4)), field("f", arrow::float64()),
                              field("b", arrow::boolean())};

/// What the library says about a text: not JSON, JSON that is no row, or a row.
enum class Verdict { kMalformed, kNoRow, kRow };

Verdict Judge(const std::string& text) {
  ordered_json value = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return Verdict::kMalformed;
  return value.is_object() ? Verdict::kRow : Verdict::kNoRow;
}

/// Lone surrogates (which Frazil replaces), numbers beyond double (which are legal) and raw invalid UTF-8 apart, the
/// library and Frazil must agree on what is JSON.
bool LibraryIsStricter(const std::string& text) {
  return text.find("\\ud") != std::string::npos || text.find("\\uD") != std::string::npos ||
         text.find_first_of("eE") != std::string::npos;
}

TEST(JsonDifferential, AgreesOnWhatIsJson) {
  Random random(1);
  int malformed = 0;
  for (int i = 0; i < 60'000; ++i) {
    std::string text = RandomObject(random, 0);
    if (i % 3 != 0) text = Mutated(random, text);
    if (LibraryIsStricter(text) && Judge(text) == Verdict::kMalformed) continue;
    Verdict verdict = Judge(text);
    if (verdict == Verdict::kNoRow || Trim(text).empty()) continue;
    Decoder decoder(kFields, kIgnoreErrors);
    decoder.Decode(text + "\n{\"i\":1}\n");
    auto batch = decoder.Take();
    ASSERT_EQ(batch->num_rows(), verdict == Verdict::kRow ? 2 : 1) << text;
    ASSERT_EQ(decoder->num_skipped(), verdict == Verdict::kRow ? 0 : 1) << text;
    malformed += verdict == Verdict::kMalformed ? 1 : 0;
  }
  EXPECT_GT(malformed, 5'000);
}

TEST(JsonDifferential, AgreesOnValues) {
  Random random(2);
  Decoder decoder(kFields, kIgnoreErrors);
  for (int i = 0; i < 30'000; ++i) {
    std::string text = RandomObject(random, 0);
    ordered_json expected = ordered_json::parse(text, nullptr, false);
    if (!expected.is_object()) continue;
    auto batch = decoder.Decode(text).Take();
    ASSERT_EQ(batch->num_rows(), 1) << text;
    const auto& s = static_cast<const arrow::StringArray&>(*batch->column(0));
    ordered_json value = expected.value("s", ordered_json());
    if (value.is_string()) {
      ASSERT_EQ(s.GetString(0), value.get<std::string>()) << text;
    } else if (!value.is_null()) {
      ASSERT_EQ(ordered_json::parse(s.GetString(0)), value) << text;
    } else {
      ASSERT_TRUE(s.IsNull(0)) << text;
    }
    value = expected.value("i", ordered_json());
    const auto& integer = static_cast<const arrow::Int64Array&>(*batch->column(1));
    bool fits = value.is_number_integer() && (!value.is_number_unsigned() || value.get<uint64_t>() <= INT64_MAX);
    if (fits) {
      ASSERT_EQ(integer.Value(0), value.get<int64_t>()) << text;
    } else if (!value.is_string()) {
      ASSERT_TRUE(integer.IsNull(0)) << text;
    }
    value = expected.value("f", ordered_json());
    const auto& real = static_cast<const arrow::DoubleArray&>(*batch->column(3));
    if (value.is_number()) {
      ASSERT_EQ(real.Value(0), value.get<double>()) << text;
    }
    value = expected.value("b", ordered_json());
    const auto& truth = static_cast<const arrow::BooleanArray&>(*batch->column(4));
    if (value.is_boolean()) {
      ASSERT_EQ(truth.Value(0), value.get<bool>()) << text;
    } else {
      ASSERT_TRUE(truth.IsNull(0)) << text;
    }
  }
}

/// A spelling of the same value that no fast form takes: numbers in quotes, the first character of a text escaped.
std::string SlowSpelling(const std::string& value) {
  if (value.size() > 2 && value[0] == '"' && value[1] != '\\')
    return fmt::format("\"\\u{:04x}{}", value[1], value.substr(2));
  return value[0] == '"' ? value : "\"" + value + "\"";
}

void ExpectSameBothWays(const test::Fields& fields, const std::vector<std::string>& values, const OptionMap& options) {
  std::string fast;
  std::string slow;
  for (const std::string& value : values) {
    fast += fmt::format("{{\"v\":{}}}\n", value);
    slow += fmt::format("{{\"v\":{}}}\n", SlowSpelling(value));
  }
  auto fast_batch = Decoder(fields, options).Decode(fast).Take();
  auto slow_batch = Decoder(fields, options).Decode(slow).Take();
  ASSERT_EQ(fast_batch->num_rows(), static_cast<int64_t>(values.size()));
  for (int64_t i = 0; i < fast_batch->num_rows(); ++i) {
    ASSERT_TRUE(fast_batch->column(0)->RangeEquals(slow_batch->column(0), i, i + 1, i))
        << values[static_cast<size_t>(i)];
  }
}

TEST(JsonDifferential, FastFormsOfNumbersAreExact) {
  Random random(3);
  std::vector<std::string> values;
  for (int i = 0; i < 20'000; ++i) values.push_back(RandomNumber(random));
  for (const auto& type :
       {arrow::int8(), arrow::int16(), arrow::int32(), arrow::int64(), arrow::float32(), arrow::float64()}) {
    ExpectSameBothWays({field("v", type)}, values, kIgnoreErrors);
  }
  for (auto [precision, scale] : {std::pair(5, 2), {18, 4}, {19, 4}, {38, 9}, {9, 0}, {17, 17}, {38, 38}, {1, 0}}) {
    ExpectSameBothWays({field("v", arrow::decimal128(precision, scale))}, values, kIgnoreErrors);
  }
}

TEST(JsonDifferential, FastFormsOfTimesAreExact) {
  Random random(4);
  auto two = [&](int limit) { return fmt::format("{:02}", random.Below(limit)); };
  std::vector<std::string> timestamps;
  std::vector<std::string> dates;
  for (int i = 0; i < 20'000; ++i) {
    std::string date = fmt::format("{:04}-{}-{}", random.Below(2) == 0 ? 2024 : random.Below(10000), two(14), two(33));
    std::string fraction = random.Below(2) == 0 ? "." : "";
    for (int digits = random.Below(11); !fraction.empty() && digits > 0; --digits)
      fraction += static_cast<char>('0' + random.Below(10));
    std::string time =
        fmt::format("{}:{}:{}{}{}", two(26), two(62), two(62), fraction, random.Below(2) == 0 ? "Z" : "");
    std::string timestamp = "\"" + date + random.Pick<std::string>({" ", "T"}) + time + "\"";
    if (random.Below(5) == 0) {
      timestamp[static_cast<size_t>(2 + random.Below(static_cast<int>(timestamp.size()) - 3))] =
          random.Pick<char>({'0', ':', '-', '/', 'x'});
    }
    timestamps.push_back(timestamp);
    dates.push_back("\"" + date + "\"");
  }
  for (const char* standard : {"SQL", "ISO-8601"}) {
    OptionMap options = {{"json.timestamp-format.standard", standard}, {"json.ignore-parse-errors", "true"}};
    for (const char* zone : {"", "UTC"}) {
      for (auto unit :
           {arrow::TimeUnit::SECOND, arrow::TimeUnit::MILLI, arrow::TimeUnit::MICRO, arrow::TimeUnit::NANO}) {
        ExpectSameBothWays({field("v", arrow::timestamp(unit, zone))}, timestamps, options);
      }
    }
  }
  ExpectSameBothWays({field("v", arrow::date32())}, dates, kIgnoreErrors);
}

/// One text cut into chunks anywhere between lines decodes to the same rows.
TEST(JsonDifferential, ChunksDoNotMatter) {
  Random random(5);
  std::vector<std::string> lines;
  std::string text;
  for (int i = 0; i < 2'000; ++i) {
    lines.push_back(i % 7 == 0 ? Mutated(random, RandomObject(random, 0)) : RandomObject(random, 0));
    text += lines.back() + "\n";
  }
  Decoder whole(kFields, kIgnoreErrors);
  auto expected = whole.Decode(text).Take();
  Decoder pieces(kFields, kIgnoreErrors);
  arrow::RecordBatchVector batches;
  for (size_t i = 0; i < lines.size();) {
    std::string chunk;
    for (int n = 1 + random.Below(5); n > 0 && i < lines.size(); --n) chunk += lines[i++] + "\n";
    if (random.Below(2) == 0) chunk.pop_back();
    pieces.Decode(chunk, {"f", 1, 1});
    if (random.Below(3) == 0) batches.push_back(pieces.Take());
  }
  batches.push_back(pieces.Take());
  EXPECT_EQ(pieces->num_skipped(), whole->num_skipped());
  EXPECT_EQ(pieces->num_nulled_fields(), whole->num_nulled_fields());
  for (int c = 0; c < expected->num_columns(); ++c) {
    arrow::ArrayVector parts;
    for (const auto& batch : batches) parts.push_back(batch->column(c));
    EXPECT_TRUE(arrow::Concatenate(parts).ValueOrDie()->Equals(expected->column(c)));
  }
}

}  // namespace
}  // namespace frazil::serde
