// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/print/print.h"

#include <sstream>

#include <arrow/json/from_string.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/options.h"
#include "frazil/connector/print/row_text.h"
#include "support/support.h"

namespace frazil::connector {
namespace {

using frazil::test::ErrorOf;
using testing::HasSubstr;

/// The first value of an array given as JSON.
std::string Text(const std::shared_ptr<arrow::DataType>& type, const std::string& json) {
  std::string out;
  AppendValue(*Unwrap(arrow::json::ArrayFromJSONString(type, "[" + json + "]"), json), 0, out);
  return out;
}

TEST(RowText, ScalarsAreSpeltAsInJava) {
  EXPECT_EQ(Text(arrow::int32(), "null"), "null");
  EXPECT_EQ(Text(arrow::boolean(), "true"), "true");
  EXPECT_EQ(Text(arrow::int8(), "-7"), "-7");
  EXPECT_EQ(Text(arrow::int16(), "300"), "300");
  EXPECT_EQ(Text(arrow::int64(), "9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(Text(arrow::decimal128(5, 2), R"("12.30")"), "12.30");
  EXPECT_EQ(Text(arrow::utf8(), R"("a, b")"), "a, b");
  EXPECT_EQ(Text(arrow::date32(), "19753"), "2024-01-31");
  EXPECT_EQ(Text(arrow::date32(), "-1"), "1969-12-31");
  EXPECT_EQ(Text(arrow::time32(arrow::TimeUnit::MILLI), "36930123"), "10:15:30.123");
  EXPECT_EQ(Text(arrow::time32(arrow::TimeUnit::SECOND), "36900"), "10:15");
  EXPECT_EQ(Text(arrow::time64(arrow::TimeUnit::NANO), "1"), "00:00:00.000000001");
}

TEST(RowText, FloatsAreSpeltAsInJava) {
  for (auto [json, text] : std::vector<std::pair<std::string, std::string>>{{"1", "1.0"},
                                                                            {"0", "0.0"},
                                                                            {"-0.0", "-0.0"},
                                                                            {"0.1", "0.1"},
                                                                            {"123.456", "123.456"},
                                                                            {"100", "100.0"},
                                                                            {"9999999", "9999999.0"},
                                                                            {"10000000", "1.0E7"},
                                                                            {"12345678.9", "1.23456789E7"},
                                                                            {"0.001", "0.001"},
                                                                            {"0.0001", "1.0E-4"},
                                                                            {"-0.00012", "-1.2E-4"},
                                                                            {"-2.5", "-2.5"},
                                                                            {"1e300", "1.0E300"},
                                                                            {"NaN", "NaN"},
                                                                            {"-Inf", "-Infinity"}}) {
    EXPECT_EQ(Text(arrow::float64(), json), text);
  }
  EXPECT_EQ(Text(arrow::float32(), "0.1"), "0.1");
  EXPECT_EQ(Text(arrow::float32(), "16777216"), "1.6777216E7");
}

TEST(RowText, Timestamps) {
  auto micros = arrow::timestamp(arrow::TimeUnit::MICRO);
  EXPECT_EQ(Text(micros, "0"), "1970-01-01T00:00");
  EXPECT_EQ(Text(micros, "1706696130000000"), "2024-01-31T10:15:30");
  EXPECT_EQ(Text(micros, "1706696130123456"), "2024-01-31T10:15:30.123456");
  EXPECT_EQ(Text(micros, "-1"), "1969-12-31T23:59:59.999999");
  EXPECT_EQ(Text(arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"), "0"), "1970-01-01T00:00:00Z");
  EXPECT_EQ(Text(arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"), "1706696130120"), "2024-01-31T10:15:30.120Z");
}

TEST(RowText, NestedValues) {
  EXPECT_EQ(Text(arrow::list(arrow::int32()), "[1, null, 3]"), "[1, null, 3]");
  EXPECT_EQ(Text(arrow::map(arrow::utf8(), arrow::int32()), R"([["a", 1], ["b", null]])"), "{a=1, b=null}");
  EXPECT_EQ(Text(arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8())}),
                 R"({"a": 1, "b": "x"})"),
            "+I[1, x]");
  EXPECT_EQ(Text(arrow::binary(), R"("A~")"), "[65, 126]");
  EXPECT_EQ(Text(arrow::fixed_size_binary(1), R"("B")"), "[66]");
  ErrorOf(ErrorKind::kUnsupported, [] { Text(arrow::large_utf8(), R"("x")"); });
}

stream::ChangeBatch Batch() {
  auto ids = Unwrap(arrow::json::ArrayFromJSONString(arrow::int64(), "[1, 2]"), "ids");
  auto names = Unwrap(arrow::json::ArrayFromJSONString(arrow::utf8(), R"(["a", null])"), "names");
  auto schema = arrow::schema({arrow::field("id", arrow::int64()), arrow::field("name", arrow::utf8())});
  auto kinds = Unwrap(arrow::json::ArrayFromJSONString(arrow::int8(), "[2, 3]"), "kinds");
  return {arrow::RecordBatch::Make(schema, 2, {ids, names}), std::static_pointer_cast<arrow::Int8Array>(kinds)};
}

/// What one writer prints.
std::string Printed(OptionMap given, int subtask, int parallelism, stream::ChangeBatch batch, bool to_err = false) {
  std::ostringstream out, err;
  auto connector = MakePrintConnector(out, err);
  OptionReader options(given, "table");
  auto sink = connector->CreateSink({"t", batch.rows->schema(), nullptr}, options);
  options.RefuseUnread();
  MetricRegistry metrics;
  stream::OperatorState none;
  stream::TaskInfo task;
  task.subtask = subtask;
  task.parallelism = parallelism;
  auto writer = sink->CreateWriter({task, std::nullopt, metrics, none});
  writer->Write(batch);
  EXPECT_TRUE(writer->PrepareCommit(1, false).empty());
  EXPECT_EQ((to_err ? out : err).str(), "");
  return (to_err ? err : out).str();
}

TEST(Print, RowsWithKindsAndPrefixes) {
  stream::ChangeBatch batch = Batch();
  EXPECT_EQ(Printed({}, 0, 1, batch), "+U[1, a]\n-D[2, null]\n");
  batch.row_kinds = nullptr;
  EXPECT_EQ(Printed({}, 0, 1, batch), "+I[1, a]\n+I[2, null]\n");
  batch = batch.Slice(0, 1);
  EXPECT_EQ(Printed({}, 1, 2, batch), "2> +I[1, a]\n");
  EXPECT_EQ(Printed({{"print-identifier", "out"}}, 0, 1, batch), "out> +I[1, a]\n");
  EXPECT_EQ(Printed({{"print-identifier", "out"}}, 1, 2, batch), "out:2> +I[1, a]\n");
  EXPECT_EQ(Printed({{"standard-error", "true"}}, 0, 1, batch, true), "+I[1, a]\n");
}

TEST(Print, BrokenOutputIsAnError) {
  std::ostringstream out;
  auto connector = MakePrintConnector(out, out);
  OptionMap none;
  OptionReader options(none, "table");
  auto sink = connector->CreateSink({"t", nullptr, nullptr}, options);
  MetricRegistry metrics;
  stream::OperatorState state;
  auto writer = sink->CreateWriter({{}, std::nullopt, metrics, state});
  out.setstate(std::ios::badbit);
  ErrorOf(ErrorKind::kUnavailable, [&] { writer->Write(Batch()); });
}

}  // namespace
}  // namespace frazil::connector
