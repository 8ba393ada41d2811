//===- Guard.h - Reader/writer locks of variables, taken around a segment -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_GUARD_H
#define MLCRT_CORE_GUARD_H

#include "mlcrt/abi.h"

#include <pthread.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace mlcrt {

/// One lock per variable. Locks of a set are taken in the order of indices, so that sets cannot deadlock; a waiting
/// writer goes before new readers, so that a training step is not starved by evaluation.
class Guard {
public:
  /// The variables that a piece of work reads or writes, each once, ascending.
  struct Access {
    int32_t variable;
    bool write;
  };
  using Set = std::vector<Access>;

  explicit Guard(int32_t variables);
  ~Guard();
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;

  /// The declared variables of a segment as a set, but for racy ones. `variables` are the artifact's.
  static Set setOf(const mlcrt_segment &segment, const mlcrt_variable *variables);

  /// Holds the locks of a set for its lifetime; the set must outlive it. Not recursive within a thread.
  class Hold {
  public:
    Hold(Guard &guard, const Set &set);
    ~Hold();
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;

  private:
    Guard &guard_;
    const Set &set_;
  };

private:
  std::unique_ptr<pthread_rwlock_t[]> locks_;
  int32_t count_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_GUARD_H
