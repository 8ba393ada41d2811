// Runs a program and stops it, or fails it, at one of its calls that change a directory. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With ptrace and a seccomp filter, at the kernel's own interface: what the C library calls internally is seen too.
#ifndef MLC_TEST_UNIT_RUNTIME_TRAIN_SYSCALLTRACER_H
#define MLC_TEST_UNIT_RUNTIME_TRAIN_SYSCALLTRACER_H

#include <functional>
#include <string>
#include <vector>

namespace mlcrt {

/// One call: "write", "rename", ..., and what it is about.
struct TracedCall {
  std::string name;
  std::string path;
  bool isDirectory = false; ///< an open of a directory: to sync it, or to list it
};

/// What to do at call number `at` (from 0). Nothing for at < 0.
struct Injection {
  enum Action {
    Kill,          ///< SIGKILL instead of the call
    KillAfterHalf, ///< a write writes its first half, then SIGKILL; any other call happens, then SIGKILL
    Fail           ///< the call does nothing and returns `error`
  };
  int at = -1;
  Action action = Kill;
  int error = 0;
};

/// What a traced run left.
struct TracedRun {
  bool traced = true;            ///< false: this system lets nothing be traced
  int exit = -1;                 ///< exit status, or -1 if a signal killed it
  std::vector<TracedCall> calls; ///< up to the injection, included
};

/// Forks; `body` runs in the child, ends in an exec or exits, and does not return. Counts calls of any thread that open
/// for writing, write, sync, rename, remove, truncate or make something in `directory` (absolute, no links) or itself,
/// and opens of directories.
TracedRun runTraced(const std::function<void()> &body, const std::string &directory, const Injection &injection);

} // namespace mlcrt

#endif // MLC_TEST_UNIT_RUNTIME_TRAIN_SYSCALLTRACER_H
