// SPDX-License-Identifier: Apache-2.0
// Row filters by column name, for pruning (Java: Expressions). Values, evaluated never on rows but on bounds and
// partitions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frazil/iceberg/literal.h"
#include "frazil/iceberg/manifest.h"
#include "frazil/iceberg/partition_spec.h"

namespace frazil::iceberg {

struct Expression {
  enum class Op {
    kTrue,
    kFalse,
    kAnd,
    kOr,
    kNot,
    kIsNull,
    kNotNull,
    kIsNan,
    kNotNan,
    kLt,
    kLtEq,
    kGt,
    kGtEq,
    kEq,
    kNotEq,
    kIn,
    kNotIn,
    kStartsWith,
    kNotStartsWith
  };
  Op op = Op::kTrue;
  std::vector<Expression> children;  ///< and, or: two or more; not: one
  std::string column;                ///< predicates: full name
  std::vector<Literal> values;       ///< predicates: one, or many for kIn; of the column's type
};

/// False only if no row of the file can match: by its partition values (through the transforms) and its column bounds.
bool MayMatch(const Expression& filter, const Schema& schema, const PartitionSpec& spec, const DataFile& file,
              bool case_sensitive = true);
/// False only if no file of the manifest can match, by the partition summaries.
bool MayMatch(const Expression& filter, const Schema& schema, const PartitionSpec& spec, const ManifestFile& manifest,
              bool case_sensitive = true);

}  // namespace frazil::iceberg
