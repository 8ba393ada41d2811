// Pages of the shadow, and bits of what is initialized.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Shadow.h"

namespace ptxemu {

void Shadow::split(Page &page, unsigned shift) {
  auto cells = std::make_unique<ShadowCell[]>(kPage >> shift);
  if (page.cells)
    for (uint64_t i = 0; i < kPage >> shift; ++i)
      cells[i] = page.cells[i >> (page.shift - shift)];
  page.cells = std::move(cells);
  page.shift = shift;
}

void InitBits::set(uint64_t offset, uint64_t size, bool value) {
  while (size) {
    const unsigned shift = offset % 64;
    const uint64_t here = shift + size > 64 ? 64 - shift : size;
    const uint64_t mask = (here == 64 ? ~0ull : (1ull << here) - 1) << shift;
    uint64_t &word = bits_[offset / 64];
    word = value ? word | mask : word & ~mask;
    offset += here;
    size -= here;
  }
}

bool InitBits::testRange(uint64_t offset, uint64_t size) const {
  for (; size >= 64; offset += 64, size -= 64)
    if (!test(offset, 64))
      return false;
  return size == 0 || test(offset, static_cast<unsigned>(size));
}

void InitBits::copyFrom(const InitBits &from, uint64_t fromOffset, uint64_t offset, uint64_t size) {
  for (; size >= 64; offset += 64, fromOffset += 64, size -= 64) {
    if (from.test(fromOffset, 64)) {
      set(offset, 64);
      continue;
    }
    for (unsigned i = 0; i < 64; ++i)
      set(offset + i, 1, from.test(fromOffset + i, 1));
  }
  for (uint64_t i = 0; i < size; ++i)
    set(offset + i, 1, from.test(fromOffset + i, 1));
}

} // namespace ptxemu
