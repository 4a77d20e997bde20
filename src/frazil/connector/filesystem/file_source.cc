// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/filesystem/file_source.h"

#include <deque>
#include <set>

#include "frazil/base/error.h"
#include "frazil/connector/filesystem/file_split.h"
#include "frazil/connector/filesystem/line_reader.h"
#include "frazil/stream/state_codec.h"

namespace frazil::connector {

namespace {

using stream::InputStatus;
using stream::SourceSplit;

constexpr uint64_t kEnumeratorVersion = 1;

/// The paths that have been found, written as what each adds to the one before it: a folder's name counts once.
void EncodePaths(const std::set<std::string>& paths, stream::StateEncoder& out) {
  out.Unsigned(paths.size());
  std::string_view previous;
  for (const std::string& path : paths) {
    size_t shared = static_cast<size_t>(
        std::mismatch(path.begin(), path.end(), previous.begin(), previous.end()).first - path.begin());
    out.Unsigned(shared);
    out.String(std::string_view(path).substr(shared));
    previous = path;
  }
}

std::set<std::string> DecodePaths(stream::StateDecoder& in) {
  std::set<std::string> paths;
  std::string path;
  for (uint64_t count = in.Unsigned(); count > 0; --count) {
    path.resize(std::min<size_t>(in.Unsigned(), path.size()));
    path += in.String();
    paths.insert(paths.end(), path);
  }
  return paths;
}

class FileEnumerator : public stream::SplitEnumerator {
 public:
  FileEnumerator(stream::SplitEnumeratorContext& context, const FileSourceOptions& options)
      : context_(context), options_(options) {}

  void Restore(std::string_view state) {
    stream::StateDecoder in(state, "the state of the file enumerator");
    in.Version(kEnumeratorVersion);
    found_ = DecodePaths(in);
    for (uint64_t count = in.Unsigned(); count > 0; --count) {
      SourceSplit split;
      split.id = in.String();
      split.state = in.String();
      unassigned_.push_back(std::move(split));
    }
  }

  void Start() override {
    if (!options_.monitor_interval) Merge(options_.listing->List());
  }

  void HandleSplitRequest(int subtask) override {
    if (!unassigned_.empty()) {
      context_.AssignSplit(subtask, std::move(unassigned_.front()));
      unassigned_.pop_front();
    } else if (options_.monitor_interval) {
      waiting_.push_back(subtask);
    } else {
      context_.SignalNoMoreSplits(subtask);
    }
  }

  void AddSplitsBack(std::vector<SourceSplit> splits) override {
    unassigned_.insert(unassigned_.begin(), std::make_move_iterator(splits.begin()),
                       std::make_move_iterator(splits.end()));
    AssignToWaiting();
  }

  std::string SnapshotState() override {
    stream::StateEncoder out;
    out.Unsigned(kEnumeratorVersion);
    EncodePaths(found_, out);
    out.Unsigned(unassigned_.size());
    for (const SourceSplit& split : unassigned_) {
      out.String(split.id);
      out.String(split.state);
    }
    return out.Take();
  }

  std::optional<std::chrono::milliseconds> discovery_interval() const override { return options_.monitor_interval; }

  std::function<void()> DiscoverSplits() override {
    return [this, files = options_.listing->List()] {
      Merge(files);
      AssignToWaiting();
    };
  }

 private:
  void Merge(const std::vector<storage::FileInfo>& files) {
    for (const storage::FileInfo& file : files) {
      if (file.size == 0) continue;  // maybe not written yet: look again next time
      if (!found_.insert(file.location).second) continue;
      for (const FileSplit& split : SplitFile(file, options_.split_size)) unassigned_.push_back(EncodeSplit(split));
    }
  }

  void AssignToWaiting() {
    while (!waiting_.empty() && !unassigned_.empty()) {
      int subtask = waiting_.front();
      waiting_.pop_front();
      HandleSplitRequest(subtask);
    }
  }

