// SPDX-License-Identifier: Apache-2.0
// A SQL session: catalogs, temporary objects, configuration, and the execution of statements. Doors (cli/, later
// server/) hold one and render what it gives back; the session itself prints nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/base/metrics.h"
#include "frazil/base/options.h"
#include "frazil/sql/ast.h"
#include "frazil/sql/types.h"

namespace frazil::connector {
class ConnectorRegistry;
}
namespace frazil::stream {
class JobExecution;
}

namespace frazil::sql {

struct SessionOptions {
  /// Connectors that CREATE TABLE … WITH ('connector' = …) may name.
  std::shared_ptr<connector::ConnectorRegistry> connectors;
  /// Base name of jobs that set no `pipeline.name`: the stem of the script's file.
  std::string script_name = "shell";
  /// Default of `execution.checkpointing.dir`.
  std::filesystem::path default_checkpoint_dir = ".frazil/checkpoints";
  /// Jobs start afresh instead of resuming from their newest checkpoint.
  bool fresh = false;
  /// Jobs may start from a checkpoint with state of operators that are no longer there.
  bool allow_non_restored_state = false;
  /// Configuration that wins over nothing and loses against SET: `-D key=value`.
  OptionMap configuration;
};

/// A job that an INSERT started. Dropping the last reference cancels it; the session keeps one until it ends or the job
/// is seen to have ended.
struct SubmittedJob {
  SubmittedJob();
  ~SubmittedJob();

  std::string target;      ///< "lake.shop.events"
  MetricRegistry metrics;  ///< of this job alone
  std::unique_ptr<stream::JobExecution> execution;
};

/// What one statement gives back.
struct StatementResult {
  enum class Kind {
    kOk,    ///< done; `message` says what, if there is something to say
    kRows,  ///< a result set
    kJob,   ///< an INSERT that was submitted; the caller waits for it or not (`table.dml-sync`)
  };
  Kind kind = Kind::kOk;
  std::string message;
  std::vector<RowField> columns;  ///< kRows
  bool is_text = false;           ///< kRows: one row of one text with line ends (SHOW CREATE …, EXPLAIN)
  /// kRows, columns of ToArrow(type). Read it to the end or drop it; it may outlive the session. Errors arrive through
  /// Arrow's Status (base/arrow_status.h turns them back).
  std::shared_ptr<arrow::RecordBatchReader> rows;
  std::shared_ptr<SubmittedJob> job;  ///< kJob
};

/// Not thread-safe (but a running job is independent of the session that started it).
class Session {
 public:
  explicit Session(SessionOptions options);
  ~Session();

  /// Executes one parsed statement; `script` is the text that its spans refer to. Everything about an INSERT or a query
  /// is checked before anything runs. Throws SqlError (already WithSource) and Error. A ShellCommand is the door's
  /// affair and refused here.
  StatementResult Execute(const Statement& statement, std::string_view script);

  /// Effective value of a configuration key, if it is set or has a default: `table.dml-sync`, `sql-client.*`, ….
  std::optional<std::string> GetConfig(std::string_view key) const;

  const std::string& current_catalog() const;
  const std::string& current_database() const;

  /// For completion: catalogs, databases, tables and columns as a user may write them in the current database.
  std::vector<std::string> CompletionNames() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace frazil::sql
