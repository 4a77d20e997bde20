// SPDX-License-Identifier: Apache-2.0
// Decoding of texts in memory, as the tests of the JSON format need it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "frazil/base/options.h"
#include "frazil/serde/json.h"

namespace frazil::serde::test {

using Fields = std::vector<std::shared_ptr<arrow::Field>>;

inline const OptionMap kIgnoreErrors = {{"json.ignore-parse-errors", "true"}};
inline const OptionMap kIso = {{"json.timestamp-format.standard", "ISO-8601"}};

/// A decoder and the bytes it is given, each chunk in memory of its own of exactly the promised size.
class Decoder {
 public:
  explicit Decoder(const Fields& fields, const OptionMap& options = {}) {
    OptionReader reader(options, "table 't'");
    schema_ = MakeJsonDeserializer(arrow::schema(fields), reader);
    reader.RefuseUnread();
  }

  Decoder& Decode(std::string_view text, const ChunkPosition& position = {"events-0.json", 1, 0}) {
    std::unique_ptr<char[]> memory(new char[text.size() + kPadding]);
    std::copy(text.begin(), text.end(), memory.get());
    // What follows a chunk must not matter: make it look like more JSON.
    for (size_t i = 0; i < kPadding; ++i) memory[text.size() + i] = "\"}1,"[i % 4];
    schema_->Decode({memory.get(), text.size()}, position);
    return *this;
  }

  std::shared_ptr<arrow::RecordBatch> Take() {
    auto batch = schema_->Take();
    EXPECT_TRUE(batch->ValidateFull().ok()) << batch->ValidateFull().ToString();
    return batch;
  }

  DeserializationSchema& operator*() { return *schema_; }
  DeserializationSchema* operator->() { return schema_.get(); }

 private:
  std::unique_ptr<DeserializationSchema> schema_;
};

/// The values of a column as Arrow writes them, "null" for NULL.
inline std::vector<std::string> Values(const arrow::Array& array) {
  std::vector<std::string> values;
  for (int64_t i = 0; i < array.length(); ++i) values.push_back(array.GetScalar(i).ValueOrDie()->ToString());
  return values;
}

inline std::vector<std::string> Values(const arrow::RecordBatch& batch, const std::string& name) {
  return Values(*batch.GetColumnByName(name));
}

/// The values of the only column of `type`, called "v", that `text` decodes to.
inline std::vector<std::string> DecodeColumn(std::shared_ptr<arrow::DataType> type, std::string_view text,
                                             const OptionMap& options = {}) {
  Decoder decoder({arrow::field("v", std::move(type))}, options);
  return Values(*decoder.Decode(text).Take()->column(0));
}

}  // namespace frazil::serde::test
