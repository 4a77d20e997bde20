// SPDX-License-Identifier: Apache-2.0
#include "frazil/storage/posix.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace frazil::storage {

namespace {

/// statvfs of the nearest existing ancestor.
std::string FreeSpaceHint(std::string path) {
  struct statvfs fs {};
  while (statvfs(path.c_str(), &fs) != 0) {
    if (path == "/" || path.empty()) return "";
    path = ParentPath(path);
  }
  double free_mib = static_cast<double>(fs.f_bavail) * static_cast<double>(fs.f_frsize) / (1 << 20);
  return fmt::format(" ({:.1f} MiB and {} inodes free there)", free_mib, static_cast<uint64_t>(fs.f_favail));
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    Reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void FileDescriptor::Reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Error ErrnoError(int error, std::string_view action, std::string_view location, const std::string& path) {
  std::string reason = fmt::format("cannot {} {}: {}", action, location, std::strerror(error));
  switch (error) {
    case ENOENT: return NotFound("{}", reason);
    case EEXIST: return AlreadyExists("{}", reason);
    case ENOSPC:
    case EDQUOT: return Unavailable("{}{}: free some space and run again", reason, FreeSpaceHint(path));
    case EROFS: return Unavailable("{}: mount it for writing or choose another location", reason);
    case EMFILE:
    case ENFILE: return Unavailable("{}: raise the limit of open files (ulimit -n)", reason);
    case EACCES:
    case EPERM: return Unauthorized("{}: check owner and permissions of the file and its folders", reason);
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case EINVAL: return InvalidArgument("{}", reason);
    default: return Unavailable("{}", reason);
  }
}

std::string ParentPath(const std::string& path) {
  size_t slash = path.find_last_of('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

void SyncFolder(const std::string& folder, std::string_view location) {
  FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) throw ErrnoError(errno, "open the folder of", location, folder);
  // Some file systems have nothing to sync for a folder and say EINVAL.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) throw ErrnoError(errno, "sync the folder of", location, folder);
}

void CreateFolders(const std::string& folder, std::string_view location) {
  if (::mkdir(folder.c_str(), 0777) == 0) {
    SyncFolder(ParentPath(folder), location);
    return;
  }
  if (errno == EEXIST) return;
  if (errno != ENOENT || folder == "/") throw ErrnoError(errno, "create the folder of", location, folder);
  CreateFolders(ParentPath(folder), location);
  if (::mkdir(folder.c_str(), 0777) == 0) {
    SyncFolder(ParentPath(folder), location);
  } else if (errno != EEXIST) {
    throw ErrnoError(errno, "create the folder of", location, folder);
  }
}

}  // namespace frazil::storage
