// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/connector.h"

#include "frazil/base/error.h"
#include "frazil/base/suggest.h"

namespace frazil::connector {

std::unique_ptr<stream::Source> ConnectorFactory::CreateSource(const ConnectorContext& context, OptionReader&) const {
  throw Unsupported("table '{}': the connector '{}' can't be read from", context.table_name, identifier());
}

std::unique_ptr<stream::Sink> ConnectorFactory::CreateSink(const ConnectorContext& context, OptionReader&) const {
  throw Unsupported("table '{}': the connector '{}' can't be written to", context.table_name, identifier());
}

void ConnectorRegistry::Add(std::unique_ptr<ConnectorFactory> factory) {
  std::string identifier(factory->identifier());
  if (!factories_.emplace(identifier, std::move(factory)).second) {
    throw AlreadyExists("a connector '{}' is registered already", identifier);
  }
}

const ConnectorFactory& ConnectorRegistry::Get(std::string_view identifier, std::string_view table_name) const {
  auto it = factories_.find(identifier);
  if (it == factories_.end()) {
    std::vector<std::string> known = identifiers();
    throw NotFound("table '{}': there is no connector '{}'{}; there are {}", table_name, identifier,
                   DidYouMean(identifier, known), fmt::join(known, ", "));
  }
  return *it->second;
}

std::vector<std::string> ConnectorRegistry::identifiers() const {
  std::vector<std::string> result;
  for (const auto& [identifier, factory] : factories_) result.push_back(identifier);
  return result;
}

}  // namespace frazil::connector
