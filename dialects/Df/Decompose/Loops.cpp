// Loops of which decompositions are made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Loops.h"
#include "dialects/Df/IR/DfControlFlowOps.h"

using namespace mlir;
using namespace mlc::df;

/// What a loop carries keeps its type, whatever more its body finds out of it.
static Values asCarried(ExpressionBuilder &b, Values values, ValueRange inits) {
  for (auto [value, init] : llvm::zip_first(MutableArrayRef(values).take_front(inits.size()), inits))
    value = b.castShape(value, init.getType());
  return values;
}

static Block *addBlock(OpBuilder &builder, Location loc, Region &region, TypeRange types) {
  return builder.createBlock(&region, region.end(), types, SmallVector<Location>(types.size(), loc));
}

Values mlc::df::scanOver(ExpressionBuilder &b, ValueRange inits, ValueRange sequences, bool reverse,
                         llvm::function_ref<Values(ValueRange, ValueRange)> body) {
  SmallVector<Type> types(inits.getTypes());
  for (Value sequence : sequences)
    types.push_back(rowType(cast<RankedTensorType>(sequence.getType())));
  // What the body yields says the types of the results.
  Region region;
  {
    OpBuilder::InsertionGuard guard(b.builder);
    ValueRange arguments = addBlock(b.builder, b.loc, region, types)->getArguments();
    Values next = body(arguments.take_front(inits.size()), arguments.drop_front(inits.size()));
    YieldOp::create(b.builder, b.loc, asCarried(b, std::move(next), inits));
  }
  SmallVector<Type> results(inits.getTypes());
  for (Value row : region.front().getTerminator()->getOperands().drop_front(inits.size())) {
    SmallVector<int64_t> shape = {shapeOf(sequences.front().getType()).front()};
    llvm::append_range(shape, shapeOf(row.getType()));
    results.push_back(RankedTensorType::get(shape, elementType(row.getType())));
  }
  auto scan = ScanOp::create(b.builder, b.loc, results, inits, sequences, Value(), reverse, IntegerAttr());
  scan.getBody().takeBody(region);
  return Values(scan.getResults());
}

Values mlc::df::loopWhile(ExpressionBuilder &b, ValueRange inits, int64_t maxIterations, bool mustEnd,
                          llvm::function_ref<Value(ValueRange)> condition,
                          llvm::function_ref<Values(ValueRange)> body) {
  auto loop = WhileOp::create(b.builder, b.loc, inits.getTypes(), inits, b.builder.getI64IntegerAttr(maxIterations),
                              mustEnd ? b.builder.getUnitAttr() : UnitAttr());
  OpBuilder::InsertionGuard guard(b.builder);
  Block *asks = addBlock(b.builder, b.loc, loop.getConditionRegion(), inits.getTypes());
  ConditionOp::create(b.builder, b.loc, condition(asks->getArguments()));
  Block *makes = addBlock(b.builder, b.loc, loop.getBodyRegion(), inits.getTypes());
  YieldOp::create(b.builder, b.loc, asCarried(b, body(makes->getArguments()), inits));
  return Values(loop.getResults());
}
