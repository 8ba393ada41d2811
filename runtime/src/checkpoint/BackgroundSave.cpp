// The thread that saves.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/BackgroundSave.h"

#include "runtime/src/core/RunObservation.h"

#include <csignal>
#include <system_error>
#include <utility>

namespace mlcrt {

BackgroundSave::~BackgroundSave() {
  if (thread_.joinable())
    thread_.join();
}

/// One more checkpoint is durable.
void BackgroundSave::count(const CheckpointStore &store) const {
  if (!observation_)
    return;
  TaskMetrics &metrics = observation_->metrics();
  metrics.checkpoints.add(1);
  for (int32_t t = 0; t < artifact_.tensors().size(); ++t)
    if (const StateTensor &tensor = artifact_.tensors()[t]; store.holds(t) && !tensor.isEval())
      metrics.checkpointBytes.add(tensor.bytes());
}

void BackgroundSave::run() {
  const TimelineThread thread(observation_, "checkpoints");
  const TimelineSpan span(observation_, "write checkpoint");
  const auto begin = std::chrono::steady_clock::now();
  for (SaveJob &job : jobs_) {
    SaveResult &result = results_.emplace_back();
    result.path = job.store->save(artifact_, shards_, std::move(job.manifest));
    if (result.path.ok())
      count(*job.store);
    if (result.path.ok() && job.leasedSteps)
      for (int64_t step : job.leasedSteps())
        job.keepSteps.push_back(step);
    if (result.path.ok())
      result.retired = job.store->retire(job.keepMax, job.keepSteps);
    if (!result.path.ok() || !result.retired.ok())
      break;
  }
  doneAt_ = std::chrono::steady_clock::now();
  if (observation_)
    observation_->metrics().checkpointTime.add(std::chrono::nanoseconds(doneAt_ - begin).count());
  done_.store(true, std::memory_order_release);
}

absl::Status BackgroundSave::begin(std::vector<SaveJob> jobs) {
  // A variable is copied whole, even if a job holds some of its tensors alone.
  std::vector<bool> wanted(static_cast<size_t>(artifact_.table().num_variables));
  for (const SaveJob &job : jobs)
    for (int32_t t = 0; t < artifact_.tensors().size(); ++t)
      if (job.store->holds(t))
        wanted[artifact_.tensors()[t].variable] = true;
  if (!jobs.empty())
    if (absl::Status status = shards_.snapshot(jobs.front().manifest.step, wanted); !status.ok())
      return status;
  jobs_ = std::move(jobs);
  results_.clear();
  running_ = true;
  done_.store(false, std::memory_order_relaxed);
  auto work = [this] { run(); };
  // Signals are for the thread that trains.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread(work);
  } catch (const std::system_error &) {
    work(); // the system gives no more threads
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return absl::OkStatus();
}

std::vector<SaveResult> BackgroundSave::finish() {
  if (thread_.joinable())
    thread_.join();
  running_ = false;
  return std::move(results_);
}

} // namespace mlcrt
