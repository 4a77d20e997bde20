// SPDX-License-Identifier: Apache-2.0
// Row filters by column name, for pruning (Java: Expressions, InclusiveMetricsEvaluator, ManifestEvaluator). Values,
// evaluated never on rows but on bounds and partitions.
#pragma once

#include <memory>
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

/// A filter bound to a schema and a partition spec, to ask about many files and manifests of that spec. Holds no
/// reference to what it was made from; thread-safe.
///
/// Pruning is conservative: what is missing (metrics, bounds, summaries), damaged (bounds of a wrong length, NaN
/// bounds, lower above upper) or not comparable (a literal of another type, NaN or null literals) never prunes.
/// Comparisons never match NaN; `−0.0` equals `0.0`; `<>` and NOT IN are taken to match nulls.
class FileFilter {
 public:
  /// Throws NotFound for a column that `schema` doesn't have.
  FileFilter(const Expression& filter, const Schema& schema, const PartitionSpec& spec, bool case_sensitive = true);
  ~FileFilter();
  FileFilter(FileFilter&&) noexcept;
  FileFilter& operator=(FileFilter&&) noexcept;

  bool MayMatch(const DataFile& file) const;
  bool MayMatch(const ManifestFile& manifest) const;

 private:
  struct Node;
  std::unique_ptr<const Node> root_;
};

/// False only if no row of the file can match: by its partition values (through the transforms) and its column bounds.
/// Throws NotFound as FileFilter, which is cheaper for many files.
bool MayMatch(const Expression& filter, const Schema& schema, const PartitionSpec& spec, const DataFile& file,
              bool case_sensitive = true);
/// False only if no file of the manifest can match, by the partition summaries.
bool MayMatch(const Expression& filter, const Schema& schema, const PartitionSpec& spec, const ManifestFile& manifest,
              bool case_sensitive = true);

}  // namespace frazil::iceberg
