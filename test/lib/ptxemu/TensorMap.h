// The tensor map of this driver: what a kernel finds in the 128 bytes that cuTensorMapEncodeTiled fills.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_TENSORMAP_H
#define MLC_TEST_LIB_PTXEMU_TENSORMAP_H

#include <cstdint>

namespace ptxemu {

struct TensorMap {
  static constexpr uint64_t kMagic = 0x70616d74'75787470ull;
  uint64_t magic, address;
  uint64_t sizes[5];   ///< in elements, the innermost first
  uint64_t strides[4]; ///< in bytes, of all dimensions but the innermost
  uint16_t box[5];
  uint8_t rank, elementSize, swizzle; ///< swizzle as the driver has it: 0 none, 1 32, 2 64, 3 128 bytes
  uint8_t fillNaN;
};
static_assert(sizeof(TensorMap) <= 128);

/// Where 16 bytes at `address` in shared memory lie when rows of 32, 64 or 128 bytes are swizzled.
inline uint64_t swizzled(uint64_t address, unsigned swizzle) {
  return address ^ ((address >> 7 & ((1u << swizzle) - 1)) << 4);
}

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_TENSORMAP_H
