// Bulk copies, and what instructions on mbarriers share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_OPSBULK_H
#define MLC_TEST_LIB_PTXEMU_OPSBULK_H

#include "test/lib/ptxemu/Block.h"
#include "test/lib/ptxemu/Decoder.h"

namespace ptxemu {

/// cp.async.bulk and cp.async.bulk.tensor.
void decodeBulk(Decoder &d);

/// The offset in shared memory of an address, generic or not.
uint64_t sharedAddress(Warp &warp, const Inst &inst, Space space, uint32_t place, int64_t offset, unsigned lane);
/// The mbarrier at an offset in shared memory; nullptr after a finding.
MemoryBarrier *barrierAt(Warp &warp, const Inst &inst, unsigned lane, uint64_t address);

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_OPSBULK_H
