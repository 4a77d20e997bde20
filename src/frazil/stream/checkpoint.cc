// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/checkpoint.h"

#include <bit>
#include <concepts>

#include <zlib.h>

#include "frazil/base/error.h"

namespace frazil::stream {

namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are little endian");

constexpr std::string_view kMagic = "FRZLCHKP";
constexpr uint32_t kVersion = 1;
constexpr size_t kHeaderSize = 8 + 4 + 4 + 8;

class Encoder {
 public:
  template <std::integral T>
  void Int(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void String(std::string_view text) {
    Int<uint64_t>(text.size());
    bytes_.append(text);
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Decoder {
 public:
  Decoder(std::string_view bytes, std::string_view origin) : bytes_(bytes), origin_(origin) {}

  template <std::integral T>
  T Int() {
    T value;
    std::memcpy(&value, Raw(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view Raw(uint64_t size) {
    if (size > bytes_.size()) throw Corrupt("{}: ends in the middle of a value", origin_);
    std::string_view raw = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return raw;
  }
  std::string String() { return std::string(Raw(Int<uint64_t>())); }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  std::string_view origin_;
};

uint32_t Crc(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void EncodeState(const OperatorState& state, Encoder& out) {
  out.Int(static_cast<uint32_t>(state.lists().size()));
  for (const auto& [name, elements] : state.lists()) {
    out.String(name);
    out.Int(static_cast<uint32_t>(elements.size()));
    for (const std::string& element : elements) out.String(element);
  }
}

OperatorState DecodeState(Decoder& in) {
  OperatorState state;
  for (uint32_t lists = in.Int<uint32_t>(); lists > 0; --lists) {
    std::string name = in.String();
    for (uint32_t elements = in.Int<uint32_t>(); elements > 0; --elements) state.Add(name, in.String());
  }
  return state;
}

void EncodeOperator(const OperatorSnapshot& snapshot, Encoder& out) {
  out.Int(static_cast<uint32_t>(snapshot.subtasks.size()));
  for (const OperatorState& state : snapshot.subtasks) EncodeState(state, out);
  out.Int(static_cast<uint8_t>(snapshot.enumerator.has_value()));
  if (snapshot.enumerator) out.String(*snapshot.enumerator);
  out.Int(static_cast<uint32_t>(snapshot.pending.size()));
  for (const CommitRequest& request : snapshot.pending) {
    out.String(request.job_id);
    out.String(request.operator_uid);
    out.Int(request.checkpoint_id);
    out.String(request.committable);
  }
}

OperatorSnapshot DecodeOperator(Decoder& in) {
  OperatorSnapshot snapshot;
  for (uint32_t subtasks = in.Int<uint32_t>(); subtasks > 0; --subtasks) snapshot.subtasks.push_back(DecodeState(in));
  if (in.Int<uint8_t>() != 0) snapshot.enumerator = in.String();
  for (uint32_t pending = in.Int<uint32_t>(); pending > 0; --pending) {
    CommitRequest request;
    request.job_id = in.String();
    request.operator_uid = in.String();
    request.checkpoint_id = in.Int<int64_t>();
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
  Encoder payload;
  payload.Int(checkpoint.id);
  payload.String(checkpoint.job_id);
  payload.String(checkpoint.job_name);
  payload.Int(checkpoint.completed_ms);
  payload.Int(static_cast<uint8_t>(checkpoint.savepoint));
  payload.Int(static_cast<uint8_t>(checkpoint.end_of_input));
  payload.Int(static_cast<uint32_t>(checkpoint.operators.size()));
  for (const auto& [uid, snapshot] : checkpoint.operators) {
    payload.String(uid);
    EncodeOperator(snapshot, payload);
  }
  std::string body = payload.Take();

  Encoder header;
  header.Int(kVersion);
  header.Int(Crc(body));
  header.Int(static_cast<uint64_t>(body.size()));
  return std::string(kMagic) + header.Take() + body;
}

Checkpoint DecodeCheckpoint(std::string_view bytes, std::string_view origin) {
  if (bytes.size() < kHeaderSize || !bytes.starts_with(kMagic)) {
    throw Corrupt("{}: is not a checkpoint ({} bytes, the magic '{}' is missing)", origin, bytes.size(), kMagic);
  }
  Decoder header(bytes.substr(kMagic.size()), origin);
  uint32_t version = header.Int<uint32_t>();
  if (version != kVersion) {
    throw Unsupported("{}: has version {}, this Frazil reads version {}", origin, version, kVersion);
  }
  uint32_t crc = header.Int<uint32_t>();
  uint64_t size = header.Int<uint64_t>();
  std::string_view body = bytes.substr(kHeaderSize);
  if (body.size() != size) throw Corrupt("{}: has {} bytes of state where {} were written", origin, body.size(), size);
  if (Crc(body) != crc) throw Corrupt("{}: the checksum of the state does not match", origin);

  Decoder in(body, origin);
  Checkpoint checkpoint;
  checkpoint.id = in.Int<int64_t>();
  checkpoint.job_id = in.String();
  checkpoint.job_name = in.String();
  checkpoint.completed_ms = in.Int<int64_t>();
  checkpoint.savepoint = in.Int<uint8_t>() != 0;
  checkpoint.end_of_input = in.Int<uint8_t>() != 0;
  for (uint32_t operators = in.Int<uint32_t>(); operators > 0; --operators) {
    std::string uid = in.String();
    checkpoint.operators.emplace(std::move(uid), DecodeOperator(in));
  }
  if (!in.at_end()) throw Corrupt("{}: has bytes behind its last value", origin);
  return checkpoint;
}

OperatorState EncodeSplits(const std::vector<SourceSplit>& splits) {
  OperatorState state;
  for (const SourceSplit& split : splits) {
    Encoder element;
    element.String(split.id);
    element.String(split.state);
    state.Add(kSplitsList, element.Take());
  }
  return state;
}

std::vector<SourceSplit> DecodeSplits(const OperatorState& state) {
  std::vector<SourceSplit> splits;
  for (const std::string& element : state.List(kSplitsList)) {
    Decoder in(element, "a source split in the checkpoint");
    SourceSplit split;
    split.id = in.String();
    split.state = in.String();
    splits.push_back(std::move(split));
  }
  return splits;
}

}  // namespace frazil::stream
