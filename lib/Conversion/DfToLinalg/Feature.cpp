// Strings, vocabularies, ids: df-lower-strings as patterns. Strings become services here, before bufferization.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlcrt/abi.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlc;
using utils::IteratorType;

/// Position of a table among the module's tables: how the runtime names it.
static FailureOr<int32_t> tableIndex(Operation *op, FlatSymbolRefAttr symbol) {
  Operation *module = SymbolTable::getNearestSymbolTable(op);
  int32_t position = 0;
  for (auto table : module->getRegion(0).getOps<df::VocabularyOp>()) {
    if (table.getSymNameAttr() == symbol.getAttr())
      return position;
    ++position;
  }
  op->emitOpError("names ") << symbol << ", which is not a df.vocabulary";
  return failure();
}

namespace {

struct FingerprintPattern : public OpConversionPattern<df::FingerprintOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::FingerprintOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    bool strings = isa<df::StringType>(dfElement(op.getOperand().getType()));
    Value out = emptyLike(rewriter, op.getLoc(), cast<RankedTensorType>(op.getType()), adaptor.getOperand());
    if (strings)
      rewriter.replaceOpWithNewOp<kern::FingerprintStringsOp>(op, adaptor.getOperand(), out);
    else
      rewriter.replaceOpWithNewOp<kern::FingerprintIntsOp>(op, adaptor.getOperand(), out);
    return success();
  }
};

struct LookupPattern : public OpConversionPattern<df::LookupOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::LookupOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<int32_t> table = tableIndex(op, op.getTableAttr());
    if (failed(table))
      return failure();
    bool strings = isa<df::StringType>(dfElement(op.getOperand().getType()));
    Value out = emptyLike(rewriter, op.getLoc(), cast<RankedTensorType>(op.getType()), adaptor.getOperand());
    if (strings)
      rewriter.replaceOpWithNewOp<kern::LookupStringsOp>(op, *table, adaptor.getOperand(), out);
    else
      rewriter.replaceOpWithNewOp<kern::LookupIntsOp>(op, *table, adaptor.getOperand(), out);
    return success();
  }
};

struct TermPattern : public OpConversionPattern<df::TermOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::TermOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    FailureOr<int32_t> table = tableIndex(op, op.getTableAttr());
    if (failed(table))
      return failure();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Value out = emptyLike(rewriter, op.getLoc(), type, adaptor.getOperand());
    rewriter.replaceOpWithNewOp<kern::TableTermsOp>(op, *table, adaptor.getOperand(), out);
    return success();
  }
};

struct CheckIdsPattern : public OpConversionPattern<df::CheckIdsOp> {
  using OpConversionPattern::OpConversionPattern;

  /// One call for all columns.
  static void checkColumns(df::CheckIdsOp op, Value ids, OpBuilder &b) {
    SmallVector<int64_t> highs;
    std::string features;
    for (auto column : op.getColumns()->getAsRange<df::IdColumnAttr>()) {
      highs.push_back(column.getHigh());
      features += column.getFeature().str() + '\0';
    }
    auto type = RankedTensorType::get(static_cast<int64_t>(highs.size()), b.getI64Type());
    Value bounds = arith::ConstantOp::create(b, op.getLoc(), DenseElementsAttr::get(type, ArrayRef<int64_t>(highs)));
    kern::CheckColumnsOp::create(b, op.getLoc(), ids, static_cast<int64_t>(op.getLow()), bounds, op.getWhat(),
                                 features);
  }

