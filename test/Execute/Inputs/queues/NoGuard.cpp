// Takes the place of Guard.cpp: no locks, so that a race test can fail.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Guard.h"

namespace mlcrt {

Guard::Guard(int32_t variables) : count_(variables) {}
Guard::~Guard() = default;
Guard::Set Guard::setOf(const mlcrt_segment &, const mlcrt_variable *) { return {}; }
Guard::Hold::Hold(Guard &guard, const Set &set) : guard_(guard), set_(set) {}
Guard::Hold::~Hold() = default;

} // namespace mlcrt
