// SPDX-License-Identifier: Apache-2.0
#include "frazil/datafile/projection.h"

#include <limits>

#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/scalar.h>
#include <arrow/util/bitmap_ops.h>
#include <arrow/util/decimal.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"
#include "frazil/iceberg/arrow_schema.h"

namespace frazil::datafile {

namespace {

using iceberg::Literal;
using iceberg::NestedField;
using iceberg::Type;
using iceberg::TypeId;
using Kind = ColumnPlan::Kind;

constexpr int64_t kMicrosPerDay = 86'400'000'000;
constexpr int64_t kNanosPerDay = kMicrosPerDay * 1000;

int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND: return 1;
    case arrow::TimeUnit::MILLI: return 1000;
    case arrow::TimeUnit::MICRO: return 1'000'000;
    case arrow::TimeUnit::NANO: return 1'000'000'000;
  }
  return 1;
}

/// Makes `plan` convert between units of time.
void ConvertUnit(arrow::TimeUnit::type from, arrow::TimeUnit::type to, bool same_width, ColumnPlan* plan) {
  if (from == to && same_width) {
    plan->kind = Kind::kRetype;
    return;
  }
  plan->kind = Kind::kConvert;
  int64_t have = UnitsPerSecond(from);
  int64_t want = UnitsPerSecond(to);
  plan->multiplier = std::max<int64_t>(want / have, 1);
  plan->divisor = std::max<int64_t>(have / want, 1);
}

/// Sets kind and factors for a primitive; false if the file's type can't be read as the wanted one.
bool PlanPrimitive(const Type& wanted, const arrow::DataType& file, ColumnPlan* plan) {
  arrow::Type::type have = file.id();
  auto one_of = [have](std::initializer_list<arrow::Type::type> ids) {
    return std::find(ids.begin(), ids.end(), have) != ids.end();
  };
  auto retype_if = [&](bool possible) {
    plan->kind = Kind::kRetype;
    return possible;
  };
  auto convert_if = [&](bool possible) {
    plan->kind = Kind::kConvert;
    return possible;
  };
  using Id = arrow::Type;
  switch (wanted.id()) {
    case TypeId::kBoolean: return retype_if(have == Id::BOOL);
    case TypeId::kInt:
      return have == Id::INT32 ? retype_if(true) : convert_if(one_of({Id::INT8, Id::INT16, Id::UINT8, Id::UINT16}));
    case TypeId::kLong:
      return have == Id::INT64
                 ? retype_if(true)
                 : convert_if(one_of({Id::INT32, Id::INT8, Id::INT16, Id::UINT8, Id::UINT16, Id::UINT32}));
    case TypeId::kFloat: return retype_if(have == Id::FLOAT);
    case TypeId::kDouble: return have == Id::DOUBLE ? retype_if(true) : convert_if(have == Id::FLOAT);
    case TypeId::kDecimal: {
      if (have != Id::DECIMAL128) return false;
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(file);
      return retype_if(decimal.scale() == wanted.scale() && decimal.precision() <= wanted.precision());
    }
    case TypeId::kDate: return retype_if(have == Id::DATE32);
    case TypeId::kTime:
      if (!one_of({Id::TIME32, Id::TIME64})) return false;
      ConvertUnit(static_cast<const arrow::TimeType&>(file).unit(), arrow::TimeUnit::MICRO, have == Id::TIME64, plan);
      return true;
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs: {
      bool nanos = wanted.id() == TypeId::kTimestampNs || wanted.id() == TypeId::kTimestampTzNs;
      if (have == Id::DATE32 && (wanted.id() == TypeId::kTimestamp || wanted.id() == TypeId::kTimestampNs)) {
        plan->multiplier = nanos ? kNanosPerDay : kMicrosPerDay;
        return convert_if(true);
      }
      if (have != Id::TIMESTAMP) return false;
      ConvertUnit(static_cast<const arrow::TimestampType&>(file).unit(),
                  nanos ? arrow::TimeUnit::NANO : arrow::TimeUnit::MICRO, true, plan);
      return true;
    }
    case TypeId::kString:
    case TypeId::kBinary: return retype_if(one_of({Id::STRING, Id::BINARY}));
    case TypeId::kUuid:
    case TypeId::kFixed:
      return retype_if(have == Id::FIXED_SIZE_BINARY &&
                       file.byte_width() == (wanted.id() == TypeId::kUuid ? 16 : wanted.length()));
    default: return false;
  }
}

