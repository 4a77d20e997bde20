// SPDX-License-Identifier: Apache-2.0
#include "frazil/cli/stop_signal.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace frazil::cli {

namespace {

std::atomic<int> stop_signals{0};
static_assert(std::atomic<int>::is_always_lock_free, "the handler may only touch lock-free atomics");

void OnSignal(int) {
  // The third one ends the process even if the program is stuck.
  if (stop_signals.fetch_add(1) >= 2) _exit(130);
}

}  // namespace

void WatchStopSignals() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

int StopSignalCount() { return stop_signals.load(); }
void ResetStopSignals() { stop_signals.store(0); }

}  // namespace frazil::cli
