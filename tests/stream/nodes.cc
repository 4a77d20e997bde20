// SPDX-License-Identifier: Apache-2.0
#include "stream/nodes.h"

#include <thread>

#include <arrow/array/builder_primitive.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"

namespace frazil::stream::test {

namespace {

void At(const Fault& fault, std::string_view place) {
  if (fault) fault(place);
}

std::string Join(const std::vector<int64_t>& numbers) {
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(int64_t));
}

std::vector<int64_t> Split(std::string_view bytes) {
  std::vector<int64_t> numbers(bytes.size() / sizeof(int64_t));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

SourceSplit NumberSplit(int64_t index, int64_t next, int64_t end) {
  return {fmt::format("split-{}", index), Join({index, next, end})};
}

class NumberEnumerator : public SplitEnumerator {
 public:
  NumberEnumerator(SplitEnumeratorContext& context, const NumberSourceOptions& options)
      : context_(context), options_(options) {
    if (!options.discover) {
      while (next_ < options_.splits) AddNext();
    }
  }
  NumberEnumerator(SplitEnumeratorContext& context, const NumberSourceOptions& options, std::string_view state)
      : context_(context), options_(options) {
    std::vector<int64_t> numbers = Split(state);
    next_ = numbers[0];
    for (size_t i = 1; i + 2 < numbers.size() + 0; i += 3) {
      unassigned_.push_back(NumberSplit(numbers[i], numbers[i + 1], numbers[i + 2]));
    }
  }

  void HandleSplitRequest(int subtask) override {
    At(options_.fault, "enumerator request");
    waiting_.push_back(subtask);
    Assign();
  }
  void AddSplitsBack(std::vector<SourceSplit> splits) override {
    unassigned_.insert(unassigned_.begin(), splits.begin(), splits.end());
  }
  std::string SnapshotState() override {
    At(options_.fault, "enumerator snapshot");
    std::string state = Join({next_});
    for (const SourceSplit& split : unassigned_) state += split.state;
    return state;
  }
  std::optional<std::chrono::milliseconds> discovery_interval() const override {
    if (!options_.discover) return std::nullopt;
    return std::chrono::milliseconds(2);
  }
  std::function<void()> DiscoverSplits() override {
    At(options_.fault, "discover");
    return [this] {
      if (next_ < options_.splits) AddNext();
      Assign();
    };
  }

 private:
  void AddNext() {
    unassigned_.push_back(NumberSplit(next_, next_ * options_.rows, (next_ + 1) * options_.rows));
    ++next_;
  }
  void Assign() {
    while (!waiting_.empty() && !unassigned_.empty()) {
      context_.AssignSplit(waiting_.back(), unassigned_.front());
      waiting_.pop_back();
      unassigned_.erase(unassigned_.begin());
    }
    if (options_.unbounded || next_ < options_.splits) return;
    for (int subtask : waiting_) context_.SignalNoMoreSplits(subtask);
    waiting_.clear();
  }

  SplitEnumeratorContext& context_;
  const NumberSourceOptions options_;
  int64_t next_ = 0;
  std::vector<SourceSplit> unassigned_;
  std::vector<int> waiting_;
};

class NumberReader : public SourceReader {
 public:
  NumberReader(SourceReaderContext& context, const NumberSourceOptions& options)
      : context_(context), options_(options) {}

  void AddSplits(std::vector<SourceSplit> splits) override {
    for (const SourceSplit& split : splits) {
      std::vector<int64_t> numbers = Split(split.state);
      splits_.push_back({numbers[0], numbers[1], numbers[2]});
    }
    asked_ = false;
  }
  void NotifyNoMoreSplits() override { no_more_ = true; }

  InputStatus PollNext(SourceOutput& output) override {
    At(options_.fault, "poll");
    if (splits_.empty()) {
      if (no_more_) return InputStatus::kEndOfInput;
      if (!asked_) context_.SendSplitRequest();
      asked_ = true;
      return InputStatus::kNothingAvailable;
    }
    if (options_.pause.count() > 0) std::this_thread::sleep_for(options_.pause);
    Progress& split = splits_.front();
    std::vector<int64_t> numbers;
    while (split.next < split.end && static_cast<int64_t>(numbers.size()) < options_.batch_rows) {
      numbers.push_back(split.next++);
    }
    output.Emit(NumberBatch(numbers));
    output.EmitWatermark(split.next);
    if (split.next == split.end) splits_.erase(splits_.begin());
    return InputStatus::kMoreAvailable;
  }

  std::vector<SourceSplit> SnapshotState(int64_t) override {
    At(options_.fault, "reader snapshot");
    std::vector<SourceSplit> splits;
    for (const Progress& split : splits_) splits.push_back(NumberSplit(split.index, split.next, split.end));
    return splits;
  }
  void NotifyCheckpointComplete(int64_t) override { At(options_.fault, "reader notify"); }

 private:
  struct Progress {
    int64_t index, next, end;
  };
  SourceReaderContext& context_;
  const NumberSourceOptions options_;
  std::vector<Progress> splits_;
  bool no_more_ = false;
  bool asked_ = false;
};

class NumberSource : public Source {
 public:
  explicit NumberSource(NumberSourceOptions options) : options_(std::move(options)) {}
  Boundedness boundedness() const override {
    return options_.unbounded ? Boundedness::kContinuousUnbounded : Boundedness::kBounded;
  }
  std::unique_ptr<SplitEnumerator> CreateEnumerator(SplitEnumeratorContext& context) override {
    return std::make_unique<NumberEnumerator>(context, options_);
  }
  std::unique_ptr<SplitEnumerator> RestoreEnumerator(SplitEnumeratorContext& context, std::string_view state) override {
    return std::make_unique<NumberEnumerator>(context, options_, state);
  }
  std::unique_ptr<SourceReader> CreateReader(SourceReaderContext& context) override {
    return std::make_unique<NumberReader>(context, options_);
  }

 private:
  const NumberSourceOptions options_;
};

class TableWriter : public SinkWriter {
 public:
  TableWriter(const TableSinkOptions& options, const WriterInitContext& context) : options_(options) {
    Event(fmt::format("open {} {}", context.task.subtask, context.task.attempt));
  }
  void Write(ChangeBatch batch) override {
    At(options_.fault, "write");
    for (int64_t number : NumbersOf(batch)) numbers_.push_back(number);
  }
  std::vector<std::string> PrepareCommit(int64_t, bool end_of_input) override {
    At(options_.fault, "prepare commit");
    if (end_of_input) Event("end");
    if (numbers_.empty()) return {};
    std::vector<std::string> committables = {Join(numbers_)};
    numbers_.clear();
    return committables;
  }
  void Close() override { Event("close"); }
  void Abort() noexcept override { Event("abort"); }

 private:
  void Event(const std::string& event) {
    if (options_.on_event) options_.on_event(event);
  }
  const TableSinkOptions options_;
  std::vector<int64_t> numbers_;
};

class TableCommitter : public Committer {
 public:
  TableCommitter(std::shared_ptr<CommittedTable> table, Fault fault)
      : table_(std::move(table)), fault_(std::move(fault)) {}
  std::string PreCommit(int64_t, std::vector<std::string> committables) override {
    At(fault_, "pre-commit");
    std::string all;
    for (const std::string& each : committables) all += each;
    return all;
  }
  void Commit(std::span<const CommitRequest> requests) override {
    for (const CommitRequest& request : requests) {
      At(fault_, "commit before");
      table_->Add(request, Split(request.committable));
      At(fault_, "commit after");
    }
  }

 private:
  std::shared_ptr<CommittedTable> table_;
  const Fault fault_;
};

class TableSink : public Sink {
 public:
  TableSink(std::shared_ptr<CommittedTable> table, TableSinkOptions options)
      : table_(std::move(table)), options_(std::move(options)) {}
  std::unique_ptr<SinkWriter> CreateWriter(const WriterInitContext& context) override {
    At(options_.fault, "create writer");
    return std::make_unique<TableWriter>(options_, context);
  }
  std::unique_ptr<Committer> CreateCommitter(const CommitterInitContext&) override {
    At(options_.fault, "create committer");
    return std::make_unique<TableCommitter>(table_, options_.fault);
  }

 private:
  std::shared_ptr<CommittedTable> table_;
  const TableSinkOptions options_;
};

class CountingOperator : public Operator {
 public:
  CountingOperator(int64_t add, Fault fault, std::function<void(int64_t)> on_open)
      : add_(add), fault_(std::move(fault)), on_open_(std::move(on_open)) {}
  void Open(const OperatorContext& context) override {
    for (const std::string& element : context.restored.List("count")) count_ += Split(element)[0];
    if (on_open_) on_open_(count_);
  }
  void ProcessBatch(ChangeBatch batch, Output& output) override {
    At(fault_, "process");
    std::vector<int64_t> numbers = NumbersOf(batch);
    for (int64_t& number : numbers) number += add_;
    count_ += static_cast<int64_t>(numbers.size());
    output.Emit(NumberBatch(numbers));
  }
  void SnapshotState(int64_t, OperatorState& state) override {
    At(fault_, "operator snapshot");
    state.Add("count", Join({count_}));
  }
  void EndInput(Output&) override { At(fault_, "end input"); }
  void Close() override { At(fault_, "close"); }

 private:
  const int64_t add_;
  const Fault fault_;
  const std::function<void(int64_t)> on_open_;
  int64_t count_ = 0;
};

}  // namespace

std::shared_ptr<arrow::Schema> NumberSchema() { return arrow::schema({arrow::field("n", arrow::int64(), false)}); }

ChangeBatch NumberBatch(const std::vector<int64_t>& numbers) {
  arrow::Int64Builder builder;
  Check(builder.AppendValues(numbers), "test batch");
  auto array = Unwrap(builder.Finish(), "test batch");
  return {arrow::RecordBatch::Make(NumberSchema(), array->length(), {array}), nullptr};
}

std::vector<int64_t> NumbersOf(const ChangeBatch& batch) {
  const auto& array = static_cast<const arrow::Int64Array&>(*batch.rows->column(0));
  return {array.raw_values(), array.raw_values() + array.length()};
}

void RandomFault::operator()(std::string_view place) {
  std::lock_guard lock(mutex_);
  if (left_ == 0 || random_() % static_cast<uint32_t>(every_) != 0) return;
  --left_;
  ++thrown_;
  if (random_() % 2 == 0) throw std::runtime_error(fmt::format("injected at {}", place));
  throw Unavailable("injected at {}", place);
}

std::unique_ptr<Source> MakeNumberSource(NumberSourceOptions options) {
  return std::make_unique<NumberSource>(std::move(options));
}

void CommittedTable::Add(const CommitRequest& request, std::vector<int64_t> numbers) {
  std::lock_guard lock(mutex_);
  if (!known_.emplace(request.job_id, request.operator_uid, request.checkpoint_id).second) {
    ++num_repeated_;
    return;
  }
  commits_.push_back({request.job_id, request.checkpoint_id, std::move(numbers), request.recovered});
}

std::vector<CommittedTable::Commit> CommittedTable::commits() const {
  std::lock_guard lock(mutex_);
  return commits_;
}

std::multiset<int64_t> CommittedTable::numbers() const {
  std::lock_guard lock(mutex_);
  std::multiset<int64_t> all;
  for (const Commit& commit : commits_) all.insert(commit.numbers.begin(), commit.numbers.end());
  return all;
}

size_t CommittedTable::size() const { return numbers().size(); }

int CommittedTable::num_repeated() const {
  std::lock_guard lock(mutex_);
  return num_repeated_;
}

std::unique_ptr<Sink> MakeTableSink(std::shared_ptr<CommittedTable> table, TableSinkOptions options) {
  return std::make_unique<TableSink>(std::move(table), std::move(options));
}

OperatorFactory MakeCountingOperator(int64_t add, Fault fault, std::function<void(int64_t)> on_open) {
  return [=] { return std::make_unique<CountingOperator>(add, fault, on_open); };
}

JobGraph Pipeline(std::unique_ptr<Source> source, std::unique_ptr<Sink> sink, int parallelism, Fault fault) {
  JobGraph graph;
  auto src = graph.AddSource({"src", "Source: numbers", parallelism}, std::move(source));
  auto op = graph.AddOperator({"op", "Count", parallelism}, {{src, Edge::Forward()}}, MakeCountingOperator(0, fault));
  graph.AddSink({"sink", "Sink: table", parallelism}, {{op, Edge::Forward()}}, std::move(sink));
  return graph;
}

std::multiset<int64_t> Range(int64_t begin, int64_t end) {
  std::multiset<int64_t> range;
  for (int64_t i = begin; i < end; ++i) range.insert(range.end(), i);
  return range;
}

bool Eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 20000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace frazil::stream::test
