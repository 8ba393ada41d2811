// What a run is asked for. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_RUNOPTIONS_H
#define MLCRT_TRAIN_RUNOPTIONS_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// How a task finds the others of its cluster, and what it lets them do.
struct ClusterOptions {
  std::string tfConfig; ///< the JSON text of TF_CONFIG; empty: this is no task of a cluster
  bool sync = false;
  std::string backupWorkers = "0", backupPolicy = "redundant", overlap = "auto";
  bool hasEvaluator = false; ///< one that `tfConfig` does not list
  std::chrono::seconds startTimeout{300}, stallTimeout{60}, heartbeat{5}, grace{25};
  int64_t messageMemory = 8192; ///< MiB
  std::string certificate, key, authority;
  bool insecure = false;
  std::string tokenFile;
  std::string tokenOrigin = "--token_file "; ///< what messages call it
};

/// What a run shows of itself.
struct ObservationOptions {
  std::string timeline, timelineSteps, metricsPort;
};

/// All that artifact and data do not tell of a run; the flags of the trainer's verbs (docs/command-line.md). What is
/// empty or absent is not asked for.
struct RunOptions {
  std::string verb; ///< "train", "evaluate", "predict", "export" or "run"
  /// The command that led to the run, for run.json; the first is the program.
  std::vector<std::string> command;
  /// How its user calls the program, with VERB for the verb: "mlc VERB census.pbtxt". Empty: this is no program of a
  /// shell, and nothing is said of what to type.
  std::string calledAs;
  /// The program that has the verbs on checkpoints, as it can be typed.
  std::string program;

  std::string modelDir;
  /// "best", "latest", a step, or a directory.
  std::string checkpoint;

  /// PATH=VALUE, of settings that may change at the start of a run.
  std::vector<std::string> set;
  /// Settings with a name of their own; they win over `set`.
  std::vector<std::string> trainFiles, evalFiles, predictFiles, keys, forward;
  std::optional<int64_t> batchSize, maxSteps, epochs, seed;
  /// Steps from where the run begins; 0: none, the state alone is saved.
  std::optional<int64_t> steps;

  std::optional<int64_t> virtualShards;
  int threads = 0; ///< 0: the processors that this process may use
  int64_t gpus = 1;
  std::string gpuSums = "copies"; ///< or "nccl", "allreduce": how several GPUs bring sums together
  std::string device = "auto";    ///< or "cpu", "gpu"
  int64_t gpuMemory = -1;         ///< bytes that the run takes of a GPU at most; -1: as CudaOptions has it
  bool fresh = false, dryRun = false, force = false;
  /// evaluate, predict: where there is no checkpoint the model has the values that training would begin with, those of
  /// a warm start among them, with a warning.
  bool mayBeInitial = false;
  /// train: a checkpoint whose vocabularies have fewer terms is gone on with (findGrownValues).
  bool growVocabularies = false;
  /// evaluate, predict, export: an artifact that does not train may have a part of the checkpoint's variables, which
  /// are compared by name, dtype and shape. Else columns and vocabularies have to be the same, too (checkFingerprint).
  bool partOfState = false;

  std::optional<std::string> name; ///< of an eval set, empty for the unnamed one, or of an export
  /// evaluate: metrics also go to event files of the model_dir, in eval, or eval_<this> if it is not empty.
  std::optional<std::string> events;
  bool report = false; ///< evaluate: by class, too
  std::string output, format = "jsonl", onBadRow = "fail";
  std::vector<std::string> goldenFiles;
  std::optional<int64_t> goldenRows;

  /// Of the verb run.
  std::vector<std::string> inputs, entries, fetches, feeds;
  bool json = false; ///< its results as JSON

  ObservationOptions observation;
  ClusterOptions cluster;

  /// `threads`, or the processors that this process may use.
  int threadCount() const;
  /// How the user calls a verb: "mlc evaluate census.pbtxt"; empty where nobody types commands.
  std::string commandFor(const std::string &verb) const;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_RUNOPTIONS_H
