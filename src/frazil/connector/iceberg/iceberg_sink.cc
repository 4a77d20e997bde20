// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/iceberg/iceberg_sink.h"

#include <spdlog/spdlog.h>

#include "frazil/base/clock.h"
#include "frazil/base/error.h"
#include "frazil/base/uuid.h"
#include "frazil/connector/iceberg/committable.h"
#include "frazil/connector/iceberg/iceberg_committer.h"
#include "frazil/iceberg/table_properties.h"
#include "frazil/write/task_writer.h"

namespace frazil::connector::iceberg {

namespace {

namespace property = frazil::iceberg::property;
using frazil::iceberg::DataFile;
using frazil::iceberg::TableMetadata;

class IcebergSinkWriter final : public stream::SinkWriter {
 public:
  IcebergSinkWriter(const table::Table& table, const IcebergSinkOptions& options,
                    const stream::WriterInitContext& context)
      : metadata_(table.metadata_ptr()),
        table_name_(table.name()),
        flushed_files_(context.metrics.counter(context.task.metric_scope, "flushedDataFiles")),
        flush_duration_(context.metrics.gauge(context.task.metric_scope, "lastFlushDurationMs")) {
    write::TaskWriterOptions writer_options;
    writer_options.subtask = context.task.subtask;
    writer_options.attempt = static_cast<int32_t>(context.task.attempt);
    writer_options.operation_id = ToString(RandomUuid());
    writer_options.overrides = options.property_overrides;
    writer_ = write::MakeTaskWriter(metadata_, table.io(), std::move(writer_options));
  }

  void Write(stream::ChangeBatch batch) override {
    if (batch.row_kinds != nullptr) {
      throw Unsupported(
          "table {}: the input has updates or deletes, which the Iceberg sink can't apply yet; it appends "
          "inserts only",
          table_name_);
    }
    writer_->Write(*batch.rows);
  }

  std::vector<std::string> PrepareCommit(int64_t, bool) override {
    int64_t start = NowMillis();
    std::vector<DataFile> files = writer_->Complete();
    flush_duration_.Set(NowMillis() - start);
    if (files.empty()) return {};
    flushed_files_.Add(static_cast<int64_t>(files.size()));
    return {EncodeDataFiles(files, *metadata_)};
  }

  void Abort() noexcept override { writer_->Abort(); }

 private:
  frazil::iceberg::TableMetadataPtr metadata_;
  std::string table_name_;
  std::unique_ptr<write::TaskWriter> writer_;
  Counter& flushed_files_;
  Gauge& flush_duration_;
};

class IcebergSink final : public stream::Sink {
 public:
  IcebergSink(table::Table table, IcebergSinkOptions options)
      : table_(std::move(table)), options_(std::move(options)) {}

  std::unique_ptr<stream::SinkWriter> CreateWriter(const stream::WriterInitContext& context) override {
    return std::make_unique<IcebergSinkWriter>(table_, options_, context);
  }
  std::unique_ptr<stream::Committer> CreateCommitter(const stream::CommitterInitContext& context) override {
    return std::make_unique<IcebergCommitter>(table_, options_, context);
  }

