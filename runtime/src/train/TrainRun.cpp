// A run: resume, train, save, evaluate, end.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/TrainRun.h"

#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/input/RecordIndex.h"
#include "runtime/src/train/EarlyStopping.h"
#include "runtime/src/train/Evaluation.h"
#include "runtime/src/train/ModelDir.h"
#include "runtime/src/train/RunCheckpoints.h"
#include "runtime/src/train/RunRecord.h"
#include "runtime/src/train/Signals.h"
#include "runtime/src/train/StepProgress.h"
#include "runtime/src/train/Summaries.h"
#include "runtime/src/train/TrainLoop.h"
#include "runtime/src/train/WarmStart.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <map>

namespace mlcrt {

using mlc::common::ExitCode;
using mlc::common::makeError;
using mlc::common::Message;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Threads that read ahead beside `threads` of the step.
static int inputThreadsFor(int threads) { return std::clamp(threads / 2, 1, 4); }

int RunContext::threads() const {
  return static_cast<int>(line.integer("threads").value_or(ThreadPool::availableProcessors()));
}

std::string RunContext::commandFor(const std::string &verb) const {
  std::string text = line.text("called_as", command.front() + " VERB");
  size_t at = text.find("VERB");
  return at == std::string::npos ? text : text.replace(at, 4, verb);
}

namespace {

/// An eval set that has files.
struct OpenEvalSet {
  EvalSet set;
  EntryData data;
  int64_t batchSize = 0, maxBatches = -1, everySteps = 0;
  int64_t lastStep = -1; ///< at which it was evaluated
};

/// One run of the verb.
class TrainRun {
public:
  explicit TrainRun(RunContext &context)
      : context_(context), artifact_(*context.artifact), configuration_(context.configuration),
        reporter_(context.reporter),
        pool_(context.threads(), ThreadPool::kDefaultSpinNanoseconds, inputThreadsFor(context.threads())),
        checkpoints_(context.reporter), progress_(context.reporter), isDryRun_(context.line.on("dry_run")) {}

  absl::Status run(ExitCode &exitCode);
  /// The step that the state is behind, so far.
  int64_t reachedStep() const { return loop_ ? std::max(loop_->steps(), startStep_) : startStep_; }

private:
  absl::Status openState();
  absl::Status initialize();
  absl::Status restore();
  void takeOver(const CheckpointManifest &manifest);
  absl::Status limitSteps();
  absl::Status openData();
  absl::Status describeRun();
  absl::Status trainSteps(std::string &reason);
  absl::Status runSteps(std::string &reason);
  absl::Status afterStep(bool end);
  SaveJob describeState() const;
  absl::Status save(RunCheckpoints::Which which);
  absl::Status finishSave();
  bool isEvaluationDue(const OpenEvalSet &open, bool saved) const;
  absl::Status evaluateSets(bool saved, bool end);
  absl::Status evaluateSet(OpenEvalSet &open);
  absl::Status checkLoss();
  bool isAtEnd(std::string &reason) const;
  absl::Status openModelDir(std::optional<ModelDirLock> &lock);
  absl::Status dryRun();
  void finish(const std::string &reason, ExitCode exitCode);
  int64_t totalSteps() const;
  RunRecord record() const;
  /// Where indices of records are kept; nowhere in a dry run.
  std::string cacheDir() const { return isDryRun_ ? "" : defaultCacheDir(); }
  std::string guarantee() const;

  RunContext &context_;
  const Artifact &artifact_;
  Configuration &configuration_;
  Reporter &reporter_;
  ThreadPool pool_;
  RunCheckpoints checkpoints_;
  std::unique_ptr<Program> program_;
  EntryData data_;
  std::vector<OpenEvalSet> evalSets_;
  std::unique_ptr<TrainLoop> loop_;
  std::optional<RunSummaries> summaries_;
  EarlyStopping stopping_;
  StepProgress progress_;

