// SPDX-License-Identifier: Apache-2.0
#include "frazil/base/fault.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "frazil/base/error.h"

namespace frazil::fault_internal {

namespace {

struct Fault {
  std::string name;
  int nth = 1;
  bool kill = true;
};

const Fault& Armed() {
  static const Fault fault = [] {
    Fault f;
    const char* env = std::getenv("FRAZIL_FAULT");
    std::string spec = env == nullptr ? "" : env;
    size_t colon = spec.find(':');
    f.name = spec.substr(0, colon);
    if (colon != std::string::npos) {
      f.nth = std::atoi(spec.c_str() + colon + 1);
      f.kill = spec.find(":error", colon + 1) == std::string::npos;
    }
    return f;
  }();
  return fault;
}

}  // namespace

const bool kArmed = std::getenv("FRAZIL_FAULT") != nullptr;

void Reached(std::string_view name) {
  static std::atomic<int> count{0};
  const Fault& fault = Armed();
  if (fault.name != name) return;
  if (count.fetch_add(1) + 1 != fault.nth) return;
  if (fault.kill) {
    kill(getpid(), SIGKILL);
    pause();
  }
  throw Unavailable("fault point '{}' was armed to fail (FRAZIL_FAULT)", name);
}

}  // namespace frazil::fault_internal
