// SPDX-License-Identifier: Apache-2.0
#include <arrow/compute/cast.h>
#include <arrow/extension_type.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/io_util.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "frazil/base/arrow_compute.h"
#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"
#include "frazil/datafile/data_file_reader.h"
#include "frazil/datafile/projection.h"
#include "frazil/iceberg/arrow_schema.h"
#include "frazil/storage/file_io.h"

namespace frazil::datafile {

namespace {

using iceberg::NestedField;
using iceberg::TypeId;

/// A failed system call is the store's fault, anything else the file's.
[[noreturn]] void ThrowReadError(const arrow::Status& status, std::string_view location) {
  if (arrow::internal::ErrnoFromStatus(status) != 0 || status.IsOutOfMemory()) {
    throw Unavailable("cannot read {}: {}", location, status.message());
  }
  if (status.IsNotImplemented()) throw Unsupported("cannot read {}: {}", location, status.message());
  throw Corrupt("{} is not a readable Parquet file: {}", location, status.message());
}

/// Calls `read`, which returns a Result or throws Parquet's exceptions.
template <typename Read>
auto GuardRead(std::string_view location, Read&& read) {
  try {
    auto result = read();
    if (!result.ok()) ThrowReadError(result.status(), location);
    return std::move(result).ValueUnsafe();
  } catch (const parquet::ParquetStatusException& e) {
    ThrowReadError(e.status(), location);
  } catch (const parquet::ParquetException& e) {
    throw Corrupt("{} is not a readable Parquet file: {}", location, e.what());
  }
}

void RefuseEncryption(arrow::io::RandomAccessFile& file, std::string_view location) {
  constexpr std::string_view kEncryptedFooter = "PARE";
  int64_t size = GuardRead(location, [&] { return file.GetSize(); });
  if (size < 12) throw Corrupt("{} is not a readable Parquet file: it has {} bytes", location, size);
  auto tail = GuardRead(location, [&] { return file.ReadAt(size - 4, 4); });
  if (tail->ToString() == kEncryptedFooter) throw Unsupported("{} is encrypted: Frazil can't read it yet", location);
}

/// Without the large, dictionary and extension types of other writers: Parquet stores them alike, but a writer may
/// leave its Arrow schema in the file (PyIceberg does), and Arrow's reader then hands out those types.
std::shared_ptr<arrow::DataType> PlainType(const std::shared_ptr<arrow::DataType>& type) {
  auto plain = [&](int child) { return type->field(child)->WithType(PlainType(type->field(child)->type())); };
  switch (type->id()) {
    case arrow::Type::LARGE_STRING: return arrow::utf8();
    case arrow::Type::LARGE_BINARY: return arrow::binary();
    case arrow::Type::EXTENSION: return PlainType(static_cast<const arrow::ExtensionType&>(*type).storage_type());
    case arrow::Type::DICTIONARY: return PlainType(static_cast<const arrow::DictionaryType&>(*type).value_type());
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST: return arrow::list(plain(0));
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(*type);
      return std::make_shared<arrow::MapType>(map.key_field()->WithType(PlainType(map.key_type())),
                                              map.item_field()->WithType(PlainType(map.item_type())));
    }
    case arrow::Type::STRUCT: {
      arrow::FieldVector fields;
      for (int i = 0; i < type->num_fields(); ++i) fields.push_back(plain(i));
      return arrow::struct_(std::move(fields));
    }
    default: return type;
  }
}

bool HasFieldIds(const std::vector<parquet::arrow::SchemaField>& fields) {
  return std::any_of(fields.begin(), fields.end(), [](const parquet::arrow::SchemaField& field) {
    return iceberg::FieldIdOf(*field.field) >= 0 || HasFieldIds(field.children);
  });
}

int FirstLeaf(const parquet::arrow::SchemaField& field) {
  return field.children.empty() ? field.column_index : FirstLeaf(field.children[0]);
}

void CollectLeaves(const NestedField& wanted, const parquet::arrow::SchemaField& file, std::vector<int>* leaves);

/// The file's leaves for the wanted fields of a struct. A struct of which nothing stored is wanted is still read by one
/// leaf, which tells where it is null.
void CollectStructLeaves(const std::vector<NestedField>& wanted, const parquet::arrow::SchemaField& file,
                         std::vector<int>* leaves) {
  size_t before = leaves->size();
  for (const NestedField& field : wanted) {
    for (const parquet::arrow::SchemaField& child : file.children) {
      if (iceberg::FieldIdOf(*child.field) == field.id) CollectLeaves(field, child, leaves);
    }
  }
  if (leaves->size() == before) leaves->push_back(FirstLeaf(file));
}

/// Mismatches of shape are left for PlanColumns(), which has the words for them.
void CollectLeaves(const NestedField& wanted, const parquet::arrow::SchemaField& file, std::vector<int>* leaves) {
  switch (wanted.type.id()) {
    case TypeId::kUnknown: return;
    case TypeId::kStruct: return CollectStructLeaves(wanted.type.fields(), file, leaves);
    case TypeId::kList:
      if (file.children.size() == 1) return CollectLeaves(wanted.type.element(), file.children[0], leaves);
      break;
    case TypeId::kMap:
      if (file.children.size() == 1 && file.children[0].children.size() == 2) {
        CollectLeaves(wanted.type.key(), file.children[0].children[0], leaves);
        return CollectLeaves(wanted.type.value(), file.children[0].children[1], leaves);
      }
      break;
    default: break;
  }
  leaves->push_back(FirstLeaf(file));
}

int64_t StartOf(const parquet::RowGroupMetaData& group) {
  std::unique_ptr<parquet::ColumnChunkMetaData> first = group.ColumnChunk(0);
  return first->has_dictionary_page() ? std::min(first->dictionary_page_offset(), first->data_page_offset())
                                      : first->data_page_offset();
}

class ParquetDataFileReader final : public DataFileReader {
 public:
  ParquetDataFileReader(storage::FileIO& io, std::string_view location, const iceberg::Schema& projection,
                        const ReadOptions& options)
      : location_(location), batch_size_(options.batch_size), schema_(iceberg::ToArrowSchema(projection)) {
    std::shared_ptr<arrow::io::RandomAccessFile> file = io.Open(location);
    RefuseEncryption(*file, location_);
    parquet::ArrowReaderProperties properties;
    properties.set_batch_size(options.batch_size);
    properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
    reader_ = GuardRead(location_, [&] {
      return parquet::arrow::FileReader::Make(arrow::default_memory_pool(), parquet::ParquetFileReader::Open(file),
                                              properties);
    });
    const auto& fields = reader_->manifest().schema_fields;
    if (!HasFieldIds(fields)) {
      throw Unsupported("{} has no field ids: reading it by name needs a name mapping, which Frazil doesn't do yet",
                        location_);
    }
    ChooseRowGroups(options);
    ChooseColumns(projection, options);
  }

