// The ops that statistics are made of: services, in place where their first operand dies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "dialects/Df/IR/DfStatisticsOps.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlc;

namespace {

struct PutValuesPattern : public OpConversionPattern<df::PutValuesOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::PutValuesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t bytes = dfElement(op.getType()).getIntOrFloatBitWidth() / 8;
    rewriter.replaceOpWithNewOp<kern::PutValuesOp>(op, adaptor.getValues(), bytes, adaptor.getAt(), adaptor.getStore());
    return success();
  }
};

struct AddToBinsPattern : public OpConversionPattern<df::AddToBinsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::AddToBinsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t bits = llvm::Log2_64(cast<RankedTensorType>(op.getType()).getDimSize(0));
    rewriter.replaceOpWithNewOp<kern::AddToBinsOp>(op, adaptor.getKeys(), adaptor.getWeights(), bits,
                                                   adaptor.getBins());
    return success();
  }
};

struct MidRanksPattern : public OpConversionPattern<df::MidRanksOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::MidRanksOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value out = emptyLike(rewriter, op.getLoc(), cast<RankedTensorType>(op.getType()), adaptor.getWeights());
    rewriter.replaceOpWithNewOp<kern::MidRanksOp>(op, adaptor.getKeys(), adaptor.getGroups(), adaptor.getWeights(),
                                                  adaptor.getCount(), out);
    return success();
  }
};

} // namespace

void mlc::populateStatisticsPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<PutValuesPattern, AddToBinsPattern, MidRanksPattern>(types, patterns.getContext());
}
