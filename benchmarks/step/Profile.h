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
  std::string name;  ///< of the task function or service; empty for serial code
  int64_t tasks = 0; ///< of a loop; elements of a service
  int64_t nanoseconds = 0;
};

/// The artifact with each segment of `entry` run under the profiler. One profile exists in a process, and one thread
/// runs the entry. kInvalidArgument: more segments than it can wrap.
absl::StatusOr<std::shared_ptr<const mlcrt::Artifact>> profiled(std::shared_ptr<const mlcrt::Artifact> artifact,
                                                                const mlcrt_entry &entry);

/// The events since the last call, in their order.
std::vector<ProfileEvent> takeProfile();

} // namespace mlcbench

#endif // MLC_BENCHMARKS_STEP_PROFILE_H
