// Passes that turn one dialect into another: declarations, constructors, registration. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_CONVERSION_CONVERSIONPASSES_H
#define MLC_CONVERSION_CONVERSIONPASSES_H

#include "mlir/Pass/Pass.h"

namespace mlc {

#define GEN_PASS_DECL
#include "mlc/Conversion/ConversionPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "mlc/Conversion/ConversionPasses.h.inc"

} // namespace mlc

#endif // MLC_CONVERSION_CONVERSIONPASSES_H
