// Golden rows: inputs with the outputs that the trainer computed, replayed when an export is loaded. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_EXPORT_GOLDEN_H
#define MLCRT_EXPORT_GOLDEN_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/export/RowBuffer.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mlcrt {

/// Rows of a batch that `runner` has run, as lines {"inputs": {...}, "outputs": {...}}; numbers are exact. Rows with
/// texts that are no UTF-8 are left out. `rows` is how many there are.
std::string goldenText(const Artifact &artifact, const BatchView &batch, const EntryRunner &runner, int64_t &rows);

/// Runs the rows of `text` through `runner` and compares every output, bit by bit but for the sign of zero. kDataLoss:
/// names row and output that differ, or a line that cannot be read; `path` is the file of `text`. Returns the rows.
absl::StatusOr<int64_t> replayGolden(std::string_view text, const std::string &path,
                                     const std::shared_ptr<const RowLayout> &layout, EntryRunner &runner,
                                     const CallContext &context);

} // namespace mlcrt

#endif // MLCRT_EXPORT_GOLDEN_H
