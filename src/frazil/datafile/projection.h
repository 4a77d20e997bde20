// SPDX-License-Identifier: Apache-2.0
// From the columns that a file has to the columns that are wanted, by field id (spec: "Column Projection").
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/iceberg/literal.h"
#include "frazil/iceberg/schema.h"

namespace frazil::datafile {

/// How one wanted column comes about. A tree, as its type is.
struct ColumnPlan {
  enum class Kind {
    kSupplied,  ///< `value` in every row; the file has no such column
    kRetype,    ///< the same bytes under another Arrow type (or the same)
    kConvert,   ///< a promotion: each number converted, times `multiplier`, by `divisor`
    kStruct,
    kList,
    kMap,
  };
  Kind kind = Kind::kRetype;
  std::string name;                       ///< full name, for errors
  std::shared_ptr<arrow::DataType> type;  ///< what comes out: ToArrowType()
  int source = -1;                        ///< which column, or which child of a struct, of the file's; −1: kSupplied
  iceberg::Literal value;
  iceberg::Type value_type;
  int64_t multiplier = 1;
  int64_t divisor = 1;
  std::vector<ColumnPlan> children;  ///< struct: one a field; list: the element; map: key and value
};

/// Plans for all fields of `wanted` over the fields of a file (or of a struct in it), which carry "PARQUET:field_id".
/// `constants`: values by field id for columns that the file lacks. Throws Corrupt if a type can't be promoted or a
/// required column is missing and nothing supplies it.
std::vector<ColumnPlan> PlanColumns(const iceberg::Schema& wanted, const arrow::Schema& file,
                                    const std::map<int32_t, iceberg::Literal>& constants);

/// The column of `rows` rows. `sources`: the file's columns.
std::shared_ptr<arrow::Array> MakeColumn(const ColumnPlan& plan, const arrow::ArrayVector& sources, int64_t rows);

}  // namespace frazil::datafile
