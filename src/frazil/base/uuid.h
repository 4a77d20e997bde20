// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace frazil {

/// 16 bytes, big endian, as RFC 4122 and Iceberg's `uuid` type lay them out.
using Uuid = std::array<uint8_t, 16>;

/// A random (version 4) UUID; unpredictable enough to name files of many processes.
Uuid RandomUuid();

/// "f79c3e09-677c-4bbd-a479-3f349cb785e7"
std::string ToString(const Uuid& uuid);

/// Throws InvalidArgument unless `text` is in the 8-4-4-4-12 form.
Uuid ParseUuid(std::string_view text);

/// A positive random 63-bit id as Iceberg uses for snapshots: the two halves of a random UUID, XORed.
int64_t RandomSnapshotId();

}  // namespace frazil
