// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "frazil/sql/session.h"

namespace frazil::cli {

enum class JobOutcome {
  kFinished,
  kStopped,    ///< with a savepoint, on the first stop signal
  kCancelled,  ///< on the second
};

/// Waits for a job and shows its progress on `err`. On the first stop signal the job stops with a savepoint, on the
/// second it is cancelled. Throws what made the job fail.
JobOutcome WaitForJob(sql::SubmittedJob& job, std::ostream& err, bool is_terminal);

}  // namespace frazil::cli