  std::shared_ptr<arrow::RecordBatch> Next() override {
    while (true) {
      if (leaves_.empty()) return NextWithoutColumns();
      if (batches_ == nullptr && !OpenNextRowGroup()) return nullptr;
      std::shared_ptr<arrow::RecordBatch> batch = GuardRead(location_, [&] { return batches_->Next(); });
      if (batch == nullptr) {
        batches_.reset();
      } else if (batch->num_rows() > 0) {
        return Project(PlainColumns(*batch), batch->num_rows());
      }
    }
  }

 private:
  void ChooseRowGroups(const ReadOptions& options) {
    std::shared_ptr<parquet::FileMetaData> footer = reader_->parquet_reader()->metadata();
    for (int group = 0; group < footer->num_row_groups(); ++group) {
      GuardRead(location_, [&]() -> arrow::Result<bool> {
        std::unique_ptr<parquet::RowGroupMetaData> metadata = footer->RowGroup(group);
        int64_t start = metadata->num_columns() == 0 ? 0 : StartOf(*metadata);
        bool in_split = start >= options.split_start &&
                        (!options.split_length || start - options.split_start < *options.split_length);
        if (in_split) row_groups_.push_back({group, metadata->num_rows()});
        return in_split;
      });
    }
  }

  void ChooseColumns(const iceberg::Schema& projection, const ReadOptions& options) {
    for (const NestedField& field : projection.fields()) {
      for (const parquet::arrow::SchemaField& column : reader_->manifest().schema_fields) {
        if (iceberg::FieldIdOf(*column.field) == field.id) CollectLeaves(field, column, &leaves_);
      }
    }
    arrow::FieldVector sources;
    const std::shared_ptr<arrow::Schema> stored = ReadSchema();
    for (const auto& field : stored->fields()) sources.push_back(field->WithType(PlainType(field->type())));
    sources_ = arrow::schema(std::move(sources));
    try {
      plans_ = PlanColumns(projection, *sources_, options.constants);
    } catch (const Error& e) {
      throw e.WithContext(location_);
    }
  }

