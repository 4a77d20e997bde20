// SPDX-License-Identifier: Apache-2.0
// The little binary notation in which checkpoints, splits and enumerators are written: LEB128 varints, zigzag for
// signed numbers, strings with their length before them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace frazil::stream {

class StateEncoder {
 public:
  void Unsigned(uint64_t value);
  void Signed(int64_t value);
  void Bool(bool value) { Unsigned(value ? 1 : 0); }
  void String(std::string_view text);
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Each call throws Corrupt, naming `origin`, where the bytes end too early. `bytes` and `origin` outlive it.
class StateDecoder {
 public:
  StateDecoder(std::string_view bytes, std::string_view origin) : bytes_(bytes), origin_(origin) {}

  uint64_t Unsigned();
  int64_t Signed();
  bool Bool() { return Unsigned() != 0; }
  std::string String();
  bool at_end() const { return bytes_.empty(); }
  /// Reads a version number and throws Unsupported if it is above `newest`.
  uint64_t Version(uint64_t newest);

 private:
  std::string_view bytes_;
  std::string_view origin_;
};

}  // namespace frazil::stream
