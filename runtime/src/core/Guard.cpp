//===- Guard.cpp - Reader/writer locks of variables, taken around a segment --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Guard.h"

#include <algorithm>

namespace mlcrt {

Guard::Guard(int32_t variables) : locks_(new pthread_rwlock_t[variables]), count_(variables) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  for (int32_t i = 0; i < count_; ++i)
    pthread_rwlock_init(&locks_[i], &attributes);
  pthread_rwlockattr_destroy(&attributes);
}

Guard::~Guard() {
  for (int32_t i = 0; i < count_; ++i)
    pthread_rwlock_destroy(&locks_[i]);
}

Guard::Set Guard::setOf(const mlcrt_segment &segment, const mlcrt_variable *variables) {
  Set set;
  for (int32_t i = 0; i < segment.num_operands; ++i) {
    const mlcrt_operand &operand = segment.operands[i];
    if (operand.source != MLCRT_SOURCE_VARIABLE || (variables[operand.index].flags & MLCRT_VARIABLE_RACY))
      continue;
    bool write = operand.access & MLCRT_WRITE;
    auto it = std::lower_bound(set.begin(), set.end(), operand.index,
                               [](const Access &access, int32_t variable) { return access.variable < variable; });
    if (it != set.end() && it->variable == operand.index)
      it->write |= write;
    else
      set.insert(it, {operand.index, write});
  }
  return set;
}

Guard::Hold::Hold(Guard &guard, const Set &set) : guard_(guard), set_(set) {
  for (const Access &access : set_)
    access.write ? pthread_rwlock_wrlock(&guard_.locks_[access.variable])
                 : pthread_rwlock_rdlock(&guard_.locks_[access.variable]);
}

Guard::Hold::~Hold() {
  for (auto it = set_.rbegin(); it != set_.rend(); ++it)
    pthread_rwlock_unlock(&guard_.locks_[it->variable]);
}

} // namespace mlcrt
