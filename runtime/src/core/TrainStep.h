//===- TrainStep.h - One training step: fused, or by virtual shards
//------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With V virtual shards a batch of n rows is cut into the ranges [n*i/V, n*(i+1)/V), multi-valued features with their
// values and with ends that begin at 0 again (abi.h); each gives unnormalized sums
// (train_grad); these are added in a fixed binary tree over the shard numbers, level by level: neighbours (0,1),
// (2,3), ... are combined, an odd last one passes up, and so does the neighbour of an empty range (train_combine);
// train_apply gets the root. See docs/architecture.md.
#ifndef MLCRT_CORE_TRAINSTEP_H
#define MLCRT_CORE_TRAINSTEP_H

#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/core/SumRanges.h"
#include "runtime/src/core/SumTree.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// How a step runs.
struct TrainMode {
  int virtualShards = 1; ///< >= 1
  /// With one shard: run grad and apply although a fused train entry exists (the bits must be equal).
  bool split = false;
  /// The virtual shards [firstShard, lastShard) that this process computes; lastShard -1: all.
  int firstShard = 0, lastShard = -1;
  /// Whether train_grad/combine/apply are used.
  bool parts() const { return split || virtualShards > 1; }
  /// The entry whose features segments are run ahead of the step.
  mlcrt_role featuresRole() const { return parts() ? MLCRT_ROLE_TRAIN_GRAD : MLCRT_ROLE_TRAIN; }
};

/// What input threads prepare for one global batch: for each shard the rows as a view and the features' results.
/// Reused from batch to batch.
class TrainSlots {
public:
  TrainSlots() = default;
  TrainSlots(TrainSlots &&) = default;
  TrainSlots &operator=(TrainSlots &&) = default;

  /// Calls `visit` with the features' results of each shard that TrainFeatures::run filled, in order.
  template <typename Fn> void forEachFilled(Fn visit) const {
    for (const Shard &shard : shards_)
      if (shard.isFilled)
        visit(shard.slot);
  }
  template <typename Fn> void forEachFilled(Fn visit) {
    for (Shard &shard : shards_)
      if (shard.isFilled)
        visit(shard.slot);
  }

private:
  friend class TrainFeatures;
  friend class ShardStep;
  friend class TrainStep;
  struct Shard {
    BatchView view;
    int64_t firstRow = 0;
    bool isFilled = false; ///< has rows, and is computed here
    FeatureSlot slot;
    std::vector<AlignedBytes> ends; ///< one per feature: its rows' ends if it has any
  };
  std::vector<Shard> shards_;
};

/// Runs the features segments of a step ahead of it; one per input thread.
class TrainFeatures {
public:
  /// `readers`: for each virtual shard the program that computes its gradient (Stepper::programOf), to whose device its
  /// features are brought; empty: `program` is that of all. kFailedPrecondition if the artifact lacks the entries of
  /// `mode`, or, with several shards, reads a feature whose first dimension is static; kInvalidArgument for less than
  /// one shard.
  static absl::StatusOr<std::unique_ptr<TrainFeatures>> create(Program &program, ThreadPool &pool, TrainMode mode,
                                                               std::vector<Program *> readers = {});

  TrainSlots makeSlots() const;
  /// Fills `slots` from `batch`. Errors as EntryRunner::runFeatures; rows are those of `batch`.
  absl::Status run(const BatchView &batch, TrainSlots &slots, const CallContext &context);
  /// Fills shards of `slots` that `run` left out because they are another task's. Errors as `run`.
  absl::Status runShards(const BatchView &batch, TrainSlots &slots, const CallContext &context, int64_t first,
                         int64_t last);

private:
  /// `shard`, which is virtual shard `number`, has its rows.
  absl::Status runShard(const BatchView &batch, TrainSlots::Shard &shard, const CallContext &context, int64_t number);
  TrainFeatures(Program &program, const mlcrt_entry &entry, ThreadPool &pool, TrainMode mode,
                std::vector<Program *> readers)
      : program_(program), mode_(mode), readers_(std::move(readers)), used_(program.artifact().usedFeatures(entry)),
        runner_(program, entry, pool) {}
  /// Points the shard's view to rows [low, high) of a batch that has been checked.
  void cut(const BatchView &batch, int64_t low, int64_t high, TrainSlots::Shard &shard) const;
  Program &program_;
  TrainMode mode_;
  const std::vector<Program *> readers_; ///< by virtual shard
  std::vector<bool> used_;               ///< features
  EntryRunner runner_;
  Symbols symbols_;
};

