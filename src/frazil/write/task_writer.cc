// SPDX-License-Identifier: Apache-2.0
#include "frazil/write/task_writer.h"

#include <spdlog/spdlog.h>

#include "frazil/base/error.h"
#include "frazil/datafile/data_file_writer.h"
#include "frazil/iceberg/ascii.h"
#include "frazil/iceberg/partition_order.h"
#include "frazil/iceberg/table_properties.h"
#include "frazil/storage/file_io.h"
#include "frazil/write/location_provider.h"
#include "frazil/write/partition_splitter.h"

namespace frazil::write {

namespace {

using iceberg::DataFile;
using iceberg::PartitionValues;
namespace property = iceberg::property;

/// Rows between two looks at the size of the open file.
constexpr int64_t kRowsPerSizeCheck = 65536;

OptionMap EffectiveProperties(const iceberg::TableMetadata& metadata, const OptionMap& overrides) {
  OptionMap properties = metadata.properties;
  for (const auto& [key, value] : overrides) properties.insert_or_assign(key, value);
  return properties;
}

void CheckFormat(const OptionMap& properties) {
  const std::string format = property::GetString(properties, property::kWriteFormat, "parquet");
  const std::string lower = iceberg::LowerAscii(format);
  if (lower == "parquet") return;
  if (lower == "orc" || lower == "avro") {
    throw Unsupported("data files can't be written as {}: set '{}' = 'parquet'", format, property::kWriteFormat);
  }
  throw InvalidArgument("'{}' = '{}' is no file format: set it to 'parquet'", property::kWriteFormat, format);
}

int64_t TargetFileSize(const OptionMap& properties) {
  const int64_t size = property::GetInt(properties, property::kTargetFileSize, int64_t{512} << 20);
  if (size <= 0) throw InvalidArgument("'{}' = {}: a size above 0 is needed", property::kTargetFileSize, size);
  return size;
}

/// What all files of a writer share, and the names that it gives them.
class DataFileFactory {
 public:
  DataFileFactory(iceberg::TableMetadataPtr metadata, std::shared_ptr<storage::FileIO> io, TaskWriterOptions options,
                  const OptionMap& properties)
      : metadata_(std::move(metadata)),
        io_(std::move(io)),
        options_(std::move(options)),
        locations_(*metadata_),
        parquet_options_(datafile::ResolveParquetWriteOptions(metadata_->schema(), properties)),
        target_size_(TargetFileSize(properties)) {}

  std::unique_ptr<datafile::DataFileWriter> Open(const PartitionValues& partition) {
    const std::string name = fmt::format("{:05d}-{}-{}-{:05d}.parquet", options_.subtask, options_.attempt,
                                         options_.operation_id, ++file_count_);
    const std::string path = spec().is_unpartitioned() ? "" : PartitionPath(spec(), metadata_->schema(), partition);
    return datafile::OpenParquetWriter(io_->Create(locations_.DataFileLocation(path, name)), metadata_->schema(),
                                       parquet_options_);
  }

  const iceberg::TableMetadata& metadata() const { return *metadata_; }
  const iceberg::PartitionSpec& spec() const { return metadata_->spec(); }
  int64_t target_size() const { return target_size_; }
  storage::FileIO& io() const { return *io_; }

 private:
  iceberg::TableMetadataPtr metadata_;
  std::shared_ptr<storage::FileIO> io_;
  TaskWriterOptions options_;
  LocationProvider locations_;
  std::shared_ptr<const datafile::ParquetWriteOptions> parquet_options_;
  int64_t target_size_;
  int64_t file_count_ = 0;
};

/// The files of one partition, one after another.
class RollingWriter {
 public:
  RollingWriter(DataFileFactory& factory, PartitionValues partition)
      : factory_(factory), partition_(std::move(partition)) {}

  /// Files that reach the target size are appended to `closed`.
  void Write(const arrow::RecordBatch& rows, std::vector<DataFile>& closed) {
    for (int64_t start = 0; start < rows.num_rows(); start += kRowsPerSizeCheck) {
      if (!open_) open_ = factory_.Open(partition_);
      if (rows.num_rows() <= kRowsPerSizeCheck) {
        open_->Write(rows);
      } else {
        open_->Write(*rows.Slice(start, kRowsPerSizeCheck));
      }
      if (open_->EstimatedSize() >= factory_.target_size()) Close(closed);
    }
  }

