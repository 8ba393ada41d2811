// Short forms of the df ops that gradient rules and decompositions are made of, with their types inferred.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_EXPRESSIONBUILDER_H
#define DIALECTS_DF_UTILS_EXPRESSIONBUILDER_H

#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Utils/Build.h"
#include "mlir/IR/Builders.h"

namespace mlc::df {

/// Builds ops at one location; they infer their types. Where they cannot, the first error is told, nothing more is
/// built, and values are operands in the place of results: who made the builder asks `ok` before using what it built.
class ExpressionBuilder {
public:
  ExpressionBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  /// The one result of an op of operands and attributes, as its generated builder takes them after the type.
  template <typename Op, typename... Args> mlir::Value infer(Args &&...args) {
    return buildUnless<Op>(failed, builder, loc, std::forward<Args>(args)...);
  }
  /// Whether everything was built.
  bool ok() const { return !failed; }
  /// `x` under `type`, which may know other sizes of it.
  mlir::Value castShape(mlir::Value x, mlir::Type type);

  template <typename Op> mlir::Value unary(mlir::Value x) { return infer<Op>(x); }
  template <typename Op> mlir::Value binary(mlir::Value x, mlir::Value y) { return infer<Op>(x, y); }
  mlir::Value neg(mlir::Value x) { return unary<NegOp>(x); }
  mlir::Value add(mlir::Value x, mlir::Value y) { return binary<AddOp>(x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return binary<SubOp>(x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return binary<MulOp>(x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return binary<DivOp>(x, y); }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value compare(Comparison predicate, mlir::Value x, mlir::Value y);
  mlir::Value cast(mlir::Value x, mlir::Type element);

  /// A constant of a static number type, every element `value`.
  mlir::Value splat(mlir::RankedTensorType type, double value);
  /// `value` in the shape and element type of `like`, which may be dynamic.
  mlir::Value splatLike(mlir::Value like, double value);
  /// `x` along `dimensions` of the shape of `like`, in the element type of `x`.
  mlir::Value broadcast(mlir::Value x, mlir::Value like, llvm::ArrayRef<int64_t> dimensions);
  /// Sum over `axes` (ascending), which are dropped; `x` itself if there are none.
  mlir::Value sum(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  /// The number of elements of the dimensions `axes` of `x`, a scalar of element type `element`.
  mlir::Value count(mlir::Value x, llvm::ArrayRef<int64_t> axes, mlir::Type element);
  /// Sum over all axes.
  mlir::Value sumAll(mlir::Value x);
  /// op(x) * op(y), transposed as asked for.
  mlir::Value matmul(mlir::Value x, mlir::Value y, bool transposeX, bool transposeY);

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  bool failed = false;
};

/// 0, 1, .., rank-1 without `axes`: the dimensions that a reduction over `axes` keeps.
llvm::SmallVector<int64_t> keptDimensions(int64_t rank, llvm::ArrayRef<int64_t> axes);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_EXPRESSIONBUILDER_H
