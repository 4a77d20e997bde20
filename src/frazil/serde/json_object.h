// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/serde/json_column.h"

namespace frazil::serde::json {

/// Reads JSON objects, records or nested rows, into one column per field. Keys without a field are checked and skipped;
/// of a key that comes twice the last value wins.
///
/// Keys are predicted, not looked up: behind a key most likely comes the one that came behind it last time, and one
/// comparison of its spelling, quotes and colon included, confirms it.
class ObjectReader {
 public:
  /// `path` names the row in errors; "" for records.
  ObjectReader(const std::string& path, const std::vector<std::shared_ptr<arrow::Field>>& fields,
               DecodeContext& context);

  /// `p` is behind the opening brace. Appends one value to every column and returns the position behind the closing
  /// brace; nullptr as Column::Read.
  const char* Read(const char* p);

  void AppendNull();
  void Truncate(int64_t length);
  /// One array per field; the columns are empty afterwards.
  std::vector<std::shared_ptr<arrow::ArrayData>> Take();
  int64_t length() const { return length_; }

 private:
  static constexpr size_t kBlock = 16;

  /// A key as texts spell it.
  struct Key {
    std::string token;                 ///< in quotes and with the colon
    std::array<char, kBlock> block{};  ///< the first bytes of `token`
    unsigned block_mask = 0;           ///< a bit per byte of `block` that counts
    Column* column = nullptr;          ///< nullptr: skipped
    Key* next = nullptr;               ///< what came behind this key last time

    bool Matches(const char* p) const;
    bool MatchesBehindBlock(const char* p) const;
  };

  /// `p` is at the first key. Returns the position of the closing brace; `*filled` counts the columns that got a value.
  const char* ReadMembers(const char* p, size_t* filled);
  bool AppendMissing(const char* object);
  /// Reads the key at `p` and its colon without a prediction. Returns the position behind the colon.
  const char* FindKey(const char* p, Key** key);
  Key* RememberKey(std::string_view spelling, bool escaped);
  Column* FindColumn(std::string_view spelling, bool escaped);

  DecodeContext& context_;
  std::vector<std::unique_ptr<Column>> columns_;
  std::unordered_map<std::string, Column*> columns_by_name_;
  std::deque<Key> keys_;
  std::unordered_map<std::string_view, Key*> keys_by_spelling_;
  Key forgotten_;  // stands in for the keys beyond those that are remembered
  Key start_;      // its `next` is the first key of an object
  int64_t length_ = 0;
};

}  // namespace frazil::serde::json
