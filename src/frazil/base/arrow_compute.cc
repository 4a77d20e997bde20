// SPDX-License-Identifier: Apache-2.0
#include "frazil/base/arrow_compute.h"

#include <arrow/compute/initialize.h>

#include "frazil/base/arrow_status.h"

namespace frazil {

void InitializeArrowCompute() {
  static const bool kDone = [] {
    Check(arrow::compute::Initialize(), "registering Arrow's compute functions");
    return true;
  }();
  (void)kDone;
}

}  // namespace frazil
