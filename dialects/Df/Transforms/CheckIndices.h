// Ids of rows, labels, groups and ends that data may get wrong.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_TRANSFORMS_CHECKINDICES_H
#define DIALECTS_DF_TRANSFORMS_CHECKINDICES_H

#include "dialects/Df/IR/DfFunctionOps.h"

namespace mlc::df {

/// Marks ops whose ids, groups or ends are known to be in range by `df.in_bounds`; the conversion checks the others
/// when they are run. Ids of rows of a tensor and labels that come from features alone and are one for each row of the
/// batch pass through a df.check_ids, whose error names the row of the data. The values of the state are there,
/// segments are not yet cut.
void checkIndices(FunctionOp function);

} // namespace mlc::df

#endif // DIALECTS_DF_TRANSFORMS_CHECKINDICES_H
