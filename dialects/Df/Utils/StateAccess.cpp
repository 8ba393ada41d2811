// Which variables ops read and write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/StateAccess.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::df;

bool mlc::df::namesVariable(Operation *op) {
  return isa<ReadOp, GatherOp, AssignOp, AssignAddOp, AssignSubOp, ApplyRowsOp, GradientsOp>(op);
}

StateAccess mlc::df::getStateAccess(Operation *root) {
  StateAccess access;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<ReadOp, GatherOp>([&](auto read) { access.reads.insert(read.getVariableAttr().getAttr()); })
        .Case<AssignOp>([&](AssignOp assign) { access.writes.insert(assign.getVariableAttr().getAttr()); })
        .Case<AssignAddOp, AssignSubOp>([&](auto assign) {
          access.reads.insert(assign.getVariableAttr().getAttr());
          access.writes.insert(assign.getVariableAttr().getAttr());
        })
        .Case<ApplyRowsOp>([&](ApplyRowsOp apply) {
          for (auto symbol : apply.getVariables().getAsRange<FlatSymbolRefAttr>()) {
            access.reads.insert(symbol.getAttr());
            access.writes.insert(symbol.getAttr());
          }
        });
  });
  return access;
}