  /// Closes the open file, if there is one.
  void Close(std::vector<DataFile>& closed) {
    if (!open_) return;
    const std::unique_ptr<datafile::DataFileWriter> writer = std::move(open_);
    DataFile file = writer->Close();
    file.partition = partition_;
    file.spec_id = factory_.spec().spec_id;
    file.sort_order_id = 0;  // unsorted, as Java notes for every data file that it writes without an order
    closed.push_back(std::move(file));
  }

  /// The open file leaves nothing behind.
  void Abandon() noexcept { open_.reset(); }

 private:
  DataFileFactory& factory_;
  PartitionValues partition_;
  std::unique_ptr<datafile::DataFileWriter> open_;
};

/// What all task writers do with closed files. A derived writer knows the open ones.
class RollingTaskWriter : public TaskWriter {
 public:
  explicit RollingTaskWriter(DataFileFactory factory) : factory_(std::move(factory)) {}

  void Write(const arrow::RecordBatch& rows) final {
    if (rows.num_rows() == 0) return;
    InTable([&] { WriteRows(rows); });
  }

  std::vector<DataFile> Complete() final {
    InTable([&] { CloseOpenFiles(); });
    return std::exchange(closed_, {});
  }

  void Abort() noexcept final {
    AbandonOpenFiles();
    for (const DataFile& file : closed_) {
      try {
        factory_.io().Delete(file.file_path);
      } catch (const std::exception& e) {
        // Nobody refers to the file: what remains is an orphan that clean-up finds.
        spdlog::warn("could not delete the abandoned data file {}: {}", file.file_path, e.what());
      }
    }
    closed_.clear();
  }

 protected:
  virtual void WriteRows(const arrow::RecordBatch& rows) = 0;
  virtual void CloseOpenFiles() = 0;
  virtual void AbandonOpenFiles() noexcept = 0;

  DataFileFactory factory_;
  std::vector<DataFile> closed_;

 private:
  template <typename Call>
  void InTable(const Call& call) {
    try {
      call();
    } catch (const Error& e) {
      throw e.WithContext(fmt::format("writing to the table at {}", factory_.metadata().location));
    }
  }
};

class UnpartitionedWriter final : public RollingTaskWriter {
 public:
  // A spec of void fields only has values all the same: one null for each.
  explicit UnpartitionedWriter(DataFileFactory factory)
      : RollingTaskWriter(std::move(factory)), writer_(factory_, PartitionValues(factory_.spec().fields.size())) {}
  ~UnpartitionedWriter() override { Abort(); }

 private:
  void WriteRows(const arrow::RecordBatch& rows) override { writer_.Write(rows, closed_); }
  void CloseOpenFiles() override { writer_.Close(closed_); }
  void AbandonOpenFiles() noexcept override { writer_.Abandon(); }

  RollingWriter writer_;
};

/// One open file for each partition met since the last Complete().
class FanOutWriter final : public RollingTaskWriter {
 public:
  explicit FanOutWriter(DataFileFactory factory)
      : RollingTaskWriter(std::move(factory)), splitter_(factory_.metadata().schema(), factory_.spec()) {}
  ~FanOutWriter() override { Abort(); }

 private:
  void WriteRows(const arrow::RecordBatch& rows) override {
    splitter_.Split(rows, [&](const PartitionValues& partition, const arrow::RecordBatch& part) {
      auto it = writers_.find(partition);
      if (it == writers_.end()) it = writers_.try_emplace(partition, factory_, partition).first;
      it->second.Write(part, closed_);
    });
  }
  void CloseOpenFiles() override {
    for (auto& [partition, writer] : writers_) writer.Close(closed_);
    writers_.clear();
  }
  void AbandonOpenFiles() noexcept override { writers_.clear(); }

  PartitionSplitter splitter_;
  std::map<PartitionValues, RollingWriter, iceberg::PartitionOrder> writers_;
};

}  // namespace

std::unique_ptr<TaskWriter> MakeTaskWriter(iceberg::TableMetadataPtr metadata, std::shared_ptr<storage::FileIO> io,
                                           TaskWriterOptions options) {
  const OptionMap properties = EffectiveProperties(*metadata, options.overrides);
  CheckFormat(properties);
  const bool unpartitioned = metadata->spec().is_unpartitioned();
  DataFileFactory factory(std::move(metadata), std::move(io), std::move(options), properties);
  if (unpartitioned) return std::make_unique<UnpartitionedWriter>(std::move(factory));
  return std::make_unique<FanOutWriter>(std::move(factory));
}

}  // namespace frazil::write
