// SPDX-License-Identifier: Apache-2.0
// Named points in the exactly-once path where a test makes the process die or an operation fail.
//
// The environment variable FRAZIL_FAULT arms one point: "<name>[:<nth>[:<action>]]", nth = 1 for the first time the
// point is reached (default), action "kill" (SIGKILL to the own process, default) or "error" (throws Unavailable once).
// A point that isn't armed costs one load and a predictable branch.
#pragma once

#include <string_view>

namespace frazil {

namespace fault_internal {
extern const bool kArmed;
void Reached(std::string_view name);
}  // namespace fault_internal

/// `name` is stable and documented: "data-file-close.before", "catalog-swap.after" … (docs/architecture.md lists them).
inline void FaultPoint(std::string_view name) {
  if (fault_internal::kArmed) [[unlikely]]
    fault_internal::Reached(name);
}

}  // namespace frazil
