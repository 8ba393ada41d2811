// df-outline-called: what uses variables between the waits of a loop or a branch as segments of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfQueueOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/CrossingValues.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/Utils/Signature.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFOUTLINECALLEDPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

namespace {

/// Outlines the runs of one function.
class CalledOutliner {
public:
  explicit CalledOutliner(FunctionOp function) : function(function), builder(function.getContext()), counts(function) {}
  LogicalResult run();

private:
  LogicalResult outlineIn(Block &block);
  LogicalResult outline(ArrayRef<Operation *> ops);
  /// The types of the buffers in which `value` crosses. Fails with an error at its op where none can be planned.
  FailureOr<SmallVector<Type>> partTypes(Value value);

  FunctionOp function;
  OpBuilder builder;
  SymbolicSizes counts;
  int64_t made = 0;
};

struct DfOutlineCalledPass : mlc::df::impl::DfOutlineCalledPassBase<DfOutlineCalledPass> {
  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<FunctionOp>()))
      if (failed(CalledOutliner(function).run()))
        return signalPassFailure();
  }
};

} // namespace

static bool usesState(Operation *op) {
  StateAccess access = getStateAccess(op);
  return !access.reads.empty() || !access.writes.empty();
}

FailureOr<SmallVector<Type>> CalledOutliner::partTypes(Value value) {
  if (std::optional<SmallVector<Type>> types = crossingTypes(value, counts))
    return *types;
  return emitError(value.getLoc()) << "a value of type " << value.getType()
                                   << " goes from what waits to what uses variables, or back, in a region; of its "
                                      "shape, which only the call knows, no buffer can be planned between the two";
}

LogicalResult CalledOutliner::outline(ArrayRef<Operation *> ops) {
  llvm::SmallDenseSet<Operation *> inside(ops.begin(), ops.end());
  Block *block = ops.front()->getBlock();
  auto isInside = [&](Operation *op) {
    Operation *ancestor = block->findAncestorOpInBlock(*op);
    return ancestor && inside.contains(ancestor);
  };
  llvm::SetVector<Value> inputs, outputs;
  for (Operation *op : ops) {
    forEachUsedValue(op, [&](Value value) {
      Operation *maker = value.getDefiningOp();
      if (!maker || (!isInside(maker) && !isa<ConstantOp>(maker)))
        inputs.insert(value);
    });
    for (Value result : op->getResults())
      if (!isa<ConstantOp>(op) && llvm::any_of(result.getUsers(), [&](Operation *user) { return !isInside(user); }))
        outputs.insert(result);
  }
  const std::string prefix = "c" + std::to_string(made++);
  builder.setInsertionPoint(function);
  auto segment = FunctionOp::create(builder, ops.front()->getLoc(), (function.getSymName() + "." + prefix).str(),
                                    builder.getFunctionType({}, {}), function.getRole());
  segment.setSegment(SegmentKind::Called);
  segment.setEntry(function.getSymName());
  builder.setInsertionPointToEnd(&segment.getBody().front());
  ReturnOp::create(builder, segment.getLoc(), ValueRange());
  builder.setInsertionPoint(getReturn(segment));

  OpBuilder at(ops.back()->getBlock(), std::next(ops.back()->getIterator()));
  IRMapping mapping;
  SmallVector<Value> operands;
  AppendedArguments appended(segment);
  for (Value input : inputs) {
    FailureOr<SmallVector<Type>> types = partTypes(input);
    if (failed(types))
      return failure();
    SmallVector<Value> arguments;
    for (Value part : takeApart(input, *types, at)) {
      arguments.push_back(appended.append(part.getType(), BindingKind::Intermediate,
                                          prefix + ".a" + std::to_string(operands.size()), part.getLoc(),
                                          crossingSymbols(input, part.getType(), counts)));
      operands.push_back(part);
    }
    mapping.map(input, putTogether(input.getLoc(), input.getType(), arguments, builder));
  }
  appended.finish();
  for (Operation *op : ops) {
    forEachUsedValue(op, [&](Value value) {
      if (auto constant = value.getDefiningOp<ConstantOp>(); constant && !mapping.contains(value))
        builder.clone(*constant, mapping);
    });
    if (!isa<ConstantOp>(op))
      builder.clone(*op, mapping);
  }
  SmallVector<FunctionResult> results;
  SmallVector<Type> resultTypes;
  SmallVector<size_t> numParts;
  for (Value output : outputs) {
    FailureOr<SmallVector<Type>> types = partTypes(output);
    if (failed(types))
      return failure();
    numParts.push_back(types->size());
    for (Value part : takeApart(mapping.lookup(output), *types, builder)) {
      results.push_back(boundResult(part, BindingKind::Intermediate, prefix + ".r" + std::to_string(results.size()),
                                    crossingSymbols(output, part.getType(), counts)));
      resultTypes.push_back(part.getType());
    }
  }
  setFunctionResults(segment, results);

  auto call = CallOp::create(at, ops.front()->getLoc(), resultTypes, FlatSymbolRefAttr::get(segment.getSymNameAttr()),
                             operands);
  ValueRange left = call.getResults();
  for (auto [i, size] : llvm::enumerate(numParts)) {
    Value output = outputs[i];
    Value after = putTogether(output.getLoc(), output.getType(), left.take_front(size), at);
    left = left.drop_front(size);
    output.replaceUsesWithIf(after, [&](OpOperand &use) { return !isInside(use.getOwner()); });
  }
  for (Operation *op : llvm::reverse(ops))
    if (!isa<ConstantOp>(op))
      op->erase();
  counts = SymbolicSizes(function);
  return success();
}

LogicalResult CalledOutliner::outlineIn(Block &block) {
  SmallVector<SmallVector<Operation *>> runs(1);
  for (Operation &op : block.without_terminator()) {
    if (findQueueOp(&op)) {
      runs.emplace_back();
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          if (failed(outlineIn(inner)))
            return failure();
    } else if (!runs.back().empty() || usesState(&op)) {
      runs.back().push_back(&op);
    }
  }
  for (const SmallVector<Operation *> &ops : runs)
    if (!ops.empty() && failed(outline(ops)))
      return failure();
  return success();
}

LogicalResult CalledOutliner::run() {
  if (function.getSegment())
    return success();
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
    if (op.getNumRegions() != 0 && findQueueOp(&op))
      for (Region &region : op.getRegions())
        for (Block &block : region)
          if (failed(outlineIn(block)))
            return failure();
  return success();
}
