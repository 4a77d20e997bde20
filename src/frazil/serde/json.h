// SPDX-License-Identifier: Apache-2.0
// Flink's 'json' format, decoding side: JSON lines → columns.
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "frazil/serde/deserialization_schema.h"

namespace frazil::serde {

/// A decoder of newline-separated JSON records (objects; an array of objects gives one row per element) into
/// `produced`. Keys that `produced` does not name are skipped, so a pruned schema costs less.
///
/// Arrow types stand for Flink's: bool; int8 … int64; float, double; decimal128(p, s); utf8 (STRING; objects, arrays,
/// numbers and booleans become their JSON text); binary and fixed_size_binary (base64 text); date32; time32(s, ms),
/// time64(us, ns); timestamp without zone = TIMESTAMP, with zone "UTC" = TIMESTAMP_LTZ; struct, list, map with utf8
/// keys. Throws Unsupported naming the column for any other type.
///
/// A JSON null as a record gives no row, as in Flink. Everything else that isn't an object or an array of objects is an
/// error. Blank lines are skipped; so is a byte order mark at offset 0.
///
/// Asks `options` for these, so that its RefuseUnread refuses every other 'json.*'; throws InvalidArgument for a bad
/// value:
///   json.ignore-parse-errors        (false) a bad field is NULL, a record that isn't JSON is dropped and counted
///   json.fail-on-missing-field      (false) a key that a record lacks is an error instead of NULL; not with the above
///   json.timestamp-format.standard  ('SQL') or 'ISO-8601'
std::unique_ptr<DeserializationSchema> MakeJsonDeserializer(std::shared_ptr<arrow::Schema> produced,
                                                            OptionReader& options);

}  // namespace frazil::serde
