// SPDX-License-Identifier: Apache-2.0
// Iceberg schemas as Arrow schemas and back. Field ids travel as field metadata "PARQUET:field_id" at every level, the
// key that Arrow's Parquet writer and reader know.
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "frazil/iceberg/schema.h"

namespace frazil::iceberg {

/// The in-memory layout of a column: int → int32, date → date32, time → time64[us], timestamp → timestamp[us],
/// timestamptz → timestamp[us, UTC], *_ns → timestamp[ns], string → utf8, binary → binary, uuid →
/// fixed_size_binary(16), fixed → fixed_size_binary, decimal → decimal128, unknown → null. Throws Unsupported for
/// variant and geo types.
std::shared_ptr<arrow::DataType> ToArrowType(const Type& type);
std::shared_ptr<arrow::Field> ToArrowField(const NestedField& field);
std::shared_ptr<arrow::Schema> ToArrowSchema(const Schema& schema);

/// The field id of an Arrow field, −1 if it carries none.
int32_t FieldIdOf(const arrow::Field& field);

}  // namespace frazil::iceberg
