//===- Rows.h - Rows by id, out of tables and into them ---------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_ROWS_H
#define MLCRT_CORE_ROWS_H

#include "absl/status/status.h"
#include "mlcrt/abi.h"
#include "runtime/src/core/Tensor.h"

#include <cstdint>

namespace mlcrt {

/// Rows of a table that one process holds: row `begin` is the first row of `buffer`, whose first dimension is their
/// number.
struct HeldRows {
  TensorView buffer;
  int64_t begin = 0;
};

/// Copies rows `ids` of a table to `rows`, one after the other: `count` times bytesOfRow(held.buffer). kOutOfRange,
/// with nothing copied, if an id is not in the range held.
absl::Status gatherRows(const HeldRows &held, const int64_t *ids, int64_t count, void *rows);
/// Copies `rows`, one after the other, to rows `ids` of a table. Of an id that occurs twice the last row stays.
/// kOutOfRange, with nothing copied, if an id is not in the range held.
absl::Status scatterRows(const HeldRows &held, const int64_t *ids, int64_t count, const void *rows);

} // namespace mlcrt

#endif // MLCRT_CORE_ROWS_H
