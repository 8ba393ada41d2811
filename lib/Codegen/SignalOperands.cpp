// codegen-signal-operands: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlc {
#define GEN_PASS_DEF_SIGNALOPERANDS
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// The first and the last op of `block` that may touch the memory of `argument`; null if none does.
static std::pair<Operation *, Operation *> findAccesses(Block &block, Value argument) {
  Operation *first = nullptr, *last = nullptr;
  llvm::SetVector<Value> views;
  views.insert(argument);
  for (size_t i = 0; i < views.size(); ++i)
    for (Operation *user : views[i].getUsers()) {
      Operation *op = block.findAncestorOpInBlock(*user);
      // What only looks at it from another side touches nothing; loops and branches may hand it on.
      const bool handsOn = user->hasTrait<OpTrait::IsTerminator>() || user->getNumRegions() > 0;
      Operation *maker = user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user;
      for (Value result : maker->getResults())
        if (isa<MemRefType>(result.getType()))
          views.insert(result);
      for (Region &region : user->getRegions())
        for (Value inner : region.getArguments())
          if (isa<MemRefType>(inner.getType()))
            views.insert(inner);
      if (!handsOn && isMemoryEffectFree(user))
        continue;
      if (!first || op->isBeforeInBlock(first))
        first = op;
      if (!last || last->isBeforeInBlock(op))
        last = op;
    }
  return {first, last};
}

namespace {
struct SignalOperands : public mlc::impl::SignalOperandsBase<SignalOperands> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto signals = function->getAttrOfType<DenseI64ArrayAttr>(kSignalsAttr);
    if (!signals)
      return;
    Block &block = function.getBody().front();
    for (auto [operand, signal] : llvm::enumerate(signals.asArrayRef())) {
      if (signal == kNoSignal)
        continue;
      auto [first, last] = findAccesses(block, block.getArgument(operand));
      OpBuilder b(block.getTerminator());
      if (signal == kAwait) {
        if (first) {
          b.setInsertionPoint(first);
          kern::AwaitOperandOp::create(b, function.getLoc(), static_cast<int64_t>(operand));
        }
        continue;
      }
      if (last && !last->hasTrait<OpTrait::IsTerminator>())
        b.setInsertionPointAfter(last);
      kern::OperandDoneOp::create(b, function.getLoc(), static_cast<int64_t>(operand));
    }
    function->removeAttr(kSignalsAttr);
  }
};
} // namespace
