// SPDX-License-Identifier: Apache-2.0
// Scans of batch queries: Iceberg tables, their metadata tables, bounded connector tables.
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "frazil/base/arrow_status.h"
#include "frazil/scan/metadata_table.h"
#include "frazil/scan/table_scan.h"
#include "frazil/sql/batch_operators.h"
#include "frazil/sql/bounded_source.h"
#include "frazil/sql/connector_table.h"

namespace frazil::sql {

namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

/// Rows without columns, for COUNT(*): the files' record counts are all there is to read.
class RowCountStream : public RowStream {
 public:
  explicit RowCountStream(scan::ScanPlan plan) : plan_(std::move(plan)) {}

  BatchPtr Next() override {
    if (next_ == plan_.tasks.size()) return nullptr;
    const int64_t rows = plan_.tasks[next_++].file.record_count;
    return arrow::RecordBatch::Make(arrow::schema(arrow::FieldVector{}), rows, arrow::ArrayVector{});
  }

 private:
  scan::ScanPlan plan_;
  size_t next_ = 0;
};

/// A whole table in memory, batch by batch.
class TableStream : public RowStream {
 public:
  explicit TableStream(std::shared_ptr<arrow::Table> table) : table_(std::move(table)), reader_(*table_) {}

  BatchPtr Next() override {
    BatchPtr batch;
    Check(reader_.ReadNext(&batch), "metadata table");
    return batch;
  }

 private:
  std::shared_ptr<arrow::Table> table_;
  arrow::TableBatchReader reader_;
};

std::unique_ptr<RowStream> ScanIceberg(const PlanNode& plan, const IcebergRelation& relation,
                                       const QueryContext& context) {
  const auto& scan = *plan.As<ScanNode>();
  scan::ScanOptions options;
  options.snapshot_id = relation.read.snapshot_id;
  options.as_of_ms = relation.read.as_of_ms;
  options.ref = relation.read.ref;
  options.filter = scan.filter;
  options.limit = scan.limit;
  for (const RowField& field : plan.output) options.columns.push_back(field.name);
  const std::shared_ptr<storage::FileIO>& io = relation.table.io();
  scan::ScanPlan files = scan::PlanScan(relation.table.metadata_ptr(), *io, options);
  if (plan.output.empty()) return std::make_unique<RowCountStream>(std::move(files));
  const auto num_files = static_cast<int>(std::max<size_t>(files.tasks.size(), 1));
  auto reader = scan::ReadScan(std::move(files), io, std::min(context.parallelism, num_files), scan.limit);
  return FromReader(std::move(reader), ToArrowSchema(plan.output), scan.relation->path.ToString());
}

std::unique_ptr<RowStream> ScanMetadata(const PlanNode& plan, const MetadataRelation& relation) {
  const auto& scan = *plan.As<ScanNode>();
  std::shared_ptr<arrow::Table> table = scan::MetadataTable(relation.metadata_table, relation.table.metadata(),
                                                            *relation.table.io(), relation.table.metadata_location());
  table = Unwrap(table->SelectColumns(scan.columns), scan.relation->path.ToString());
  if (scan.limit) table = table->Slice(0, *scan.limit);
  auto schema = table->schema();
  auto reader = ToReader(std::make_unique<TableStream>(std::move(table)), std::move(schema));
  return FromReader(std::move(reader), ToArrowSchema(plan.output), scan.relation->path.ToString());
}

}  // namespace

std::unique_ptr<RowStream> MakeScanStream(const PlanNode& plan, const QueryContext& context) {
  const auto& scan = *plan.As<ScanNode>();
  if (const auto* iceberg = scan.relation->As<IcebergRelation>()) return ScanIceberg(plan, *iceberg, context);
  if (const auto* metadata = scan.relation->As<MetadataRelation>()) return ScanMetadata(plan, *metadata);
  return ReadSource(MakeSource(*scan.relation, scan.columns), ToArrowSchema(plan.output),
                    scan.relation->path.ToString());
}

}  // namespace frazil::sql
