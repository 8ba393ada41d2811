// SIGINT, SIGTERM and SIGHUP as a flag that loops look at. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_SIGNALS_H
#define MLCRT_TRAIN_SIGNALS_H

#include "common/cli/ExitCode.h"

#include <chrono>

namespace mlcrt {

/// Catches the first SIGINT, SIGTERM or SIGHUP for its lifetime (SIGHUP not where it is ignored, as nohup(1) does); a
/// second one ends the process as usual. What comes within an instant of the first is the same one, sent to a process
/// and to its group; so is what mlc launch passes on (common/cluster/ForwardedSignal.h). One at a time.
class SignalWatch {
public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch &) = delete;
  SignalWatch &operator=(const SignalWatch &) = delete;

  /// The signal that came, or that was asked for; or 0.
  static int received();
  /// How long ago; 0 if none came.
  static std::chrono::nanoseconds age();
  /// As if the signal had come: another task got it, and asks this one to end the run. A signal that comes afterwards
  /// is the first one.
  static void request(int signal);
};

/// What a process that was told to stop exits with: 130 for SIGINT, else 143.
mlc::common::ExitCode exitOfSignal();
/// "interrupted" or "terminated".
const char *reasonOfSignal();

} // namespace mlcrt

#endif // MLCRT_TRAIN_SIGNALS_H
