// SPDX-License-Identifier: Apache-2.0
#include "frazil/storage/local_file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <arrow/io/file.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"
#include "frazil/storage/local_output_file.h"
#include "frazil/storage/posix.h"

namespace frazil::storage {

namespace {

namespace fs = std::filesystem;

bool IsBelow(std::string_view location, std::string_view prefix) {
  if (!location.starts_with(prefix)) return false;
  return location.size() == prefix.size() || prefix.ends_with('/') || location[prefix.size()] == '/';
}

FileDescriptor OpenForReading(std::string_view location, const std::string& path) {
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) throw NotFound("file {} does not exist", location);
    throw ErrnoError(errno, "open", location, path);
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) throw ErrnoError(errno, "stat", location, path);
  if (S_ISDIR(info.st_mode)) throw InvalidArgument("cannot open {}: it is a folder", location);
  return fd;
}

class LocalFileIO final : public FileIO {
 public:
  explicit LocalFileIO(std::vector<std::pair<std::string, std::string>> prefix_map)
      : prefix_map_(std::move(prefix_map)) {
    std::stable_sort(prefix_map_.begin(), prefix_map_.end(),
                     [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  }

  std::shared_ptr<arrow::io::RandomAccessFile> Open(std::string_view location) override {
    FileDescriptor fd = OpenForReading(location, PathOf(location));
    return Unwrap(arrow::io::ReadableFile::Open(fd.Release()), location);
  }

  std::string ReadAll(std::string_view location) override {
    std::string path = PathOf(location);
    FileDescriptor fd = OpenForReading(location, path);
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) throw ErrnoError(errno, "stat", location, path);
    std::string bytes(static_cast<size_t>(info.st_size), '\0');
    size_t filled = 0;
    while (filled < bytes.size()) {
      ssize_t n = ::read(fd.get(), bytes.data() + filled, bytes.size() - filled);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw ErrnoError(errno, "read", location, path);
      if (n == 0) break;
      filled += static_cast<size_t>(n);
    }
    bytes.resize(filled);
    return bytes;
  }

  std::unique_ptr<OutputFile> Create(std::string_view location) override {
    return CreateLocalFile(std::string(location), PathOf(location));
  }

  void WriteAll(std::string_view location, std::string_view bytes) override {
    std::unique_ptr<OutputFile> file = Create(location);
    Check(file->stream().Write(bytes.data(), static_cast<int64_t>(bytes.size())), location);
    file->Close();
  }

  bool Exists(std::string_view location) override {
    std::string path = PathOf(location);
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR) return false;
    throw ErrnoError(errno, "stat", location, path);
  }

  void Delete(std::string_view location) override {
    std::string path = PathOf(location);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) {
      throw ErrnoError(errno, "delete", location, path);
    }
  }

  std::vector<FileInfo> List(std::string_view prefix) override {
    std::vector<FileInfo> files;
    std::string base(prefix);
    while (base.size() > 1 && base.ends_with('/')) base.pop_back();
    ListFolder(PathOf(prefix), base == "/" ? "" : base, &files);
    return files;
  }

 private:
  std::string PathOf(std::string_view location) const {
    for (const auto& [from, to] : prefix_map_) {
      if (IsBelow(location, from)) return LocalPath(to + std::string(location.substr(from.size())));
    }
    return LocalPath(location);
  }

  /// `location` is how the caller spells `folder`. Files and folders that vanish meanwhile are left out.
  void ListFolder(const std::string& folder, const std::string& location, std::vector<FileInfo>* files) {
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) return;
    if (error) throw ErrnoError(error.value(), "list", location, folder);
    for (; entries != fs::directory_iterator(); entries.increment(error)) {
      std::string name = entries->path().filename().string();
      std::string path = folder + "/" + name;
      struct stat info {};
      if (::stat(path.c_str(), &info) != 0) continue;
      if (S_ISDIR(info.st_mode)) {
        if (!fs::is_symlink(entries->symlink_status(error))) ListFolder(path, location + "/" + name, files);
      } else if (S_ISREG(info.st_mode)) {
        int64_t modified_ms = int64_t{info.st_mtim.tv_sec} * 1000 + info.st_mtim.tv_nsec / 1'000'000;
        files->push_back({location + "/" + name, int64_t{info.st_size}, modified_ms});
      }
    }
    if (error) throw ErrnoError(error.value(), "list", location, folder);
  }

  std::vector<std::pair<std::string, std::string>> prefix_map_;
};

}  // namespace

std::shared_ptr<FileIO> MakeLocalFileIO(std::vector<std::pair<std::string, std::string>> prefix_map) {
  return std::make_shared<LocalFileIO>(std::move(prefix_map));
}

}  // namespace frazil::storage
