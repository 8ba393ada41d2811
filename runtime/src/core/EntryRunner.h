//===- EntryRunner.h - Runs the segments of an entry over a batch
//--------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_ENTRYRUNNER_H
#define MLCRT_CORE_ENTRYRUNNER_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/core/DeviceValue.h"
#include "runtime/src/core/Environment.h"
#include "runtime/src/core/Program.h"
#include "runtime/src/core/SegmentRecordings.h"
#include "runtime/src/core/StepBuffer.h"
#include "runtime/src/core/Tensor.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Rows as read, in memory that someone else owns (the input's Batch). `features` has one buffer for each feature of
/// the artifact, in its order; a feature that the entry does not use may have data null. The memory must live until the
/// step is over: string cells and intermediates point into it; `owner` may see to that.
struct BatchView {
  int64_t rows = 0;
  std::vector<TensorView> features;
  /// For each matrix of the artifact, where the batch holds features side by side, all of them or none: then views of
  /// the matrices' columns are parts of it. Data null: it does not.
  std::vector<TensorView> matrices;
  std::shared_ptr<const void> owner; ///< opaque: whatever keeps the memory alive and can tell rows from file lines
};

/// Scalars of a call (mlcrt_context).
struct CallContext {
  int64_t seed = 0;
  int64_t step = 0; ///< the one before the increment; keys randomness
  /// Number of the call's first row in the global batch. Segments of init that write rows get that of each tensor's
  /// first row here.
  int64_t firstRow = 0;
};

/// Values of all dimension symbols of an artifact for a batch (abi.h). Symbol 0 is the number of rows; others are found
/// in feature dims.
using Symbols = std::vector<int64_t>;

/// Where a step reads what was brought to its device ahead of it.
enum class AheadPlace {
  Slot,  ///< where it was brought: memory of the slot
  Runner ///< in memory of the runner, to which the device copies it: one place, and one recording, for many slots
};

/// What the features segments of an entry made of a batch: the intermediates they write. Memory is kept between
/// batches. Made by EntryRunner::makeSlot, filled by one thread and then used by another.
class FeatureSlot {
public:
  FeatureSlot() = default;
  FeatureSlot(FeatureSlot &&) = default;
  FeatureSlot &operator=(FeatureSlot &&) = default;

  /// An intermediate that a features segment of the entry wrote.
  const TensorView &intermediate(int32_t index) const { return intermediates[index].buffer(); }

private:
  friend class EntryRunner;
  /// What was brought to a device ahead of the step.
  struct Ahead {
    const void *host; // what it is a copy of
    int64_t bytes;
    void *there;
  };
  std::vector<Tensor> intermediates; // one per intermediate of the entry; empty where a slot does not hold it
  Arena texts;                       // bytes of strings in them
  std::unique_ptr<DeviceUpload> upload;
  Device *uploadTo = nullptr;                         // the device of that
  std::map<std::pair<int32_t, int32_t>, Ahead> ahead; // by source and index of operands; none: of another batch
  AheadPlace place = AheadPlace::Slot;
  bool isAwaited = false; // what is there, by what the device is asked for
};

/// One set of sums (mlcrt_artifact.sums): what grad and combine write, what combine and apply read. Of a program whose
/// homes keep values the sums stay on the device that wrote them until a segment of the host reads them.
class SumSet {
public:
  /// Makes room for as many sums as the artifact has; those that are new have no shape.
  void reserve(const Artifact &artifact) {
    sums_.resize(artifact.table().num_sums);
    onDevice_.resize(sums_.size());
  }
  /// Shapes every sum for the symbols of the global batch; allocates only when it has to grow.
  void shape(const Artifact &artifact, const Symbols &global);
  const Tensor &sum(int32_t index) const { return sums_[index]; }
  Tensor &sum(int32_t index) { return sums_[index]; }
  DeviceValue &onDevice(int32_t index) const { return onDevice_[index]; }
  int32_t size() const { return static_cast<int32_t>(sums_.size()); }

private:
  std::vector<Tensor> sums_;
  mutable std::vector<DeviceValue> onDevice_; ///< the same sums elsewhere, who only reads them may bring them
};

