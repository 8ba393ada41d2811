// The checked builder of ops that infer the types of their results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_BUILD_H
#define DIALECTS_DF_UTILS_BUILD_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include <type_traits>
#include <utility>

namespace mlc::df {

/// Gives `state`, of an op that is to be built, the types that the op infers for its results. A failure is a diagnostic
/// at its location.
llvm::LogicalResult inferResultTypes(mlir::OperationState &state);

namespace detail {
/// The number of results where every op of the class has as many, else 0.
template <typename Op> constexpr unsigned numResults() {
  if constexpr (Op::template hasTrait<mlir::OpTrait::OneResult>())
    return 1;
  else if constexpr (Op::template hasTrait<mlir::OpTrait::NResults<2>::Impl>())
    return 2;
  else if constexpr (Op::template hasTrait<mlir::OpTrait::NResults<3>::Impl>())
    return 3;
  else if constexpr (Op::template hasTrait<mlir::OpTrait::NResults<4>::Impl>())
    return 4;
  else
    return 0;
}
} // namespace detail

/// Builds an op of operands and attributes, as its generated builder takes them after the types of the results, which
/// it infers. Where they do not fit together it tells so at `loc` and builds nothing.
template <typename Op, typename... Args>
llvm::FailureOr<Op> build(mlir::OpBuilder &builder, mlir::Location loc, Args &&...args) {
  mlir::OperationState state(loc, Op::getOperationName());
  // The generated builder wants types: those that are inferred replace them.
  llvm::SmallVector<mlir::Type, 4> placeholders(detail::numResults<Op>(), builder.getNoneType());
  Op::build(builder, state, mlir::TypeRange(placeholders), std::forward<Args>(args)...);
  if (llvm::failed(inferResultTypes(state)))
    return llvm::failure();
  return llvm::cast<Op>(builder.create(state));
}

namespace detail {
/// The first operand among the arguments of a builder.
template <typename First, typename... Rest> mlir::Value firstOperand(const First &first, const Rest &...rest) {
  if constexpr (std::is_convertible_v<const First &, mlir::Value>)
    return first;
  else if constexpr (std::is_convertible_v<const First &, mlir::ValueRange>)
    return mlir::ValueRange(first).front();
  else
    return firstOperand(rest...);
}
} // namespace detail

/// `build` for those who go on after an error and ask for it at the end: the one result of an op with operands. Nothing
/// is built once `failed`, and the first operand stands in the place of the result.
template <typename Op, typename... Args>
mlir::Value buildUnless(bool &failed, mlir::OpBuilder &builder, mlir::Location loc, Args &&...args) {
  mlir::Value operand = detail::firstOperand(args...);
  if (failed)
    return operand;
  llvm::FailureOr<Op> op = build<Op>(builder, loc, std::forward<Args>(args)...);
  failed = llvm::failed(op);
  return failed ? operand : mlir::Value((*op)->getResult(0));
}

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_BUILD_H
