// SPDX-License-Identifier: Apache-2.0
// The border between parquet::ParquetException and our exceptions.
#pragma once

#include <string_view>

#include <parquet/exception.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"

namespace frazil::datafile {

/// Calls `write` and turns what Parquet's writer throws into Errors naming `location`: a failed write of the output is
/// Unavailable (its message is the output's own), anything else is a defect of ours.
template <typename Write>
auto GuardParquetWrite(std::string_view location, Write&& write) {
  try {
    return write();
  } catch (const parquet::ParquetStatusException& e) {
    ThrowStatus(e.status(), location);
  } catch (const parquet::ParquetException& e) {
    throw Internal("{}: {}", location, e.what());
  }
}

}  // namespace frazil::datafile
