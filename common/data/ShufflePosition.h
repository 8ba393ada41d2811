// Which element of a random-shuffle queue is drawn. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_SHUFFLEPOSITION_H
#define MLC_COMMON_SHUFFLEPOSITION_H

#include "common/data/Philox.h"

namespace mlc::common {

/// The position in [0, size) that draw number `draw` of a queue with `seed` takes: uniform up to 2^-32 * size.
inline uint64_t shufflePosition(uint64_t seed, uint64_t draw, uint64_t size) {
  const std::array<uint32_t, 4> block =
      philox4x32({static_cast<uint32_t>(draw), static_cast<uint32_t>(draw >> 32), 0, 0}, seed);
  return (uint64_t{block[0]} * size) >> 32;
}

} // namespace mlc::common

#endif // MLC_COMMON_SHUFFLEPOSITION_H
