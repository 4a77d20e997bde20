// SPDX-License-Identifier: Apache-2.0
#include "frazil/cli/script_runner.h"

#include <chrono>
#include <ostream>

#include <arrow/array/array_binary.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"
#include "frazil/base/options.h"
#include "frazil/cli/job_monitor.h"
#include "frazil/cli/stop_signal.h"
#include "frazil/sql/parser.h"
#include "frazil/sql/settings.h"
#include "frazil/stream/job.h"

namespace frazil::cli {

namespace {

constexpr char kHelp[] =
    "Statements end with ';'. CREATE, DROP, ALTER, USE, SHOW, DESCRIBE, EXPLAIN, SET, RESET, INSERT INTO, SELECT.\n"
    "QUIT or EXIT leaves, CLEAR clears the screen. Tab completes keywords and names, ↑ and ↓ walk the history.\n"
    "Ctrl-C drops the line, stops a running INSERT with a savepoint, or ends a query.\n"
    "SET 'sql-client.execution.result-mode' = 'tableau'; shows tables; start with --output csv or json for others.\n";

}  // namespace

ScriptRunner::Outcome ScriptRunner::Run(std::string_view script) {
  std::vector<sql::Statement> statements;
  try {
    statements = sql::ParseScript(script);
  } catch (const sql::SqlError& e) {
    throw e.WithSource(script);
  }
  for (const sql::Statement& statement : statements) {
    Outcome outcome = Execute(statement, script);
    if (outcome != Outcome::kDone) return outcome;
    if (StopRequested()) return Outcome::kStopped;
  }
  return Outcome::kDone;
}

ScriptRunner::Outcome ScriptRunner::Execute(const sql::Statement& statement, std::string_view script) {
  if (const auto* command = statement.As<sql::ShellCommand>()) {
    if (command->kind == sql::ShellCommand::Kind::kQuit) return Outcome::kQuit;
    if (command->kind == sql::ShellCommand::Kind::kHelp) out_ << kHelp;
    if (command->kind == sql::ShellCommand::Kind::kClear && options_.is_terminal) out_ << "\033[H\033[2J" << std::flush;
    return Outcome::kDone;
  }
  sql::StatementResult result = session_.Execute(statement, script);
  switch (result.kind) {
    case sql::StatementResult::Kind::kOk:
      if (!result.message.empty()) {
        // What a statement has to show goes to the results; that it worked is only news in the shell.
        err_ << result.message << (result.message.ends_with('\n') ? "" : "\n");
      }
      return Outcome::kDone;
    case sql::StatementResult::Kind::kRows: ShowRows(result); return Outcome::kDone;
    case sql::StatementResult::Kind::kJob: break;
  }
  if (session_.GetConfig("table.dml-sync").value_or("true") != "true") {
    err_ << fmt::format("submitted {} (job {})\n", result.job->target, result.job->execution->job_id());
    jobs_.push_back(std::move(result.job));
    return Outcome::kDone;
  }
  JobOutcome outcome = WaitForJob(*result.job, err_, options_.is_terminal);
  return outcome == JobOutcome::kFinished ? Outcome::kDone : Outcome::kStopped;
}

void ScriptRunner::ShowText(arrow::RecordBatchReader& rows) {
  std::shared_ptr<arrow::RecordBatch> batch;
  for (Check(rows.ReadNext(&batch), "result"); batch != nullptr; Check(rows.ReadNext(&batch), "result")) {
    const auto& texts = static_cast<const arrow::StringArray&>(*batch->column(0));
    for (int64_t i = 0; i < texts.length(); ++i) {
      const std::string text = texts.GetString(i);
      out_ << text << (text.ends_with('\n') ? "" : "\n");
    }
  }
}

void ScriptRunner::ShowRows(sql::StatementResult& result) {
  if (result.is_text && options_.format == OutputFormat::kTable) {
    ShowText(*result.rows);
    return;
  }
  RenderOptions render;
  render.format = options_.format;
  render.time_zone = session_.GetConfig("table.local-time-zone").value_or("default");
  if (render.time_zone == "default") render.time_zone = sql::SystemTimeZone();
  render.max_column_width = ParseInt64("sql-client.display.max-column-width",
                                       session_.GetConfig("sql-client.display.max-column-width").value_or("30"));
  auto start = std::chrono::steady_clock::now();
  Render(*result.rows, result.columns, render, out_, StopRequested);
  if (options_.is_interactive && options_.format == OutputFormat::kTable) {
    out_ << fmt::format("({:.2f} s)\n",
                        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}

ScriptRunner::Outcome ScriptRunner::WaitForJobs() {
  Outcome outcome = Outcome::kDone;
  for (const std::shared_ptr<sql::SubmittedJob>& job : jobs_) {
    if (WaitForJob(*job, err_, options_.is_terminal) != JobOutcome::kFinished) outcome = Outcome::kStopped;
  }
  jobs_.clear();
  return outcome;
}

}  // namespace frazil::cli
