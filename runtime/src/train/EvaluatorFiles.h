// What trainer and evaluator tell each other through the model_dir. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   evaluations.jsonl   written by the evaluator: a line for each evaluation that it did
//   evaluator-lease     written by the evaluator while it runs: checkpoints that retention leaves alone
//   chief-lease         written by a trainer of a cluster while it runs: it is there
//   ENDED.json          written by the trainer: the job is at its end
#ifndef MLCRT_TRAIN_EVALUATORFILES_H
#define MLCRT_TRAIN_EVALUATORFILES_H

#include "absl/status/statusor.h"
#include "runtime/src/train/Evaluation.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace mlcrt {

//===----------------------------------------------------------------------===//
// Evaluations
//===----------------------------------------------------------------------===//

inline constexpr const char *kEvaluationsName = "evaluations.jsonl";

/// One evaluation of an eval set at a checkpoint.
struct EvaluationRecord {
  std::string evalSet;
  int64_t step = 0;
  std::vector<Metric> metrics; ///< read back: those that are numbers, with name and values alone
};

/// Appends one, durably. What a kill left of a line is cut off. Errors as writeError.
absl::Status appendEvaluation(const std::string &modelDir, const EvaluationRecord &record);

/// Removes the evaluations after `step`, which training makes again. Errors as EvaluationReader and writeError.
absl::Status dropEvaluationsAfter(const std::string &modelDir, int64_t step);

/// Reads the evaluations of a model_dir as they come.
class EvaluationReader {
public:
  explicit EvaluationReader(const std::string &modelDir) : path_(modelDir + "/" + kEvaluationsName) {}

  /// Those that came since the last call, in their order; looks at the file's size alone if there are none. Where the
  /// file is another one than before (or shorter), all of them, and isAnew() is true. kDataLoss (E0403): damaged.
  absl::StatusOr<std::vector<EvaluationRecord>> poll();
  bool isAnew() const { return isAnew_; }

private:
  std::string path_;
  uint64_t inode_ = 0;
  int64_t offset_ = 0;
  bool isAnew_ = true;
};

//===----------------------------------------------------------------------===//
// Lease
//===----------------------------------------------------------------------===//

inline constexpr const char *kEvaluatorLeaseName = "evaluator-lease";
inline constexpr const char *kChiefLeaseName = "chief-lease";

/// A sign of life of this process, of role evaluator or chief; of the evaluator's, named checkpoints stay. It is
/// written again each few seconds, for as long as this lives.
class Lease {
public:
  static constexpr std::chrono::seconds kHeartbeat{5};

  /// Writes a lease of no checkpoint under one of the names above. `run`: name of the directory of this run. Errors as
  /// writeError.
  static absl::StatusOr<std::unique_ptr<Lease>>
  create(const std::string &modelDir, const char *name = kEvaluatorLeaseName, const std::string &run = {});
  /// Removes it.
  ~Lease();
  Lease(const Lease &) = delete;
  Lease &operator=(const Lease &) = delete;

  /// From here on the checkpoints of `steps` stay. Errors as writeError.
  absl::Status hold(std::vector<int64_t> steps);

private:
  Lease(std::string path, std::string run);
  absl::Status write();
  void beat();

  std::string path_, run_;
  uint64_t incarnation_ = 0;
  int64_t heartbeats_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<int64_t> steps_;
  bool stop_ = false;
  std::thread thread_;
};

/// A lease as another process sees it. It ends when its file does not change for `expiry` of the reader's own clock:
/// those of two hosts need not agree.
class LeaseReader {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kExpiry{30};

  explicit LeaseReader(const std::string &modelDir, const char *name = kEvaluatorLeaseName,
                       std::chrono::seconds expiry = kExpiry)
      : path_(modelDir + "/" + name), expiry_(expiry) {}

  /// The steps whose checkpoints stay; nothing without a lease, or if it ended.
  std::optional<std::vector<int64_t>> steps(Clock::time_point now = Clock::now());
  /// "host h pid 7" of the last lease that steps() saw; empty if there was none.
  const std::string &holder() const { return holder_; }
  /// Its run, as of Lease::create.
  const std::string &run() const { return run_; }

private:
  std::string path_, text_, holder_, run_;
  std::chrono::seconds expiry_;
  Clock::time_point since_;
};

//===----------------------------------------------------------------------===//
// End of the job
//===----------------------------------------------------------------------===//

inline constexpr const char *kEndedName = "ENDED.json";

/// Training is at its end.
struct JobEnd {
  int64_t step = 0;
  std::string reason;
  std::string run;  ///< name of the directory of the run that ended
  int64_t exit = 0; ///< what its tasks exit with
};

/// Errors as writeError.
absl::Status writeJobEnd(const std::string &modelDir, const JobEnd &end);
/// A run begins. Errors as writeError.
absl::Status removeJobEnd(const std::string &modelDir);
/// Nothing if the job goes on. kDataLoss (E0403): damaged.
absl::StatusOr<std::optional<JobEnd>> readJobEnd(const std::string &modelDir);
/// Whether the end of the job was told since this process began. The evaluator's lease must just have been written,
/// when the process was of this `age`: the times that the model_dir's file system gave both files are compared, as
/// clocks of two hosts may differ. False if there is no end.
bool hasEndedSinceStart(const std::string &modelDir, std::chrono::nanoseconds age);
/// How long ago this process began, before it executed this program, too; 0 if the system does not tell.
std::chrono::nanoseconds processAge();

} // namespace mlcrt

#endif // MLCRT_TRAIN_EVALUATORFILES_H