 private:
  const table::Table table_;
  const IcebergSinkOptions options_;
};

/// What `distribution-mode` asks for beyond leaving rows where they are (Flink's decision table, no equality fields).
void CheckDistribution(std::string mode, const TableMetadata& metadata, std::string_view table_name) {
  for (char& c : mode) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (mode == "none") return;
  if (mode != "hash" && mode != "range") {
    throw InvalidArgument("table {}: distribution mode '{}': expected none, hash or range", table_name, mode);
  }
  if (mode == "hash" && metadata.spec().is_unpartitioned()) {
    spdlog::warn("table {}: distribution mode 'hash' has no effect, the table is not partitioned", table_name);
    return;
  }
  throw Unsupported(
      "table {}: distribution mode '{}' is not supported yet; set the option 'distribution-mode' = 'none'", table_name,
      mode);
}

void RefuseIfTrue(OptionReader& reader, std::string_view key, std::string_view table_name) {
  if (reader.GetBool(key).value_or(false))
    throw Unsupported("table {}: '{}' = 'true' is not supported yet", table_name, key);
}

void RefuseIfSet(OptionReader& reader, std::string_view key, std::string_view table_name) {
  if (reader.GetString(key).has_value())
    throw Unsupported("table {}: the option '{}' is not supported yet", table_name, key);
}

}  // namespace

IcebergSinkOptions ResolveIcebergSinkOptions(const OptionMap& write_options, const TableMetadata& metadata,
                                             std::string_view table_name) {
  OptionReader reader(write_options, fmt::format("write options of table {}", table_name));
  IcebergSinkOptions options;
  auto over = [&](std::string_view key, const std::string& property_key) {
    if (std::optional<std::string> value = reader.GetString(key)) options.property_overrides[property_key] = *value;
  };
  over("write-format", property::kWriteFormat);
  over("target-file-size-bytes", property::kTargetFileSize);
  over("compression-codec", "write.parquet.compression-codec");
  over("compression-level", "write.parquet.compression-level");
  options.branch = reader.GetString("branch").value_or("main");
  options.uid_suffix = reader.GetString("uid-suffix").value_or("");
  options.allow_rewind = reader.GetBool("frazil.sink.allow-rewind").value_or(false);
  for (auto& [key, value] : reader.GetPrefixed("snapshot-property.")) options.snapshot_properties.emplace(key, value);
  if (std::optional<int64_t> parallelism = reader.GetInt64("write-parallelism")) {
    if (*parallelism < 1 || *parallelism > 4096)
      throw InvalidArgument("table {}: 'write-parallelism' must be between 1 and 4096", table_name);
    options.write_parallelism = static_cast<int>(*parallelism);
  }
  bool upsert =
      reader.GetBool("upsert-enabled").value_or(property::GetBool(metadata.properties, "write.upsert.enabled", false));
  if (upsert)
    throw Unsupported("table {}: upsert is not supported yet ('upsert-enabled', 'write.upsert.enabled')", table_name);
  RefuseIfTrue(reader, "overwrite-enabled", table_name);
  CheckDistribution(reader.GetString("distribution-mode")
                        .value_or(property::GetString(metadata.properties, property::kDistributionMode, "none")),
                    metadata, table_name);
  for (const char* key : {"compaction-enabled", "flink-maintenance.rewrite.enabled",
                          "flink-maintenance.expire-snapshots.enabled", "flink-maintenance.delete-orphan-files.enabled",
                          "flink-maintenance.convert-equality-deletes.enabled", "shred-variants"}) {
    RefuseIfTrue(reader, key, table_name);
  }
  for (const char* key :
       {"compression-strategy", "range-distribution-statistics-type", "range-distribution-sort-key-base-weight",
        "table-refresh-interval", "variant-inference-buffer-size"}) {
    RefuseIfSet(reader, key, table_name);
  }
  reader.RefuseUnread();
  return options;
}

std::unique_ptr<stream::Sink> MakeIcebergSink(table::Table table, IcebergSinkOptions options) {
  write::TaskWriterOptions probe;
  probe.operation_id = "probe";
  probe.overrides = options.property_overrides;
  write::MakeTaskWriter(table.metadata_ptr(), table.io(), std::move(probe));
  auto ref = table.metadata().refs.find(options.branch);
  if (ref != table.metadata().refs.end() && ref->second.type == frazil::iceberg::RefType::kTag) {
    throw InvalidArgument("table {}: '{}' is a tag, not a branch; tags can't be written to", table.name(),
                          options.branch);
  }
  return std::make_unique<IcebergSink>(std::move(table), std::move(options));
}

}  // namespace frazil::connector::iceberg
