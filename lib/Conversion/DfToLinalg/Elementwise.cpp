// Element-wise df ops and random numbers to linalg.generic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "ScalarBody.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlc;

namespace {

/// Fails the step unless every element of an integer divisor differs from 0.
static void requireDivisors(OpBuilder &b, Operation *op, Value divisor) {
  DenseElementsAttr known;
  if (matchPattern(divisor, m_Constant(&known)) &&
      llvm::none_of(known.getValues<APInt>(), [](const APInt &v) { return v.isZero(); }))
    return;
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(divisor.getType());
  Type byte = b.getI8Type();
  Value all = filled(b, loc, tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), byte), b.getI8IntegerAttr(1));
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::reduction);
  auto reduce = makeGeneric(
      b, loc, divisor, all, {identity, AffineMap::get(type.getRank(), 0, b.getContext())}, iterators,
      [&](OpBuilder &nested, ValueRange elements) -> SmallVector<Value> {
        Value zero = arith::ConstantOp::create(nested, loc, nested.getZeroAttr(type.getElementType()));
        Value differs = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::ne, elements[0], zero);
        return {arith::MinSIOp::create(nested, loc, arith::ExtUIOp::create(nested, loc, byte, differs), elements[1])};
      });
  Value least = tensor::ExtractOp::create(b, loc, reduce->getResult(0), ValueRange());
  emitRequire(b, op, arith::TruncIOp::create(b, loc, b.getI1Type(), least), "divides by zero", /*isContained=*/true);
}

/// Any element-wise op: one generic with identity maps, whose body is the op's scalar form.
struct ElementwisePattern : public ConversionPattern {
  ElementwisePattern(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<df::DfDialect>(op->getDialect()) || op->getNumResults() != 1 || operands.empty() ||
        !isa<RankedTensorType>(op->getResult(0).getType()) || !isElementwise(op))
      return failure();
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op->getResult(0).getType()));
    if (isa<df::DivOp, df::RemOp>(op) && isa<IntegerType>(type.getElementType()))
      requireDivisors(rewriter, op, operands[1]);
    Value empty = emptyLike(rewriter, loc, type, operands[0]);
    SmallVector<AffineMap> maps(operands.size() + 1, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    auto generic = makeGeneric(rewriter, loc, operands, empty, maps, iterators,
                               [&](OpBuilder &b, ValueRange elements) -> SmallVector<Value> {
                                 SmallVector<Value> inputs;
                                 for (auto [element, operand] : llvm::zip(elements, op->getOperands()))
                                   inputs.push_back(loadElement(b, loc, element, dfElement(operand.getType())));
                                 return {storeElement(b, loc, emitScalar(b, op, inputs))};
                               });
    if (failed(generic))
      return failure();
    rewriter.replaceOp(op, generic->getResults());
    return success();
  }
};

struct RandomPattern : public OpConversionPattern<df::RandomOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(df::RandomOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!adaptor.getSeed() || (op.isOfStep() && !adaptor.getStep()) || (op.isOfRows() && !adaptor.getFirstRow()))
      return op.emitOpError("is not bound to the context; run df-state-to-values first");
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Value empty = adaptor.getLike() ? emptyLike(rewriter, loc, type, adaptor.getLike())
                                    : Value(tensor::EmptyOp::create(rewriter, loc, type, ValueRange()));
    SmallVector<Value> ins = {adaptor.getSeed()};
    // The seed whose key is that of the iteration: made once, not for each number.
    for (Value iteration : adaptor.getIterations()) {
      AffineMap scalar = AffineMap::get(0, 0, getContext());
      Value made = tensor::EmptyOp::create(rewriter, loc, ArrayRef<int64_t>(), rewriter.getI64Type());
      auto seed = makeGeneric(rewriter, loc, {ins[0], iteration}, made, {scalar, scalar, scalar}, {},
                              [&](OpBuilder &b, ValueRange elements) -> SmallVector<Value> {
                                return {emitIterationSeed(b, op, elements[0], elements[1])};
                              });
      if (failed(seed))
        return failure();
      ins[0] = seed->getResult(0);
    }
    if (op.isOfStep())
      ins.push_back(adaptor.getStep());
    if (op.getFirstRow())
      ins.push_back(adaptor.getFirstRow());
    MLIRContext *context = getContext();
    SmallVector<Value> sizes(type.getRank());
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes[d] = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(),
                                              tensor::DimOp::create(rewriter, loc, empty, d));
    SmallVector<AffineMap> maps(ins.size(), AffineMap::get(type.getRank(), 0, context));
    maps.push_back(rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    auto generic = makeGeneric(
        rewriter, loc, ins, empty, maps, iterators, [&](OpBuilder &b, ValueRange elements) -> SmallVector<Value> {
          auto i64 = b.getI64Type();
          auto i32 = b.getI32Type();
          auto constant = [&](int64_t v) { return Value(arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v))); };
          auto low = [&](Value v) { return Value(arith::TruncIOp::create(b, loc, i32, v)); };
          auto high = [&](Value v) { return low(arith::ShRUIOp::create(b, loc, v, constant(32))); };
          // Linear index, over all dimensions, after the first one for rows.
          Value linear = constant(0);
          for (int64_t d = op.isOfRows() ? 1 : 0; d < type.getRank(); ++d) {
            Value index = arith::IndexCastOp::create(b, loc, i64, linalg::IndexOp::create(b, loc, d));
            if (d == 0 && op.getFirstRow()) // of a tensor of more rows
              index = arith::AddIOp::create(b, loc, index, elements[2]);
            Value size = sizes[d] ? sizes[d] : constant(type.getDimSize(d));
            linear = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, linear, size), index);
          }
          SmallVector<Value> counter;
          if (op.getEachStep()) {
            counter = {low(linear), high(linear), low(elements[1]), high(elements[1])};
          } else if (op.getLike()) {
            Value row = elements[2];
            if (type.getRank())
              row = arith::AddIOp::create(b, loc, row,
                                          arith::IndexCastOp::create(b, loc, i64, linalg::IndexOp::create(b, loc, 0)));
            counter = {low(linear), low(row), low(elements[1]), high(elements[1])};
          } else {
            Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
            counter = {low(linear), high(linear), zero, zero};
          }
          return {emitRandom(b, op, counter, elements[0], type.getElementType())};
        });
    if (failed(generic))
      return failure();
    rewriter.replaceOp(op, generic->getResults());
    return success();
  }
};

} // namespace

void mlc::populateElementwisePatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<ElementwisePattern>(types, patterns.getContext());
  patterns.add<RandomPattern>(types, patterns.getContext());
}
