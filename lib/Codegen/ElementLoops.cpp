// Loops over single elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementLoops.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlc;

static bool isNumber(Type type) { return !isa<ShapedType>(type); }

static bool isWorkOnElements(Operation *op) {
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp, tensor::ExtractOp, tensor::InsertOp,
          tensor::DimOp, memref::LoadOp, memref::StoreOp, memref::DimOp>(op))
    return true;
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && llvm::all_of(op->getOperandTypes(), isNumber) &&
         llvm::all_of(op->getResultTypes(), isNumber);
}

bool mlc::isElementLoop(scf::ForOp loop) {
  if (llvm::any_of(loop.getResults(), [](Value result) { return isNumber(result.getType()) && !result.use_empty(); }))
    return false;
  bool writes = false;
  WalkResult walked = loop.walk([&](Operation *op) {
    writes |= isa<tensor::InsertOp, memref::StoreOp>(op);
    return isWorkOnElements(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return writes && !walked.wasInterrupted();
}

bool mlc::isDeviceLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || loop->getParentOfType<kern::LaunchOp>())
    return false;
  WalkResult walked = loop.walk([](Operation *inner) {
    return llvm::any_of(inner->getOperandTypes(), [](Type type) { return kern::spaceOf(type) != 0; })
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return walked.wasInterrupted() && isElementLoop(loop);
}
