// Loops of unknown length with stacked results, as scans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/StackedLoops.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfSizeOrigin.h"
#include "dialects/Df/Utils/ExpressionBuilder.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlc::df;

namespace {
class StackedLoop {
public:
  explicit StackedLoop(WhileOp op) : op(op), builder(op), b(builder, op.getLoc()) {}

  LogicalResult replace();

private:
  /// What tells the sizes of a row: a value from outside of the loop, and which of its dimensions are the dynamic ones
  /// of the row, in their order. Null of a row of static sizes.
  struct RowSizes {
    Value of;
    SmallVector<int64_t> dimensions;
  };

  LogicalResult findRowSizes();
  /// Zeros in place of row `k`.
  Value zeroRow(unsigned k);
  void buildBody(ScanOp scan);
  /// A copy of `region`, which is given `arguments`, at the builder; what it ends with.
  SmallVector<Value> copy(Region &region, ValueRange arguments);
  Value truth(bool value) {
    auto type = RankedTensorType::get({}, builder.getI1Type());
    return ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(type, value));
  }

  WhileOp op;
  OpBuilder builder;
  ExpressionBuilder b;
  SmallVector<RowSizes> rowSizes;
};
} // namespace

LogicalResult StackedLoop::findRowSizes() {
  for (auto [k, stacked] : llvm::enumerate(op.getStacked())) {
    RowSizes &sizes = rowSizes.emplace_back();
    Value row = op.getYield().getOperand(op.getNumCarried() + k);
    for (auto [d, size] : llvm::enumerate(shapeOf(row.getType()))) {
      if (!ShapedType::isDynamic(size))
        continue;
      std::optional<Dimension> origin = traceSize(row, static_cast<int64_t>(d), op.getBodyRegion());
      bool isTold = origin && isa<RankedTensorType>(origin->value.getType()) &&
                    (!sizes.of || (sizes.of == origin->value && sizes.dimensions.back() < origin->index));
      if (!isTold)
        return op.emitOpError("stacked result ") << k << " of type " << stacked.getType()
                                                 << ": no one value outside of the loop tells dimension " << d + 1;
      sizes.of = origin->value;
      sizes.dimensions.push_back(origin->index);
    }
  }
  return success();
}

Value StackedLoop::zeroRow(unsigned k) {
  auto type = cast<RankedTensorType>(rowType(cast<RankedTensorType>(op.getStacked()[k].getType())));
  Attribute zero;
  if (isa<StringType>(type.getElementType()))
    zero = builder.getStringAttr("");
  else
    zero = builder.getZeroAttr(type.getElementType());
  auto filled = [&](RankedTensorType of) -> Value {
    auto value = isa<StringType>(of.getElementType()) ? DenseElementsAttr::get(of, ArrayRef<StringRef>(""))
                                                      : DenseElementsAttr::get(of, zero);
    return ConstantOp::create(builder, op.getLoc(), value);
  };
  if (type.hasStaticShape())
    return filled(type);
  // Positions have the sizes that are wanted when all others are reduced; what they are spread over has the static
  // ones as well.
  const RowSizes &sizes = rowSizes[k];
  auto known = cast<RankedTensorType>(sizes.of.getType());
  Value like = IotaOp::create(builder, op.getLoc(), known.clone(builder.getI64Type()),
                              known.hasStaticShape() ? Value() : sizes.of, 0);
  like = b.sum(like, keptDimensions(known.getRank(), sizes.dimensions));
  SmallVector<int64_t> ones, multiples;
  for (int64_t size : type.getShape()) {
    ones.push_back(ShapedType::isDynamic(size) ? size : 1);
    multiples.push_back(ShapedType::isDynamic(size) ? 1 : size);
  }
  like = ReshapeOp::create(builder, op.getLoc(), RankedTensorType::get(ones, builder.getI64Type()), like);
  like = b.infer<TileOp>(like, ArrayRef<int64_t>(multiples));
  return b.broadcast(filled(RankedTensorType::get({}, type.getElementType())), like, {});
}

