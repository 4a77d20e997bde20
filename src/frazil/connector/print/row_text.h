// SPDX-License-Identifier: Apache-2.0
// Rows as Flink's print sink writes them: Java's spelling of each value.
#pragma once

#include <cstdint>
#include <string>

#include <arrow/type_fwd.h>

#include "frazil/stream/change_batch.h"

namespace frazil::connector {

/// "+I[1, a, null]".
void AppendRow(const stream::ChangeBatch& batch, int64_t row, std::string& out);

/// One value: "null", "true", "1.0", "1.0E10", "12.30", "2024-01-31", "10:15:30.123", "2024-01-31T10:15:30" (with a "Z"
/// for a timestamp with zone), text as it is, bytes as "[1, -2]", "[a, b]", "{k=v}", "+I[1, a]" for a nested row.
/// Throws Unsupported for a type that no Flink type stands for.
void AppendValue(const arrow::Array& array, int64_t index, std::string& out);

}  // namespace frazil::connector
