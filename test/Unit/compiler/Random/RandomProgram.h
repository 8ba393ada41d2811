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
  Smooth,
  /// The same, with the gradients of the loss by all arguments and variables as outputs.
  Gradients,
  /// The same of f32, f16 and bf16.
  HalfGradients
};
/// Whether all ops are smooth: those of the last three.
inline bool isSmooth(Mode mode) { return mode != Mode::Exact && mode != Mode::Free; }

/// Kinds of elements that are numbers or truth values.
inline constexpr interp::ElementKind kNumberKinds[] = {
    interp::ElementKind::F32, interp::ElementKind::F64,  interp::ElementKind::F16,  interp::ElementKind::BF16,
    interp::ElementKind::I8,  interp::ElementKind::I16,  interp::ElementKind::I32,  interp::ElementKind::I64,
    interp::ElementKind::UI8, interp::ElementKind::UI16, interp::ElementKind::UI32, interp::ElementKind::UI64,
    interp::ElementKind::I1};

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
