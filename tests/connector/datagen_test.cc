// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/datagen/datagen.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_primitive.h>
#include <arrow/util/decimal.h>

#include "frazil/base/clock.h"
#include "frazil/base/options.h"
#include "frazil/connector/datagen/column_generator.h"
#include "frazil/stream/job.h"
#include "stream/nodes.h"
#include "support/support.h"

namespace frazil::connector {
namespace {

using namespace std::chrono_literals;
using frazil::test::ErrorOf;
using frazil::test::ScratchDir;
using stream::test::CommittedTable;
using stream::test::Eventually;
using stream::test::Range;
using testing::HasSubstr;

std::unique_ptr<ColumnGenerator> Column(const std::shared_ptr<arrow::DataType>& type, OptionMap given = {},
                                        bool nullable = true) {
  OptionMap full;
  for (auto& [key, value] : given) full["fields.f." + key] = value;
  OptionReader options(full, "table");
  auto column = MakeColumnGenerator(*arrow::field("f", type, nullable), options);
  options.RefuseUnread();
  return column;
}

template <typename Array>
std::shared_ptr<Array> Generate(const std::shared_ptr<arrow::DataType>& type, OptionMap given = {},
                                int64_t count = 500) {
  auto array = Column(type, std::move(given))->Generate(42, 0, count);
  EXPECT_TRUE(array->ValidateFull().ok());
  EXPECT_TRUE(array->type()->Equals(type)) << array->type()->ToString();
  EXPECT_EQ(array->length(), count);
  return std::static_pointer_cast<Array>(array);
}

TEST(DatagenColumn, NumbersStayInTheirRange) {
  auto small = Generate<arrow::Int32Array>(arrow::int32(), {{"min", "-3"}, {"max", "4"}});
  std::set<int32_t> seen(small->raw_values(), small->raw_values() + small->length());
  EXPECT_EQ(seen, (std::set<int32_t>{-3, -2, -1, 0, 1, 2, 3, 4})) << "bounds included";
  auto bytes = Generate<arrow::Int8Array>(arrow::int8());
  EXPECT_GT(std::set<int8_t>(bytes->raw_values(), bytes->raw_values() + 500).size(), 150u);
  Generate<arrow::Int16Array>(arrow::int16());
  auto big = Generate<arrow::Int64Array>(arrow::int64());
  EXPECT_EQ(std::set<int64_t>(big->raw_values(), big->raw_values() + 500).size(), 500u);
  auto doubles = Generate<arrow::DoubleArray>(arrow::float64(), {{"min", "1.5"}, {"max", "2.5"}});
  for (int64_t i = 0; i < 500; ++i) {
    EXPECT_GE(doubles->Value(i), 1.5);
    EXPECT_LE(doubles->Value(i), 2.5);
  }
  auto floats = Generate<arrow::FloatArray>(arrow::float32());
  for (int64_t i = 0; i < 500; ++i) EXPECT_TRUE(std::isfinite(floats->Value(i)));
  auto decimals = Generate<arrow::Decimal128Array>(arrow::decimal128(5, 2), {{"min", "-1.5"}, {"max", "1"}});
  for (int64_t i = 0; i < 500; ++i) {
    arrow::Decimal128 value(decimals->GetValue(i));
    EXPECT_GE(value, arrow::Decimal128(-150));
    EXPECT_LE(value, arrow::Decimal128(100));
  }
  Generate<arrow::Decimal128Array>(arrow::decimal128(38, 0));
  auto bools = Generate<arrow::BooleanArray>(arrow::boolean());
  EXPECT_NEAR(static_cast<double>(bools->true_count()), 250, 60);
}

TEST(DatagenColumn, TextBytesAndTimes) {
  auto text = Generate<arrow::StringArray>(arrow::utf8());
  EXPECT_EQ(text->GetView(0).size(), 100u) << "Flink's default";
  EXPECT_EQ(text->GetView(0).find_first_not_of("0123456789abcdef"), std::string_view::npos);
  EXPECT_NE(text->GetView(0), text->GetView(1));
  auto short_text = Generate<arrow::StringArray>(arrow::utf8(), {{"length", "5"}, {"var-len", "true"}});
  std::set<size_t> lengths;
  for (int64_t i = 0; i < 500; ++i) lengths.insert(short_text->GetView(i).size());
  EXPECT_EQ(lengths, (std::set<size_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(Generate<arrow::BinaryArray>(arrow::binary(), {{"length", "9"}})->GetView(3).size(), 9u);
  EXPECT_EQ(Generate<arrow::FixedSizeBinaryArray>(arrow::fixed_size_binary(16))->GetView(3).size(), 16u);
  auto times = Generate<arrow::TimestampArray>(arrow::timestamp(arrow::TimeUnit::MICRO), {{"max-past", "1 h"}});
  int64_t now = NowMicros();
  for (int64_t i = 0; i < 500; ++i) {
    EXPECT_LE(times->Value(i), now);
    EXPECT_GE(times->Value(i), now - 3'700'000'000);
  }
  auto nanos = Generate<arrow::TimestampArray>(arrow::timestamp(arrow::TimeUnit::NANO, "UTC"));
  EXPECT_NEAR(static_cast<double>(nanos->Value(0)), static_cast<double>(NowMicros()) * 1000, 1e10);
  auto dates = Generate<arrow::Date32Array>(arrow::date32());
  EXPECT_NEAR(dates->Value(0), static_cast<double>(NowMillis() / 86'400'000), 1);
  Generate<arrow::Time32Array>(arrow::time32(arrow::TimeUnit::MILLI));
  Generate<arrow::Time64Array>(arrow::time64(arrow::TimeUnit::MICRO));
}

TEST(DatagenColumn, NullRate) {
  auto array = Generate<arrow::Int32Array>(arrow::int32(), {{"null-rate", "0.25"}}, 4000);
  EXPECT_NEAR(static_cast<double>(array->null_count()), 1000, 150);
  EXPECT_EQ(Generate<arrow::Int32Array>(arrow::int32(), {{"null-rate", "1"}})->null_count(), 500);
}

TEST(DatagenColumn, SameSeedAndRowSameValue) {
  auto column = Column(arrow::utf8(), {{"length", "20"}});
  auto whole = column->Generate(7, 100, 50);
  EXPECT_TRUE(whole->Slice(20, 10)->Equals(column->Generate(7, 120, 10)));
  EXPECT_FALSE(whole->Equals(column->Generate(8, 100, 50)));
}

TEST(DatagenColumn, Sequences) {
  OptionMap range = {{"kind", "sequence"}, {"start", "5"}, {"end", "14"}};
  EXPECT_EQ(Column(arrow::int64(), range)->num_rows(), 10);
  EXPECT_EQ(Column(arrow::int64())->num_rows(), std::nullopt);
  EXPECT_EQ(Generate<arrow::Int64Array>(arrow::int64(), range, 10)->Value(9), 14);
  EXPECT_EQ(Generate<arrow::Int8Array>(arrow::int8(), range, 10)->Value(0), 5);
  EXPECT_EQ(Generate<arrow::DoubleArray>(arrow::float64(), range, 10)->Value(1), 6.0);
  EXPECT_EQ(Generate<arrow::StringArray>(arrow::utf8(), range, 10)->GetString(2), "7");
  EXPECT_EQ(Generate<arrow::Decimal128Array>(arrow::decimal128(6, 2), range, 10)->FormatValue(3), "8.00");
}

TEST(DatagenColumn, BadOptionsAreRefused) {
  auto refused = [](ErrorKind kind, const std::shared_ptr<arrow::DataType>& type, OptionMap given,
                    bool nullable = true) { return ErrorOf(kind, [&] { Column(type, given, nullable); }); };
  const ErrorKind bad = ErrorKind::kInvalidArgument;
  EXPECT_THAT(refused(bad, arrow::int32(), {{"min", "5"}, {"max", "4"}}), HasSubstr("fields.f.min"));
  EXPECT_THAT(refused(bad, arrow::int8(), {{"max", "200"}}), HasSubstr("fields.f.max"));
  EXPECT_THAT(refused(bad, arrow::int8(), {{"kind", "constant"}}), HasSubstr("fields.f.kind"));
  EXPECT_THAT(refused(bad, arrow::int8(), {{"length", "3"}}), HasSubstr("fields.f.length")) << "means nothing here";
  EXPECT_THAT(refused(bad, arrow::int8(), {{"null-rate", "1.5"}}), HasSubstr("null-rate"));
  EXPECT_THAT(refused(bad, arrow::int8(), {{"null-rate", "0.5"}}, false), HasSubstr("NOT NULL"));
  EXPECT_THAT(refused(bad, arrow::decimal128(3, 2), {{"max", "10"}}), HasSubstr("fields.f.max"));
  EXPECT_THAT(refused(bad, arrow::utf8(), {{"length", "-1"}}), HasSubstr("length"));
  EXPECT_THAT(refused(bad, arrow::int8(), {{"kind", "sequence"}, {"start", "1"}}), HasSubstr("fields.f.end"));
  EXPECT_THAT(refused(bad, arrow::int8(), {{"kind", "sequence"}, {"start", "1"}, {"end", "300"}}), HasSubstr("int8"));
  EXPECT_THAT(refused(bad, arrow::int64(), {{"kind", "sequence"}, {"start", "2"}, {"end", "1"}}),
              HasSubstr("no sequence"));
  EXPECT_THAT(refused(ErrorKind::kUnsupported, arrow::list(arrow::int8()), {}), HasSubstr("field 'f'"));
  EXPECT_THAT(refused(ErrorKind::kUnsupported, arrow::boolean(), {{"kind", "sequence"}, {"start", "1"}, {"end", "2"}}),
              HasSubstr("field 'f'"));
}

class DatagenTest : public testing::Test {
 protected:
  std::unique_ptr<stream::Source> Source(const OptionMap& given, std::shared_ptr<arrow::Schema> table = nullptr) {
    OptionReader options(given, "table");
    auto source = MakeDatagenConnector()->CreateSource({"t", stream::test::NumberSchema(), std::move(table)}, options);
    options.RefuseUnread();
    return source;
  }
  std::unique_ptr<stream::JobExecution> Start(const OptionMap& given, int parallelism) {
    stream::JobOptions options;
    options.checkpoint_dir = dir_ / "chk";
    options.checkpoint_interval = 10ms;
    return stream::Submit(stream::test::Pipeline(Source(given), stream::test::MakeTableSink(table_), parallelism),
                          options, metrics_);
  }

  ScratchDir dir_;
  MetricRegistry metrics_;
  std::shared_ptr<CommittedTable> table_ = std::make_shared<CommittedTable>();
};

const OptionMap kSequence = {
    {"fields.n.kind", "sequence"}, {"fields.n.start", "0"}, {"fields.n.end", "19999"}, {"rows-per-second", "10000000"}};

TEST_F(DatagenTest, SequenceGivesEachNumberOnce) {
  EXPECT_EQ(Source(kSequence)->boundedness(), stream::Boundedness::kBounded);
  Start(kSequence, 3)->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 20000));
}

TEST_F(DatagenTest, NumberOfRowsEndsIt) {
  Start({{"number-of-rows", "1234"}, {"rows-per-second", "1000000"}}, 4)->Wait();
  EXPECT_EQ(table_->size(), 1234u);
}

TEST_F(DatagenTest, ResumesBehindTheLastRowAtAnotherParallelism) {
  OptionMap slow = kSequence;
  slow["rows-per-second"] = "20000";
  auto job = Start(slow, 2);
  ASSERT_TRUE(Eventually([&] { return table_->size() > 500; }));
  job->StopWithSavepoint();
  job.reset();
  EXPECT_LT(table_->size(), 20000u);
  Start(kSequence, 3)->Wait();
  EXPECT_EQ(table_->numbers(), Range(0, 20000));
}

TEST_F(DatagenTest, KeepsTheRate) {
  EXPECT_EQ(Source({})->boundedness(), stream::Boundedness::kContinuousUnbounded);
  auto start = std::chrono::steady_clock::now();
  Start({{"number-of-rows", "400"}, {"rows-per-second", "1000"}}, 2)->Wait();
  auto elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_GE(elapsed, 350ms);
  EXPECT_EQ(table_->size(), 400u);
}

TEST_F(DatagenTest, ColumnsThatNobodyReadsCountToo) {
  auto table = arrow::schema({arrow::field("other", arrow::int32()), arrow::field("n", arrow::int64(), false)});
  OptionMap given = {{"fields.other.kind", "sequence"}, {"fields.other.start", "1"}, {"fields.other.end", "7"}};
  stream::JobOptions options;
  stream::Submit(stream::test::Pipeline(Source(given, table), stream::test::MakeTableSink(table_), 1), options,
                 metrics_)
      ->Wait();
  EXPECT_EQ(table_->size(), 7u);
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                      [&] {
                        Source({{"fields.typo.min", "1"}}, table);
                      }),
              HasSubstr("fields.typo.min"));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                      [&] {
                        Source({{"rows-per-second", "0"}});
                      }),
              HasSubstr("rows-per-second"));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                      [&] {
                        Source({{"number-of-rows", "0"}});
                      }),
              HasSubstr("number-of-rows"));
}

}  // namespace
}  // namespace frazil::connector