/// Sums of a call, and what functions of an update exchange (mlcrt_artifact.shared, one tensor for each): what the
/// entry reads, and what it writes, shaped by the caller. Null where the entry has none.
struct SumOperands {
  StepSignals *signals = nullptr; ///< of train_grad: brings its variables, takes its sums
  const SumSet *a = nullptr;
  const SumSet *b = nullptr;
  SumSet *out = nullptr;
  const std::vector<Tensor> *shared = nullptr;
  std::vector<Tensor> *sharedOut = nullptr;
  /// Where canLaunchPart(): the error slot in the device's memory (EntryRunner::launchedSlot). Then nothing waits for
  /// the call, which may lower it. Null: the call is waited for.
  void *launchedSlot = nullptr;
};

/// Outputs of an entry: values that someone filled.
class EntryOutputs {
public:
  explicit EntryOutputs(const mlcrt_entry &entry) : entry_(&entry), values_(entry.num_outputs) {}

  /// What the names of outputs of a training step begin with that are for observers alone: no summary, no line of
  /// progress shows them.
  static constexpr std::string_view kFetched = "fetch/";

  int32_t size() const { return static_cast<int32_t>(values_.size()); }
  bool isFetched(int32_t index) const {
    return std::string_view(entry_->outputs[index].name).substr(0, kFetched.size()) == kFetched;
  }
  const mlcrt_value &type(int32_t index) const { return entry_->outputs[index]; }
  const Tensor &value(int32_t index) const { return values_[index]; }
  Tensor &value(int32_t index) { return values_[index]; }
  /// Index of an output, or -1.
  int32_t find(std::string_view name) const;
  /// A scalar output of a float or integer dtype as a number; kNotFound or kInvalidArgument otherwise.
  absl::StatusOr<double> scalar(std::string_view name) const;

private:
  const mlcrt_entry *entry_;
  std::vector<Tensor> values_;
};

class OtherParts;

/// Runs one entry for one thread: holds the workspace, the step's own intermediates, the outputs and the error. Several
/// runners, of one entry or of many, may run at once; around each segment the locks of its variables are held. After
/// buffers have grown to the largest batch a call allocates nothing.
class EntryRunner : private SegmentCaller {
public:
  /// `entry` belongs to the program's artifact. Input threads use a pool of their own, ThreadPool(1) for serial work.
  /// Of an entry that is placed on several devices the other parts run along.
  EntryRunner(Program &program, const mlcrt_entry &entry, ThreadPool &pool);
  ~EntryRunner() override;
  EntryRunner(const EntryRunner &) = delete;
  EntryRunner &operator=(const EntryRunner &) = delete;

  const mlcrt_entry &entry() const { return entry_; }

  /// A slot for runFeatures/runStep of this entry.
  FeatureSlot makeSlot() const;
  /// Runs the features segments: reads the batch, writes the slot. kDataLoss: the data is at fault, stepErrorOf(status)
  /// has the row; kInvalidArgument: the batch does not fit the artifact's features.
  absl::Status runFeatures(const BatchView &batch, FeatureSlot &slot, const CallContext &context = {});
  /// Asks a device of `reader`, whose runner of this entry runs the step, for copies of what step segments read of the
  /// batch and of the slot, which runFeatures filled from it, beside what it is doing. As far as the device makes such
  /// copies and host memory has the values as they are; what is not brought, after an error too, is brought by runStep.
  void bringAhead(const BatchView &batch, FeatureSlot &slot, Program &reader, AheadPlace place);
  void bringAhead(const BatchView &batch, FeatureSlot &slot) { bringAhead(batch, slot, program_, AheadPlace::Slot); }
  /// Runs the other segments on a slot that runFeatures filled from the same batch; fills outputs(). Errors as above.
  absl::Status runStep(const BatchView &batch, FeatureSlot &slot, const CallContext &context = {});
  /// Both, with a slot of the runner's own. An entry without features (init, eval_result, ...) takes BatchView{}.
  absl::Status run(const BatchView &batch, const CallContext &context = {});

