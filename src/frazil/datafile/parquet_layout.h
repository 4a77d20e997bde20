// SPDX-License-Identifier: Apache-2.0
// An Iceberg schema as a Parquet schema (spec: appendix A, "Parquet"): field ids at every level, and for each leaf
// column the way to it through nested values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frazil/iceberg/schema.h"

namespace parquet::schema {
class GroupNode;
}

namespace frazil::datafile {

/// One node on the way from a top-level column to a leaf.
struct LevelStep {
  enum class Kind { kStruct, kList, kMapKeys, kMapValues, kLeaf };
  Kind kind = Kind::kLeaf;
  bool nullable = false;
  int child = 0;  ///< kStruct only: which of its fields comes next
};

struct LeafColumn {
  int32_t field_id = 0;
  std::string full_name;  ///< Iceberg's, for errors: "tags.element"
  std::string path;       ///< Parquet's, dotted: "tags.list.element"
  iceberg::Type type;
  bool is_repeated = false;  ///< inside a list or map
  bool is_required = false;  ///< itself; a parent may be null
  int column = 0;            ///< the top-level column of the schema that it belongs to
  std::vector<LevelStep> steps;
  int16_t max_definition_level = 0;
  int16_t max_repetition_level = 0;
};

struct ParquetLayout {
  std::shared_ptr<parquet::schema::GroupNode> root;
  std::vector<LeafColumn> leaves;  ///< in the order of the file's columns
};

/// Columns of type unknown are not stored (spec). Throws Unsupported for variant and geo types, for unknown inside
/// nested types, for a struct without fields and a schema without columns.
ParquetLayout MakeParquetLayout(const iceberg::Schema& schema);

/// Java's Parquet name of an Iceberg name: letters, digits and '_' stay, anything else becomes _x<hex> (also keeps dots
/// out of paths). Bytes outside ASCII count as letters.
std::string ParquetName(const std::string& name);

/// Bytes of the shortest two's complement that holds every decimal of this precision.
int DecimalByteLength(int precision);

}  // namespace frazil::datafile
