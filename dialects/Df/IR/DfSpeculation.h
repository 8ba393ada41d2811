// Which ops may run where the program would not run them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFSPECULATION_H
#define DIALECTS_DF_IR_DFSPECULATION_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlc::df {

/// Whether evaluating the op may fail the step, if all sizes agree that have to (`sizesAgree`): it tells so itself
/// (`FallibleOpInterface`), or nothing is known of it.
bool mayFail(mlir::Operation *op);

/// Whether all sizes are known to be equal that the op needs to be, by where they come from.
bool sizesAgree(mlir::Operation *op);

/// An op may run where the program would not run it if it cannot fail and its sizes agree.
mlir::Speculation::Speculatability getSpeculatability(mlir::Operation *op);

template <typename ConcreteType>
class SpeculatableUnlessItFails : public mlir::OpTrait::TraitBase<ConcreteType, SpeculatableUnlessItFails> {
public:
  mlir::Speculation::Speculatability getSpeculatability() { return df::getSpeculatability(this->getOperation()); }
};

template <typename ConcreteType> class NeverFails : public mlir::OpTrait::TraitBase<ConcreteType, NeverFails> {
public:
  bool mayFail() { return false; }
};

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFSPECULATION_H
