// A run: train, save, evaluate, end.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/TrainRun.h"

#include "common/machine/MachineLimits.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/train/DataSamples.h"
#include "runtime/src/train/Evaluation.h"
#include "runtime/src/train/EvaluatorRun.h"
#include "runtime/src/train/ModelHealth.h"
#include "runtime/src/train/Observability.h"
#include "runtime/src/train/RestoredModel.h"
#include "runtime/src/train/TrainRunState.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <thread>

namespace mlcrt {

using mlc::common::ExitCode;
using mlc::common::makeError;
using mlc::common::Message;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What a checkpoint of the state after the last step tells.
absl::StatusOr<SaveJob> TrainRun::describeState() {
  if (absl::Status status = settle(); !status.ok())
    return status;
  SaveJob job;
  CheckpointManifest &manifest = job.manifest;
  manifest.step = loop_->steps();
  manifest.seed = seed_;
  manifest.virtualShards = virtualShards_;
  manifest.sums = sums_;
  describeReader(manifest);
  for (const DataFile &file : data_.dataset->files())
    manifest.dataFiles.push_back({file.path, file.size, file.crc});
  manifest.settings = configuration_.texts();
  manifest.vocabularies = configuration_.vocabularies();
  const bool isSaveDue = checkpoints_.isWholeDue(loop_->steps());
  std::vector<std::string> dueSets;
  for (const OpenEvalSet &open : evalSets_)
    if (isEvaluationDue(open, loop_->steps(), isSaveDue))
      dueSets.push_back(open.set.name);
  manifest.earlyStopping = stopping_.records(dueSets);
  job.keepSteps = stopping_.bestSteps();
  return job;
}

absl::Status TrainRun::save(RunCheckpoints::Which which) {
  return checkpoints_.save(loop_->steps(), which, [this]() -> absl::StatusOr<SaveJob> {
    // The save before is done by now.
    if (absl::Status status = tellSaved(); !status.ok())
      return status;
    if (context_.observer)
      if (absl::Status status = context_.observer->beforeSave(loop_->steps()); !status.ok())
        return status;
    return describeState();
  });
}

/// Waits for the save that is on its way, if any.
absl::Status TrainRun::finishSave() {
  absl::StatusOr<bool> saved = checkpoints_.finish();
  if (!saved.ok())
    return saved.status();
  if (!*saved)
    return absl::OkStatus();
  checkGrace();
  if (absl::Status status = tellSaved(); !status.ok())
    return status;
  return summaries_->flush();
}

/// Tells the observer of the last checkpoint, once.
absl::Status TrainRun::tellSaved() {
  const int64_t step = checkpoints_.savedStep();
  if (!context_.observer || step == observedSave_)
    return absl::OkStatus();
  observedSave_ = step;
  absl::StatusOr<bool> goesOn = context_.observer->afterSave(step);
  isAskedToEnd_ |= goesOn.ok() && !*goesOn;
  return goesOn.status();
}

/// Tells once that a job which is told to stop would not be saved in the time that its tasks stay.
void TrainRun::checkGrace() {
  const double seconds = checkpoints_.lastTook().count();
  const auto grace = std::chrono::duration_cast<std::chrono::seconds>(setup_.grace);
  if (!cluster_ || isGraceTold_ || !checkpoints_.wasLastWhole() || checkpoints_.lastTook() <= grace)
    return;
  isGraceTold_ = true;
  char took[32];
  std::snprintf(took, sizeof(took), "%.1f", seconds);
  const std::string needed = std::to_string(static_cast<int64_t>(std::ceil(1.5 * seconds)));
  Message message = makeError("E0410",
                              std::string("a checkpoint took ") + took + " s, which is more than --grace " +
                                  std::to_string(grace.count()) +
                                  ": a job that is told to stop loses the steps since its last checkpoint",
                              "--grace " + needed + ", and as many seconds from what stops the job");
  message.severity = mlc::common::Severity::Warning;
  reporter_.message(message);
}

/// Whether the schedule wants an evaluation after `step`, and it was not done yet. The first checkpoint of a run is not
/// evaluated.
bool TrainRun::isEvaluationDue(const OpenEvalSet &open, int64_t step, bool saved) const {
  return open.lastStep != step && step > startStep_ &&
         (open.everySteps > 0 ? step / open.everySteps > std::max(open.lastStep, startStep_) / open.everySteps : saved);
}

absl::Status TrainRun::evaluateSet(OpenEvalSet &open) {
  // An observer reads a checkpoint.
  if (open.isObservers)
    if (absl::Status status = save(RunCheckpoints::Which::Whole); !status.ok())
      return status;
  absl::StatusOr<Exporters::Model> model = stateOfStep();
  if (!model.ok())
    return model.status();
  const int64_t step = model->step;
  absl::StatusOr<std::vector<Metric>> metrics =
      open.isObservers ? context_.observer->evaluate(open.set.name, step, modelDir_ + "/" + checkpointName(step))
                       : evaluate(model->program, pool_, open.data, open.batchSize, open.maxBatches, seed_, step,
                                  reporter_, &context_.stop, model->rows);
  if (absl::IsCancelled(metrics.status()) && context_.stop.isStopped())
    return absl::OkStatus(); // the loop sees the signal itself
  if (!metrics.ok())
    return metrics.status();
  open.lastStep = step;
  open.last = *metrics;
  reportEvaluation(reporter_, open.set.name, step, *metrics);
  if (isDryRun_)
    return absl::OkStatus();
  if (summaries_)
    if (absl::Status status = summaries_->evaluated(open.set.name, step, *metrics); !status.ok())
      return status;
  // The best state is one to go back to.
  if (stopping_.observe(open.set.name, step, *metrics) && loop_)
    if (absl::Status status = save(RunCheckpoints::Which::Whole); !status.ok())
      return status;
  return exportEvaluated(open, *metrics);
}

/// The state after the last step, to evaluate and to export. Where servers hold it, that of its checkpoint, whose
/// tables stay on the disk; without one that of copies that the servers make, where the tables stay.
absl::StatusOr<Exporters::Model> TrainRun::stateOfStep() {
  if (absl::Status status = finishSave(); !status.ok())
    return status;
  auto isSaved = [this] { return checkpoints_.savedStep() == reachedStep(); };
  if (cluster_ && !isSaved())
    if (absl::Status status = settle(); !status.ok())
      return status;
  const int64_t step = reachedStep();
  const std::string checkpoint = isSaved() ? modelDir_ + "/" + checkpointName(step) : "";
  if (!cluster_)
    return Exporters::Model{*program_, step, seed_, checkpoint};
  // Copies do not outlive the run.
  if (stepState_.step != step || stepState_.isSaved != isSaved())
    if (absl::Status status = openStepState(step, checkpoint); !status.ok())
      return status;
  return Exporters::Model{*stepState_.program, step, seed_, checkpoint, stepState_.rows.get()};
}

absl::Status TrainRun::openStepState(int64_t step, const std::string &checkpoint) {
  stepState_.step = -1;
  if (!stepState_.program) {
    absl::StatusOr<std::unique_ptr<Program>> program = context_.makeProgram();
    if (!program.ok())
      return program.status();
    if (absl::Status status = configuration_.bind(**program); !status.ok())
      return status;
    stepState_.program = *std::move(program);
    stepState_.program->homes().keepValues();
  }
  if (checkpoint.empty()) {
    if (absl::Status status = initializeEvalState(context_, seed_, *stepState_.program); !status.ok())
      return status;
    absl::StatusOr<std::unique_ptr<TableSource>> rows = cluster_->openHeld(step, *stepState_.program);
    if (!rows.ok())
      return rows.status();
    stepState_.rows = *std::move(rows);
  } else {
    std::unique_ptr<CheckpointRows> rows;
    absl::StatusOr<CheckpointManifest> manifest = restoreCheckpoint(context_, checkpoint, *stepState_.program, &rows);
    if (!manifest.ok())
      return manifest.status();
    stepState_.rows = std::move(rows);
  }
  stepState_.step = step;
  stepState_.isSaved = !checkpoint.empty();
  return absl::OkStatus();
}

absl::Status TrainRun::exportEvaluated(const OpenEvalSet &open, const std::vector<Metric> &metrics) {
  if (!exporters_.follow(open.set.name))
    return absl::OkStatus();
  absl::StatusOr<Exporters::Model> model = stateOfStep();
  return model.ok() ? exporters_.evaluated(*model, open.set.name, metrics) : model.status();
}

/// What exporters make of the end of training.
absl::Status TrainRun::exportFinal() {
  if (!exporters_.hasFinal())
    return absl::OkStatus();
  absl::StatusOr<Exporters::Model> model = stateOfStep();
  return model.ok() ? exporters_.ended(*model) : model.status();
}

absl::Status TrainRun::evaluateSets(bool saved, bool end) {
  for (OpenEvalSet &open : evalSets_)
    if (isEvaluationDue(open, loop_->steps(), saved) || (end && open.lastStep != loop_->steps()))
      if (absl::Status status = evaluateSet(open); !status.ok())
        return status;
  return absl::OkStatus();
}

/// A run that is at its end already: what one that was killed after its last checkpoint may not have exported.
absl::Status TrainRun::evaluateAgain() {
  for (OpenEvalSet &open : evalSets_)
    if (exporters_.follow(open.set.name))
      if (absl::Status status = evaluateSet(open); !status.ok())
        return status;
  return absl::OkStatus();
}

/// The exports of this model_dir are those of this run from here on; with --fresh those of earlier ones go where their
/// checkpoints went.
absl::Status TrainRun::openExports() {
  if (context_.options.fresh) {
    std::vector<std::string> names;
    std::error_code unknown;
    for (const std::string &name : exporters_.directories())
      if (std::filesystem::exists(modelDir_ + "/" + name, unknown))
        names.push_back(name);
    absl::StatusOr<std::string> moved = moveAside(modelDir_, runDirectory_, names);
    if (!moved.ok())
      return moved.status();
    if (!moved->empty())
      reporter_.line("moved    exports of earlier runs to " + *moved);
  }
  return hasEvaluator_ ? absl::OkStatus() : exporters_.open();
}

/// Sees to it that the state after the last step can be saved and evaluated. Where others may make steps meanwhile the
/// servers copy it, and this run goes on from there; with `anew` also where this task has made no step since the last
/// copy.
absl::Status TrainRun::settle(bool anew) {
  if (!cluster_ || !loop_)
    return absl::OkStatus();
  // The copy before may be on its way to the disk.
  if (canBePassed())
    if (absl::Status status = finishSave(); !status.ok())
      return status;
  absl::StatusOr<int64_t> step = cluster_->hold(loop_->steps(), anew);
  if (!step.ok())
    return step.status();
  loop_->advance(*step);
  return absl::OkStatus();
}

bool TrainRun::isStateDue(int64_t step) const {
  return checkpoints_.isAnyDue(step) || std::any_of(evalSets_.begin(), evalSets_.end(), [&](const OpenEvalSet &open) {
           return isEvaluationDue(open, step, /*saved=*/false);
         });
}

/// Whether the step after `step` may run while that is looked at: nobody reads the state after it, or ends training
/// with it, but for a loss that is not finite, after which nothing is saved.
bool TrainRun::goesAhead(int64_t step) const {
  return !isDryRun_ && (!context_.observer || step < context_.observer->firstAwaited()) && !isAskedToEnd_ &&
         !hasEvaluator_ && !context_.stop.isStopped() && summaries_ && summaries_->isIdleAfter(step) &&
         !isStateDue(step);
}

absl::Status TrainRun::afterStep(bool end) {
  // Others go on meanwhile: what follows is of the state that the server has now.
  if (canBePassed() && (end || isStateDue(loop_->steps())))
    if (absl::Status status = settle(); !status.ok())
      return status;
  const bool due = end || checkpoints_.isWholeDue(loop_->steps());
  if (absl::Status status = save(end   ? RunCheckpoints::Which::All
                                 : due ? RunCheckpoints::Which::Whole
                                       : RunCheckpoints::Which::Due);
      !status.ok())
    return status;
  return evaluateSets(due, end);
}

absl::StatusOr<bool> observeStep(StepObserver &observer, TrainLoop &loop, ObservedState &state,
                                 const std::string &task) {
  absl::StatusOr<const EntryOutputs *> own = loop.own();
  if (!own.ok())
    return own.status();
  absl::StatusOr<bool> goesOn =
      observer.afterStep(loop.steps(), loop.results(), *own, loop.isAhead() ? nullptr : &state);
  if (task.empty() || !absl::IsCancelled(goesOn.status()))
    return goesOn;
  return messageStatus(absl::StatusCode::kInvalidArgument,
                       makeError("E0410", "what observes the steps of " + task + " failed"));
}

absl::Status TrainRun::checkLoss() {
  if (std::isfinite(loop_->loss()))
    return absl::OkStatus();
  if (absl::Status status = finishSave(); !status.ok())
    return status;
  Message message =
      makeError("E0501", "the loss is " + numberText(loop_->loss()) + " at step " + std::to_string(loop_->steps()),
                "a smaller learning rate, gradient clipping, or a look at the data");
  message.place.file = modelDir_;
  message.expected = "a finite loss";
  if (checkpoints_.savedStep() >= 0)
    message.expected += "; the last checkpoint is of step " + std::to_string(checkpoints_.savedStep());
  return messageStatus(absl::StatusCode::kOutOfRange, message);
}

absl::Status TrainRun::trainSteps(std::string &reason) {
  // A checkpoint, summaries and evaluation ask for what they need.
  if (!setup_.isDistributed())
    program_->homes().keepValues();
  if (!cluster_)
    localShards_ = std::make_unique<LocalShards>(artifact_, program_->state(), pool_);
  checkpoints_.open(artifact_, cluster_ ? cluster_->shardWriter() : *localShards_);
  absl::Status status = runSteps(reason);
  // Whatever ended training: what was begun is saved, and a save that failed is told.
  absl::Status saved = finishSave();
  // Of the state at the end there is no other save.
  if (saved.ok())
    saved = checkpoints_.lastFailure();
  return status.ok() ? saved : status;
}

absl::Status TrainRun::runSteps(std::string &reason) {
  started_ = Clock::now();
  if (context_.observer) {
    if (absl::Status status = loop_->observe(); !status.ok())
      return status;
    observedState_ = cluster_ ? cluster_->observedState(*program_) : std::make_unique<LocalState>(program_->state());
  }
  progress_.begin(configuration_.number("run_config.log_step_count_steps"), loop_->steps(), total_,
                  options_.batches.batchSize);
  summaries_.emplace(modelDir_, configuration_.number("run_config.save_summary_steps"), *program_, pool_, reporter_);
  if (absl::Status status = summaries_->begin(loop_->steps(), configuration_.graph(),
                                              setup_.isDistributed() ? nullptr : &program_->state(),
                                              configuration_.number("run_config.weight_histogram_steps"));
      !status.ok())
    return status;
  // The first one is there before anything else happens.
  if (absl::Status status = save(RunCheckpoints::Which::All); !status.ok())
    return status;
  if (absl::Status status = finishSave(); !status.ok())
    return status;
  // What the run before was to evaluate when it ended. Exports tell themselves whether they were made.
  for (OpenEvalSet &open : evalSets_)
    if (stopping_.isPending(open.set.name) || (startStep_ > 0 && exporters_.follow(open.set.name)))
      if (absl::Status status = evaluateSet(open); !status.ok())
        return status;
  bool moved = false;
  while (loop_->isAhead() || !context_.stop.isStopped()) {
    if (cluster_)
      if (absl::Status status = cluster_->failure(); !status.ok())
        return status;
    if (absl::Status status = readEvaluations(); !status.ok())
      return status;
    if (std::string why = stopping_.reason(); !why.empty()) {
      reporter_.line("stopping early: " + why);
      reason = "early_stopping";
      return moved ? afterStep(/*end=*/true) : absl::OkStatus();
    }
    absl::StatusOr<bool> more = loop_->step();
    if (!more.ok())
      return more.status();
    if (!*more) {
      if ((isAsync() || data_.dataset->stream()) && context_.stop.isStopped())
        break;
      // The others may have made all steps.
      if (absl::Status status = settle(/*anew=*/true); !status.ok())
        return status;
      reason = options_.maxSteps >= 0 && loop_->steps() >= options_.maxSteps ? "max_steps" : "epochs";
      return afterStep(/*end=*/true);
    }
    moved = true;
    if (checkpoints_.isDone())
      if (absl::Status status = finishSave(); !status.ok())
        return status;
    if (cluster_ && !checkpoints_.isSaving())
      cluster_->shardWriter().forget(loop_->steps());
    if (absl::Status status = summaries_->afterStep(loop_->steps(), loop_->results()); !status.ok())
      return status;
    // It may end training where the loss is not finite, without an error.
    if (context_.observer) {
      const mlc::common::ClusterTask &self = setup_.config.self;
      absl::StatusOr<bool> goesOn =
          observeStep(*context_.observer, *loop_, *observedState_, cluster_ ? taskName(self.role, self.index) : "");
      if (cluster_ && !goesOn.ok() && context_.stop.isStopped())
        break; // Ctrl-C came while it was called: the job is saved
      if (!goesOn.ok())
        return goesOn.status();
      isAskedToEnd_ |= !*goesOn;
    }
    isAskedToEnd_ |= cluster_ && cluster_->isEndAsked(loop_->steps());
    if (!isAskedToEnd_)
      if (absl::Status status = checkLoss(); !status.ok())
        return status;
    progress_.afterStep(*loop_);
    if (loop_->isAhead()) // nothing is due
      continue;
    if (isAskedToEnd_) {
      reason = "observer";
      return afterStep(/*end=*/true);
    }
    if (absl::Status status = afterStep(/*end=*/false); !status.ok())
      return status;
  }
  reason = context_.stop.reason();
  if (canBePassed())
    if (absl::Status status = settle(/*anew=*/true); !status.ok())
      return status;
  return save(RunCheckpoints::Which::All);
}

/// What the evaluator found since the last call, up to what ends training: later evaluations take no decision back. Of
/// the same step it says the same, so an evaluation counts once.
absl::Status TrainRun::readEvaluations() {
  if (!hasEvaluator_ || stopping_.empty())
    return absl::OkStatus();
  if (!evaluations_)
    evaluations_.emplace(modelDir_);
  absl::StatusOr<std::vector<EvaluationRecord>> records = evaluations_->poll();
  if (!records.ok())
    return records.status();
  for (const EvaluationRecord &record : *records)
    if (stopping_.reason().empty() && record.step > stopping_.lastStep(record.evalSet) && record.step <= reachedStep())
      stopping_.observe(record.evalSet, record.step, record.metrics);
  return absl::OkStatus();
}

/// Until the evaluator is done with the last checkpoint: what runs jobs takes the chief's end for that of the job.
absl::Status TrainRun::awaitEvaluator(std::string &reason) {
  std::vector<std::string> left;
  for (const EvalSet &set : configuration_.evalSets())
    if (!configuration_.evalSource(set).empty() || (context_.observer && context_.observer->evaluates(set.name)))
      left.push_back(set.name);
  EvaluationReader reader(modelDir_);
  LeaseReader lease(modelDir_);
  Clock::time_point alive = Clock::now();
  reporter_.line("waiting  for the evaluator and the checkpoint of step " + std::to_string(reachedStep()));
  while (true) {
    absl::StatusOr<std::vector<EvaluationRecord>> records = reader.poll();
    if (!records.ok())
      return records.status();
    for (const EvaluationRecord &record : *records)
      if (record.step == reachedStep())
        left.erase(std::remove(left.begin(), left.end(), record.evalSet), left.end());
    if (!left.empty() && context_.stop.isStopped())
      reason = context_.stop.reason();
    // The evaluator gives its lease back last of all: what it exports of the end is there then.
    const bool isAlive = lease.steps().has_value();
    absl::StatusOr<bool> exported = left.empty() && !isAlive ? exporters_.areFinalAt(reachedStep()) : false;
    if (!exported.ok())
      return exported.status();
    if (*exported || (left.empty() && !exporters_.hasFinal()) || context_.stop.isStopped())
      return readEvaluations();
    if (isAlive)
      alive = Clock::now();
    if (Clock::now() - alive > setup_.startTimeout)
      return messageStatus(
          absl::StatusCode::kDeadlineExceeded,
          makeError("E0410",
                    "no evaluator evaluated " + std::string(exporters_.hasFinal() ? "and exported " : "") +
                        "the checkpoint of step " + std::to_string(reachedStep()) + " within " +
                        std::to_string(setup_.startTimeout.count() / 1000) + " s; training is done and saved",
                    "a task of role evaluator with the same --model_dir"));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

/// Tells an evaluator that no checkpoint comes any more.
absl::Status TrainRun::endJob(const std::string &reason, int exit) {
  JobEnd end{reachedStep(), reason, std::filesystem::path(runDirectory_).filename().string(), exit};
  return writeJobEnd(modelDir_, end);
}

/// One step and one batch of each eval set, of which nothing stays.
absl::Status TrainRun::dryRun() {
  absl::StatusOr<bool> more = loop_->step();
  if (!more.ok())
    return more.status();
  if (absl::Status status = checkLoss(); !status.ok())
    return status;
  reporter_.line("step     " + std::to_string(loop_->steps()) + "  loss " + numberText(loop_->loss()) + "  " +
                 std::to_string(loop_->rows()) + " rows");
  for (OpenEvalSet &open : evalSets_) {
    open.maxBatches = 1;
    if (absl::Status status = evaluateSet(open); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

/// Says what speaks against the model that training ended with.
void TrainRun::judge() const {
  const std::optional<double> trainLoss =
      loop_ && loop_->steps() > startStep_ ? std::optional(loop_->recentLoss()) : std::nullopt;
  for (const OpenEvalSet &open : evalSets_)
    for (const Message &warning : judgeModel(open.last, open.set.name, trainLoss))
      reporter_.message(warning);
  if (summaries_)
    for (const std::string &layer : summaries_->silentLayers())
      reporter_.message(silentLayer(layer));
}

void TrainRun::finish(const std::string &reason, ExitCode exitCode) {
  const bool ran = loop_ && loop_->steps() > startStep_;
  if (exitCode == ExitCode::Success && !isDryRun_)
    judge();
  int64_t steps = reachedStep();
  context_.outcome = RunOutcome{steps, reason};
  double seconds = ran ? secondsSince(started_) : 0;
  JsonObject event;
  event.text("event", "done")
      .integer("step", steps)
      .text("reason", reason)
      .raw("seconds", jsonNumber(std::round(seconds * 1000) / 1000));
  if (reason == "early_stopping")
    event.integer("decided_at", stopping_.decidedAt()).integer("stopped_at", steps);
  if (!stopping_.empty())
    event.raw("best", stopping_.json());
  if (isAsync() && ran)
    reportStaleness(event);
  if (cluster_ && setup_.backup.isOn() && ran)
    reportBackup(event);
  reporter_.event(event.integer("exit", exitStatus(exitCode)).str());
  char time[32];
  std::snprintf(time, sizeof(time), "%.1f", seconds);
  std::string text = "done     " + std::to_string(steps) + " steps";
  if (ran && startStep_ > 0)
    text += " (" + std::to_string(steps - startStep_) + " of them now)";
  text += std::string(" in ") + time + " s";
  if (ran)
    text += ", loss " + numberText(loop_->loss());
  if (std::string best = stopping_.summary(); !best.empty())
    text += ", " + best;
  bool finished = exitCode == ExitCode::Success;
  text += std::string(", ") + (finished && reason != "suspended" ? "by " : "") + reason;
  const std::string next = nextCommand(finished);
  if (isDryRun_ || !next.empty())
    text += "      next: " + std::string(isDryRun_ ? "nothing was written; " : "") + next;
  reporter_.line(text);
}

/// Whether the run that is resumed is at its end, and says so.
bool TrainRun::isAtEnd(std::string &reason) const {
  if (!restored_ || startStep_ < total_ || total_ < 0)
    return false;
  reason = options_.maxSteps >= 0 && startStep_ >= options_.maxSteps ? "max_steps" : "epochs";
  reporter_.line("nothing to do: the checkpoint is of step " + std::to_string(startStep_) +
                 (reason == "epochs" ? ", the end of epoch " + std::to_string(options_.epochs)
                                     : ", max_steps is " + std::to_string(options_.maxSteps)));
  return true;
}

absl::Status TrainRun::run(ExitCode &exitCode) {
  modelDir_ = setup_.modelDir;
  if (modelDir_.empty() && !isDryRun_)
    return messageStatus(absl::StatusCode::kInvalidArgument, makeError("E0206", "train needs --model_dir"));
  std::optional<ModelDirLock> lock;
  if (!isDryRun_)
    if (absl::Status status = openModelDir(lock); !status.ok())
      return status;
  absl::Status status = runJob(exitCode, lock);
  // Whatever it led to here, the error of another task is why the run ends.
  if (cluster_ && !cluster_->failure().ok() && !status.ok())
    status = cluster_->failure();
  if (cluster_ && !status.ok())
    cluster_->fail(status);
  // What trying again does not help ends the job too, unless it had ended before.
  if (!status.ok() && !isDryRun_ && exitStatus(exitCodeOf(status)) < 128)
    if (absl::StatusOr<std::optional<JobEnd>> before = readJobEnd(modelDir_); !before.ok() || !*before)
      (void)endJob("error", exitOfOthers(exitStatus(exitCodeOf(status)))); // the error that is told is the one before
  return status;
}

absl::Status TrainRun::runJob(ExitCode &exitCode, const std::optional<ModelDirLock> &lock) {
  // The number of shards of a resumed run stands in its checkpoint, so the line comes first once that is read.
  reporter_.hold();
  if (lock && !lock->previous().empty())
    reporter_.line("note     the last owner of this model_dir (" + lock->previous() +
                   ") ended without giving its lock back; it is taken over");
  absl::Status status;
  if (setup_.isDistributed()) {
    absl::StatusOr<std::unique_ptr<ChiefCluster>> cluster = ChiefCluster::create(context_, setup_);
    if (!cluster.ok())
      return cluster.status();
    cluster_ = *std::move(cluster);
  }
  status = openState();
  reporter_.release("bit-exact: " + guarantee() + ", seed " + std::to_string(seed_) + ", threads " +
                    std::to_string(pool_.threads()));
  reporter_.line("machine  " + machineText(mlc::common::machineLimits()));
  if (!status.ok())
    return status;
  if (absl::Status opened = openData(); !opened.ok())
    return opened;
  measureWorkspace();
  if (absl::Status fits = checkMemory(); !fits.ok())
    return fits;
  if (absl::Status described = describeRun(); !described.ok())
    return described;
  DataSamples samples(configuration_, artifact_, reporter_);
  samples.judgeTraining(data_.dataset->files());
  for (const OpenEvalSet &open : evalSets_)
    if (!open.isObservers)
      samples.judgeEvaluation(open.set, open.data.dataset->files());

  total_ = totalSteps();
  std::string reason = "dry_run";
  const bool trains = isDryRun_ || !isAtEnd(reason);
  if (trains) {
    absl::Status begun = beginCluster();
    if (absl::IsCancelled(begun) && context_.stop.isStopped()) {
      // Nothing was trained, so there is nothing to save.
      exitCode = context_.stop.exitCode();
      if (absl::Status ended = cluster_->end(context_.stop.reason(), exitStatus(exitCode)); !ended.ok())
        return ended;
      finish(context_.stop.reason(), exitCode);
      return absl::OkStatus();
    }
    if (!begun.ok())
      return begun;
    if (absl::Status replicated = beginReplicas(); !replicated.ok())
      return replicated;
    absl::StatusOr<std::unique_ptr<TrainLoop>> loop = TrainLoop::create(*program_, pool_, data_, options_);
    if (!loop.ok())
      return loop.status();
    loop_ = *std::move(loop);
    started_ = Clock::now();
  }
  // Not before all is checked that may refuse the run: what earlier ones left stays in its place then.
  if (!isDryRun_) {
    if (absl::Status begun = removeJobEnd(modelDir_); !begun.ok())
      return begun;
    if (absl::Status tidied = checkpoints_.tidy(context_.options.fresh, runDirectory_); !tidied.ok())
      return tidied;
    if (absl::Status dropped = dropEvaluationsAfter(modelDir_, startStep_); !dropped.ok())
      return dropped;
    if (absl::Status opened = openExports(); !opened.ok())
      return opened;
  }
  if (absl::Status trained = isDryRun_ ? dryRun() : trains ? trainSteps(reason) : evaluateAgain(); !trained.ok())
    return trained;
  const bool isStopped = reason == "interrupted" || reason == "suspended" || reason == "terminated";
  if (cluster_)
    if (absl::Status ended = cluster_->end(reason, isStopped ? exitStatus(context_.stop.exitCode()) : 0); !ended.ok())
      return ended;
  if (!isDryRun_ && !isStopped) {
    if (!hasEvaluator_)
      if (absl::Status exported = exportFinal(); !exported.ok())
        return exported;
    if (absl::Status ended = endJob(reason, exitStatus(ExitCode::Success)); !ended.ok())
      return ended;
    if (hasEvaluator_)
      if (absl::Status awaited = awaitEvaluator(reason); !awaited.ok())
        return awaited;
  }
  exitCode = reason == "interrupted"  ? ExitCode::Interrupted
             : reason == "terminated" ? ExitCode::Terminated
                                      : ExitCode::Success;
  finish(reason, exitCode);
  return absl::OkStatus();
}

absl::Status runTrain(RunContext &context, ExitCode &exitCode) {
  absl::StatusOr<ClusterSetup> setup = readCluster(context);
  if (!setup.ok())
    return setup.status();
  const mlc::common::ClusterTask &self = setup->config.self;
  const std::string role = setup->config.isChief() ? "chief" : self.role;
  context.reporter.setTask({taskName(role, self.index), context.observation});
  absl::StatusOr<std::unique_ptr<Observability>> observability = Observability::open(context, role, self.index);
  if (!observability.ok())
    return observability.status();
  if (setup->isEvaluator())
    return runEvaluator(context, *setup, exitCode);
  if (!setup->config.isChief())
    return setup->config.self.role == "ps" ? runServer(context, *setup, exitCode)
                                           : runWorker(context, *setup, exitCode);
  TrainRun run(context, *setup);
  absl::Status status = clusterError(run.run(exitCode));
  if (!status.ok())
    context.outcome = RunOutcome{run.reachedStep(), "error"};
  return status;
}

} // namespace mlcrt
