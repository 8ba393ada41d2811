//===- RangeUpdate.h - The compiled update on the rows that a server holds ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of an update (mlcrt_update) are cut into phases: functions of rows that make partial values (none in
// most phases), then one function of what all rows share; after the last phase the updates of rows. A server runs the
// functions of rows on its own rows. Server 0 runs the shared ones, on the partial values of all servers one after the
// other in the servers' order, and the others take from it what their functions read:
//
//   each server   runPartials(p): its part of the partial values, as bytes
//   server 0      takeParts(p) of all servers, runShared(p), giveValues(p): what the others need, as bytes
//   the others    takeValues(p)
//   each server   after the last phase: runUpdates
//
// Together they have the bits of train_apply on all rows. An artifact without these functions has one phase,
// train_apply, and all its state on server 0.
#ifndef MLCRT_CORE_RANGEUPDATE_H
#define MLCRT_CORE_RANGEUPDATE_H

#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/core/ShardPlan.h"
#include "runtime/src/core/SumRanges.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace mlcrt {

class RangeUpdate {
public:
  /// One update: the sums of the step as SumRanges shapes them, and the symbols of its batch.
  struct Call {
    CallContext context;
    SumSet *sums = nullptr;
    const Symbols *global = nullptr;
  };
  /// What a server gives to a phase.
  struct Part {
    std::vector<int64_t> counts; ///< entries of each sparse sum
    std::string values;          ///< its partial values, in the order of the tables
  };
  /// What the functions of rows read after a phase.
  struct Values {
    std::vector<std::vector<int64_t>> dims;
    std::string bytes; ///< one after the other
  };

  /// All references outlive this; the program's state holds plan.held(server).
  RangeUpdate(Program &program, ThreadPool &pool, const ShardPlan &plan, int server);

  /// The entry whose outputs a step has.
  static const mlcrt_entry &outputsEntry(const Artifact &artifact);
  /// kFailedPrecondition if an artifact cannot be updated by servers.
  static absl::Status check(const Artifact &artifact);

  int phases() const { return static_cast<int>(phases_.size()); }
  /// Whether the shared function of a phase needs something of each server.
  bool needsParts(int phase) const { return phases_[phase].needsParts; }

  /// Runs the partial functions of a phase on this server's rows. Beside other calls only if `phase` is 0.
  absl::StatusOr<Part> runPartials(int phase, const Call &call);
  /// Server 0: the parts of all servers, by number; of a phase that needs none, of none. kInvalidArgument if a part is
  /// not of the size that the plan and its counts say.
  absl::Status takeParts(int phase, const std::vector<const Part *> &parts);
  absl::Status runShared(int phase, const Call &call);
  Values giveValues(int phase) const;
  /// Another server: what server 0 gave. kInvalidArgument if it does not fit.
  absl::Status takeValues(int phase, const Values &values);
  /// Updates this server's rows. Functions that took long the last time are run by all threads of the pool, one after
  /// the other; of the others, which are most, each thread runs its own: to wake threads for one would take longer.
  absl::Status runUpdates(const Call &call);

  /// Outputs of the step, on server 0, after the last runShared.
  const EntryOutputs &outputs() const { return phases_.back().shared.runner->outputs(); }

private:
  /// A function of the update.
  struct Function {
    const mlcrt_update *update = nullptr; ///< null: train_apply as a whole
    std::unique_ptr<EntryRunner> runner;
    RowRange rows; ///< of functions of rows: this server's
    /// Of an update: whether no other one has to do with the variables that it writes; what it took the last time.
    bool isAlone = true;
    std::chrono::nanoseconds took = std::chrono::nanoseconds::max();
    absl::Status status;
  };
  /// A partial value of a phase.
  struct Partial {
    int32_t index;    ///< of the shared value
    int32_t function; ///< that makes it
    int32_t variable; ///< or a sum (sums after the variables): its rows are the value's
    int32_t ids;      ///< a sparse sum, whose entries are the value's; -1: rows are
  };
  struct Phase {
    std::vector<Function> partials;
    std::vector<Partial> made;
    Function shared;
    bool needsParts = false;
    std::vector<int32_t> values; ///< indices of shared values that functions of rows read after it
  };

  Function makeFunction(const mlcrt_update *update, const mlcrt_entry &entry);
  void addPartials(Phase &phase) const;
  void findDependent();
  /// Whose rows a function's are: a variable, or a sum after the variables.
  int32_t rowsOf(const mlcrt_update &update) const;
  RowRange rangeOf(int32_t thing, int server) const;
  absl::Status run(Function &function, const Call &call, std::vector<Tensor> &shared);
  /// The same for an update; notes how long it took, and its status.
  void runTimed(Function &function, const Call &call);
  int64_t elementBytes(int32_t index) const;
  int64_t countOf(const Partial &partial, const Part &part, int server) const;

  Program &program_;
  ThreadPool &pool_;
  const ShardPlan &plan_;
  const int server_;
  const std::vector<int32_t> sparse_; ///< "t.ids" of all sparse sums
  std::vector<Phase> phases_;
  std::vector<Function> updates_;
  std::vector<Function *> small_; ///< those that threads share in a call; kept for its memory
  std::vector<Tensor> shared_;    ///< by index into mlcrt_artifact.shared
  std::vector<Tensor> partials_;  ///< the same, of this server's rows
  std::vector<int64_t> totals_;   ///< entries of all servers, of each sparse sum
};

} // namespace mlcrt

#endif // MLCRT_CORE_RANGEUPDATE_H
