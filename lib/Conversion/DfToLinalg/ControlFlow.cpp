// df.if and df.while to scf.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;

/// The truth value that a scalar i8 tensor holds.
static Value truth(OpBuilder &b, Location loc, Value tensor) {
  Value element = tensor::ExtractOp::create(b, loc, tensor, ValueRange());
  return loadElement(b, loc, element, b.getI1Type());
}

namespace {

struct IfPattern : public OpConversionPattern<df::IfOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::IfOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), types)))
      return failure();
    auto ifOp = scf::IfOp::create(rewriter, op.getLoc(), types, truth(rewriter, op.getLoc(), adaptor.getCondition()),
                                  false, false);
    rewriter.inlineRegionBefore(op.getThenRegion(), ifOp.getThenRegion(), ifOp.getThenRegion().end());
    rewriter.inlineRegionBefore(op.getElseRegion(), ifOp.getElseRegion(), ifOp.getElseRegion().end());
    rewriter.replaceOp(op, ifOp.getResults());
    return success();
  }
};

struct WhilePattern : public OpConversionPattern<df::WhileOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::WhileOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), types)))
      return failure();
    // The first carried value counts iterations for max_iterations.
    SmallVector<Value> inits = {arith::ConstantIndexOp::create(rewriter, loc, 0)};
    llvm::append_range(inits, adaptor.getInits());
    SmallVector<Type> carried = {rewriter.getIndexType()};
    llvm::append_range(carried, types);
    auto loop = scf::WhileOp::create(rewriter, loc, carried, inits);

    rewriter.inlineRegionBefore(op.getConditionRegion(), loop.getBefore(), loop.getBefore().end());
    rewriter.inlineRegionBefore(op.getBodyRegion(), loop.getAfter(), loop.getAfter().end());
    for (Region *region : {&loop.getBefore(), &loop.getAfter()}) {
      TypeConverter::SignatureConversion signature(region->getNumArguments());
      for (auto [i, type] : llvm::enumerate(types))
        signature.addInputs(i, type);
      Block *block = rewriter.applySignatureConversion(&region->front(), signature, getTypeConverter());
      block->insertArgument(0u, rewriter.getIndexType(), loc);
    }
    Block *before = &loop.getBefore().front();
    auto condition = cast<df::ConditionOp>(before->getTerminator());
    rewriter.setInsertionPoint(condition);
    Value go = truth(rewriter, loc, rewriter.getRemappedValue(condition.getCondition()));
    if (op.getMaxIterations()) {
      Value bound = arith::ConstantIndexOp::create(rewriter, loc, *op.getMaxIterations());
      go = arith::AndIOp::create(
          rewriter, loc, go,
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, before->getArgument(0), bound));
    }
    rewriter.replaceOpWithNewOp<scf::ConditionOp>(condition, go, before->getArguments());
    rewriter.replaceOp(op, loop.getResults().drop_front());
    return success();
  }
};

/// Bufferization wants the next value of a carried tensor where the loop keeps the old one. It is put there behind the
/// body, when everything has read the old ones.
struct YieldPattern : public OpConversionPattern<df::YieldOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::YieldOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (isa<scf::IfOp>(op->getParentOp())) {
      rewriter.replaceOpWithNewOp<scf::YieldOp>(op, adaptor.getOperands());
      return success();
    }
    if (!isa<scf::WhileOp>(op->getParentOp()))
      return failure();
    ValueRange carried = op->getBlock()->getArguments();
    SmallVector<Value> next;
    for (auto [value, place] : llvm::zip(adaptor.getOperands(), carried.drop_front())) {
      // What may lie in the place of another carried value is copied twice, so that none is lost.
      if (value == place || isFresh(value))
        next.push_back(value);
      else
        next.push_back(
            copyTo(rewriter, loc, value, emptyLike(rewriter, loc, cast<RankedTensorType>(value.getType()), value)));
    }
    for (auto [value, place] : llvm::zip(next, carried.drop_front()))
      if (value != place)
        value = copyTo(rewriter, loc, value, place);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    next.insert(next.begin(), arith::AddIOp::create(rewriter, loc, carried.front(), one));
    rewriter.replaceOpWithNewOp<scf::YieldOp>(op, next);
    return success();
  }

private:
  static Value copyTo(OpBuilder &b, Location loc, Value value, Value place) {
    return linalg::CopyOp::create(b, loc, value, place).getResult(0);
  }
  /// Whether `value` is made in memory of its own.
  static bool isFresh(Value value) {
    auto maker = value.getDefiningOp<DestinationStyleOpInterface>();
    return maker && maker.getTiedOpOperand(cast<OpResult>(value))->get().getDefiningOp<tensor::EmptyOp>();
  }
};

} // namespace

void mlc::populateControlFlowPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<IfPattern, WhilePattern, YieldPattern>(types, patterns.getContext());
}
