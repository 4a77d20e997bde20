// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace frazil {

/// Registers Arrow's compute functions, which live in a library of their own. To be called before the first use of
/// arrow::compute; cheap when called again. Throws Internal.
void InitializeArrowCompute();

}  // namespace frazil
