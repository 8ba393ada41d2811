// df.if and df.while to scf.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfSizeOrigin.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlc;

/// The truth value that a scalar i8 tensor holds.
static Value truth(OpBuilder &b, Location loc, Value tensor) {
  Value element = tensor::ExtractOp::create(b, loc, tensor, ValueRange());
  return loadElement(b, loc, element, b.getI1Type());
}

namespace {

/// Of each scan, stacked result and dynamic dimension of its rows, what outside of the loop is as large. It is found
/// before anything is converted: through branches and loops that are, nothing can be traced.
class StackOrigins {
public:
  explicit StackOrigins(ModuleOp module) {
    module.walk([&](df::ScanOp scan) {
      for (unsigned k = scan.getNumCarried(); k < scan.getNumResults(); ++k) {
        auto type = cast<RankedTensorType>(scan.getResult(k).getType());
        for (int64_t d = 1; d < type.getRank(); ++d)
          if (type.isDynamicDim(d))
            if (auto origin = df::traceSize(scan.getYield().getOperand(k), d - 1, scan.getBody()))
              origins.try_emplace({scan.getResult(k), d}, *origin);
      }
    });
  }

  std::optional<df::Dimension> get(Value stacked, int64_t d) const {
    auto it = origins.find({stacked, d});
    return it == origins.end() ? std::nullopt : std::optional(it->second);
  }

private:
  llvm::DenseMap<std::pair<Value, int64_t>, df::Dimension> origins;
};

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

/// Its work is done: the gradient is built.
struct CheckpointPattern : public OpConversionPattern<df::RematOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::RematOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Operation *yield = op.getBody().front().getTerminator();
    SmallVector<Value> results;
    for (Value value : yield->getOperands())
      results.push_back(value);
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&op.getBody().front(), op);
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct AfterPattern : public OpConversionPattern<df::OptimizationBarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::OptimizationBarrierOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // A copy: what is computed from it is then not what is computed from the operand, to passes after this one, too.
    Value value = adaptor.getOperand();
    Value empty = emptyLike(rewriter, op.getLoc(), cast<RankedTensorType>(value.getType()), value);
    rewriter.replaceOp(op, linalg::CopyOp::create(rewriter, op.getLoc(), value, empty).getResults());
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
      Value within = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, before->getArgument(0), bound);
      if (op.getMustEnd()) {
        Value ended = arith::XOrIOp::create(rewriter, loc, go,
                                            arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true)));
        emitRequire(rewriter, op, arith::OrIOp::create(rewriter, loc, ended, within),
                    "did not end within " + std::to_string(*op.getMaxIterations()) + " iterations");
      }
      go = arith::AndIOp::create(rewriter, loc, go, within);
    }
    rewriter.replaceOpWithNewOp<scf::ConditionOp>(condition, go, before->getArguments());
    rewriter.replaceOp(op, loop.getResults().drop_front());
    return success();
  }
};

/// df.scan to scf.for: carried values and stacked results go round, rows are slices.
struct ScanPattern : public OpConversionPattern<df::ScanOp> {
  ScanPattern(const TypeConverter &types, MLIRContext *context, std::shared_ptr<const StackOrigins> origins)
      : OpConversionPattern(types, context), origins(std::move(origins)) {}

