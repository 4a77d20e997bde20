// SPDX-License-Identifier: Apache-2.0
// Which files a 'path' stands for.
#pragma once

#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "frazil/storage/file_io.h"

namespace frazil::connector {

/// A file, a folder or a glob. Thread-safe.
class FileListing {
 public:
  /// `path` may be relative to the working directory. `pattern`, where given, must match the whole absolute path.
  /// Throws InvalidArgument for a bad pattern, Unsupported for a scheme without a store.
  FileListing(std::shared_ptr<storage::FileIO> io, std::string path, const std::optional<std::string>& pattern);

  /// The files, sorted by path. Left out: names that begin with '.' or '_' and all below such folders, counted from the
  /// folder given (for a glob: from its first wildcard). Throws NotFound if a path without wildcards doesn't exist.
  std::vector<storage::FileInfo> List() const;

 private:
  bool Wanted(const std::string& location) const;

  std::shared_ptr<storage::FileIO> io_;
  std::string path_;
  std::string folder_;  ///< what to list: the path, or the part of a glob before its first wildcard
  bool is_glob_;
  std::optional<std::string> pattern_text_;
  std::optional<std::regex> pattern_;
};

}  // namespace frazil::connector
