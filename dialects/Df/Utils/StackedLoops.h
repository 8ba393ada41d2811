// Loops of unknown length with stacked results, as scans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_STACKEDLOOPS_H
#define DIALECTS_DF_UTILS_STACKEDLOOPS_H

#include "dialects/Df/IR/DfControlFlowOps.h"

namespace mlc::df {

/// Replaces a df.while with stacked results by a df.scan over the iterations that there may be, `max_iterations`. Its
/// body asks the condition for as long as that held, and runs the loop's body while it does. Fails after an error at
/// the op where nothing outside of it tells a size of a row.
llvm::LogicalResult replaceStackedLoop(WhileOp op);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_STACKEDLOOPS_H