  /// One call for the ids of all rows, [rows, ..], one after the other.
  static std::pair<Value, Value> flatWithEnds(Value ids, OpBuilder &b) {
    Location loc = ids.getLoc();
    const int64_t rank = cast<RankedTensorType>(ids.getType()).getRank();
    Value width = arith::ConstantIndexOp::create(b, loc, 1);
    for (int64_t d = 1; d < rank; ++d)
      width =
          b.createOrFold<arith::MulIOp>(loc, width, getValueOrCreateConstantIndexOp(b, loc, sizeOf(b, loc, ids, d)));
    width = b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), width);
    OpFoldResult rows = sizeOf(b, loc, ids, 0);
    Value empty = tensor::EmptyOp::create(b, loc, rows, b.getI64Type());
    Value ends = makeIndexed(b, loc, empty, [&](OpBuilder &nested, ValueRange index) -> Value {
      Value row = arith::IndexCastOp::create(nested, loc, nested.getI64Type(), index.front());
      return arith::AddIOp::create(nested, loc, arith::MulIOp::create(nested, loc, row, width), width);
    });
    ReassociationIndices all = llvm::to_vector(llvm::seq<int64_t>(rank));
    return {tensor::CollapseShapeOp::create(b, loc, ids, ArrayRef<ReassociationIndices>(all)), ends};
  }

  LogicalResult matchAndRewrite(df::CheckIdsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getColumns()) {
      checkColumns(op, adaptor.getIds(), rewriter);
      rewriter.replaceOp(op, adaptor.getIds());
      return success();
    }
    int32_t table = -1;
    if (op.getTableAttr()) {
      FailureOr<int32_t> index = tableIndex(op, op.getTableAttr());
      if (failed(index))
        return failure();
      table = *index;
    }
    int32_t dtype = MLCRT_I64;
    if (adaptor.getCells()) {
      Type element = dfElement(op.getCells().getType());
      dtype = isa<df::StringType>(element) ? MLCRT_STRING
              : element.isF32()            ? MLCRT_F32
              : element.isF64()            ? MLCRT_F64
                                           : MLCRT_I64;
    }
    auto low = static_cast<int64_t>(op.getLow()), high = static_cast<int64_t>(op.getHigh());
    Value ids = adaptor.getIds(), ends = adaptor.getEnds();
    if (cast<RankedTensorType>(ids.getType()).getRank() > 1)
      std::tie(ids, ends) = flatWithEnds(ids, rewriter);
    if (ends)
      kern::CheckSegmentIdsOp::create(rewriter, op.getLoc(), ids, low, high, adaptor.getCells(), dtype, table,
                                      op.getWhat(), op.getFeatureAttr(), ends);
    else
      kern::CheckIdsOp::create(rewriter, op.getLoc(), ids, low, high, adaptor.getCells(), dtype, table, op.getWhat(),
                               op.getFeatureAttr());
    rewriter.replaceOp(op, adaptor.getIds());
    return success();
  }
};

struct OneHotPattern : public OpConversionPattern<df::OneHotOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::OneHotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    int64_t rank = type.getRank(), axis = op.getDepthAxis();
    Type element = type.getElementType();
    auto number = [&](APFloat value) -> TypedAttr {
      if (isa<FloatType>(element))
        return rewriter.getFloatAttr(element, value.convertToDouble());
      return rewriter.getIntegerAttr(element, static_cast<int64_t>(value.convertToDouble()));
    };
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < rank; ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(tensor::DimOp::create(rewriter, loc, adaptor.getIds(), d > axis ? d - 1 : d));
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, sizes);
    SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
    AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
    auto generic = makeGeneric(rewriter, loc, adaptor.getIds(), empty, {identity.dropResult(axis), identity}, iterators,
                               [&](OpBuilder &b, ValueRange x) -> SmallVector<Value> {
                                 Value column = arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                                                           linalg::IndexOp::create(b, loc, axis));
                                 Value hit = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, column, x[0]);
                                 Value on = arith::ConstantOp::create(b, loc, number(op.getOn()));
                                 Value off = arith::ConstantOp::create(b, loc, number(op.getOff()));
                                 return {arith::SelectOp::create(b, loc, hit, on, off)};
                               });
    rewriter.replaceOp(op, generic->getResults());
    return success();
  }
};

} // namespace

void mlc::populateFeaturePatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<FingerprintPattern, LookupPattern, TermPattern, CheckIdsPattern, OneHotPattern>(types,
                                                                                               patterns.getContext());
}
