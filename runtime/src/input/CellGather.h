// Rows of cells copied from where they lie to where a batch has them. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_CELLGATHER_H
#define MLCRT_INPUT_CELLGATHER_H

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace mlcrt {

/// Copies `count` rows of `bytes` bytes, row i of `in` + (rows[i] - firstRow) * bytes, to every `pitch` bytes of `out`.
inline void gatherCells(const char *in, int64_t bytes, const int64_t *rows, int64_t count, int64_t firstRow, char *out,
                        int64_t pitch) {
  // Copies of a size that the compiler knows are a load and a store.
  const auto copy = [&](auto size) {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(out + i * pitch, in + (rows[i] - firstRow) * static_cast<int64_t>(size), size);
  };
  switch (bytes) {
  case 1:
    return copy(std::integral_constant<size_t, 1>());
  case 4:
    return copy(std::integral_constant<size_t, 4>());
  case 8:
    return copy(std::integral_constant<size_t, 8>());
  case 16:
    return copy(std::integral_constant<size_t, 16>());
  default:
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(out + i * pitch, in + (rows[i] - firstRow) * bytes, static_cast<size_t>(bytes));
  }
}

} // namespace mlcrt

#endif // MLCRT_INPUT_CELLGATHER_H
