// Which variables ops read and write, and the memory effects that follow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfSaveOps.h"
#include "dialects/Df/IR/DfStateOps.h"

using namespace mlir;
using namespace mlc::df;

void mlc::df::detail::addEffectsOfState(Operation *op,
                                        SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  StateAccess access;
  cast<StateOpInterface>(op).collectState(access);
  for (StringAttr variable : access.reads)
    effects.emplace_back(MemoryEffects::Read::get(), FlatSymbolRefAttr::get(variable), StateResource::get());
  for (StringAttr variable : access.writes)
    effects.emplace_back(MemoryEffects::Write::get(), FlatSymbolRefAttr::get(variable), StateResource::get());
}

void ReadOp::collectState(StateAccess &access) { access.read(getVariableAttr()); }
void ReadRowsOp::collectState(StateAccess &access) { access.read(getVariableAttr()); }
void AssignOp::collectState(StateAccess &access) { access.write(getVariableAttr()); }
void AssignAddOp::collectState(StateAccess &access) {
  access.read(getVariableAttr());
  access.write(getVariableAttr());
}
void AssignSubOp::collectState(StateAccess &access) {
  access.read(getVariableAttr());
  access.write(getVariableAttr());
}
void ApplyRowsOp::collectState(StateAccess &access) {
  for (auto variable : getVariables().getAsRange<FlatSymbolRefAttr>()) {
    access.read(variable);
    access.write(variable);
  }
}

// After df-state-to-values they have the values of variables, and name none any more.
void SaveOp::collectState(StateAccess &access) {
  if (!getNames())
    for (VariableOp variable : matchingVariables(*this, getPattern()))
      access.reads.insert(variable.getSymNameAttr());
}
void RestoreOp::collectState(StateAccess &access) {
  if (!getNames())
    for (VariableOp variable : matchingVariables(*this, getPattern()))
      access.writes.insert(variable.getSymNameAttr());
}
