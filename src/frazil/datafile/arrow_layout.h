// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/type_fwd.h>

#include "frazil/iceberg/schema.h"

namespace frazil::datafile {

/// Throws InvalidArgument naming the column unless the columns of `arrow_schema` are those of `schema`, in order, in
/// ToArrowType()'s types. Names and nullability inside nested types don't matter.
void CheckArrowLayout(const iceberg::Schema& schema, const arrow::Schema& arrow_schema);

}  // namespace frazil::datafile
