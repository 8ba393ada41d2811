//===- Program.h - An artifact with its state: what runners of entries share -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_PROGRAM_H
#define MLCRT_CORE_PROGRAM_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/core/Artifact.h"
#include "runtime/src/core/DeviceOperands.h"
#include "runtime/src/core/Devices.h"
#include "runtime/src/core/LookupTables.h"
#include "runtime/src/core/Queue.h"
#include "runtime/src/core/Settings.h"
#include "runtime/src/core/State.h"
#include "runtime/src/core/StateFiles.h"
#include "runtime/src/core/ThreadPool.h"

#include <deque>
#include <memory>
#include <mutex>

namespace mlcrt {

class RunObservation;

/// What a program is made for.
struct ProgramOptions {
  std::vector<RowRange> held = {}; ///< as of State
  int laterDevices = 0;            ///< as of Devices
  int64_t deviceMemory = -1;       ///< the same
  /// What its runners, and who works with it, count into and tell the time of parts; null: nobody looks. Outlives it.
  RunObservation *observation = nullptr;
};

/// State, settings, tables and queues of one artifact. Runners (EntryRunner, TrainStep) of several threads may share
/// it; it outlives them.
///
///   auto artifact = Artifact::open("model.so");
///   auto program = Program::create(*artifact);
///   ThreadPool pool(2);
///   (*program)->initialize(seed, pool);
class Program {
public:
  /// Allocates the variables (zeros) and builds the tables.
  static absl::StatusOr<std::unique_ptr<Program>> create(std::shared_ptr<const Artifact> artifact,
                                                         const ProgramOptions &options = {});

  const Artifact &artifact() const { return *artifact_; }
  State &state() { return state_; }
  Settings &settings() { return settings_; }
  const LookupTables &tables() const { return tables_; }
  Queues &queues() { return queues_; }
  Devices &devices() { return devices_; }
  Homes &homes() { return homes_; }
  /// ProgramOptions::observation.
  RunObservation *observation() const { return observation_; }
  /// Runners made afterwards run the entry that they are of, and no other part of one that is placed: those run
  /// elsewhere.
  void runPartsAlone() { partsAreAlone_ = true; }
  bool partsAreAlone() const { return partsAreAlone_; }
  /// For one run at a time of an entry of this artifact whose parts talk over channels.
  std::mutex &turnOf(const mlcrt_entry &entry) { return turns_[&entry - artifact_->table().entries]; }

  /// What the program saves tensors to and loads them from; null, as at first: nothing. Runners made afterwards use it.
  const StateFiles *files() const { return files_; }
  void useFiles(const StateFiles &files) { files_ = &files; }

  /// Runs the init entry: every variable of lifetime train gets its initial value. Nothing to do without such an entry.
  absl::Status initialize(int64_t seed, ThreadPool &pool);
  /// Runs the eval_reset entry: metrics start anew.
  absl::Status resetEval(ThreadPool &pool);

private:
  Program(std::shared_ptr<const Artifact> artifact, LookupTables tables, const ProgramOptions &options);
  absl::Status runPlain(mlcrt_role role, int64_t seed, ThreadPool &pool);

  std::shared_ptr<const Artifact> artifact_;
  RunObservation *const observation_;
  State state_;
  Settings settings_;
  LookupTables tables_;
  Queues queues_;
  Devices devices_;
  Homes homes_;
  std::deque<std::mutex> turns_;
  const StateFiles *files_ = nullptr;
  bool partsAreAlone_ = false;
};

} // namespace mlcrt

#endif // MLCRT_CORE_PROGRAM_H
