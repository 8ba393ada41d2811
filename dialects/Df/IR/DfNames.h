// What names say by their ends, or how they begin: of features, sums and outputs, as the ABI has them, and of the
// functions of an entry. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFNAMES_H
#define DIALECTS_DF_IR_DFNAMES_H

#include "llvm/ADT/StringRef.h"

namespace mlc::df::names {

/// Beside a feature with several values in a row: where each row's end, and a weight of each.
inline constexpr llvm::StringLiteral kEnds = ".ends", kWeight = ".weight";

/// What names of results begin with that observers of steps get, and nobody else: of train, eval_update and predict.
inline constexpr llvm::StringLiteral kFetched = "fetch/";

/// The three sums of a table whose gradient is rows: ids that ascend, a row for each, how many there are.
inline constexpr llvm::StringLiteral kIds = ".ids", kRows = ".rows", kCount = ".count";

/// Of the function ENTRY, which is cut: what reads no state, and the rest.
inline constexpr llvm::StringLiteral kFeatures = ".features", kStep = ".step";
/// Of a training step ENTRY, which is cut at its sums: what makes those of one shard, adds two sets, and updates.
inline constexpr llvm::StringLiteral kGrad = "_grad", kCombine = "_combine", kApply = "_apply";

} // namespace mlc::df::names

#endif // DIALECTS_DF_IR_DFNAMES_H
