// Attention that df-decompose kept: kernels that store no scores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AttentionPatterns.h"
#include "Patterns.h"
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Kern/IR/KernAttention.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mlc;
using utils::IteratorType;

/// The factor of scores, as the decomposition has it.
template <typename Op> static FloatAttr scaleOf(Op op, OpBuilder &b) {
  const int64_t depth = df::shapeOf(op.getQuery().getType()).back();
  const double scale = op.getScale() ? op.getScale()->convertToDouble() : 1 / std::sqrt(static_cast<double>(depth));
  return b.getF32FloatAttr(static_cast<float>(scale));
}

/// The result, and of each row of scores the maximum and the sum. Equal ones become one: what the backward pass needs
/// is kept by the forward pass.
template <typename Op, typename Adaptor> static kern::AttentionOp makeAttention(OpBuilder &b, Op op, Adaptor adaptor) {
  Location loc = op.getLoc();
  auto query = cast<RankedTensorType>(adaptor.getQuery().getType());
  SmallVector<int64_t> shape(query.getShape());
  auto rows = RankedTensorType::get(ArrayRef<int64_t>(shape).drop_back(), query.getElementType());
  shape.back() = df::shapeOf(adaptor.getValue().getType()).back();
  RankedTensorType type = query.clone(shape);
  SmallVector<Value> outs = {emptyLike(b, loc, type, adaptor.getQuery()), emptyLike(b, loc, rows, adaptor.getQuery()),
                             emptyLike(b, loc, rows, adaptor.getQuery())};
  return kern::AttentionOp::create(b, loc, ValueRange(outs).getTypes(), adaptor.getQuery(), adaptor.getKey(),
                                   adaptor.getValue(), adaptor.getMask(), outs, scaleOf(op, b), op.getCausalAttr());
}

/// `value` as a tensor of `type`, which may know other sizes.
static Value as(OpBuilder &b, Location loc, Type type, Value value) {
  return value.getType() == type ? value : tensor::CastOp::create(b, loc, type, value);
}

namespace {
struct AttentionPattern : public OpConversionPattern<df::AttentionOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::AttentionOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value result = makeAttention(rewriter, op, adaptor).getResult(0);
    rewriter.replaceOp(op, as(rewriter, op.getLoc(), op.getType(), result));
    return success();
  }
};

struct AttentionGradPattern : public OpConversionPattern<df::AttentionGradOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::AttentionGradOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    kern::AttentionOp forward = makeAttention(rewriter, op, adaptor);
    Value result = forward.getResult(0), cotangent = adaptor.getCotangent();
    auto rows = cast<RankedTensorType>(forward.getResult(1).getType());
    const int64_t rank = rows.getRank() + 1;
    SmallVector<IteratorType> iterators(rank - 1, IteratorType::parallel);
    iterators.push_back(IteratorType::reduction);
    AffineMap identity = rewriter.getMultiDimIdentityMap(rank), row = identity.dropResult(rank - 1);
    Value zero = filled(rewriter, loc, emptyLike(rewriter, loc, rows, adaptor.getQuery()), rewriter.getF32FloatAttr(0));
    const ArrayRef<int64_t> shape = df::shapeOf(result.getType());
    auto dots = makeGeneric(rewriter, loc, {cotangent, result}, zero, {identity, identity, row}, iterators,
                            [&](OpBuilder &b, ValueRange v) -> SmallVector<Value> {
                              Value term = arith::MulFOp::create(b, loc, v[0], v[1]);
                              Value sum = arith::AddFOp::create(b, loc, v[2], term);
                              return {inSumOrder(sum, shape, rank - 1)};
                            });
    if (failed(dots))
      return failure();
    SmallVector<Value> outs;
    for (Value operand : {adaptor.getQuery(), adaptor.getKey(), adaptor.getValue()})
      outs.push_back(emptyLike(rewriter, loc, cast<RankedTensorType>(operand.getType()), operand));
    auto gradients = kern::AttentionGradOp::create(rewriter, loc, ValueRange(outs).getTypes(), adaptor.getQuery(),
                                                   adaptor.getKey(), adaptor.getValue(), cotangent,
                                                   forward.getResult(1), forward.getResult(2), dots->getResult(0),
                                                   adaptor.getMask(), outs, scaleOf(op, rewriter), op.getCausalAttr());
    SmallVector<Value> results;
    for (auto [type, value] : llvm::zip_equal(op.getResultTypes(), gradients.getResults()))
      results.push_back(as(rewriter, loc, type, value));
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void mlc::populateAttentionPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<AttentionPattern, AttentionGradPattern>(types, patterns.getContext());
}
