// The ops that statistics are made of: services, in place where their first operand dies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "dialects/Df/IR/DfStatisticsOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlc;

/// Replaces `op` by a service with one out.
static void replaceByService(ConversionPatternRewriter &rewriter, Operation *op, StringRef name, StringRef signature,
                             ValueRange ins, Value out, ArrayRef<int64_t> constants) {
  auto service = kern::ServiceOp::create(rewriter, op->getLoc(), TypeRange(out.getType()), rewriter.getStringAttr(name),
                                         rewriter.getStringAttr(signature), ins, ValueRange(out),
                                         rewriter.getDenseI64ArrayAttr(constants), rewriter.getStrArrayAttr({}));
  rewriter.replaceOp(op, service.getResults());
}

namespace {

struct PutValuesPattern : public OpConversionPattern<df::PutValuesOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::PutValuesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t bytes = dfElement(op.getType()).getIntOrFloatBitWidth() / 8;
    replaceByService(rewriter, op, "put_values", "bmlvnu", {adaptor.getValues(), adaptor.getAt()}, adaptor.getStore(),
                     {bytes});
    return success();
  }
};

struct AddToBinsPattern : public OpConversionPattern<df::AddToBinsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::AddToBinsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t bits = llvm::Log2_64(cast<RankedTensorType>(op.getType()).getDimSize(0));
    replaceByService(rewriter, op, "add_to_bins", "bbmiu", {adaptor.getKeys(), adaptor.getWeights()}, adaptor.getBins(),
                     {bits});
    return success();
  }
};

struct MidRanksPattern : public OpConversionPattern<df::MidRanksOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::MidRanksOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> ins;
    std::string signature;
    for (Value optional : {adaptor.getKeys(), adaptor.getGroups()}) {
      signature += optional ? 'b' : 'z';
      if (optional)
        ins.push_back(optional);
    }
    ins.append({adaptor.getWeights(), adaptor.getCount()});
    Value out = emptyLike(rewriter, op.getLoc(), cast<RankedTensorType>(op.getType()), adaptor.getWeights());
    replaceByService(rewriter, op, "mid_ranks", signature + "bvnb", ins, out, {});
    return success();
  }
};

} // namespace

void mlc::populateStatisticsPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<PutValuesPattern, AddToBinsPattern, MidRanksPattern>(types, patterns.getContext());
}