  stream::SplitEnumeratorContext& context_;
  const FileSourceOptions& options_;
  std::set<std::string> found_;
  std::deque<SourceSplit> unassigned_;
  std::deque<int> waiting_;
};

class FileReader : public stream::SourceReader {
 public:
  FileReader(stream::SourceReaderContext& context, const FileSourceOptions& options)
      : context_(context), options_(options), decoder_(options.make_decoder()) {}

  void AddSplits(std::vector<SourceSplit> splits) override {
    for (const SourceSplit& split : splits) splits_.push_back(DecodeSplit(split));
    requested_ = false;
  }

  void NotifyNoMoreSplits() override { no_more_splits_ = true; }

  InputStatus PollNext(stream::SourceOutput& output) override {
    if (lines_ == nullptr && !OpenNext()) {
      if (no_more_splits_) return InputStatus::kEndOfInput;
      if (!std::exchange(requested_, true)) context_.SendSplitRequest();
      return InputStatus::kNothingAvailable;
    }
    bool ended = false;
    while (!ended && decoder_->buffered_rows() < options_.batch_rows && !context_.cancelled()) {
      std::optional<LineChunk> chunk = lines_->Next();
      if (chunk) Decode(*chunk);
      ended = !chunk;
    }
    // The position is behind the buffered rows, so a checkpoint may only come when they are out.
    if (decoder_->buffered_rows() > 0) output.Emit({decoder_->Take(), nullptr});
    if (ended) lines_.reset();
    return InputStatus::kMoreAvailable;
  }

  std::vector<SourceSplit> SnapshotState(int64_t) override {
    std::vector<SourceSplit> splits;
    if (lines_ != nullptr) splits.push_back(EncodeSplit(lines_->split()));
    for (const FileSplit& split : splits_) splits.push_back(EncodeSplit(split));
    return splits;
  }

 private:
  bool OpenNext() {
    if (splits_.empty()) return false;
    lines_ = std::make_unique<LineReader>(*options_.io, std::move(splits_.front()), options_.max_record_bytes);
    splits_.pop_front();
    return true;
  }

  void Decode(const LineChunk& chunk) {
    context_.num_bytes_in().Add(static_cast<int64_t>(chunk.bytes.size()));
    try {
      decoder_->Decode(chunk.bytes, {lines_->split().path, 0, chunk.offset});
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kCorrupt) ThrowWithLine(chunk);
      throw;
    }
  }

  /// Lines are counted only now that a message wants to name one: a second look at the chunk throws the better message.
  void ThrowWithLine(const LineChunk& chunk) {
    int64_t line = LineReader::LineNumberAt(*options_.io, lines_->split(), chunk.offset);
    options_.make_decoder()->Decode(chunk.bytes, {lines_->split().path, line, chunk.offset});
  }

  stream::SourceReaderContext& context_;
  const FileSourceOptions& options_;
  std::unique_ptr<serde::DeserializationSchema> decoder_;
  std::deque<FileSplit> splits_;
  std::unique_ptr<LineReader> lines_;  ///< of the split being read
  bool requested_ = false;
  bool no_more_splits_ = false;
};

class FileSource : public stream::Source {
 public:
  explicit FileSource(FileSourceOptions options) : options_(std::move(options)) {}

  stream::Boundedness boundedness() const override {
    return options_.monitor_interval ? stream::Boundedness::kContinuousUnbounded : stream::Boundedness::kBounded;
  }
  std::unique_ptr<stream::SplitEnumerator> CreateEnumerator(stream::SplitEnumeratorContext& context) override {
    return std::make_unique<FileEnumerator>(context, options_);
  }
  std::unique_ptr<stream::SplitEnumerator> RestoreEnumerator(stream::SplitEnumeratorContext& context,
                                                             std::string_view state) override {
    auto enumerator = std::make_unique<FileEnumerator>(context, options_);
    enumerator->Restore(state);
    return enumerator;
  }
  std::unique_ptr<stream::SourceReader> CreateReader(stream::SourceReaderContext& context) override {
    return std::make_unique<FileReader>(context, options_);
  }

 private:
  const FileSourceOptions options_;
};

}  // namespace

std::unique_ptr<stream::Source> MakeFileSource(FileSourceOptions options) {
  return std::make_unique<FileSource>(std::move(options));
}

}  // namespace frazil::connector
