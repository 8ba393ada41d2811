// What is noted of a run: runs/NNNN and the config event. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_RUNRECORD_H
#define MLCRT_TRAIN_RUNRECORD_H

#include "absl/status/status.h"
#include "common/machine/MemoryNeed.h"
#include "runtime/src/input/FileList.h"
#include "runtime/src/train/TrainRun.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// The facts of a run that neither artifact nor configuration tell.
struct RunRecord {
  std::string modelDir, runDirectory;
  std::string resumedFrom; ///< a checkpoint, or empty
  std::string warmStart;   ///< where initial values are from, or empty
  std::string task;        ///< "evaluator 0"; empty: it trains
  std::string guarantee;   ///< "yes (one process, V=1)"
  int threads = 1;
  int64_t seed = 0, virtualShards = 1;
  mlc::common::MemoryNeed memory;
  const std::vector<DataFile> *trainFiles = nullptr;
  std::optional<int64_t> trainExamples; ///< none: of a task that only evaluates
  struct EvalSetRecord {
    std::string name;
    const std::vector<DataFile> *files = nullptr;
    int64_t examples = 0;
  };
  std::vector<EvalSetRecord> evalSets;
};

/// Writes config.txt (settings in force with origins), config.pbtxt (the resolved spec, if the artifact has it) and
/// run.json to record.runDirectory. Errors as writeError.
absl::Status writeRunRecord(const RunRecord &record, const RunContext &context);

/// The event "config": one JSON object.
std::string configEvent(const RunRecord &record, const RunContext &context);

} // namespace mlcrt

#endif // MLCRT_TRAIN_RUNRECORD_H
