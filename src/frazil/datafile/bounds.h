// SPDX-License-Identifier: Apache-2.0
// Shortened bounds (spec: "Metrics", `truncate(n)`): never above the least nor below the greatest value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace frazil::datafile {

/// The first `code_points` of `text`; no more than all of it.
std::string_view TruncateText(std::string_view text, size_t code_points);

/// The least short text that is not below `text`: `text` itself if it has no more than `code_points`, else its prefix
/// with the last code point that can be raised raised by one (never into the surrogates) and the rest cut off. Null if
/// none can be raised or the prefix is not UTF-8: there is then no upper bound.
std::optional<std::string> TruncateTextUp(std::string_view text, size_t code_points);

/// The same for bytes.
std::optional<std::string> TruncateBytesUp(std::string_view bytes, size_t length);

}  // namespace frazil::datafile
