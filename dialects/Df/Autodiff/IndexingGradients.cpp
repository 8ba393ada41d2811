// Gradients of gathers and scatters: each is the other's transpose.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"
#include "dialects/Df/Autodiff/RowGradients.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"

using namespace mlir;

namespace mlc::df {

using Gradients = MutableArrayRef<Value>;

/// What the indices of a gather or scatter name of `from`, which has the operand's shape; of the type of `like`.
template <typename Op> static Value gather(Op op, ExpressionBuilder &b, Value from, Value like) {
  return b.infer<GatherOp>(from, op.getIndices(), op.getAxes(), op.getBatch(), op.getSkipNegative());
}

/// `to`, which has the operand's shape, combined with `updates` at the indices.
template <typename Op> static Value scatter(Op op, ExpressionBuilder &b, ScatterKind kind, Value to, Value updates) {
  return b.infer<ScatterOp>(kind, to, op.getIndices(), updates, op.getAxes(), op.getBatch(), op.getSkipNegative());
}

static LogicalResult gradientOf(GatherOp op, ExpressionBuilder &b, Value g, Gradients out) {
  auto table = cast<RankedTensorType>(op.getOperand().getType());
  if (op.takesRows() && table.hasStaticShape()) {
    // The order of sums that variables have.
    Value rows = buildSparseGradient(b, table, {{op.getIndices(), g}});
    out[0] = DensifyRowsOp::create(b.builder, b.loc, table, rows);
    return success();
  }
  out[0] = scatter(op, b, ScatterKind::Add, b.splatLike(op.getOperand(), 0), g);
  return success();
}

/// The number of each element of `like`, row-major.
static Value numbersOf(ExpressionBuilder &b, Value like) {
  auto type = cast<RankedTensorType>(like.getType()).clone(b.builder.getI64Type());
  if (type.getRank() == 0)
    return b.splat(type, 0);
  Value like64 = type.hasStaticShape() ? Value() : like, number, shape;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Value along = IotaOp::create(b.builder, b.loc, type, like64, d);
    if (!number) {
      number = along;
      continue;
    }
    Value size;
    if (type.isDynamicDim(d)) {
      if (!shape)
        shape = b.infer<ShapeOp>(like);
      size = SliceOp::create(b.builder, b.loc, shape, 0, d, 1);
      size = ReshapeOp::create(b.builder, b.loc, RankedTensorType::get({}, b.builder.getI64Type()), size);
      size = b.broadcast(size, like, {});
    } else {
      size = b.splatLike(number, static_cast<double>(type.getDimSize(d)));
    }
    number = b.add(b.mul(number, size), along);
  }
  return number;
}

/// Of several updates of one place the last one stays.
static void gradientOfSet(ScatterOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value updates = op.getUpdates(), zeros = b.splatLike(updates, 0);
  out[0] = scatter(op, b, ScatterKind::Set, g, zeros);
  Value numbers = numbersOf(b, updates);
  Value none = b.cast(b.splatLike(op.getOperand(), 0), b.builder.getI64Type());
  Value winners = gather(op, b, scatter(op, b, ScatterKind::Set, none, numbers), updates);
  out[2] = b.select(b.compare(Comparison::EQ, winners, numbers), gather(op, b, g, updates), zeros);
}

/// Shared equally by those that reach the extremum.
static void gradientOfExtremum(ScatterOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value operand = op.getOperand(), updates = op.getUpdates(), y = op.getResult();
  Type element = elementType(op.getType());
  Value stays = b.compare(Comparison::EQ, operand, y),
        comes = b.compare(Comparison::EQ, updates, gather(op, b, y, updates));
  Value share = b.div(g, scatter(op, b, ScatterKind::Add, b.cast(stays, element), b.cast(comes, element)));
  out[0] = b.select(stays, share, b.splatLike(operand, 0));
  out[2] = b.select(comes, gather(op, b, share, updates), b.splatLike(updates, 0));
}

/// The product of the other factors: with no zero among all the product divided by the factor, with one the product of
/// all but the zero for that one, with more 0.
static void gradientOfProduct(ScatterOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Value operand = op.getOperand(), updates = op.getUpdates();
  Type element = elementType(op.getType());
  auto isZero = [&](Value x) { return b.compare(Comparison::EQ, x, b.splatLike(x, 0)); };
  auto orOne = [&](Value x) { return b.select(isZero(x), b.splatLike(x, 1), x); };
  Value product = b.mul(g, scatter(op, b, ScatterKind::Mul, orOne(operand), orOne(updates)));
  Value zeros = scatter(op, b, ScatterKind::Add, b.cast(isZero(operand), element), b.cast(isZero(updates), element));
  auto ofFactor = [&](Value x, Value product, Value zeros) {
    Value others = b.sub(zeros, b.cast(isZero(x), element));
    return b.select(isZero(others), b.div(product, orOne(x)), b.splatLike(x, 0));
  };
  out[0] = ofFactor(operand, product, zeros);
  out[2] = ofFactor(updates, gather(op, b, product, updates), gather(op, b, zeros, updates));
}

static LogicalResult gradientOf(ScatterOp op, ExpressionBuilder &b, Value g, Gradients out) {
  switch (op.getKind()) {
  case ScatterKind::Set:
    gradientOfSet(op, b, g, out);
    break;
  case ScatterKind::Add:
    out[0] = g;
    out[2] = gather(op, b, g, op.getUpdates());
    break;
  case ScatterKind::Mul:
    gradientOfProduct(op, b, g, out);
    break;
  default:
    gradientOfExtremum(op, b, g, out);
  }
  return success();
}

void attachIndexingGradients(MLIRContext *context) { attachRules<GatherOp, ScatterOp>(context); }

} // namespace mlc::df
