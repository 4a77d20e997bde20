// SPDX-License-Identifier: Apache-2.0
// Between instants (TIMESTAMP_LTZ, stored in UTC) and the wall clock of the session's zone.
#pragma once

#include <memory>
#include <string>

#include <arrow/type_fwd.h>

namespace frazil::sql {

/// Arrow's name for a zone of `table.local-time-zone`: IANA names and "UTC" as they are, "GMT+08:00" and "UTC+8" as
/// "+08:00". Throws InvalidArgument for what isn't a zone.
std::string ArrowZone(const std::string& zone);

/// timestamp[u, UTC] → timestamp[u] on the wall clock of `zone`.
std::shared_ptr<arrow::Array> InstantToLocal(const std::shared_ptr<arrow::Array>& instants, const std::string& zone);

/// timestamp[u] on the wall clock of `zone` → timestamp[u, UTC]. Of two instants with the same wall time the earlier
/// one; a wall time that a clock change skips becomes the instant of the change.
std::shared_ptr<arrow::Array> LocalToInstant(const std::shared_ptr<arrow::Array>& local, const std::string& zone);

}  // namespace frazil::sql
