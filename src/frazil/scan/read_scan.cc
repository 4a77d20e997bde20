// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <deque>
#include <exception>
#include <thread>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"
#include "frazil/datafile/data_file_reader.h"
#include "frazil/iceberg/arrow_schema.h"
#include "frazil/scan/table_scan.h"
#include "frazil/storage/file_io.h"

namespace frazil::scan {

namespace {

using iceberg::Literal;
using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

/// Batches that a thread may be ahead of the consumer in one unit.
constexpr size_t kBatchesAhead = 4;

/// A file, or a part of it that starts and ends with row groups.
struct Unit {
  const FileScanTask* task;
  int64_t start = 0;
  std::optional<int64_t> length;  ///< nullopt: to the end
};

std::vector<Unit> WholeFiles(const ScanPlan& plan) {
  std::vector<Unit> units;
  for (const FileScanTask& task : plan.tasks) units.push_back({&task, 0, std::nullopt});
  return units;
}

/// One unit for each split offset, so that threads share a large file.
std::vector<Unit> SplitFiles(const ScanPlan& plan) {
  std::vector<Unit> units;
  for (const FileScanTask& task : plan.tasks) {
    int64_t start = 0;
    const auto& offsets = task.file.split_offsets;
    for (size_t i = 1; i < offsets.size() && offsets[i] < task.file.file_size_in_bytes; ++i) {
      if (offsets[i] <= start) continue;
      units.push_back({&task, start, offsets[i] - start});
      start = offsets[i];
    }
    units.push_back({&task, start, std::nullopt});
  }
  return units;
}

std::map<int32_t, Literal> IdentityConstants(const ScanPlan& plan, const iceberg::DataFile& file) {
  std::map<int32_t, Literal> constants;
  const iceberg::PartitionSpec& spec = plan.metadata->spec(file.spec_id);
  for (size_t i = 0; i < spec.fields.size() && i < file.partition.size(); ++i) {
    const iceberg::PartitionField& field = spec.fields[i];
    if (field.transform.kind != iceberg::TransformKind::kIdentity || field.source_ids.size() != 1) continue;
    const iceberg::NestedField* source = plan.projection.FindField(field.source_id());
    if (source != nullptr) constants.emplace(source->id, file.partition[i]);
  }
  return constants;
}

std::unique_ptr<datafile::DataFileReader> Open(const ScanPlan& plan, storage::FileIO& io, const Unit& unit) {
  datafile::ReadOptions options;
  options.split_start = unit.start;
  options.split_length = unit.length;
  options.constants = IdentityConstants(plan, unit.task->file);
  return datafile::OpenParquetReader(io, unit.task->file.file_path, plan.projection, options);
}

/// Batches of all units in order; null at the end.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  virtual BatchPtr Next() = 0;
};

class SequentialSource final : public BatchSource {
 public:
  SequentialSource(std::shared_ptr<const ScanPlan> plan, std::shared_ptr<storage::FileIO> io)
      : plan_(std::move(plan)), io_(std::move(io)), units_(WholeFiles(*plan_)) {}

  BatchPtr Next() override {
    while (true) {
      if (reader_) {
        if (BatchPtr batch = reader_->Next()) return batch;
        reader_.reset();
      }
      if (next_unit_ == units_.size()) return nullptr;
      reader_ = Open(*plan_, *io_, units_[next_unit_++]);
    }
  }

 private:
  std::shared_ptr<const ScanPlan> plan_;
  std::shared_ptr<storage::FileIO> io_;
  std::vector<Unit> units_;
  size_t next_unit_ = 0;
  std::unique_ptr<datafile::DataFileReader> reader_;
};

/// Threads take units in order; the consumer empties them in order. What is in memory is bounded: a thread waits when
/// its unit holds kBatchesAhead batches, or when it would run more than twice the number of threads units ahead.
class ParallelSource final : public BatchSource {
 public:
  ParallelSource(std::shared_ptr<const ScanPlan> plan, std::shared_ptr<storage::FileIO> io, std::vector<Unit> units,
                 size_t threads)
      : plan_(std::move(plan)), io_(std::move(io)), units_(std::move(units)), units_ahead_(2 * threads) {
    for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { ReadUnits(); });
  }

