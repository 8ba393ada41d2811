// The conversion of df to linalg and kern.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_CONVERSION_DFTOLINALG_DFTOLINALG_H
#define MLC_CONVERSION_DFTOLINALG_DFTOLINALG_H

#include "mlir/Pass/Pass.h"

namespace mlc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/Conversion/DfToLinalg/DfToLinalgPasses.h.inc"
} // namespace mlc

#endif // MLC_CONVERSION_DFTOLINALG_DFTOLINALG_H
