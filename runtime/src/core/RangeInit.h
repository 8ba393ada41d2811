//===- RangeInit.h - Initial values of the rows that a process holds ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_RANGEINIT_H
#define MLCRT_CORE_RANGEINIT_H

#include "runtime/src/core/Artifact.h"

namespace mlcrt {

/// Whether Program::initialize gives a state that holds ranges of rows its part of what it gives all rows, bit by bit:
/// each segment of init writes rows from the context's first_row on, or scalars alone, and no variable has a storage
/// layout of its own.
bool canInitializeRows(const Artifact &artifact);

} // namespace mlcrt

#endif // MLCRT_CORE_RANGEINIT_H
