// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/expression.h"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "frazil/base/error.h"

namespace frazil::iceberg {

namespace {

using Op = Expression::Op;

/// What is known of a set of values: a column of a file, or a partition field over the files of a manifest.
struct ValueRange {
  bool may_have_nulls = true;
  bool may_have_nans = true;
  bool may_have_values = true;   ///< neither null nor NaN
  std::optional<Literal> lower;  ///< of the values; nullopt: unknown
  std::optional<Literal> upper;
};

/// A test on one column or partition field. `values` are of `type`, never null or NaN.
struct Predicate {
  Op op = Op::kTrue;
  Type type;
  std::vector<Literal> values;
};

struct PartitionPredicate {
  size_t position = 0;  ///< of the field in the partition spec
  Predicate predicate;
};

Op Negate(Op op) {
  switch (op) {
    case Op::kTrue: return Op::kFalse;
    case Op::kFalse: return Op::kTrue;
    case Op::kAnd: return Op::kOr;
    case Op::kOr: return Op::kAnd;
    case Op::kNot: return Op::kNot;
    case Op::kIsNull: return Op::kNotNull;
    case Op::kNotNull: return Op::kIsNull;
    case Op::kIsNan: return Op::kNotNan;
    case Op::kNotNan: return Op::kIsNan;
    case Op::kLt: return Op::kGtEq;
    case Op::kLtEq: return Op::kGt;
    case Op::kGt: return Op::kLtEq;
    case Op::kGtEq: return Op::kLt;
    case Op::kEq: return Op::kNotEq;
    case Op::kNotEq: return Op::kEq;
    case Op::kIn: return Op::kNotIn;
    case Op::kNotIn: return Op::kIn;
    case Op::kStartsWith: return Op::kNotStartsWith;
    case Op::kNotStartsWith: return Op::kStartsWith;
  }
  throw Internal("unknown filter operation {}", static_cast<int>(op));
}

bool IsFloating(const Type& type) { return type.id() == TypeId::kFloat || type.id() == TypeId::kDouble; }

bool IsNan(const Literal& value) {
  if (const float* f = std::get_if<float>(&value)) return std::isnan(*f);
  if (const double* d = std::get_if<double>(&value)) return std::isnan(*d);
  return false;
}

bool HoldsTypeOf(const Type& type, const Literal& value) {
  switch (type.id()) {
    case TypeId::kBoolean: return std::holds_alternative<bool>(value);
    case TypeId::kInt:
    case TypeId::kDate: return std::holds_alternative<int32_t>(value);
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs: return std::holds_alternative<int64_t>(value);
    case TypeId::kFloat: return std::holds_alternative<float>(value);
    case TypeId::kDouble: return std::holds_alternative<double>(value);
    case TypeId::kDecimal: return std::holds_alternative<__int128>(value);
    case TypeId::kString:
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kBinary: return std::holds_alternative<std::string>(value);
    default: return false;  // no order is defined: nested, variant, geo, unknown
  }
}

/// `value` as a comparable value of `type`; nullopt if it is null, NaN or of a type that doesn't fit.
std::optional<Literal> AsComparable(const Type& type, const Literal& value) {
  if (IsNull(value) || IsNan(value)) return std::nullopt;
  if (HoldsTypeOf(type, value)) return value;
  const int32_t* narrow = std::get_if<int32_t>(&value);
  if (narrow != nullptr && type.id() == TypeId::kLong) return Literal(int64_t{*narrow});
  const int64_t* wide = std::get_if<int64_t>(&value);
  if (wide != nullptr && type.id() == TypeId::kInt && *wide == static_cast<int32_t>(*wide)) {
    return Literal(static_cast<int32_t>(*wide));
  }
  const float* single = std::get_if<float>(&value);
  if (single != nullptr && type.id() == TypeId::kDouble) return Literal(double{*single});
  return std::nullopt;
}

/// A bound from its bytes; one that can't be read is as good as none.
std::optional<Literal> ReadBound(const Type& type, std::string_view bytes) {
  try {
    return AsComparable(type, FromBinary(type, bytes));
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The order of rows' values, in which −0.0 = 0.0 (the spec's order of bounds tells them apart).
int CompareValues(const Type& type, const Literal& a, const Literal& b) {
  if (const float* f = std::get_if<float>(&a)) return *f < std::get<float>(b) ? -1 : *f > std::get<float>(b);
  if (const double* d = std::get_if<double>(&a)) return *d < std::get<double>(b) ? -1 : *d > std::get<double>(b);
  return Compare(type, a, b);
}

/// Keeps the bounds only where they make sense together.
void SetBounds(const Type& type, std::optional<Literal> lower, std::optional<Literal> upper, ValueRange& range) {
  if (lower && upper && CompareValues(type, *lower, *upper) > 0) return;
  range.lower = std::move(lower);
  range.upper = std::move(upper);
}

bool StartsWith(const Literal& text, const Literal& prefix) {
  return std::get<std::string>(text).starts_with(std::get<std::string>(prefix));
}

/// Whether a value between the bounds can start with `prefix`.
bool MayStartWith(const ValueRange& range, const std::string& prefix) {
  if (range.upper && std::get<std::string>(*range.upper) < prefix) return false;
  // The prefix is the least of the strings that start with it; the lower bound is above all of them if it is above the
  // prefix and doesn't itself start with it.
  if (!range.lower) return true;
  const auto& lower = std::get<std::string>(*range.lower);
  return lower <= prefix || lower.starts_with(prefix);
}

bool MayEqual(const Type& type, const ValueRange& range, const Literal& value) {
  return (!range.lower || CompareValues(type, *range.lower, value) <= 0) &&
         (!range.upper || CompareValues(type, *range.upper, value) >= 0);
}

/// Whether all values are `value`, and none is null or NaN.
bool AllEqual(const Type& type, const ValueRange& range, const Literal& value) {
  return !range.may_have_nulls && !range.may_have_nans && range.lower && range.upper &&
         CompareValues(type, *range.lower, value) == 0 && CompareValues(type, *range.upper, value) == 0;
}

bool MayMatchRange(const Predicate& predicate, const ValueRange& range) {
  const Type& type = predicate.type;
  const auto& values = predicate.values;
  auto lower_is = [&](auto test) { return !range.lower || test(CompareValues(type, *range.lower, values.front())); };
  auto upper_is = [&](auto test) { return !range.upper || test(CompareValues(type, *range.upper, values.front())); };
  switch (predicate.op) {
    case Op::kIsNull: return range.may_have_nulls;
    case Op::kNotNull: return range.may_have_values || range.may_have_nans;
    case Op::kIsNan: return range.may_have_nans;
    case Op::kNotNan: return range.may_have_values || range.may_have_nulls;
    case Op::kLt: return range.may_have_values && lower_is([](int order) { return order < 0; });
    case Op::kLtEq: return range.may_have_values && lower_is([](int order) { return order <= 0; });
    case Op::kGt: return range.may_have_values && upper_is([](int order) { return order > 0; });
    case Op::kGtEq: return range.may_have_values && upper_is([](int order) { return order >= 0; });
    case Op::kEq: return range.may_have_values && MayEqual(type, range, values.front());
    case Op::kIn:
      return range.may_have_values &&
             std::any_of(values.begin(), values.end(), [&](const Literal& v) { return MayEqual(type, range, v); });
    case Op::kNotEq:
    case Op::kNotIn:
      return std::none_of(values.begin(), values.end(), [&](const Literal& v) { return AllEqual(type, range, v); });
    case Op::kStartsWith: return range.may_have_values && MayStartWith(range, std::get<std::string>(values.front()));
    case Op::kNotStartsWith:
      return range.may_have_nulls || !range.lower || !range.upper || !StartsWith(*range.lower, values.front()) ||
             !StartsWith(*range.upper, values.front());
    default: return true;
  }
}

// ---- predicates on a column as predicates on its partition values (inclusive projection) ----

template <typename Integer>
Literal Step(Integer value, int step) {
  const bool at_end =
      step < 0 ? value == std::numeric_limits<Integer>::min() : value == std::numeric_limits<Integer>::max();
  return at_end ? Literal(value) : Literal(static_cast<Integer>(value + step));
}

/// The next value in the direction of `step` where the type counts in whole numbers, else the value itself.
Literal Neighbour(const Literal& value, int step) {
  if (const int32_t* v = std::get_if<int32_t>(&value)) return Step(*v, step);
  if (const int64_t* v = std::get_if<int64_t>(&value)) return Step(*v, step);
  if (const __int128* v = std::get_if<__int128>(&value)) {
    // numeric_limits doesn't know __int128 under strict ISO C++; unscaled decimals are far from its ends.
    return Literal(*v + step);
  }
  return value;
}

bool IsTimeTransform(TransformKind kind) {
  return kind == TransformKind::kYear || kind == TransformKind::kMonth || kind == TransformKind::kDay ||
         kind == TransformKind::kHour;
}

/// Old writers rounded times before 1970 towards zero instead of down: their partition value is one too high (Java:
/// ProjectionUtil).
bool MayBeOneTooHigh(const Transform& transform, const Literal& transformed) {
  return IsTimeTransform(transform.kind) && std::get<int32_t>(transformed) < 0;
}

Predicate ProjectRange(const Transform& transform, const Type& source, const Predicate& predicate) {
  const Literal& value = predicate.values.front();
  Predicate projected{predicate.op, {}, {}};
  switch (predicate.op) {
    case Op::kLt:
    case Op::kLtEq: {
      Literal limit = ApplyTransform(transform, source, predicate.op == Op::kLt ? Neighbour(value, -1) : value);
      projected.op = Op::kLtEq;
      projected.values.push_back(MayBeOneTooHigh(transform, limit) ? Neighbour(limit, 1) : limit);
      break;
    }
    default:
      projected.op = Op::kGtEq;
      projected.values.push_back(
          ApplyTransform(transform, source, predicate.op == Op::kGt ? Neighbour(value, 1) : value));
  }
  return projected;
}

Predicate ProjectSet(const Transform& transform, const Type& source, const Predicate& predicate) {
  Predicate projected{Op::kIn, {}, {}};
  for (const Literal& value : predicate.values) {
    Literal transformed = ApplyTransform(transform, source, value);
    if (MayBeOneTooHigh(transform, transformed)) projected.values.push_back(Neighbour(transformed, 1));
    projected.values.push_back(std::move(transformed));
  }
  return projected;
}

/// A predicate that holds for the partition value of every row that `predicate` holds for; kTrue where nothing can be
/// said. The type is left for the caller to set.
Predicate Project(const Transform& transform, const Type& source, const Predicate& predicate) {
  const bool keeps_order = transform.kind == TransformKind::kTruncate || IsTimeTransform(transform.kind);
  switch (predicate.op) {
    case Op::kIsNull:
    case Op::kNotNull: return predicate;
    case Op::kEq:
    case Op::kIn: return ProjectSet(transform, source, predicate);
    case Op::kLt:
    case Op::kLtEq:
    case Op::kGt:
    case Op::kGtEq: return keeps_order ? ProjectRange(transform, source, predicate) : Predicate{};
    case Op::kStartsWith:
      if (transform.kind != TransformKind::kTruncate) return {};
      return {Op::kStartsWith, {}, {ApplyTransform(transform, source, predicate.values.front())}};
    case Op::kNotStartsWith:
      // Only a prefix that the truncated value still shows whole says something of all its rows.
      if (transform.kind != TransformKind::kTruncate ||
          ApplyTransform(transform, source, predicate.values.front()) != predicate.values.front()) {
        return {};
      }
      return predicate;
    default: return {};
  }
}

std::vector<PartitionPredicate> ProjectOnSpec(const PartitionSpec& spec, int32_t field_id, const Predicate& predicate) {
  std::vector<PartitionPredicate> projected;
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    const PartitionField& field = spec.fields[i];
    const TransformKind kind = field.transform.kind;
    if (field.source_ids.size() != 1 || field.source_id() != field_id) continue;
    if (kind == TransformKind::kVoid || kind == TransformKind::kUnknown) continue;
    Predicate on_field =
        kind == TransformKind::kIdentity ? predicate : Project(field.transform, predicate.type, predicate);
    if (on_field.op == Op::kTrue) continue;
    on_field.type = ResultType(field.transform, predicate.type);
    projected.push_back({i, std::move(on_field)});
  }
  return projected;
}

// ---- what files and manifests say ----

std::optional<int64_t> Find(const std::map<int32_t, int64_t>& counts, int32_t id) {
  auto it = counts.find(id);
  return it == counts.end() || it->second < 0 ? std::nullopt : std::optional(it->second);
}

std::optional<Literal> FindBound(const std::map<int32_t, std::string>& bounds, int32_t id, const Type& type) {
  auto it = bounds.find(id);
  return it == bounds.end() ? std::nullopt : ReadBound(type, it->second);
}

ValueRange ColumnRange(const Type& type, int32_t id, const ColumnMetrics& metrics) {
  const auto values = Find(metrics.value_counts, id);
  const auto nulls = Find(metrics.null_value_counts, id);
  const auto nans = IsFloating(type) ? Find(metrics.nan_value_counts, id) : 0;
  ValueRange range;
  range.may_have_nulls = nulls != 0;
  range.may_have_nans = nans != 0;
  if (values && nulls) {
    range.may_have_nans = range.may_have_nans && *values != *nulls;
    range.may_have_values = *values != *nulls + nans.value_or(0);
  }
  SetBounds(type, FindBound(metrics.lower_bounds, id, type), FindBound(metrics.upper_bounds, id, type), range);
  return range;
}

ValueRange PartitionRange(const Type& type, size_t position, const PartitionValues& partition) {
  ValueRange range;
  if (position >= partition.size()) return range;
  const Literal& value = partition[position];
  range.may_have_nulls = IsNull(value);
  range.may_have_nans = IsNan(value);
  range.may_have_values = !range.may_have_nulls && !range.may_have_nans;
  range.lower = AsComparable(type, value);
  range.upper = range.lower;
  return range;
}

ValueRange SummaryRange(const Type& type, size_t position, const std::vector<PartitionFieldSummary>& summaries) {
  ValueRange range;
  if (position >= summaries.size()) return range;
  const PartitionFieldSummary& summary = summaries[position];
  const auto has_nans = IsFloating(type) ? summary.contains_nan : false;
  range.may_have_nulls = summary.contains_null;
  range.may_have_nans = has_nans.value_or(true);
  // Bounds are left out exactly if all values are null or NaN.
  const bool no_bounds = !summary.lower_bound && !summary.upper_bound;
  if (no_bounds && has_nans && (summary.contains_null || *has_nans)) range.may_have_values = false;
  auto read = [&](const std::optional<std::string>& bound) { return bound ? ReadBound(type, *bound) : std::nullopt; };
  SetBounds(type, read(summary.lower_bound), read(summary.upper_bound), range);
  return range;
}

/// A predicate's literals as values of the column's type; kTrue if they aren't.
Predicate BindLiterals(const Expression& expression, Op op, const Type& type) {
  Predicate predicate{op, type, {}};
  const bool is_unary = op == Op::kIsNull || op == Op::kNotNull || op == Op::kIsNan || op == Op::kNotNan;
  if (is_unary) return predicate;
  if ((op == Op::kStartsWith || op == Op::kNotStartsWith) && type.id() != TypeId::kString) return {};
  for (const Literal& value : expression.values) {
    if (op == Op::kIn && IsNull(value)) continue;  // x = NULL holds for no row
    auto comparable = AsComparable(type, value);
    if (!comparable) return {};
    predicate.values.push_back(std::move(*comparable));
  }
  const bool is_set = op == Op::kIn || op == Op::kNotIn;
  if (!is_set && predicate.values.size() != 1) {
    throw Internal("a filter on column '{}' has {} literals where one is needed", expression.column,
                   predicate.values.size());
  }
  return predicate;
}

}  // namespace

/// The filter without NOT, with columns resolved and predicates projected on the partition fields.
struct FileFilter::Node {
  Op op = Op::kTrue;  ///< kAnd, kOr, kTrue, kFalse, or that of the predicate
  std::vector<Node> children;
  int32_t field_id = 0;
  Predicate on_column;
  std::vector<PartitionPredicate> on_partition;

