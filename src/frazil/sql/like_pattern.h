// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace frazil::sql {

/// LIKE of SHOW statements: % is any text, _ one byte of it; `ignore_case` for ASCII letters.
bool MatchesLike(std::string_view text, std::string_view pattern, bool ignore_case);

}  // namespace frazil::sql
