// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/chain.h"

#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>

#include "frazil/base/arrow_status.h"

namespace frazil::stream {

void Links::Open() {
  for (auto& link : links_) link->Open();
}

void Links::Process(ChangeBatch batch) {
  if (links_.empty()) return;
  for (size_t i = 0; i + 1 < links_.size(); ++i) links_[i]->Process(batch);
  links_.back()->Process(std::move(batch));
}

void Links::Process(Watermark watermark) {
  for (auto& link : links_) link->Process(watermark);
}

void Links::Process(const Barrier& barrier, std::vector<SubtaskSnapshot>& snapshots) {
  for (auto& link : links_) link->Process(barrier, snapshots);
}

void Links::EndInput() {
  for (auto& link : links_) link->EndInput();
}

void Links::CheckpointCompleted(int64_t checkpoint_id) {
  for (auto& link : links_) link->CheckpointCompleted(checkpoint_id);
}

void Links::Close() {
  for (auto& link : links_) link->Close();
}

void Links::Abort() noexcept {
  for (auto& link : links_) link->Abort();
}

// ---- OperatorLink

OperatorLink::OperatorLink(TaskInfo task, std::unique_ptr<Operator> op, OperatorState restored, Links next,
                           MetricRegistry& metrics)
    : task_(std::move(task)),
      operator_(std::move(op)),
      restored_(std::move(restored)),
      next_(std::move(next)),
      metrics_(metrics),
      rows_in_(metrics.counter(task_.metric_scope, "numRecordsIn")),
      rows_out_(metrics.counter(task_.metric_scope, "numRecordsOut")),
      watermark_(metrics.gauge(task_.metric_scope, "currentInputWatermark")) {}

void OperatorLink::Open() {
  next_.Open();
  OperatorContext context{task_, metrics_, restored_};
  Guarded(task_.name, [&] { operator_->Open(context); });
  restored_ = {};
}

void OperatorLink::Process(ChangeBatch batch) {
  rows_in_.Add(batch.num_rows());
  Guarded(task_.name, [&] { operator_->ProcessBatch(std::move(batch), *this); });
}

void OperatorLink::Process(Watermark watermark) {
  watermark_.Set(watermark.timestamp_ms);
  Guarded(task_.name, [&] { operator_->ProcessWatermark(watermark.timestamp_ms, *this); });
  next_.Process(watermark);
}

void OperatorLink::Process(const Barrier& barrier, std::vector<SubtaskSnapshot>& snapshots) {
  SubtaskSnapshot snapshot{task_.operator_uid, task_.subtask, {}, {}};
  Guarded(task_.name, [&] { operator_->SnapshotState(barrier.checkpoint_id, snapshot.state); });
  snapshots.push_back(std::move(snapshot));
  next_.Process(barrier, snapshots);
}

void OperatorLink::EndInput() {
  Guarded(task_.name, [&] { operator_->EndInput(*this); });
  next_.EndInput();
}

void OperatorLink::CheckpointCompleted(int64_t checkpoint_id) {
  Guarded(task_.name, [&] { operator_->NotifyCheckpointComplete(checkpoint_id); });
  next_.CheckpointCompleted(checkpoint_id);
}

void OperatorLink::Close() {
  Guarded(task_.name, [&] { operator_->Close(); });
  next_.Close();
}

void OperatorLink::Abort() noexcept { next_.Abort(); }

void OperatorLink::Emit(ChangeBatch batch) {
  int64_t rows = batch.num_rows();
  if (rows == 0) return;
  rows_out_.Add(rows);
  next_.Process(std::move(batch));
}

// ---- WriterLink

WriterLink::WriterLink(TaskInfo task, Sink& sink, OperatorState restored, std::optional<int64_t> restored_checkpoint_id,
                       Receiver committer, MetricRegistry& metrics, JobCounters& job)
    : task_(std::move(task)),
      sink_(sink),
      restored_(std::move(restored)),
      restored_checkpoint_id_(restored_checkpoint_id),
      committer_(committer),
      metrics_(metrics),
      rows_in_(metrics.counter(task_.metric_scope, "numRecordsIn")),
      job_rows_out_(job.rows_out),
      watermark_(metrics.gauge(task_.metric_scope, "currentInputWatermark")),
      blocked_ms_(metrics.counter(task_.metric_scope, "accumulateBackPressuredTimeMs")) {}

void WriterLink::Open() {
  WriterInitContext context{task_, restored_checkpoint_id_, metrics_, restored_};
  writer_ = Guarded(task_.name, [&] { return sink_.CreateWriter(context); });
  restored_ = {};
}

void WriterLink::Process(ChangeBatch batch) {
  int64_t rows = batch.num_rows();
  Guarded(task_.name, [&] { writer_->Write(std::move(batch)); });
  rows_in_.Add(rows);
  job_rows_out_.Add(rows);
}

void WriterLink::Process(Watermark watermark) {
  watermark_.Set(watermark.timestamp_ms);
  Guarded(task_.name, [&] { writer_->WriteWatermark(watermark.timestamp_ms); });
}

void WriterLink::Process(const Barrier& barrier, std::vector<SubtaskSnapshot>& snapshots) {
  SubtaskSnapshot snapshot{task_.operator_uid, task_.subtask, {}, {}};
  std::vector<std::string> committables = Guarded(task_.name, [&] {
    std::vector<std::string> prepared = writer_->PrepareCommit(barrier.checkpoint_id, barrier.end_of_input);
    writer_->SnapshotState(barrier.checkpoint_id, snapshot.state);
    if (committer_.inbox == nullptr && !prepared.empty()) {
      throw Internal("the writer has {} committables, but the sink has no committer", prepared.size());
    }
    return prepared;
  });
  snapshots.push_back(std::move(snapshot));
  if (committer_.inbox == nullptr) return;
  committer_.inbox->Push(committer_.channel, Committables{barrier.checkpoint_id, std::move(committables)}, blocked_ms_);
  committer_.inbox->Push(committer_.channel, barrier, blocked_ms_);
}

void WriterLink::Close() {
  Guarded(task_.name, [&] { writer_->Close(); });
}

void WriterLink::Abort() noexcept {
  if (writer_ != nullptr) writer_->Abort();
}

// ---- EdgeLink

EdgeLink::EdgeLink(const TaskInfo& sender, const Edge& edge, std::vector<Receiver> receivers, MetricRegistry& metrics)
    : sender_name_(sender.name),
      kind_(edge.kind),
      partitioner_(edge.kind == Edge::Kind::kHash ? edge.make_partitioner() : Partitioner()),
      receivers_(std::move(receivers)),
      next_receiver_(static_cast<size_t>(sender.subtask) % receivers_.size()),
      bytes_out_(metrics.counter(sender.metric_scope, "numBytesOut")),
      blocked_ms_(metrics.counter(sender.metric_scope, "accumulateBackPressuredTimeMs")) {}

void EdgeLink::Process(ChangeBatch batch) {
  if (receivers_.size() == 1) {
    Send(0, std::move(batch));
  } else if (kind_ == Edge::Kind::kHash) {
    SendByRow(batch);
  } else {
    Send(next_receiver_, std::move(batch));
    next_receiver_ = (next_receiver_ + 1) % receivers_.size();
  }
}

void EdgeLink::Broadcast(const Element& element) {
  for (const Receiver& receiver : receivers_) receiver.inbox->Push(receiver.channel, element, blocked_ms_);
}

void EdgeLink::Send(size_t receiver, ChangeBatch batch) {
  const Receiver& to = receivers_[receiver];
  bytes_out_.Add(to.inbox->Push(to.channel, std::move(batch), blocked_ms_));
}

void EdgeLink::SendByRow(const ChangeBatch& batch) {
  const int64_t rows = batch.num_rows();
  const size_t count = receivers_.size();
  row_receivers_.resize(static_cast<size_t>(rows));
  Guarded(sender_name_, [&] { partitioner_(*batch.rows, static_cast<int>(count), row_receivers_); });

  std::vector<int64_t> ends(count, 0);
  for (int32_t receiver : row_receivers_) {
    if (receiver < 0 || static_cast<size_t>(receiver) >= count) {
      throw Internal("{}: the partitioner sends a row to subtask {} of {}", sender_name_, receiver, count);
    }
    ++ends[receiver];
  }
  for (size_t i = 0; i < count; ++i) {
    if (ends[i] == rows) return Send(i, batch);
  }
  // A counting sort: the row numbers of receiver i end up, in order, before ends[i].
  int64_t sum = 0;
  std::vector<int64_t> begins(count);
  for (size_t i = 0; i < count; ++i) {
    begins[i] = sum;
    sum += ends[i];
    ends[i] = begins[i];
  }
  auto order = std::shared_ptr<arrow::Buffer>(
      Unwrap(arrow::AllocateBuffer(rows * static_cast<int64_t>(sizeof(int32_t))), sender_name_));
  auto* numbers = reinterpret_cast<int32_t*>(order->mutable_data());
  for (int64_t row = 0; row < rows; ++row) numbers[ends[row_receivers_[row]]++] = static_cast<int32_t>(row);

  const auto options = arrow::compute::TakeOptions::NoBoundsCheck();
  for (size_t i = 0; i < count; ++i) {
    if (begins[i] == ends[i]) continue;
    arrow::Datum chosen(arrow::Int32Array(rows, order).Slice(begins[i], ends[i] - begins[i]));
    ChangeBatch part;
    part.rows = Unwrap(arrow::compute::Take(arrow::Datum(batch.rows), chosen, options), sender_name_).record_batch();
    if (batch.row_kinds != nullptr) {
      arrow::Datum kinds = Unwrap(arrow::compute::Take(arrow::Datum(batch.row_kinds), chosen, options), sender_name_);
      part.row_kinds = std::static_pointer_cast<arrow::Int8Array>(kinds.make_array());
    }
    Send(i, std::move(part));
  }
}

}  // namespace frazil::stream
