// convert-df-to-linalg: the pass, its types and functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Conversion/DfToLinalg/DfToLinalg.h"
#include "AttentionPatterns.h"
#include "StringPatterns.h"
#include "dialects/Df/IR/DfExternalCall.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfQueueOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Kern/IR/KernErrorWord.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlcrt/abi.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlc {
#define GEN_PASS_DEF_CONVERTDFTOLINALG
#include "lib/Conversion/DfToLinalg/DfToLinalgPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

SmallVector<Value> mlc::dynamicSizes(OpBuilder &b, Location loc, Value tensor) {
  SmallVector<Value> sizes;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(tensor::DimOp::create(b, loc, tensor, d));
  return sizes;
}

Value mlc::emptyLike(OpBuilder &b, Location loc, RankedTensorType type, Value like, ArrayRef<int64_t> dims) {
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(tensor::DimOp::create(b, loc, like, dims.empty() ? d : dims[d]));
  return tensor::EmptyOp::create(b, loc, type, sizes);
}

Value mlc::filled(OpBuilder &b, Location loc, Value empty, TypedAttr value) {
  Value scalar = arith::ConstantOp::create(b, loc, value);
  return linalg::FillOp::create(b, loc, scalar, empty).getResult(0);
}

Value mlc::scalarTensor(OpBuilder &b, Location loc, Value index) {
  Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  Value empty = tensor::EmptyOp::create(b, loc, RankedTensorType::get({}, b.getI64Type()), ValueRange());
  return linalg::FillOp::create(b, loc, number, empty).getResult(0);
}

Value mlc::extractPart(OpBuilder &b, Location loc, RankedTensorType type, Value from, ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
  if (!hasNoElements(cast<RankedTensorType>(from.getType())) && !hasNoElements(type))
    return tensor::ExtractSliceOp::create(b, loc, type, from, offsets, sizes, strides);
  SmallVector<int64_t> known;
  SmallVector<Value> unknown;
  dispatchIndexOpFoldResults(sizes, unknown, known);
  auto dropped = computeRankReductionMask(known, type.getShape());
  SmallVector<Value> dynamic;
  unsigned next = 0;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (!dropped || !dropped->contains(d))
      if (type.isDynamicDim(next++))
        dynamic.push_back(getValueOrCreateConstantIndexOp(b, loc, size));
  return tensor::EmptyOp::create(b, loc, type, dynamic);
}

Value mlc::insertPart(OpBuilder &b, Location loc, Value part, Value into, ArrayRef<OpFoldResult> offsets,
                      ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
  if (hasNoElements(cast<RankedTensorType>(part.getType())) || hasNoElements(cast<RankedTensorType>(into.getType())))
    return into;
  return tensor::InsertSliceOp::create(b, loc, part, into, offsets, sizes, strides);
}

FailureOr<linalg::GenericOp> mlc::makeGeneric(OpBuilder &b, Location loc, ValueRange ins, ValueRange outs,
                                              ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> iterators,
                                              BodyBuilder body) {
  bool ok = true;
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange(outs), ins, outs, maps, iterators, [&](OpBuilder &nested, Location at, ValueRange elements) {
        SmallVector<Value> results = body(nested, elements);
        ok = results.size() == outs.size() && llvm::all_of(results, [](Value v) { return bool(v); });
        linalg::YieldOp::create(nested, at, ok ? ValueRange(results) : elements.take_back(outs.size()));
      });
  if (!ok)
    return failure();
  return generic;
}

Value mlc::loadElement(OpBuilder &b, Location loc, Value element, Type dfElement) {
  if (dfElement.isInteger(1) && element.getType().isInteger(8))
    return arith::TruncIOp::create(b, loc, b.getI1Type(), element);
  return element;
}

Value mlc::storeElement(OpBuilder &b, Location loc, Value element) {
  if (element && element.getType().isInteger(1))
    return arith::ExtUIOp::create(b, loc, b.getI8Type(), element);
  return element;
}

/// " of model.dnn", the field of a spec that an op is made of; else " at file:line:column", or nothing. Where a field
/// stands in its file is no part of the code.
static std::string placeOf(Location loc) {
  if (auto field = loc->findInstanceOf<NameLoc>(); field && !isa<UnknownLoc>(field.getChildLoc()))
    return (" of " + field.getName().getValue()).str();
  auto at = loc->findInstanceOf<FileLineColLoc>();
  if (!at)
    return {};
  return (" at " + at.getFilename().getValue() + ":" + Twine(at.getLine()) + ":" + Twine(at.getColumn())).str();
}

