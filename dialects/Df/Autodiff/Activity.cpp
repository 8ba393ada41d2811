// Which values a gradient depends on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/Activity.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/Utils/DeadCode.h"

using namespace mlir;
using namespace mlc::df;

/// Whether the value is of floats: a tensor, or rows of one, which the gradient of a gather is.
static bool isOfFloats(Value value) {
  auto rows = dyn_cast<RowsType>(value.getType());
  auto type = rows ? rows.getType() : dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

Activity::Activity(SymbolSet symbols, ValueRange values) : symbols(std::move(symbols)) {
  active.insert(values.begin(), values.end());
}

bool Activity::dependsOnSource(Operation &op) const {
  // Of `like` operands only the shape matters.
  if (isa<RandomOp, StopGradientOp>(op))
    return false;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return isActive(broadcast.getOperand());
  bool found = llvm::any_of(getStateAccess(&op).reads, [&](StringAttr symbol) { return isSource(symbol); });
  forEachUsedValue(&op, [&](Value used) { found |= isActive(used); });
  return found;
}

void Activity::analyzeLoop(Block &body, ValueRange inits, ValueRange results) {
  auto mark = [&](ValueRange from, ValueRange to) {
    bool grows = false;
    for (auto [value, other] : llvm::zip(from, to))
      grows |= isActive(value) && active.insert(other).second;
    return grows;
  };
  ValueRange carried = body.getArguments().take_front(inits.size());
  mark(inits, carried);
  // What an iteration makes active is so in the next one.
  do
    analyze(body, nullptr);
  while (mark(body.getTerminator()->getOperands().take_front(inits.size()), carried));
  mark(inits, results);
  mark(body.getTerminator()->getOperands(), results);
}

void Activity::analyzeCustomGradient(CustomGradientOp op) {
  bool takesActive = false;
  for (auto [operand, argument] : llvm::zip(op.getOperands(), op.getForward().getArguments()))
    if (isActive(operand)) {
      takesActive = true;
      active.insert(argument);
    }
  analyze(op.getForward().front(), nullptr);
  Operation *yield = op.getForward().front().getTerminator();
  // Outputs depend on the operands by the backward function, residuals by what computes them; both by what the first
  // region takes from outside, which the sweep tells of.
  for (OpResult result : op.getResults())
    if (isActive(yield->getOperand(result.getResultNumber())) ||
        (takesActive && isOfFloats(result) && result.getResultNumber() < op.getOutputs().size()))
      active.insert(result);
}

void Activity::analyze(Block &block, Operation *end) {
  for (Operation &op : block) {
    if (&op == end)
      return;
    if (auto scan = dyn_cast<ScanOp>(op)) {
      for (auto [sequence, row] : llvm::zip(scan.getSequences(), scan.getRowArguments()))
        if (isActive(sequence))
          active.insert(row);
      analyzeLoop(scan.getBody().front(), scan.getInits(), scan.getResults());
    } else if (auto loop = dyn_cast<WhileOp>(op)) {
      analyzeLoop(loop.getBodyRegion().front(), loop.getInits(), loop.getResults());
    } else if (auto region = dyn_cast<RematOp>(op)) {
      analyze(region.getBody().front(), nullptr);
      for (auto [result, yielded] : llvm::zip(op.getResults(), region.getBody().front().getTerminator()->getOperands()))
        if (isActive(yielded))
          active.insert(result);
    } else if (auto custom = dyn_cast<CustomGradientOp>(op)) {
      analyzeCustomGradient(custom);
    } else if (auto branch = dyn_cast<IfOp>(op))
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
        analyze(region->front(), nullptr);
        for (auto [result, yielded] : llvm::zip(op.getResults(), region->front().getTerminator()->getOperands()))
          if (isActive(yielded))
            active.insert(result);
      }
    else if (dependsOnSource(op))
      for (Value result : op.getResults())
        if (isOfFloats(result))
          active.insert(result);
  }
}

void Activity::addCopies(const IRMapping &mapping) {
  for (auto [original, copy] : mapping.getValueMap())
    if (isActive(original))
      active.insert(copy);
}
