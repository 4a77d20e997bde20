// SPDX-License-Identifier: Apache-2.0
// What the tests of this room share: rows from JSON, files written and read in one call.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/array/concatenate.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>

#include "frazil/datafile/data_file_reader.h"
#include "frazil/datafile/data_file_writer.h"
#include "frazil/iceberg/arrow_schema.h"
#include "frazil/storage/file_io.h"
#include "support/support.h"

namespace frazil::datafile {

/// One column of JSON for each field of `schema`.
inline std::shared_ptr<arrow::RecordBatch> Rows(const iceberg::Schema& schema, const std::vector<std::string>& json) {
  arrow::ArrayVector columns;
  for (size_t i = 0; i < json.size(); ++i) {
    columns.push_back(
        arrow::json::ArrayFromJSONString(iceberg::ToArrowType(schema.fields()[i].type), json[i]).ValueOrDie());
  }
  return arrow::RecordBatch::Make(iceberg::ToArrowSchema(schema), columns[0]->length(), columns);
}

inline iceberg::DataFile WriteFile(const std::string& path, const iceberg::Schema& schema,
                                   const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
                                   const OptionMap& properties = {}) {
  auto io = storage::MakeFileIO({});
  auto writer = OpenParquetWriter(io->Create(path), schema, ResolveParquetWriteOptions(schema, properties));
  for (const auto& batch : batches) writer->Write(*batch);
  return writer->Close();
}

inline std::vector<std::shared_ptr<arrow::RecordBatch>> ReadBatches(const std::string& path,
                                                                    const iceberg::Schema& projection,
                                                                    const ReadOptions& options = {}) {
  auto io = storage::MakeFileIO({});
  auto reader = OpenParquetReader(*io, path, projection, options);
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  while (auto batch = reader->Next()) {
    EXPECT_TRUE(batch->ValidateFull().ok()) << batch->ValidateFull().ToString();
    batches.push_back(std::move(batch));
  }
  return batches;
}

/// All rows of one column.
inline std::shared_ptr<arrow::Array> ReadColumn(const std::string& path, const iceberg::Schema& projection,
                                                int column = 0, const ReadOptions& options = {}) {
  arrow::ArrayVector parts;
  for (const auto& batch : ReadBatches(path, projection, options)) parts.push_back(batch->column(column));
  if (parts.empty()) return arrow::MakeEmptyArray(iceberg::ToArrowType(projection.fields()[column].type)).ValueOrDie();
  return arrow::Concatenate(parts).ValueOrDie();
}

inline void ExpectColumn(const std::shared_ptr<arrow::Array>& actual, const std::string& json) {
  auto expected = arrow::json::ArrayFromJSONString(actual->type(), json).ValueOrDie();
  EXPECT_TRUE(actual->Equals(*expected)) << "expected " << expected->ToString() << "\nactual " << actual->ToString();
}

}  // namespace frazil::datafile
