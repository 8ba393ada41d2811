//===- Grouping.h - Grouping of equal ids and merging of row gradients --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_GROUPING_H
#define MLCRT_CORE_GROUPING_H

#include <cstdint>

namespace mlcrt {

/// Drops ids < 0; the u distinct others go ascending to unique[0..u), and the positions of unique[k], ascending, to
/// order[ends[k-1] .. ends[k]), where ends[-1] = 0. unique, ends and order have room for n; what lies after is left as
/// it was. Returns u. Keeps its scratch memory per thread: once grown, a call allocates nothing.
int64_t groupIds(const int64_t *ids, int64_t n, int64_t *unique, int64_t *ends, int64_t *order);

/// The distinct values of in[0..n) in order of their first occurrence, or ascending if `sorted`, go to values, how
/// often each occurs to counts; values[inverse[i]] = in[i]. The outputs have room for n; *count is the number of
/// values. Keeps its scratch memory per thread: once grown, a call allocates nothing.
void uniqueValues(const int64_t *in, int64_t n, bool sorted, int64_t *values, int64_t *inverse, int64_t *counts,
                  int64_t *count);

/// Union of two sets of rows with ascending, distinct ids; a row in both becomes a + b element by element (f32).
/// out_* have room for a_count + b_count and overlap no input. Returns the number of rows.
int64_t mergeRows(const int64_t *aIds, const float *aRows, int64_t aCount, const int64_t *bIds, const float *bRows,
                  int64_t bCount, int64_t rowElems, int64_t *outIds, float *outRows);

} // namespace mlcrt

#endif // MLCRT_CORE_GROUPING_H
