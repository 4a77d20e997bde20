// SPDX-License-Identifier: Apache-2.0
// What a checkpoint holds, and its bytes (the file `_metadata` of a checkpoint folder).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/stream/sink.h"
#include "frazil/stream/source.h"
#include "frazil/stream/state.h"

namespace frazil::stream {

/// The state of one node of the graph.
struct OperatorSnapshot {
  std::vector<OperatorState> subtasks;
  std::optional<std::string> enumerator;  ///< sources: of the SplitEnumerator
  std::vector<CommitRequest> pending;     ///< sinks: not yet confirmed, in checkpoint order

  /// Nothing would be missed if it weren't restored.
  bool empty() const;
};

struct Checkpoint {
  int64_t id = 0;
  std::string job_id;
  std::string job_name;
  int64_t completed_ms = 0;   ///< wall time
  bool savepoint = false;     ///< taken to stop the job
  bool end_of_input = false;  ///< the last one of a job that ended
  bool committed = false;     ///< every sink has confirmed this checkpoint; not part of the bytes (see CheckpointStore)
  std::map<std::string, OperatorSnapshot, std::less<>> operators;  ///< by uid
};

/// 8 bytes magic "FRZLCHKP", u32 version, u32 CRC-32 of the payload, u64 payload size (little endian), the payload in
/// the notation of state_codec.h.
std::string EncodeCheckpoint(const Checkpoint& checkpoint);

/// Throws Corrupt saying what doesn't fit, Unsupported for a newer version. `origin` names the file.
Checkpoint DecodeCheckpoint(std::string_view bytes, std::string_view origin);

/// Splits of a reader as elements of its subtask's state, and back.
inline constexpr std::string_view kSplitsList = "splits";
OperatorState EncodeSplits(const std::vector<SourceSplit>& splits);
std::vector<SourceSplit> DecodeSplits(const OperatorState& state);

}  // namespace frazil::stream
