// A run of train: what it opens, its loop, its end. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_TRAINRUNSTATE_H
#define MLCRT_TRAIN_TRAINRUNSTATE_H

#include "common/machine/MemoryNeed.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/input/RecordIndex.h"
#include "runtime/src/train/Cluster.h"
#include "runtime/src/train/EarlyStopping.h"
#include "runtime/src/train/EvaluatorFiles.h"
#include "runtime/src/train/Exporters.h"
#include "runtime/src/train/ModelDir.h"
#include "runtime/src/train/Replicas.h"
#include "runtime/src/train/RunCheckpoints.h"
#include "runtime/src/train/RunRecord.h"
#include "runtime/src/train/StepObserver.h"
#include "runtime/src/train/StepProgress.h"
#include "runtime/src/train/Summaries.h"
#include "runtime/src/train/TrainLoop.h"
#include "runtime/src/train/TrainRun.h"
#include "runtime/src/train/WarmStart.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// Threads that read ahead beside `threads` of the step.
inline int inputThreadsFor(int threads) { return std::clamp(threads / 2, 1, 4); }

/// An eval set that has files.
struct OpenEvalSet {
  EvalSet set;
  EntryData data;
  bool isObservers = false; ///< the observer evaluates it, and there is no data
  int64_t batchSize = 0, maxBatches = -1, everySteps = 0;
  int64_t lastStep = -1;         ///< at which it was evaluated
  std::vector<Metric> last = {}; ///< what that gave
};

/// Opens the eval sets that have files; none where the artifact does not evaluate.
absl::StatusOr<std::vector<OpenEvalSet>> openEvalSets(const RunContext &context, const std::string &cacheDir);
/// Opens train.files and sets what options.batches and inputThreads are from the settings; seed and mode are set.
absl::StatusOr<EntryData> openTrainData(const RunContext &context, const std::string &cacheDir,
                                        TrainLoopOptions &options);
/// Hands what the last step of a loop computed to the observer; whether the run goes on. Errors of the observer, and of
/// ShardStep::own; of a task of a cluster (`task`, else empty) one that it gave up with (kCancelled) is an error that
/// no restart mends.
absl::StatusOr<bool> observeStep(StepObserver &observer, TrainLoop &loop, ObservedState &state,
                                 const std::string &task = "");
/// Sizes and checksums: equal texts, equal data.
std::string describeFiles(const std::vector<DataFile> &files);

/// One run of the verb.
class TrainRun {
public:
  /// `setup` outlives the run.
  TrainRun(RunContext &context, const ClusterSetup &setup)
      : context_(context), setup_(setup), artifact_(*context.artifact), configuration_(context.configuration),
        reporter_(context.reporter),
        pool_(context.threads(), ThreadPool::kDefaultSpinNanoseconds, inputThreadsFor(context.threads())),
        checkpoints_(context.reporter, *context.observation), progress_(context.reporter, *context.observation),
        isDryRun_(context.options.dryRun), hasEvaluator_(setup.hasEvaluator() && !isDryRun_) {}

