//===- RangeInit.h - Initial values of the rows that a process holds ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_RANGEINIT_H
#define MLCRT_CORE_RANGEINIT_H

#include "runtime/src/core/Program.h"

#include <vector>

namespace mlcrt {

/// Whether the init entry can be run on ranges of rows: each of its segments writes rows from the context's first_row
/// on, or scalars alone, and no variable has a storage layout of its own.
bool canInitializeRows(const Artifact &artifact);

/// Gives a state that holds ranges of rows (State) its part of what Program::initialize gives all rows, bit by bit, if
/// canInitializeRows says so.
absl::Status initializeRows(Program &program, const std::vector<RowRange> &held, int64_t seed, ThreadPool &pool);

} // namespace mlcrt

#endif // MLCRT_CORE_RANGEINIT_H
