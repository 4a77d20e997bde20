// SPDX-License-Identifier: Apache-2.0
// A local file that appears whole and durable at Close(), and never in place of another.
#pragma once

#include <memory>
#include <string>

#include "frazil/storage/file_io.h"

namespace frazil::storage {

/// `location` as the caller spells it, `path` where it is. Throws AlreadyExists if the path is taken now; otherwise
/// that is found out, atomically, at Close().
std::unique_ptr<OutputFile> CreateLocalFile(std::string location, std::string path);

}  // namespace frazil::storage
