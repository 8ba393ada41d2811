// Random df programs: typed, with control flow, state and shapes that data decides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_RANDOM_RANDOMPROGRAM_H
#define MLC_TEST_RANDOM_RANDOMPROGRAM_H

#include "mlc/Interpreter/Tensor.h"
#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace mlc::random {

/// What a program is for.
enum class Mode {
  /// Discrete decisions (comparisons, orders, rounding) are of values whose bits no order of additions changes: what is
  /// summed is a small integer. Every output has the interpreter's bits, but for those named `sum...`: each of these is
  /// followed by `magnitude...`, the sum of the terms' magnitudes.
  Exact,
  /// Anything goes: sums of anything are decided on. What code and interpreter give may differ by much.
  Free,
  /// f64 and smooth ops only; the one output is a scalar loss.
  Smooth
};

/// An element-wise op on values of one type, as the dialect registers it.
struct ElementwiseOp {
  std::string name; ///< with "df."
  unsigned numOperands;
  std::vector<interp::ElementKind> kinds; ///< of elements that it verifies with
  bool differentiable;                    ///< has a rule or a decomposition
};

/// All element-wise ops of df with operands and one result of one type and without attributes that must be given,
/// found by their traits and by asking the verifier. `context` has the dialect with gradients and decompositions.
std::vector<ElementwiseOp> findElementwiseOps(mlir::MLIRContext &context);

/// The text of a module with one function @`name`, whose variables and arguments are called after it too; a function of
/// the arguments alone.
std::string writeProgram(uint32_t seed, Mode mode, const std::vector<ElementwiseOp> &ops,
                         const std::string &name = "f");

/// The value of argument `place` of a program: kRows is replaced by `rows`. A function of the arguments alone, so that
/// a module in a file, and what is left of it, run with the same values.
interp::Tensor argumentValue(unsigned place, interp::ElementKind kind, llvm::ArrayRef<int64_t> shape, int64_t rows,
                             Mode mode);

} // namespace mlc::random

#endif // MLC_TEST_RANDOM_RANDOMPROGRAM_H
