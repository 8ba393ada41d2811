// df.save and df.restore to services.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StringPatterns.h"
#include "dialects/Df/IR/DfSaveOps.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlc/Target/Artifact/ElementType.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlc;

/// Stages a tensor of df type `type`: the elements of `value`, or with null what is to be loaded.
static void stage(OpBuilder &b, Location loc, StringRef name, RankedTensorType type, Value value) {
  auto dimsType = RankedTensorType::get(type.getRank(), b.getI64Type());
  Value dims = type.getRank() == 0
                   ? Value(tensor::EmptyOp::create(b, loc, dimsType.getShape(), b.getI64Type()))
                   : arith::ConstantOp::create(b, loc, DenseElementsAttr::get(dimsType, type.getShape()));
  kern::StateStageOp::create(b, loc, name, *dtypeOf(type.getElementType()), type.getRank(), dims, value);
}

namespace {

struct SavePattern : public OpConversionPattern<df::SaveOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::SaveOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    if (!op.getNames())
      return op.emitOpError("has no values; df-state-to-values gives them");
    Location loc = op.getLoc();
    for (auto [name, original, value] :
         llvm::zip(op.getNames()->getAsValueRange<StringAttr>(), op.getValues(), adaptor.getValues()))
      stage(b, loc, name, cast<RankedTensorType>(original.getType()), value);
    kern::StateSaveOp::create(b, loc, adaptor.getPath(), nameAndPlace(op));
    b.eraseOp(op);
    return success();
  }
};

struct RestorePattern : public OpConversionPattern<df::RestoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::RestoreOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    if (!op.getNames())
      return op.emitOpError("has no values; df-state-to-values gives them");
    Location loc = op.getLoc();
    for (auto [name, value] : llvm::zip(op.getNames()->getAsValueRange<StringAttr>(), op.getValues()))
      stage(b, loc, name, cast<RankedTensorType>(value.getType()), Value());
    kern::StateLoadOp::create(b, loc, adaptor.getPath(), nameAndPlace(op));
    SmallVector<Value> results;
    for (auto [i, value] : llvm::enumerate(op.getValues())) {
      auto type = cast<RankedTensorType>(getTypeConverter()->convertType(value.getType()));
      Value empty = tensor::EmptyOp::create(b, loc, type, ValueRange());
      results.push_back(kern::StateLoadedOp::create(b, loc, static_cast<int32_t>(i), empty).getResult(0));
    }
    b.replaceOp(op, results);
    return success();
  }
};

} // namespace

void mlc::populateSavePatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<SavePattern, RestorePattern>(types, patterns.getContext());
}
