// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/datagen/datagen.h"

#include <deque>
#include <limits>

#include "frazil/base/error.h"
#include "frazil/base/options.h"
#include "frazil/base/uuid.h"
#include "frazil/connector/datagen/column_generator.h"
#include "frazil/stream/state_codec.h"

namespace frazil::connector {

namespace {

using stream::InputStatus;
using stream::SourceSplit;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kVersion = 1;
constexpr int64_t kMaxBatchRows = 8192;
constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();
/// Rows come this often, in batches as large as the rate makes them.
constexpr double kTickSeconds = 0.02;

struct DatagenOptions {
  std::shared_ptr<arrow::Schema> schema;
  std::vector<std::shared_ptr<const ColumnGenerator>> columns;  ///< of the schema
  int64_t rows_per_second = 10000;
  int64_t num_rows = kUnbounded;
};

/// Rows [next, end) are still to be made.
struct RowSplit {
  int64_t next = 0;
  int64_t end = 0;
  uint64_t seed = 0;
  int64_t num_splits = 1;  ///< it was cut into: each has its share of the rate
};

SourceSplit EncodeSplit(const RowSplit& split) {
  stream::StateEncoder out;
  out.Unsigned(kVersion);
  out.Signed(split.next);
  out.Signed(split.end);
  out.Unsigned(split.seed);
  out.Signed(split.num_splits);
  return {fmt::format("rows-to-{}", split.end), out.Take()};
}

RowSplit DecodeSplit(const SourceSplit& encoded) {
  stream::StateDecoder in(encoded.state, encoded.id);
  in.Version(kVersion);
  RowSplit split;
  split.next = in.Signed();
  split.end = in.Signed();
  split.seed = in.Unsigned();
  split.num_splits = in.Signed();
  return split;
}

class DatagenEnumerator : public stream::SplitEnumerator {
 public:
  /// A new one: cuts the rows into one range per reader.
  DatagenEnumerator(stream::SplitEnumeratorContext& context, int64_t num_rows) : context_(context) {
    const int64_t count = context.parallelism();
    const auto seed = static_cast<uint64_t>(RandomSnapshotId());
    for (int64_t i = 0; i < count; ++i) {
      int64_t begin = num_rows / count * i + std::min(i, num_rows % count);
      int64_t end = begin + num_rows / count + (i < num_rows % count ? 1 : 0);
      unassigned_.push_back(EncodeSplit({begin, end, seed, count}));
    }
  }
  DatagenEnumerator(stream::SplitEnumeratorContext& context, std::string_view state) : context_(context) {
    stream::StateDecoder in(state, "the state of the datagen enumerator");
    in.Version(kVersion);
    for (uint64_t count = in.Unsigned(); count > 0; --count) {
      SourceSplit split;
      split.id = in.String();
      split.state = in.String();
      unassigned_.push_back(std::move(split));
    }
  }

  void HandleSplitRequest(int subtask) override {
    if (unassigned_.empty()) {
      context_.SignalNoMoreSplits(subtask);
    } else {
      context_.AssignSplit(subtask, std::move(unassigned_.front()));
      unassigned_.pop_front();
    }
  }
  void AddSplitsBack(std::vector<SourceSplit> splits) override {
    for (SourceSplit& split : splits) unassigned_.push_back(std::move(split));
  }
  std::string SnapshotState() override {
    stream::StateEncoder out;
    out.Unsigned(kVersion);
    out.Unsigned(unassigned_.size());
    for (const SourceSplit& split : unassigned_) {
      out.String(split.id);
      out.String(split.state);
    }
    return out.Take();
  }

 private:
  stream::SplitEnumeratorContext& context_;
  std::deque<SourceSplit> unassigned_;
};

class DatagenReader : public stream::SourceReader {
 public:
  DatagenReader(stream::SourceReaderContext& context, const DatagenOptions& options)
      : context_(context), options_(options) {}

  void AddSplits(std::vector<SourceSplit> splits) override {
    for (const SourceSplit& split : splits) splits_.push_back(DecodeSplit(split));
    requested_ = false;
  }
  void NotifyNoMoreSplits() override { no_more_splits_ = true; }

  InputStatus PollNext(stream::SourceOutput& output) override {
    while (!splits_.empty() && splits_.front().next == splits_.front().end) splits_.pop_front();
    if (splits_.empty()) {
      if (no_more_splits_) return InputStatus::kEndOfInput;
      if (!std::exchange(requested_, true)) context_.SendSplitRequest();
      return InputStatus::kNothingAvailable;
    }
    RowSplit& split = splits_.front();
    const double rate = static_cast<double>(options_.rows_per_second) / static_cast<double>(split.num_splits);
    int64_t due = RowsDue(rate);
    if (due == 0) return InputStatus::kNothingAvailable;
    int64_t count = std::min({due, split.end - split.next, kMaxBatchRows});
    output.Emit({Make(split, count), nullptr});
    split.next += count;
    budget_ -= static_cast<double>(count);
    return InputStatus::kMoreAvailable;
  }

