// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/types.h"

#include "support/support.h"

namespace frazil::sql {
namespace {

TEST(Types, PrintAsFlinkDoes) { EXPECT_EQ(StringType().ToString(), "STRING"); }

}  // namespace
}  // namespace frazil::sql