std::string mlc::nameAndPlace(StringRef name, Location loc) { return ("'" + name + "'" + placeOf(loc)).str(); }

void mlc::emitRequire(OpBuilder &b, Operation *op, Value ok, StringRef message, bool isContained) {
  emitRequire(b, op->getLoc(), op->getName().getStringRef(), ok, message, isContained);
}

void mlc::emitRequire(OpBuilder &b, Location loc, StringRef name, Value ok, StringRef message, bool isContained) {
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  auto branch = scf::IfOp::create(b, loc, arith::XOrIOp::create(b, loc, ok, yes), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  std::string text = (nameAndPlace(name, loc) + ": " + message).str();
  auto report = kern::ReportErrorOp::create(b, loc, MLCRT_INVALID_ARGUMENT, /*row=*/-1, text);
  if (isContained)
    report->setDiscardableAttr(kern::kContainedAttr, b.getUnitAttr());
}

namespace {

struct FunctionPattern : public OpConversionPattern<df::FunctionOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(df::FunctionOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertSignatureArgs(op.getArgumentTypes(), signature)) ||
        failed(getTypeConverter()->convertTypes(op.getResultTypes(), results)))
      return failure();
    auto function = func::FuncOp::create(rewriter, op.getLoc(), op.getSymName(),
                                         rewriter.getFunctionType(signature.getConvertedTypes(), results));
    if (op.getArgAttrsAttr())
      function.setArgAttrsAttr(op.getArgAttrsAttr());
    if (op.getResAttrsAttr())
      function.setResAttrsAttr(op.getResAttrsAttr());
    function->setAttr(df::DfDialect::kRoleAttr,
                      op.getRoleAttr() ? Attribute(op.getRoleAttr()) : df::RoleAttr::get(getContext(), op.getRole()));
    if (op.getSegmentAttr())
      function->setAttr(df::DfDialect::kSegmentAttr, op.getSegmentAttr());
    if (op.getEntryAttr())
      function->setAttr(df::DfDialect::kEntryAttr, op.getEntryAttr());
    // The types as df has them: the artifact's metadata says bool and string, not how they are stored.
    function->setAttr(df::DfDialect::kTypeAttr, TypeAttr::get(op.getFunctionType()));
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(), function.end());
    if (failed(rewriter.convertRegionTypes(&function.getBody(), *getTypeConverter(), &signature)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReturnPattern : public OpConversionPattern<df::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::ReturnOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<func::ReturnOp>(op, adaptor.getOperands());
    return success();
  }
};

struct ConvertDfToLinalg : public mlc::impl::ConvertDfToLinalgBase<ConvertDfToLinalg> {
  void runOnOperation() override {
    TypeConverter types;
    types.addConversion([](Type t) { return t; });
    types.addConversion([](RankedTensorType t) -> Type {
      if (t.getElementType().isInteger(1))
        return t.clone(IntegerType::get(t.getContext(), 8));
      if (t.getElementType().isUnsignedInteger())
        return t.clone(IntegerType::get(t.getContext(), t.getElementTypeBitWidth()));
      if (!isa<df::StringType>(t.getElementType()))
        return t;
      SmallVector<int64_t> shape(t.getShape());
      shape.push_back(2);
      return RankedTensorType::get(shape, IntegerType::get(t.getContext(), 64));
    });

    RewritePatternSet patterns(&getContext());
    patterns.add<FunctionPattern, ReturnPattern>(types, &getContext());
    populateElementwisePatterns(patterns, types);
    populateShapePatterns(patterns, types);
    populateIndexingPatterns(patterns, types);
    populateLayoutPatterns(patterns, types);
    populateReductionPatterns(patterns, types);
    populateAttentionPatterns(patterns, types);
    populateContractionPatterns(patterns, types);
    populatePoolingPatterns(patterns, types);
    populateExternalCallPatterns(patterns, types);
    populateFeaturePatterns(patterns, types);
    populateOrderPatterns(patterns, types);
    populateQueuePatterns(patterns, types);
    populateRowsPatterns(patterns, types);
    populateStringPatterns(patterns, types);
    populateSavePatterns(patterns, types);
    populateControlFlowPatterns(patterns, types, getOperation());

    ConversionTarget target(getContext());
    target.addIllegalDialect<df::DfDialect>();
    target.addLegalOp<df::VariableOp, df::VocabularyOp, df::QueueOp, df::DimensionOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *op) { return !isa<df::ExternalCallOpInterface>(op); });
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))) ||
        failed(unrollParallelIterations(getOperation())))
      signalPassFailure();
  }
};

} // namespace
