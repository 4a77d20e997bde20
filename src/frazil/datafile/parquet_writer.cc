// SPDX-License-Identifier: Apache-2.0
#include <arrow/io/interfaces.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "frazil/base/fault.h"
#include "frazil/datafile/arrow_layout.h"
#include "frazil/datafile/data_file_writer.h"
#include "frazil/datafile/encoding_choice.h"
#include "frazil/datafile/levels.h"
#include "frazil/datafile/parquet_error.h"
#include "frazil/datafile/parquet_metrics.h"
#include "frazil/datafile/parquet_write_options.h"
#include "frazil/storage/file_io.h"

namespace frazil::datafile {

namespace {

/// Rows that are held back until the encodings are chosen.
constexpr int64_t kSampleRows = 16 << 10;
constexpr int64_t kSampleBytes = 8 << 20;

class ParquetDataFileWriter final : public DataFileWriter {
 public:
  ParquetDataFileWriter(std::unique_ptr<storage::OutputFile> output, std::shared_ptr<const ParquetWriteOptions> options)
      : output_(std::move(output)),
        options_(std::move(options)),
        leaves_(options_->layout().leaves),
        context_(EncodePool(), arrow_properties_.get()) {
    for (const LeafColumn& leaf : leaves_) {
      const MetricsMode& mode = options_->metrics_modes().at(leaf.field_id);
      bool tallied = ValueTally::Covers(leaf.type.id()) && mode.has_counts();
      tallies_.push_back(tallied ? std::optional<ValueTally>(leaf.type.id()) : std::nullopt);
    }
    if (auto encodings = options_->encoding_memory().Recall()) OpenFile(*encodings);
  }

  void Write(const arrow::RecordBatch& rows) override {
    CheckLayout(rows);
    rows_written_ += rows.num_rows();
    if (file_ == nullptr) {
      held_back_.push_back(rows.Slice(0));
      held_back_bytes_ += Unwrap(arrow::util::ReferencedBufferSize(rows), output_->location());
      if (rows_written_ >= kSampleRows || held_back_bytes_ >= kSampleBytes) ReleaseHeldBack();
      return;
    }
    WriteRows(rows);
  }

  int64_t EstimatedSize() const override { return output_->Tell() + held_back_bytes_ + GroupBytes(); }

  int64_t rows_written() const override { return rows_written_; }

  iceberg::DataFile Close() override {
    FaultPoint("data-file-close.before");
    if (file_ == nullptr) ReleaseHeldBack();
    GuardParquetWrite(output_->location(), [&] {
      CloseRowGroup();
      file_->Close();
    });
    iceberg::DataFile file;
    file.file_path = output_->location();
    file.file_format = "parquet";
    file.record_count = rows_written_;
    file.file_size_in_bytes = output_->Tell();
    file.metrics = MetricsOf(*file_->metadata(), leaves_, tallies_, options_->metrics_modes());
    file.split_offsets = SplitOffsetsOf(*file_->metadata());
    file_.reset();
    output_->Close();
    FaultPoint("data-file-close.after");
    return file;
  }

 private:
  /// Cheap for batches of one stream: they share their schema.
  void CheckLayout(const arrow::RecordBatch& rows) {
    if (rows.schema() == known_schema_) return;
    CheckArrowLayout(options_->schema(), *rows.schema());
    known_schema_ = rows.schema();
  }

  void OpenFile(const std::vector<LeafEncoding>& encodings) {
    auto sink = std::shared_ptr<arrow::io::OutputStream>(&output_->stream(), [](arrow::io::OutputStream*) {});
    file_ = GuardParquetWrite(output_->location(), [&] {
      return parquet::ParquetFileWriter::Open(sink, options_->layout().root, options_->MakeProperties(encodings),
                                              arrow::key_value_metadata({"iceberg.schema"}, {options_->schema_json()}));
    });
  }

  /// Chooses the encodings by the rows held back, opens the file and writes them.
  void ReleaseHeldBack() {
    std::vector<LeafEncoding> encodings = ChooseEncodings();
    OpenFile(encodings);
    if (rows_written_ >= kSampleRows) options_->encoding_memory().Learn(std::move(encodings));
    for (const auto& rows : held_back_) WriteRows(*rows);
    held_back_.clear();
    held_back_bytes_ = 0;
  }

  std::vector<LeafEncoding> ChooseEncodings() {
    std::vector<LeafEncoding> encodings;
    for (const LeafColumn& leaf : leaves_) {
      LeafSample sample(leaf.type);
      for (const auto& rows : held_back_) sample.Add(*shredder_.Shred(leaf, rows->column(leaf.column)).values);
      std::optional<bool> forced = options_->leaf(leaf.field_id).dictionary;
      LeafEncoding encoding;
      encoding.dictionary = forced ? *forced : sample.SuitsDictionary(options_->dictionary_bytes());
      if (!encoding.dictionary && options_->adapts_zstd()) encoding.effort = sample.CheapestEffort();
      encodings.push_back(encoding);
    }
    return encodings;
  }