class Planner {
 public:
  explicit Planner(const std::map<int32_t, Literal>& constants) : constants_(constants) {}

  std::vector<ColumnPlan> PlanFields(const std::vector<NestedField>& wanted, const arrow::FieldVector& file,
                                     const std::string& prefix) const {
    std::vector<ColumnPlan> plans;
    for (const NestedField& field : wanted) {
      int source = -1;
      for (size_t i = 0; i < file.size() && source < 0; ++i) {
        if (iceberg::FieldIdOf(*file[i]) == field.id) source = static_cast<int>(i);
      }
      bool stored = source >= 0 && field.type.id() != TypeId::kUnknown;
      plans.push_back(stored ? PlanStored(field, *file[static_cast<size_t>(source)]->type(), prefix)
                             : PlanSupplied(field, prefix));
      plans.back().source = stored ? source : -1;
    }
    return plans;
  }

 private:
  ColumnPlan PlanSupplied(const NestedField& field, const std::string& prefix) const {
    ColumnPlan plan;
    plan.kind = Kind::kSupplied;
    plan.name = prefix + field.name;
    plan.type = iceberg::ToArrowType(field.type);
    plan.value_type = field.type;
    if (auto constant = constants_.find(field.id); constant != constants_.end()) {
      plan.value = constant->second;
    } else if (field.initial_default) {
      plan.value = *field.initial_default;
    }
    if (field.required && iceberg::IsNull(plan.value)) {
      throw Corrupt("required column '{}' (id {}) is not in the file and has no initial default", plan.name, field.id);
    }
    return plan;
  }

  ColumnPlan PlanStored(const NestedField& field, const arrow::DataType& file, const std::string& prefix) const {
    ColumnPlan plan;
    plan.name = prefix + field.name;
    plan.type = iceberg::ToArrowType(field.type);
    bool readable = false;
    switch (field.type.id()) {
      case TypeId::kStruct:
        readable = file.id() == arrow::Type::STRUCT;
        plan.kind = Kind::kStruct;
        if (readable) plan.children = PlanFields(field.type.fields(), file.fields(), plan.name + ".");
        break;
      case TypeId::kList:
        readable = file.id() == arrow::Type::LIST;
        plan.kind = Kind::kList;
        if (readable) plan.children = {PlanChild(field.type.element(), *file.field(0)->type(), 0, plan.name)};
        break;
      case TypeId::kMap:
        readable = file.id() == arrow::Type::MAP;
        plan.kind = Kind::kMap;
        if (readable) {
          const auto& map = static_cast<const arrow::MapType&>(file);
          plan.children = {PlanChild(field.type.key(), *map.key_type(), 0, plan.name),
                           PlanChild(field.type.value(), *map.item_type(), 1, plan.name)};
        }
        break;
      default: readable = PlanPrimitive(field.type, file, &plan);
    }
    if (!readable) {
      throw Corrupt("column '{}' (id {}) is {} in the file, which can't be read as {}", plan.name, field.id,
                    file.ToString(), field.type.ToString());
    }
    return plan;
  }

  ColumnPlan PlanChild(const NestedField& field, const arrow::DataType& file, int source,
                       const std::string& parent) const {
    ColumnPlan plan = PlanStored(field, file, parent + ".");
    plan.source = source;
    return plan;
  }

  const std::map<int32_t, Literal>& constants_;
};

arrow::Decimal128 ToDecimal(__int128 unscaled) {
  return arrow::Decimal128(static_cast<int64_t>(unscaled >> 64), static_cast<uint64_t>(unscaled));
}

