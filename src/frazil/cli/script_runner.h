// SPDX-License-Identifier: Apache-2.0
// Runs SQL text on a session: statement by statement, results rendered to `out`, progress and messages to `err`.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/cli/render.h"
#include "frazil/sql/session.h"

namespace frazil::cli {

struct RunnerOptions {
  OutputFormat format = OutputFormat::kTable;
  bool is_terminal = false;     ///< of `err`
  bool is_interactive = false;  ///< the shell: errors don't end it, a row count shows the time
};

class ScriptRunner {
 public:
  ScriptRunner(sql::Session& session, RunnerOptions options, std::ostream& out, std::ostream& err)
      : session_(session), options_(options), out_(out), err_(err) {}

  enum class Outcome { kDone, kQuit, kStopped };

  /// All statements of `script`, which is parsed as a whole first. Ends at QUIT, at a stop signal, and at the first
  /// error, which is thrown (sql::SqlError already shows the source line).
  Outcome Run(std::string_view script);

  /// Waits for the jobs that were submitted without waiting (`table.dml-sync` = false).
  Outcome WaitForJobs();

 private:
  Outcome Execute(const sql::Statement& statement, std::string_view script);
  void ShowRows(sql::StatementResult& result);
  void ShowText(arrow::RecordBatchReader& rows);

  sql::Session& session_;
  RunnerOptions options_;
  std::ostream& out_;
  std::ostream& err_;
  std::vector<std::shared_ptr<sql::SubmittedJob>> jobs_;
};

}  // namespace frazil::cli
