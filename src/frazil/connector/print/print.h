// SPDX-License-Identifier: Apache-2.0
// connector/print: writes rows as lines of text, for looking at a stream.
#pragma once

#include <iosfwd>
#include <memory>

#include "frazil/connector/connector.h"

namespace frazil::connector {

/// 'connector' = 'print'. A row is "+I[1, a]". Before it comes, as in Flink, "<print-identifier>> ", "<subtask>> "
/// (from 1, where there are several) or "<print-identifier>:<subtask>> ". Options: 'print-identifier', 'standard-error'
/// (false; true writes to `err`). The streams outlive every sink made; lines of several subtasks don't mix.
/// CreateSource throws Unsupported.
std::unique_ptr<ConnectorFactory> MakePrintConnector(std::ostream& out, std::ostream& err);

}  // namespace frazil::connector
