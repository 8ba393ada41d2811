// Delay, throttle, order of evaluations.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/EvaluationSchedule.h"

#include <algorithm>

namespace mlcrt {

EvaluationSchedule::EvaluationSchedule(const std::vector<Set> &sets) {
  for (const Set &set : sets)
    sets_.push_back({set, {}, {}});
}

void EvaluationSchedule::clear() {
  for (State &state : sets_)
    state.done.clear();
}

void EvaluationSchedule::evaluated(const std::string &set, int64_t step) {
  for (State &state : sets_)
    if (state.set.name == set && !isDone(state, step))
      state.done.insert(std::upper_bound(state.done.begin(), state.done.end(), step), step);
}

bool EvaluationSchedule::isDone(const State &state, int64_t step) {
  return std::binary_search(state.done.begin(), state.done.end(), step);
}

std::optional<int64_t> EvaluationSchedule::pending(const State &state, const std::vector<int64_t> &steps,
                                                   std::optional<int64_t> ended) {
  const int64_t last = state.done.empty() ? 0 : state.done.back();
  std::optional<int64_t> found;
  for (int64_t step : steps) {
    const bool isEnd = ended && step == *ended;
    // After the last one: nobody waits for what is older.
    if (isDone(state, step) || (!isEnd && (step <= last || step - last < state.set.everySteps)))
      continue;
    found = step;
    if (state.set.eachCheckpoint)
      break;
  }
  return found;
}

std::optional<EvaluationSchedule::Task> EvaluationSchedule::next(const std::vector<int64_t> &steps,
                                                                 std::optional<int64_t> ended, double now) const {
  std::optional<Task> first;
  for (size_t i = 0; i < sets_.size(); ++i) {
    const State &state = sets_[i];
    const double due = state.begun ? *state.begun + state.set.throttle : state.set.startDelay;
    if (!ended && now < due)
      continue;
    const std::optional<int64_t> step = pending(state, steps, ended);
    if (step && (!first || *step < first->step))
      first = Task{i, *step};
  }
  return first;
}

} // namespace mlcrt
