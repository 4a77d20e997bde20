// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/state.h"

namespace frazil::stream {

void OperatorState::Add(std::string_view name, std::string element) {
  auto it = lists_.find(name);
  if (it == lists_.end()) it = lists_.emplace(std::string(name), std::vector<std::string>()).first;
  it->second.push_back(std::move(element));
}

std::span<const std::string> OperatorState::List(std::string_view name) const {
  auto it = lists_.find(name);
  return it == lists_.end() ? std::span<const std::string>() : std::span<const std::string>(it->second);
}

std::vector<OperatorState> Redistribute(std::vector<OperatorState> old_subtasks, int parallelism) {
  if (old_subtasks.size() == static_cast<size_t>(parallelism)) return old_subtasks;
  std::map<std::string, size_t, std::less<>> dealt;
  std::vector<OperatorState> result(parallelism);
  for (const OperatorState& old : old_subtasks) {
    for (const auto& [name, elements] : old.lists()) {
      size_t& next = dealt[name];
      for (const std::string& element : elements) result[next++ % parallelism].Add(name, element);
    }
  }
  return result;
}

}  // namespace frazil::stream
