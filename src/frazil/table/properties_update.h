// SPDX-License-Identifier: Apache-2.0
// Changes table properties (Java: UpdateProperties).
#pragma once

#include <string>
#include <vector>

#include "frazil/table/table.h"

namespace frazil::table {

/// Sets and removes properties in one commit, retried by `commit.retry.*`; no commit if all is so already.
/// `format-version` upgrades the table; the other reserved keys, and keys both set and removed, are InvalidArgument.
void UpdateProperties(Table& table, const OptionMap& updated, const std::vector<std::string>& removed);

}  // namespace frazil::table
