//===- Sorting.h - Sorts along a dimension ------------------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_SORTING_H
#define MLCRT_CORE_SORTING_H

#include <cstdint>

namespace mlcrt {

/// The service sort_positions (mlcrt/services.def). False if `dtype` is none of its types.
bool sortPositions(const void *keys, int32_t dtype, int64_t outer, int64_t n, int64_t inner, bool descending, int64_t m,
                   int64_t *positions);

/// The service take_along.
void takeAlong(const void *values, int64_t cellBytes, int64_t outer, int64_t n, int64_t inner, const int64_t *positions,
               int64_t m, void *out);

} // namespace mlcrt

#endif // MLCRT_CORE_SORTING_H
