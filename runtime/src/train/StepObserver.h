// Who sees what each step computes. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_STEPOBSERVER_H
#define MLCRT_TRAIN_STEPOBSERVER_H

#include "absl/status/statusor.h"
#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/core/State.h"
#include "runtime/src/train/Evaluation.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// The variables after a step, while an observer is called for it.
class ObservedState {
public:
  virtual ~ObservedState() = default;
  virtual const StateTensors &tensors() const = 0;
  /// The whole value of a tensor. kNotFound: there is none of this name; where servers hold it kUnavailable: the run
  /// has ended meanwhile.
  virtual absl::StatusOr<Tensor> read(std::string_view name) = 0;
};

/// That of a state which is all in this process and outlives this.
class LocalState : public ObservedState {
public:
  explicit LocalState(State &state) : state_(state) {}
  const StateTensors &tensors() const override { return state_.tensors(); }
  absl::StatusOr<Tensor> read(std::string_view name) override { return state_.read(name); }

private:
  State &state_;
};

/// Gets all outputs of each step of a run of training, or of each batch of one that evaluates, in order, from the
/// thread that makes the steps, which waits meanwhile. What a call fails with ends the run, without another save.
class StepObserver {
public:
  virtual ~StepObserver() = default;

  /// Whether the run goes on; else this step is the last one, and is saved; metrics are those of the batches so far.
  /// `steps`: those done; of an evaluation batches. `own`: of a step in parts what observers get of the rows that this
  /// task computed, one virtual shard after the other; null: `outputs` have it, or there is none. `state`: what the
  /// step left; null where tables of an evaluation are elsewhere, or the next step runs.
  virtual absl::StatusOr<bool> afterStep(int64_t steps, const EntryOutputs &outputs, const EntryOutputs *own,
                                         ObservedState *state) = 0;
  /// The first step whose call of afterStep may read the state, or end the run: it is back before the next step begins.
  /// Earlier calls may come while the next step runs on a device; they get no state then, and what such a call ends
  /// ends with the step that runs.
  virtual int64_t firstAwaited() const { return 0; }
  /// Whether feed() is asked, before each batch is prepared; then none is read ahead.
  virtual bool feeds() const { return false; }
  /// The arrays that take the place of columns of the next batch: as of FedColumns::Feeder. From the thread that makes
  /// the steps.
  virtual absl::StatusOr<std::shared_ptr<const MemoryArrays>> feed() { return nullptr; }

  /// A checkpoint of the whole state begins to be written.
  virtual absl::Status beforeSave(int64_t steps) = 0;
  /// It is there: `steps` are those of beforeSave, though the run learns of it some steps later. Whether training goes
  /// on.
  virtual absl::StatusOr<bool> afterSave(int64_t steps) = 0;

  /// Whether the observer itself evaluates this eval set, which has no data then.
  virtual bool evaluates(const std::string &set) const = 0;
  /// The metrics of such a set for a checkpoint, the directory of which is given.
  virtual absl::StatusOr<std::vector<Metric>> evaluate(const std::string &set, int64_t step,
                                                       const std::string &checkpoint) = 0;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_STEPOBSERVER_H
