// SPDX-License-Identifier: Apache-2.0
// Columns that read their values straight from JSON text.
//
// One pass: the object reader walks a record's text, finds for each key its column, and the column turns the text into
// its buffers. A column has a fast form for what values of its type usually look like (a plain number, a timestamp of
// fixed width, a string without escapes) and hands everything else to a general reading with the same results.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

#include "frazil/serde/column_buffers.h"
#include "frazil/serde/json_text.h"
#include "frazil/serde/text_values.h"

namespace frazil::serde::json {

class Column;

/// A value that its column can't take. The views are valid as long as the record's text.
struct ValueError {
  const Column* column = nullptr;
  const char* at = nullptr;  ///< in the record's text
  std::string_view value;    ///< the offending text; empty if there is none
  Problem problem;           ///< "is not a number"
};

/// What the columns of one deserializer share. Why a Read failed is in `value_error` if that names a column, else in
/// `syntax_error`.
struct DecodeContext {
  bool ignore_parse_errors = false;
  bool fail_on_missing_field = false;
  TimestampStandard timestamp_standard = TimestampStandard::kSql;
  int64_t nulled_fields = 0;
  SyntaxError syntax_error;
  ValueError value_error;
  std::string scratch;  ///< of the value being read
};

/// A column under construction.
class Column {
 public:
  virtual ~Column() = default;
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  /// Reads the value that starts at `p`, appends it and returns the position behind it. Returns nullptr if the record
  /// can't be used: the context says why, and the column holds garbage until Truncate.
  virtual const char* Read(const char* p) = 0;

  /// Appends NULL; in a NOT NULL column, whose parent then is NULL, a value that nobody sees.
  virtual void AppendNull() = 0;

  /// Drops all values from `length` on, and what an unfinished Read left.
  virtual void Truncate(int64_t length) = 0;

  /// The values as an Arrow array; the column is empty afterwards.
  virtual std::shared_ptr<arrow::ArrayData> Take() = 0;

  /// Appends what an object without the key gets. False if it must have one; `object` is its place.
  bool AppendMissing(const char* object);

  int64_t length() const { return length_; }
  bool nullable() const { return nullable_; }
  const std::string& path() const { return path_; }
  const std::shared_ptr<arrow::DataType>& type() const { return type_; }

 protected:
  Column(std::string path, const arrow::Field& field, DecodeContext& context);

  /// The end of a Read that met the literal null.
  const char* ReadNull(const Token& token);
  /// The end of a Read whose value can't be converted: NULL where errors are ignored, else nullptr.
  const char* BadValue(const Token& token, Problem problem);
  /// A Read of a value that isn't an object or array where the type needs one.
  const char* ReadOther(const char* p, Problem problem);
  /// The text that a string or number token means; valid until the next one is decoded.
  std::string_view TextOf(const Token& token);

  DecodeContext& context_;
  ValidityBitmap validity_;
  int64_t length_ = 0;

 private:
  std::string path_;
  std::shared_ptr<arrow::DataType> type_;
  bool nullable_;
};

/// Throws Unsupported naming the column if its type has no JSON form.
std::unique_ptr<Column> MakeColumn(const std::string& path, const arrow::Field& field, DecodeContext& context);

}  // namespace frazil::serde::json
