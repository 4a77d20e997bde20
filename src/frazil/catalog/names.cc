// SPDX-License-Identifier: Apache-2.0
#include "frazil/catalog/names.h"

#include "frazil/base/error.h"

namespace frazil::catalog {

namespace {

/// The column width of the JDBC layout, and the longest name of a folder on Linux.
constexpr size_t kMaxNameBytes = 255;

void ValidateName(std::string_view what, const std::string& name) {
  if (name.empty()) throw InvalidArgument("a {} name must not be empty", what);
  if (name == "." || name == "..") throw InvalidArgument("'{}' can't be the name of a {}", name, what);
  if (name.size() > kMaxNameBytes) {
    throw InvalidArgument("{} name '{}…' has {} bytes; at most {} are allowed", what, name.substr(0, 40), name.size(),
                          kMaxNameBytes);
  }
  for (char c : name) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      throw InvalidArgument("a {} name has the control character 0x{:02x}, which isn't allowed", what, byte);
    }
    if (c == '/')
      throw InvalidArgument("{} name '{}' has a '/', which isn't allowed: names become folders", what, name);
  }
}

}  // namespace

std::string JoinNamespace(const Namespace& ns) { return fmt::format("{}", fmt::join(ns, ".")); }

Namespace SplitNamespace(std::string_view joined) {
  Namespace ns;
  while (!joined.empty()) {
    std::string_view level = joined.substr(0, joined.find('.'));
    ns.emplace_back(level);
    joined.remove_prefix(std::min(joined.size(), level.size() + 1));
  }
  return ns;
}

void ValidateNamespace(const Namespace& ns) {
  if (ns.empty()) throw InvalidArgument("a namespace needs at least one level");
  for (const std::string& level : ns) {
    ValidateName("namespace", level);
    if (level.find('.') != std::string::npos) {
      throw InvalidArgument("namespace level '{}' has a '.', which separates levels: give them one by one", level);
    }
  }
}

void ValidateIdentifier(const TableIdentifier& id) {
  ValidateNamespace(id.ns);
  ValidateName("table", id.name);
}

bool IsWithin(const Namespace& ns, const Namespace& ancestor) {
  return ns.size() >= ancestor.size() && std::equal(ancestor.begin(), ancestor.end(), ns.begin());
}

}  // namespace frazil::catalog
