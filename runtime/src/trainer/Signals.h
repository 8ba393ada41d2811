// SIGINT, SIGTERM and SIGHUP stop the run. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAINER_SIGNALS_H
#define MLCRT_TRAINER_SIGNALS_H

#include "runtime/src/core/StopToken.h"

#include <csignal>

namespace mlcrt {

/// Raises the first SIGINT, SIGTERM or SIGHUP of its lifetime at a token (SIGHUP not where it is ignored, as nohup(1)
/// does); a second one ends the process as usual. What comes within an instant of the first is the same one, sent to a
/// process and to its group; so is what mlc launch passes on (common/cluster/ForwardedSignal.h). Handlers that were
/// there before are there again afterwards. One at a time.
class SignalWatch {
public:
  /// `token` outlives this.
  explicit SignalWatch(StopToken &token);
  ~SignalWatch();
  SignalWatch(const SignalWatch &) = delete;
  SignalWatch &operator=(const SignalWatch &) = delete;

private:
  struct sigaction before_[3];
};

} // namespace mlcrt

#endif // MLCRT_TRAINER_SIGNALS_H