  LogicalResult matchAndRewrite(df::ScanOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), types)))
      return failure();
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
          one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    FailureOr<Value> count = countOf(op, adaptor, rewriter);
    if (failed(count))
      return failure();
    Value rows =
        op.getSequences().empty() ? *count : Value(tensor::DimOp::create(rewriter, loc, adaptor.getSequences()[0], 0));
    unsigned numCarried = op.getNumCarried();
    SmallVector<Value> inits(adaptor.getInits());
    for (unsigned k = numCarried; k < types.size(); ++k) {
      FailureOr<Value> stacked = emptyStack(op, k, cast<RankedTensorType>(types[k]), rows, rewriter);
      if (failed(stacked))
        return failure();
      // Rows that are not reached are zeros.
      if (op.getCount() && !op.getSequences().empty()) {
        auto element = cast<RankedTensorType>(types[k]).getElementType();
        stacked = filled(rewriter, loc, *stacked, rewriter.getZeroAttr(element));
      }
      inits.push_back(*stacked);
    }
    auto loop = scf::ForOp::create(rewriter, loc, zero, *count, one, inits);
    if (IntegerAttr factor = op.getParallelIterationsAttr())
      loop->setAttr(kUnrollAttr, factor);
    Block *body = loop.getBody();
    rewriter.setInsertionPointToStart(body);
    Value row = loop.getInductionVar();
    if (op.getReverse())
      row = arith::SubIOp::create(rewriter, loc, arith::SubIOp::create(rewriter, loc, *count, one), row);
    SmallVector<Value> arguments(loop.getRegionIterArgs().take_front(numCarried));
    for (Value sequence : adaptor.getSequences())
      arguments.push_back(rowOf(rewriter, loc, sequence, row));
    df::YieldOp yield = op.getYield();
    // The pattern of the yield needs to know the row and how many values are carried.
    rewriter.modifyOpInPlace(yield, [&] {
      yield->insertOperands(yield->getNumOperands(), row);
      yield->setAttr(kCarriedAttr, rewriter.getI64IntegerAttr(numCarried));
    });
    if (!body->empty() && body->back().hasTrait<OpTrait::IsTerminator>())
      rewriter.eraseOp(&body->back());
    rewriter.inlineBlockBefore(&op.getBody().front(), body, body->end(), arguments);
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }

  /// Views of row `row` of `tensor`.
  static SmallVector<OpFoldResult> offsetsOf(OpBuilder &b, Value tensor, Value row) {
    SmallVector<OpFoldResult> offsets(cast<RankedTensorType>(tensor.getType()).getRank(), b.getIndexAttr(0));
    offsets[0] = row;
    return offsets;
  }
  static SmallVector<OpFoldResult> sizesOf(OpBuilder &b, Location loc, Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<OpFoldResult> sizes = {b.getIndexAttr(1)};
    for (int64_t d = 1; d < type.getRank(); ++d)
      sizes.push_back(type.isDynamicDim(d) ? OpFoldResult(Value(tensor::DimOp::create(b, loc, tensor, d)))
                                           : OpFoldResult(b.getIndexAttr(type.getDimSize(d))));
    return sizes;
  }

private:
  static Value rowOf(OpBuilder &b, Location loc, Value sequence, Value row) {
    auto type = cast<RankedTensorType>(sequence.getType());
    SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
    auto rowType = RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
    return extractPart(b, loc, rowType, sequence, offsetsOf(b, sequence, row), sizesOf(b, loc, sequence), strides);
  }

  /// The number of iterations, checked.
  static FailureOr<Value> countOf(df::ScanOp op, OpAdaptor adaptor, OpBuilder &b) {
    Location loc = op.getLoc();
    Value rows;
    if (!adaptor.getSequences().empty())
      rows = tensor::DimOp::create(b, loc, adaptor.getSequences().front(), 0);
    if (!op.getCount())
      return rows;
    DenseIntElementsAttr known;
    if (!rows && matchPattern(adaptor.getCount(), m_Constant(&known)))
      if (APInt number = *known.begin(); !number.isNegative())
        return Value(arith::ConstantIndexOp::create(b, loc, number.getSExtValue()));
    Value bound = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(std::numeric_limits<int64_t>::max()));
    if (rows)
      bound = arith::AddIOp::create(b, loc, arith::IndexCastOp::create(b, loc, b.getI64Type(), rows),
                                    arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(1)));
    Value checked = emitCheckedIndices(b, op, adaptor.getCount(), bound, /*skipNegative=*/false);
    Value number = tensor::ExtractOp::create(b, loc, checked, ValueRange());
    return Value(arith::IndexCastOp::create(b, loc, b.getIndexType(), number));
  }

  /// Room for stacked result `k`.
  FailureOr<Value> emptyStack(df::ScanOp op, unsigned k, RankedTensorType type, Value rows,
                              ConversionPatternRewriter &rewriter) const {
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d))
        continue;
      if (d == 0) {
        sizes.push_back(rows);
        continue;
      }
      auto origin = origins->get(op.getResult(k), d);
      if (!origin)
        return op.emitOpError("stacked result ") << k - op.getNumCarried() << " of type " << op.getResult(k).getType()
                                                 << ": nothing outside of the loop tells dimension " << d;
      sizes.push_back(
          tensor::DimOp::create(rewriter, op.getLoc(), rewriter.getRemappedValue(origin->value), origin->index));
    }
    return Value(tensor::EmptyOp::create(rewriter, op.getLoc(), type, sizes));
  }

  std::shared_ptr<const StackOrigins> origins;
};

