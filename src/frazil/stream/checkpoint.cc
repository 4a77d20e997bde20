// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/checkpoint.h"

#include <bit>
#include <concepts>

#include <zlib.h>

#include "frazil/base/error.h"
#include "frazil/stream/state_codec.h"

namespace frazil::stream {

namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are little endian");

constexpr std::string_view kMagic = "FRZLCHKP";
constexpr uint32_t kVersion = 1;
constexpr size_t kHeaderSize = 8 + 4 + 4 + 8;

/// Fixed-width numbers of the file's header.
template <std::integral T>
void AppendFixed(T value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <std::integral T>
T FixedAt(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

uint32_t Crc(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void EncodeState(const OperatorState& state, StateEncoder& out) {
  out.Unsigned(state.lists().size());
  for (const auto& [name, elements] : state.lists()) {
    out.String(name);
    out.Unsigned(elements.size());
    for (const std::string& element : elements) out.String(element);
  }
}

OperatorState DecodeState(StateDecoder& in) {
  OperatorState state;
  for (uint64_t lists = in.Unsigned(); lists > 0; --lists) {
    std::string name = in.String();
    for (uint64_t elements = in.Unsigned(); elements > 0; --elements) state.Add(name, in.String());
  }
  return state;
}

void EncodeOperator(const OperatorSnapshot& snapshot, StateEncoder& out) {
  out.Unsigned(snapshot.subtasks.size());
  for (const OperatorState& state : snapshot.subtasks) EncodeState(state, out);
  out.Bool(snapshot.enumerator.has_value());
  if (snapshot.enumerator) out.String(*snapshot.enumerator);
  out.Unsigned(snapshot.pending.size());
  for (const CommitRequest& request : snapshot.pending) {
    out.String(request.job_id);
    out.String(request.operator_uid);
    out.Signed(request.checkpoint_id);
    out.String(request.committable);
  }
}

OperatorSnapshot DecodeOperator(StateDecoder& in) {
  OperatorSnapshot snapshot;
  for (uint64_t subtasks = in.Unsigned(); subtasks > 0; --subtasks) snapshot.subtasks.push_back(DecodeState(in));
  if (in.Bool()) snapshot.enumerator = in.String();
  for (uint64_t pending = in.Unsigned(); pending > 0; --pending) {
    CommitRequest request;
    request.job_id = in.String();
    request.operator_uid = in.String();
    request.checkpoint_id = in.Signed();
    request.committable = in.String();
    snapshot.pending.push_back(std::move(request));
  }
  return snapshot;
}

}  // namespace

bool OperatorSnapshot::empty() const {
  return !enumerator && pending.empty() &&
         std::all_of(subtasks.begin(), subtasks.end(), [](const OperatorState& state) { return state.empty(); });
}

std::string EncodeCheckpoint(const Checkpoint& checkpoint) {
  StateEncoder payload;
  payload.Signed(checkpoint.id);
  payload.String(checkpoint.job_id);
  payload.String(checkpoint.job_name);
  payload.Signed(checkpoint.completed_ms);
  payload.Bool(checkpoint.savepoint);
  payload.Bool(checkpoint.end_of_input);
  payload.Unsigned(checkpoint.operators.size());
  for (const auto& [uid, snapshot] : checkpoint.operators) {
    payload.String(uid);
    EncodeOperator(snapshot, payload);
  }
  std::string body = payload.Take();

  std::string bytes(kMagic);
  AppendFixed(kVersion, bytes);
  AppendFixed(Crc(body), bytes);
  AppendFixed(static_cast<uint64_t>(body.size()), bytes);
  return bytes + body;
}

Checkpoint DecodeCheckpoint(std::string_view bytes, std::string_view origin) {
  if (bytes.size() < kHeaderSize || !bytes.starts_with(kMagic)) {
    throw Corrupt("{}: is not a checkpoint ({} bytes, the magic '{}' is missing)", origin, bytes.size(), kMagic);
  }
  auto version = FixedAt<uint32_t>(bytes, 8);
  if (version != kVersion) {
    throw Unsupported("{}: has version {}, this Frazil reads version {}", origin, version, kVersion);
  }
  auto crc = FixedAt<uint32_t>(bytes, 12);
  auto size = FixedAt<uint64_t>(bytes, 16);
  std::string_view body = bytes.substr(kHeaderSize);
  if (body.size() != size) throw Corrupt("{}: has {} bytes of state where {} were written", origin, body.size(), size);
  if (Crc(body) != crc) throw Corrupt("{}: the checksum of the state does not match", origin);

  StateDecoder in(body, origin);
  Checkpoint checkpoint;
  checkpoint.id = in.Signed();
  checkpoint.job_id = in.String();
  checkpoint.job_name = in.String();
  checkpoint.completed_ms = in.Signed();
  checkpoint.savepoint = in.Bool();
  checkpoint.end_of_input = in.Bool();
  for (uint64_t operators = in.Unsigned(); operators > 0; --operators) {
    std::string uid = in.String();
    checkpoint.operators.emplace(std::move(uid), DecodeOperator(in));
  }
  if (!in.at_end()) throw Corrupt("{}: has bytes behind its last value", origin);
  return checkpoint;
}

OperatorState EncodeSplits(const std::vector<SourceSplit>& splits) {
  OperatorState state;
  for (const SourceSplit& split : splits) {
    StateEncoder element;
    element.String(split.id);
    element.String(split.state);
    state.Add(kSplitsList, element.Take());
  }
  return state;
}

std::vector<SourceSplit> DecodeSplits(const OperatorState& state) {
  std::vector<SourceSplit> splits;
  for (const std::string& element : state.List(kSplitsList)) {
    StateDecoder in(element, "a source split in the checkpoint");
    SourceSplit split;
    split.id = in.String();
    split.state = in.String();
    splits.push_back(std::move(split));
  }
  return splits;
}

}  // namespace frazil::stream