  static Node Bind(const Expression& expression, bool negated, const Schema& schema, const PartitionSpec& spec,
                   bool case_sensitive);
  static Node BindPredicate(const Expression& expression, Op op, const Schema& schema, const PartitionSpec& spec,
                            bool case_sensitive);

  template <typename Leaf>
  bool Evaluate(const Leaf& may_match_leaf) const {
    auto child_matches = [&](const Node& child) { return child.Evaluate(may_match_leaf); };
    switch (op) {
      case Op::kTrue: return true;
      case Op::kFalse: return false;
      case Op::kAnd: return std::all_of(children.begin(), children.end(), child_matches);
      case Op::kOr: return std::any_of(children.begin(), children.end(), child_matches);
      default: return may_match_leaf(*this);
    }
  }
};

FileFilter::Node FileFilter::Node::Bind(const Expression& expression, bool negated, const Schema& schema,
                                        const PartitionSpec& spec, bool case_sensitive) {
  if (expression.op == Op::kNot) {
    return Bind(expression.children.at(0), !negated, schema, spec, case_sensitive);
  }
  const Op op = negated ? Negate(expression.op) : expression.op;
  if (op == Op::kTrue || op == Op::kFalse) return Node{op, {}, 0, {}, {}};
  if (op != Op::kAnd && op != Op::kOr) return BindPredicate(expression, op, schema, spec, case_sensitive);
  Node node{op, {}, 0, {}, {}};
  for (const Expression& child : expression.children) {
    node.children.push_back(Bind(child, negated, schema, spec, case_sensitive));
  }
  return node;
}

FileFilter::Node FileFilter::Node::BindPredicate(const Expression& expression, Op op, const Schema& schema,
                                                 const PartitionSpec& spec, bool case_sensitive) {
  const NestedField* field = schema.FindField(expression.column, case_sensitive);
  if (field == nullptr)
    throw NotFound("the filter names column '{}', which the schema doesn't have", expression.column);
  Node node;
  node.on_column = BindLiterals(expression, op, field->type);
  node.op = node.on_column.op;
  if (node.op == Op::kTrue) return node;
  node.field_id = field->id;
  node.on_partition = ProjectOnSpec(spec, field->id, node.on_column);
  return node;
}

FileFilter::FileFilter(const Expression& filter, const Schema& schema, const PartitionSpec& spec, bool case_sensitive)
    : root_(std::make_unique<const Node>(Node::Bind(filter, false, schema, spec, case_sensitive))) {}
FileFilter::~FileFilter() = default;
FileFilter::FileFilter(FileFilter&&) noexcept = default;
FileFilter& FileFilter::operator=(FileFilter&&) noexcept = default;

bool FileFilter::MayMatch(const DataFile& file) const {
  if (file.record_count == 0) return false;
  return root_->Evaluate([&](const Node& leaf) {
    auto partition_matches = [&](const PartitionPredicate& p) {
      return MayMatchRange(p.predicate, PartitionRange(p.predicate.type, p.position, file.partition));
    };
    return std::all_of(leaf.on_partition.begin(), leaf.on_partition.end(), partition_matches) &&
           MayMatchRange(leaf.on_column, ColumnRange(leaf.on_column.type, leaf.field_id, file.metrics));
  });
}

bool FileFilter::MayMatch(const ManifestFile& manifest) const {
  return root_->Evaluate([&](const Node& leaf) {
    return std::all_of(leaf.on_partition.begin(), leaf.on_partition.end(), [&](const PartitionPredicate& p) {
      return MayMatchRange(p.predicate, SummaryRange(p.predicate.type, p.position, manifest.partitions));
    });
  });
}

bool MayMatch(const Expression& filter, const Schema& schema, const PartitionSpec& spec, const DataFile& file,
              bool case_sensitive) {
  return FileFilter(filter, schema, spec, case_sensitive).MayMatch(file);
}

bool MayMatch(const Expression& filter, const Schema& schema, const PartitionSpec& spec, const ManifestFile& manifest,
              bool case_sensitive) {
  return FileFilter(filter, schema, spec, case_sensitive).MayMatch(manifest);
}

}  // namespace frazil::iceberg
