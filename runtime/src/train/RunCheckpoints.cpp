// When a run saves, and what it tells of it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/RunCheckpoints.h"

#include "common/checkpoint/CheckpointPolicy.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/RunObservation.h"
#include "runtime/src/train/ModelDir.h"

#include <algorithm>
#include <ctime>
#include <filesystem>

namespace mlcrt {

using mlc::common::Message;

absl::Status RunCheckpoints::configure(const Configuration &configuration, const Artifact &artifact,
                                       const std::string &modelDir) {
  whole_ = CheckpointStore(modelDir);
  lease_ = LeaseReader(modelDir);
  const mlc::common::SettingsTable &settings = configuration.settings();
  saveEverySteps_ = settings.getInt("run_config.save_checkpoints_steps").value_or(0);
  saveEverySeconds_ = static_cast<double>(settings.getInt("run_config.save_checkpoints_secs").value_or(600));
  keepEverySeconds_ = 3600 * settings.getFloat("run_config.keep_checkpoint_every_n_hours").value_or(0);
  keepMax_ = configuration.number("run_config.keep_checkpoint_max");
  keepSince_ = static_cast<int64_t>(std::time(nullptr));
  std::vector<std::string> names;
  std::vector<int32_t> indices;
  for (int32_t t = 0; t < artifact.tensors().size(); ++t) {
    if (artifact.tensors()[t].isEval())
      continue;
    names.push_back(artifact.tensors()[t].value.name);
    indices.push_back(t);
  }
  std::vector<mlc::common::CheckpointPolicy> policies;
  mlc::common::MessageList messages;
  if (!readCheckpointPolicies(settings, names, policies, messages))
    return messageStatus(absl::StatusCode::kInvalidArgument, messages.messages().front());
  for (const mlc::common::CheckpointPolicy &policy : policies) {
    std::vector<int32_t> held;
    for (size_t i : policy.variables)
      held.push_back(indices[i]);
    policies_.push_back({CheckpointStore(modelDir, policy.name, std::move(held)), policy.everySteps, policy.keep});
  }
  return absl::OkStatus();
}

absl::Status RunCheckpoints::removeIncomplete(CheckpointStore &store) {
  absl::StatusOr<std::vector<std::string>> removed = store.removeIncomplete();
  if (!removed.ok())
    return removed.status();
  for (const std::string &path : *removed)
    reporter_.line("removed  " + path + ", which was never completed");
  return absl::OkStatus();
}

void RunCheckpoints::resume(const CheckpointManifest &manifest) {
  savedStep_ = begunStep_ = manifest.step;
  // A clock that was set back must not put the next one off.
  keepSince_ = std::min(keepSince_, manifest.keepSince);
  for (Policy &policy : policies_)
    policy.begunStep = manifest.step; // if it was due there, it is there
}

absl::Status RunCheckpoints::tidy(bool fresh, const std::string &runDirectory) {
  if (fresh) {
    absl::StatusOr<std::string> moved = moveAside(whole_.modelDir(), runDirectory);
    if (!moved.ok())
      return moved.status();
    if (!moved->empty())
      reporter_.line("moved    checkpoints and event files of earlier runs to " + *moved);
  }
  if (absl::Status status = removeIncomplete(whole_); !status.ok())
    return status;
  for (Policy &policy : policies_)
    if (absl::Status status = removeIncomplete(policy.store); !status.ok())
      return status;
  return savedStep_ >= 0 ? removeBehindStart() : movePolicies(runDirectory);
}

absl::Status RunCheckpoints::removeBehindStart() {
  for (Policy &policy : policies_) {
    absl::StatusOr<std::vector<std::string>> removed = policy.store.removeAfter(savedStep_);
    if (!removed.ok())
      return removed.status();
    for (const std::string &path : *removed)
      reporter_.line("removed  " + path + ", of a step after the checkpoint that training goes on from");
  }
  return absl::OkStatus();
}

absl::Status RunCheckpoints::movePolicies(const std::string &runDirectory) {
  std::vector<std::string> names;
  for (const Policy &policy : policies_) {
    absl::StatusOr<std::vector<CheckpointPath>> found = policy.store.list();
    if (!found.ok())
      return found.status();
    for (const CheckpointPath &entry : *found)
      names.push_back(std::filesystem::path(entry.path).filename().string());
  }
  absl::StatusOr<std::string> moved = moveAside(whole_.modelDir(), runDirectory, names);
  if (!moved.ok())
    return moved.status();
  if (!moved->empty())
    reporter_.line("moved    checkpoints of an earlier run, of which no other is left, to " + *moved);
  return absl::OkStatus();
}

void RunCheckpoints::open(const Artifact &artifact, ShardWriter &shards) {
  saver_ = std::make_unique<BackgroundSave>(artifact, shards, &observation_);
  lastSaved_ = Clock::now();
}

bool RunCheckpoints::isWholeDue(int64_t step) const {
  if (saveEverySteps_ > 0)
    return step / saveEverySteps_ > begunStep_ / saveEverySteps_;
  return std::chrono::duration<double>(Clock::now() - lastSaved_).count() >= saveEverySeconds_;
}

bool RunCheckpoints::isAnyDue(int64_t step) const {
  return isWholeDue(step) || std::any_of(policies_.begin(), policies_.end(), [step](const Policy &policy) {
           return step / policy.everySteps > policy.begunStep / policy.everySteps;
         });
}

namespace {
/// Training stands still for a checkpoint.
class Pause {
public:
  explicit Pause(RunObservation &observation) : observation_(observation) {}
  ~Pause() {
    observation_.metrics().checkpointPause.add(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin_).count());
  }
  Pause(const Pause &) = delete;
  Pause &operator=(const Pause &) = delete;

private:
  RunObservation &observation_;
  const ActivityScope activity_{&observation_, "checkpoint"};
  const TimelineSpan span_{&observation_, "checkpoint"};
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};
} // namespace

