// Attention that df-decompose kept: kernels that store no scores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AttentionPatterns.h"
#include "Conversions.h"
#include "Patterns.h"
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Utils/RoundFactor.h"
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

/// The first `count` operands as numbers of the precision that factors have: halves, exactly, or of f32.
template <typename Op>
static SmallVector<Value> factorsOf(Op op, ValueRange converted, unsigned count, ConversionPatternRewriter &rewriter) {
  SmallVector<Value> factors = mlc::factorsOf(op, converted, rewriter, count);
  auto precision = op->template getAttrOfType<df::PrecisionAttr>(df::DfDialect::kFactorsAttr);
  Type wanted = df::factorType(rewriter.getContext(), precision ? precision.getValue() : df::Precision::F32);
  for (Value &factor : MutableArrayRef(factors).take_front(count)) {
    auto type = cast<RankedTensorType>(factor.getType());
    Type element = type.getElementType();
    if (element == wanted)
      continue;
    SmallVector<AffineMap> identity(2, rewriter.getMultiDimIdentityMap(static_cast<unsigned>(type.getRank())));
    SmallVector<IteratorType> parallel(type.getRank(), IteratorType::parallel);
    auto generic =
        makeGeneric(rewriter, op.getLoc(), factor, emptyLike(rewriter, op.getLoc(), type.clone(wanted), factor),
                    identity, parallel, [&](OpBuilder &b, ValueRange v) -> SmallVector<Value> {
                      return {emitCast(b, op.getLoc(), v[0], element, wanted)};
                    });
    factor = generic->getResult(0);
  }
  return factors;
}

/// Notes that elements of factors are numbers of tf32, if they are.
static void noteTf32(Operation *of, Operation *kernel) {
  auto precision = of->getAttrOfType<df::PrecisionAttr>(df::DfDialect::kFactorsAttr);
  if (precision && precision.getValue() == df::Precision::TF32)
    kernel->setAttr(kern::kTf32Attr, UnitAttr::get(of->getContext()));
}

/// The result, and of each row of scores the maximum and the sum. Equal ones become one: what the backward pass needs
/// is kept by the forward pass.
template <typename Op>
static kern::AttentionOp makeAttention(OpBuilder &b, Op op, ArrayRef<Value> factors, Value mask) {
  Location loc = op.getLoc();
  SmallVector<int64_t> shape(df::shapeOf(factors[0].getType()));
  auto rows = RankedTensorType::get(ArrayRef<int64_t>(shape).drop_back(), b.getF32Type());
  shape.back() = df::shapeOf(factors[2].getType()).back();
  auto type = RankedTensorType::get(shape, b.getF32Type());
  SmallVector<Value> outs = {emptyLike(b, loc, type, factors[0]), emptyLike(b, loc, rows, factors[0]),
                             emptyLike(b, loc, rows, factors[0])};
  auto attention = kern::AttentionOp::create(b, loc, ValueRange(outs).getTypes(), factors[0], factors[1], factors[2],
                                             mask, outs, scaleOf(op, b), op.getCausalAttr());
  noteTf32(op, attention);
  return attention;
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
    SmallVector<Value> factors = factorsOf(op, adaptor.getOperands(), 3, rewriter);
    Value result = makeAttention(rewriter, op, factors, adaptor.getMask()).getResult(0);
    rewriter.replaceOp(op, as(rewriter, op.getLoc(), op.getType(), result));
    return success();
  }
};

struct AttentionGradPattern : public OpConversionPattern<df::AttentionGradOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::AttentionGradOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> factors = factorsOf(op, adaptor.getOperands(), 4, rewriter);
    kern::AttentionOp forward = makeAttention(rewriter, op, factors, adaptor.getMask());
    Value result = forward.getResult(0), cotangent = factors[3];
    auto rows = cast<RankedTensorType>(forward.getResult(1).getType());
    const int64_t rank = rows.getRank() + 1;
    SmallVector<IteratorType> iterators(rank - 1, IteratorType::parallel);
    iterators.push_back(IteratorType::reduction);
    AffineMap identity = rewriter.getMultiDimIdentityMap(rank), row = identity.dropResult(rank - 1);
    Value zero = filled(rewriter, loc, emptyLike(rewriter, loc, rows, factors[0]), rewriter.getF32FloatAttr(0));
    const ArrayRef<int64_t> shape = df::shapeOf(result.getType());
    auto dots = makeGeneric(rewriter, loc, {cotangent, result}, zero, {identity, identity, row}, iterators,
                            [&](OpBuilder &b, ValueRange v) -> SmallVector<Value> {
                              Value x = isHalfFloat(v[0].getType()) ? widenHalf(b, loc, v[0]) : v[0];
                              Value term = arith::MulFOp::create(b, loc, x, v[1]);
                              Value sum = arith::AddFOp::create(b, loc, v[2], term);
                              return {inSumOrder(sum, shape, rank - 1)};
                            });
    if (failed(dots))
      return failure();
    SmallVector<Value> outs;
    for (Value operand : ArrayRef(factors).take_front(3))
      outs.push_back(
          emptyLike(rewriter, loc, cast<RankedTensorType>(operand.getType()).clone(rewriter.getF32Type()), operand));
    auto gradients = kern::AttentionGradOp::create(
        rewriter, loc, ValueRange(outs).getTypes(), factors[0], factors[1], factors[2], cotangent, forward.getResult(1),
        forward.getResult(2), dots->getResult(0), adaptor.getMask(), outs, scaleOf(op, rewriter), op.getCausalAttr());
    noteTf32(op, gradients);
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
