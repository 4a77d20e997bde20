// SPDX-License-Identifier: Apache-2.0
#include "frazil/base/suggest.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

namespace frazil {

namespace {

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      bool same =
          std::tolower(static_cast<unsigned char>(a[i - 1])) == std::tolower(static_cast<unsigned char>(b[j - 1]));
      size_t cost = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1)});
      diagonal = row[j];
      row[j] = cost;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string DidYouMean(std::string_view word, std::span<const std::string> candidates) {
  // A third of the word may be wrong; further away is a guess that misleads.
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  std::string_view best;
  for (const std::string& candidate : candidates) {
    size_t distance = EditDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best.empty() ? "" : fmt::format(" (did you mean '{}'?)", best);
}

}  // namespace frazil
