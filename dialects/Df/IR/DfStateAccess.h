// Which variables ops read and write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFSTATEACCESS_H
#define DIALECTS_DF_IR_DFSTATEACCESS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlc::df {

/// Names of variables, in the order they were met.
using SymbolSet = llvm::SetVector<mlir::StringAttr>;

/// Variables accessed, in program order.
struct StateAccess {
  SymbolSet reads, writes;

  void read(mlir::FlatSymbolRefAttr variable) { reads.insert(variable.getAttr()); }
  void write(mlir::FlatSymbolRefAttr variable) { writes.insert(variable.getAttr()); }
  bool empty() const { return reads.empty() && writes.empty(); }
};

namespace detail {
/// The memory effects of an op that tells its variables (`StateOpInterface`).
void addEffectsOfState(mlir::Operation *op,
                       llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);
} // namespace detail

/// Trait of the ops whose memory effects are those of the variables that they tell.
template <typename ConcreteType>
class HasEffectsOfState : public mlir::OpTrait::TraitBase<ConcreteType, HasEffectsOfState> {
public:
  void getEffects(llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects) {
    detail::addEffectsOfState(this->getOperation(), effects);
  }
};

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFSTATEACCESS_H
