// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <arrow/type_fwd.h>

namespace frazil::serde {

/// The name in Flink SQL of the type that an Arrow type stands for: "DECIMAL(5,2)", "TIMESTAMP_LTZ(3)",
/// "ROW<b INT NOT NULL>". Arrow's own name where there is none.
std::string FlinkTypeName(const arrow::DataType& type);

}  // namespace frazil::serde
