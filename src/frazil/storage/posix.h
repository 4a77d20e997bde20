// SPDX-License-Identifier: Apache-2.0
// What the local file system's calls have in common: owned descriptors, and errno as one of our errors.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "frazil/base/error.h"

namespace frazil::storage {

/// Closes its descriptor at the end of the scope.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { Reset(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  /// The descriptor, no longer owned.
  int Release() { return std::exchange(fd_, -1); }
  void Reset();

 private:
  int fd_ = -1;
};

/// The Error for a failed system call: "cannot <action> <location>: <reason>", and what to do where the reason has an
/// obvious cure (a full disk names the free space of the file system that holds `path`).
Error ErrnoError(int error, std::string_view action, std::string_view location, const std::string& path);

/// The folder part of an absolute path; "/" for a file in the root.
std::string ParentPath(const std::string& path);

/// Makes the entries of a folder durable. `location` is how errors name what it is done for.
void SyncFolder(const std::string& folder, std::string_view location);

/// Creates `folder` with its missing parents, each durable in its own parent. Safe against others doing the same.
void CreateFolders(const std::string& folder, std::string_view location);

}  // namespace frazil::storage
