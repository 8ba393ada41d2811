// Passes of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_TRANSFORMS_DFPASSES_H
#define DIALECTS_DF_TRANSFORMS_DFPASSES_H

#include "dialects/Df/IR/Df.h"
#include "dialects/Df/Utils/VerifyStage.h"
#include "mlir/Pass/Pass.h"

namespace mlc::df {

#define GEN_PASS_DECL
#include "dialects/Df/Transforms/DfPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "dialects/Df/Transforms/DfPasses.h.inc"

} // namespace mlc::df

#endif // DIALECTS_DF_TRANSFORMS_DFPASSES_H
