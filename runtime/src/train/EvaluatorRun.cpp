// The loop of an evaluator.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/EvaluatorRun.h"

#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/train/DataSamples.h"
#include "runtime/src/train/EarlyStopping.h"
#include "runtime/src/train/EvaluationSchedule.h"
#include "runtime/src/train/EvaluatorFiles.h"
#include "runtime/src/train/Exporters.h"
#include "runtime/src/train/ModelDir.h"
#include "runtime/src/train/ModelHealth.h"
#include "runtime/src/train/RestoredModel.h"
#include "runtime/src/train/TrainRunState.h"

#include <filesystem>
#include <thread>

namespace mlcrt {

using mlc::common::ExitCode;
using mlc::common::makeError;

namespace {
class EvaluatorRun {
public:
  EvaluatorRun(RunContext &context, const ClusterSetup &setup)
      : context_(context), setup_(setup), reporter_(context.reporter), modelDir_(setup.modelDir),
        pool_(context.threads()), store_(modelDir_), reader_(modelDir_), schedule_({}),
        chief_(modelDir_, kChiefLeaseName, kChiefExpiry) {}

  absl::Status run(ExitCode &exitCode);

private:
  using Clock = std::chrono::steady_clock;
  /// Three signs of life that did not come.
  static constexpr std::chrono::seconds kChiefExpiry = 3 * Lease::kHeartbeat;

