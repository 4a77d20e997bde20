// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/expression.h"

#include <cmath>
#include <limits>

#include "support/support.h"

namespace frazil::iceberg {
namespace {

using Op = Expression::Op;
using ::testing::HasSubstr;

Expression Where(Op op, std::string column, std::vector<Literal> values = {}) {
  return {op, {}, std::move(column), std::move(values)};
}
Expression And(Expression a, Expression b) { return {Op::kAnd, {std::move(a), std::move(b)}, "", {}}; }
Expression Or(Expression a, Expression b) { return {Op::kOr, {std::move(a), std::move(b)}, "", {}}; }
Expression Not(Expression a) { return {Op::kNot, {std::move(a)}, "", {}}; }
Literal Text(std::string text) { return text; }

constexpr int32_t kId = 1, kName = 2, kScore = 3, kTs = 4, kPrice = 5, kPlace = 6, kCity = 7, kUuidColumn = 8,
                  kFlag = 9;

const Schema& TheSchema() {
  static const Schema kSchema(
      0, {NestedField::Required(kId, "id", Type::Long()), NestedField::Optional(kName, "name", Type::String()),
          NestedField::Optional(kScore, "score", Type::Double()), NestedField::Optional(kTs, "ts", Type::Timestamp()),
          NestedField::Optional(kPrice, "price", Type::Decimal(9, 2)),
          NestedField::Optional(kPlace, "place", Type::Struct({NestedField::Optional(kCity, "city", Type::Int())})),
          NestedField::Optional(kUuidColumn, "uuid", Type::Uuid()),
          NestedField::Optional(kFlag, "flag", Type::Boolean())});
  return kSchema;
}

const Type& TypeOf(int32_t id) { return TheSchema().FindField(id)->type; }

/// A file of ten rows about whose columns nothing is known.
DataFile Unknown() {
  DataFile file;
  file.record_count = 10;
  return file;
}

/// A file whose column `id` has the bounds, no nulls and no NaN.
DataFile WithBounds(int32_t id, const Literal& lower, const Literal& upper) {
  DataFile file = Unknown();
  file.metrics.value_counts[id] = 10;
  file.metrics.null_value_counts[id] = 0;
  if (id == kScore) file.metrics.nan_value_counts[id] = 0;
  file.metrics.lower_bounds[id] = ToBinary(TypeOf(id), lower);
  file.metrics.upper_bounds[id] = ToBinary(TypeOf(id), upper);
  return file;
}

DataFile WithCounts(int32_t id, int64_t nulls, std::optional<int64_t> nans = std::nullopt) {
  DataFile file = Unknown();
  file.metrics.value_counts[id] = 10;
  file.metrics.null_value_counts[id] = nulls;
  if (nans) file.metrics.nan_value_counts[id] = *nans;
  return file;
}

bool May(const Expression& filter, const DataFile& file) {
  return MayMatch(filter, TheSchema(), PartitionSpec{}, file);
}

PartitionSpec SpecOf(int32_t source, const std::string& transform) {
  return {1, {{{source}, 1000, "p", ParseTransform(transform)}}};
}

bool MayInPartition(const Expression& filter, const PartitionSpec& spec, const Literal& value) {
  DataFile file = Unknown();
  file.partition = {value};
  return MayMatch(filter, TheSchema(), spec, file);
}

TEST(FileFilter, ComparesWithTheBounds) {
  const DataFile file = WithBounds(kId, int64_t{30}, int64_t{79});
  auto id = [&](Op op, int64_t value) { return May(Where(op, "id", {value}), file); };
  EXPECT_FALSE(id(Op::kLt, 30));
  EXPECT_TRUE(id(Op::kLt, 31));
  EXPECT_FALSE(id(Op::kLtEq, 29));
  EXPECT_TRUE(id(Op::kLtEq, 30));
  EXPECT_FALSE(id(Op::kGt, 79));
  EXPECT_TRUE(id(Op::kGt, 78));
  EXPECT_FALSE(id(Op::kGtEq, 80));
  EXPECT_TRUE(id(Op::kGtEq, 79));
  EXPECT_FALSE(id(Op::kEq, 29));
  EXPECT_TRUE(id(Op::kEq, 30));
  EXPECT_TRUE(id(Op::kEq, 79));
  EXPECT_FALSE(id(Op::kEq, 80));
  EXPECT_TRUE(id(Op::kNotEq, 30));
  EXPECT_FALSE(May(Where(Op::kIn, "id", {int64_t{1}, int64_t{29}, int64_t{80}}), file));
  EXPECT_TRUE(May(Where(Op::kIn, "id", {int64_t{1}, int64_t{79}}), file));
  EXPECT_FALSE(May(Where(Op::kIn, "id", {}), file));
  EXPECT_TRUE(May(Where(Op::kNotIn, "id", {int64_t{30}}), file));
  EXPECT_FALSE(May(Where(Op::kEq, "place.city", {int32_t{5}}), WithBounds(kCity, 1, 4)));
  EXPECT_FALSE(May(Where(Op::kLt, "price", {static_cast<__int128>(-2)}),
                   WithBounds(kPrice, static_cast<__int128>(-1), static_cast<__int128>(1420))));
}

TEST(FileFilter, NotEqualPrunesOnlyAColumnOfOneValue) {
  DataFile file = WithBounds(kId, int64_t{5}, int64_t{5});
  EXPECT_FALSE(May(Where(Op::kNotEq, "id", {int64_t{5}}), file));
  EXPECT_FALSE(May(Where(Op::kNotIn, "id", {int64_t{4}, int64_t{5}}), file));
  EXPECT_TRUE(May(Where(Op::kNotEq, "id", {int64_t{6}}), file));
  file.metrics.null_value_counts[kId] = 1;
  EXPECT_TRUE(May(Where(Op::kNotEq, "id", {int64_t{5}}), file));
}

TEST(FileFilter, CombinesAndNegates) {
  const DataFile file = WithBounds(kId, int64_t{30}, int64_t{79});
  const Expression hit = Where(Op::kEq, "id", {int64_t{50}});
  const Expression miss = Where(Op::kEq, "id", {int64_t{5}});
  EXPECT_FALSE(May(And(hit, miss), file));
  EXPECT_TRUE(May(Or(hit, miss), file));
  EXPECT_FALSE(May(Or(miss, miss), file));
  EXPECT_TRUE(May(Not(miss), file));
  EXPECT_FALSE(May(Not(Where(Op::kLt, "id", {int64_t{100}})), file));   // id >= 100
  EXPECT_FALSE(May(Not(Where(Op::kGtEq, "id", {int64_t{30}})), file));  // id < 30
  EXPECT_FALSE(May(Not(Where(Op::kNotEq, "id", {int64_t{5}})), file));  // id = 5
  EXPECT_FALSE(May(Not(Where(Op::kNotIn, "id", {int64_t{5}})), file));  // id in (5)
  EXPECT_FALSE(May(Not(Or(hit, Where(Op::kLt, "id", {int64_t{90}}))), file));
  EXPECT_TRUE(May(Not(And(hit, miss)), file));
  EXPECT_FALSE(May(Not(Not(miss)), file));
  EXPECT_TRUE(May(Expression{}, file));
  EXPECT_FALSE(May(Not(Expression{}), file));
  EXPECT_FALSE(May(Where(Op::kFalse, ""), file));
}

TEST(FileFilter, AFileWithoutRowsNeverMatches) {
  DataFile file = Unknown();
  file.record_count = 0;
  EXPECT_FALSE(May(Expression{}, file));
}

// Metrics are optional: what is missing is unknown, not "none".
TEST(FileFilter, MissingMetricsNeverPrune) {
  for (Op op : {Op::kIsNull, Op::kNotNull, Op::kIsNan, Op::kNotNan}) EXPECT_TRUE(May(Where(op, "score"), Unknown()));
  for (Op op : {Op::kLt, Op::kLtEq, Op::kGt, Op::kGtEq, Op::kEq, Op::kNotEq, Op::kIn, Op::kNotIn}) {
    EXPECT_TRUE(May(Where(op, "id", {int64_t{1}}), Unknown()));
  }
  EXPECT_TRUE(May(Where(Op::kStartsWith, "name", {Text("a")}), Unknown()));
  EXPECT_TRUE(May(Where(Op::kNotStartsWith, "name", {Text("a")}), Unknown()));
  DataFile only_values = Unknown();
  only_values.metrics.value_counts[kName] = 10;
  EXPECT_TRUE(May(Where(Op::kIsNull, "name"), only_values));
  EXPECT_TRUE(May(Where(Op::kNotNull, "name"), only_values));
  DataFile only_nulls = Unknown();
  only_nulls.metrics.null_value_counts[kName] = 10;
  EXPECT_TRUE(May(Where(Op::kNotNull, "name"), only_nulls));
  EXPECT_TRUE(May(Where(Op::kIsNull, "place"), Unknown()));
}

TEST(FileFilter, CountsNullsAndNans) {
  EXPECT_FALSE(May(Where(Op::kIsNull, "name"), WithCounts(kName, 0)));
  EXPECT_TRUE(May(Where(Op::kIsNull, "name"), WithCounts(kName, 1)));
  EXPECT_TRUE(May(Where(Op::kNotNull, "name"), WithCounts(kName, 9)));
  EXPECT_FALSE(May(Where(Op::kNotNull, "name"), WithCounts(kName, 10)));
  EXPECT_FALSE(May(Where(Op::kEq, "name", {Text("a")}), WithCounts(kName, 10)));
  EXPECT_FALSE(May(Where(Op::kStartsWith, "name", {Text("a")}), WithCounts(kName, 10)));
  EXPECT_TRUE(May(Where(Op::kNotEq, "name", {Text("a")}), WithCounts(kName, 10)));

  EXPECT_FALSE(May(Where(Op::kIsNan, "score"), WithCounts(kScore, 0, 0)));
  EXPECT_TRUE(May(Where(Op::kIsNan, "score"), WithCounts(kScore, 0, 1)));
  EXPECT_FALSE(May(Where(Op::kIsNan, "score"), WithCounts(kScore, 10)));
  EXPECT_FALSE(May(Where(Op::kNotNan, "score"), WithCounts(kScore, 0, 10)));
  EXPECT_TRUE(May(Where(Op::kNotNan, "score"), WithCounts(kScore, 1, 9)));
  EXPECT_TRUE(May(Where(Op::kNotNull, "score"), WithCounts(kScore, 0, 10)));
  EXPECT_FALSE(May(Where(Op::kGt, "score", {1.0}), WithCounts(kScore, 1, 9)));
  EXPECT_TRUE(May(Where(Op::kGt, "score", {1.0}), WithCounts(kScore, 1, 8)));
  EXPECT_TRUE(May(Where(Op::kGt, "score", {1.0}), WithCounts(kScore, 1)));
  EXPECT_FALSE(May(Where(Op::kIsNan, "id"), WithCounts(kId, 0)));
}

// NaN isn't permitted in bounds; those that have it are ignored.
TEST(FileFilter, NanNeverPrunes) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(May(Where(Op::kLt, "score", {5.0}), WithBounds(kScore, nan, nan)));
  EXPECT_FALSE(May(Where(Op::kEq, "score", {2.0}), WithBounds(kScore, 3.0, nan)));
  EXPECT_TRUE(May(Where(Op::kGt, "score", {2.0}), WithBounds(kScore, 1.0, nan)));
  for (Op op : {Op::kLt, Op::kGtEq, Op::kEq, Op::kNotEq, Op::kIn}) {
    EXPECT_TRUE(May(Where(op, "score", {nan}), WithBounds(kScore, 1.0, 2.0)));
  }
}

TEST(FileFilter, NegativeZeroIsZero) {
  EXPECT_TRUE(May(Where(Op::kEq, "score", {0.0}), WithBounds(kScore, -0.0, -0.0)));
  EXPECT_TRUE(May(Where(Op::kEq, "score", {-0.0}), WithBounds(kScore, 0.0, 0.0)));
  EXPECT_FALSE(May(Where(Op::kNotEq, "score", {-0.0}), WithBounds(kScore, 0.0, 0.0)));
  EXPECT_FALSE(May(Where(Op::kLt, "score", {0.0}), WithBounds(kScore, -0.0, 1.0)));
}

TEST(FileFilter, DamagedBoundsNeverPrune) {
  DataFile crossed = WithBounds(kUuidColumn, Text(std::string(16, '\xff')), Text(std::string(16, '\0')));
  EXPECT_TRUE(May(Where(Op::kEq, "uuid", {Text(std::string(16, '\x10'))}), crossed));
  DataFile short_bound = WithBounds(kId, int64_t{30}, int64_t{79});
  short_bound.metrics.lower_bounds[kId] = "abc";
  EXPECT_TRUE(May(Where(Op::kLt, "id", {int64_t{0}}), short_bound));
  EXPECT_FALSE(May(Where(Op::kGt, "id", {int64_t{79}}), short_bound));
}

// The bound of an int column that became long keeps its four bytes.
TEST(FileFilter, ReadsBoundsOfPromotedColumns) {
  DataFile file = WithBounds(kId, int64_t{0}, int64_t{0});
  file.metrics.lower_bounds[kId] = ToBinary(Type::Int(), int32_t{-5});
  file.metrics.upper_bounds[kId] = ToBinary(Type::Int(), int32_t{7});
  EXPECT_FALSE(May(Where(Op::kLt, "id", {int64_t{-5}}), file));
  EXPECT_TRUE(May(Where(Op::kEq, "id", {int64_t{-5}}), file));
  EXPECT_FALSE(May(Where(Op::kGt, "id", {int64_t{7}}), file));
  DataFile floats = WithBounds(kScore, 0.0, 0.0);
  floats.metrics.lower_bounds[kScore] = ToBinary(Type::Float(), 1.5F);
  floats.metrics.upper_bounds[kScore] = ToBinary(Type::Float(), 2.5F);
  EXPECT_FALSE(May(Where(Op::kGt, "score", {2.5}), floats));
  EXPECT_TRUE(May(Where(Op::kGt, "score", {2.0}), floats));
}

TEST(FileFilter, LiteralsOfANarrowerTypeAreWidenedAndOthersNeverPrune) {
  const DataFile file = WithBounds(kId, int64_t{30}, int64_t{79});
  EXPECT_FALSE(May(Where(Op::kEq, "id", {int32_t{5}}), file));
  EXPECT_TRUE(May(Where(Op::kEq, "id", {Text("5")}), file));
  EXPECT_TRUE(May(Where(Op::kEq, "id", {Literal()}), file));
  EXPECT_FALSE(May(Where(Op::kEq, "score", {1.5F}), WithBounds(kScore, 2.0, 3.0)));
  EXPECT_FALSE(May(Where(Op::kEq, "place.city", {int64_t{9}}), WithBounds(kCity, 1, 4)));
  EXPECT_TRUE(May(Where(Op::kEq, "place.city", {int64_t{1} << 40}), WithBounds(kCity, 1, 4)));
  EXPECT_FALSE(May(Where(Op::kIn, "id", {Literal(), int64_t{5}}), file));
  EXPECT_TRUE(May(Where(Op::kNotIn, "id", {Literal(), int64_t{5}}), file));
}

TEST(FileFilter, StartsWithKnowsTruncatedBounds) {
  auto starts = [](const char* prefix, const char* lower, const char* upper) {
    return May(Where(Op::kStartsWith, "name", {Text(prefix)}), WithBounds(kName, Text(lower), Text(upper)));
  };
  EXPECT_TRUE(starts("abc", "abc", "abd"));
  EXPECT_TRUE(starts("abcdef", "abc", "abd"));
  EXPECT_TRUE(starts("a", "abc", "abd"));
  EXPECT_FALSE(starts("abb", "abc", "abd"));
  EXPECT_FALSE(starts("abe", "abc", "abd"));
  EXPECT_FALSE(starts("b", "abc", "abd"));
  EXPECT_FALSE(starts("aa", "ab", "b"));
  EXPECT_TRUE(starts("", "ab", "b"));
  EXPECT_TRUE(starts("ü", "a", "ÿ"));

  auto starts_not = [](const char* prefix, const char* lower, const char* upper, int64_t nulls = 0) {
    DataFile file = WithBounds(kName, Text(lower), Text(upper));
    file.metrics.null_value_counts[kName] = nulls;
    return May(Where(Op::kNotStartsWith, "name", {Text(prefix)}), file);
  };
  EXPECT_FALSE(starts_not("ab", "abc", "abd"));
  EXPECT_TRUE(starts_not("ab", "abc", "abd", 1));
  EXPECT_TRUE(starts_not("ab", "abc", "ac"));
  EXPECT_TRUE(starts_not("abcd", "abc", "abc"));
  EXPECT_FALSE(May(Not(Where(Op::kStartsWith, "name", {Text("ab")})), WithBounds(kName, Text("abc"), Text("abd"))));
  EXPECT_TRUE(May(Where(Op::kStartsWith, "uuid", {Text("x")}),
                  WithBounds(kUuidColumn, Text(std::string(16, 'a')), Text(std::string(16, 'b')))));
}

// Presence is decided by the key, not by whether the value looks empty.
TEST(FileFilter, EmptyAndZeroAreValues) {
  EXPECT_FALSE(May(Where(Op::kGt, "name", {Text("a")}), WithBounds(kName, Text(""), Text(""))));
  EXPECT_TRUE(May(Where(Op::kGt, "name", {Text("a")}), WithBounds(kName, Text("a"), Text("b"))));
  EXPECT_TRUE(May(Where(Op::kEq, "name", {Text("")}), WithBounds(kName, Text(""), Text(""))));
  const PartitionSpec spec = SpecOf(kId, "identity");
  EXPECT_TRUE(MayInPartition(Where(Op::kEq, "id", {int64_t{0}}), spec, int64_t{0}));
  EXPECT_FALSE(MayInPartition(Where(Op::kEq, "id", {int64_t{0}}), spec, int64_t{1}));
  EXPECT_FALSE(MayInPartition(Where(Op::kIsNull, "id"), spec, int64_t{0}));
  const PartitionSpec by_flag = SpecOf(kFlag, "identity");
  EXPECT_TRUE(MayInPartition(Where(Op::kEq, "flag", {false}), by_flag, false));
  EXPECT_FALSE(MayInPartition(Where(Op::kEq, "flag", {true}), by_flag, false));
}

TEST(FileFilter, FindsColumnsWithoutCaseWhereAsked) {
  const DataFile file = WithBounds(kId, int64_t{30}, int64_t{79});
  const Expression filter = Where(Op::kEq, "ID", {int64_t{5}});
  EXPECT_FALSE(MayMatch(filter, TheSchema(), PartitionSpec{}, file, /*case_sensitive=*/false));
  EXPECT_THAT(test::ErrorOf(ErrorKind::kNotFound, [&] { May(filter, file); }), HasSubstr("'ID'"));
}

TEST(FileFilter, ALiteralThatIsMissingIsADefect) {
  EXPECT_THAT(test::ErrorOf(ErrorKind::kInternal, [] { May(Where(Op::kEq, "id"), Unknown()); }),
              HasSubstr("0 literals"));
}

TEST(FileFilter, IdentityPartitionsAreExact) {
  const PartitionSpec spec = SpecOf(kName, "identity");
  auto may = [&](const Expression& filter, const Literal& value) { return MayInPartition(filter, spec, value); };
  EXPECT_FALSE(may(Where(Op::kEq, "name", {Text("eu")}), Text("us")));
  EXPECT_TRUE(may(Where(Op::kEq, "name", {Text("us")}), Text("us")));
  EXPECT_FALSE(may(Where(Op::kNotEq, "name", {Text("us")}), Text("us")));
  EXPECT_FALSE(may(Where(Op::kNotIn, "name", {Text("eu"), Text("us")}), Text("us")));
  EXPECT_FALSE(may(Where(Op::kLt, "name", {Text("us")}), Text("us")));
  EXPECT_FALSE(may(Where(Op::kStartsWith, "name", {Text("e")}), Text("us")));
  EXPECT_FALSE(may(Where(Op::kNotStartsWith, "name", {Text("u")}), Text("us")));
  EXPECT_FALSE(may(Where(Op::kIsNull, "name"), Text("us")));
  // Another column is not the partition's business.
  EXPECT_TRUE(may(Where(Op::kEq, "id", {int64_t{1}}), Text("us")));
}

TEST(FileFilter, NullPartitionsHoldNullsOnly) {
  for (const char* transform : {"identity", "bucket[4]", "truncate[2]"}) {
    const PartitionSpec spec = SpecOf(kName, transform);
    EXPECT_TRUE(MayInPartition(Where(Op::kIsNull, "name"), spec, Literal())) << transform;
    EXPECT_FALSE(MayInPartition(Where(Op::kNotNull, "name"), spec, Literal())) << transform;
    EXPECT_FALSE(MayInPartition(Where(Op::kEq, "name", {Text("a")}), spec, Literal())) << transform;
    EXPECT_TRUE(MayInPartition(Where(Op::kNotEq, "name", {Text("a")}), spec, Literal())) << transform;
    EXPECT_FALSE(MayInPartition(Where(Op::kIsNull, "name"), spec,
                                std::string(transform) == "bucket[4]" ? Literal(int32_t{1}) : Text("ab")))
        << transform;
  }
  // A void field is null for every row.
  EXPECT_TRUE(MayInPartition(Where(Op::kNotNull, "name"), SpecOf(kName, "void"), Literal()));
  EXPECT_TRUE(MayInPartition(Where(Op::kNotNull, "name"), SpecOf(kName, "zorder"), Literal()));
}

TEST(FileFilter, NanPartitions) {
  const PartitionSpec spec = SpecOf(kScore, "identity");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(MayInPartition(Where(Op::kIsNan, "score"), spec, nan));
  EXPECT_FALSE(MayInPartition(Where(Op::kNotNan, "score"), spec, nan));
  EXPECT_FALSE(MayInPartition(Where(Op::kIsNan, "score"), spec, 1.0));
  EXPECT_FALSE(MayInPartition(Where(Op::kLt, "score", {5.0}), spec, nan));
  EXPECT_TRUE(MayInPartition(Where(Op::kNotNull, "score"), spec, nan));
}

constexpr int64_t kDay = 86'400'000'000;

TEST(FileFilter, DaysOfTimestamps) {
  const PartitionSpec spec = SpecOf(kTs, "day");
  auto may = [&](Op op, int64_t micros, int32_t day) { return MayInPartition(Where(op, "ts", {micros}), spec, day); };
  EXPECT_TRUE(may(Op::kEq, 10 * kDay + 5, 10));
  EXPECT_FALSE(may(Op::kEq, 10 * kDay + 5, 11));
  EXPECT_FALSE(may(Op::kLt, 10 * kDay, 10));  // midnight of day 10 belongs to no earlier instant
  EXPECT_TRUE(may(Op::kLt, 10 * kDay + 1, 10));
  EXPECT_TRUE(may(Op::kLtEq, 10 * kDay, 10));
  EXPECT_FALSE(may(Op::kGt, 11 * kDay - 1, 10));
  EXPECT_TRUE(may(Op::kGt, 11 * kDay - 2, 10));
  EXPECT_TRUE(may(Op::kGtEq, 11 * kDay - 1, 10));
  EXPECT_FALSE(may(Op::kGtEq, 11 * kDay, 10));
  EXPECT_TRUE(may(Op::kNotEq, 10 * kDay, 10));
  EXPECT_FALSE(MayInPartition(Where(Op::kIn, "ts", {int64_t{5}, 2 * kDay}), spec, int32_t{1}));
  EXPECT_TRUE(MayInPartition(Where(Op::kIn, "ts", {int64_t{5}, 2 * kDay}), spec, int32_t{2}));
}

// Old writers rounded instants before 1970 up.
TEST(FileFilter, DaysBefore1970MayBeOneTooHigh) {
  const PartitionSpec spec = SpecOf(kTs, "day");
  auto may = [&](Op op, int64_t micros, int32_t day) { return MayInPartition(Where(op, "ts", {micros}), spec, day); };
  EXPECT_TRUE(may(Op::kEq, -1, -1));
  EXPECT_TRUE(may(Op::kEq, -1, 0));
  EXPECT_FALSE(may(Op::kEq, -1, 1));
  EXPECT_FALSE(may(Op::kEq, -1, -2));
  EXPECT_TRUE(may(Op::kLtEq, -1, 0));
  EXPECT_FALSE(may(Op::kLtEq, -1, 1));
  EXPECT_FALSE(may(Op::kGtEq, -1, -2));
}

TEST(FileFilter, YearsMonthsAndHours) {
  EXPECT_TRUE(MayInPartition(Where(Op::kEq, "ts", {400 * kDay}), SpecOf(kTs, "year"), int32_t{1}));
  EXPECT_FALSE(MayInPartition(Where(Op::kEq, "ts", {400 * kDay}), SpecOf(kTs, "year"), int32_t{0}));
  EXPECT_TRUE(MayInPartition(Where(Op::kLt, "ts", {32 * kDay}), SpecOf(kTs, "month"), int32_t{1}));
  EXPECT_FALSE(MayInPartition(Where(Op::kLt, "ts", {31 * kDay}), SpecOf(kTs, "month"), int32_t{1}));
  EXPECT_TRUE(MayInPartition(Where(Op::kGtEq, "ts", {kDay}), SpecOf(kTs, "hour"), int32_t{24}));
  EXPECT_FALSE(MayInPartition(Where(Op::kGtEq, "ts", {kDay}), SpecOf(kTs, "hour"), int32_t{23}));
}

TEST(FileFilter, Buckets) {
  const PartitionSpec spec = SpecOf(kId, "bucket[16]");
  const auto bucket = ApplyTransform(ParseTransform("bucket[16]"), Type::Long(), int64_t{34});
  EXPECT_EQ(std::get<int32_t>(bucket), 2017239379 % 16);
  const Literal other = (std::get<int32_t>(bucket) + 1) % 16;
  EXPECT_TRUE(MayInPartition(Where(Op::kEq, "id", {int64_t{34}}), spec, bucket));
  EXPECT_FALSE(MayInPartition(Where(Op::kEq, "id", {int64_t{34}}), spec, other));
  EXPECT_TRUE(MayInPartition(Where(Op::kIn, "id", {int64_t{34}}), spec, bucket));
  EXPECT_FALSE(MayInPartition(Where(Op::kIn, "id", {int64_t{34}}), spec, other));
  EXPECT_TRUE(MayInPartition(Where(Op::kLt, "id", {int64_t{34}}), spec, other));
  EXPECT_TRUE(MayInPartition(Where(Op::kNotEq, "id", {int64_t{34}}), spec, bucket));
}

TEST(FileFilter, Truncation) {
  const PartitionSpec tens = SpecOf(kId, "truncate[10]");
  auto id = [&](Op op, int64_t value, int64_t part) { return MayInPartition(Where(op, "id", {value}), tens, part); };
  EXPECT_TRUE(id(Op::kEq, 17, 10));
  EXPECT_FALSE(id(Op::kEq, 17, 20));
  EXPECT_FALSE(id(Op::kLt, 20, 20));
  EXPECT_TRUE(id(Op::kLt, 21, 20));
  EXPECT_FALSE(id(Op::kGt, 19, 10));
  EXPECT_TRUE(id(Op::kGt, 18, 10));
  EXPECT_TRUE(id(Op::kEq, -1, -10));
  EXPECT_TRUE(id(Op::kLt, std::numeric_limits<int64_t>::max(), 10));
  EXPECT_TRUE(id(Op::kNotEq, 10, 10));

  const PartitionSpec two = SpecOf(kName, "truncate[2]");
  auto name = [&](Op op, const char* value, const char* part) {
    return MayInPartition(Where(op, "name", {Text(value)}), two, Text(part));
  };
  EXPECT_TRUE(name(Op::kEq, "iceberg", "ic"));
  EXPECT_FALSE(name(Op::kEq, "iceberg", "id"));
  EXPECT_TRUE(name(Op::kStartsWith, "iceb", "ic"));
  EXPECT_TRUE(name(Op::kStartsWith, "i", "ic"));
  EXPECT_FALSE(name(Op::kStartsWith, "iceb", "id"));
  EXPECT_FALSE(name(Op::kStartsWith, "x", "ic"));
  EXPECT_FALSE(name(Op::kNotStartsWith, "i", "ic"));
  EXPECT_FALSE(name(Op::kNotStartsWith, "ic", "ic"));
  EXPECT_TRUE(name(Op::kNotStartsWith, "ice", "ic"));
  EXPECT_TRUE(name(Op::kLt, "icf", "ic"));
  EXPECT_FALSE(name(Op::kLt, "ib", "ic"));
}

TEST(FileFilter, PartitionAndBoundsBothCount) {
  DataFile file = WithBounds(kId, int64_t{0}, int64_t{9});
  file.partition = {Text("eu")};
  const PartitionSpec spec = SpecOf(kName, "identity");
  const Expression filter = Or(Where(Op::kEq, "id", {int64_t{50}}), Where(Op::kEq, "name", {Text("us")}));
  EXPECT_FALSE(MayMatch(filter, TheSchema(), spec, file));
  file.partition = {Text("us")};
  EXPECT_TRUE(MayMatch(filter, TheSchema(), spec, file));
  file.partition.clear();  // a tuple that lacks the field says nothing
  EXPECT_TRUE(MayMatch(filter, TheSchema(), spec, file));
}

ManifestFile WithSummary(bool contains_null, std::optional<bool> contains_nan, const Type& type, const Literal& lower,
                         const Literal& upper) {
  PartitionFieldSummary summary{contains_null, contains_nan, {}, {}};
  if (!IsNull(lower)) summary.lower_bound = ToBinary(type, lower);
  if (!IsNull(upper)) summary.upper_bound = ToBinary(type, upper);
  ManifestFile manifest;
  manifest.partitions = {summary};
  return manifest;
}

TEST(FileFilter, ManifestsByTheirSummaries) {
  const PartitionSpec spec = SpecOf(kName, "identity");
  auto may = [&](const Expression& filter, const ManifestFile& manifest) {
    return MayMatch(filter, TheSchema(), spec, manifest);
  };
  const ManifestFile manifest = WithSummary(false, false, Type::String(), Text("de"), Text("fr"));
  EXPECT_TRUE(may(Where(Op::kEq, "name", {Text("eu")}), manifest));
  EXPECT_FALSE(may(Where(Op::kEq, "name", {Text("us")}), manifest));
  EXPECT_FALSE(may(Where(Op::kIn, "name", {Text("us"), Text("at")}), manifest));
  EXPECT_FALSE(may(Where(Op::kStartsWith, "name", {Text("g")}), manifest));
  EXPECT_TRUE(may(Where(Op::kStartsWith, "name", {Text("f")}), manifest));
  EXPECT_FALSE(may(Where(Op::kIsNull, "name"), manifest));
  EXPECT_TRUE(may(Where(Op::kEq, "id", {int64_t{1}}), manifest));
  const ManifestFile nulls = WithSummary(true, false, Type::String(), Literal(), Literal());
  EXPECT_TRUE(may(Where(Op::kIsNull, "name"), nulls));
  EXPECT_FALSE(may(Where(Op::kNotNull, "name"), nulls));
  EXPECT_FALSE(may(Where(Op::kGt, "name", {Text("a")}), nulls));
  EXPECT_TRUE(may(Where(Op::kEq, "name", {Text("us")}), ManifestFile{}));  // no summaries at all
}

TEST(FileFilter, ManifestsWithNans) {
  const PartitionSpec spec = SpecOf(kScore, "identity");
  auto may = [&](Op op, const ManifestFile& manifest) {
    const bool unary = op == Op::kIsNan || op == Op::kNotNan || op == Op::kNotNull;
    return MayMatch(Where(op, "score", unary ? std::vector<Literal>{} : std::vector<Literal>{1.0}), TheSchema(), spec,
                    manifest);
  };
  const ManifestFile only_nans = WithSummary(false, true, Type::Double(), Literal(), Literal());
  EXPECT_TRUE(may(Op::kIsNan, only_nans));
  EXPECT_FALSE(may(Op::kNotNan, only_nans));
  EXPECT_TRUE(may(Op::kNotNull, only_nans));
  EXPECT_FALSE(may(Op::kGt, only_nans));
  const ManifestFile unknown_nans = WithSummary(true, std::nullopt, Type::Double(), Literal(), Literal());
  EXPECT_TRUE(may(Op::kIsNan, unknown_nans));
  EXPECT_TRUE(may(Op::kGt, unknown_nans));
  const ManifestFile no_nans = WithSummary(false, false, Type::Double(), -1.0, 0.5);
  EXPECT_FALSE(may(Op::kIsNan, no_nans));
  EXPECT_FALSE(may(Op::kGt, no_nans));
  EXPECT_TRUE(may(Op::kLt, no_nans));
}

TEST(FileFilter, ManifestsThroughTransforms) {
  const PartitionSpec spec = SpecOf(kTs, "day");
  const ManifestFile manifest = WithSummary(false, false, Type::Date(), int32_t{10}, int32_t{12});
  auto may = [&](Op op, int64_t micros) { return MayMatch(Where(op, "ts", {micros}), TheSchema(), spec, manifest); };
  EXPECT_TRUE(may(Op::kEq, 11 * kDay));
  EXPECT_FALSE(may(Op::kEq, 13 * kDay));
  EXPECT_FALSE(may(Op::kLt, 10 * kDay));
  EXPECT_TRUE(may(Op::kGtEq, 12 * kDay));
  EXPECT_FALSE(may(Op::kGtEq, 13 * kDay));
}

TEST(FileFilter, IsBoundOnceForManyFiles) {
  auto spec = std::make_unique<PartitionSpec>(SpecOf(kId, "identity"));
  FileFilter filter(Where(Op::kGt, "id", {int64_t{7}}), TheSchema(), *spec);
  spec.reset();
  FileFilter moved = std::move(filter);
  DataFile file = Unknown();
  int matches = 0;
  for (int64_t id = 0; id < 10; ++id) {
    file.partition = {id};
    matches += moved.MayMatch(file);
  }
  EXPECT_EQ(matches, 2);
}

}  // namespace
}  // namespace frazil::iceberg
