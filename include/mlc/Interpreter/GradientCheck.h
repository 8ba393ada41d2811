// Gradients of df functions against finite differences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_INTERPRETER_GRADIENTCHECK_H
#define MLC_INTERPRETER_GRADIENTCHECK_H

#include "dialects/Df/IR/DfFunctionOps.h"
#include "mlc/Interpreter/Interpreter.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlc::interp {

/// What a gradient is taken of and how exactly it is compared.
struct GradientCheck {
  /// Symbol of a function without df.gradients (stage 1) whose first result is the loss, a scalar f64.
  std::string function;
  /// Arguments by position and variables by symbol the gradient is taken with respect to; all f64.
  std::vector<unsigned> arguments;
  std::vector<std::string> variables;
  /// Whether the gradients of `variables` are asked for as `!df.rows` (they are only gathered).
  bool sparseVariables = false;
  /// Distance h of the five-point stencil (f(x-2h) - 8 f(x-h) + 8 f(x+h) - f(x+2h)) / 12h. Its error is about
  /// h^4 f'''''/30 + 2^-52 f/h. The loss must be smooth within 2h.
  double step = 1e-4;
  /// Largest allowed |expanded - numeric| / max(|expanded|, |numeric|, 1e-3).
  double tolerance = 1e-6;
};

/// The outcome: the worst component, and where it lies.
struct GradientError {
  /// Relative error as in GradientCheck::tolerance; infinity if the expanded gradient is NaN or infinite.
  double relative = 0;
  /// "argument 0" or "@w", element `index`.
  std::string where = "nothing";
  int64_t index = 0;
  double expanded = 0, numeric = 0;
};

/// Makes the function of `check` return its gradients, of the variables, then of the arguments, in place of its
/// results.
llvm::LogicalResult returnGradients(df::FunctionOp function, const GradientCheck &check);

/// Expands `df.gradients` of the function's loss in a copy of `module` by `expand` (the pass df-expand-gradients),
/// runs it at `arguments` and `state`, and compares with finite differences of the function itself. Fails after a
/// diagnostic if a run or the expansion fails; a gradient that is wrong is no failure, but `relative` above the
/// tolerance.
mlir::FailureOr<GradientError> checkGradients(mlir::ModuleOp module, const GradientCheck &check,
                                              llvm::ArrayRef<RuntimeValue> arguments, const State &state,
                                              llvm::function_ref<llvm::LogicalResult(mlir::ModuleOp)> expand,
                                              const Context &context = {});

} // namespace mlc::interp

#endif // MLC_INTERPRETER_GRADIENTCHECK_H
