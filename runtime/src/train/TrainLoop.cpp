// Steps over prefetched batches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/TrainLoop.h"

#include "runtime/src/core/RunObservation.h"

#include <algorithm>
#include <cmath>

namespace mlcrt {

using Clock = std::chrono::steady_clock;

absl::StatusOr<std::unique_ptr<TrainLoop>> TrainLoop::create(Program &program, ThreadPool &pool, const EntryData &data,
                                                             const TrainLoopOptions &options) {
  std::unique_ptr<TrainLoop> loop(new TrainLoop(program, data, options));
  loop->stepper_ = options.stepper;
  if (!options.stepper) {
    absl::StatusOr<std::unique_ptr<TrainStep>> local = TrainStep::create(program, pool, options.mode);
    if (!local.ok())
      return local.status();
    loop->local_ = *std::move(local);
    loop->stepper_ = loop->local_.get();
  }
  PrefetchOptions prefetch;
  prefetch.threads = options.inputThreads;
  prefetch.slots = options.inputThreads + 2;
  // The batch of a step stays until that is settled.
  if (options.goesAhead && program.artifact().table().num_spaces > 0)
    ++prefetch.slots;
  prefetch.start = options.position;
  prefetch.first = options.first;
  prefetch.source = options.source;
  prefetch.stopSource = options.stopSource;
  prefetch.maxBatches = options.maxSteps < 0 ? -1 : options.maxSteps - options.step;
  prefetch.epochs = options.epochs;
  prefetch.observation = program.observation();
  std::vector<Program *> readers;
  for (int s = 0; s < options.mode.virtualShards; ++s)
    readers.push_back(loop->stepper_->programOf(s));
  loop->slots_.resize(prefetch.slots);
  for (Slot &slot : loop->slots_) {
    absl::StatusOr<std::unique_ptr<TrainFeatures>> features =
        TrainFeatures::create(program, loop->inputPool_, options.mode, readers);
    if (!features.ok())
      return features.status();
    slot.features = *std::move(features);
    slot.prepared = slot.features->makeSlots();
  }
  TrainLoop *self = loop.get();
  loop->prefetcher_ =
      std::make_unique<Prefetcher>(BatchReader(*data.dataset, options.batches), prefetch,
                                   [self](int slot, Batch &batch) { return self->prepare(self->slots_[slot], batch); });
  return loop;
}

absl::Status TrainLoop::prepare(Slot &slot, const Batch &batch) {
  CallContext context;
  context.seed = options_.seed;
  context.step = stepOf(batch);
  if (context.step < needed_)
    return absl::OkStatus(); // passed over
  fillView(program_.artifact(), data_, batch, slot.view);
  if (options_.fed)
    if (absl::Status status = options_.fed->apply(slot.view); !status.ok())
      return status;
  return locate(slot.features->run(slot.view, slot.prepared, context), *data_.dataset, batch);
}

absl::StatusOr<Prefetcher::Item> TrainLoop::nextBatch(int kept) {
  RunObservation *const run = program_.observation();
  const ActivityScope activity(run, "input");
  const TimelineSpan span(run, "input", step_);
  const Clock::time_point begin = Clock::now();
  if (run)
    run->metrics().inputReady.set(prefetcher_->ready());
  absl::StatusOr<Prefetcher::Item> item = prefetcher_->next(kept);
  if (run)
    run->metrics().inputWait.add(std::chrono::nanoseconds(Clock::now() - begin).count());
  return item;
}

int64_t TrainLoop::ownRows(int64_t rows) const {
  const TrainMode &mode = options_.mode;
  const int64_t last = mode.lastShard < 0 ? mode.virtualShards : mode.lastShard;
  return rows * last / mode.virtualShards - rows * mode.firstShard / mode.virtualShards;
}

absl::StatusOr<bool> TrainLoop::begin(int kept) {
  absl::StatusOr<Prefetcher::Item> item;
  do {
    item = nextBatch(kept);
    if (!item.ok())
      return item.status();
    if (!item->batch)
      return false;
  } while (!options_.source && stepOf(*item->batch) < step_);
  Slot &slot = slots_[item->slot];
  CallContext context;
  context.seed = options_.seed;
  context.step = stepOf(*item->batch);
  const TimelineSpan span(program_.observation(), "step", context.step);
  if (absl::Status status = stepper_->prepare(slot.prepared, context); !status.ok())
    return locate(status, *data_.dataset, *item->batch);
  if (stepper_->isOver())
    return false;
  const int next = prefetcher_->readySlot();
  stepper_->expect(next >= 0 ? &slots_[next].prepared : nullptr);
  if (options_.beforeStep)
    if (absl::Status status = options_.beforeStep(slot.view, context); !status.ok())
      return locate(status, *data_.dataset, *item->batch);
  const bool isLaunched = stepper_->canLaunch();
  if (isLaunched)
    stepper_->launchStep(slot.view, slot.prepared, context);
  else if (absl::Status status = stepper_->run(slot.view, slot.prepared, context); !status.ok())
    return locate(status, *data_.dataset, *item->batch);
  if (stepper_->isOver())
    return false;
  begun_.push_back({*item, isLaunched});
  return true;
}

absl::Status TrainLoop::settle(const Begun &step) {
  if (!step.isLaunched)
    return absl::OkStatus();
  // The device has something to do while this step is looked at.
  if (options_.goesAhead && begun_.size() == 1 && prefetcher_->readySlot() >= 0 && options_.goesAhead(step_ + 1))
    ahead_ = begin(/*kept=*/1).status();
  return locate(stepper_->settleStep(), *data_.dataset, *step.item.batch);
}

absl::StatusOr<bool> TrainLoop::step() {
  const Clock::time_point beginning = Clock::now();
  const ActivityScope activity(program_.observation(), "step");
  const int64_t before = stepper_->stepsDone();
  if (!ahead_.ok())
    return ahead_;
  if (begun_.empty())
    if (absl::StatusOr<bool> more = begin(/*kept=*/0); !more.ok() || !*more)
      return more;
  const Begun step = begun_.front();
  if (absl::Status status = settle(step); !status.ok()) {
    begun_.clear(); // what follows was done for nothing
    return status;
  }
  begun_.pop_front();
  absl::StatusOr<double> loss = stepper_->results().scalar("loss");
  if (!loss.ok())
    return loss.status();
  loss_ = *loss;
  // Losses of single batches vary: a mean over about the last 100.
  constexpr double kWeight = 0.02;
  recentLoss_ = std::isnan(recentLoss_) ? loss_ : recentLoss_ + kWeight * (loss_ - recentLoss_);
  rows_ = step.item.batch->rows();
  ++ownSteps_;
  if (++step_ - options_.step > static_cast<int64_t>(options_.first.size()))
    position_ = step.item.batch->after();
  const int64_t done = stepper_->stepsDone();
  if (done >= 0)
    advance(done);
  // A push that was applied before makes no update.
  staleness_ = before >= 0 ? std::max<int64_t>(0, done - before - 1) : -1;
  if (RunObservation *run = program_.observation())
    count(*run, Clock::now() - beginning);
  return true;
}

/// What the last step was, which took that long.
void TrainLoop::count(RunObservation &run, std::chrono::nanoseconds time) const {
  TaskMetrics &metrics = run.metrics();
  metrics.steps.add(1);
  metrics.examples.add(ownRows(rows_));
  metrics.stepTime.observe(time.count());
  if (staleness_ >= 0)
    metrics.staleness.observe(staleness_);
  run.noteStep(step_);
}

void TrainLoop::advance(int64_t steps) {
  if (!options_.source && steps > step_) {
    missedSteps_ += steps - step_;
    needed_ = steps;
    const int64_t inOrder = steps - options_.step - static_cast<int64_t>(options_.first.size());
    if (inOrder > 0)
      position_ = BatchReader(*data_.dataset, options_.batches).skip(options_.position, inOrder);
  }
  step_ = steps;
}

int64_t TrainLoop::stepOf(const Batch &batch) const {
  return options_.source ? batch.number() : options_.step + batch.number();
}

std::vector<BatchRange> TrainLoop::left() const {
  return {options_.first.begin() +
              std::min<int64_t>(step_ - options_.step, static_cast<int64_t>(options_.first.size())),
          options_.first.end()};
}

} // namespace mlcrt