/// Bufferization wants the next value of a carried tensor where the loop keeps the old one. It is put there after the
/// body, when everything has read the old ones.
struct YieldPattern : public OpConversionPattern<df::YieldOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::YieldOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (isa<scf::IfOp>(op->getParentOp())) {
      rewriter.replaceOpWithNewOp<scf::YieldOp>(op, adaptor.getOperands());
      return success();
    }
    ValueRange arguments = op->getBlock()->getArguments();
    if (isa<scf::WhileOp>(op->getParentOp())) {
      SmallVector<Value> next = intoPlaces(rewriter, loc, adaptor.getOperands(), arguments.drop_front());
      Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
      next.insert(next.begin(), arith::AddIOp::create(rewriter, loc, arguments.front(), one));
      rewriter.replaceOpWithNewOp<scf::YieldOp>(op, next);
      return success();
    }
    if (!isa<scf::ForOp>(op->getParentOp()))
      return failure();
    // A scan: carried values, rows, the number of the row. Rows first: they may be the old carried values.
    auto numCarried = op->getAttrOfType<IntegerAttr>(kCarriedAttr).getInt();
    Value row = adaptor.getOperands().back();
    SmallVector<Value> stacked;
    for (auto [value, all] :
         llvm::zip(adaptor.getOperands().drop_front(numCarried).drop_back(), arguments.drop_front(1 + numCarried))) {
      SmallVector<OpFoldResult> strides(cast<RankedTensorType>(all.getType()).getRank(), rewriter.getIndexAttr(1));
      stacked.push_back(insertPart(rewriter, loc, value, all, ScanPattern::offsetsOf(rewriter, all, row),
                                   ScanPattern::sizesOf(rewriter, loc, all), strides));
    }
    SmallVector<Value> next = intoPlaces(rewriter, loc, adaptor.getOperands().take_front(numCarried),
                                         arguments.drop_front().take_front(numCarried));
    llvm::append_range(next, stacked);
    rewriter.replaceOpWithNewOp<scf::YieldOp>(op, next);
    return success();
  }

private:
  /// Each value in its place.
  static SmallVector<Value> intoPlaces(OpBuilder &rewriter, Location loc, ValueRange values, ValueRange places) {
    SmallVector<Value> next;
    for (auto [value, place] : llvm::zip(values, places)) {
      // What may lie in the place of another carried value is copied twice, so that none is lost.
      if (value == place || isFresh(value))
        next.push_back(value);
      else
        next.push_back(
            copyTo(rewriter, loc, value, emptyLike(rewriter, loc, cast<RankedTensorType>(value.getType()), value)));
    }
    for (auto [value, place] : llvm::zip(next, places))
      if (value != place)
        value = copyTo(rewriter, loc, value, place);
    return next;
  }
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

LogicalResult mlc::unrollParallelIterations(Operation *root) {
  // Inner loops first.
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) {
    if (loop->hasAttr(kUnrollAttr))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    int64_t factor = cast<IntegerAttr>(loop->removeAttr(kUnrollAttr)).getInt();
    if (factor > 1 && failed(loopUnrollByFactor(loop, factor)))
      return failure();
  }
  return success();
}

void mlc::populateControlFlowPatterns(RewritePatternSet &patterns, const TypeConverter &types, ModuleOp module) {
  patterns.add<AfterPattern, CheckpointPattern, IfPattern, WhilePattern, YieldPattern>(types, patterns.getContext());
  patterns.add<ScanPattern>(types, patterns.getContext(), std::make_shared<const StackOrigins>(module));
}
