// Asks a run to stop. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_STOPTOKEN_H
#define MLCRT_CORE_STOPTOKEN_H

#include "common/cli/ExitCode.h"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace mlcrt {

/// Shared by a run, which looks at it between steps, and by whoever may stop it. All members may be called by any
/// thread at any time; `raise` and `request` also in a signal handler.
class StopToken {
public:
  /// `signal` (SIGINT: interrupted; SIGTSTP: suspended, who asks goes on with another run; any other: terminated) came
  /// to the run itself.
  void raise(int signal);
  /// As if it had come: another task got it, and asks this one to end the run. One that is raised afterwards takes
  /// its place.
  void request(int signal);
  /// As new.
  void reset();

  /// The signal that came, or that was asked for; 0: the run goes on.
  int signal() const;
  bool isStopped() const { return signal() != 0; }
  /// How long ago; 0 if none came.
  std::chrono::nanoseconds age() const;

  /// What a process that was told to stop exits with: 130 for SIGINT, 0 for SIGTSTP, else 143.
  mlc::common::ExitCode exitCode() const;
  /// "interrupted", "suspended" or "terminated".
  const char *reason() const;

  /// Nanoseconds of the monotonic clock, as std::chrono::steady_clock has them; allowed in a signal handler.
  static int64_t now();

private:
  void noteTime();
  std::atomic<int> raised_{0}, requested_{0};
  std::atomic<int64_t> at_{0}; ///< of the monotonic clock: when the first one came, however it came
  static_assert(std::atomic<int>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free,
                "set by signal handlers");
};

} // namespace mlcrt

#endif // MLCRT_CORE_STOPTOKEN_H
