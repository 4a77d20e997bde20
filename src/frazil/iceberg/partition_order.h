// SPDX-License-Identifier: Apache-2.0
// Partition tuples as keys of maps.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "frazil/iceberg/partition_spec.h"

namespace frazil::iceberg {

/// Some total order of tuples of one spec: nulls first, then by value; floats by their bits, so that NaN has its place
/// and equality is the spec's equality of partitions.
struct PartitionOrder {
  static bool Less(const Literal& a, const Literal& b) {
    if (a.index() != b.index()) return a.index() < b.index();
    if (const float* f = std::get_if<float>(&a)) {
      return std::bit_cast<uint32_t>(*f) < std::bit_cast<uint32_t>(std::get<float>(b));
    }
    if (const double* d = std::get_if<double>(&a)) {
      return std::bit_cast<uint64_t>(*d) < std::bit_cast<uint64_t>(std::get<double>(b));
    }
    return a < b;
  }

  bool operator()(const PartitionValues& a, const PartitionValues& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), Less);
  }
};

}  // namespace frazil::iceberg
