// SPDX-License-Identifier: Apache-2.0
// Changes table properties (Java: UpdateProperties).
#pragma once

#include <string>
#include <vector>

#include "frazil/table/table.h"

namespace frazil::table {

/// Sets and removes properties in one commit, retried by `commit.retry.*`. Reserved keys are InvalidArgument.
void UpdateProperties(Table& table, const OptionMap& updated, const std::vector<std::string>& removed);

}  // namespace frazil::table
