// How many files this process may have open. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_FILELIMIT_H
#define MLCRT_CLUSTER_FILELIMIT_H

#include <cstdint>

namespace mlcrt {

/// Raises the soft limit to the hard one; returns the one that holds then, or 0 if the system does not say.
int64_t raiseFileLimit();

/// What a task of a cluster of so many tasks needs at most: connections to and from all of them, those that a listener
/// has of who is not known, and its own files.
int64_t filesOfTask(int64_t tasks);

} // namespace mlcrt

#endif // MLCRT_CLUSTER_FILELIMIT_H
