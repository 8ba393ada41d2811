// Which checkpoint an evaluator evaluates next, and when. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_EVALUATIONSCHEDULE_H
#define MLCRT_TRAIN_EVALUATIONSCHEDULE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// The rules of an evaluator over its eval sets, without files and clocks: times are seconds since it began.
class EvaluationSchedule {
public:
  /// What the settings of an eval set say.
  struct Set {
    std::string name;
    double startDelay = 120, throttle = 600;
    bool eachCheckpoint = false;
    int64_t everySteps = 0;
  };
  /// An evaluation to do.
  struct Task {
    size_t set = 0;
    int64_t step = 0;
  };

  explicit EvaluationSchedule(const std::vector<Set> &sets);

  /// Forgets what was evaluated.
  void clear();
  /// An evaluation of this set is done, by this process or one before it. Other sets' names are passed over.
  void evaluated(const std::string &set, int64_t step);
  /// An evaluation begins.
  void begun(const Task &task, double now) { sets_[task.set].begun = now; }

  /// The next evaluation: of the steps (ascending) of the complete checkpoints the newest that was not evaluated, or
  /// with eachCheckpoint the first after the last that was; not before the set's delay and throttle are over. The
  /// checkpoint of initial values is passed over. With `ended`, the last step of the job, no wait counts: what is left
  /// is due at once, and the last step in any case. Sets are due with the same checkpoint where they can be.
  std::optional<Task> next(const std::vector<int64_t> &steps, std::optional<int64_t> ended, double now) const;

private:
  struct State {
    Set set;
    std::vector<int64_t> done; ///< ascending
    std::optional<double> begun;
  };
  static bool isDone(const State &state, int64_t step);
  static std::optional<int64_t> pending(const State &state, const std::vector<int64_t> &steps,
                                        std::optional<int64_t> ended);

  std::vector<State> sets_;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_EVALUATIONSCHEDULE_H
