// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/query_source.h"

#include <arrow/record_batch.h>

#include "frazil/base/clock.h"
#include "frazil/base/error.h"

namespace frazil::sql {

namespace {

constexpr char kSplitId[] = "query";
// State of the enumerator.
constexpr char kNotAssigned[] = "1:pending";
constexpr char kAssigned[] = "1:assigned";

class QueryEnumerator : public stream::SplitEnumerator {
 public:
  QueryEnumerator(stream::SplitEnumeratorContext& context, bool assigned) : context_(context), assigned_(assigned) {}

  void HandleSplitRequest(int subtask) override {
    if (assigned_) {
      context_.SignalNoMoreSplits(subtask);
      return;
    }
    assigned_ = true;
    context_.AssignSplit(subtask, {kSplitId, ""});
  }

  void AddSplitsBack(std::vector<stream::SourceSplit> splits) override { assigned_ = assigned_ && splits.empty(); }

  std::string SnapshotState() override { return assigned_ ? kAssigned : kNotAssigned; }

 private:
  stream::SplitEnumeratorContext& context_;
  bool assigned_;
};

class QueryReader : public stream::SourceReader {
 public:
  QueryReader(stream::SourceReaderContext& context, std::shared_ptr<const PlanNode> plan, QueryContext query)
      : context_(context), plan_(std::move(plan)), query_(std::move(query)) {}

  void Start() override { context_.SendSplitRequest(); }

  void AddSplits(std::vector<stream::SourceSplit> splits) override {
    if (splits.empty()) return;
    query_.eval.now_micros = NowMicros();
    rows_ = RunPlan(plan_, query_);
  }

  void NotifyNoMoreSplits() override { no_more_ = true; }

  stream::InputStatus PollNext(stream::SourceOutput& output) override {
    if (rows_ == nullptr) {
      return no_more_ ? stream::InputStatus::kEndOfInput : stream::InputStatus::kNothingAvailable;
    }
    std::shared_ptr<arrow::RecordBatch> batch = rows_->Next();
    if (batch == nullptr) {
      rows_.reset();
      context_.SendSplitRequest();
      return stream::InputStatus::kNothingAvailable;
    }
    if (batch->num_rows() > 0) output.Emit({std::move(batch), nullptr});
    return stream::InputStatus::kMoreAvailable;
  }

  std::vector<stream::SourceSplit> SnapshotState(int64_t) override {
    if (rows_ == nullptr) return {};
    throw Unsupported(
        "an INSERT from a batch query can't be stopped in the middle and resumed: let it end, or cancel it (nothing of "
        "it is committed before the end)");
  }

  void Close() override { rows_.reset(); }

 private:
  stream::SourceReaderContext& context_;
  std::shared_ptr<const PlanNode> plan_;
  QueryContext query_;
  std::unique_ptr<RowStream> rows_;
  bool no_more_ = false;
};

class QuerySource : public stream::Source {
 public:
  QuerySource(std::shared_ptr<const PlanNode> plan, QueryContext context)
      : plan_(std::move(plan)), context_(std::move(context)) {}

  stream::Boundedness boundedness() const override { return stream::Boundedness::kBounded; }

  std::unique_ptr<stream::SplitEnumerator> CreateEnumerator(stream::SplitEnumeratorContext& context) override {
    return std::make_unique<QueryEnumerator>(context, false);
  }

  std::unique_ptr<stream::SplitEnumerator> RestoreEnumerator(stream::SplitEnumeratorContext& context,
                                                             std::string_view state) override {
    if (state != kAssigned && state != kNotAssigned) throw Corrupt("state '{}' is not that of a query", state);
    return std::make_unique<QueryEnumerator>(context, state == kAssigned);
  }

  std::unique_ptr<stream::SourceReader> CreateReader(stream::SourceReaderContext& context) override {
    return std::make_unique<QueryReader>(context, plan_, context_);
  }

 private:
  std::shared_ptr<const PlanNode> plan_;
  QueryContext context_;
};

}  // namespace

std::unique_ptr<stream::Source> MakeQuerySource(std::shared_ptr<const PlanNode> plan, QueryContext context) {
  return std::make_unique<QuerySource>(std::move(plan), std::move(context));
}

}  // namespace frazil::sql
