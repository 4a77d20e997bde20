// SPDX-License-Identifier: Apache-2.0
// The interactive SQL shell: statements over several lines, history, completion.
#pragma once

#include "frazil/cli/script_runner.h"
#include "frazil/sql/session.h"

namespace frazil::cli {

/// Reads statements from the terminal until QUIT or the end of input; errors are shown and don't end it. Returns the
/// exit code.
int RunShell(sql::Session& session, OutputFormat format);

/// What stands for `word` at its beginning: keywords in the case of `word`, then names of the session.
std::vector<std::string> Completions(const sql::Session& session, const std::string& word);

/// A statement as one line of history: line ends become blanks, comments go.
std::string HistoryEntry(const std::string& statement);

}  // namespace frazil::cli
