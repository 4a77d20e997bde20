// SPDX-License-Identifier: Apache-2.0
#include "frazil/cli/progress.h"

#include <ostream>

#include <fmt/format.h>

#include "frazil/base/clock.h"
#include "frazil/base/metrics.h"

namespace frazil::cli {

namespace {

using std::chrono::steady_clock;
constexpr std::chrono::milliseconds kInterval{1000};
constexpr char kClearLine[] = "\r\033[K";

double Seconds(steady_clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

std::string FormatCount(int64_t n) {
  std::string digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (n < 0 ? 1 : 0); at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

std::string FormatBytes(int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

Progress::Progress(sql::SubmittedJob& job, std::ostream& err, bool is_terminal)
    : job_(job), err_(err), is_terminal_(is_terminal), start_(steady_clock::now()), last_(start_) {}

int64_t Progress::Metric(std::string_view name) const { return job_.metrics.SumCounters(name); }

std::string Progress::Line(const stream::JobStatus& status, double rows_per_second) const {
  std::string line = fmt::format("{}: {} rows, {} rows/s", job_.target, FormatCount(status.rows_in),
                                 FormatCount(static_cast<int64_t>(rows_per_second)));
  if (status.completed_checkpoint_id.has_value())
    line += fmt::format(", checkpoint {}", *status.completed_checkpoint_id);
  if (int64_t files = Metric("committedDataFilesCount")) {
    line += fmt::format(", {} snapshots, {} files, {}", FormatCount(Metric("committedSnapshotsCount")),
                        FormatCount(files), FormatBytes(Metric("committedDataFilesByteCount")));
  }
  if (status.restarts > 0) line += fmt::format(", {} restarts", status.restarts);
  return line;
}

void Progress::Tick() {
  stream::JobStatus status = job_.execution->Status();
  if (!restore_shown_ && status.restored_checkpoint_id.has_value()) {
    restore_shown_ = true;
    err_ << fmt::format("{}: resumed from checkpoint {} (job {})\n", job_.target, *status.restored_checkpoint_id,
                        status.job_id);
  }
  steady_clock::time_point now = steady_clock::now();
  if (now - last_ < kInterval) return;
  double rate = static_cast<double>(status.rows_in - last_rows_) / Seconds(now - last_);
  last_ = now;
  last_rows_ = status.rows_in;
  std::string line = Line(status, rate);
  if (status.state == stream::JobState::kRestarting) line += fmt::format(", restarting after: {}", status.failure);
  err_ << (is_terminal_ ? kClearLine : "") << line << (is_terminal_ ? "" : "\n") << std::flush;
}

void Progress::Finish() {
  stream::JobStatus status = job_.execution->Status();
  steady_clock::duration took = steady_clock::now() - start_;
  if (is_terminal_) err_ << kClearLine;
  err_ << Line(status, static_cast<double>(status.rows_in) / std::max(Seconds(took), 1e-3)) << " in "
       << FormatDuration(std::chrono::duration_cast<std::chrono::nanoseconds>(took)) << ": " << ToString(status.state)
       << '\n';
  if (status.state == stream::JobState::kFinished && status.restored_checkpoint_id.has_value() && status.rows_in == 0 &&
      !status.stopped_with_savepoint) {
    err_ << "nothing new to read since the checkpoint; --fresh reads everything again\n";
  }
  err_.flush();
}

}  // namespace frazil::cli