std::shared_ptr<arrow::Scalar> ToScalar(const Type& type, const Literal& value,
                                        const std::shared_ptr<arrow::DataType>& arrow_type) {
  auto bytes = [&] { return arrow::Buffer::FromString(std::get<std::string>(value)); };
  switch (type.id()) {
    case TypeId::kBoolean: return std::make_shared<arrow::BooleanScalar>(std::get<bool>(value));
    case TypeId::kInt: return std::make_shared<arrow::Int32Scalar>(std::get<int32_t>(value));
    case TypeId::kLong: return std::make_shared<arrow::Int64Scalar>(std::get<int64_t>(value));
    case TypeId::kFloat: return std::make_shared<arrow::FloatScalar>(std::get<float>(value));
    case TypeId::kDouble: return std::make_shared<arrow::DoubleScalar>(std::get<double>(value));
    case TypeId::kDecimal:
      return std::make_shared<arrow::Decimal128Scalar>(ToDecimal(std::get<__int128>(value)), arrow_type);
    case TypeId::kDate: return std::make_shared<arrow::Date32Scalar>(std::get<int32_t>(value));
    case TypeId::kTime: return std::make_shared<arrow::Time64Scalar>(std::get<int64_t>(value), arrow_type);
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs: return std::make_shared<arrow::TimestampScalar>(std::get<int64_t>(value), arrow_type);
    case TypeId::kString: return std::make_shared<arrow::StringScalar>(bytes());
    case TypeId::kBinary: return std::make_shared<arrow::BinaryScalar>(bytes());
    case TypeId::kUuid:
    case TypeId::kFixed: return std::make_shared<arrow::FixedSizeBinaryScalar>(bytes(), arrow_type);
    default: throw Unsupported("a default value of type {}", type.ToString());
  }
}

std::shared_ptr<arrow::Array> Supply(const ColumnPlan& plan, int64_t rows) {
  if (iceberg::IsNull(plan.value)) return Unwrap(arrow::MakeArrayOfNull(plan.type, rows), plan.name);
  std::shared_ptr<arrow::Scalar> scalar = ToScalar(plan.value_type, plan.value, plan.type);
  return Unwrap(arrow::MakeArrayFromScalar(*scalar, rows), plan.name);
}

std::shared_ptr<arrow::Array> Retype(const std::shared_ptr<arrow::Array>& array,
                                     const std::shared_ptr<arrow::DataType>& type) {
  if (array->type()->Equals(*type)) return array;
  std::shared_ptr<arrow::ArrayData> data = array->data()->Copy();
  data->type = type;
  return arrow::MakeArray(data);
}

/// Integers: value · multiplier / divisor, rounded down. Floating-point values as they are.
template <typename To, typename From>
void ConvertValues(const ColumnPlan& plan, const arrow::Array& array, const From* from, To* to) {
  bool has_nulls = array.null_count() > 0;
  for (int64_t i = 0; i < array.length(); ++i) {
    if constexpr (std::is_floating_point_v<To>) {
      to[i] = static_cast<To>(from[i]);
    } else {
      __int128 value = static_cast<__int128>(from[i]) * plan.multiplier;
      __int128 quotient = value / plan.divisor;
      if (value % plan.divisor < 0) --quotient;
      to[i] = static_cast<To>(quotient);
      if (to[i] != quotient && !(has_nulls && array.IsNull(i))) {
        throw Corrupt("column '{}': {} is out of the range of {}", plan.name, from[i], plan.type->ToString());
      }
    }
  }
}

template <typename To>
void ConvertTo(const ColumnPlan& plan, const arrow::Array& array, To* to) {
  auto from = [&]<typename From>(std::type_identity<From>) {
    ConvertValues(plan, array, array.data()->GetValues<From>(1), to);
  };
  switch (array.type_id()) {
    case arrow::Type::INT8: return from(std::type_identity<int8_t>());
    case arrow::Type::INT16: return from(std::type_identity<int16_t>());
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32: return from(std::type_identity<int32_t>());
    case arrow::Type::UINT8: return from(std::type_identity<uint8_t>());
    case arrow::Type::UINT16: return from(std::type_identity<uint16_t>());
    case arrow::Type::UINT32: return from(std::type_identity<uint32_t>());
    case arrow::Type::FLOAT: return from(std::type_identity<float>());
    default: return from(std::type_identity<int64_t>());
  }
}