  std::vector<SourceSplit> SnapshotState(int64_t) override {
    std::vector<SourceSplit> splits;
    for (const RowSplit& split : splits_) splits.push_back(EncodeSplit(split));
    return splits;
  }

 private:
  /// How many rows the rate allows now; if none, asks to be woken when there are enough for a batch.
  int64_t RowsDue(double rate) {
    Clock::time_point now = Clock::now();
    if (last_look_ == Clock::time_point()) last_look_ = now;
    budget_ += std::chrono::duration<double>(now - last_look_).count() * rate;
    // What back-pressure has held up for more than a second is not made up for.
    budget_ = std::min(budget_, std::max(rate, 1.0));
    last_look_ = now;
    double batch = std::clamp(rate * kTickSeconds, 1.0, static_cast<double>(kMaxBatchRows));
    if (budget_ >= batch) return static_cast<int64_t>(budget_);
    auto wait = std::chrono::duration<double>((batch - budget_) / rate);
    context_.WakeUpAt(now + std::chrono::duration_cast<Clock::duration>(wait) + std::chrono::microseconds(1));
    return 0;
  }

  std::shared_ptr<arrow::RecordBatch> Make(const RowSplit& split, int64_t count) const {
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (const auto& column : options_.columns) arrays.push_back(column->Generate(split.seed, split.next, count));
    return arrow::RecordBatch::Make(options_.schema, count, std::move(arrays));
  }

  stream::SourceReaderContext& context_;
  const DatagenOptions& options_;
  std::deque<RowSplit> splits_;
  double budget_ = 0;  ///< rows
  Clock::time_point last_look_;
  bool requested_ = false;
  bool no_more_splits_ = false;
};

class DatagenSource : public stream::Source {
 public:
  explicit DatagenSource(DatagenOptions options) : options_(std::move(options)) {}
  stream::Boundedness boundedness() const override {
    return options_.num_rows == kUnbounded ? stream::Boundedness::kContinuousUnbounded : stream::Boundedness::kBounded;
  }
  std::unique_ptr<stream::SplitEnumerator> CreateEnumerator(stream::SplitEnumeratorContext& context) override {
    return std::make_unique<DatagenEnumerator>(context, options_.num_rows);
  }
  std::unique_ptr<stream::SplitEnumerator> RestoreEnumerator(stream::SplitEnumeratorContext& context,
                                                             std::string_view state) override {
    return std::make_unique<DatagenEnumerator>(context, state);
  }
  std::unique_ptr<stream::SourceReader> CreateReader(stream::SourceReaderContext& context) override {
    return std::make_unique<DatagenReader>(context, options_);
  }

 private:
  const DatagenOptions options_;
};

int64_t PositiveOption(OptionReader& options, std::string_view key, int64_t fallback) {
  int64_t value = options.GetInt64(key).value_or(fallback);
  if (value < 1) throw InvalidArgument("option '{}': {} is not positive", key, value);
  return value;
}

class DatagenConnector : public ConnectorFactory {
 public:
  std::string_view identifier() const override { return "datagen"; }

  std::unique_ptr<stream::Source> CreateSource(const ConnectorContext& context, OptionReader& options) const override {
    DatagenOptions datagen;
    datagen.schema = context.physical_schema;
    datagen.rows_per_second = PositiveOption(options, "rows-per-second", datagen.rows_per_second);
    datagen.num_rows = PositiveOption(options, "number-of-rows", datagen.num_rows);
    // Columns that nobody reads have options too, and their sequences end the source as well.
    const auto& all = context.table_schema == nullptr ? context.physical_schema : context.table_schema;
    std::map<std::string, std::shared_ptr<const ColumnGenerator>> columns;
    for (const auto& field : all->fields()) {
      std::shared_ptr<const ColumnGenerator> column = MakeColumnGenerator(*field, options);
      datagen.num_rows = std::min(datagen.num_rows, column->num_rows().value_or(kUnbounded));
      columns.emplace(field->name(), std::move(column));
    }
    for (const auto& field : datagen.schema->fields()) datagen.columns.push_back(columns.at(field->name()));
    return std::make_unique<DatagenSource>(std::move(datagen));
  }
};

}  // namespace

std::unique_ptr<ConnectorFactory> MakeDatagenConnector() { return std::make_unique<DatagenConnector>(); }

}  // namespace frazil::connector