/// Gradients of virtual shards: the part of a step that training tasks do.
class ShardStep {
public:
  /// `program` outlives this and has the entries of a mode of parts. Errors as TrainFeatures::create.
  static absl::StatusOr<std::unique_ptr<ShardStep>> create(Program &program, ThreadPool &pool, TrainMode mode);

  /// Brings variables while gradients are computed, takes sums while others are. Called by the thread that calls `sum`.
  class Watch {
  public:
    virtual ~Watch() = default;
    /// As StepSignals.
    virtual absl::Status await(int32_t variable) = 0;
    /// Sum `sum` of a node is final, and stays until the next step begins; of a sparse one, "t.ids" for its three
    /// parts.
    virtual void done(const SumSet &sums, int32_t sum) = 0;
  };

  /// Begins a step on a batch whose `slots` TrainFeatures::run filled with the same mode and context; both, and
  /// `watch`, if there is one, live until the last sum was taken. Without one all variables are there.
  absl::Status begin(const BatchView &batch, TrainSlots &slots, const CallContext &context, Watch *watch = nullptr);
  /// Whether sums of a step can be asked for and not waited for. Opens the device.
  bool canLaunch() { return grad_.canLaunchPart() && combine_.canLaunchPart(); }
  /// Where canLaunch(): whether that may lower the error slot.
  bool hasLaunchedSlot() const { return grad_.hasLaunchedSlot() || combine_.hasLaunchedSlot(); }
  /// After begin() of a step: nothing waits for its sums, which lower this slot (SumOperands::launchedSlot).
  void launchWith(void *slot) { launchedSlot_ = slot; }
  /// Whether a shard of a node has rows.
  bool hasRows(SumNode node) const;
  /// The sum of a node; null if none of its shards has rows. Valid until the next step begins.
  absl::StatusOr<SumSet *> sum(SumNode node);
  /// Adds two sums of this step: shapes and writes `out`.
  absl::Status combine(const SumSet &a, const SumSet &b, SumSet &out);
  /// The same of a node that has rows, each of whose sums the watch is told of.
  absl::Status sumWatched(SumNode node);
  /// Symbols of the global batch, which bound the sums.
  const Symbols &global() const { return global_; }
  /// The virtual shards [first, last) are this task's: `own` has what observers get of their rows. kInvalidArgument: a
  /// value that is not one for each row, and several shards.
  absl::Status observe(int64_t first, int64_t last);
  /// Outputs of train_grad of the step that was computed last, of all rows of the task's shards in their order; null:
  /// there are none. kFailedPrecondition: it had no rows, and a value is not one for each.
  absl::StatusOr<const EntryOutputs *> own();
  /// As EntryRunner, for the gradients of steps from now on.
  void placeVariable(int32_t variable, void *data) { grad_.placeVariable(variable, data); }

private:
  class LastShard;
  ShardStep(Program &program, ThreadPool &pool, TrainMode mode);
  absl::Status computeShard(int64_t shard, SumSet &sums, StepSignals *signals);
  void keepOwn(int64_t shard);

  const Artifact &artifact_;
  const int64_t shards_;
  EntryRunner grad_, combine_;
  SumTree tree_;
  std::optional<SumRanges> whole_; ///< adds single sums; made by the first use
  Watch *watch_ = nullptr;
  void *launchedSlot_ = nullptr; ///< null: sums are waited for
  TrainSlots *slots_ = nullptr;
  CallContext context_;
  Symbols global_;
  int64_t firstOwn_ = 0, lastOwn_ = 0; ///< virtual shards
  int64_t ownComputed_ = 0;            ///< of this step
  EntryOutputs own_;
  std::vector<std::string> ownBytes_; ///< by output: those of the shards that were computed
};

