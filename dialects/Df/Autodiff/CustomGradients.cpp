// Gradients of df.custom_gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/CustomGradients.h"
#include "dialects/Df/Autodiff/ReverseSweep.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/Utils/ExpressionBuilder.h"

using namespace mlir;
using namespace mlc::df;

static bool isOfFloats(Value value) { return isa<FloatType>(elementType(value.getType())); }

/// What the regions take from outside has no gradient through them: an error where it would have had one.
static LogicalResult checkCaptured(CustomGradientOp op, const Activity &activity) {
  StateAccess access = getStateAccess(op);
  if (!access.writes.empty())
    return op.emitOpError("has no gradient: its regions write ") << access.writes.front();
  for (StringAttr symbol : access.reads)
    if (activity.isSource(symbol)) {
      InFlightDiagnostic diag = op.emitOpError("has no gradient by @")
                                << symbol.getValue() << ", which its regions read and the loss is differentiated by";
      diag.attachNote() << "read it outside, and pass it as an operand";
      return diag;
    }
  for (Region &region : op->getRegions()) {
    Operation *user = nullptr;
    Value captured;
    region.walk([&](Operation *inner) {
      for (Value used : inner->getOperands())
        if (!user && !op->isAncestor(used.getParentRegion()->getParentOp()) && activity.isActive(used)) {
          user = inner;
          captured = used;
        }
    });
    if (!user)
      continue;
    InFlightDiagnostic diag = op.emitOpError("has no gradient by a value of type ")
                              << captured.getType()
                              << " that its regions take from outside and that depends on what is differentiated by";
    diag.attachNote(user->getLoc()) << "used here: pass it as an operand";
    return diag;
  }
  return success();
}

/// Copies `region`, given `arguments`, to the builder; `copies` gets the ops.
static SmallVector<Value> copyRegion(OpBuilder &builder, Region &region, ValueRange arguments, IRMapping &mapping,
                                     SmallVectorImpl<Operation *> &copies) {
  mapping.map(region.getArguments(), arguments);
  for (Operation &inner : region.front().without_terminator())
    copies.push_back(builder.clone(inner, mapping));
  SmallVector<Value> yielded;
  for (Value value : region.front().getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  return yielded;
}

LogicalResult ReverseSweep::visitCustomGradient(CustomGradientOp op, ArrayRef<Value> cotangents) {
  if (failed(checkCaptured(op, activity)))
    return failure();
  ExpressionBuilder b(builder, op.getLoc());
  const size_t numOutputs = op.getOutputs().size();
  auto isThere = [](Value value) { return static_cast<bool>(value); };
  if (llvm::any_of(cotangents.take_front(numOutputs), isThere)) {
    SmallVector<Value> arguments(op.getKept());
    for (auto [output, cotangent] : llvm::zip(op.getOutputs(), cotangents))
      if (isOfFloats(output))
        arguments.push_back(cotangent ? cotangent : b.splatLike(output, 0));
    IRMapping mapping;
    SmallVector<Operation *> copies;
    SmallVector<Value> gradients = copyRegion(builder, op.getBackward(), arguments, mapping, copies);
    size_t next = 0;
    for (Value operand : op.getOperands())
      if (isOfFloats(operand))
        add(operand, gradients[next++]);
  }
  if (llvm::none_of(cotangents.drop_front(numOutputs), isThere))
    return success();
  // Residuals that the loss depends on by another way, as a gradient of this gradient does.
  IRMapping mapping;
  SmallVector<Operation *> copies;
  SmallVector<Value> results = copyRegion(builder, op.getForward(), op.getOperands(), mapping, copies);
  activity.addCopies(mapping);
  for (auto [value, cotangent] : llvm::drop_begin(llvm::zip(results, cotangents), numOutputs))
    if (cotangent)
      add(value, cotangent);
  for (Operation *copy : llvm::reverse(copies))
    if (failed(visit(copy)))
      return failure();
  return success();
}

void mlc::df::inlineForwardFunctions(ModuleOp module) {
  SmallVector<CustomGradientOp> functions;
  module.walk([&](CustomGradientOp op) { functions.push_back(op); });
  for (CustomGradientOp op : functions) {
    OpBuilder builder(op);
    ExpressionBuilder b(builder, op.getLoc());
    Block &body = op.getForward().front();
    for (auto [argument, operand] : llvm::zip(body.getArguments(), op.getOperands()))
      argument.replaceAllUsesWith(operand);
    Operation *yield = body.getTerminator();
    op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations(), body.begin(), yield->getIterator());
    SmallVector<Value> results;
    for (auto [value, result] : llvm::zip(yield->getOperands(), op.getResults()))
      results.push_back(b.castShape(value, result.getType()));
    op->replaceAllUsesWith(results);
    op->erase();
  }
}
