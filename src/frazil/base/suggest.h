// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace frazil {

/// " (did you mean 'x'?)" with the candidate nearest to `word` by edit distance, or "" if none is near.
/// For error messages about unknown names.
std::string DidYouMean(std::string_view word, std::span<const std::string> candidates);

}  // namespace frazil
