// SPDX-License-Identifier: Apache-2.0
// The live progress of one job: a line that is rewritten on a terminal, a plain log line elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "frazil/sql/session.h"
#include "frazil/stream/job.h"

namespace frazil::cli {

/// "1,234,567"
std::string FormatCount(int64_t n);
/// "12.3 MB", by powers of 1000
std::string FormatBytes(int64_t bytes);

class Progress {
 public:
  Progress(sql::SubmittedJob& job, std::ostream& err, bool is_terminal);

  /// Shows the state if a second has passed since the last time.
  void Tick();
  /// Ends the live line and says what the job did.
  void Finish();

 private:
  std::string Line(const stream::JobStatus& status, double rows_per_second) const;
  int64_t Metric(std::string_view name) const;

  sql::SubmittedJob& job_;
  std::ostream& err_;
  bool is_terminal_;
  bool restore_shown_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
  int64_t last_rows_ = 0;
};

}  // namespace frazil::cli
