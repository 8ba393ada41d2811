// Numbers of dimension symbols.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_SYMBOLS_H
#define DIALECTS_DF_UTILS_SYMBOLS_H

#include "dialects/Df/IR/Df.h"

namespace mlc::df {

/// The least number >= 1 above all dimension symbols of `module`.
int64_t getFreeSymbol(mlir::ModuleOp module);

/// Gives `df.symbols` to features (arguments without a binding) that have none and have dynamic dimensions after the
/// first: what another function says of the feature, else a symbol of its own for each of these dimensions, the same in
/// all functions.
void numberSymbols(mlir::ModuleOp module);

/// Whether `symbol` is the size of no dimension but ones after the first of features: a fixed size for all rows of a
/// call, neither a number of values nor one that follows from others.
bool isSizeOfRows(mlir::ModuleOp module, int64_t symbol);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_SYMBOLS_H
