// SPDX-License-Identifier: Apache-2.0
// Line editing with history and completion, on libedit.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace frazil::cli {

/// One at a time in a process: libedit keeps its state globally.
class LineEditor {
 public:
  /// All candidates that start with `word`, which is what stands before the cursor since the last blank or bracket.
  using Completer = std::function<std::vector<std::string>(const std::string& word)>;

  /// `history_file` is read now and written at the end; without it history lasts as long as the editor.
  LineEditor(std::optional<std::filesystem::path> history_file, Completer completer);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  /// Without its line end; nothing at the end of input.
  std::optional<std::string> ReadLine(const std::string& prompt);
  void AddToHistory(const std::string& entry);

 private:
  std::optional<std::filesystem::path> history_file_;
};

}  // namespace frazil::cli
