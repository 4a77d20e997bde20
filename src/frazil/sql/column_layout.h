// SPDX-License-Identifier: Apache-2.0
// The same values under another Arrow type: what differs between rooms is only names, nullability and metadata of
// nested fields.
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

namespace frazil::sql {

/// `values` as `type`, without a copy. Throws Internal if the memory layouts differ.
std::shared_ptr<arrow::Array> WithType(const std::shared_ptr<arrow::Array>& values,
                                       const std::shared_ptr<arrow::DataType>& type);

/// The same for each column; `batch` itself if its schema is `schema`, metadata included.
std::shared_ptr<arrow::RecordBatch> WithSchema(const std::shared_ptr<arrow::RecordBatch>& batch,
                                               const std::shared_ptr<arrow::Schema>& schema);

}  // namespace frazil::sql
