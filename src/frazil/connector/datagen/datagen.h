// SPDX-License-Identifier: Apache-2.0
// connector/datagen: generated rows, random or in sequence, made column by column.
#pragma once

#include <memory>

#include "frazil/connector/connector.h"

namespace frazil::connector {

/// 'connector' = 'datagen', Flink's options:
///   rows-per-second      (10000) over all subtasks
///   number-of-rows       bounded by that many rows; unset: unbounded, unless a sequence field ends it
///   fields.<f>.kind      'random' (default) or 'sequence'
///   fields.<f>.min, .max, .max-past, .length, .var-len, .null-rate     of random fields
///   fields.<f>.start, .end                                             of sequence fields; both required
/// Dates and times are the present ones. Nested types are Unsupported. A restored job goes on behind its last row and
/// makes the rows that a failure lost again, the same ones (but for the present). CreateSink throws Unsupported.
std::unique_ptr<ConnectorFactory> MakeDatagenConnector();

}  // namespace frazil::connector
