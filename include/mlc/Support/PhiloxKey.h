// Host side of the random numbers: the Philox key of an op and the counter of a number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_PHILOXKEY_H
#define MLC_SUPPORT_PHILOXKEY_H

#include "common/checkpoint/NameKey.h"
#include "common/data/Philox.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace mlc {

/// The 64-bit key of the op called `opName`: `seed` xor the name's FarmHash Fingerprint64 (link farmhash).
inline uint64_t philoxKey(uint64_t seed, std::string_view opName) { return seed ^ common::nameKey(opName); }

/// A 64-bit key as Philox takes it: low word, high word.
constexpr std::array<uint32_t, 2> philoxKeyWords(uint64_t key) {
  return {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
}

/// Counter of a number drawn in a training step: the column (linear index within the row), the row in the global batch,
/// the low and the high half of the step.
constexpr std::array<uint32_t, 4> philoxStepCounter(uint32_t column, uint32_t row, uint64_t step) {
  return {column, row, static_cast<uint32_t>(step), static_cast<uint32_t>(step >> 32)};
}

/// Counter of a number that all rows of a step share: the low and the high half of the element's linear index, the low
/// and the high half of the step.
constexpr std::array<uint32_t, 4> philoxEachStepCounter(uint64_t index, uint64_t step) {
  return {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), static_cast<uint32_t>(step),
          static_cast<uint32_t>(step >> 32)};
}

/// The key of an iteration of a loop from the key outside of the loop.
inline uint64_t philoxIterationKey(uint64_t key, uint64_t iteration) {
  std::array<uint32_t, 4> words =
      common::philox4x32({static_cast<uint32_t>(iteration), static_cast<uint32_t>(iteration >> 32), 0, 0}, key);
  return words[0] | uint64_t{words[1]} << 32;
}

/// Counter of an initializer's number: the low and the high half of the element's linear index, step 0.
constexpr std::array<uint32_t, 4> philoxInitializerCounter(uint64_t index) {
  return {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), 0, 0};
}

} // namespace mlc

#endif // MLC_SUPPORT_PHILOXKEY_H