  /// How many steps may be launched and not settled.
  static constexpr size_t kMostLaunched = 2;
  /// Whether runStep can be done in two halves, launchStep and settleStep: the step is one segment that only launches,
  /// all that it writes are outputs of known dims, intermediates, and variables that stay in their homes, and its
  /// device makes downloads. Opens the device.
  bool canLaunch();
  /// Where canLaunch(): asks the device for a step, and for its outputs to come back. `batch` and `slot` live until it
  /// is settled. No other call but settleStep runs a step while one is not settled. One that is launched after a step
  /// that failed changes nothing.
  void launchStep(const BatchView &batch, FeatureSlot &slot, const CallContext &context = {});
  /// Waits for the step that was launched first of those which are not settled, and for no later one; fills outputs().
  /// Errors as of runStep. After one, those launched later are forgotten, and the state is as the step found it.
  absl::Status settleStep();

  /// Of train_grad and train_combine: whether they can be parts of a step whose train_apply is launched. They are one
  /// segment as of canLaunch(), which writes sums that stay on the device, and no output.
  bool canLaunchPart() { return entry_.num_outputs == 0 && canLaunch(); }
  /// Where canLaunch(): whether the segment has the error slot.
  bool hasLaunchedSlot() const;
  /// Of train_apply, where canLaunch(): the error slot of steps that are launched, in the device's memory. Errors of
  /// the device.
  absl::StatusOr<void *> launchedSlot();
  /// As launchStep, of train_apply. `sums`: or why there are none, which settling the step then tells. They live until
  /// the device is asked for later steps.
  void launchSums(const CallContext &context, const absl::StatusOr<SumOperands> &sums, const Symbols &global);
  /// As settleStep, of train_apply. False: the step, or a part of it, has lowered the slot.
  absl::StatusOr<bool> settleSums();

  /// For shards and servers: as runFeatures and runStep, with sums, the symbols of the global batch that bound them,
  /// and the number to add to the row of an error.
  absl::Status runStep(const BatchView &batch, FeatureSlot &slot, const CallContext &context, const SumOperands &sums,
                       const Symbols &global, int64_t rowBase);
  absl::Status runFeatures(const BatchView &batch, FeatureSlot &slot, const CallContext &context, int64_t rowBase);
  /// For combine, apply and the functions of an update, which have no batch: symbols are the global batch's, or what
  /// mlcrt_update says.
  absl::Status runSums(const CallContext &context, const SumOperands &sums, const Symbols &global);

  /// From now on segments get `data` for a variable, not the state's memory, and write nothing to it. Of train_grad,
  /// for a variable whose rows have other numbers (RowPulls.h).
  void placeVariable(int32_t variable, void *data);

  /// Checks the features that the entry uses, ends of rows included, and finds the values of all symbols.
  absl::Status bindSymbols(const BatchView &batch, Symbols &symbols) const;