/// Runs steps; one per training loop.
class Stepper {
public:
  virtual ~Stepper() = default;

  /// One step on a batch whose `slots` TrainFeatures::run filled with the same mode and context. On an error the state
  /// may have been changed in part; errors in the data are found before the first write when segments are ordered so.
  virtual absl::Status run(const BatchView &batch, TrainSlots &slots, const CallContext &context) = 0;

  /// Whether steps can be launched, and settled later, in place of run(): as EntryRunner.
  virtual bool canLaunch() { return false; }
  /// As EntryRunner::launchStep and settleStep; results() are those of the step that was settled last.
  virtual void launchStep(const BatchView &, TrainSlots &, const CallContext &) {}
  virtual absl::Status settleStep() { return absl::InternalError("no step was launched"); }

  /// Before `run`: makes what the gradients of a batch read be there; `slots` are for `run` alone then. What else reads
  /// the state may come in between.
  virtual absl::Status prepare(TrainSlots &, const CallContext &) { return absl::OkStatus(); }
  /// Before `run`: the slots of the step after it, if they are filled already; else null. Only then may prepare have
  /// less to do for them.
  virtual void expect(TrainSlots *) {}

  /// The program that computes the gradient of a virtual shard, from the first step to the last; null: the one that
  /// the stepper is of. From any thread.
  virtual Program *programOf(int64_t /*shard*/) const { return nullptr; }

  /// Outputs of the last step (train's, or train_apply's): "loss" and others.
  virtual const EntryOutputs &results() const = 0;
  /// Before the first step: `own` is asked for after each. Errors as ShardStep::observe.
  virtual absl::Status observe() { return absl::OkStatus(); }
  /// Of a step in parts: ShardStep::own.
  virtual absl::StatusOr<const EntryOutputs *> own() { return nullptr; }
  /// Whether the run has ended elsewhere: the last call of `run` did nothing.
  virtual bool isOver() const { return false; }
  /// Where others make steps, too: those in the state after the last call of `run`; -1 elsewhere.
  virtual int64_t stepsDone() const { return -1; }
};

/// A step in parts that was launched.
struct LaunchedParts {
  const BatchView *batch;
  TrainSlots *slots;
  CallContext context;
};

/// Why a step in parts failed that was launched, and is done anew as it was, from the state that it found: `anew` is
/// how that ends.
absl::Status errorOfLaunched(const absl::Status &anew);

/// Runs steps in this process.
class TrainStep : public Stepper {
public:
  /// Errors as TrainFeatures::create.
  static absl::StatusOr<std::unique_ptr<TrainStep>> create(Program &program, ThreadPool &pool, TrainMode mode);

  absl::Status run(const BatchView &batch, TrainSlots &slots, const CallContext &context) override;
  /// Of a step in parts: all of them, and the update is held back where one of them fails.
  bool canLaunch() override;
  void launchStep(const BatchView &batch, TrainSlots &slots, const CallContext &context) override;
  absl::Status settleStep() override;
  const EntryOutputs &results() const override { return (mode_.parts() ? apply_ : train_)->outputs(); }
  absl::Status observe() override { return shards_ ? shards_->observe(0, mode_.virtualShards) : absl::OkStatus(); }
  absl::StatusOr<const EntryOutputs *> own() override {
    if (shards_)
      return shards_->own();
    return nullptr;
  }

private:
  explicit TrainStep(TrainMode mode) : mode_(mode) {}
  /// What the update of a step in parts adds; `isLaunched`: not waited for.
  absl::StatusOr<SumOperands> sum(const BatchView &batch, TrainSlots &slots, const CallContext &context,
                                  bool isLaunched);

  TrainMode mode_;
  std::deque<LaunchedParts> launched_; ///< of steps in parts, not settled
  std::unique_ptr<EntryRunner> train_, apply_;
  std::unique_ptr<ShardStep> shards_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_TRAINSTEP_H
