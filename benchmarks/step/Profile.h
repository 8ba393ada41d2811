// Times what compiled code asks of the runtime: parallel loops and other services, call by call. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_BENCHMARKS_STEP_PROFILE_H
#define MLC_BENCHMARKS_STEP_PROFILE_H

#include "absl/status/statusor.h"
#include "runtime/src/core/Artifact.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mlcbench {

/// One call from compiled code, or the serial code before it.
struct ProfileEvent {
  enum Kind { Serial, Loop, Service };
  Kind kind;
  const char *segment;
  std::string name;  ///< offset of the task function in the object ("0x1f"), or name of the service; else empty
  int64_t tasks = 0; ///< of a loop; elements of a service
  int64_t nanoseconds = 0;
  int64_t estimate = 0; ///< nanoseconds of all tasks on one thread as the compiler judges; of a part of a group
};

/// The artifact with each segment of `entry` run under the profiler. One profile exists in a process, and one thread
/// runs the entry. `groupTasks` is the offset in the object of the function that runs a group of launches, or 0: with
/// it, the launches of a group run one after the other, each a loop of its own, so that each gets its time.
/// kInvalidArgument: more segments than it can wrap.
absl::StatusOr<std::shared_ptr<const mlcrt::Artifact>> profiled(std::shared_ptr<const mlcrt::Artifact> artifact,
                                                                const mlcrt_entry &entry, int64_t groupTasks);

/// The events since the last call, in their order.
std::vector<ProfileEvent> takeProfile();

} // namespace mlcbench

#endif // MLC_BENCHMARKS_STEP_PROFILE_H
