// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/row_stream.h"

#include <exception>
#include <mutex>

#include <arrow/record_batch.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"
#include "frazil/sql/column_layout.h"

namespace frazil::sql {

struct AceroInputs::Failure {
  std::mutex mutex;
  std::exception_ptr first;
};

namespace {

class StreamReader : public arrow::RecordBatchReader {
 public:
  StreamReader(std::unique_ptr<RowStream> stream, std::shared_ptr<arrow::Schema> schema)
      : stream_(std::move(stream)), schema_(std::move(schema)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    if (stream_ == nullptr) return arrow::Status::OK();
    try {
      *batch = stream_->Next();
    } catch (const Error& error) {
      stream_.reset();
      return ToStatus(error);
    } catch (const std::exception& error) {
      stream_.reset();
      return ToStatus(Internal("{}", error.what()));
    }
    if (*batch == nullptr) stream_.reset();
    return arrow::Status::OK();
  }

  arrow::Status Close() override {
    stream_.reset();
    return arrow::Status::OK();
  }

 private:
  std::unique_ptr<RowStream> stream_;
  std::shared_ptr<arrow::Schema> schema_;
};

class ReaderStream : public RowStream {
 public:
  ReaderStream(std::shared_ptr<arrow::RecordBatchReader> reader, std::shared_ptr<arrow::Schema> schema,
               std::string context)
      : reader_(std::move(reader)), schema_(std::move(schema)), context_(std::move(context)) {}

  std::shared_ptr<arrow::RecordBatch> Next() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    Check(reader_->ReadNext(&batch), context_);
    return batch == nullptr ? nullptr : WithSchema(batch, schema_);
  }

 private:
  std::shared_ptr<arrow::RecordBatchReader> reader_;
  std::shared_ptr<arrow::Schema> schema_;
  std::string context_;
};

}  // namespace

std::shared_ptr<arrow::RecordBatchReader> ToReader(std::unique_ptr<RowStream> stream,
                                                   std::shared_ptr<arrow::Schema> schema) {
  return std::make_shared<StreamReader>(std::move(stream), std::move(schema));
}

std::shared_ptr<arrow::RecordBatchReader> AceroInputs::Add(std::unique_ptr<RowStream> stream,
                                                           std::shared_ptr<arrow::Schema> schema) {
  /// Notes what the stream throws.
  class Watched : public RowStream {
   public:
    Watched(std::unique_ptr<RowStream> stream, std::shared_ptr<Failure> failure)
        : stream_(std::move(stream)), failure_(std::move(failure)) {}

    std::shared_ptr<arrow::RecordBatch> Next() override {
      try {
        return stream_->Next();
      } catch (...) {
        std::lock_guard lock(failure_->mutex);
        if (failure_->first == nullptr) failure_->first = std::current_exception();
        throw;
      }
    }

   private:
    std::unique_ptr<RowStream> stream_;
    std::shared_ptr<Failure> failure_;
  };
  if (failure_ == nullptr) failure_ = std::make_shared<Failure>();
  return ToReader(std::make_unique<Watched>(std::move(stream), failure_), std::move(schema));
}

void AceroInputs::CheckRead(const arrow::Status& status, const std::string& context) const {
  if (status.ok()) return;
  {
    std::lock_guard lock(failure_->mutex);
    if (failure_->first != nullptr) std::rethrow_exception(failure_->first);
  }
  Check(status, context);
}

std::unique_ptr<RowStream> FromReader(std::shared_ptr<arrow::RecordBatchReader> reader,
                                      std::shared_ptr<arrow::Schema> schema, std::string context) {
  return std::make_unique<ReaderStream>(std::move(reader), std::move(schema), std::move(context));
}

}  // namespace frazil::sql