  /// What the file's reader will hand out: its columns in its own order, without what isn't wanted.
  std::shared_ptr<arrow::Schema> ReadSchema() {
    if (leaves_.empty()) return arrow::schema({});
    auto empty = GuardRead(location_, [&] { return reader_->GetRecordBatchReader({}, leaves_); });
    return empty->schema();
  }

  /// One row group at a time, so that no more than one is held in memory.
  bool OpenNextRowGroup() {
    if (next_group_ == row_groups_.size()) return false;
    int group = row_groups_[next_group_++].index;
    batches_ = GuardRead(location_, [&] { return reader_->GetRecordBatchReader({group}, leaves_); });
    return true;
  }

  /// Only the number of rows comes from the file.
  std::shared_ptr<arrow::RecordBatch> NextWithoutColumns() {
    while (next_group_ < row_groups_.size() && group_row_ == row_groups_[next_group_].rows) {
      ++next_group_;
      group_row_ = 0;
    }
    if (next_group_ == row_groups_.size()) return nullptr;
    int64_t rows = std::min(batch_size_, row_groups_[next_group_].rows - group_row_);
    group_row_ += rows;
    return Project({}, rows);
  }

  arrow::ArrayVector PlainColumns(const arrow::RecordBatch& batch) const {
    arrow::ArrayVector columns = batch.columns();
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::shared_ptr<arrow::DataType>& type = sources_->field(static_cast<int>(i))->type();
      if (columns[i]->type()->Equals(*type)) continue;
      InitializeArrowCompute();
      columns[i] = GuardRead(location_, [&] { return arrow::compute::Cast(*columns[i], type); });
    }
    return columns;
  }

  std::shared_ptr<arrow::RecordBatch> Project(const arrow::ArrayVector& sources, int64_t rows) const {
    arrow::ArrayVector columns;
    try {
      for (const ColumnPlan& plan : plans_) columns.push_back(MakeColumn(plan, sources, rows));
    } catch (const Error& e) {
      throw e.WithContext(location_);
    }
    return arrow::RecordBatch::Make(schema_, rows, std::move(columns));
  }

  struct RowGroup {
    int index;
    int64_t rows;
  };

  const std::string location_;
  const int64_t batch_size_;
  const std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::Schema> sources_;  ///< the file's columns that are read, of plain types
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::vector<int> leaves_;
  std::vector<ColumnPlan> plans_;
  std::vector<RowGroup> row_groups_;
  size_t next_group_ = 0;
  int64_t group_row_ = 0;
  std::unique_ptr<arrow::RecordBatchReader> batches_;  ///< of the current row group; reads through reader_
};

}  // namespace

std::unique_ptr<DataFileReader> OpenParquetReader(storage::FileIO& io, std::string_view location,
                                                  const iceberg::Schema& projection, const ReadOptions& options) {
  if (options.batch_size <= 0) throw InvalidArgument("a batch of {} rows", options.batch_size);
  return std::make_unique<ParquetDataFileReader>(io, location, projection, options);
}

}  // namespace frazil::datafile
