//===- TrainStep.cpp - One training step: fused, or by virtual shards --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/TrainStep.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace mlcrt {

static absl::Status checkMode(const Program &program, TrainMode mode) {
  if (mode.virtualShards < 1)
    return absl::InvalidArgumentError(
        absl::StrCat("virtual shards: found ", mode.virtualShards, ", expected at least 1"));
  if (mode.parts())
    return program.artifact().require({MLCRT_ROLE_TRAIN_GRAD, MLCRT_ROLE_TRAIN_COMBINE, MLCRT_ROLE_TRAIN_APPLY});
  return program.artifact().require({MLCRT_ROLE_TRAIN});
}

//===----------------------------------------------------------------------===//
// TrainFeatures
//===----------------------------------------------------------------------===//

absl::StatusOr<std::unique_ptr<TrainFeatures>> TrainFeatures::create(Program &program, ThreadPool &pool, TrainMode mode,
                                                                     std::vector<Program *> readers) {
  if (absl::Status status = checkMode(program, mode); !status.ok())
    return status;
  const mlcrt_entry &entry = *program.artifact().entry(mode.featuresRole());
  readers.resize(static_cast<size_t>(mode.virtualShards));
  std::replace(readers.begin(), readers.end(), static_cast<Program *>(nullptr), &program);
  std::unique_ptr<TrainFeatures> features(new TrainFeatures(program, entry, pool, mode, std::move(readers)));
  const mlcrt_artifact &table = program.artifact().table();
  for (int32_t f = 0; mode.virtualShards > 1 && f < table.num_features; ++f)
    if (features->used_[f] && firstSymbol(table.features[f]) < 0)
      return absl::FailedPreconditionError(absl::StrCat("feature '", table.features[f].name,
                                                        "' cannot be cut into virtual shards: its first dimension is ",
                                                        "neither rows nor values of rows"));
  return features;
}

TrainSlots TrainFeatures::makeSlots() const {
  TrainSlots slots;
  slots.shards_.resize(mode_.virtualShards);
  for (TrainSlots::Shard &shard : slots.shards_) {
    shard.slot = runner_.makeSlot();
    shard.ends.resize(program_.artifact().table().num_features);
  }
  return slots;
}

void TrainFeatures::cut(const BatchView &batch, int64_t low, int64_t high, TrainSlots::Shard &shard) const {
  const Artifact &artifact = program_.artifact();
  for (int32_t f = 0; f < artifact.table().num_features; ++f) {
    if (!used_[f])
      continue;
    int64_t first = low, last = high;
    if (const int32_t ends = artifact.endsOfSymbol(firstSymbol(artifact.table().features[f])); ends >= 0) {
      const int64_t *end = static_cast<const int64_t *>(batch.features[ends].data);
      first = low > 0 ? end[low - 1] : 0;
      last = end[high - 1];
    }
    TensorView &view = shard.view.features[f];
    if (view.data)
      view.data = static_cast<char *>(view.data) + rowPitch(view) * first;
    view.dims[0] = last - first;
  }
  for (TensorView &matrix : shard.view.matrices)
    if (matrix.data) {
      matrix.data = static_cast<char *>(matrix.data) + rowPitch(matrix) * low;
      matrix.dims[0] = high - low;
    }
  for (int32_t k = MLCRT_SYMBOL_BATCH + 1; k < artifact.symbolCount(); ++k) {
    const int32_t ends = artifact.endsOfSymbol(k);
    if (ends < 0 || !used_[ends])
      continue;
    const int64_t *end = static_cast<const int64_t *>(batch.features[ends].data);
    shard.ends[ends].reserve((high - low) * static_cast<int64_t>(sizeof(int64_t)));
    int64_t *out = static_cast<int64_t *>(shard.ends[ends].data());
    for (int64_t row = low; row < high; ++row)
      out[row - low] = end[row] - (low > 0 ? end[low - 1] : 0);
    shard.view.features[ends].data = out;
  }
}

