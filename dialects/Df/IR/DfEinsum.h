// Equations of df.einsum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFEINSUM_H
#define DIALECTS_DF_IR_DFEINSUM_H

#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfVerify.h"

namespace mlc::df {

/// One label for each dimension: the code of its letter or, of a dimension that `...` stands for, -1 for the last, -2
/// for the one before, ...
using EinsumLabels = llvm::SmallVector<int, 6>;

struct EinsumEquation {
  llvm::SmallVector<EinsumLabels> operands;
  EinsumLabels result;
};

/// The equation of `op` for the ranks of its operands; fails after an error that cites the constraint.
llvm::FailureOr<EinsumEquation> parseEquation(EinsumOp op);

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFEINSUM_H
