// df-remove-dead-state: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFREMOVEDEADSTATEPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

/// The variable whose value is all that the op reads and writes, if there is one and nothing uses results of the op: it
/// may go with the variable.
static StringAttr onlyVariableOf(Operation *op) {
  auto effecting = dyn_cast<MemoryEffectOpInterface>(op);
  StateAccess access = getOwnStateAccess(op);
  if (access.empty() || !effecting || op->getNumRegions() != 0 || !op->use_empty())
    return {};
  StringAttr variable = access.reads.empty() ? access.writes.front() : access.reads.front();
  SmallVector<MemoryEffects::EffectInstance> effects;
  effecting.getEffects(effects);
  bool isAll = llvm::all_of(effects, [&](const MemoryEffects::EffectInstance &effect) {
    return effect.getSymbolRef() == FlatSymbolRefAttr::get(variable);
  });
  return isAll ? variable : StringAttr();
}

namespace {
struct DfRemoveDeadStatePass : mlc::df::impl::DfRemoveDeadStatePassBase<DfRemoveDeadStatePass> {
  using DfRemoveDeadStatePassBase::DfRemoveDeadStatePassBase;

  void runOnOperation() override {
    // What goes may have been the last use of another variable.
    while (removeSome())
      ;
  }

private:
  /// Whether the variable may go if nothing reads it. A checkpoint holds those of lifetime train.
  bool mayGo(VariableOp variable, bool isWritten) const {
    if (checkpointed)
      return true;
    return variable.getLifetime() == Lifetime::Eval || (!variable.getTrainable() && !isWritten);
  }

  bool removeSome() {
    ModuleOp module = getOperation();
    SymbolSet needed, written;
    // Names in attributes: of reads, slots, gradients, bindings.
    auto need = [&](Attribute attr) {
      attr.walk([&](FlatSymbolRefAttr symbol) { needed.insert(symbol.getAttr()); });
      attr.walk([&](BindingAttr binding) { needed.insert(StringAttr::get(&getContext(), binding.getName())); });
    };
    module.walk([&](Operation *op) {
      StateAccess access = getOwnStateAccess(op);
      // A value that nothing uses is not read.
      if (onlyVariableOf(op)) {
        written.insert_range(access.writes);
        return;
      }
      need(op->getAttrDictionary());
      // What a file holds is the program's word, read or not.
      needed.insert_range(access.reads);
      needed.insert_range(access.writes);
    });
    bool changed = false;
    for (auto variable : llvm::make_early_inc_range(module.getOps<VariableOp>())) {
      StringAttr name = variable.getSymNameAttr();
      if (needed.contains(name) || !mayGo(variable, written.contains(name)))
        continue;
      module.walk([&](Operation *op) {
        if (onlyVariableOf(op) == name)
          op->erase();
      });
      variable.erase();
      changed = true;
    }
    if (changed)
      eraseDead();
    return changed;
  }

  /// What was computed to be assigned.
  void eraseDead() {
    for (auto function : getOperation().getOps<FunctionOp>())
      eraseDeadOps(function.getBody().front());
  }
};
} // namespace
