// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/time_zone.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>

#include "frazil/base/arrow_compute.h"
#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"

namespace frazil::sql {

namespace {

std::shared_ptr<arrow::Array> WithZone(const std::shared_ptr<arrow::Array>& values, const std::string& zone) {
  auto unit = static_cast<const arrow::TimestampType&>(*values->type()).unit();
  return Unwrap(values->View(zone.empty() ? arrow::timestamp(unit) : arrow::timestamp(unit, zone)), "time zone");
}

bool IsUtc(const std::string& zone) { return zone == "UTC" || zone == "Z" || zone == "GMT" || zone == "Etc/UTC"; }

}  // namespace

std::string ArrowZone(const std::string& zone) {
  std::string offset;
  for (const char* prefix : {"GMT", "UTC", "UT", ""}) {
    if (zone.starts_with(prefix) && zone.size() > std::char_traits<char>::length(prefix)) {
      offset = zone.substr(std::char_traits<char>::length(prefix));
      break;
    }
  }
  if (!offset.empty() && (offset[0] == '+' || offset[0] == '-')) {
    std::string digits;
    for (char c : offset.substr(1)) {
      if (c == ':') continue;
      if (c < '0' || c > '9') throw InvalidArgument("'{}' is not a time zone", zone);
      digits.push_back(c);
    }
    if (digits.size() == 1 || digits.size() == 3) digits.insert(digits.begin(), '0');
    if (digits.size() == 2) digits += "00";
    if (digits.size() != 4) throw InvalidArgument("'{}' is not a time zone", zone);
    return offset.substr(0, 1) + digits.substr(0, 2) + ":" + digits.substr(2);
  }
  InitializeArrowCompute();
  // The zone exists if Arrow can convert an instant to it.
  arrow::TimestampBuilder builder(arrow::timestamp(arrow::TimeUnit::SECOND, zone), arrow::default_memory_pool());
  Check(builder.Append(0), "time zone");
  auto probe = Unwrap(builder.Finish(), "time zone");
  if (!arrow::compute::CallFunction("local_timestamp", {probe}).ok()) {
    throw InvalidArgument(
        "'{}' is not a time zone: expected an IANA name such as 'Europe/Berlin', 'UTC' or an offset "
        "such as 'GMT+08:00'",
        zone);
  }
  return zone;
}

std::shared_ptr<arrow::Array> InstantToLocal(const std::shared_ptr<arrow::Array>& instants, const std::string& zone) {
  if (IsUtc(zone)) return WithZone(instants, "");
  InitializeArrowCompute();
  std::shared_ptr<arrow::Array> zoned = WithZone(instants, ArrowZone(zone));
  return Unwrap(arrow::compute::CallFunction("local_timestamp", {zoned}), "time zone").make_array();
}

std::shared_ptr<arrow::Array> LocalToInstant(const std::shared_ptr<arrow::Array>& local, const std::string& zone) {
  if (IsUtc(zone)) return WithZone(local, "UTC");
  InitializeArrowCompute();
  arrow::compute::AssumeTimezoneOptions options(ArrowZone(zone),
                                                arrow::compute::AssumeTimezoneOptions::AMBIGUOUS_EARLIEST,
                                                arrow::compute::AssumeTimezoneOptions::NONEXISTENT_LATEST);
  return WithZone(Unwrap(arrow::compute::CallFunction("assume_timezone", {local}, &options), "time zone").make_array(),
                  "UTC");
}

}  // namespace frazil::sql
