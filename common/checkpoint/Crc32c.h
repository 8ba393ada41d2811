// CRC-32C (Castagnoli): the one checksum of checkpoints, indexes and data files. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_CRC32C_H
#define MLC_COMMON_CRC32C_H

#include <cstddef>
#include <cstdint>

namespace mlc::common {

/// CRC-32C of `size` bytes that follow bytes of checksum `crc` (0 at the start): crc32c(b, crc32c(a)) is the checksum
/// of a followed by b. Not masked. Uses the SSE4.2 instruction where the CPU has it.
uint32_t crc32c(const void *data, size_t size, uint32_t crc = 0);

/// The same from a table, on any CPU; the oracle of the tests.
uint32_t crc32cPortable(const void *data, size_t size, uint32_t crc = 0);

/// The checksum as formats store it whose data hold checksums: rotated right by 15 bits, plus 0xa282ead8.
inline uint32_t maskedCrc32c(uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8u; }

} // namespace mlc::common

#endif // MLC_COMMON_CRC32C_H
