// SPDX-License-Identifier: Apache-2.0
// From a bound INSERT to the graph of a job: connector sources keep streaming, with filters and projections chained
// behind them; what only batch can do (aggregates, tables that are read at once, VALUES) becomes a source of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frazil/base/options.h"
#include "frazil/sql/batch_plan.h"
#include "frazil/sql/insert_check.h"
#include "frazil/stream/job_graph.h"

namespace frazil::sql {

/// An INSERT that has passed all checks.
struct InsertPlan {
  SinkQuery query;  ///< optimised
  RelationPtr sink;
  OptionMap write_options;  ///< Iceberg: of the hint and, beneath, of the session
};

struct StreamSettings {
  QueryContext query;
  int parallelism = 1;
  bool drop_nulls = false;
  std::shared_ptr<const std::string> script;
};

struct StreamJob {
  stream::JobGraph graph;
  /// False: a source can't be resumed, so the job takes one checkpoint, at its end, and leaves none behind.
  bool resumable = true;
};

/// One job for one INSERT or for all of a statement set. Throws SqlError and Error for what can't be read or written
/// with these options, before anything runs.
StreamJob MakeStreamJob(std::vector<InsertPlan> inserts, const StreamSettings& settings);

}  // namespace frazil::sql
