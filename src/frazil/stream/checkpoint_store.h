// SPDX-License-Identifier: Apache-2.0
// Where a job's checkpoints and identity live: folders on a local disk, or memory.
//
//   <dir>/<job name>/lock                     held (flock) by the process that runs the job
//   <dir>/<job name>/job.json                 current job id, its attempts so far, what it was restored from
//   <dir>/<job name>/<job id>/chk-<n>/        a complete checkpoint: appears by one rename
//       _metadata                             see checkpoint.h
//       _committed                            empty: every sink has confirmed its commits up to n
//
// A damaged newest checkpoint is an error, never a silent step back to an older one: what it committed may be in the
// tables, and would be written again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "frazil/stream/checkpoint.h"
#include "frazil/stream/job_options.h"

namespace frazil::stream {

class CheckpointStore {
 public:
  struct Written {
    std::string path;  ///< "" in memory
    int64_t bytes = 0;
  };

  virtual ~CheckpointStore() = default;

  virtual const std::string& job_id() const = 0;
  /// A number that this job id has not had yet; durable before it returns.
  virtual int64_t NextAttempt() = 0;
  /// What the next attempt starts from; nullopt: from the beginning. Throws Corrupt.
  virtual std::optional<Checkpoint> Latest() = 0;
  /// Durable when it returns. Drops checkpoints beyond the number to retain. Throws Unavailable; the checkpoint may
  /// then exist or not, Latest() knows.
  virtual Written Write(const Checkpoint& checkpoint) = 0;
  /// Notes that what checkpoint `id` holds for committers has been committed.
  virtual void ConfirmCommitted(int64_t id) = 0;
};

/// By options.checkpoint_dir, name, fresh, restore_path and num_retained. Takes the lock of the job. Throws Unavailable
/// if another process has it or the folder can't be written, NotFound if the restore path is no checkpoint, Corrupt if
/// job.json is damaged.
std::unique_ptr<CheckpointStore> OpenCheckpointStore(const JobOptions& options);

/// `name` as one path component: letters, digits, '-', '_', '.' (not first) and UTF-8 stay, the rest is %-escaped.
std::string PathSafe(std::string_view name);

}  // namespace frazil::stream
