// SPDX-License-Identifier: Apache-2.0
#include "frazil/cli/command_line.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include "frazil/base/error.h"
#include "frazil/cli/script_runner.h"
#include "frazil/cli/shell.h"
#include "frazil/cli/stop_signal.h"
#include "frazil/connector/blackhole/blackhole.h"
#include "frazil/connector/connector.h"
#include "frazil/connector/datagen/datagen.h"
#include "frazil/connector/filesystem/filesystem.h"
#include "frazil/connector/print/print.h"
#include "frazil/sql/session.h"

namespace frazil::cli {

namespace {

constexpr char kDescription[] = "Frazil streams events into Apache Iceberg tables, exactly once, in Flink SQL.";
constexpr char kExamples[] =
    "Examples:\n"
    "  frazil run pipeline.sql                       run a script; run it again to resume where it stopped\n"
    "  frazil run pipeline.sql -D parallelism.default=4\n"
    "  frazil sql                                    interactive shell\n"
    "  frazil -e \"SELECT COUNT(*) FROM lake.db.t\"    one statement\n"
    "  frazil sql -f queries.sql --output json       results as JSON lines\n";

struct Arguments {
  std::string script_file;               ///< run FILE, sql -f FILE
  std::vector<std::string> statements;   ///< -e
  std::vector<std::string> definitions;  ///< -D key=value
  std::string output = "table";
  bool fresh = false;
  bool allow_non_restored_state = false;
};

void AddCommonOptions(CLI::App& app, Arguments& arguments) {
  app.add_option("-D", arguments.definitions, "Configuration beneath what SET says: -D key=value (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--output", arguments.output, "Result sets as table, csv or json (lines)")
      ->check(CLI::IsMember({"table", "csv", "json"}));
  app.add_flag("--fresh", arguments.fresh, "Jobs start afresh instead of resuming from their newest checkpoint");
  app.add_flag("--allow-non-restored-state", arguments.allow_non_restored_state,
               "Drop checkpointed state of operators that are no longer there");
}

OptionMap Definitions(const Arguments& arguments) {
  OptionMap map;
  for (const std::string& definition : arguments.definitions) {
    size_t equals = definition.find('=');
    if (equals == std::string::npos || equals == 0) throw InvalidArgument("-D {}: expected key=value", definition);
    map[definition.substr(0, equals)] = definition.substr(equals + 1);
  }
  return map;
}

std::string ReadFile(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) throw NotFound("can't read the script '{}'", path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::shared_ptr<connector::ConnectorRegistry> Connectors() {
  auto registry = std::make_shared<connector::ConnectorRegistry>();
  registry->Add(connector::MakeFilesystemConnector());
  registry->Add(connector::MakeDatagenConnector());
  registry->Add(connector::MakePrintConnector(std::cout, std::cerr));
  registry->Add(connector::MakeBlackholeConnector());
  return registry;
}

sql::SessionOptions MakeSessionOptions(const Arguments& arguments) {
  sql::SessionOptions options;
  options.connectors = Connectors();
  options.fresh = arguments.fresh;
  options.allow_non_restored_state = arguments.allow_non_restored_state;
  options.configuration = Definitions(arguments);
  if (!arguments.script_file.empty() && arguments.script_file != "-") {
    // Beside the script, so that the same script finds its checkpoints from any working directory.
    std::filesystem::path script = std::filesystem::absolute(arguments.script_file);
    options.script_name = script.stem().string();
    options.default_checkpoint_dir = script.parent_path() / ".frazil" / "checkpoints";
  }
  return options;
}

int ExitCode(ScriptRunner::Outcome outcome) {
  return outcome == ScriptRunner::Outcome::kStopped && StopSignalCount() >= 2 ? 130 : 0;
}

/// An INSERT is waited for before the next statement, unless -D or SET says otherwise.
int RunScript(const Arguments& arguments, const std::string& script) {
  sql::SessionOptions session_options = MakeSessionOptions(arguments);
  session_options.configuration.try_emplace("table.dml-sync", "true");
  sql::Session session(std::move(session_options));
  RunnerOptions options;
  options.format = ParseOutputFormat(arguments.output);
  options.is_terminal = isatty(STDERR_FILENO) != 0;
  ScriptRunner runner(session, options, std::cout, std::cerr);
  ScriptRunner::Outcome outcome = runner.Run(script);
  ScriptRunner::Outcome rest = runner.WaitForJobs();
  return ExitCode(rest == ScriptRunner::Outcome::kDone ? outcome : rest);
}

int RunSql(const Arguments& arguments) {
  if (!arguments.statements.empty()) {
    std::string script;
    for (const std::string& statement : arguments.statements) script += statement + "\n;\n";
    return RunScript(arguments, script);
  }
  if (!arguments.script_file.empty()) return RunScript(arguments, ReadFile(arguments.script_file));
  if (isatty(STDIN_FILENO) == 0) return RunScript(arguments, ReadFile("-"));
  sql::SessionOptions session_options = MakeSessionOptions(arguments);
  session_options.configuration.try_emplace("table.dml-sync", "true");
  sql::Session session(std::move(session_options));
  return RunShell(session, ParseOutputFormat(arguments.output));
}

void SetUpLogging() {
  auto logger = spdlog::stderr_logger_mt("frazil");
  logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %v");
  const char* level = std::getenv("FRAZIL_LOG");
  logger->set_level(level == nullptr ? spdlog::level::warn : spdlog::level::from_str(level));
  spdlog::set_default_logger(logger);
}

int Dispatch(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(kDescription, "frazil");
  app.footer(kExamples);
  app.set_version_flag("--version", "frazil " FRAZIL_VERSION);
  app.add_option("-e,--execute", arguments.statements, "Execute a statement and exit (repeatable)")
      ->type_name("SQL")
      ->allow_extra_args(false);
  AddCommonOptions(app, arguments);

  CLI::App* run = app.add_subcommand(
      "run", "Run a Flink SQL script; a job that was interrupted resumes from its newest checkpoint");
  run->add_option("FILE", arguments.script_file, "The script, - for standard input")->required();
  AddCommonOptions(*run, arguments);

  CLI::App* sql_command =
      app.add_subcommand("sql", "Interactive SQL shell, or statements from -e, -f or standard input");
  sql_command->add_option("-f,--file", arguments.script_file, "Execute the statements of a file and exit");
  sql_command->add_option("-e,--execute", arguments.statements, "Execute a statement and exit (repeatable)")
      ->type_name("SQL")
      ->allow_extra_args(false);
  AddCommonOptions(*sql_command, arguments);
  app.require_subcommand(0, 1);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  WatchStopSignals();
  if (run->parsed()) return RunScript(arguments, ReadFile(arguments.script_file));
  if (sql_command->parsed() || !arguments.statements.empty()) return RunSql(arguments);
  std::cout << app.help();
  return 2;
}

}  // namespace

int Main(int argc, char** argv) {
  SetUpLogging();
  try {
    return Dispatch(argc, argv);
  } catch (const Error& e) {
    std::cerr << e.what() << '\n';
  } catch (const std::exception& e) {
    std::cerr << "internal error: " << e.what() << '\n';
  }
  return 1;
}

}  // namespace frazil::cli
