// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/filesystem/file_listing.h"

#include <filesystem>

#include <fnmatch.h>

#include <arrow/io/interfaces.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"

namespace frazil::connector {

namespace {

constexpr std::string_view kWildcards = "*?[";

std::string AbsolutePath(const std::string& path) {
  bool has_scheme = path.find("://") != std::string::npos || path.starts_with("file:");
  std::string local = has_scheme ? storage::LocalPath(path) : std::filesystem::absolute(path).string();
  return std::filesystem::path(local).lexically_normal().string();
}

bool IsHidden(std::string_view path_below_folder) {
  bool at_begin = true;
  for (char c : path_below_folder) {
    if (at_begin && (c == '.' || c == '_')) return true;
    at_begin = c == '/';
  }
  return false;
}

}  // namespace

FileListing::FileListing(std::shared_ptr<storage::FileIO> io, std::string path,
                         const std::optional<std::string>& pattern)
    : io_(std::move(io)), path_(AbsolutePath(path)), pattern_text_(pattern) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  folder_ = path_;
  size_t wildcard = path_.find_first_of(kWildcards);
  // A name with such characters that exists is meant as it stands.
  is_glob_ = wildcard != std::string::npos && !io_->Exists(path_);
  if (is_glob_) folder_ = path_.substr(0, std::max<size_t>(path_.rfind('/', wildcard), 1));
  if (!pattern) return;
  try {
    pattern_.emplace(*pattern, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    throw InvalidArgument("option 'source.path.regex-pattern': '{}' is no regular expression: {}", *pattern,
                          error.what());
  }
}

std::vector<storage::FileInfo> FileListing::List() const {
  if (!is_glob_ && !io_->Exists(path_)) {
    throw NotFound("option 'path': there is no file or folder {}", path_);
  }
  std::vector<storage::FileInfo> files;
  if (!is_glob_ && !std::filesystem::is_directory(path_)) {
    int64_t size = Unwrap(io_->Open(path_)->GetSize(), path_);
    files.push_back({path_, size, 0});
    return files;
  }
  for (storage::FileInfo& file : io_->List(folder_)) {
    if (Wanted(file.location)) files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(),
            [](const storage::FileInfo& a, const storage::FileInfo& b) { return a.location < b.location; });
  return files;
}

bool FileListing::Wanted(const std::string& location) const {
  std::string_view below(location);
  below.remove_prefix(std::min(folder_.size(), below.size()));
  if (below.starts_with('/')) below.remove_prefix(1);
  if (IsHidden(below)) return false;
  // A glob may also name folders: everything below them is meant then.
  if (is_glob_ && fnmatch(path_.c_str(), location.c_str(), FNM_PATHNAME | FNM_LEADING_DIR) != 0) return false;
  return !pattern_ || std::regex_match(location, *pattern_);
}

}  // namespace frazil::connector
