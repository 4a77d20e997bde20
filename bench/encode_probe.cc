// SPDX-License-Identifier: Apache-2.0
// What Parquet encoding of the append job's rows costs, in CPU seconds per million rows, with the size of the file:
//   plain encode    Arrow's FileWriter::WriteRecordBatch as its documentation shows it: dictionaries on, zstd at
//   Arrow's
//                   own default (level 1)
//   plain, level 3  the same at zstd's and Java's default
//   frazil encode   the house's writer with a table's default properties, metrics and fsync included
//
//   frazil_encode_probe [ROUNDS = 5] [ROWS = 1000000] [plain | plain3 | frazil]
//
// With a third argument only that one runs, and the process's peak memory says something.
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <random>

#include <arrow/builder.h>
#include <arrow/io/file.h>
#include <arrow/util/decimal.h>
#include <fmt/format.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"
#include "frazil/base/uuid.h"
#include "frazil/datafile/data_file_writer.h"
#include "frazil/iceberg/arrow_schema.h"
#include "frazil/storage/file_io.h"

namespace frazil {
namespace {

namespace fs = std::filesystem;
using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

constexpr int64_t kBatchRows = 64 * 1024;

constexpr const char* kTypes[] = {"click", "page_view", "order_created", "order_paid", "user_signup", "refund"};
constexpr const char* kRegions[] = {"us-east-1",      "us-west-2", "eu-west-1",    "eu-central-1", "ap-south-1",
                                    "ap-northeast-1", "sa-east-1", "ca-central-1", "me-south-1",   "af-south-1"};
constexpr const char* kWords[] = {
    "alpha",   "bravo",  "charlie", "delta",    "echo",     "foxtrot", "golf",   "hotel",    "india",   "juliett",
    "kilo",    "lima",   "mike",    "november", "oscar",    "papa",    "quebec", "romeo",    "sierra",  "tango",
    "uniform", "victor", "whiskey", "xray",     "yankee",   "zulu",    "cart",   "checkout", "search",  "banner",
    "promo",   "mobile", "desktop", "tablet",   "android",  "ios",     "chrome", "safari",   "firefox", "referral",
    "organic", "email",  "coupon",  "express",  "standard", "pickup"};

iceberg::Schema EventSchema() {
  using iceberg::NestedField;
  using iceberg::Type;
  return iceberg::Schema(
      0, {NestedField::Optional(1, "event_id", Type::String()), NestedField::Optional(2, "event_type", Type::String()),
          NestedField::Optional(3, "event_time", Type::Timestamp()), NestedField::Optional(4, "user_id", Type::Long()),
          NestedField::Optional(5, "region", Type::String()), NestedField::Optional(6, "amount", Type::Decimal(18, 2)),
          NestedField::Optional(7, "payload", Type::String())});
}

/// Rows with the distributions of the append benchmark: unique ids, skewed types and regions, rising times, log-normal
/// amounts, about 93 bytes of payload from a small vocabulary.
class EventGenerator {
 public:
  std::shared_ptr<arrow::RecordBatch> Next(int64_t rows) {
    arrow::StringBuilder id, type, region, payload;
    arrow::TimestampBuilder time(arrow::timestamp(arrow::TimeUnit::MICRO), arrow::default_memory_pool());
    arrow::Int64Builder user;
    arrow::Decimal128Builder amount(arrow::decimal128(18, 2));
    for (int64_t i = 0; i < rows; ++i) {
      std::string hex = fmt::format("{:016x}{:016x}", random_(), random_());
      Check(id.Append(fmt::format("{}-{}-4{}-a{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(13, 3),
                                  hex.substr(17, 3), hex.substr(20))),
            "probe");
      Check(type.Append(kTypes[types_(random_)]), "probe");
      Check(region.Append(kRegions[regions_(random_)]), "probe");
      time_ms_ += static_cast<int64_t>(random_() % 130);
      Check(time.Append(time_ms_ * 1000), "probe");
      Check(user.Append(static_cast<int64_t>(1 + random_() % 2'000'000'000)), "probe");
      Check(amount.Append(arrow::Decimal128(static_cast<int64_t>(std::exp(amounts_(random_)) * 100))), "probe");
      auto word = [&] { return kWords[random_() % std::size(kWords)]; };
      Check(
          payload.Append(fmt::format("/p/{:012x}?{} {} {}-{} {} {} {} {}-{} {} {}", random_() & 0xFFFFFFFFFFFF, word(),
                                     word(), word(), word(), word(), word(), word(), word(), word(), word(), word())),
          "probe");
    }
    auto finish = [](arrow::ArrayBuilder& builder) { return Unwrap(builder.Finish(), "probe"); };
    arrow::ArrayVector columns = {finish(id),     finish(type),   finish(time),   finish(user),
                                  finish(region), finish(amount), finish(payload)};
    return arrow::RecordBatch::Make(schema_, rows, std::move(columns));
  }

 private:
  std::shared_ptr<arrow::Schema> schema_ = iceberg::ToArrowSchema(EventSchema());
  std::mt19937_64 random_{7};
  std::discrete_distribution<size_t> types_{45, 30, 12, 8, 3, 2};
  std::discrete_distribution<size_t> regions_{30, 20, 15, 10, 8, 6, 5, 3, 2, 1};
  std::normal_distribution<double> amounts_{3.5, 1.2};
  int64_t time_ms_ = 1767225600000;
};

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int64_t PlainEncode(const std::string& path, const Batches& batches, std::optional<int> level) {
  parquet::WriterProperties::Builder properties;
  properties.compression(arrow::Compression::ZSTD);
  if (level) properties.compression_level(*level);
  auto sink = Unwrap(arrow::io::FileOutputStream::Open(path), path);
  auto writer = Unwrap(
      parquet::arrow::FileWriter::Open(*batches[0]->schema(), arrow::default_memory_pool(), sink, properties.build()),
      path);
  for (const auto& batch : batches) Check(writer->WriteRecordBatch(*batch), path);
  Check(writer->Close(), path);
  Check(sink->Close(), path);
  return static_cast<int64_t>(fs::file_size(path));
}

int64_t FrazilEncode(const std::string& path, const Batches& batches) {
  static const std::shared_ptr<const datafile::ParquetWriteOptions> kOptions =
      datafile::ResolveParquetWriteOptions(EventSchema(), {});
  auto io = storage::MakeFileIO({});
  auto writer = datafile::OpenParquetWriter(io->Create(path), EventSchema(), kOptions);
  for (const auto& batch : batches) writer->Write(*batch);
  return writer->Close().file_size_in_bytes;
}

struct Contender {
  std::string key;
  std::string name;
  std::function<int64_t(const std::string&)> encode;
  double best = 1e9;
  int64_t bytes = 0;
};

int64_t PeakMib() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss >> 10;
}

void Run(int argc, char** argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  int64_t rows = argc > 2 ? std::atoll(argv[2]) : 1'000'000;
  std::string only = argc > 3 ? argv[3] : "";

  Batches batches;
  EventGenerator generator;
  for (int64_t row = 0; row < rows; row += kBatchRows) {
    batches.push_back(generator.Next(std::min(kBatchRows, rows - row)));
  }
  std::vector<Contender> contenders = {
      {"plain", "plain encode", [&](const std::string& path) { return PlainEncode(path, batches, {}); }},
      {"plain3", "plain, level 3", [&](const std::string& path) { return PlainEncode(path, batches, 3); }},
      {"frazil", "frazil encode", [&](const std::string& path) { return FrazilEncode(path, batches); }}};

  fs::path folder = fs::temp_directory_path() / ("frazil-encode-probe-" + ToString(RandomUuid()));
  fs::create_directories(folder);
  int64_t before_mib = PeakMib();
  for (int round = 0; round < rounds; ++round) {
    for (Contender& contender : contenders) {
      if (!only.empty() && contender.key != only) continue;
      std::string path = folder / (contender.key + std::to_string(round));
      double start = CpuSeconds();
      contender.bytes = contender.encode(path);
      contender.best = std::min(contender.best, (CpuSeconds() - start) * 1e6 / static_cast<double>(rows));
      fs::remove(path);
    }
  }
  fs::remove_all(folder);
  for (const Contender& contender : contenders) {
    if (contender.bytes == 0) continue;
    fmt::print("{:<14} {:.3f} CPU s per million rows, {:.1f} MB per million rows\n", contender.name, contender.best,
               static_cast<double>(contender.bytes) / static_cast<double>(rows));
  }
  fmt::print("peak memory {} MiB, {} MiB of it above the generated rows\n", PeakMib(), PeakMib() - before_mib);
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
