// SPDX-License-Identifier: Apache-2.0
#include "frazil/storage/local_output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <arrow/io/interfaces.h>

#include "frazil/base/error.h"
#include "frazil/base/uuid.h"
#include "frazil/storage/posix.h"

namespace frazil::storage {

namespace {

/// Small writes are gathered up to this size; larger ones go to the kernel as they come (Parquet hands over whole
/// column chunks, which would only be copied once more).
constexpr size_t kGatherBytes = 64 << 10;

/// Arrow's view of the file. Closing it only flushes: a file becomes visible by OutputFile::Close() alone.
class LocalOutputStream final : public arrow::io::OutputStream {
 public:
  LocalOutputStream(int fd, const std::string& location, const std::string& path)
      : fd_(fd), location_(location), path_(path) {}

  using arrow::io::OutputStream::Write;

  arrow::Status Write(const void* data, int64_t size) override {
    std::string_view bytes(static_cast<const char*>(data), static_cast<size_t>(size));
    position_ += size;
    if (pending_.size() + bytes.size() > kGatherBytes) ARROW_RETURN_NOT_OK(Flush());
    if (bytes.size() >= kGatherBytes) return WriteOut(bytes);
    pending_.append(bytes);
    return arrow::Status::OK();
  }

  arrow::Status Flush() override {
    ARROW_RETURN_NOT_OK(WriteOut(pending_));
    pending_.clear();
    return arrow::Status::OK();
  }

  arrow::Status Close() override {
    closed_ = true;
    return Flush();
  }

  arrow::Result<int64_t> Tell() const override { return position_; }
  int64_t position() const { return position_; }
  bool closed() const override { return closed_; }

 private:
  arrow::Status WriteOut(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0) {
        if (errno == EINTR) continue;
        return arrow::Status::IOError(ErrnoError(errno, "write", location_, path_).what());
      }
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return arrow::Status::OK();
  }

  const int fd_;
  const std::string& location_;
  const std::string& path_;
  std::string pending_;
  int64_t position_ = 0;
  bool closed_ = false;
};

class LocalOutputFile final : public OutputFile {
 public:
  LocalOutputFile(std::string location, std::string path)
      : location_(std::move(location)), path_(std::move(path)), folder_(ParentPath(path_)) {
    if (::access(path_.c_str(), F_OK) == 0) throw AlreadyExists("{} exists already", location_);
    CreateFolders(folder_, location_);
    OpenTemporary();
    stream_.emplace(fd_.get(), location_, path_);
  }

  ~LocalOutputFile() override {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  const std::string& location() const override { return location_; }
  arrow::io::OutputStream& stream() override { return *stream_; }
  int64_t Tell() const override { return stream_->position(); }

  void Close() override {
    if (!fd_.is_open()) throw Internal("{} is closed already", location_);
    // Whatever fails below, the descriptor is closed and a named temporary file goes with this object.
    FileDescriptor fd = std::move(fd_);
    if (arrow::Status flushed = stream_->Close(); !flushed.ok()) throw Unavailable("{}", flushed.message());
    if (::fsync(fd.get()) != 0) throw ErrnoError(errno, "sync", location_, path_);
    Publish(fd.get());
    SyncFolder(folder_, location_);
  }

 private:
  /// A file without a name where the file system can do that: a killed process leaves nothing at all. Else a hidden
  /// name beside the target.
  void OpenTemporary() {
    static const bool kHasProc = ::access("/proc/self/fd", X_OK) == 0;
    if (kHasProc) fd_ = FileDescriptor(::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
    if (fd_.is_open()) return;
    std::string name = path_.substr(path_.find_last_of('/') + 1);
    std::string uuid = ToString(RandomUuid());
    std::string temporary = fmt::format("{}/.{}.{}.tmp", folder_, name.substr(0, 255 - uuid.size() - 6), uuid);
    fd_ = FileDescriptor(::open(temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666));
    if (!fd_.is_open()) throw ErrnoError(errno, "create", location_, path_);
    temporary_ = std::move(temporary);
  }

  /// Gives the finished file its name. link() fails where the name is taken: create-if-absent in one step.
  void Publish(int fd) {
    std::string from = temporary_.empty() ? fmt::format("/proc/self/fd/{}", fd) : temporary_;
    int error = ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    bool no_hard_links = error == EPERM || error == EOPNOTSUPP || error == ENOSYS;
    if (no_hard_links && !temporary_.empty()) {
      error = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0 ? 0 : errno;
      if (error == 0) temporary_.clear();
    }
    if (error == EEXIST) throw AlreadyExists("{} exists already", location_);
    if (error != 0) throw ErrnoError(error, "create", location_, path_);
    if (!temporary_.empty()) {
      ::unlink(temporary_.c_str());
      temporary_.clear();
    }
  }

  const std::string location_;
  const std::string path_;
  const std::string folder_;
  FileDescriptor fd_;
  std::string temporary_;  ///< empty for a file without a name
  std::optional<LocalOutputStream> stream_;
};

}  // namespace

std::unique_ptr<OutputFile> CreateLocalFile(std::string location, std::string path) {
  return std::make_unique<LocalOutputFile>(std::move(location), std::move(path));
}

}  // namespace frazil::storage
