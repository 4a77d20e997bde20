// SPDX-License-Identifier: Apache-2.0
#include "frazil/base/uuid.h"

#include <sys/random.h>

#include <cstring>
#include <limits>

#include "frazil/base/error.h"

namespace frazil {

Uuid RandomUuid() {
  Uuid uuid;
  size_t got = 0;
  while (got < uuid.size()) {
    ssize_t n = getrandom(uuid.data() + got, uuid.size() - got, 0);
    if (n < 0) {
      if (errno == EINTR) continue;
      throw Internal("getrandom failed: {}", std::strerror(errno));
    }
    got += static_cast<size_t>(n);
  }
  uuid[6] = static_cast<uint8_t>((uuid[6] & 0x0f) | 0x40);
  uuid[8] = static_cast<uint8_t>((uuid[8] & 0x3f) | 0x80);
  return uuid;
}

std::string ToString(const Uuid& uuid) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(36);
  for (size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out.push_back('-');
    out.push_back(kHex[uuid[i] >> 4]);
    out.push_back(kHex[uuid[i] & 0xf]);
  }
  return out;
}

Uuid ParseUuid(std::string_view text) {
  auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  Uuid uuid;
  size_t at = 0;
  bool ok = text.size() == 36;
  for (size_t i = 0; ok && i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) ok = text[at++] == '-';
    int high = ok ? digit(text[at]) : -1;
    int low = ok ? digit(text[at + 1]) : -1;
    ok = high >= 0 && low >= 0;
    at += 2;
    uuid[i] = static_cast<uint8_t>(high << 4 | low);
  }
  if (!ok) throw InvalidArgument("'{}' is not a UUID: expected the form 8-4-4-4-12 in hexadecimal digits", text);
  return uuid;
}

int64_t RandomSnapshotId() {
  Uuid uuid = RandomUuid();
  uint64_t high = 0;
  uint64_t low = 0;
  std::memcpy(&high, uuid.data(), 8);
  std::memcpy(&low, uuid.data() + 8, 8);
  int64_t id = static_cast<int64_t>((high ^ low) & static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
  return id == 0 ? 1 : id;
}

}  // namespace frazil
