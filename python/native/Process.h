// What runs of Python need of their process: forks, and the end of the interpreter. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYTHON_NATIVE_PROCESS_H
#define PYTHON_NATIVE_PROCESS_H

#include "runtime/src/core/StopToken.h"

#include <nanobind/nanobind.h>

#include <sys/types.h>
#include <unistd.h>
#include <utility>

namespace mlc::python {

/// Raises RuntimeError in a process that was forked from one that used compiler or runtime: what they left in memory,
/// locks and pools, is of threads that are not here. Raises SystemExit where the interpreter ends, in threads that are
/// not the one that ends it, so that they end, too.
void checkProcess();

/// While it lives this thread works without the GIL.
///
/// The end of the interpreter waits some seconds for such threads; one that works longer stays here for good, as Python
/// would unwind it through code that cannot be unwound, and the process would abort.
class GilRelease {
public:
  GilRelease();
  ~GilRelease();
  GilRelease(const GilRelease &) = delete;
  GilRelease &operator=(const GilRelease &) = delete;

private:
  PyThreadState *state_;
};

/// Whether a thread that may be none of Python's can take the GIL: the interpreter is there, and not at its end.
bool canTakeGil();

/// A run of a thread of Python, which the end of the interpreter asks to stop, and waits for.
class ActiveRun {
public:
  /// SystemExit: the interpreter is at its end.
  explicit ActiveRun(mlcrt::StopToken &stop);
  ~ActiveRun();
  ActiveRun(const ActiveRun &) = delete;
  ActiveRun &operator=(const ActiveRun &) = delete;

private:
  mlcrt::StopToken &stop_;
};

/// Owns what has threads. In a process that was forked since, where they are not, it is of no use, and is left as it
/// is: who ended it would wait for them.
template <typename T> class OfProcess {
public:
  template <typename... Args>
  explicit OfProcess(Args &&...args) : value_(new T(std::forward<Args>(args)...)), process_(::getpid()) {}
  ~OfProcess() {
    if (::getpid() == process_)
      delete value_;
  }
  OfProcess(const OfProcess &) = delete;
  OfProcess(OfProcess &&) = delete;
  OfProcess &operator=(const OfProcess &) = delete;

  /// Raises RuntimeError as checkProcess.
  T *operator->() const {
    checkProcess();
    return value_;
  }

private:
  T *const value_;
  const pid_t process_;
};

/// Sees to it that the interpreter ends in order whatever daemon threads do.
void watchEnd();

} // namespace mlc::python

#endif // PYTHON_NATIVE_PROCESS_H