  ~ParallelSource() override {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  BatchPtr Next() override {
    std::unique_lock lock(mutex_);
    while (current_ < units_.size()) {
      // Units are taken in order, so that a thread is at the current one or will take it next.
      Progress& progress = in_work_[current_];
      changed_.wait(lock, [&] { return !progress.batches.empty() || progress.done; });
      if (!progress.batches.empty()) {
        BatchPtr batch = std::move(progress.batches.front());
        progress.batches.pop_front();
        changed_.notify_all();
        return batch;
      }
      if (progress.error) std::rethrow_exception(progress.error);
      in_work_.erase(current_++);
      changed_.notify_all();
    }
    return nullptr;
  }

 private:
  struct Progress {
    std::deque<BatchPtr> batches;
    bool done = false;
    std::exception_ptr error;
  };

  void ReadUnits() {
    while (const std::optional<size_t> unit = Take()) {
      std::exception_ptr error;
      try {
        ReadUnit(*unit);
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      in_work_[*unit].done = true;
      in_work_[*unit].error = error;
      changed_.notify_all();
    }
  }

  std::optional<size_t> Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&] { return stopped_ || next_unit_ == units_.size() || next_unit_ < current_ + units_ahead_; });
    if (stopped_ || next_unit_ == units_.size()) return std::nullopt;
    return next_unit_++;
  }

  void ReadUnit(size_t unit) {
    const auto reader = Open(*plan_, *io_, units_[unit]);
    while (BatchPtr batch = reader->Next()) {
      std::unique_lock lock(mutex_);
      Progress& progress = in_work_[unit];
      changed_.wait(lock, [&] { return stopped_ || progress.batches.size() < kBatchesAhead; });
      if (stopped_) return;
      progress.batches.push_back(std::move(batch));
      changed_.notify_all();
    }
  }

  std::shared_ptr<const ScanPlan> plan_;
  std::shared_ptr<storage::FileIO> io_;
  std::vector<Unit> units_;
  size_t units_ahead_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<size_t, Progress> in_work_;  ///< taken or waited for, not yet emptied; by unit
  size_t next_unit_ = 0;                ///< to be taken by a thread
  size_t current_ = 0;                  ///< being emptied
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

std::unique_ptr<BatchSource> MakeSource(std::shared_ptr<const ScanPlan> plan, std::shared_ptr<storage::FileIO> io,
                                        int parallelism) {
  if (parallelism > 1) {
    std::vector<Unit> units = SplitFiles(*plan);
    const size_t threads = std::min<size_t>(parallelism, units.size());
    if (threads > 1) return std::make_unique<ParallelSource>(std::move(plan), std::move(io), std::move(units), threads);
  }
  return std::make_unique<SequentialSource>(std::move(plan), std::move(io));
}

class ScanReader final : public arrow::RecordBatchReader {
 public:
  ScanReader(std::shared_ptr<arrow::Schema> schema, std::unique_ptr<BatchSource> source, std::optional<int64_t> limit)
      : schema_(std::move(schema)), source_(std::move(source)), rows_left_(limit) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(BatchPtr* batch) override {
    try {
      *batch = Next();
      return arrow::Status::OK();
    } catch (const Error& e) {
      source_.reset();
      return ToStatus(e);
    } catch (const std::exception& e) {
      source_.reset();
      return ToStatus(Internal("reading a table: {}", e.what()));
    }
  }

  arrow::Status Close() override {
    source_.reset();
    return arrow::Status::OK();
  }

 private:
  BatchPtr Next() {
    if (rows_left_ && *rows_left_ <= 0) source_.reset();
    if (!source_) return nullptr;
    BatchPtr batch = source_->Next();
    if (batch != nullptr && rows_left_) {
      if (batch->num_rows() > *rows_left_) batch = batch->Slice(0, *rows_left_);
      *rows_left_ -= batch->num_rows();
    }
    return batch;
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<BatchSource> source_;  ///< null: closed
  std::optional<int64_t> rows_left_;
};

}  // namespace

std::shared_ptr<arrow::RecordBatchReader> ReadScan(ScanPlan plan, std::shared_ptr<storage::FileIO> io, int parallelism,
                                                   std::optional<int64_t> limit) {
  auto schema = ToArrowSchema(plan.projection);
  auto source = MakeSource(std::make_shared<const ScanPlan>(std::move(plan)), std::move(io), parallelism);
  return std::make_shared<ScanReader>(std::move(schema), std::move(source), limit);
}

}  // namespace frazil::scan
