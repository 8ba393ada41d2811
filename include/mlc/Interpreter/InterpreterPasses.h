// Passes that run the reference interpreter: declarations, constructors, registration.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_INTERPRETER_INTERPRETERPASSES_H
#define MLC_INTERPRETER_INTERPRETERPASSES_H

#include "mlir/Pass/Pass.h"

namespace mlc {

#define GEN_PASS_DECL
#include "mlc/Interpreter/InterpreterPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "mlc/Interpreter/InterpreterPasses.h.inc"

} // namespace mlc

#endif // MLC_INTERPRETER_INTERPRETERPASSES_H
