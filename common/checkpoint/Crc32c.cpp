// CRC-32C by the SSE4.2 instruction and by table.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/checkpoint/Crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace mlc::common {

static constexpr uint32_t kReversedPolynomial = 0x82F63B78u;

static constexpr std::array<uint32_t, 256> makeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ ((crc & 1) ? kReversedPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

static constexpr std::array<uint32_t, 256> kTable = makeTable();

uint32_t crc32cPortable(const void *data, size_t size, uint32_t crc) {
  const auto *bytes = static_cast<const uint8_t *>(data);
  crc = ~crc;
  for (size_t i = 0; i < size; ++i)
    crc = (crc >> 8) ^ kTable[(crc ^ bytes[i]) & 0xFF];
  return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32cInstruction(const void *data, size_t size, uint32_t crc) {
  const auto *bytes = static_cast<const uint8_t *>(data);
  uint64_t state = static_cast<uint32_t>(~crc);
  for (; size >= 8; size -= 8, bytes += 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    state = _mm_crc32_u64(state, word);
  }
  for (; size > 0; --size, ++bytes)
    state = _mm_crc32_u8(static_cast<uint32_t>(state), *bytes);
  return ~static_cast<uint32_t>(state);
}
#endif

uint32_t crc32c(const void *data, size_t size, uint32_t crc) {
#if defined(__x86_64__)
  static const bool hasInstruction = __builtin_cpu_supports("sse4.2");
  if (hasInstruction)
    return crc32cInstruction(data, size, crc);
#endif
  return crc32cPortable(data, size, crc);
}

} // namespace mlc::common
