// Which number of rows a tensor of unknown length has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_ROWSYMBOLS_H
#define DIALECTS_DF_UTILS_ROWSYMBOLS_H

#include "dialects/Df/IR/Df.h"

namespace mlc::df {

/// The dimension symbol that the first dimension of `value` stands for: 0 for the rows of the batch (and for static
/// dimensions), k >= 1 for the values of a multi-valued feature. Arguments say it in `df.symbol`; ops have it from what
/// they are made of.
int64_t rowSymbolOf(mlir::Value value);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_ROWSYMBOLS_H
