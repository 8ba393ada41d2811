// Removal of ops that nothing needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlc::df;

void mlc::df::eraseDeadOps(Block &block) {
  // Users stand after their operands, so one pass from the end finds all of it.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        eraseDeadOps(inner);
    if (isOpTriviallyDead(&op))
      op.erase();
  }
}

static void eraseArgumentsIf(FunctionOp function, llvm::function_ref<bool(unsigned)> condition) {
  llvm::BitVector erased(function.getNumArguments());
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    if (condition(i))
      erased.set(i);
  // Fails only if the types of the function and of its block disagree, which the verifier excludes.
  (void)function.eraseArguments(erased);
}

void mlc::df::eraseUnusedFeatures(FunctionOp function) {
  eraseArgumentsIf(function, [&](unsigned i) {
    BindingAttr binding = function.getArgBinding(i);
    return function.getArgument(i).use_empty() && (!binding || binding.getKind() == BindingKind::Feature);
  });
}

void mlc::df::eraseUnusedArguments(FunctionOp function) {
  eraseArgumentsIf(function, [&](unsigned i) { return function.getArgument(i).use_empty(); });
}

void mlc::df::forEachUsedValue(Operation *op, llvm::function_ref<void(Value)> visit) {
  for (Value operand : op->getOperands())
    visit(operand);
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!region.isAncestor(operand.getParentRegion()))
          visit(operand);
    });
}
