// Which variables ops read and write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/StateAccess.h"
#include "dialects/Df/IR/DfSaveOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::df;

/// Whether a df.save or df.restore still names its variables: it has their values after df-state-to-values.
static bool namesByPattern(Operation *op) {
  return (isa<SaveOp>(op) && !cast<SaveOp>(op).getNames()) || (isa<RestoreOp>(op) && !cast<RestoreOp>(op).getNames());
}

bool mlc::df::namesVariable(Operation *op) {
  if (namesByPattern(op))
    return true;
  return isa<ReadOp, ReadRowsOp, AssignOp, AssignAddOp, AssignSubOp, ApplyRowsOp, GradientsOp>(op);
}

StateAccess mlc::df::getStateAccess(Operation *root) {
  StateAccess access;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<ReadOp, ReadRowsOp>([&](auto read) { access.reads.insert(read.getVariableAttr().getAttr()); })
        .Case<AssignOp>([&](AssignOp assign) { access.writes.insert(assign.getVariableAttr().getAttr()); })
        .Case<SaveOp, RestoreOp>([&](auto file) {
          if (!namesByPattern(file))
            return;
          SymbolSet &symbols = std::is_same_v<decltype(file), SaveOp> ? access.reads : access.writes;
          for (VariableOp variable : matchingVariables(file, file.getPattern()))
            symbols.insert(variable.getSymNameAttr());
        })
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
