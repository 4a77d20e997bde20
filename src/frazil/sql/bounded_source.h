// SPDX-License-Identifier: Apache-2.0
// A bounded source read without a job: for batch queries over connector tables.
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "frazil/sql/row_stream.h"
#include "frazil/stream/source.h"

namespace frazil::sql {

/// All rows of `source`, read by the thread that asks for them. `name` is the table's, for messages.
std::unique_ptr<RowStream> ReadSource(std::unique_ptr<stream::Source> source, std::shared_ptr<arrow::Schema> schema,
                                      std::string name);

}  // namespace frazil::sql