  const bool isDryRun_;
  std::string modelDir_, runDirectory_, resumedFrom_, warmStart_;
  int64_t seed_ = 0, startStep_ = 0;
  int virtualShards_ = 1;
  std::optional<CheckpointManifest> restored_;
  TrainLoopOptions options_;
  Clock::time_point started_;
  int64_t total_ = 0;
};

} // namespace

std::string TrainRun::guarantee() const { return "yes (one process, V=" + std::to_string(virtualShards_) + ")"; }

int64_t TrainRun::totalSteps() const {
  int64_t total = options_.maxSteps;
  if (options_.epochs >= 0) {
    BatchReader reader(*data_.dataset, options_.batches);
    int64_t perEpoch = reader.batchesPerEpoch(), left = 0;
    ReaderState position = reader.normalize(options_.position);
    if (position.epoch < options_.epochs) {
      // What is left of the current epoch, and the whole ones behind it.
      int64_t rows = data_.dataset->size() - position.position, size = options_.batches.batchSize;
      left = options_.batches.dropRemainder ? rows / size : (rows + size - 1) / size;
      left += (options_.epochs - position.epoch - 1) * perEpoch;
    }
    total = total < 0 ? startStep_ + left : std::min(total, startStep_ + left);
  }
  return total;
}

/// Settings that changed since the checkpoint, for the log: they may, but not unseen.
void TrainRun::takeOver(const CheckpointManifest &manifest) {
  const mlc::common::Setting *seed = configuration_.settings().find("run_config.seed");
  bool seedGiven = seed->origin == "--seed" || seed->origin == "--set";
  if (!seedGiven)
    seed_ = manifest.seed;
  else if (seed_ != manifest.seed)
    reporter_.line("changed  seed " + std::to_string(manifest.seed) + " -> " + std::to_string(seed_) +
                   ": this run is not the continuation of the last one bit for bit");
  if (!context_.line.has("virtual_shards"))
    virtualShards_ = static_cast<int>(std::min<int64_t>(manifest.virtualShards, 1 << 20));
  else if (virtualShards_ != manifest.virtualShards)
    reporter_.line("changed  virtual_shards " + std::to_string(manifest.virtualShards) + " -> " +
                   std::to_string(virtualShards_));
  std::map<std::string, std::string> saved(manifest.settings.begin(), manifest.settings.end());
  for (const auto &[path, value] : configuration_.texts()) {
    auto it = saved.find(path);
    // Limits and files of a run change with every run; those that change its numbers are worth a line.
    if (it != saved.end() && it->second != value && path != "run_config.seed" && path != "train.max_steps")
      reporter_.line("changed  " + path + " " + it->second + " -> " + value);
  }
}

absl::Status TrainRun::initialize() {
  if (absl::Status status = program_->initialize(seed_, pool_); !status.ok())
    return status;
  // In this order: a warm start that names a table of these wins.
  if (absl::Status status = loadEmbeddings(configuration_, artifact_, program_->state(), reporter_); !status.ok())
    return status;
  absl::StatusOr<std::string> source = warmStart(configuration_, artifact_, program_->state(), reporter_);
  if (!source.ok())
    return source.status();
  warmStart_ = *std::move(source);
  return absl::OkStatus();
}

absl::Status TrainRun::restore() {
  std::optional<CheckpointPath> newest;
  if (!modelDir_.empty() && !context_.line.on("fresh")) {
    absl::StatusOr<std::optional<CheckpointPath>> found = checkpoints_.newest();
    if (!found.ok())
      return found.status();
    newest = *std::move(found);
  }
  if (!newest)
    return initialize();
  const std::string &path = newest->path;
  absl::StatusOr<CheckpointManifest> manifest = readManifest(path);
  if (!manifest.ok())
    return adviseOnDamage(manifest.status(), path);
  if (absl::Status status = checkFingerprint(path, *manifest, artifact_, configuration_.compiledTexts()); !status.ok())
    return status;
  // Runs init too: variables without a place in checkpoints would stay unset otherwise.
  if (absl::Status status = program_->initialize(seed_, pool_); !status.ok())
    return status;
  if (absl::Status status = restoreState(path, *manifest, artifact_, program_->state()); !status.ok())
    return adviseOnDamage(status, path);
  resumedFrom_ = path;
  startStep_ = manifest->step;
  checkpoints_.resume(*manifest);
  takeOver(*manifest);
  if (stopping_.restore(manifest->earlyStopping))
    reporter_.line("changed  train.early_stopping: what was observed under other rules is dropped");
  restored_ = std::move(*manifest);
  return absl::OkStatus();
}

absl::Status TrainRun::openState() {
  absl::StatusOr<std::unique_ptr<Program>> program = Program::create(context_.artifact);
  if (!program.ok())
    return program.status();
  program_ = *std::move(program);
  if (absl::Status status = configuration_.bind(*program_); !status.ok())
    return status;
  absl::StatusOr<EarlyStopping> stopping = EarlyStopping::create(configuration_, artifact_);
  if (!stopping.ok())
    return stopping.status();
  stopping_ = *std::move(stopping);
  if (absl::Status status = checkpoints_.configure(configuration_, artifact_, modelDir_); !status.ok())
    return status;
  seed_ = configuration_.number("run_config.seed");
  virtualShards_ = static_cast<int>(std::min<int64_t>(context_.line.integer("virtual_shards").value_or(1), 1 << 20));
  return restore();
}

static bool sameFiles(const std::vector<FileRecord> &saved, const std::vector<DataFile> &files) {
  return std::equal(saved.begin(), saved.end(), files.begin(), files.end(),
                    [](const FileRecord &a, const DataFile &b) { return a.size == b.size && a.crc == b.crc; });
}

/// --steps counts from where this run begins.
absl::Status TrainRun::limitSteps() {
  std::optional<int64_t> steps = context_.line.integer("steps");
  if (isDryRun_)
    steps = 1;
  if (!steps)
    return absl::OkStatus();
  int64_t last = 0;
  if (__builtin_add_overflow(startStep_, *steps, &last))
    last = INT64_MAX;
  mlc::common::MessageList messages;
  if (!configuration_.settings().assign("train.max_steps", {mlc::common::SettingScalar(last)},
                                        isDryRun_ ? "--dry_run" : "--steps", messages))
    return messageStatus(absl::StatusCode::kInvalidArgument, messages.messages().front());
  return absl::OkStatus();
}

absl::Status TrainRun::openData() {
  const mlc::common::SettingsTable &settings = configuration_.settings();
  options_.mode.virtualShards = virtualShards_;
  mlcrt_role role = options_.mode.featuresRole();
  if (absl::Status status = artifact_.require({role}); !status.ok())
    return status;
  absl::StatusOr<EntryData> data =
      openEntryData(configuration_, artifact_, *artifact_.entry(role),
                    {settings.getStrings("train.files"), "train.files", pool_.threads(), cacheDir()}, reporter_);
  if (!data.ok())
    return data.status();
  data_ = *std::move(data);
  options_.batches.batchSize = configuration_.number("train.batch_size");
  options_.batches.dropRemainder = settings.getBool("train.drop_remainder").value_or(false);
  options_.batches.shuffle = settings.getBool("train.shuffle").value_or(true);
  options_.batches.seed = static_cast<uint64_t>(seed_);
  options_.seed = seed_;
  options_.step = startStep_;
  if (absl::Status status = limitSteps(); !status.ok())
    return status;
  options_.maxSteps = settings.getInt("train.max_steps").value_or(-1);
  options_.epochs = settings.getInt("train.epochs").value_or(-1);
  options_.inputThreads = inputThreadsFor(pool_.threads());
  options_.beforeStep = [this](const BatchView &batch, const CallContext &context) {
    return summaries_ ? summaries_->beforeStep(batch, context) : absl::OkStatus();
  };
  if (options_.maxSteps < 0 && options_.epochs < 0)
    return messageStatus(absl::StatusCode::kInvalidArgument,
                         makeError("E0206", "neither train.max_steps nor train.epochs says when to stop",
                                   "--max_steps N, --steps N or --epochs N"));
  if (BatchReader(*data_.dataset, options_.batches).batchesPerEpoch() == 0)
    return messageStatus(absl::StatusCode::kInvalidArgument,
                         makeError("E0206", "train.batch_size " + std::to_string(options_.batches.batchSize) +
                                                " is above the " + std::to_string(data_.dataset->size()) +
                                                " examples there are, and train.drop_remainder drops the rest"));
  if (restored_ && sameFiles(restored_->dataFiles, data_.dataset->files())) {
    options_.position = {restored_->epoch, restored_->position};
  } else if (restored_) {
    reporter_.line("changed  data files: reading starts at their first example; step and slots are kept");
    for (const FileRecord &file : restored_->dataFiles)
      reporter_.line("  before " + file.path + " (" + std::to_string(file.size) + " bytes)");
    for (const DataFile &file : data_.dataset->files())
      reporter_.line("  now    " + file.path + " (" + std::to_string(file.size) + " bytes)");
  }
  if (!artifact_.entry(MLCRT_ROLE_EVAL_UPDATE))
    return absl::OkStatus();
  for (const EvalSet &set : configuration_.evalSets()) {
    std::vector<std::string> globs = settings.getStrings(set.prefix + ".files");
    if (globs.empty())
      continue;
    absl::StatusOr<EntryData> evalData =
        openEntryData(configuration_, artifact_, *artifact_.entry(MLCRT_ROLE_EVAL_UPDATE),
                      {globs, set.prefix + ".files", pool_.threads(), cacheDir()}, reporter_);
    if (!evalData.ok())
      return evalData.status();
    OpenEvalSet &open = evalSets_.emplace_back();
    open.set = set;
    open.data = *std::move(evalData);
    open.batchSize = configuration_.batchSize(set.prefix);
    open.maxBatches = settings.getInt(set.prefix + ".steps").value_or(-1);
    open.everySteps = settings.getInt(set.prefix + ".every_n_steps").value_or(0);
  }
  return absl::OkStatus();
}

RunRecord TrainRun::record() const {
  RunRecord record;
  record.modelDir = modelDir_;
  record.runDirectory = runDirectory_;
  record.resumedFrom = resumedFrom_;
  record.warmStart = warmStart_;
  record.guarantee = guarantee();
  record.threads = pool_.threads();
  record.seed = seed_;
  record.virtualShards = virtualShards_;
  record.trainFiles = &data_.dataset->files();
  for (const OpenEvalSet &open : evalSets_)
    record.evalFiles.emplace_back(open.set.name, &open.data.dataset->files());
  return record;
}

absl::Status TrainRun::describeRun() {
  RunRecord facts = record();
  if (!isDryRun_)
    if (absl::Status status = writeRunRecord(facts, context_); !status.ok())
      return status;
  std::string name = artifact_.table().name ? artifact_.table().name : "model";
  reporter_.line("model    " + name + (configuration_.cpu().empty() ? "" : " for cpu " + configuration_.cpu()) +
                 (configuration_.compat().empty() ? "" : ", compat " + configuration_.compat()) +
                 (isDryRun_ ? "" : "      config " + runDirectory_ + "/config.txt"));
  if (restored_)
    reporter_.line("resumed  " + resumedFrom_ + " at step " + std::to_string(startStep_) + ", epoch " +
                   std::to_string(options_.position.epoch) + ", example " + std::to_string(options_.position.position));
  reporter_.event(configEvent(facts, context_));
  return absl::OkStatus();
}

/// What a checkpoint of the state behind the last step tells.
SaveJob TrainRun::describeState() const {
  SaveJob job;
  CheckpointManifest &manifest = job.manifest;
  manifest.step = loop_->steps();
  manifest.seed = seed_;
  manifest.virtualShards = virtualShards_;
  manifest.epoch = loop_->position().epoch;
  manifest.position = loop_->position().position;
  for (const DataFile &file : data_.dataset->files())
    manifest.dataFiles.push_back({file.path, file.size, file.crc});
  manifest.settings = configuration_.texts();
  manifest.vocabularies = configuration_.vocabularies();
  const bool isSaveDue = checkpoints_.isWholeDue(loop_->steps());
  std::vector<std::string> dueSets;
  for (const OpenEvalSet &open : evalSets_)
    if (isEvaluationDue(open, isSaveDue))
      dueSets.push_back(open.set.name);
  manifest.earlyStopping = stopping_.records(dueSets);
  job.keepSteps = stopping_.bestSteps();
  return job;
}

absl::Status TrainRun::save(RunCheckpoints::Which which) {
  return checkpoints_.save(loop_->steps(), which, [this] { return describeState(); });
}

/// Waits for the save that is on its way, if any.
absl::Status TrainRun::finishSave() {
  absl::StatusOr<bool> saved = checkpoints_.finish();
  if (!saved.ok())
    return saved.status();
  return *saved ? summaries_->flush() : absl::OkStatus();
}

/// Whether the schedule wants an evaluation behind the last step, and it was not done yet. The first checkpoint of a
/// run is not evaluated.
bool TrainRun::isEvaluationDue(const OpenEvalSet &open, bool saved) const {
  int64_t step = loop_->steps();
  return open.lastStep != step && step > startStep_ && (open.everySteps > 0 ? step % open.everySteps == 0 : saved);
}

absl::Status TrainRun::evaluateSet(OpenEvalSet &open) {
  if (absl::Status status = finishSave(); !status.ok())
    return status;
  int64_t step = loop_->steps();
  absl::StatusOr<std::vector<Metric>> metrics =
      evaluate(*program_, pool_, open.data, open.batchSize, open.maxBatches, seed_, step, reporter_);
  if (absl::IsCancelled(metrics.status()))
    return absl::OkStatus(); // the loop sees the signal itself
  if (!metrics.ok())
    return metrics.status();
  open.lastStep = step;
  JsonObject event;
  event.text("event", "eval").text("name", open.set.name).integer("step", step);
  event.raw("metrics", metricsJson(*metrics, ""));
  reporter_.event(event.str());
  reporter_.line("eval     step " + std::to_string(step) + (open.set.name.empty() ? "" : "  [" + open.set.name + "]") +
                 "  " + metricsLine(*metrics));
  if (isDryRun_)
    return absl::OkStatus();
  if (absl::Status status = summaries_->evaluated(open.set.name, step, *metrics); !status.ok())
    return status;
  // The best state is one to go back to.
  return stopping_.observe(open.set.name, step, *metrics) ? save(RunCheckpoints::Which::Whole) : absl::OkStatus();
}

absl::Status TrainRun::evaluateSets(bool saved, bool end) {
  for (OpenEvalSet &open : evalSets_)
    if (isEvaluationDue(open, saved) || (end && open.lastStep != loop_->steps()))
      if (absl::Status status = evaluateSet(open); !status.ok())
        return status;
  return absl::OkStatus();
}

absl::Status TrainRun::afterStep(bool end) {
  const bool due = end || checkpoints_.isWholeDue(loop_->steps());
  if (absl::Status status = save(end   ? RunCheckpoints::Which::All
                                 : due ? RunCheckpoints::Which::Whole
                                       : RunCheckpoints::Which::Due);
      !status.ok())
    return status;
  return evaluateSets(due, end);
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
  checkpoints_.open(artifact_, program_->state(), pool_);
  absl::Status status = runSteps(reason);
  // Whatever ended training: what was begun is saved, and a save that failed is told.
  absl::Status saved = finishSave();
  return status.ok() ? saved : status;
}

absl::Status TrainRun::runSteps(std::string &reason) {
  started_ = Clock::now();
  progress_.begin(configuration_.number("run_config.log_step_count_steps"), total_, options_.batches.batchSize);
  summaries_.emplace(modelDir_, configuration_.number("run_config.save_summary_steps"), *program_, pool_);
  if (absl::Status status = summaries_->begin(loop_->steps()); !status.ok())
    return status;
  // The first one is there before anything else happens.
  if (absl::Status status = save(RunCheckpoints::Which::All); !status.ok())
    return status;
  if (absl::Status status = finishSave(); !status.ok())
    return status;
  // What the run before was to evaluate when it ended.
  for (OpenEvalSet &open : evalSets_)
    if (stopping_.isPending(open.set.name))
      if (absl::Status status = evaluateSet(open); !status.ok())
        return status;
  bool moved = false;
  while (!SignalWatch::received()) {
    if (std::string why = stopping_.reason(); !why.empty()) {
      reporter_.line("stopping early: " + why);
      reason = "early_stopping";
      return moved ? afterStep(/*end=*/true) : absl::OkStatus();
    }
    absl::StatusOr<bool> more = loop_->step();
    if (!more.ok())
      return more.status();
    if (!*more) {
      reason = options_.maxSteps >= 0 && loop_->steps() >= options_.maxSteps ? "max_steps" : "epochs";
      return afterStep(/*end=*/true);
    }
    moved = true;
    if (checkpoints_.isDone())
      if (absl::Status status = finishSave(); !status.ok())
        return status;
    if (absl::Status status = summaries_->afterStep(loop_->steps(), loop_->results()); !status.ok())
      return status;
    if (absl::Status status = checkLoss(); !status.ok())
      return status;
    progress_.afterStep(*loop_);
    if (absl::Status status = afterStep(/*end=*/false); !status.ok())
      return status;
  }
  reason = SignalWatch::received() == SIGINT ? "interrupted" : "terminated";
  return save(RunCheckpoints::Which::All);
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

void TrainRun::finish(const std::string &reason, ExitCode exitCode) {
  const bool ran = loop_ && loop_->steps() > startStep_;
  int64_t steps = reachedStep();
  double seconds = ran ? secondsSince(started_) : 0;
  JsonObject event;
  event.text("event", "done")
      .integer("step", steps)
      .text("reason", reason)
      .raw("seconds", jsonNumber(std::round(seconds * 1000) / 1000));
  if (!stopping_.empty())
    event.raw("best", stopping_.json());
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
  text += std::string(", ") + (finished ? "by " : "") + reason + "      next: ";
  if (isDryRun_)
    text += "nothing was written; " + context_.commandFor("train") + " --model_dir DIR";
  else
    text += context_.commandFor(finished ? "evaluate" : "train") + " --model_dir " + modelDir_;
  reporter_.line(text);
}

/// Whether the run that is resumed is at its end, and says so.
bool TrainRun::isAtEnd(std::string &reason) const {
  if (!restored_ || startStep_ < total_)
    return false;
  reason = options_.maxSteps >= 0 && startStep_ >= options_.maxSteps ? "max_steps" : "epochs";
  reporter_.line("nothing to do: the checkpoint is of step " + std::to_string(startStep_) +
                 (reason == "epochs" ? ", the end of epoch " + std::to_string(options_.epochs)
                                     : ", max_steps is " + std::to_string(options_.maxSteps)));
  return true;
}

absl::Status TrainRun::openModelDir(std::optional<ModelDirLock> &lock) {
  absl::StatusOr<ModelDirLock> acquired = ModelDirLock::acquire(modelDir_);
  if (!acquired.ok())
    return acquired.status();
  lock.emplace(*std::move(acquired));
  absl::StatusOr<std::string> runDirectory = makeRunDirectory(modelDir_);
  if (!runDirectory.ok())
    return runDirectory.status();
  runDirectory_ = *runDirectory;
  return reporter_.openLog(runDirectory_ + "/log.txt");
}

absl::Status TrainRun::run(ExitCode &exitCode) {
  modelDir_ = context_.line.text("model_dir");
  if (modelDir_.empty() && !isDryRun_)
    return messageStatus(absl::StatusCode::kInvalidArgument, makeError("E0206", "train needs --model_dir"));
  // No signal is lost from here on: what was begun is saved.
  SignalWatch watch;
  std::optional<ModelDirLock> lock;
  if (!isDryRun_)
    if (absl::Status status = openModelDir(lock); !status.ok())
      return status;
  // The number of shards of a resumed run stands in its checkpoint, so the line comes first once that is read.
  reporter_.hold();
  if (lock && !lock->previous().empty())
    reporter_.line("note     the last owner of this model_dir (" + lock->previous() +
                   ") ended without giving its lock back; it is taken over");
  absl::Status status = openState();
  reporter_.release("bit-exact: " + guarantee() + ", seed " + std::to_string(seed_) + ", threads " +
                    std::to_string(pool_.threads()));
  if (!status.ok())
    return status;
  if (absl::Status opened = openData(); !opened.ok())
    return opened;
  if (absl::Status described = describeRun(); !described.ok())
    return described;

  total_ = totalSteps();
  std::string reason = "dry_run";
  const bool trains = isDryRun_ || !isAtEnd(reason);
  if (trains) {
    absl::StatusOr<std::unique_ptr<TrainLoop>> loop = TrainLoop::create(*program_, pool_, data_, options_);
    if (!loop.ok())
      return loop.status();
    loop_ = *std::move(loop);
    started_ = Clock::now();
  }
  // Not before all is checked that may refuse the run: what earlier ones left stays in its place then.
  if (!isDryRun_)
    if (absl::Status tidied = checkpoints_.tidy(context_.line.on("fresh"), runDirectory_); !tidied.ok())
      return tidied;
  if (trains)
    if (absl::Status trained = isDryRun_ ? dryRun() : trainSteps(reason); !trained.ok())
      return trained;
  exitCode = reason == "interrupted"  ? ExitCode::Interrupted
             : reason == "terminated" ? ExitCode::Terminated
                                      : ExitCode::Success;
  finish(reason, exitCode);
  return absl::OkStatus();
}

absl::Status runTrain(RunContext &context, ExitCode &exitCode) {
  TrainRun run(context);
  absl::Status status = run.run(exitCode);
  if (!status.ok())
    context.failedStep = run.reachedStep();
  return status;
}

} // namespace mlcrt
