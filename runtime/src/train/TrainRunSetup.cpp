// What a run opens before it trains: state, data, model_dir.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/TrainRunState.h"

#include "common/cli/ShellText.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/RangeInit.h"
#include "runtime/src/train/MemoryCheck.h"
#include "runtime/src/train/Preflight.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

namespace mlcrt {

using mlc::common::makeError;

/// Appends a flag as it can be typed, once for each value.
static void addFlag(std::string &text, const char *name, const std::vector<std::string> &values) {
  for (const std::string &value : values)
    text += std::string(" --") + name + " " + mlc::common::shellWord(value);
}

static void addFlag(std::string &text, const char *name, std::optional<int64_t> number) {
  if (number)
    text += std::string(" --") + name + " " + std::to_string(*number);
}

static void addFlag(std::string &text, const char *name, const std::string &value, const std::string &usual) {
  if (value != usual)
    addFlag(text, name, std::vector<std::string>{value});
}

static void addFlag(std::string &text, const char *name, int64_t number, int64_t usual) {
  if (number != usual)
    addFlag(text, name, std::optional(number));
}

static void addSwitch(std::string &text, const char *name, bool isOn) {
  if (isOn)
    text += std::string(" --") + name;
}

/// What a verb runs on, and how much of that it takes.
static void addMachine(std::string &text, const RunOptions &options) {
  const RunOptions usual;
  addFlag(text, "device", options.device, usual.device);
  addFlag(text, "gpu_memory", options.gpuMemory, usual.gpuMemory);
  addFlag(text, "threads", options.threads, usual.threads);
  addSwitch(text, "force", options.force);
}

/// What a task of a cluster has beside TF_CONFIG.
static void addCluster(std::string &text, const ClusterOptions &options) {
  const ClusterOptions usual;
  addSwitch(text, "sync", options.sync);
  addFlag(text, "backup_workers", options.backupWorkers, usual.backupWorkers);
  addFlag(text, "backup_policy", options.backupPolicy, usual.backupPolicy);
  addFlag(text, "overlap", options.overlap, usual.overlap);
  addSwitch(text, "evaluator", options.hasEvaluator);
  addFlag(text, "start_timeout", options.startTimeout.count(), usual.startTimeout.count());
  addFlag(text, "stall_timeout", options.stallTimeout.count(), usual.stallTimeout.count());
  addFlag(text, "heartbeat", options.heartbeat.count(), usual.heartbeat.count());
  addFlag(text, "grace", options.grace.count(), usual.grace.count());
  addFlag(text, "message_memory", options.messageMemory, usual.messageMemory);
  addFlag(text, "tls_certificate", options.certificate, usual.certificate);
  addFlag(text, "tls_key", options.key, usual.key);
  addFlag(text, "tls_authority", options.authority, usual.authority);
  addSwitch(text, "insecure", options.insecure);
  // One that the environment names is there for the next command, too.
  if (options.tokenOrigin == usual.tokenOrigin)
    addFlag(text, "token_file", options.tokenFile, usual.tokenFile);
}

/// The values of --set that evaluation reads.
static std::vector<std::string> evalSettings(const std::vector<std::string> &set) {
  std::vector<std::string> found;
  for (const std::string &value : set)
    if (value.compare(0, 4, "eval") == 0 || value.compare(0, 11, "train.files") == 0)
      found.push_back(value);
  return found;
}

/// What to type after this run; it works as it stands, and goes on with the same bits. Empty where nobody types
/// commands.
std::string TrainRun::nextCommand(bool finished) const {
  const RunOptions &options = context_.options;
  if (options.calledAs.empty())
    return "";
  const std::string directory = " --model_dir " + (isDryRun_ ? "DIR" : mlc::common::shellWord(modelDir_));
  if (isDryRun_ || !finished) {
    std::string text = options.commandFor("train") + directory;
    addFlag(text, "train_files", options.trainFiles);
    addFlag(text, "eval_files", options.evalFiles);
    addFlag(text, "epochs", options.epochs);
    addFlag(text, "batch_size", options.batchSize);
    addFlag(text, "seed", options.seed);
    addFlag(text, "virtual_shards", options.virtualShards);
    addFlag(text, "gpus", options.gpus, RunOptions().gpus);
    addFlag(text, "gpu_sums", options.gpuSums, RunOptions().gpuSums);
    addMachine(text, options);
    addCluster(text, options.cluster);
    addSwitch(text, "grow_vocabularies", options.growVocabularies);
    addFlag(text, "set", options.set);
    if (isDryRun_) {
      addSwitch(text, "fresh", options.fresh);
      addFlag(text, "max_steps", options.maxSteps);
      addFlag(text, "steps", options.steps);
    } else if (options.steps || options.maxSteps) {
      // --steps counts from where a run begins.
      addFlag(text, "max_steps", configuration_.settings().getInt("train.max_steps"));
    }
    return text;
  }
  bool evaluates = false;
  for (const EvalSet &set : configuration_.evalSets())
    evaluates |= !configuration_.evalSource(set).empty();
  if (evaluates && artifact_.entry(MLCRT_ROLE_EVAL_UPDATE)) {
    std::string text = options.commandFor("evaluate") + directory;
    addFlag(text, "eval_files", options.evalFiles);
    addMachine(text, options);
    addFlag(text, "set", evalSettings(options.set));
    return text;
  }
  // Without data: what is left to look at is the model itself.
  const bool exports = artifact_.entry(MLCRT_ROLE_PREDICT) && artifact_.table().predict_image_bytes > 0;
  if (exports) {
    std::string text = options.commandFor("export") + directory;
    addMachine(text, options);
    return text;
  }
  return options.program + " ckpt show " + mlc::common::shellWord(modelDir_);
}

/// Of what devices add as: "of sm_90".
static std::string orderText(const std::string &sums) {
  return sums.empty() ? "in the order of the program" : "of " + sums;
}

std::string TrainRun::guarantee() const {
  if (isAsync())
    return "no: async";
  if (cluster_ && setup_.backup.isOn() && setup_.backup.policy == BackupOptions::Policy::Drop)
    return "no: sync, backup workers drop late shards";
  if (isAllReduce(context_.options))
    return "no: sums " + orderText(sums_);
  if (const BatchSource source = configuration_.trainSource();
      restored_ && source.stream && !source.stream->isResumed())
    return "no: resumed, and a stream begins anew";
  if (cluster_ && configuration_.trainSource().stream)
    return "no, unless the streams of all tasks are equal (sync, V=" + std::to_string(virtualShards_) + ")";
  if (sums_ != sumsBefore_)
    return "no: sums " + orderText(sums_) + ", resumed from sums " + orderText(sumsBefore_);
  return "yes (" + std::string(cluster_ ? "sync" : "one process") + ", V=" + std::to_string(virtualShards_) +
         (sums_.empty() ? "" : ", sums of " + sums_) + ")";
}

std::string describeFiles(const std::vector<DataFile> &files) {
  std::string text;
  for (const DataFile &file : files)
    text += std::to_string(file.size) + ":" + std::to_string(file.crc) + " ";
  return text;
}

/// The part of each batch that is the chief's.
absl::Status TrainRun::joinCluster() {
  if (!setup_.isDistributed())
    return absl::OkStatus();
  options_.mode.split = true;
  if (isAsync())
    return absl::OkStatus();
  absl::StatusOr<ShardRange> shards = cluster_->shards(virtualShards_);
  if (!shards.ok())
    return shards.status();
  options_.mode.firstShard = static_cast<int>(shards->first);
  options_.mode.lastShard = static_cast<int>(shards->last);
  return absl::OkStatus();
}

absl::Status TrainRun::beginCluster() {
  if (!cluster_)
    return absl::OkStatus();
  cluster::RunPlan plan;
  plan.set_seed(seed_);
  plan.set_virtual_shards(virtualShards_);
  plan.set_trainers(static_cast<int64_t>(setup_.trainers().size()));
  plan.set_step(startStep_);
  plan.set_epoch(options_.position.epoch);
  plan.set_position(options_.position.position);
  plan.set_max_steps(options_.maxSteps);
  plan.set_epochs(options_.epochs);
  plan.set_data(describeFiles(data_.dataset->files()));
  plan.set_name(std::filesystem::path(runDirectory_).filename().string());
  for (const BatchRange &batch : options_.first) {
    cluster::Ticket *ticket = plan.add_outstanding();
    ticket->set_step(batch.number);
    ticket->set_epoch(batch.begin.epoch);
    ticket->set_position(batch.begin.position);
    ticket->set_rows(batch.rows);
  }
  const std::vector<int64_t> stateSteps = this->stateSteps();
  *plan.mutable_chief_every() = {stateSteps.begin(), stateSteps.end()};
  ChiefCluster::FillServers fill;
  if (!beginsWithInitialValues() || canInitializeRows(artifact_)) {
    fill = [this](ServerRows &rows) { return fillServers(rows); };
  } else if (absl::Status status = makeState(); !status.ok()) {
    return status;
  }
  if (absl::Status status = cluster_->begin(*program_, pool_, std::move(plan), modelDir_, newTickets(), fill);
      !status.ok())
    return status;
  options_.stepper = cluster_->stepper();
  progress_.watch(cluster_->peers(), isAsync());
  if (isAsync()) {
    options_.source = [this] { return cluster_->nextBatch(); };
    options_.stopSource = [this] { cluster_->stopBatches(); };
  }
  reporter_.line("cluster  " + std::to_string(setup_.trainers().size()) + " training tasks, " +
                 std::to_string(setup_.servers().size()) + (setup_.servers().size() == 1 ? " server" : " servers"));
  return absl::OkStatus();
}

absl::Status TrainRun::beginReplicas() {
  if (context_.options.gpus <= 1 || cluster_)
    return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<Replicas>> replicas = Replicas::create(context_, *program_, pool_, options_.mode);
  if (!replicas.ok())
    return replicas.status();
  replicas_ = *std::move(replicas);
  options_.stepper = replicas_->stepper();
  return absl::OkStatus();
}

/// The batches of the order of examples from where this run begins, by their steps.
TicketDesk::NewTicket TrainRun::newTickets() const {
  BatchReader reader(*data_.dataset, options_.batches);
  const ReaderState start = options_.position;
  const int64_t first = startStep_ + static_cast<int64_t>(options_.first.size());
  return [=, maxSteps = options_.maxSteps, epochs = options_.epochs](int64_t step) -> std::optional<cluster::Ticket> {
    const ReaderState at = reader.skip(start, step - first);
    if ((maxSteps >= 0 && step >= maxSteps) || (epochs >= 0 && at.epoch >= epochs))
      return std::nullopt;
    cluster::Ticket ticket;
    ticket.set_step(step);
    ticket.set_epoch(at.epoch);
    ticket.set_position(at.position);
    ticket.set_rows(reader.rowsAt(at));
    return ticket;
  };
}

/// Where the reader stands, and what is left before it.
void TrainRun::describeReader(CheckpointManifest &manifest) const {
  ReaderState at = loop_->position();
  if (isAsync()) {
    const TicketDesk::Rest rest = cluster_->rest();
    const int64_t first = startStep_ + static_cast<int64_t>(options_.first.size());
    at = BatchReader(*data_.dataset, options_.batches).skip(options_.position, rest.next - first);
    for (const cluster::Ticket &ticket : rest.outstanding)
      manifest.outstanding.push_back({ticket.step(), ticket.epoch(), ticket.position(), ticket.rows()});
  } else {
    // Their steps come next.
    for (const BatchRange &batch : loop_->left())
      manifest.outstanding.push_back({loop_->steps() + static_cast<int64_t>(manifest.outstanding.size()),
                                      batch.begin.epoch, batch.begin.position, batch.rows});
  }
  manifest.epoch = at.epoch;
  manifest.position = at.position;
}

/// The steps of whose multiples the chief needs the state.
std::vector<int64_t> TrainRun::stateSteps() const {
  std::vector<int64_t> steps = checkpoints_.distances();
  for (const OpenEvalSet &open : evalSets_)
    if (open.everySteps > 0)
      steps.push_back(open.everySteps);
  return steps;
}

/// What backup workers did.
void TrainRun::reportBackup(JsonObject &event) const {
  const cluster::BackupReport &report = cluster_->backup();
  const bool isDrop = setup_.backup.policy == BackupOptions::Policy::Drop;
  JsonObject object;
  object.text("policy", isDrop ? "drop" : "redundant").integer("workers", report.workers());
  object.integer("changes", report.changes()).integer("recomputed_shards", report.recomputed_shards());
  object.integer("dropped_shards", report.dropped_shards()).integer("late_pushes", report.late_pushes());
  event.raw("backup", object.integer("missed_steps", loop_->missedSteps()).str());
  reporter_.line("backup   b = " + std::to_string(report.workers()) +
                 (setup_.backup.workers < 0 ? " (auto, " + std::to_string(report.changes()) + " changes)" : "") + ", " +
                 (isDrop ? std::to_string(report.dropped_shards()) + " shards dropped, "
                         : std::to_string(report.recomputed_shards()) + " shards recomputed by others, ") +
                 std::to_string(report.late_pushes()) + " pushes came late, the chief missed " +
                 std::to_string(loop_->missedSteps()) + " steps");
}

/// How old the variables were that gradients were computed from.
void TrainRun::reportStaleness(JsonObject &event) const {
  const cluster::Staleness &staleness = cluster_->staleness();
  const double mean = staleness.pushes() ? static_cast<double>(staleness.sum()) / staleness.pushes() : 0;
  std::string counts, shown;
  for (int i = 0; i < staleness.counts_size(); ++i) {
    counts += (i ? "," : "") + std::to_string(staleness.counts(i));
    if (staleness.counts(i))
      shown += "  " + std::to_string(i) + ": " + std::to_string(staleness.counts(i));
  }
  char meanText[32];
  std::snprintf(meanText, sizeof(meanText), "%.2f", mean);
  JsonObject object;
  object.raw("mean", jsonNumber(mean)).integer("max", staleness.max()).raw("counts", "[" + counts + "]");
  object.integer("pushes", staleness.pushes()).integer("repeated_pushes", staleness.repeated_pushes());
  event.raw("staleness", object.integer("reclaimed_tickets", cluster_->reclaimed()).str());
  reporter_.line("stale    mean " + std::string(meanText) + ", max " + std::to_string(staleness.max()) +
                 " updates between pull and push; pushes by that number:" + shown + "; repeated pushes " +
                 std::to_string(staleness.repeated_pushes()) + ", reclaimed tickets " +
                 std::to_string(cluster_->reclaimed()));
}

int64_t TrainRun::totalSteps() const {
  int64_t total = options_.maxSteps;
  if (data_.dataset->stream())
    return total;
  if (options_.epochs >= 0) {
    BatchReader reader(*data_.dataset, options_.batches);
    int64_t perEpoch = reader.batchesPerEpoch(), left = 0;
    ReaderState position = reader.normalize(options_.position);
    if (position.epoch < options_.epochs) {
      // What is left of the current epoch, and the whole ones after it.
      int64_t rows = data_.dataset->size() - position.position, size = options_.batches.batchSize;
      left = options_.batches.dropRemainder ? rows / size : (rows + size - 1) / size;
      left += (options_.epochs - position.epoch - 1) * perEpoch;
    }
    left += static_cast<int64_t>(options_.first.size());
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
  sumsBefore_ = manifest.sums;
  if (sums_ != sumsBefore_)
    reporter_.line("changed  sums " + orderText(sumsBefore_) + " -> " + orderText(sums_) +
                   ": this run is not the continuation of the last one bit for bit");
  if (isAsync() && manifest.virtualShards != 1)
    reporter_.line("changed  virtual_shards " + std::to_string(manifest.virtualShards) +
                   " -> 1, of asynchronous training");
  else if (!context_.options.virtualShards.has_value())
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
  absl::StatusOr<InitialValues> values = findInitialValues(configuration_, artifact_, reporter_);
  if (!values.ok())
    return values.status();
  initialValues_ = *std::move(values);
  warmStart_ = initialValues_.warmStart;
  return cluster_ ? absl::OkStatus() : makeState();
}

/// Gives this process the state that the run begins with.
absl::Status TrainRun::makeState() {
  // Of a checkpoint, too: variables without a place in it would stay unset otherwise.
  if (absl::Status status = program_->initialize(seed_, pool_); !status.ok())
    return status;
  if (beginsWithInitialValues()) {
    StateTarget target(program_->state());
    return initialValues_.copyTo(target);
  }
  if (absl::Status status = restoreState(resumedFrom_, *restored_, artifact_, program_->state()); !status.ok())
    return adviseOnDamage(status, resumedFrom_);
  return absl::OkStatus();
}

/// Gives it to the servers, each its rows.
absl::Status TrainRun::fillServers(ServerRows &rows) {
  if (beginsWithInitialValues()) {
    if (absl::Status status = rows.initialize(seed_); !status.ok())
      return status;
    return initialValues_.copyTo(rows);
  }
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(resumedFrom_, error);
  absl::StatusOr<std::string> blind = rows.restore(error ? resumedFrom_ : path.string());
  if (!blind.ok())
    return adviseOnDamage(blind.status(), resumedFrom_);
  if (!blind->empty())
    reporter_.line("restores by the chief: " + *blind);
  return absl::OkStatus();
}

absl::Status TrainRun::restore() {
  std::optional<CheckpointPath> newest;
  if (!modelDir_.empty() && !context_.options.fresh) {
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
  const SettingTexts settings = configuration_.compiledTexts();
  isGrown_ = context_.options.growVocabularies && hasOtherVocabularies(*manifest, artifact_, settings);
  if (isGrown_) {
    absl::StatusOr<InitialValues> values = findGrownValues(path, configuration_, artifact_, reporter_);
    if (!values.ok())
      return adviseOnDamage(values.status(), path);
    initialValues_ = *std::move(values);
  } else {
    if (absl::Status status = checkFingerprint(path, *manifest, artifact_, settings); !status.ok())
      return status;
    if (absl::Status status = checkVariables(path, *manifest, artifact_); !status.ok())
      return adviseOnDamage(status, path);
  }
  resumedFrom_ = path;
  startStep_ = manifest->step;
  checkpoints_.resume(*manifest);
  takeOver(*manifest);
  if (stopping_.restore(manifest->earlyStopping))
    reporter_.line("changed  train.early_stopping: what was observed under other rules is dropped");
  restored_ = std::move(*manifest);
  return cluster_ ? absl::OkStatus() : makeState();
}

/// On a cluster the servers hold the state, and each checks its share.
absl::Status TrainRun::checkMemory() const {
  if (setup_.isDistributed() || context_.options.force)
    return absl::OkStatus();
  if (absl::Status status = mlcrt::checkMemory(artifact_, memory_, mlc::common::machineLimits(), "the model",
                                               isDryRun_ ? MemoryUse::Try : MemoryUse::Save);
      !status.ok() || !program_)
    return status;
  const absl::StatusOr<std::vector<Device *>> devices = program_->devices().all();
  if (!devices.ok())
    return devices.status();
  for (const Device *device : *devices)
    if (absl::Status status = checkDeviceMemory(memory_, *device); !status.ok())
      return status;
  return absl::OkStatus();
}

/// The workspace of a step: that of all rows of a batch, or of a shard of it.
void TrainRun::measureWorkspace() {
  const bool isWhole = !options_.mode.parts();
  const int64_t batch = std::min(options_.batches.batchSize, data_.dataset->size());
  const int64_t shards = isWhole ? 1 : std::max(virtualShards_, 1);
  memory_.rows = (batch + shards - 1) / shards;
  if (const mlcrt_entry *entry = artifact_.entry(isWhole ? MLCRT_ROLE_TRAIN : MLCRT_ROLE_TRAIN_GRAD)) {
    memory_.workspace = workspaceNeed(artifact_, *entry, memory_.rows, pool_.threads());
    addDeviceNeed(artifact_, entry, pool_.threads(), memory_);
  }
}

absl::Status TrainRun::openState() {
  // Before anything of it is allocated.
  memory_ = stateNeed(artifact_);
  if (absl::Status status = checkMemory(); !status.ok())
    return status;
  absl::StatusOr<std::unique_ptr<Program>> program = context_.makeProgram();
  if (!program.ok())
    return program.status();
  program_ = *std::move(program);
  if (absl::Status status = tellDevices(context_, *program_); !status.ok())
    return status;
  // Variables go to a GPU when they are made; what a step needs there besides is known with the data.
  addDeviceNeed(artifact_, /*entry=*/nullptr, pool_.threads(), memory_);
  if (absl::Status status = checkMemory(); !status.ok())
    return status;
  absl::StatusOr<std::string> sums = program_->devices().sums();
  if (!sums.ok())
    return sums.status();
  if (isAllReduce(context_.options))
    *sums +=
        (sums->empty() ? "" : ", ") + std::string("all-reduce of ") + std::to_string(context_.options.gpus) + " GPUs";
  sums_ = sumsBefore_ = *std::move(sums);
  if (absl::Status status = configuration_.bind(*program_); !status.ok())
    return status;
  if (absl::Status status = openFollowUps(context_, modelDir_, stopping_, exporters_); !status.ok())
    return status;
  if (absl::Status status = checkpoints_.configure(configuration_, artifact_, modelDir_); !status.ok())
    return status;
  seed_ = configuration_.number("run_config.seed");
  // One for each GPU of each task at least: they all do the same work then.
  const auto trainers = static_cast<int64_t>(setup_.trainers().size());
  const int64_t gpus = context_.options.gpus;
  const bool isShared = gpus > 1 || (setup_.isDistributed() && setup_.isSync);
  const int64_t defaultShards = isShared ? std::max<int64_t>(8, std::max<int64_t>(trainers, 1) * gpus) : 1;
  virtualShards_ = static_cast<int>(std::min<int64_t>(context_.options.virtualShards.value_or(defaultShards), 1 << 20));
  return restore();
}

static bool sameFiles(const std::vector<FileRecord> &saved, const std::vector<DataFile> &files) {
  return std::equal(saved.begin(), saved.end(), files.begin(), files.end(),
                    [](const FileRecord &a, const DataFile &b) { return a.size == b.size && a.crc == b.crc; });
}

/// --steps, and the passes of a source, count from where this run begins.
absl::Status TrainRun::limitSteps() {
  std::optional<int64_t> steps = context_.options.steps;
  if (const int64_t passes = configuration_.trainSource().passes; passes > 0) {
    int64_t ofPasses = 0;
    if (__builtin_mul_overflow(passes, BatchReader(*data_.dataset, options_.batches).batchesPerEpoch(), &ofPasses))
      ofPasses = INT64_MAX;
    steps = std::min(steps.value_or(INT64_MAX), ofPasses);
  }
  if (isDryRun_)
    steps = 1;
  if (!steps || *steps == 0)
    return absl::OkStatus(); // a run of no step has no limit to be set
  int64_t last = 0;
  if (__builtin_add_overflow(startStep_, *steps, &last))
    last = INT64_MAX;
  // --steps comes in the place of a limit, passes beside one.
  if (const std::optional<int64_t> limit = configuration_.settings().getInt("train.max_steps");
      limit && !context_.options.steps && !isDryRun_)
    last = std::min(last, *limit);
  mlc::common::MessageList messages;
  if (!configuration_.settings().assign("train.max_steps", {mlc::common::SettingScalar(last)},
                                        isDryRun_ ? "--dry_run" : "--steps", messages))
    return messageStatus(absl::StatusCode::kInvalidArgument, messages.messages().front());
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Program>> RunContext::makeProgram(std::vector<RowRange> held, int laterDevices) const {
  if (absl::Status shown = observation->showRanges(); !shown.ok()) {
    mlc::common::Message warning;
    warning.severity = mlc::common::Severity::Warning;
    warning.what = std::string(shown.message());
    reporter.message(warning);
  }
  return Program::create(artifact, {std::move(held), laterDevices, options.gpuMemory, observation.get()});
}

absl::Status tellDevices(const RunContext &context, Program &program) {
  const absl::StatusOr<std::vector<Device *>> devices = program.devices().all();
  if (!devices.ok())
    return devices.status();
  for (const Device *device : *devices)
    if (const std::string text = device->description(); !text.empty())
      context.reporter.line("device   " + text);
  return absl::OkStatus();
}

std::shared_ptr<FedColumns> RunContext::fedColumns() const {
  if (!observer || !observer->feeds())
    return nullptr;
  return std::make_shared<FedColumns>(*artifact, configuration.input(),
                                      [observer = observer] { return observer->feed(); });
}

absl::StatusOr<EntryData> openTrainData(const RunContext &context, const std::string &cacheDir,
                                        TrainLoopOptions &options) {
  const mlc::common::SettingsTable &settings = context.configuration.settings();
  const mlcrt_role role = options.mode.featuresRole();
  if (absl::Status status = context.artifact->require({role}); !status.ok())
    return status;
  options.batches.batchSize = context.configuration.number("train.batch_size");
  options.batches.dropRemainder = settings.getBool("train.drop_remainder").value_or(false);
  options.batches.shuffle = settings.getBool("train.shuffle").value_or(true);
  options.batches.seed = static_cast<uint64_t>(options.seed);
  options.inputThreads = inputThreadsFor(context.threads());
  options.fed = context.fedColumns();
  if (options.fed)
    options.inputThreads = 0; // who feeds knows what was computed before
  if (context.configuration.trainSource().stream)
    options.batches.shuffle = options.batches.dropRemainder = false;
  return openEntryData(context.configuration, *context.artifact, *context.artifact->entry(role),
                       {context.configuration.trainSource(), context.threads(), cacheDir}, context.reporter);
}

absl::StatusOr<std::vector<OpenEvalSet>> openEvalSets(const RunContext &context, const std::string &cacheDir) {
  std::vector<OpenEvalSet> sets;
  const mlcrt_entry *entry = context.artifact->entry(MLCRT_ROLE_EVAL_UPDATE);
  if (!entry)
    return sets;
  const mlc::common::SettingsTable &settings = context.configuration.settings();
  for (const EvalSet &set : context.configuration.evalSets()) {
    BatchSource source = context.configuration.evalSource(set);
    if (context.observer && context.observer->evaluates(set.name)) {
      OpenEvalSet &open = sets.emplace_back();
      open.set = set;
      open.isObservers = true;
      continue;
    }
    if (source.empty())
      continue;
    if (source.stream && !source.stream->canRewind())
      return messageStatus(absl::StatusCode::kInvalidArgument,
                           makeError("E0206", "an eval set of a run that trains is read again and again: '" +
                                                  source.stream->name() + "' can be read once"));
    absl::StatusOr<EntryData> data = openEntryData(context.configuration, *context.artifact, *entry,
                                                   {std::move(source), context.threads(), cacheDir}, context.reporter);
    if (!data.ok())
      return data.status();
    OpenEvalSet &open = sets.emplace_back();
    open.set = set;
    open.data = *std::move(data);
    open.batchSize = context.configuration.batchSize(set.prefix);
    open.maxBatches = settings.getInt(set.prefix + ".steps").value_or(-1);
    open.everySteps = settings.getInt(set.prefix + ".every_n_steps").value_or(0);
  }
  return sets;
}

absl::Status TrainRun::openData() {
  const mlc::common::SettingsTable &settings = configuration_.settings();
  options_.mode.virtualShards = virtualShards_;
  if (absl::Status status = joinCluster(); !status.ok())
    return status;
  options_.seed = seed_;
  options_.step = startStep_;
  absl::StatusOr<EntryData> data = openTrainData(context_, cacheDir(), options_);
  if (!data.ok())
    return data.status();
  data_ = *std::move(data);
  if (BatchReader(*data_.dataset, options_.batches).batchesPerEpoch() == 0)
    return messageStatus(absl::StatusCode::kInvalidArgument,
                         makeError("E0206", "train.batch_size " + std::to_string(options_.batches.batchSize) +
                                                " is above the " + std::to_string(data_.dataset->size()) +
                                                " examples there are, and train.drop_remainder drops the rest"));
  if (absl::Status status = limitSteps(); !status.ok())
    return status;
  options_.maxSteps = settings.getInt("train.max_steps").value_or(-1);
  const bool isStateOnly = context_.options.steps == 0 && !isDryRun_;
  if (isStateOnly)
    options_.maxSteps = startStep_;
  options_.epochs = settings.getInt("train.epochs").value_or(-1);
  options_.beforeStep = [this](const BatchView &batch, const CallContext &context) {
    if (!summaries_)
      return absl::OkStatus();
    if (!cluster_)
      return summaries_->beforeStep(batch, context);
    return summaries_->beforeStep(batch, context, [this](const FeatureSlot &slot, const CallContext &call) {
      return cluster_->fetchForSummary(slot, call.step);
    });
  };
  if (!cluster_)
    options_.goesAhead = [this](int64_t step) { return goesAhead(step); };
  if (absl::Status status = isStateOnly || data_.dataset->stream() ? absl::OkStatus() : requireStop(settings);
      !status.ok())
    return status;
  // Another cut of the same files may leave fewer rows than were read.
  if (data_.dataset->stream())
    options_.epochs = -1; // it has one, of any length, and begins anew
  else if (restored_ && sameFiles(restored_->dataFiles, data_.dataset->files()) &&
           restored_->position <= data_.dataset->size()) {
    options_.position = {restored_->epoch, restored_->position};
    for (const OutstandingBatch &batch : restored_->outstanding) {
      options_.first.push_back({{batch.epoch, batch.position}, batch.rows, batch.step});
      options_.batches.maxRows = std::max(options_.batches.maxRows, batch.rows);
    }
  } else if (restored_) {
    reporter_.line("changed  data files: reading starts at their first example; step and slots are kept");
    for (const FileRecord &file : restored_->dataFiles)
      reporter_.line("  before " + file.path + " (" + std::to_string(file.size) + " bytes)");
    for (const DataFile &file : data_.dataset->files())
      reporter_.line("  now    " + file.path + " (" + std::to_string(file.size) + " bytes)");
  }
  if (hasEvaluator_)
    return absl::OkStatus();
  absl::StatusOr<std::vector<OpenEvalSet>> sets = openEvalSets(context_, cacheDir());
  if (!sets.ok())
    return sets.status();
  evalSets_ = *std::move(sets);
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
  record.memory = memory_;
  record.trainFiles = &data_.dataset->files();
  if (!data_.dataset->stream())
    record.trainExamples = data_.dataset->size();
  for (const OpenEvalSet &open : evalSets_)
    if (!open.isObservers)
      record.evalSets.push_back({open.set.name, &open.data.dataset->files(), open.data.dataset->size()});
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
  reporter_.line("memory   " + memoryText(memory_));
  if (restored_)
    reporter_.line("resumed  " + resumedFrom_ + " at step " + std::to_string(startStep_) + ", epoch " +
                   std::to_string(options_.position.epoch) + ", example " + std::to_string(options_.position.position));
  reporter_.event(configEvent(facts, context_));
  return absl::OkStatus();
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
  // A cluster may have an evaluator that TF_CONFIG does not list.
  if (hasEvaluator_ || !setup_.config.tasks.empty()) {
    absl::StatusOr<std::unique_ptr<Lease>> lease =
        Lease::create(modelDir_, kChiefLeaseName, std::filesystem::path(runDirectory_).filename().string());
    if (!lease.ok())
      return lease.status();
    lease_ = *std::move(lease);
  }
  return reporter_.openLog(runDirectory_ + "/log.txt");
}

} // namespace mlcrt
