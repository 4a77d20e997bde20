// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/schema.h"

#include <algorithm>
#include <utility>

#include "frazil/base/error.h"
#include "frazil/iceberg/ascii.h"

namespace frazil::iceberg {
namespace {

/// Appends the fields from the root to the field `id`; false if there is no such id below `type`.
bool FindChain(const Type& type, int32_t id, std::vector<const NestedField*>& chain, std::vector<TypeId>& parents) {
  for (const NestedField& field : type.fields()) {
    chain.push_back(&field);
    parents.push_back(type.id());
    if (field.id == id || FindChain(field.type, id, chain, parents)) return true;
    chain.pop_back();
    parents.pop_back();
  }
  return false;
}

void CheckIdentifierField(const Schema& schema, int32_t id) {
  std::vector<const NestedField*> chain;
  std::vector<TypeId> parents;
  if (!FindChain(schema.struct_type(), id, chain, parents)) {
    throw InvalidArgument("identifier field {}: the schema has no such field", id);
  }
  std::string name = schema.FullName(id);
  const Type& type = chain.back()->type;
  if (!type.is_primitive() || type.id() == TypeId::kFloat || type.id() == TypeId::kDouble) {
    throw InvalidArgument("identifier field {} ({}): type {} can't identify rows", id, name, type.ToString());
  }
  for (size_t i = 0; i < chain.size(); ++i) {
    if (parents[i] != TypeId::kStruct) {
      throw InvalidArgument("identifier field {} ({}) must not be in a list or map", id, name);
    }
    if (!chain[i]->required) {
      throw InvalidArgument("identifier field {} ({}): '{}' must be required", id, name, chain[i]->name);
    }
  }
}

/// First the ids of all fields of this level, then what is below them.
void AssignFreshIds(Type& type, int32_t& next_id) {
  for (NestedField& field : type.fields()) field.id = next_id++;
  for (NestedField& field : type.fields()) AssignFreshIds(field.type, next_id);
}

int32_t HighestId(const Type& type) {
  int32_t highest = 0;
  for (const NestedField& field : type.fields()) highest = std::max({highest, field.id, HighestId(field.type)});
  return highest;
}

}  // namespace

Schema::Schema(int32_t schema_id, std::vector<NestedField> fields, std::vector<int32_t> identifier_field_ids)
    : schema_id_(schema_id),
      struct_(Type::Struct(std::move(fields))),
      identifier_field_ids_(std::move(identifier_field_ids)) {
  // A set by the spec: one order, so that equal schemas are equal.
  std::ranges::sort(identifier_field_ids_);
  auto repeated = std::ranges::unique(identifier_field_ids_);
  identifier_field_ids_.erase(repeated.begin(), repeated.end());
  BuildIndex();
  for (int32_t id : identifier_field_ids_) CheckIdentifierField(*this, id);
}

Schema::Schema(const Schema& other)
    : schema_id_(other.schema_id_), struct_(other.struct_), identifier_field_ids_(other.identifier_field_ids_) {
  BuildIndex();
}

Schema& Schema::operator=(const Schema& other) {
  if (this != &other) *this = Schema(other);
  return *this;
}

void Schema::BuildIndex() { IndexFields(struct_, ""); }

void Schema::IndexFields(const Type& type, const std::string& prefix) {
  for (const NestedField& field : type.fields()) {
    std::string name = prefix + field.name;
    auto [other, fresh_id] = by_id_.emplace(field.id, &field);
    if (!fresh_id) {
      throw InvalidArgument("field id {} is given twice: to '{}' and to '{}'", field.id, names_.at(field.id), name);
    }
    if (!ids_by_name_.emplace(name, field.id).second) {
      throw InvalidArgument("column '{}' is there twice (field ids {} and {})", name, ids_by_name_.at(name), field.id);
    }
    names_.emplace(field.id, name);
    IndexFields(field.type, name + ".");
  }
}

const NestedField* Schema::FindField(int32_t id) const {
  auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : it->second;
}

const NestedField* Schema::FindField(std::string_view full_name, bool case_sensitive) const {
  if (auto it = ids_by_name_.find(std::string(full_name)); it != ids_by_name_.end()) return FindField(it->second);
  if (case_sensitive) return nullptr;
  const NestedField* found = nullptr;
  for (const auto& [name, id] : ids_by_name_) {
    if (!EqualsIgnoreCase(name, full_name)) continue;
    if (found != nullptr) {
      throw InvalidArgument("column '{}' is ambiguous without case: it can be '{}' or '{}'", full_name,
                            FullName(found->id), name);
    }
    found = FindField(id);
  }
  return found;
}

std::string Schema::FullName(int32_t id) const {
  auto it = names_.find(id);
  return it == names_.end() ? "" : it->second;
}

int32_t Schema::HighestFieldId() const { return HighestId(struct_); }

bool Schema::SameAs(const Schema& other) const {
  return struct_ == other.struct_ && identifier_field_ids_ == other.identifier_field_ids_;
}

Schema AssignFreshIds(const Schema& schema, int32_t schema_id, int32_t& next_id) {
  Type fresh = schema.struct_type();
  AssignFreshIds(fresh, next_id);
  Schema without_identifiers(schema_id, std::move(fresh.fields()));
  if (schema.identifier_field_ids().empty()) return without_identifiers;
  std::vector<int32_t> identifiers;
  for (int32_t id : schema.identifier_field_ids()) {
    identifiers.push_back(without_identifiers.FindField(schema.FullName(id))->id);
  }
  return Schema(schema_id, without_identifiers.fields(), std::move(identifiers));
}

}  // namespace frazil::iceberg
