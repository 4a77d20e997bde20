// SPDX-License-Identifier: Apache-2.0
#include "frazil/serde/json.h"

#include "frazil/base/error.h"
#include "frazil/base/options.h"

namespace frazil::serde {

std::unique_ptr<DeserializationSchema> MakeJsonDeserializer(std::shared_ptr<arrow::Schema> produced,
                                                            OptionReader& options) {
  throw Unsupported("the format 'json' is not built yet");
}

}  // namespace frazil::serde
