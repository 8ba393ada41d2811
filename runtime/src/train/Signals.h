// SIGINT and SIGTERM as a flag that loops look at. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_SIGNALS_H
#define MLCRT_TRAIN_SIGNALS_H

namespace mlcrt {

/// Catches the first SIGINT or SIGTERM for its lifetime; a second one ends the process as usual. One at a time.
class SignalWatch {
public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch &) = delete;
  SignalWatch &operator=(const SignalWatch &) = delete;

  /// The signal that came, or 0.
  static int received();
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_SIGNALS_H
