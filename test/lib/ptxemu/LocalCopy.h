// What a call copies between a caller's and a function's parameters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_LOCALCOPY_H
#define MLC_TEST_LIB_PTXEMU_LOCALCOPY_H

#include "test/lib/ptxemu/Program.h"

namespace ptxemu {

/// Inst::imm bytes of local memory from address `a` to `dst`.
bool copyLocal(Warp &warp, const Inst &inst, uint32_t active);
/// A register.
bool copyNarrow(Warp &warp, const Inst &inst, uint32_t active);
bool copyWide(Warp &warp, const Inst &inst, uint32_t active);
bool copyPredicate(Warp &warp, const Inst &inst, uint32_t active);

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_LOCALCOPY_H
