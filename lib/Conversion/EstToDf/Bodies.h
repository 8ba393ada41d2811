// The bodies of the model: from feature columns to logits. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_BODIES_H
#define LIB_CONVERSION_ESTTODF_BODIES_H

#include "lib/Conversion/EstToDf/Columns.h"
#include "lib/Conversion/EstToDf/Logits.h"

namespace mlc::est2df {

/// Lowers the bodies after `logits` and returns their sum. `training`: with dropout. Each body
/// adds its part to `parts` and, if `summaries` is given, what a summary shows of it, under tf.estimator's tags.
Logits lowerBodies(Entry &entry, mlir::ValueRange logits, bool training, llvm::SmallVectorImpl<Part> &parts,
                   llvm::SmallVectorImpl<Output> *summaries = nullptr);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_BODIES_H
