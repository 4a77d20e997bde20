// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/checkpoint_store.h"

#include <cerrno>
#include <charconv>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <spdlog/spdlog.h>
#include <nlohmann/json.hpp>

#include "frazil/base/clock.h"
#include "frazil/base/error.h"
#include "frazil/base/fault.h"
#include "frazil/base/uuid.h"

namespace frazil::stream {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMetadataFile = "_metadata";
constexpr std::string_view kCommittedFile = "_committed";
constexpr std::string_view kCheckpointPrefix = "chk-";
constexpr std::string_view kUnfinishedPrefix = ".unfinished-";
constexpr size_t kMaxPathComponent = 200;

std::string NewJobId() {
  std::string id;
  for (uint8_t byte : RandomUuid()) id += fmt::format("{:02x}", byte);
  return id;
}

Error IoError(std::string_view what, const fs::path& path, int error) {
  return Unavailable("{} {}: {}", what, path.string(), std::strerror(error));
}

class FileDescriptor {
 public:
  FileDescriptor(const fs::path& path, int flags, std::string_view what)
      : fd_(open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) throw IoError(what, path, errno);
  }
  ~FileDescriptor() { close(fd_); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

void SyncFolder(const fs::path& folder) {
  FileDescriptor fd(folder, O_RDONLY | O_DIRECTORY, "can't open the checkpoint folder");
  if (fsync(fd.get()) != 0) throw IoError("can't sync the checkpoint folder", folder, errno);
}

void WriteDurably(const fs::path& path, std::string_view bytes) {
  FileDescriptor fd(path, O_WRONLY | O_CREAT | O_TRUNC, "can't create");
  while (!bytes.empty()) {
    ssize_t written = write(fd.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw IoError("can't write", path, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  if (fsync(fd.get()) != 0) throw IoError("can't sync", path, errno);
}

void Rename(const fs::path& from, const fs::path& to) {
  if (rename(from.c_str(), to.c_str()) != 0) throw IoError("can't rename to", to, errno);
}

void CreateFolders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw IoError("can't create the checkpoint folder", folder, error.value());
}

std::string ReadFile(const fs::path& path) {
  FileDescriptor fd(path, O_RDONLY, "can't open");
  std::string bytes;
  char chunk[1 << 16];
  for (;;) {
    ssize_t got = read(fd.get(), chunk, sizeof(chunk));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw IoError("can't read", path, errno);
    if (got == 0) return bytes;
    bytes.append(chunk, static_cast<size_t>(got));
  }
}

/// "/x" of "/x", "file:/x" and "file:///x"; relative paths become absolute.
fs::path LocalFolder(std::string_view location, std::string_view option) {
  if (location.starts_with("file:")) {
    location.remove_prefix(5);
    if (location.starts_with("//")) location.remove_prefix(2);
  } else if (location.find("://") != std::string_view::npos) {
    throw Unsupported("option '{}': checkpoints in '{}' are not supported, only local folders", option, location);
  }
  return fs::absolute(fs::path(location)).lexically_normal();
}

/// n of "chk-<n>".
std::optional<int64_t> CheckpointIdOf(const std::string& name) {
  if (!name.starts_with(kCheckpointPrefix)) return std::nullopt;
  int64_t id = 0;
  const char* end = name.data() + name.size();
  auto [stop, error] = std::from_chars(name.data() + kCheckpointPrefix.size(), end, id);
  if (error != std::errc() || stop != end) return std::nullopt;
  return id;
}

Checkpoint LoadCheckpoint(const fs::path& folder) {
  fs::path file = folder / kMetadataFile;
  Checkpoint checkpoint = DecodeCheckpoint(ReadFile(file), file.string());
  checkpoint.committed = fs::exists(folder / kCommittedFile);
  return checkpoint;
}

struct JobIdentity {
  std::string job_id;
  int64_t attempts = 0;
  std::string restored_from;  ///< folder of the checkpoint that the job id began with; "": from nothing
};

class MemoryCheckpointStore : public CheckpointStore {
 public:
  explicit MemoryCheckpointStore(const JobOptions& options) : job_id_(NewJobId()) {
    if (options.restore_path.empty()) return;
    latest_ = LoadCheckpoint(LocalFolder(options.restore_path, "execution.state-recovery.path"));
  }

  const std::string& job_id() const override { return job_id_; }
  int64_t NextAttempt() override { return attempts_++; }
  std::optional<Checkpoint> Latest() override { return latest_; }
  Written Write(const Checkpoint& checkpoint) override {
    FaultPoint("checkpoint-write.before");
    latest_ = checkpoint;
    FaultPoint("checkpoint-write.after");
    return {};
  }
  void ConfirmCommitted(int64_t id) override {
    if (latest_ && latest_->id == id) latest_->committed = true;
  }

 private:
  std::string job_id_;
  int64_t attempts_ = 0;
  std::optional<Checkpoint> latest_;
};

class FileCheckpointStore : public CheckpointStore {
 public:
  explicit FileCheckpointStore(const JobOptions& options)
      : name_(options.name),
        num_retained_(options.num_retained),
        job_folder_(LocalFolder(options.checkpoint_dir, "execution.checkpointing.dir") / PathSafe(options.name)) {
    CreateFolders(job_folder_);
    Lock();
    Identify(options);
    folder_ = job_folder_ / identity_.job_id;
    CreateFolders(folder_);
    RemoveUnfinished();
  }

  const std::string& job_id() const override { return identity_.job_id; }

  int64_t NextAttempt() override {
    int64_t attempt = identity_.attempts++;
    SaveIdentity();
    return attempt;
  }

  std::optional<Checkpoint> Latest() override {
    std::vector<int64_t> ids = CheckpointIds();
    if (ids.empty()) {
      if (identity_.restored_from.empty()) return std::nullopt;
      return LoadCheckpoint(identity_.restored_from);
    }
    try {
      return LoadCheckpoint(Folder(ids.back()));
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{} The newest checkpoint of job '{}' can't be used: {}", error.what(),
                                            name_, WaysOut(ids)));
    }
  }

  Written Write(const Checkpoint& checkpoint) override {
    fs::path unfinished = folder_ / fmt::format("{}{}", kUnfinishedPrefix, checkpoint.id);
    std::string bytes = EncodeCheckpoint(checkpoint);
    std::error_code error;
    fs::remove_all(unfinished, error);
    CreateFolders(unfinished);
    WriteDurably(unfinished / kMetadataFile, bytes);
    SyncFolder(unfinished);
    FaultPoint("checkpoint-write.before");
    Rename(unfinished, Folder(checkpoint.id));
    SyncFolder(folder_);
    FaultPoint("checkpoint-write.after");
    Prune();
    return {Folder(checkpoint.id).string(), static_cast<int64_t>(bytes.size())};
  }

  void ConfirmCommitted(int64_t id) override {
    // Only spares the next start a look into the tables, so it needs no fsync.
    if (fs::exists(Folder(id))) {
      FileDescriptor(Folder(id) / kCommittedFile, O_WRONLY | O_CREAT, "can't create");
    }
  }

 private:
  void Lock() {
    fs::path path = job_folder_ / "lock";
    lock_ = std::make_unique<FileDescriptor>(path, O_RDWR | O_CREAT, "can't open the lock of the job:");
    if (flock(lock_->get(), LOCK_EX | LOCK_NB) == 0) return;
    if (errno != EWOULDBLOCK) throw IoError("can't lock", path, errno);
    throw Unavailable(
        "job '{}' is running already: another process holds {}; stop that one first, or give this job "
        "another 'pipeline.name'",
        name_, path.string());
  }

  /// Decides under which job id to run. A restore path begins a new one, since numbers of checkpoints can only be
  /// compared under one job id; the same script started again goes on with that one instead of going back again.
  void Identify(const JobOptions& options) {
    std::string restore;
    if (!options.restore_path.empty()) {
      fs::path folder = LocalFolder(options.restore_path, "execution.state-recovery.path");
      if (folder.filename() == kMetadataFile) folder = folder.parent_path();
      if (!fs::exists(folder / kMetadataFile)) {
        throw NotFound("option 'execution.state-recovery.path': {} is not a checkpoint (it has no {})", folder.string(),
                       kMetadataFile);
      }
      restore = folder.string();
    }
    bool known = !options.fresh && LoadIdentity();
    if (known && (restore.empty() || restore == identity_.restored_from)) return;
    identity_ = {NewJobId(), 0, restore};
    SaveIdentity();
  }

  bool LoadIdentity() {
    fs::path path = job_folder_ / "job.json";
    if (!fs::exists(path)) return false;
    try {
      nlohmann::json json = nlohmann::json::parse(ReadFile(path));
      identity_.job_id = json.at("job-id").get<std::string>();
      identity_.attempts = json.at("attempts").get<int64_t>();
      identity_.restored_from = json.at("restored-from").get<std::string>();
    } catch (const nlohmann::json::exception& error) {
      throw Corrupt(
          "{}: can't be read ({}); it says which checkpoints belong to job '{}': restore it, or start anew "
          "with 'frazil.job.fresh' = 'true'",
          path.string(), error.what(), name_);
    }
    return true;
  }

  void SaveIdentity() {
    nlohmann::json json = {{"format-version", 1},
                           {"job-name", name_},
                           {"job-id", identity_.job_id},
                           {"attempts", identity_.attempts},
                           {"restored-from", identity_.restored_from}};
    fs::path temporary = job_folder_ / ".job.json";
    WriteDurably(temporary, json.dump(2) + "\n");
    Rename(temporary, job_folder_ / "job.json");
    SyncFolder(job_folder_);
  }

  fs::path Folder(int64_t id) const { return folder_ / fmt::format("{}{}", kCheckpointPrefix, id); }

  /// Ascending.
  std::vector<int64_t> CheckpointIds() const {
    std::vector<int64_t> ids;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      if (std::optional<int64_t> id = CheckpointIdOf(entry.path().filename().string())) ids.push_back(*id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  std::string WaysOut(const std::vector<int64_t>& ids) const {
    std::string older = "there is no older one";
    if (ids.size() > 1) {
      older = fmt::format(
          "'execution.state-recovery.path' = '{}' starts from the one before, and what was committed "
          "since then is written again",
          Folder(ids[ids.size() - 2]).string());
    }
    return fmt::format("{}; 'frazil.job.fresh' = 'true' starts from the beginning", older);
  }

  void Prune() {
    std::vector<int64_t> ids = CheckpointIds();
    int64_t surplus = static_cast<int64_t>(ids.size()) - num_retained_;
    for (int64_t i = 0; i < surplus; ++i) {
      // Out of sight first: a half deleted folder must not look like a checkpoint.
      fs::path doomed = folder_ / fmt::format("{}old-{}", kUnfinishedPrefix, ids[i]);
      std::error_code error;
      fs::rename(Folder(ids[i]), doomed, error);
      if (!error) fs::remove_all(doomed, error);
      if (error) spdlog::warn("Can't remove the old checkpoint {}: {}", Folder(ids[i]).string(), error.message());
    }
  }

  void RemoveUnfinished() {
    std::vector<fs::path> unfinished;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename().string().starts_with(kUnfinishedPrefix)) unfinished.push_back(entry.path());
    }
    for (const fs::path& path : unfinished) {
      std::error_code error;
      fs::remove_all(path, error);
      if (error) spdlog::warn("Can't remove the unfinished checkpoint {}: {}", path.string(), error.message());
    }
  }

  const std::string name_;
  const int64_t num_retained_;
  const fs::path job_folder_;
  std::unique_ptr<FileDescriptor> lock_;
  JobIdentity identity_;
  fs::path folder_;
};

}  // namespace

std::string PathSafe(std::string_view name) {
  std::string safe;
  for (size_t i = 0; i < name.size(); ++i) {
    auto byte = static_cast<unsigned char>(name[i]);
    bool plain = std::isalnum(byte) || byte == '-' || byte == '_' || (byte == '.' && i > 0) || byte >= 0x80;
    if (plain) {
      safe += name[i];
    } else {
      safe += fmt::format("%{:02X}", byte);
    }
  }
  if (safe.size() <= kMaxPathComponent) return safe;
  // Keeps long names apart that begin alike; FNV-1a.
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (char c : safe) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{}-{:016x}", safe.substr(0, kMaxPathComponent), hash);
}

std::unique_ptr<CheckpointStore> OpenCheckpointStore(const JobOptions& options) {
  if (options.checkpoint_dir.empty()) return std::make_unique<MemoryCheckpointStore>(options);
  return std::make_unique<FileCheckpointStore>(options);
}

}  // namespace frazil::stream