  absl::Status run(mlc::common::ExitCode &exitCode);
  /// The number of steps in the state, so far.
  int64_t reachedStep() const { return loop_ ? std::max(loop_->steps(), startStep_) : startStep_; }

private:
  absl::Status runJob(mlc::common::ExitCode &exitCode, const std::optional<ModelDirLock> &lock);
  absl::Status joinCluster();
  absl::Status beginCluster();
  absl::Status beginReplicas();
  absl::Status openState();
  absl::Status checkMemory() const;
  void measureWorkspace();
  absl::Status initialize();
  absl::Status restore();
  absl::Status makeState();
  absl::Status fillServers(ServerRows &rows);
  void takeOver(const CheckpointManifest &manifest);
  absl::Status limitSteps();
  absl::Status openData();
  absl::Status describeRun();
  absl::Status trainSteps(std::string &reason);
  absl::Status runSteps(std::string &reason);
  absl::Status afterStep(bool end);
  void describeReader(CheckpointManifest &manifest) const;
  absl::StatusOr<SaveJob> describeState();
  absl::Status settle(bool anew = false);
  bool isStateDue(int64_t step) const;
  bool goesAhead(int64_t step) const;
  bool isAsync() const { return cluster_ && !setup_.isSync; }
  /// Whether others may make steps while this task does something else.
  bool canBePassed() const { return cluster_ && (!setup_.isSync || setup_.backup.isOn()); }
  std::vector<int64_t> stateSteps() const;
  void reportBackup(JsonObject &event) const;
  TicketDesk::NewTicket newTickets() const;
  void reportStaleness(JsonObject &event) const;
  absl::Status save(RunCheckpoints::Which which);
  absl::Status finishSave();
  absl::Status tellSaved();
  void checkGrace();
  bool isEvaluationDue(const OpenEvalSet &open, int64_t step, bool saved) const;
  absl::Status evaluateSets(bool saved, bool end);
  absl::Status evaluateSet(OpenEvalSet &open);
  absl::Status exportEvaluated(const OpenEvalSet &open, const std::vector<Metric> &metrics);
  absl::Status exportFinal();
  absl::Status evaluateAgain();
  absl::Status openExports();
  absl::StatusOr<Exporters::Model> stateOfStep();
  absl::Status openStepState(int64_t step, const std::string &checkpoint);
  absl::Status readEvaluations();
  absl::Status endJob(const std::string &reason, int exit);
  absl::Status awaitEvaluator(std::string &reason);
  absl::Status checkLoss();
  bool isAtEnd(std::string &reason) const;
  absl::Status openModelDir(std::optional<ModelDirLock> &lock);
  absl::Status dryRun();
  void judge() const;
  void finish(const std::string &reason, mlc::common::ExitCode exitCode);
  int64_t totalSteps() const;
  RunRecord record() const;
  /// Where indices of records are kept; nowhere in a dry run.
  std::string cacheDir() const { return isDryRun_ ? "" : defaultCacheDir(); }
  std::string guarantee() const;
  std::string nextCommand(bool finished) const;

  RunContext &context_;
  const ClusterSetup &setup_;
  const Artifact &artifact_;
  Configuration &configuration_;
  Reporter &reporter_;
  ThreadPool pool_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Replicas> replicas_; ///< null: it trains on one device
  EntryData data_;
  std::unique_ptr<ChiefCluster> cluster_; ///< null in one process; its tickets are of the data
  std::vector<OpenEvalSet> evalSets_;
  std::unique_ptr<TrainLoop> loop_;
  std::optional<RunSummaries> summaries_;
  std::unique_ptr<ShardWriter> localShards_; ///< null in a cluster
  RunCheckpoints checkpoints_;               // after the state: it waits for the save in its destructor
  EarlyStopping stopping_;
  Exporters exporters_;
  StepProgress progress_;

  std::unique_ptr<ObservedState> observedState_; ///< null: nobody observes
  bool isGraceTold_ = false;
  /// An observer, of this task or of another one, ends training after the last step.
  bool isAskedToEnd_ = false;
  /// The step of the last checkpoint that it was told of.
  int64_t observedSave_ = -1;
  const bool isDryRun_;
  const bool hasEvaluator_;                     ///< a task of its own evaluates
  std::optional<EvaluationReader> evaluations_; ///< its, for early stopping
  std::unique_ptr<Lease> lease_;                ///< by which an evaluator sees that this process lives
  std::string modelDir_, runDirectory_, resumedFrom_, warmStart_;
  std::string sums_, sumsBefore_; ///< in what order devices add (Devices::sums), and did in what this run resumes
  int64_t seed_ = 0, startStep_ = 0;
  int virtualShards_ = 1;
  mlc::common::MemoryNeed memory_;
  /// The state of a step, of a cluster's chief that evaluates: that of its checkpoint, or of the servers' copies.
  struct StepState {
    std::unique_ptr<Program> program;
    std::unique_ptr<TableSource> rows;
    int64_t step = -1;
    bool isSaved = false;
  };
  StepState stepState_;
  std::optional<CheckpointManifest> restored_;
  InitialValues initialValues_; ///< of a run that begins with initial values
  bool isGrown_ = false;        ///< it goes on with a checkpoint whose vocabularies have fewer terms
  /// Whether initialValues_ stand over what the initializers give; else the checkpoint has all.
  bool beginsWithInitialValues() const { return resumedFrom_.empty() || isGrown_; }
  TrainLoopOptions options_;
  std::chrono::steady_clock::time_point started_;
  int64_t total_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_TRAINRUNSTATE_H
