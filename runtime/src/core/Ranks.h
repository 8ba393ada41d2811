//===- Ranks.h - Ranks and histograms of f32 numbers --------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_RANKS_H
#define MLCRT_CORE_RANKS_H

#include <cstdint>
#include <cstring>

namespace mlcrt {

/// Bits that grow as the numbers do; those of -0 are those of +0.
inline uint32_t orderedBits(float x) {
  uint32_t bits;
  x += 0.0f;
  std::memcpy(&bits, &x, sizeof bits);
  return bits >> 31 ? ~bits : bits | uint32_t(1) << 31;
}

/// The service mid_ranks (mlcrt/services.def): `keys` and `groups` may be null.
void midRanks(const float *keys, const int64_t *groups, const double *weights, int64_t count, int64_t n, double *ranks);

} // namespace mlcrt

#endif // MLCRT_CORE_RANKS_H
