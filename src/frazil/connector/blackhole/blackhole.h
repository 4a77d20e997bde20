// SPDX-License-Identifier: Apache-2.0
// connector/blackhole: a sink that takes everything and keeps nothing.
#pragma once

#include <memory>

#include "frazil/connector/connector.h"

namespace frazil::connector {

/// 'connector' = 'blackhole', no options. CreateSource throws Unsupported.
std::unique_ptr<ConnectorFactory> MakeBlackholeConnector();

}  // namespace frazil::connector