  /// In runs: sizes of pages and row groups are only looked at between them.
  void WriteRows(const arrow::RecordBatch& rows) {
    int64_t max_rows = RowsPerRun(rows);
    int64_t row = 0;
    while (row < rows.num_rows()) {
      if (group_ == nullptr) OpenRowGroup();
      int64_t count = std::min(rows.num_rows() - row, max_rows);
      WriteRun(*rows.Slice(row, count));
      row += count;
      group_rows_ += count;
      if (group_rows_ >= options_->check_min_rows() && GroupBytes() >= options_->row_group_bytes()) {
        GuardParquetWrite(output_->location(), [&] { CloseRowGroup(); });
      }
    }
  }

  /// As many rows as the widest column fills half a page with, so that no page grows far beyond its size.
  int64_t RowsPerRun(const arrow::RecordBatch& rows) const {
    int64_t widest = 1;
    for (const auto& column : rows.columns()) {
      widest = std::max(widest, Unwrap(arrow::util::ReferencedBufferSize(*column), output_->location()));
    }
    int64_t half_page_rows = rows.num_rows() * (options_->page_bytes() / 2) / widest;
    return std::clamp<int64_t>(half_page_rows, 1, options_->check_max_rows());
  }

  void WriteRun(const arrow::RecordBatch& rows) {
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const LeafColumn& leaf = leaves_[i];
      ShreddedLeaf shredded = shredder_.Shred(leaf, rows.column(leaf.column));
      if (tallies_[i]) tallies_[i]->Add(*shredded.values);
      // Null slots of a required leaf lie below null structs: the levels say so, and Parquet wants plain slots.
      bool nullable = leaf.steps.back().nullable;
      if (!nullable) shredded.values = WithoutNulls(shredded.values);
      GuardParquetWrite(output_->location(), [&] {
        Check(group_->column(static_cast<int>(i))
                  ->WriteArrow(shredded.definition_levels, shredded.repetition_levels, shredded.level_count,
                               *shredded.values, &context_, nullable),
              output_->location());
      });
    }
  }

  void OpenRowGroup() {
    GuardParquetWrite(output_->location(), [&] { group_ = file_->AppendBufferedRowGroup(); });
    group_rows_ = 0;
  }

  void CloseRowGroup() {
    if (group_ == nullptr) return;
    group_->Close();
    group_ = nullptr;
  }

  /// The open row group as it would be on disk: compressed pages, and what isn't a page yet.
  int64_t GroupBytes() const {
    if (group_ == nullptr) return 0;
    parquet::RowGroupWriter::BufferedStats open = group_->estimated_buffered_stats();
    int64_t open_bytes = open.def_level_bytes + open.rep_level_bytes + open.value_bytes + open.dict_bytes;
    int64_t page_bytes = options_->track_uncompressed()
                             ? group_->total_bytes_written()
                             : group_->total_compressed_bytes() + group_->total_compressed_bytes_written();
    return page_bytes + open_bytes;
  }

  // The Parquet writer writes to the output even while it is destroyed, so the output goes last.
  std::unique_ptr<storage::OutputFile> output_;
  const std::shared_ptr<const ParquetWriteOptions> options_;
  const std::vector<LeafColumn>& leaves_;
  const std::shared_ptr<parquet::ArrowWriterProperties> arrow_properties_ = parquet::default_arrow_writer_properties();
  parquet::ArrowWriteContext context_;
  LevelShredder shredder_;
  std::vector<std::optional<ValueTally>> tallies_;
  std::shared_ptr<arrow::Schema> known_schema_;

  std::vector<std::shared_ptr<arrow::RecordBatch>> held_back_;
  int64_t held_back_bytes_ = 0;
  int64_t rows_written_ = 0;

  std::unique_ptr<parquet::ParquetFileWriter> file_;
  parquet::RowGroupWriter* group_ = nullptr;  ///< owned by file_
  int64_t group_rows_ = 0;
};

}  // namespace

std::unique_ptr<DataFileWriter> OpenParquetWriter(std::unique_ptr<storage::OutputFile> output,
                                                  const iceberg::Schema& schema,
                                                  std::shared_ptr<const ParquetWriteOptions> options) {
  if (!schema.SameAs(options->schema())) {
    throw InvalidArgument("{}: the schema is not the one that the write options were resolved for", output->location());
  }
  return std::make_unique<ParquetDataFileWriter>(std::move(output), std::move(options));
}

}  // namespace frazil::datafile
