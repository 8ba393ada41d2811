// What kind of work an op is, and what follows of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"

using namespace mlir;
using namespace mlc::df;

Work mlc::df::getWork(Operation *op) {
  if (auto known = dyn_cast<WorkOpInterface>(op))
    return known.getWork();
  return op->hasTrait<OpTrait::Elementwise>() ? Work::Elementwise : Work::Unknown;
}

static bool isOfStrings(TypeRange types) {
  return llvm::any_of(types, [](Type type) { return isa<StringType>(getElementTypeOrSelf(type)); });
}

bool mlc::df::costsLessThanKeeping(Operation *op) {
  if (op->hasTrait<MadeWhereUsed>())
    return true;
  if (op->getNumRegions() != 0 || op->hasTrait<PreparesFeatures>() || isOfStrings(op->getOperandTypes()) ||
      isOfStrings(op->getResultTypes()) ||
      llvm::any_of(op->getResultTypes(), [](Type type) { return isa<RowsType>(type); }))
    return false;
  switch (getWork(op)) {
  case Work::Free:
    return true;
  case Work::Elementwise:
    return op->hasTrait<OpTrait::Elementwise>();
  case Work::Movement: {
    auto movement = dyn_cast<MovementOpInterface>(op);
    return movement && llvm::count_if(movement.getMovedOperands(), [](Value moved) { return rankOf(moved) > 0; }) <= 1;
  }
  default:
    return false;
  }
}

bool mlc::df::hasNoEffectButErrors(Operation *op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
           return effect.getResource() == ErrorResource::get();
         });
}

bool mlc::df::carriesElements(Operation *op) {
  // Of what has elements, a cast alone gives them another type.
  return op->hasTrait<OpTrait::ConstantLike>() || isa<CastOp>(op) ||
         (isa<MovementOpInterface>(op) && op->getNumRegions() == 0 && isMemoryEffectFree(op));
}

bool mlc::df::isExact(Operation *op) {
  if (auto known = dyn_cast<ExactOpInterface>(op))
    return known.isExact();
  return op->hasTrait<OpTrait::Elementwise>();
}
