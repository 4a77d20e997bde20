// SPDX-License-Identifier: Apache-2.0
// SHOW JOBS, STOP JOB: the jobs that this session started.
#include "frazil/base/suggest.h"
#include "frazil/sql/result.h"
#include "frazil/sql/session_state.h"
#include "frazil/stream/job.h"

namespace frazil::sql {

SubmittedJob::SubmittedJob() = default;
SubmittedJob::~SubmittedJob() = default;

StatementResult ShowJobs(SessionState& state) {
  RowsResult rows({{"job id", StringType(), ""}, {"job name", StringType(), ""}, {"status", StringType(), ""}});
  for (const std::shared_ptr<SubmittedJob>& job : state.jobs) {
    rows.Add({job->execution->job_id(), job->execution->name(),
              std::string(stream::ToString(job->execution->Status().state))});
  }
  return rows.Finish();
}

StatementResult Execute(SessionState& state, const StopJob& statement, const SourceSpan& span) {
  std::vector<std::string> ids;
  for (const std::shared_ptr<SubmittedJob>& job : state.jobs) {
    ids.push_back(job->execution->job_id());
    if (ids.back() != statement.job_id) continue;
    if (statement.with_drain) throw UnsupportedSql(span, "STOP JOB … WITH DRAIN is not supported yet");
    if (statement.with_savepoint) return OneColumn("savepoint path", {job->execution->StopWithSavepoint()});
    job->execution->Cancel();
    return Done();
  }
  throw SqlError(ErrorKind::kNotFound, span,
                 fmt::format("this session has no job '{}'{}", statement.job_id, DidYouMean(statement.job_id, ids)));
}

}  // namespace frazil::sql
