// Passes of the dist dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DIST_TRANSFORMS_DISTPASSES_H
#define DIALECTS_DIST_TRANSFORMS_DISTPASSES_H

#include "dialects/Dist/IR/Dist.h"
#include "mlir/Pass/Pass.h"

namespace mlc::dist {

#define GEN_PASS_DECL
#include "dialects/Dist/Transforms/DistPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "dialects/Dist/Transforms/DistPasses.h.inc"

} // namespace mlc::dist

#endif // DIALECTS_DIST_TRANSFORMS_DISTPASSES_H
