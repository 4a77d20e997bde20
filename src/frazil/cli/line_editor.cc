// SPDX-License-Identifier: Apache-2.0
#include "frazil/cli/line_editor.h"

#include <editline/readline.h>

#include <cstdlib>
#include <cstring>

namespace frazil::cli {

namespace {

constexpr int kHistoryEntries = 2000;

LineEditor::Completer current_completer;
std::vector<std::string> candidates;

char* NextCandidate(const char* word, int state) {
  static size_t next = 0;
  if (state == 0) {
    next = 0;
    candidates = current_completer(word);
  }
  return next < candidates.size() ? strdup(candidates[next++].c_str()) : nullptr;
}

char** Complete(const char* word, int, int) {
  rl_attempted_completion_over = 1;  // never file names
  return rl_completion_matches(word, NextCandidate);
}

}  // namespace

LineEditor::LineEditor(std::optional<std::filesystem::path> history_file, Completer completer)
    : history_file_(std::move(history_file)) {
  current_completer = std::move(completer);
  rl_readline_name = const_cast<char*>("frazil");
  rl_attempted_completion_function = Complete;
  rl_completer_word_break_characters = const_cast<char*>(" \t\n,;()=<>+-*/|'");
  using_history();
  stifle_history(kHistoryEntries);
  if (history_file_.has_value()) read_history(history_file_->c_str());
}

LineEditor::~LineEditor() {
  if (history_file_.has_value()) write_history(history_file_->c_str());
  current_completer = nullptr;
}

std::optional<std::string> LineEditor::ReadLine(const std::string& prompt) {
  char* line = readline(prompt.c_str());
  if (line == nullptr) return std::nullopt;
  std::string text = line;
  std::free(line);
  return text;
}

void LineEditor::AddToHistory(const std::string& entry) { add_history(entry.c_str()); }

}  // namespace frazil::cli
