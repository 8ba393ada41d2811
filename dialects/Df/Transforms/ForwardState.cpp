// df-simplify: what variables hold. Ops on different variables do not matter to one another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/Transforms/Simplification.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::df;

namespace {
/// What is known at a place of a block.
struct Known {
  /// The value that a variable has.
  DenseMap<StringAttr, Value> values;
  /// Rows gathered from it, by the ids.
  DenseMap<StringAttr, SmallVector<ReadRowsOp>> gathers;
  /// Its last assignment, which nothing has read.
  DenseMap<StringAttr, AssignOp> unread;

  void forget(StringAttr symbol) {
    values.erase(symbol);
    gathers.erase(symbol);
    unread.erase(symbol);
  }
};

class StateForwarding {
public:
  bool run(Block &block, Known known) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op, known);
    return changed;
  }

private:
  void visit(Operation *op, Known &known) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](ReadOp read) { visitRead(read, known); })
        .Case([&](ReadRowsOp gather) { visitGather(gather, known); })
        .Case([&](AssignOp assign) { visitAssign(assign, known); })
        .Default([&](Operation *other) { visitOther(other, known); });
  }

  void visitRead(ReadOp read, Known &known) {
    StringAttr symbol = read.getVariableAttr().getAttr();
    Value &value = known.values[symbol];
    if (!value) {
      value = read.getResult();
      known.unread.erase(symbol);
      return;
    }
    read.getResult().replaceAllUsesWith(value);
    read.erase();
    changed = true;
  }

  void visitGather(ReadRowsOp gather, Known &known) {
    StringAttr symbol = gather.getVariableAttr().getAttr();
    known.unread.erase(symbol);
    for (ReadRowsOp before : known.gathers[symbol])
      if (before.getIds() == gather.getIds() && before.getType() == gather.getType()) {
        gather.getResult().replaceAllUsesWith(before.getResult());
        gather.erase();
        changed = true;
        return;
      }
    known.gathers[symbol].push_back(gather);
  }

  void visitAssign(AssignOp assign, Known &known) {
    StringAttr symbol = assign.getVariableAttr().getAttr();
    if (known.values.lookup(symbol) == assign.getValue()) {
      assign.erase();
      changed = true;
      return;
    }
    if (AssignOp unread = known.unread.lookup(symbol)) {
      unread.erase();
      changed = true;
    }
    known.forget(symbol);
    known.values[symbol] = assign.getValue();
    known.unread[symbol] = assign;
  }

  /// An op that updates variables, or with regions.
  void visitOther(Operation *op, Known &known) {
    StateAccess access = getStateAccess(op);
    if (op->getNumRegions()) {
      // What the op writes it may have written before its regions begin again; what it leaves alone, never.
      Known within = known;
      within.unread.clear();
      if (!isa<IfOp, RematOp>(op))
        for (StringAttr symbol : access.writes)
          within.forget(symbol);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          run(block, within);
    }
    for (StringAttr symbol : access.reads)
      known.unread.erase(symbol);
    for (StringAttr symbol : access.writes)
      known.forget(symbol);
  }

  bool changed = false;
};
} // namespace

bool mlc::df::forwardState(Operation *root) {
  bool changed = false;
  root->walk<WalkOrder::PreOrder>([&](FunctionOp function) {
    // A df.gradients names variables by their reads.
    if (function.walk([](GradientsOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return WalkResult::skip();
    changed |= StateForwarding().run(function.getBody().front(), Known());
    return WalkResult::skip();
  });
  return changed;
}
