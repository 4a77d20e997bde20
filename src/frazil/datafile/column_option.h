// SPDX-License-Identifier: Apache-2.0
// Options whose key ends in a column: "write.parquet.bloom-filter-enabled.column.<full name>".
#pragma once

#include <string_view>
#include <utility>

#include "frazil/base/error.h"
#include "frazil/base/options.h"
#include "frazil/iceberg/schema.h"

namespace frazil::datafile {

/// Calls `visit(field, key, value)` for each key below `prefix`. Throws InvalidArgument for a column that the schema
/// lacks or that is not primitive.
template <typename Visit>
void ForEachColumnOption(const iceberg::Schema& schema, const OptionMap& properties, std::string_view prefix,
                         Visit&& visit) {
  for (auto it = properties.lower_bound(prefix); it != properties.end() && it->first.starts_with(prefix); ++it) {
    std::string_view column = std::string_view(it->first).substr(prefix.size());
    const iceberg::NestedField* field = schema.FindField(column);
    if (field == nullptr) {
      throw InvalidArgument(
          "'{}' is set for a column that the table doesn't have: remove it or name one of its columns", it->first);
    }
    if (!field->type.is_primitive()) {
      throw InvalidArgument("'{}' is set for a {} column: it applies to primitive columns", it->first,
                            field->type.ToString());
    }
    visit(*field, std::string_view(it->first), std::string_view(it->second));
  }
}

}  // namespace frazil::datafile