  /// Outputs of the last runStep, in the entry's order, with the dims that compiled code gave them.
  const EntryOutputs &outputs() const { return outputs_; }
  int32_t numOutputs() const { return entry_.num_outputs; }
  const TensorView &output(int32_t index) const { return outputs_.value(index).buffer(); }
  int32_t outputIndex(std::string_view name) const { return outputs_.find(name); }
  absl::StatusOr<double> scalarOutput(std::string_view name) const { return outputs_.scalar(name); }

private:
  /// What is fixed about a segment.
  struct Plan {
    const mlcrt_segment *segment;
    Guard::Set locks;
    int32_t rowsOf = -1;      ///< of init: the variable whose rows it writes, those of one tensor a call
    bool usesDevices = false; ///< what it gets or writes may be in the memory of devices, too
    /// Of a segment that can be captured: what it asked its device for.
    std::unique_ptr<SegmentRecordings> recordings = nullptr;
    int32_t checks = -1; ///< of a segment that lowers the error slot: the plan that tells what is wrong
  };
  /// What one call binds operands from.
  struct Call {
    const BatchView *batch;
    FeatureSlot *slot;
    SumOperands sums;
    const Symbols *symbols; ///< what workspace formulas get
    int32_t rowsOf = -1;    ///< a variable of which the segment gets these of the rows that are here
    RowRange rows = {};
    bool isLaunched = false; ///< its outputs and its error slot are places of launches_
  };
  struct Launch;
  struct Launches; ///< how steps are launched, and those that are not settled
  /// What a segment works on while it runs; memory is kept.
  struct Frame {
    std::vector<TensorView> views; ///< of its operands, in host memory
    std::vector<mlcrt_buffer> buffers;
    std::vector<int64_t> dims; ///< theirs, and strides of those that have any
    std::vector<AlignedBytes> hostWorkspaces;
    std::vector<mlcrt_memory> workspaces;
  };
  absl::Status runSegments(mlcrt_segment_kind kind, Call &call);
  absl::Status runSegment(const Plan &plan, Call &call);
  /// A segment of init for each tensor of its variable, on the rows that are here.
  absl::Status runForTensors(const Plan &plan, Call &call);
  /// Its code; what it reported stays in the environment. Errors of what it is given to work on.
  absl::StatusOr<int32_t> invoke(const Plan &plan, Call &call, Frame &frame);
  /// What `error`, which a segment left, is in the words of its checks on the host, if it has any.
  StepError explain(const Plan &plan, Call &call, StepError error);
  absl::Status setIntermediate(const char *name, const int64_t *dims, const void *data) override;
  absl::StatusOr<int32_t> callSegment(const char *name) override;
  absl::StatusOr<TensorView> intermediate(const char *name) override;
  /// The place of an intermediate of the call in host memory.
  const TensorView &intermediateAt(int32_t index) const;
  /// The index of an intermediate; kInternal: there is none of that name.
  absl::StatusOr<int32_t> intermediateIndex(const char *name) const;
  /// The values of symbols that follow from those of features.
  absl::Status deriveSymbols(const BatchView &batch, Symbols &symbols) const;
  /// The number of combinations of values of the features of a product, over all rows; -1 if it overflows.
  int64_t countProducts(const mlcrt_dimension &dimension, const BatchView &batch) const;
  /// The operand in host memory.
  TensorView bind(const mlcrt_operand &operand, const Call &call);
  /// A feature without strides: its own memory, or a copy.
  TensorView denseFeature(int32_t feature, const Call &call);
  /// Features side by side: the batch's own memory, or a copy.
  TensorView matrix(int32_t index, const Call &call);
  /// Gives the segment its operands and workspaces.
  absl::Status prepare(const Plan &plan, Call &call, Frame &memory);
  /// Where an operand stays on a device for later segments; null: what is written there comes back at once.
  DeviceValue *kept(const mlcrt_operand &operand, const Call &call);
  /// Brings an operand that the segment gets in host memory there.
  absl::Status bringToHost(const mlcrt_operand &operand, const Call &call, const TensorView &host);
  /// Brings the operands that prepare made to the memory of devices, and what the segment wrote there back.
  absl::Status bringToDevices(const Plan &plan, const Call &call, Frame &memory);
  absl::Status takeFromDevices(const Plan &plan, const Call &call, const Frame &memory);
  /// Its code, as of what it asked its device for before where that is the same.
  absl::StatusOr<int32_t> runOnDevice(const Plan &plan, mlcrt_frame &frame);
  /// After a segment with a device failed: nothing of it is on its way, and no home has what it left there.
  void abandon(const Plan &plan);
  /// Begins a call: what it gets in the step buffer.
  void beginCall(const CallContext &context, const Symbols &symbols);
  /// Copies an output whose dims only the call knew to where it stays.
  absl::Status takeOutput(const Plan &plan, int32_t index, const mlcrt_buffer &made);
  /// Takes over the dims that the segment set.
  absl::Status adopt(const Plan &plan, Call &call, const Frame &frame);
  /// Begins a call: its temporaries, and its strings in `texts`.
  void resetMemory(Arena &texts);
  /// The host memory of an operand that may be brought ahead of a step; null: it is none.
  const TensorView *aheadOf(const mlcrt_operand &operand, const BatchView &batch, const FeatureSlot &slot) const;
  /// Where an operand's value was brought ahead, which what the device is asked for from now on may read; null:
  /// nowhere.
  absl::StatusOr<void *> findAhead(const mlcrt_operand &operand, FeatureSlot *slot, const TensorView &host);
  /// Begins a step on a batch whose symbols are symbols_: memory, shapes, the step buffer.
  void beginStep(FeatureSlot &slot, const CallContext &context, int64_t rowBase);
  /// runSums, of a call that has these sums.
  absl::Status runSums(const CallContext &context, Call &call);
  /// The only segment of a step that can be launched; null: it cannot.
  const Plan *findLaunched() const;
  Launch &addLaunch(Launch made);
  absl::Status launch(Launch &made);
  /// Asks for what a step that was launched gives to come back.
  absl::Status askFor(Launch &made);
  /// Ends the step that was launched first: its slot, MLCRT_NO_ERROR if nothing has lowered it. Else, and after an
  /// error, those launched later are forgotten.
  absl::StatusOr<uint64_t> settle(const Launch &step);
  /// Memory of the device for what a step that is launched writes, and the slot in it.
  absl::Status reserveLaunched(int64_t bytes, int64_t alignment);
  /// Gives the outputs of a step that is launched, and its error slot, places in the device's memory.
  absl::Status placeLaunched(const Plan &plan, const Call &call, Frame &memory);
  /// Whether placeLaunched gave the operand its place.
  bool isPlaced(int32_t operand) const;
  /// Shapes the intermediates that segments of `kind` own, and the outputs for the step's.
  void shape(mlcrt_segment_kind kind, FeatureSlot &slot, const Symbols &symbols);

