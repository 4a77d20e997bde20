// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/parser.h"

#include "support/support.h"

namespace frazil::sql {
namespace {

TEST(Splitting, SplitsOnlyOutsideOfStringsCommentsAndQuotedNames) {
  const std::string_view script =
      "SELECT 'a;b', 'it''s; ok' AS `c;d` -- note; more\nFROM t /* block; /* no nesting */ ; SELECT 2 ; /* tail ; */";
  const std::vector<Statement> statements = ParseScript(script);
  ASSERT_EQ(statements.size(), 2);
  EXPECT_EQ(StatementToString(statements[0]), "SELECT 'a;b', 'it''s; ok' AS `c;d` FROM t");
}

}  // namespace
}  // namespace frazil::sql
