// SPDX-License-Identifier: Apache-2.0
// Taking a literal's value as the C++ type that its Iceberg type stores.
#pragma once

#include "frazil/base/error.h"
#include "frazil/iceberg/literal.h"
#include "frazil/iceberg/type.h"

namespace frazil::iceberg {

/// Throws InvalidArgument if `value` is null or holds another alternative.
template <typename T>
const T& Get(const Type& type, const Literal& value) {
  if (const T* held = std::get_if<T>(&value)) [[likely]]
    return *held;
  if (IsNull(value)) throw InvalidArgument("a null where a value of type {} is needed", type.ToString());
  throw InvalidArgument("a value of another kind (alternative {}) where type {} is needed", value.index(),
                        type.ToString());
}

}  // namespace frazil::iceberg
