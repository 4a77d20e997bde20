// SPDX-License-Identifier: Apache-2.0
#include "frazil/cli/job_monitor.h"

#include <ostream>
#include <thread>

#include <fmt/format.h>

#include "frazil/base/error.h"
#include "frazil/cli/progress.h"
#include "frazil/cli/stop_signal.h"

namespace frazil::cli {

namespace {

constexpr std::chrono::milliseconds kPoll{50};

/// Stops with a savepoint on a thread of its own, so that a second signal can still cancel.
class Stopping {
 public:
  explicit Stopping(stream::JobExecution& job)
      : thread_([this, &job] {
          try {
            savepoint_ = job.StopWithSavepoint();
          } catch (const Error& e) {
            failure_ = e.what();
          }
        }) {}
  ~Stopping() {
    if (thread_.joinable()) thread_.join();
  }
  Stopping(const Stopping&) = delete;
  Stopping& operator=(const Stopping&) = delete;

  void Join() { thread_.join(); }
  const std::string& savepoint() const { return savepoint_; }
  const std::string& failure() const { return failure_; }

 private:
  std::string savepoint_;
  std::string failure_;
  std::thread thread_;
};

}  // namespace

JobOutcome WaitForJob(sql::SubmittedJob& job, std::ostream& err, bool is_terminal) {
  Progress progress(job, err, is_terminal);
  std::unique_ptr<Stopping> stopping;
  bool cancelled = false;
  while (!job.execution->WaitFor(kPoll)) {
    progress.Tick();
    if (StopSignalCount() >= 1 && stopping == nullptr) {
      err << (is_terminal ? "\n" : "") << "stopping " << job.target << " with a savepoint; once more to cancel\n"
          << std::flush;
      stopping = std::make_unique<Stopping>(*job.execution);
    }
    if (StopSignalCount() >= 2 && !cancelled) {
      cancelled = true;
      job.execution->Cancel();
    }
  }
  progress.Tick();
  if (stopping != nullptr) stopping->Join();
  progress.Finish();
  if (stopping != nullptr && !stopping->failure().empty()) err << "the stop failed: " << stopping->failure() << '\n';
  if (stopping != nullptr && !stopping->savepoint().empty()) err << "savepoint: " << stopping->savepoint() << '\n';
  job.execution->Wait();
  if (cancelled) return JobOutcome::kCancelled;
  return job.execution->Status().stopped_with_savepoint ? JobOutcome::kStopped : JobOutcome::kFinished;
}

}  // namespace frazil::cli
