// One execution of an entry on arrays from files. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_RUN_RUNENTRY_H
#define MLCRT_RUN_RUNENTRY_H

#include "absl/status/statusor.h"
#include "runtime/src/core/Program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlcrt {

/// What to run.
struct RunRequest {
  std::string entry;               ///< empty: the only one, or predict
  std::vector<std::string> inputs; ///< NAME=FILE.npy
  std::string inputFlag = "input"; ///< that gives inputs, for messages
  std::string output;              ///< directory for NAME.npy, made if absent; empty: values as text
  int threads = 1;
  int64_t seed = 0;
  int64_t step = 0; ///< that the state is of
  bool json = false;
};

/// Runs one entry once; what it writes to variables ends with the program. Returns what there is to print: the outputs
/// as JSON values, or where they were written. kInvalidArgument (E0221): no such entry or input, an input that lacks,
/// an array of another dtype or shape than the entry takes; errors as readNpy, writeNpy and of the entry.
absl::StatusOr<std::string> runEntry(Program &program, const RunRequest &request);

} // namespace mlcrt

#endif // MLCRT_RUN_RUNENTRY_H