SmallVector<Value> StackedLoop::copy(Region &region, ValueRange arguments) {
  IRMapping mapping;
  mapping.map(region.getArguments(), arguments);
  for (Operation &inner : region.front().without_terminator())
    builder.clone(inner, mapping);
  SmallVector<Value> ends;
  for (Value value : region.front().getTerminator()->getOperands())
    ends.push_back(mapping.lookupOrDefault(value));
  return ends;
}

void StackedLoop::buildBody(ScanOp scan) {
  Location loc = op.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types(scan.getInits().getTypes());
  types.push_back(rowType(cast<RankedTensorType>(scan.getSequences().front().getType())));
  Block *body = builder.createBlock(&scan.getBody(), {}, types, SmallVector<Location>(types.size(), loc));
  ValueRange carried = ValueRange(body->getArguments()).take_front(op.getNumCarried());
  Value goes = body->getArgument(op.getNumCarried()), count = body->getArgument(op.getNumCarried() + 1);
  auto branch = [&](Value condition, TypeRange results, llvm::function_ref<SmallVector<Value>()> taken,
                    llvm::function_ref<SmallVector<Value>()> other) {
    auto made = IfOp::create(builder, loc, results, condition);
    for (auto [region, make] : {std::pair(&made.getThenRegion(), taken), std::pair(&made.getElseRegion(), other)}) {
      OpBuilder::InsertionGuard inRegion(builder);
      builder.createBlock(region);
      YieldOp::create(builder, loc, make());
    }
    return made;
  };
  goes = branch(
             goes, goes.getType(), [&] { return copy(op.getConditionRegion(), carried); },
             [&] { return SmallVector<Value>{truth(false)}; })
             .getResult(0);
  auto step = branch(
      goes, op.getYield().getOperandTypes(), [&] { return copy(op.getBodyRegion(), carried); },
      [&] {
        SmallVector<Value> values(carried);
        for (unsigned k = 0; k < rowSizes.size(); ++k)
          values.push_back(zeroRow(k));
        return values;
      });
  SmallVector<Value> yields(step.getResults().take_front(op.getNumCarried()));
  yields.append({goes, b.add(count, b.cast(goes, builder.getI64Type()))});
  llvm::append_range(yields, step.getResults().drop_front(op.getNumCarried()));
  YieldOp::create(builder, loc, yields);
}

LogicalResult StackedLoop::replace() {
  if (failed(findRowSizes()))
    return failure();
  Location loc = op.getLoc();
  const auto bound = static_cast<int64_t>(*op.getMaxIterations());
  Value number = b.splat(RankedTensorType::get({}, builder.getI64Type()), 0);
  Value positions =
      IotaOp::create(builder, loc, RankedTensorType::get({bound}, builder.getI64Type()), Value(), /*axis=*/0);
  // Whether the loop goes on, and the number of iterations, are carried after its values.
  SmallVector<Value> inits(op.getInits());
  inits.append({truth(true), number});
  SmallVector<Type> types(TypeRange{ValueRange(inits)});
  llvm::append_range(types, op.getStacked().getTypes());
  auto scan = ScanOp::create(builder, loc, types, inits, positions, Value(), /*reverse=*/false, IntegerAttr());
  scan->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  buildBody(scan);
  ValueRange results = scan.getResults();
  ValueRange last = results.take_front(op.getNumCarried());
  Value goes = results[op.getNumCarried()], count = results[op.getNumCarried() + 1];
  if (op.getMustEnd()) {
    // It went on to the bound: the condition must not hold there.
    auto asked = IfOp::create(builder, loc, goes.getType(), goes);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&asked.getThenRegion());
      YieldOp::create(builder, loc, copy(op.getConditionRegion(), last));
      builder.createBlock(&asked.getElseRegion());
      YieldOp::create(builder, loc, truth(false));
    }
    RequireOp::create(builder, loc, b.unary<LogicalNotOp>(asked.getResult(0)),
                      "df.while did not end within " + std::to_string(bound) + " iterations");
  }
  if (!b.ok())
    return failure();
  SmallVector<Value> values(last);
  llvm::append_range(values, results.drop_front(op.getNumCarried() + 2));
  values.push_back(count);
  op->replaceAllUsesWith(values);
  op->erase();
  return success();
}

LogicalResult mlc::df::replaceStackedLoop(WhileOp op) { return StackedLoop(op).replace(); }
