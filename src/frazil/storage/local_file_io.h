// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frazil/storage/file_io.h"

namespace frazil::storage {

/// Files of this machine. `prefix_map`: locations below `first` are found below `second`; the longest match wins.
std::shared_ptr<FileIO> MakeLocalFileIO(std::vector<std::pair<std::string, std::string>> prefix_map);

}  // namespace frazil::storage
