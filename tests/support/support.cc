// SPDX-License-Identifier: Apache-2.0
#include "support/support.h"

#include <cstdlib>

#include "frazil/base/uuid.h"

namespace frazil::test {

ScratchDir::ScratchDir() : path_(std::filesystem::temp_directory_path() / ("frazil-test-" + ToString(RandomUuid()))) {
  std::filesystem::create_directories(path_);
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::optional<std::filesystem::path> GoldenDir() {
  const char* env = std::getenv("FRAZIL_GOLDEN");
  std::filesystem::path dir = env != nullptr ? env : std::filesystem::path(FRAZIL_SOURCE_DIR) / "../shared/golden";
  if (!std::filesystem::is_directory(dir)) return std::nullopt;
  return std::filesystem::canonical(dir);
}

}  // namespace frazil::test