  Program &program_;
  const mlcrt_entry &entry_;
  Environment environment_;
  std::vector<Plan> plans_;
  std::vector<bool> usedFeatures_;
  std::vector<bool> inSlot_; // intermediate: written by a features segment
  std::vector<Tensor> intermediates_;
  std::vector<DeviceValue> onDevice_; ///< the same intermediates on devices
  std::vector<void *> places_; ///< by variable, of those that have another place than the state's; may be shorter
  EntryOutputs outputs_;
  Frame frame_, calledFrame_; ///< of the segment that runs, and of the one that it calls
  Call *call_ = nullptr;      ///< while segments run
  StepBuffer step_;
  std::vector<Tensor> denseFeatures_, matrices_; ///< copies, where the batch holds features otherwise
  std::vector<bool> hasMatrix_;                  ///< of this call
  DeviceOperands deviceOperands_;
  Symbols symbols_;
  FeatureSlot ownSlot_;
  std::unique_ptr<OtherParts> others_; ///< null: this is all of the entry
  std::unique_ptr<Launches> launches_; ///< null: nobody asked for any
};

/// Whether only the call knows some of the dims of an output.
bool hasDimsOfCall(const mlcrt_value &value);

/// The dims of a value for these symbols.
Dims resolveDims(const mlcrt_value &value, const Symbols &symbols);

} // namespace mlcrt

#endif // MLCRT_CORE_ENTRYRUNNER_H
