// SPDX-License-Identifier: Apache-2.0
#include "frazil/cli/shell.h"

#include <cctype>
#include <cstdlib>
#include <iostream>

#include <fmt/format.h>

#include "frazil/base/error.h"
#include "frazil/cli/line_editor.h"
#include "frazil/cli/stop_signal.h"
#include "frazil/sql/parser.h"

namespace frazil::cli {

namespace {

std::optional<std::filesystem::path> HistoryFile() {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return std::nullopt;
  return std::filesystem::path(home) / ".frazil_history";
}

bool StartsWithIgnoringCase(std::string_view text, std::string_view prefix) {
  if (text.size() < prefix.size()) return false;
  for (size_t i = 0; i < prefix.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(text[i])) != std::tolower(static_cast<unsigned char>(prefix[i])))
      return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> Completions(const sql::Session& session, const std::string& word) {
  std::vector<std::string> found;
  if (word.empty()) return found;
  bool lower = std::islower(static_cast<unsigned char>(word[0])) != 0;
  for (std::string_view keyword : sql::Keywords()) {
    if (!StartsWithIgnoringCase(keyword, word)) continue;
    std::string text(keyword);
    if (lower) {
      for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    found.push_back(std::move(text));
  }
  for (const std::string& name : session.CompletionNames()) {
    if (StartsWithIgnoringCase(name, word)) found.push_back(name);
  }
  return found;
}

std::string HistoryEntry(const std::string& statement) {
  if (statement.find("--") != std::string::npos || statement.find("/*") != std::string::npos) {
    try {
      return sql::StatementToString(sql::ParseStatement(statement)) + ";";
    } catch (const Error&) {
      // Several statements, or none that parses: kept as it is, each line end a blank.
    }
  }
  std::string line = statement;
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  return line;
}

int RunShell(sql::Session& session, OutputFormat format) {
  RunnerOptions options;
  options.format = format;
  options.is_terminal = true;
  options.is_interactive = true;
  ScriptRunner runner(session, options, std::cout, std::cerr);
  LineEditor editor(HistoryFile(), [&session](const std::string& word) { return Completions(session, word); });
  std::cout << "Frazil SQL. HELP; for help, QUIT; to leave.\n";
  std::string statement;
  while (true) {
    ResetStopSignals();
    std::optional<std::string> line = editor.ReadLine(statement.empty() ? "Frazil SQL> " : "          > ");
    if (StopRequested()) {
      statement.clear();
      std::cout << '\n';
      continue;
    }
    if (!line.has_value()) break;
    if (statement.empty() && line->find_first_not_of(" \t") == std::string::npos) continue;
    statement += (statement.empty() ? "" : "\n") + *line;
    if (!sql::IsComplete(statement)) continue;
    std::string text = std::move(statement);
    statement.clear();
    editor.AddToHistory(HistoryEntry(text));
    try {
      if (runner.Run(text) == ScriptRunner::Outcome::kQuit) return 0;
    } catch (const Error& e) {
      std::cerr << e.what() << '\n';
    }
  }
  std::cout << '\n';
  return 0;
}

}  // namespace frazil::cli