absl::Status TrainFeatures::run(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  if (batch.rows <= 0)
    return absl::InvalidArgumentError("a training step needs a batch with rows");
  const int64_t shardCount = mode_.virtualShards;
  if (shardCount > 1)
    if (absl::Status status = runner_.bindSymbols(batch, symbols_); !status.ok())
      return status;
  for (int64_t s = 0; s < shardCount; ++s) {
    TrainSlots::Shard &shard = slots.shards_[s];
    shard.firstRow = batch.rows * s / shardCount;
    shard.view.rows = batch.rows * (s + 1) / shardCount - shard.firstRow;
    shard.isFilled = false;
    if (s < mode_.firstShard || (mode_.lastShard >= 0 && s >= mode_.lastShard))
      continue;
    if (absl::Status status = runShard(batch, shard, context, s); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status TrainFeatures::runShard(const BatchView &batch, TrainSlots::Shard &shard, const CallContext &context,
                                     int64_t number) {
  if (shard.view.rows == 0)
    return absl::OkStatus();
  const int64_t low = shard.firstRow;
  shard.view.features.assign(batch.features.begin(), batch.features.end());
  shard.view.matrices.assign(batch.matrices.begin(), batch.matrices.end());
  if (mode_.virtualShards > 1)
    cut(batch, low, low + shard.view.rows, shard);
  CallContext own = context;
  own.firstRow += low;
  absl::Status status = runner_.runFeatures(shard.view, shard.slot, own, /*rowBase=*/low);
  shard.isFilled = status.ok();
  // One runner reads the slots of several shards, each of which has other memory: more places than it keeps recordings.
  if (status.ok())
    runner_.bringAhead(shard.view, shard.slot, *readers_[static_cast<size_t>(number)],
                       mode_.virtualShards > 1 ? AheadPlace::Runner : AheadPlace::Slot);
  return status;
}

absl::Status TrainFeatures::runShards(const BatchView &batch, TrainSlots &slots, const CallContext &context,
                                      int64_t first, int64_t last) {
  for (int64_t s = first; s < last; ++s)
    if (absl::Status status = runShard(batch, slots.shards_[s], context, s); !status.ok())
      return status;
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// ShardStep
//===----------------------------------------------------------------------===//

/// What the gradients of the last shard of a node say: each sum goes up the tree as soon as it is there.
class ShardStep::LastShard : public StepSignals {
public:
  /// `lefts`: the sums on its left that are to be added, from the root down.
  LastShard(ShardStep &of, SumSet &sums, std::vector<SumSet *> lefts)
      : of_(of), sums_(sums), lefts_(std::move(lefts)), parts_(of.artifact_.table().num_sums) {}
  absl::Status await(int32_t variable) override { return of_.watch_->await(variable); }
  void done(int32_t sum) override {
    const SumPlace &place = of_.whole_->places()[sum];
    const bool isSparse = place.ids >= 0;
    if (isSparse && ++parts_[place.ids] < 3)
      return;
    const int32_t first = isSparse ? place.ids : sum;
    SumSet *total = &sums_;
    for (size_t i = lefts_.size(); i-- > 0 && status_.ok();) {
      SumSet *out = isSparse ? mergedBeside(total) : total;
      status_ = of_.whole_->addSum(first, *lefts_[i], *total, of_.global_, *out);
      total = out;
    }
    if (status_.ok())
      of_.watch_->done(*total, first);
  }
  const absl::Status &status() const { return status_; }

private:
  /// A set for merged sparse sums that is not `used`.
  SumSet *mergedBeside(const SumSet *used) {
    SumSet *&set = merged_[merged_[0] == used];
    if (!set) {
      set = of_.tree_.take();
      set->reserve(of_.artifact_);
    }
    return set;
  }

  ShardStep &of_;
  SumSet &sums_;
  const std::vector<SumSet *> lefts_;
  std::vector<int> parts_; ///< of a sparse sum that are there
  SumSet *merged_[2] = {nullptr, nullptr};
  absl::Status status_;
};

ShardStep::ShardStep(Program &program, ThreadPool &pool, TrainMode mode)
    : artifact_(program.artifact()), shards_(mode.virtualShards),
      grad_(program, *program.artifact().entry(MLCRT_ROLE_TRAIN_GRAD), pool),
      combine_(program, *program.artifact().entry(MLCRT_ROLE_TRAIN_COMBINE), pool),
      tree_(mode.virtualShards, [this](const SumSet &a, const SumSet &b, SumSet &out) { return combine(a, b, out); }),
      own_(grad_.entry()), ownBytes_(static_cast<size_t>(grad_.entry().num_outputs)) {}

absl::Status ShardStep::combine(const SumSet &a, const SumSet &b, SumSet &out) {
  SumOperands sums;
  sums.a = &a;
  sums.b = &b;
  sums.out = &out;
  sums.launchedSlot = launchedSlot_;
  return combine_.runSums(context_, sums, global_);
}

absl::StatusOr<std::unique_ptr<ShardStep>> ShardStep::create(Program &program, ThreadPool &pool, TrainMode mode) {
  if (absl::Status status = checkMode(program, mode); !status.ok())
    return status;
  return std::unique_ptr<ShardStep>(new ShardStep(program, pool, mode));
}

absl::Status ShardStep::begin(const BatchView &batch, TrainSlots &slots, const CallContext &context, Watch *watch) {
  if (absl::Status status = grad_.bindSymbols(batch, global_); !status.ok())
    return status;
  slots_ = &slots;
  context_ = context;
  watch_ = watch;
  launchedSlot_ = nullptr;
  tree_.begin();
  ownComputed_ = 0;
  for (std::string &bytes : ownBytes_)
    bytes.clear();
  return absl::OkStatus();
}

absl::Status ShardStep::observe(int64_t first, int64_t last) {
  firstOwn_ = first;
  lastOwn_ = last;
  for (int32_t i = 0; last - first > 1 && i < own_.size(); ++i)
    if (const mlcrt_value &value = own_.type(i);
        firstSymbol(value) != MLCRT_SYMBOL_BATCH || value.dtype == MLCRT_STRING)
      return absl::InvalidArgumentError(
          absl::StrCat("'", value.name, "' is not a number for each row, and this task computes ", last - first,
                       " virtual shards of each batch; expected one: as many virtual shards as training tasks"));
  return absl::OkStatus();
}

/// Keeps the outputs of a shard that was computed just now.
void ShardStep::keepOwn(int64_t shard) {
  if (shard < firstOwn_ || shard >= lastOwn_)
    return;
  ++ownComputed_;
  for (int32_t i = 0; i < own_.size(); ++i) {
    const TensorView &value = grad_.output(i);
    ownBytes_[i].append(static_cast<const char *>(value.data), static_cast<size_t>(byteCount(value)));
    Dims dims = value.dims;
    if (ownComputed_ > 1)
      dims[0] += own_.value(i).buffer().dims[0];
    own_.value(i).resize(value.dtype, dims);
  }
}

absl::StatusOr<const EntryOutputs *> ShardStep::own() {
  if (own_.size() == 0)
    return nullptr;
  for (int32_t i = 0; i < own_.size(); ++i) {
    const mlcrt_value &value = own_.type(i);
    if (ownComputed_ == 0 && firstSymbol(value) < 0)
      return absl::FailedPreconditionError(
          absl::StrCat("'", value.name, "' is not a number for each row, and this task has no row of the batch"));
    if (ownComputed_ == 0)
      own_.value(i).resize(value.dtype, resolveDims(value, Symbols(global_.size(), 0)));
    if (!ownBytes_[i].empty())
      std::memcpy(own_.value(i).data(), ownBytes_[i].data(), ownBytes_[i].size());
  }
  return &own_;
}

bool ShardStep::hasRows(SumNode node) const {
  const int64_t last = std::min(shards_, (node.index + 1) << node.level);
  for (int64_t shard = node.index << node.level; shard < last; ++shard)
    if (slots_->shards_[shard].view.rows > 0)
      return true;
  return false;
}

absl::Status ShardStep::computeShard(int64_t number, SumSet &sums, StepSignals *signals) {
  TrainSlots::Shard &shard = slots_->shards_[number];
  CallContext own = context_;
  own.firstRow += shard.firstRow;
  SumOperands operands;
  operands.out = &sums;
  operands.signals = signals;
  operands.launchedSlot = launchedSlot_;
  absl::Status status = grad_.runStep(shard.view, shard.slot, own, operands, global_, shard.firstRow);
  if (status.ok())
    keepOwn(number);
  return status;
}

absl::StatusOr<SumSet *> ShardStep::sum(SumNode node) {
  /// All is there, or brought.
  struct Awaiting : StepSignals {
    explicit Awaiting(Watch &watch) : watch(watch) {}
    absl::Status await(int32_t variable) override { return watch.await(variable); }
    void done(int32_t) override {}
    Watch &watch;
  };
  std::optional<Awaiting> awaiting;
  if (watch_)
    awaiting.emplace(*watch_);
  return tree_.fold(node, [&](SumNode at, SumSet &sums) -> absl::StatusOr<SumTree::Found> {
    if (at.level > 0)
      return SumTree::Found::Below;
    if (!hasRows(at))
      return SumTree::Found::Absent;
    if (absl::Status status = computeShard(at.index, sums, awaiting ? &*awaiting : nullptr); !status.ok())
      return status;
    return SumTree::Found::Here;
  });
}

absl::Status ShardStep::sumWatched(SumNode node) {
  if (!whole_) {
    absl::StatusOr<SumRanges> ranges = SumRanges::create(artifact_, ShardPlan(artifact_, /*servers=*/1), /*server=*/0);
    if (!ranges.ok())
      return ranges.status();
    whole_ = *std::move(ranges);
  }
  // The tree as fold goes through it, down to the last shard that has rows.
  std::vector<SumSet *> lefts;
  while (node.level > 0) {
    const SumNode left = {node.level - 1, 2 * node.index}, right = {node.level - 1, 2 * node.index + 1};
    if (!hasRows(right)) {
      node = left;
      continue;
    }
    absl::StatusOr<SumSet *> sums = sum(left);
    if (!sums.ok())
      return sums.status();
    if (*sums)
      lefts.push_back(*sums);
    node = right;
  }
  SumSet &sums = *tree_.take();
  LastShard last(*this, sums, std::move(lefts));
  absl::Status status = computeShard(node.index, sums, &last);
  return status.ok() ? last.status() : status;
}

//===----------------------------------------------------------------------===//
// TrainStep
//===----------------------------------------------------------------------===//

absl::StatusOr<std::unique_ptr<TrainStep>> TrainStep::create(Program &program, ThreadPool &pool, TrainMode mode) {
  if (absl::Status status = checkMode(program, mode); !status.ok())
    return status;
  const Artifact &artifact = program.artifact();
  auto make = [&](mlcrt_role role) { return std::make_unique<EntryRunner>(program, *artifact.entry(role), pool); };
  std::unique_ptr<TrainStep> step(new TrainStep(mode));
  if (!mode.parts()) {
    step->train_ = make(MLCRT_ROLE_TRAIN);
    return step;
  }
  absl::StatusOr<std::unique_ptr<ShardStep>> shards = ShardStep::create(program, pool, mode);
  if (!shards.ok())
    return shards.status();
  step->shards_ = *std::move(shards);
  step->apply_ = make(MLCRT_ROLE_TRAIN_APPLY);
  return step;
}

bool TrainStep::canLaunch() {
  if (!mode_.parts())
    return train_->canLaunch();
  return shards_->canLaunch() && apply_->canLaunch() && (apply_->hasLaunchedSlot() || !shards_->hasLaunchedSlot());
}

absl::StatusOr<SumOperands> TrainStep::sum(const BatchView &batch, TrainSlots &slots, const CallContext &context,
                                           bool isLaunched) {
  if (absl::Status status = shards_->begin(batch, slots, context); !status.ok())
    return status;
  if (isLaunched) {
    absl::StatusOr<void *> slot = apply_->launchedSlot();
    if (!slot.ok())
      return slot.status();
    shards_->launchWith(*slot);
  }
  absl::StatusOr<SumSet *> root = shards_->sum({rootLevel(mode_.virtualShards), 0});
  if (!root.ok())
    return root.status();
  if (!*root)
    return absl::InvalidArgumentError("a training step needs a batch with rows");
  SumOperands sums;
  sums.a = *root;
  return sums;
}

void TrainStep::launchStep(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  if (!mode_.parts())
    return train_->launchStep(batch, slots.shards_[0].slot, context);
  launched_.push_back({&batch, &slots, context});
  const absl::StatusOr<SumOperands> sums = sum(batch, slots, context, /*isLaunched=*/true);
  apply_->launchSums(context, sums, shards_->global());
}

absl::Status TrainStep::settleStep() {
  if (!mode_.parts())
    return train_->settleStep();
  const LaunchedParts step = launched_.front();
  launched_.pop_front();
  const absl::StatusOr<bool> isDone = apply_->settleSums();
  if (isDone.ok() && *isDone)
    return absl::OkStatus();
  launched_.clear();
  return isDone.ok() ? errorOfLaunched(run(*step.batch, *step.slots, step.context)) : isDone.status();
}

absl::Status errorOfLaunched(const absl::Status &anew) {
  return anew.ok() ? absl::InternalError("a check failed in a training step, and not when the step was done anew")
                   : anew;
}

absl::Status TrainStep::run(const BatchView &batch, TrainSlots &slots, const CallContext &context) {
  if (!mode_.parts())
    return train_->runStep(batch, slots.shards_[0].slot, context);
  const absl::StatusOr<SumOperands> sums = sum(batch, slots, context, /*isLaunched=*/false);
  return sums.ok() ? apply_->runSums(context, *sums, shards_->global()) : sums.status();
}

} // namespace mlcrt
