// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/stream_plan.h"

#include <map>
#include <span>

#include "frazil/sql/connector_table.h"
#include "frazil/sql/query_source.h"
#include "frazil/sql/row_operator.h"
#include "frazil/sql/table_sink.h"

namespace frazil::sql {

namespace {

/// A source and what is done to its rows: each input of the sink is one.
struct Branch {
  PlanPtr source;              ///< a scan of a connector table, or a plan to run as batch
  std::vector<RowStep> steps;  ///< in order
};

bool IsConnectorScan(const PlanNode& plan) {
  const auto* scan = plan.As<ScanNode>();
  return scan != nullptr && scan->relation->As<ConnectorRelation>() != nullptr && !scan->limit;
}

/// VALUES, maybe with casts.
bool IsValues(const PlanNode& plan) {
  if (plan.As<ProjectNode>() != nullptr) return IsValues(*plan.inputs[0]);
  return plan.As<ValuesNode>() != nullptr;
}

/// Whether the plan is filters, projections and unions over scans of connector tables only.
bool Streams(const PlanNode& plan) {
  if (IsConnectorScan(plan)) return true;
  const bool passes =
      plan.As<FilterNode>() != nullptr || plan.As<ProjectNode>() != nullptr || plan.As<UnionNode>() != nullptr;
  return passes && std::all_of(plan.inputs.begin(), plan.inputs.end(), [](const PlanPtr& in) { return Streams(*in); });
}

/// Takes a plan apart from the top: `above` are the steps behind it, last one first.
void CollectBranches(PlanPtr plan, std::vector<RowStep> above, std::vector<Branch>& branches) {
  if (auto* filter = plan->As<FilterNode>(); filter != nullptr && Streams(*plan)) {
    above.push_back({std::move(filter->condition), {}, nullptr});
    CollectBranches(std::move(plan->inputs[0]), std::move(above), branches);
  } else if (auto* project = plan->As<ProjectNode>(); project != nullptr && Streams(*plan)) {
    above.push_back({std::nullopt, std::move(project->expressions), ToArrowSchema(plan->output)});
    CollectBranches(std::move(plan->inputs[0]), std::move(above), branches);
  } else if (plan->As<UnionNode>() != nullptr) {
    for (PlanPtr& input : plan->inputs) CollectBranches(std::move(input), above, branches);
  } else {
    std::reverse(above.begin(), above.end());
    branches.push_back({std::move(plan), std::move(above)});
  }
}

/// A source that can't be resumed must not stand beside one that never ends.
void RefuseMixture(std::span<const Branch> branches) {
  const auto batch = std::find_if(branches.begin(), branches.end(),
                                  [](const Branch& branch) { return !IsConnectorScan(*branch.source); });
  if (batch == branches.end()) return;
  for (const Branch& branch : branches) {
    if (!IsConnectorScan(*branch.source) || IsBounded(*branch.source)) continue;
    throw UnsupportedSql(batch->source->span,
                         "this is a batch query, and table '{}', read by the same job, never ends: write two INSERTs",
                         branch.source->As<ScanNode>()->relation->path.ToString());
  }
}

class GraphBuilder {
 public:
  explicit GraphBuilder(const StreamSettings& settings) : settings_(settings) {}

  void Add(const InsertPlan& insert, std::span<Branch> branches) {
    TableSink sink = MakeTableSink(*insert.sink, insert.write_options);
    const bool only_values =
        std::all_of(branches.begin(), branches.end(), [](const Branch& branch) { return IsValues(*branch.source); });
    const int parallelism = sink.parallelism.value_or(only_values ? 1 : settings_.parallelism);
    std::vector<stream::JobGraph::Input> inputs;
    for (Branch& branch : branches) inputs.push_back(AddBranch(std::move(branch), insert, sink.schema, parallelism));
    const int before = sinks_[sink.uid]++;
    std::string uid = before == 0 ? sink.uid : fmt::format("{}-{}", sink.uid, before + 1);
    std::string name = fmt::format("Sink: {}", insert.sink->path.ToString());
    job_.graph.AddSink({std::move(uid), std::move(name), parallelism}, std::move(inputs), std::move(sink.sink));
  }

  StreamJob Finish() { return std::move(job_); }

 private:
  stream::JobGraph::Input AddBranch(Branch branch, const InsertPlan& insert,
                                    const std::shared_ptr<arrow::Schema>& schema, int sink_parallelism) {
    ++branch_;
    const auto [source, source_parallelism] =
        IsConnectorScan(*branch.source) ? AddConnector(*branch.source) : AddBatch(std::move(branch.source));
    const stream::NodeSpec spec{fmt::format("calc-{}", branch_), "Calc", source_parallelism};
    const int calc = job_.graph.AddOperator(spec, {{source, stream::Edge::Forward()}},
                                            MakeRowOperator(Program(std::move(branch.steps), insert, schema)));
    return {calc, source_parallelism == sink_parallelism ? stream::Edge::Forward() : stream::Edge::Rebalance()};
  }

  std::pair<int, int> AddConnector(const PlanNode& plan) {
    const auto& scan = *plan.As<ScanNode>();
    const int parallelism = ScanParallelism(*scan.relation).value_or(settings_.parallelism);
    const std::string name = scan.relation->path.ToString();
    stream::NodeSpec spec{fmt::format("source-{}-{}", branch_, name), "Source: " + name, parallelism};
    return {job_.graph.AddSource(std::move(spec), MakeSource(*scan.relation, scan.columns)), parallelism};
  }

  std::pair<int, int> AddBatch(PlanPtr plan) {
    RequireBounded(*plan);
    job_.resumable = false;
    stream::NodeSpec spec{fmt::format("query-{}", branch_), "Source: query", 1};
    return {job_.graph.AddSource(std::move(spec), MakeQuerySource(std::move(plan), settings_.query)), 1};
  }

  std::shared_ptr<const RowProgram> Program(std::vector<RowStep> steps, const InsertPlan& insert,
                                            const std::shared_ptr<arrow::Schema>& schema) const {
    auto program = std::make_shared<RowProgram>();
    program->steps = std::move(steps);
    for (int index : insert.query.not_null) {
      program->not_null.push_back({index, insert.sink->columns[static_cast<size_t>(index)].name});
    }
    program->drop_nulls = settings_.drop_nulls;
    program->table = insert.sink->path.ToString();
    program->schema = schema;
    program->time_zone = settings_.query.eval.time_zone;
    program->script = settings_.script;
    return program;
  }

  const StreamSettings& settings_;
  int branch_ = 0;
  std::map<std::string, int> sinks_;  ///< how many there are of a uid
  StreamJob job_;
};

}  // namespace

StreamJob MakeStreamJob(std::vector<InsertPlan> inserts, const StreamSettings& settings) {
  std::vector<Branch> branches;
  std::vector<size_t> ends;
  for (InsertPlan& insert : inserts) {
    CollectBranches(std::move(insert.query.plan), {}, branches);
    ends.push_back(branches.size());
  }
  RefuseMixture(branches);
  GraphBuilder builder(settings);
  size_t begin = 0;
  for (size_t i = 0; i < inserts.size(); ++i) {
    builder.Add(inserts[i], std::span(branches).subspan(begin, ends[i] - begin));
    begin = ends[i];
  }
  return builder.Finish();
}

}  // namespace frazil::sql
