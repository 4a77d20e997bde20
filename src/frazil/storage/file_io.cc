// SPDX-License-Identifier: Apache-2.0
#include "frazil/storage/file_io.h"

#include "frazil/base/error.h"
#include "frazil/storage/local_file_io.h"

namespace frazil::storage {

namespace {

constexpr char kPathPrefixMap[] = "frazil.storage.path-prefix-map";

/// "a=b,c=d" → {{a, b}, {c, d}}.
std::vector<std::pair<std::string, std::string>> ParsePrefixMap(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> map;
  while (!text.empty()) {
    std::string_view entry = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
    size_t equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == entry.size()) {
      throw InvalidArgument("'{}': '{}' is not of the form <from>=<to>[,<from>=<to>…]", kPathPrefixMap, entry);
    }
    std::string to(entry.substr(equals + 1));
    LocalPath(to);
    map.emplace_back(entry.substr(0, equals), std::move(to));
  }
  return map;
}

/// The length of "<scheme>:" at the start of `location`, 0 if there is none (RFC 3986, section 3.1).
size_t SchemeLength(std::string_view location) {
  size_t colon = location.find(':');
  if (colon == std::string_view::npos || colon == 0) return 0;
  for (char c : location.substr(0, colon)) {
    bool legal =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    if (!legal) return 0;
  }
  return colon + 1;
}

}  // namespace

std::shared_ptr<FileIO> MakeFileIO(const OptionMap& properties) {
  auto map = properties.find(kPathPrefixMap);
  return MakeLocalFileIO(map == properties.end() ? std::vector<std::pair<std::string, std::string>>{}
                                                 : ParsePrefixMap(map->second));
}

std::string LocalPath(std::string_view location) {
  size_t scheme = SchemeLength(location);
  std::string_view path = location.substr(scheme);
  if (scheme != 0) {
    if (location.substr(0, scheme) != "file:") {
      throw Unsupported(
          "no store for {}: this build reads and writes local files (file:///… and /…); "
          "'{}' can map a prefix to a local folder",
          location, kPathPrefixMap);
    }
    if (path.starts_with("//")) path.remove_prefix(2);
  }
  if (!path.starts_with('/')) {
    throw InvalidArgument("location '{}' is not absolute: spell it file:///… or /…", location);
  }
  return std::string(path);
}

}  // namespace frazil::storage