  absl::Status open();
  absl::Status describe();
  absl::Status readRecords();
  absl::StatusOr<bool> turn();
  absl::Status evaluateOne(const EvaluationSchedule::Task &task);
  absl::Status restore(int64_t step, bool &isGone);
  absl::Status hold(std::optional<int64_t> step);
  absl::Status checkChief(const std::vector<int64_t> &steps, bool hasEnded);
  bool isOver(const std::optional<JobEnd> &end) const;
  absl::Status exportFinal(const JobEnd &end, int64_t step);
  void finish(const JobEnd &end);
  Exporters::Model modelAt(int64_t step) {
    return {*program_, step, seed_, modelDir_ + "/" + checkpointName(step), rows_.get()};
  }
  double now() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  RunContext &context_;
  const ClusterSetup &setup_;
  Reporter &reporter_;
  std::string modelDir_, runDirectory_;
  ThreadPool pool_;
  CheckpointStore store_;
  EvaluationReader reader_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<CheckpointRows> rows_; ///< of the checkpoint that was restored
  std::vector<OpenEvalSet> sets_;
  EvaluationSchedule schedule_;
  EarlyStopping stopping_; ///< to know which checkpoints stay
  Exporters exporters_;
  std::optional<RunSummaries> summaries_;
  std::unique_ptr<Lease> lease_;
  std::vector<int64_t> held_;
  std::optional<JobEnd> endBefore_; ///< of a job that had ended when this began
  int64_t restoredStep_ = -1, seed_ = 0, evaluations_ = 0;
  ExitCode exit_ = ExitCode::Success; ///< that of the job
  Clock::time_point began_ = Clock::now();
  LeaseReader chief_;
  bool isChiefThere_ = false;
  Clock::time_point chiefSeen_ = Clock::now(); ///< when it gave its last sign of life
  int64_t newest_ = -1;                        ///< step of the newest checkpoint
};
} // namespace

absl::Status EvaluatorRun::open() {
  const Artifact &artifact = *context_.artifact;
  if (absl::Status status = artifact.require({MLCRT_ROLE_EVAL_RESET, MLCRT_ROLE_EVAL_UPDATE, MLCRT_ROLE_EVAL_RESULT});
      !status.ok())
    return status;
  absl::StatusOr<std::unique_ptr<Program>> program = context_.makeProgram();
  if (!program.ok())
    return program.status();
  program_ = *std::move(program);
  if (absl::Status status = tellDevices(context_, *program_); !status.ok())
    return status;
  program_->homes().keepValues();
  if (absl::Status status = context_.configuration.bind(*program_); !status.ok())
    return status;
  if (absl::Status status = openFollowUps(context_, modelDir_, stopping_, exporters_); !status.ok())
    return status;
  absl::StatusOr<std::vector<OpenEvalSet>> sets = openEvalSets(context_, defaultCacheDir());
  if (!sets.ok())
    return sets.status();
  sets_ = *std::move(sets);
  if (sets_.empty())
    return messageStatus(absl::StatusCode::kInvalidArgument,
                         makeError("E0206", "an evaluator without an eval set that has files", "--eval_files GLOB"));
  std::vector<EvaluationSchedule::Set> schedule;
  const mlc::common::SettingsTable &settings = context_.configuration.settings();
  for (const OpenEvalSet &open : sets_)
    schedule.push_back({open.set.name,
                        static_cast<double>(context_.configuration.number(open.set.prefix + ".start_delay_secs")),
                        static_cast<double>(context_.configuration.number(open.set.prefix + ".throttle_secs")),
                        settings.getBool(open.set.prefix + ".each_checkpoint").value_or(false), open.everySteps});
  schedule_ = EvaluationSchedule(schedule);
  summaries_.emplace(modelDir_, /*everySteps=*/0, *program_, pool_, reporter_);
  return absl::OkStatus();
}

absl::Status EvaluatorRun::describe() {
  static const std::vector<DataFile> noFiles;
  RunRecord record;
  record.modelDir = modelDir_;
  record.runDirectory = runDirectory_;
  record.task = "evaluator 0";
  record.guarantee = "yes (of each checkpoint)";
  record.threads = pool_.threads();
  record.seed = context_.configuration.number("run_config.seed");
  record.trainFiles = &noFiles;
  for (const OpenEvalSet &open : sets_)
    if (!open.isObservers)
      record.evalSets.push_back({open.set.name, &open.data.dataset->files(), open.data.dataset->size()});
  reporter_.event(configEvent(record, context_));
  return writeRunRecord(record, context_);
}

/// Takes in what was evaluated, by this process and those before it.
absl::Status EvaluatorRun::readRecords() {
  absl::StatusOr<std::vector<EvaluationRecord>> records = reader_.poll();
  if (!records.ok())
    return records.status();
  if (reader_.isAnew()) {
    // Training began anew, or went on from an older checkpoint: what has a known step may have other values.
    schedule_.clear();
    restoredStep_ = -1;
    absl::StatusOr<EarlyStopping> stopping = EarlyStopping::create(context_.configuration, *context_.artifact);
    if (!stopping.ok())
      return stopping.status();
    stopping_ = *std::move(stopping);
    if (absl::Status status = exporters_.open(); !status.ok())
      return status;
  }
  for (const EvaluationRecord &record : *records) {
    schedule_.evaluated(record.evalSet, record.step);
    if (record.step > stopping_.lastStep(record.evalSet))
      stopping_.observe(record.evalSet, record.step, record.metrics);
  }
  return absl::OkStatus();
}

/// The checkpoint under evaluation, and those of the best evaluations, which the trainer may not know of yet.
absl::Status EvaluatorRun::hold(std::optional<int64_t> step) {
  std::vector<int64_t> steps = stopping_.bestSteps();
  if (step)
    steps.push_back(*step);
  if (steps == held_)
    return absl::OkStatus();
  held_ = steps;
  return lease_->hold(std::move(steps));
}

/// Gives the program the values of the checkpoint. `isGone`: retention took it before the lease was seen.
absl::Status EvaluatorRun::restore(int64_t step, bool &isGone) {
  isGone = false;
  if (restoredStep_ == step)
    return absl::OkStatus();
  restoredStep_ = -1;
  const std::string directory = modelDir_ + "/" + checkpointName(step);
  absl::StatusOr<CheckpointManifest> manifest = restoreCheckpoint(context_, directory, *program_, &rows_);
  if (!manifest.ok()) {
    isGone = absl::IsNotFound(requireCheckpoint(directory).status());
    return isGone ? absl::OkStatus() : manifest.status();
  }
  restoredStep_ = step;
  seed_ = manifest->seed;
  return absl::OkStatus();
}

absl::Status EvaluatorRun::evaluateOne(const EvaluationSchedule::Task &task) {
  OpenEvalSet &open = sets_[task.set];
  if (absl::Status status = hold(task.step); !status.ok())
    return status;
  bool isGone = false;
  if (absl::Status status = restore(task.step, isGone); !status.ok())
    return status;
  if (isGone) {
    reporter_.line("gone     " + checkpointName(task.step) + " before it was evaluated");
    return absl::OkStatus();
  }
  schedule_.begun(task, now());
  absl::StatusOr<std::vector<Metric>> metrics =
      open.isObservers
          ? context_.observer->evaluate(open.set.name, task.step, modelDir_ + "/" + checkpointName(task.step))
          : evaluate(*program_, pool_, open.data, open.batchSize, open.maxBatches, seed_, task.step, reporter_,
                     &context_.stop, rows_.get());
  if (!metrics.ok())
    return metrics.status();
  reportEvaluation(reporter_, open.set.name, task.step, *metrics);
  if (absl::Status status = summaries_->evaluated(open.set.name, task.step, *metrics); !status.ok())
    return status;
  ++evaluations_;
  open.last = *metrics;
  if (absl::Status status = exporters_.evaluated(modelAt(task.step), open.set.name, *metrics); !status.ok())
    return status;
  // Last: a kill before this line, and the checkpoint is evaluated again.
  return appendEvaluation(modelDir_, {open.set.name, task.step, *std::move(metrics)});
}

/// Looks for signs of life of the chief: its lease, or a new checkpoint. Without any for --start_timeout, and without
/// the end of the job, nothing comes any more. What is there was evaluated as far as it was due.
absl::Status EvaluatorRun::checkChief(const std::vector<int64_t> &steps, bool hasEnded) {
  const Clock::time_point now = Clock::now();
  const bool wasThere = isChiefThere_;
  isChiefThere_ = chief_.steps(now).has_value();
  const int64_t newest = steps.empty() ? -1 : steps.back();
  if (isChiefThere_ || hasEnded || newest != newest_)
    chiefSeen_ = now;
  newest_ = newest;
  if (wasThere && !isChiefThere_ && !hasEnded)
    reporter_.line("waiting  for the chief (" + chief_.holder() + "), which is away, for " +
                   std::to_string(setup_.startTimeout.count() / 1000) + " s");
  if (now - chiefSeen_ < setup_.startTimeout)
    return absl::OkStatus();
  const std::string seconds = " within " + std::to_string(setup_.startTimeout.count() / 1000) + " s";
  if (steps.empty())
    return messageStatus(absl::StatusCode::kDeadlineExceeded,
                         makeError("E0410", "no checkpoint came to " + modelDir_ + seconds,
                                   "is the chief there, with the same --model_dir?"));
  const std::string who = "the chief" + (chief_.holder().empty() ? "" : " (" + chief_.holder() + ")");
  return messageStatus(absl::StatusCode::kDeadlineExceeded,
                       makeError("E0410",
                                 who + " is gone: it gave no sign of life" + seconds +
                                     ", the last checkpoint is of step " + std::to_string(newest) +
                                     ", and training has not ended",
                                 "start the chief again, and the evaluator"));
}

/// Whether nothing comes any more. An end that was there before may be one that another job is about to take back,
/// unless the chief that told it still lives: it waits.
bool EvaluatorRun::isOver(const std::optional<JobEnd> &end) const {
  if (!end)
    return false;
  const bool isBefore = endBefore_ && endBefore_->run == end->run;
  if (!isBefore || (isChiefThere_ && chief_.run() == end->run))
    return true;
  return !isChiefThere_ && Clock::now() - began_ >= setup_.startTimeout;
}

/// What exporters make of the end of training, unless an error ended it.
absl::Status EvaluatorRun::exportFinal(const JobEnd &end, int64_t step) {
  if (!exporters_.hasFinal() || end.reason == "error")
    return absl::OkStatus();
  if (absl::Status status = hold(step); !status.ok())
    return status;
  bool isGone = false;
  if (absl::Status status = restore(step, isGone); !status.ok())
    return status;
  if (isGone) {
    reporter_.line("gone     " + checkpointName(step) + " before it was exported");
    return absl::OkStatus();
  }
  return exporters_.ended(modelAt(step));
}

/// One look at the model_dir, and one evaluation if one is due. True: the work is done.
absl::StatusOr<bool> EvaluatorRun::turn() {
  if (absl::Status status = readRecords(); !status.ok())
    return status;
  // In this order: the last checkpoint is there before the end is told.
  absl::StatusOr<std::optional<JobEnd>> end = readJobEnd(modelDir_);
  if (!end.ok())
    return end.status();
  absl::StatusOr<std::vector<CheckpointPath>> checkpoints = store_.list();
  if (!checkpoints.ok())
    return checkpoints.status();
  std::vector<int64_t> steps;
  for (const CheckpointPath &checkpoint : *checkpoints)
    steps.push_back(checkpoint.step);
  if (absl::Status status = checkChief(steps, end->has_value()); !status.ok())
    return status;
  std::optional<int64_t> last;
  if (*end && !steps.empty())
    last = steps.back(); // that of the end, or the one before an error
  if (std::optional<EvaluationSchedule::Task> task = schedule_.next(steps, last, now())) {
    const Clock::time_point begun = Clock::now();
    if (absl::Status status = evaluateOne(*task); !status.ok())
      return status;
    chiefSeen_ += Clock::now() - begun; // nobody looked meanwhile
    return false;
  }
  if (absl::Status status = hold({}); !status.ok())
    return status;
  if (!isOver(*end)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    return false;
  }
  if (last)
    if (absl::Status status = exportFinal(**end, *last); !status.ok())
      return status;
  finish(**end);
  return true;
}

void EvaluatorRun::finish(const JobEnd &end) {
  // The recent loss of training steps is the chief's to know.
  for (const OpenEvalSet &open : sets_)
    for (const mlc::common::Message &warning : judgeModel(open.last, open.set.name, std::nullopt))
      reporter_.message(warning);
  JsonObject event;
  event.text("event", "done").integer("step", end.step).text("reason", end.reason).integer("evaluations", evaluations_);
  if (!stopping_.empty())
    event.raw("best", stopping_.json());
  exit_ = static_cast<ExitCode>(end.exit);
  reporter_.event(event.integer("exit", exitStatus(exit_)).str());
  std::string text = "done     " + std::to_string(evaluations_) + " evaluations, training ended at step " +
                     std::to_string(end.step) + " by " + end.reason;
  if (std::string best = stopping_.summary(); !best.empty())
    text += ", " + best;
  reporter_.line(text);
}

absl::Status EvaluatorRun::run(ExitCode &exitCode) {
  if (modelDir_.empty())
    return messageStatus(absl::StatusCode::kInvalidArgument, makeError("E0206", "train needs --model_dir"));
  absl::StatusOr<ModelDirLock> lock = ModelDirLock::acquire(modelDir_, ModelDirLock::Role::Evaluator);
  if (!lock.ok())
    return lock.status();
  absl::StatusOr<std::string> runDirectory = makeRunDirectory(modelDir_);
  if (!runDirectory.ok())
    return runDirectory.status();
  runDirectory_ = *std::move(runDirectory);
  if (absl::Status status = reporter_.openLog(runDirectory_ + "/log.txt"); !status.ok())
    return status;
  if (absl::Status status = open(); !status.ok())
    return status;
  if (absl::Status status = describe(); !status.ok())
    return status;
  if (absl::Status status = exporters_.open(); !status.ok())
    return status;
  const std::chrono::nanoseconds age = processAge();
  absl::StatusOr<std::unique_ptr<Lease>> lease = Lease::create(modelDir_);
  if (!lease.ok())
    return lease.status();
  lease_ = *std::move(lease);
  absl::StatusOr<std::optional<JobEnd>> end = readJobEnd(modelDir_);
  if (!end.ok())
    return end.status();
  // One that ended while this process began is not a job before, however late it comes to look.
  if (*end && !hasEndedSinceStart(modelDir_, age))
    endBefore_ = *std::move(end);
  DataSamples samples(context_.configuration, *context_.artifact, reporter_);
  samples.findTraining();
  for (const OpenEvalSet &open : sets_)
    if (!open.isObservers)
      samples.judgeEvaluation(open.set, open.data.dataset->files());
  reporter_.line("evaluator of " + modelDir_ + ", " + std::to_string(sets_.size()) + " eval sets");
  absl::StatusOr<bool> done = false;
  while (done.ok() && !*done && !context_.stop.isStopped())
    done = turn();
  if (context_.stop.isStopped() && (done.ok() || absl::IsCancelled(done.status()))) {
    exitCode = context_.stop.exitCode();
    return absl::OkStatus();
  }
  exitCode = exit_;
  return done.status();
}

absl::Status runEvaluator(RunContext &context, const ClusterSetup &setup, ExitCode &exitCode) {
  return EvaluatorRun(context, setup).run(exitCode);
}

} // namespace mlcrt
