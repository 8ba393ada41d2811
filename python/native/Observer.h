// What sees the steps of a run on behalf of Python. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYTHON_NATIVE_OBSERVER_H
#define PYTHON_NATIVE_OBSERVER_H

#include "python/native/Runs.h"
#include "runtime/src/train/StepObserver.h"

#include <set>

namespace mlc::python {

/// Hands what steps compute to an object of Python (mlc._native.Observer), in the thread that called the run.
class Observer : public mlcrt::StepObserver {
public:
  /// `listener` and `stop`: the run's; they outlive this.
  Observer(nanobind::object observer, QueueListener &listener, mlcrt::StopToken &stop);

  absl::StatusOr<bool> afterStep(int64_t steps, const mlcrt::EntryOutputs &outputs, const mlcrt::EntryOutputs *own,
                                 mlcrt::ObservedState *state) override;
  absl::Status beforeSave(int64_t steps) override;
  absl::StatusOr<bool> afterSave(int64_t steps) override;
  /// What the run shows of itself, where Python has to do with it; null: nobody asked for it.
  const std::shared_ptr<mlcrt::RunObservation> &observation() const { return observation_; }
  int64_t firstAwaited() const override { return firstAwaited_; }
  bool feeds() const override { return feeds_; }
  absl::StatusOr<std::shared_ptr<const mlcrt::MemoryArrays>> feed() override;
  bool evaluates(const std::string &set) const override { return sets_.count(set) > 0; }
  absl::StatusOr<std::vector<mlcrt::Metric>> evaluate(const std::string &set, int64_t step,
                                                      const std::string &checkpoint) override;

private:
  /// Calls `call` in the caller's thread. What it raises ends the run.
  absl::Status ask(const std::function<void()> &call);

  nanobind::object observer_;
  std::set<std::string> sets_; ///< that it evaluates itself
  bool feeds_ = false;
  int64_t firstAwaited_ = 0;
  std::shared_ptr<mlcrt::RunObservation> observation_;
  QueueListener &listener_;
  mlcrt::StopToken &stop_;
};

/// Adds LiveState, RunObservation, and what is written beside a run: EventFile.
void addObservers(nanobind::module_ &module);

} // namespace mlc::python

#endif // PYTHON_NATIVE_OBSERVER_H
