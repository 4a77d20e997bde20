// SPDX-License-Identifier: Apache-2.0
// What the machine needs at least for the append job's work, in CPU seconds per million rows:
//   plain parse   simdjson On-Demand by field name + Arrow's builders, as a careful programmer writes it in an hour
//   frazil parse  the house's JSON format on the same data
//
//   frazil_floor_probe EVENTS.json [ROUNDS = 5]
#include <charconv>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>

#include <arrow/builder.h>
#include <arrow/table_builder.h>
#include <arrow/util/decimal.h>
#include <fmt/core.h>
#include <simdjson.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"
#include "frazil/base/options.h"
#include "frazil/serde/json.h"

namespace frazil {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr int64_t kBatchRows = 64 * 1024;

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string ReadFile(const char* path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw NotFound("can't open {}", path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::shared_ptr<arrow::Schema> EventSchema() {
  return arrow::schema({arrow::field("event_id", arrow::utf8()), arrow::field("event_type", arrow::utf8()),
                        arrow::field("event_time", arrow::timestamp(arrow::TimeUnit::MILLI)),
                        arrow::field("user_id", arrow::int64()), arrow::field("region", arrow::utf8()),
                        arrow::field("amount", arrow::decimal128(10, 2)), arrow::field("payload", arrow::utf8())});
}

/// "2026-01-01T00:00:00.734" to milliseconds.
int64_t PlainTimestamp(std::string_view text) {
  auto number = [&](size_t at, size_t digits) {
    int value = 0;
    std::from_chars(text.data() + at, text.data() + at + digits, value);
    return value;
  };
  std::chrono::sys_days day = std::chrono::year(number(0, 4)) / number(5, 2) / number(8, 2);
  auto seconds =
      int64_t{day.time_since_epoch().count()} * 86400 + number(11, 2) * 3600 + number(14, 2) * 60 + number(17, 2);
  return seconds * 1000 + number(20, 3);
}

class PlainParser {
 public:
  PlainParser()
      : batch_(Unwrap(arrow::RecordBatchBuilder::Make(EventSchema(), arrow::default_memory_pool()), "probe")) {}

  int64_t Parse(const std::string& text) {
    simdjson::ondemand::parser parser;
    int64_t batches = 0;
    int64_t rows = 0;
    simdjson::ondemand::document_stream stream = parser.iterate_many(text.data(), text.size(), kChunkBytes);
    for (auto document : stream) {
      simdjson::ondemand::object event = document.get_object();
      Check(batch_->GetFieldAs<arrow::StringBuilder>(0)->Append(Text(event, "event_id")), "probe");
      Check(batch_->GetFieldAs<arrow::StringBuilder>(1)->Append(Text(event, "event_type")), "probe");
      Check(batch_->GetFieldAs<arrow::TimestampBuilder>(2)->Append(PlainTimestamp(Text(event, "event_time"))), "probe");
      Check(batch_->GetFieldAs<arrow::Int64Builder>(3)->Append(event["user_id"].get_int64().value()), "probe");
      Check(batch_->GetFieldAs<arrow::StringBuilder>(4)->Append(Text(event, "region")), "probe");
      Check(batch_->GetFieldAs<arrow::Decimal128Builder>(5)->Append(Decimal(event["amount"].raw_json_token())),
            "probe");
      Check(batch_->GetFieldAs<arrow::StringBuilder>(6)->Append(Text(event, "payload")), "probe");
      if (++rows % kBatchRows == 0) batches += Unwrap(batch_->Flush(), "probe")->num_columns();
    }
    batches += Unwrap(batch_->Flush(), "probe")->num_columns();
    if (batches == 0) throw Internal("no batches");
    return rows;
  }

 private:
  static std::string_view Text(simdjson::ondemand::object& event, std::string_view key) {
    return event[key].get_string().value();
  }

  static arrow::Decimal128 Decimal(std::string_view text) {
    arrow::Decimal128 value;
    int32_t precision, scale;
    text = text.substr(0, text.find_first_not_of("-.0123456789eE"));
    Check(arrow::Decimal128::FromString(text, &value, &precision, &scale), "probe");
    return Unwrap(value.Rescale(scale, 2), "probe");
  }

  std::unique_ptr<arrow::RecordBatchBuilder> batch_;
};

int64_t FrazilParse(const std::string& text) {
  OptionMap map = {{"json.timestamp-format.standard", "ISO-8601"}};
  OptionReader options(map, "probe");
  auto decoder = serde::MakeJsonDeserializer(EventSchema(), options);
  int64_t rows = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + kChunkBytes >= text.size() ? text.size() : text.rfind('\n', begin + kChunkBytes) + 1;
    decoder->Decode({text.data() + begin, end - begin}, {"probe", 0, static_cast<int64_t>(begin)});
    begin = end;
    if (decoder->buffered_rows() >= kBatchRows) rows += decoder->Take()->num_rows();
  }
  return rows + decoder->Take()->num_rows();
}

template <typename Work>
void Measure(std::string_view name, int rounds, Work&& work) {
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) {
    double start = CpuSeconds();
    int64_t rows = work();
    best = std::min(best, (CpuSeconds() - start) * 1e6 / static_cast<double>(rows));
  }
  fmt::print("{:<14} {:.3f} CPU s per million rows\n", name, best);
}

void Run(int argc, char** argv) {
  if (argc < 2) throw InvalidArgument("usage: frazil_floor_probe EVENTS.json [ROUNDS]");
  int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  std::string text = ReadFile(argv[1]);
  text.reserve(text.size() + serde::kPadding + simdjson::SIMDJSON_PADDING);
  PlainParser plain;
  Measure("plain parse", rounds, [&] { return plain.Parse(text); });
  Measure("frazil parse", rounds, [&] { return FrazilParse(text); });
}

}  // namespace
}  // namespace frazil

int main(int argc, char** argv) {
  try {
    frazil::Run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
