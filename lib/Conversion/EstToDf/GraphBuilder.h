// Builds df ops on values whose types say what is meant: scalars are repeated where a tensor is needed. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_GRAPHBUILDER_H
#define LIB_CONVERSION_ESTTODF_GRAPHBUILDER_H

#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Utils/Build.h"
#include "dialects/Df/Utils/ExpressionBuilder.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlc::est2df {

/// A builder of df ops with shorthands; they infer their types. Where they cannot, the first error is told, nothing
/// more is built, and values are operands in the place of results: who made the builder asks `ok`. Where two operands
/// are asked to have one type and one is a scalar, the scalar is repeated to the other's shape just before the op, so
/// that arithmetic on scalars stays on scalars.
class GraphBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  /// A scalar constant of element type `element`; `value` is rounded to it.
  mlir::Value scalar(double value, mlir::Type element);
  /// A scalar constant of type f32.
  mlir::Value f32(double value) { return scalar(value, getF32Type()); }
  /// A scalar constant of type i64.
  mlir::Value i64(int64_t value);
  /// A constant vector: its elements are `values`, rounded to `element` (a float type).
  mlir::Value vector(llvm::ArrayRef<double> values, mlir::Type element);
  /// A tensor of `like`'s shape and of `value`'s element type, `value` a scalar.
  mlir::Value repeat(mlir::Value value, mlir::Value like);
  /// As df.broadcast: dimension i of `value` goes to dimension `dimensions[i]` of `like`'s shape.
  mlir::Value broadcast(mlir::Value value, mlir::Value like, llvm::ArrayRef<int64_t> dimensions);

  /// The one result of an op of operands and attributes, as its generated builder takes them after the type.
  template <typename Op, typename... Args> mlir::Value infer(Args &&...args) {
    return df::buildUnless<Op>(failed, *this, getLoc(), std::forward<Args>(args)...);
  }
  /// What `build` makes with an ExpressionBuilder, here.
  template <typename Fn> auto express(Fn build) {
    df::ExpressionBuilder expressions(*this, getLoc());
    auto made = build(expressions);
    failed |= !expressions.ok();
    return made;
  }
  /// Whether everything was built.
  bool ok() const { return !failed; }

  /// An element-wise op on one value.
  template <typename Op> mlir::Value unary(mlir::Value value) { return infer<Op>(value); }
  /// An element-wise op on two values of one shape, or a scalar and a value.
  template <typename Op> mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    alignShapes(lhs, rhs);
    return infer<Op>(lhs, rhs);
  }
  mlir::Value add(mlir::Value lhs, mlir::Value rhs) { return binary<df::AddOp>(lhs, rhs); }
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs) { return binary<df::SubOp>(lhs, rhs); }
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs) { return binary<df::MulOp>(lhs, rhs); }
  mlir::Value div(mlir::Value lhs, mlir::Value rhs) { return binary<df::DivOp>(lhs, rhs); }
  /// lhs / rhs, and 0 where rhs is 0.
  mlir::Value divNoNan(mlir::Value lhs, mlir::Value rhs);
  /// Truth values of `lhs` compared with `rhs`; either may be a scalar.
  mlir::Value compare(df::Comparison predicate, mlir::Value lhs, mlir::Value rhs);
  /// `yes` where `condition`, else `no`; both may be scalars.
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  /// The value with element type `element`; the value itself if it has it.
  mlir::Value cast(mlir::Value value, mlir::Type element);
  /// The value under another shape; the value itself if it has it.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// [n] -> [n, 1].
  mlir::Value asColumn(mlir::Value value) { return reshape(value, {mlir::ShapedType::kDynamic, 1}); }
  /// [n, 1] -> [n].
  mlir::Value asVector(mlir::Value value) { return reshape(value, {mlir::ShapedType::kDynamic}); }
  /// The number of rows of a tensor, a scalar i64.
  mlir::Value countRows(mlir::Value value);
  /// Sum over `axes`.
  mlir::Value sum(mlir::Value value, llvm::ArrayRef<int64_t> axes);
  /// Elements [start, start + size) of a vector.
  mlir::Value slice(mlir::Value vector, int64_t start, int64_t size);
  /// Element `index` of a vector, as a scalar.
  mlir::Value element(mlir::Value vector, int64_t index) { return reshape(slice(vector, index, 1), {}); }
  /// Row `index` of a matrix of static shape, as a vector.
  mlir::Value row(mlir::Value matrix, int64_t index);
  /// lhs rhs.
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs);
  /// Values next to each other along dimension 1.
  mlir::Value concatColumns(mlir::ValueRange values);
  /// The value of a variable.
  mlir::Value read(df::VariableOp variable);

private:
  void alignShapes(mlir::Value &lhs, mlir::Value &rhs);

  bool failed = false;
};

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_GRAPHBUILDER_H
