// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/bounded_source.h"

#include <condition_variable>
#include <deque>

#include <arrow/record_batch.h>

#include "frazil/base/error.h"
#include "frazil/sql/column_layout.h"

namespace frazil::sql {

namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

/// How long a wait lasts at most when a source says nothing about the next input.
constexpr std::chrono::milliseconds kPollInterval{50};

/// One enumerator and one reader, driven by the thread that pulls.
class SourceStream : public RowStream,
                     private stream::SplitEnumeratorContext,
                     private stream::SourceReaderContext,
                     private stream::SourceOutput {
 public:
  SourceStream(std::unique_ptr<stream::Source> source, std::shared_ptr<arrow::Schema> schema, std::string name)
      : source_(std::move(source)), schema_(std::move(schema)), uid_("source"), scope_(std::move(name)) {}

  ~SourceStream() override {
    // A query may be dropped in the middle; what closing then has to say interests nobody.
    try {
      Close();
    } catch (const std::exception&) {
    }
  }

  BatchPtr Next() override {
    if (reader_ == nullptr && !ended_) Open();
    while (emitted_.empty()) {
      if (ended_) return nullptr;
      HandOutSplits();
      const stream::InputStatus status = reader_->PollNext(*this);
      if (status == stream::InputStatus::kEndOfInput) {
        ended_ = true;
        Close();
      } else if (status == stream::InputStatus::kNothingAvailable && !HandOutSplits()) {
        Wait();
      }
    }
    BatchPtr batch = std::move(emitted_.front());
    emitted_.pop_front();
    return batch;
  }

 private:
  void Open() {
    enumerator_ = source_->CreateEnumerator(*this);
    enumerator_->Start();
    reader_ = source_->CreateReader(*this);
    reader_->Start();
  }

  void Close() {
    if (reader_ != nullptr) std::exchange(reader_, nullptr)->Close();
    if (enumerator_ != nullptr) std::exchange(enumerator_, nullptr)->Close();
  }

  /// Moves requests and splits between reader and enumerator; true if something moved.
  bool HandOutSplits() {
    bool moved = false;
    while (requests_ > 0) {
      --requests_;
      enumerator_->HandleSplitRequest(0);
      moved = true;
    }
    if (!assigned_.empty()) {
      reader_->AddSplits(std::exchange(assigned_, {}));
      moved = true;
    }
    if (no_more_ && !told_) {
      told_ = true;
      reader_->NotifyNoMoreSplits();
      moved = true;
    }
    return moved;
  }

  void Wait() {
    if (enumerator_->discovery_interval()) {
      if (std::function<void()> merge = enumerator_->DiscoverSplits()) merge();
    }
    std::unique_lock lock(mutex_);
    const auto until = std::min(wake_at_, std::chrono::steady_clock::now() + kPollInterval);
    wake_up_.wait_until(lock, until, [&] { return woken_; });
    woken_ = false;
    wake_at_ = std::chrono::steady_clock::time_point::max();
  }

  // SplitEnumeratorContext
  void AssignSplit(int, stream::SourceSplit split) override { assigned_.push_back(std::move(split)); }
  void SignalNoMoreSplits(int) override { no_more_ = true; }

  // SourceReaderContext
  int subtask() const override { return 0; }
  int parallelism() const override { return 1; }
  const std::string& operator_uid() const override { return uid_; }
  const std::string& metric_scope() const override { return scope_; }
  MetricRegistry& metrics() override { return metrics_; }
  Counter& num_bytes_in() override { return metrics_.counter(scope_, "numBytesIn"); }
  void SendSplitRequest() override { ++requests_; }
  void WakeUp() override {
    std::lock_guard lock(mutex_);
    woken_ = true;
    wake_up_.notify_all();
  }
  void WakeUpAt(std::chrono::steady_clock::time_point time) override {
    std::lock_guard lock(mutex_);
    wake_at_ = std::min(wake_at_, time);
  }
  bool cancelled() const override { return false; }

  // SourceOutput
  void Emit(stream::ChangeBatch batch) override {
    if (batch.row_kinds != nullptr) throw Unsupported("a query can't read table '{}' with updates or deletes", scope_);
    if (batch.num_rows() > 0) emitted_.push_back(WithSchema(batch.rows, schema_));
  }
  void EmitWatermark(int64_t) override {}

  std::unique_ptr<stream::Source> source_;
  std::shared_ptr<arrow::Schema> schema_;
  std::string uid_;
  std::string scope_;
  MetricRegistry metrics_;
  std::unique_ptr<stream::SplitEnumerator> enumerator_;
  std::unique_ptr<stream::SourceReader> reader_;
  std::vector<stream::SourceSplit> assigned_;
  std::deque<BatchPtr> emitted_;
  int requests_ = 0;
  bool no_more_ = false;
  bool told_ = false;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable wake_up_;
  bool woken_ = false;
  std::chrono::steady_clock::time_point wake_at_ = std::chrono::steady_clock::time_point::max();
};

}  // namespace

std::unique_ptr<RowStream> ReadSource(std::unique_ptr<stream::Source> source, std::shared_ptr<arrow::Schema> schema,
                                      std::string name) {
  return std::make_unique<SourceStream>(std::move(source), std::move(schema), std::move(name));
}

}  // namespace frazil::sql
