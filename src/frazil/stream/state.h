// SPDX-License-Identifier: Apache-2.0
// Operator state in checkpoints: named lists of opaque elements (Flink's list state).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frazil::stream {

/// The state of one subtask: list name → elements. An element is the unit that moves when a job restores at another
/// parallelism, so its bytes must mean the same in every subtask.
class OperatorState {
 public:
  /// Appends one element to the list `name`.
  void Add(std::string_view name, std::string element);
  /// The elements of the list `name`, in the order they were added; empty if there is none.
  std::span<const std::string> List(std::string_view name) const;

  bool empty() const { return lists_.empty(); }
  const std::map<std::string, std::vector<std::string>, std::less<>>& lists() const { return lists_; }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> lists_;
};

/// The states of `parallelism` new subtasks from those of the old ones: unchanged at the same parallelism, else each
/// list's elements are dealt out in turn.
std::vector<OperatorState> Redistribute(std::vector<OperatorState> old_subtasks, int parallelism);

}  // namespace frazil::stream
