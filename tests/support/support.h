// SPDX-License-Identifier: Apache-2.0
// What tests of several rooms share: scratch folders, expected errors, the golden files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frazil/base/error.h"

namespace frazil::test {

/// A folder of its own under the system's temporary folder, removed with everything in it at the end of the scope.
class ScratchDir {
 public:
  ScratchDir();
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// The folder of golden tables (FRAZIL_GOLDEN, else ../shared/golden beside the checkout); nullopt where it is missing:
/// the test then says so with GTEST_SKIP.
std::optional<std::filesystem::path> GoldenDir();

/// The message of the Error of `kind` that `call` throws; fails the test if it throws nothing or another kind.
template <typename Call>
std::string ErrorOf(ErrorKind kind, Call&& call) {
  try {
    call();
  } catch (const Error& e) {
    EXPECT_EQ(ToString(e.kind()), ToString(kind)) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "expected " << ToString(kind) << ", nothing was thrown";
  return "";
}

}  // namespace frazil::test
