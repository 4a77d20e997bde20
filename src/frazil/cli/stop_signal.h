// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as a count that loops look at. The first asks for a graceful stop, the second for an end at once.
#pragma once

namespace frazil::cli {

/// From now on the signals only count, instead of ending the process.
void WatchStopSignals();

/// Signals since the last reset.
int StopSignalCount();
inline bool StopRequested() { return StopSignalCount() > 0; }
void ResetStopSignals();

}  // namespace frazil::cli