std::vector<int64_t> RunCheckpoints::distances() const {
  std::vector<int64_t> steps;
  if (saveEverySteps_ > 0)
    steps.push_back(saveEverySteps_);
  for (const Policy &policy : policies_)
    steps.push_back(policy.everySteps);
  return steps;
}

absl::Status RunCheckpoints::save(int64_t step, Which which, const Describe &describe) {
  const bool whole = begunStep_ != step && (which != Which::Due || isWholeDue(step));
  auto isDue = [&](const Policy &policy) {
    return policy.begunStep != step &&
           (which == Which::All || step / policy.everySteps > policy.begunStep / policy.everySteps);
  };
  if (!whole && std::none_of(policies_.begin(), policies_.end(), isDue))
    return absl::OkStatus();
  const Pause pause(observation_);
  if (absl::StatusOr<bool> before = finish(); !before.ok())
    return before.status();
  saveBegun_ = Clock::now();
  absl::StatusOr<SaveJob> saveJob = describe();
  if (!saveJob.ok())
    return saveJob.status();
  SaveJob &described = *saveJob;
  std::vector<SaveJob> jobs;
  // Those of policies first, and what comes after a failure is not tried: where all of the state of a step is durable,
  // they are too, or a run that resumes there would not make them again.
  for (Policy &policy : policies_)
    if (isDue(policy)) {
      jobs.push_back({&policy.store, described.manifest, policy.keep, {}});
      jobs.back().manifest.earlyStopping.clear(); // of a run that goes on
      policy.begunStep = step;
    }
  if (whole) {
    int64_t now = static_cast<int64_t>(std::time(nullptr));
    CheckpointManifest &manifest = described.manifest;
    manifest.keep = keepEverySeconds_ > 0 && static_cast<double>(now - keepSince_) >= keepEverySeconds_;
    if (manifest.keep)
      keepSince_ = now;
    manifest.keepSince = keepSince_;
    described.store = &whole_;
    described.keepMax = keepMax_;
    described.leasedSteps = [this] { return lease_.steps().value_or(std::vector<int64_t>()); };
    jobs.push_back(std::move(described));
    begunStep_ = step;
  }
  inSave_.clear();
  for (const SaveJob &job : jobs)
    inSave_.push_back(job.store);
  if (absl::Status status = saver_->begin(std::move(jobs)); !status.ok())
    return status;
  if (whole)
    lastSaved_ = Clock::now();
  return absl::OkStatus();
}

/// Says that a checkpoint is there, or why it is not.
absl::Status RunCheckpoints::tell(const SaveResult &result) {
  if (result.path.ok())
    return result.retired;
  Message message = messageOf(result.path.status());
  message.help =
      std::string(needsRoom(result.path.status()) ? "make room and start again; " : "") +
      (savedStep_ < 0 ? "nothing was saved yet" : "the last checkpoint is of step " + std::to_string(savedStep_));
  // Where this run has saved before, something has happened to the disk: trying again may help.
  const bool mayMend = hasSaved_ && absl::IsPermissionDenied(result.path.status());
  return messageStatus(mayMend ? absl::StatusCode::kResourceExhausted : result.path.status().code(), message);
}

/// Counts and tells a save that failed, and goes on where others may not. A full disk may have room again, and what
/// was trained is worth more than the save.
absl::Status RunCheckpoints::tolerate(const absl::Status &failure) {
  constexpr int kMostFailures = 3;
  observation_.metrics().checkpointFailures.add(1);
  lastFailure_ = failure;
  const bool isOfDisk = absl::IsResourceExhausted(failure) || absl::IsPermissionDenied(failure);
  if (!isOfDisk || savedStep_ < 0 || ++failures_ >= kMostFailures)
    return failure;
  Message message = messageOf(failure);
  reporter_.event(JsonObject()
                      .text("event", "checkpoint_failed")
                      .integer("step", begunStep_)
                      .integer("failures", failures_)
                      .raw("message", messageToJson(message))
                      .str());
  message.severity = mlc::common::Severity::Warning;
  message.help = std::string(needsRoom(failure) ? "make room; " : "") +
                 "training goes on, the last checkpoint is of step " + std::to_string(savedStep_) + "; failure " +
                 std::to_string(failures_) + ", the " + std::to_string(kMostFailures) + "rd in a row ends the run";
  reporter_.message(message);
  return absl::OkStatus();
}

absl::StatusOr<bool> RunCheckpoints::finish() {
  if (!saver_ || !saver_->isRunning())
    return false;
  std::vector<SaveResult> results = saver_->finish();
  lastTook_ = saver_->doneAt() - saveBegun_;
  if (results.size() == inSave_.size() && inSave_.back()->isWhole() && results.back().path.ok())
    savedStep_ = begunStep_, hasSaved_ = true;
  for (size_t i = 0; i < results.size(); ++i) {
    const CheckpointStore &store = *inSave_[i];
    if (absl::Status status = tell(results[i]); !status.ok()) {
      if (absl::Status ends = tolerate(status); !ends.ok())
        return ends;
      return true;
    }
    JsonObject event;
    event.text("event", "checkpoint")
        .integer("step", checkpointStep(std::filesystem::path(*results[i].path).filename().string(), store.name()))
        .text("path", *results[i].path);
    if (!store.isWhole())
      event.text("policy", store.name());
    reporter_.event(event.str());
    reporter_.line("saved    " + *results[i].path);
  }
  failures_ = 0;
  lastFailure_ = absl::OkStatus();
  return true;
}

} // namespace mlcrt