std::shared_ptr<arrow::Array> Convert(const ColumnPlan& plan, const arrow::Array& array) {
  int width = plan.type->byte_width();
  std::shared_ptr<arrow::Buffer> values = Unwrap(arrow::AllocateBuffer(array.length() * width), plan.name);
  if (plan.type->id() == arrow::Type::DOUBLE) {
    ConvertTo(plan, array, reinterpret_cast<double*>(values->mutable_data()));
  } else if (width == 4) {
    ConvertTo(plan, array, reinterpret_cast<int32_t*>(values->mutable_data()));
  } else {
    ConvertTo(plan, array, reinterpret_cast<int64_t*>(values->mutable_data()));
  }
  std::shared_ptr<arrow::Buffer> validity = array.null_bitmap();
  if (validity != nullptr && array.offset() != 0) {
    validity = Unwrap(
        arrow::internal::CopyBitmap(arrow::default_memory_pool(), validity->data(), array.offset(), array.length()),
        plan.name);
  }
  return arrow::MakeArray(
      arrow::ArrayData::Make(plan.type, array.length(), {validity, values}, validity ? array.null_count() : 0));
}

std::shared_ptr<arrow::Array> Apply(const ColumnPlan& plan, const std::shared_ptr<arrow::Array>& source);

/// The children of a struct (or of a map's entries), each as long as the source's own, so that the parent's offset and
/// validity go on to hold.
std::vector<std::shared_ptr<arrow::ArrayData>> ApplyChildren(const std::vector<ColumnPlan>& plans,
                                                             const arrow::ArrayData& parent) {
  std::vector<std::shared_ptr<arrow::ArrayData>> children;
  for (const ColumnPlan& plan : plans) {
    if (plan.kind == Kind::kSupplied) {
      children.push_back(Supply(plan, parent.length + parent.offset)->data());
    } else {
      children.push_back(Apply(plan, arrow::MakeArray(parent.child_data[static_cast<size_t>(plan.source)]))->data());
    }
  }
  return children;
}

std::shared_ptr<arrow::Array> Apply(const ColumnPlan& plan, const std::shared_ptr<arrow::Array>& source) {
  switch (plan.kind) {
    case Kind::kSupplied: break;
    case Kind::kRetype: return Retype(source, plan.type);
    case Kind::kConvert: return Convert(plan, *source);
    case Kind::kStruct: {
      std::shared_ptr<arrow::ArrayData> data = source->data()->Copy();
      data->child_data = ApplyChildren(plan.children, *source->data());
      data->type = plan.type;
      return arrow::MakeArray(data);
    }
    case Kind::kList: {
      std::shared_ptr<arrow::ArrayData> data = source->data()->Copy();
      data->child_data = {Apply(plan.children[0], arrow::MakeArray(data->child_data[0]))->data()};
      data->type = plan.type;
      return arrow::MakeArray(data);
    }
    case Kind::kMap: {
      std::shared_ptr<arrow::ArrayData> data = source->data()->Copy();
      std::shared_ptr<arrow::ArrayData> entries = data->child_data[0]->Copy();
      entries->child_data = ApplyChildren(plan.children, *data->child_data[0]);
      entries->type = plan.type->field(0)->type();
      data->child_data = {entries};
      data->type = plan.type;
      return arrow::MakeArray(data);
    }
  }
  throw Internal("column '{}' has no source", plan.name);
}

}  // namespace

std::vector<ColumnPlan> PlanColumns(const iceberg::Schema& wanted, const arrow::Schema& file,
                                    const std::map<int32_t, Literal>& constants) {
  return Planner(constants).PlanFields(wanted.fields(), file.fields(), "");
}

std::shared_ptr<arrow::Array> MakeColumn(const ColumnPlan& plan, const arrow::ArrayVector& sources, int64_t rows) {
  if (plan.kind == Kind::kSupplied) return Supply(plan, rows);
  return Apply(plan, sources[static_cast<size_t>(plan.source)]);
}

}  // namespace frazil::datafile
