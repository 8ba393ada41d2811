// One execution of entries on arrays from files. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_RUN_RUNENTRY_H
#define MLCRT_RUN_RUNENTRY_H

#include "absl/status/statusor.h"
#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/core/Program.h"
#include "runtime/src/run/Npy.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mlcrt {

/// What to run.
struct RunRequest {
  std::vector<std::string> entries; ///< run at once; none: the only one, or predict
  std::vector<std::string> inputs;  ///< NAME=FILE.npy
  std::string inputFlag = "input";  ///< that gives inputs, for messages
  std::string output;               ///< directory for NAME.npy, made if absent; empty: values as text
  int threads = 1;
  int64_t seed = 0;
  int64_t step = 0; ///< that the state is of
  bool json = false;
};

/// Entries that are about to run, with their inputs.
class EntryCalls {
public:
  /// Finds the entries and reads the inputs. kInvalidArgument (E0221): no such entry or input, an input that lacks, an
  /// array of another dtype or shape than the entries take; errors as readNpy.
  static absl::StatusOr<EntryCalls> prepare(Program &program, RunRequest request);

  const RunRequest &request() const { return request_; }
  /// Index of an entry into the artifact's, and the values of dimension symbols in its run.
  absl::StatusOr<std::map<int32_t, Symbols>> symbols() const;
  /// Runs all entries at once, each whole, or of those that are placed the parts for which `isHere`, given the index of
  /// the device, holds. The first error of any, which ends the others.
  absl::Status run(const std::function<bool(int32_t device)> &isHere = nullptr);
  /// What there is to print of the entries that ran here: the outputs as JSON values, or where they were written; of
  /// several entries a line for each. Errors of writeNpy.
  absl::StatusOr<std::string> results() const;

private:
  struct Call {
    const mlcrt_entry *entry;
    std::vector<NpyArray> arrays;
    BatchView view;
    std::unique_ptr<EntryRunner> runner; ///< of the part with the outputs; null: not here
  };
  EntryCalls(Program &program, RunRequest request) : program_(&program), request_(std::move(request)) {}

  Program *program_;
  RunRequest request_;
  std::vector<Call> calls_;
  std::vector<std::unique_ptr<ThreadPool>> pools_;
};

/// Runs entries once; what they write to variables ends with the program. Returns what there is to print. Errors as of
/// EntryCalls.
absl::StatusOr<std::string> runEntry(Program &program, const RunRequest &request);

} // namespace mlcrt

#endif // MLCRT_RUN_RUNENTRY_H
