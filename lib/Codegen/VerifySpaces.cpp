// codegen-verify-spaces: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementLoops.h"
#include "dialects/Kern/IR/KernFlow.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlc {
#define GEN_PASS_DEF_VERIFYSPACES
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Whether the op runs as tasks where its buffers are.
static bool isKernel(Operation *op) {
  return isa<linalg::LinalgOp, memref::CopyOp, kern::KernelOpInterface, kern::LaunchOp, kern::CopiesOp>(op) ||
         isDeviceLoop(op);
}

/// Whether the op touches no element of its buffers.
static bool onlyNames(Operation *op) {
  return isMemoryEffectFree(op) || isa<memref::AllocOp, memref::AllocaOp>(op) ||
         op->hasTrait<OpTrait::IsTerminator>() || isa<RegionBranchOpInterface>(op);
}

/// A task's own memory is where the task runs.
static bool isOfTask(Value memref) {
  while (Operation *maker = memref.getDefiningOp()) {
    if (isa<memref::AllocaOp>(maker))
      return true;
    if (!isMemoryEffectFree(maker) || maker->getNumOperands() == 0)
      return false;
    memref = maker->getOperand(0);
  }
  return false;
}

/// All that a kernel touches is in one space.
static LogicalResult verifyKernel(Operation *kernel) {
  std::optional<int64_t> space;
  WalkResult walked = kernel->walk([&](Operation *op) -> WalkResult {
    if (op != kernel && onlyNames(op))
      return WalkResult::advance();
    auto interface = dyn_cast<kern::KernelOpInterface>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()) || isOfTask(operand.get()))
        continue;
      const int64_t found = kern::spaceOf(operand.get().getType());
      // Kernels read it, too, if it is in their space.
      if (interface && interface.isHostOperand(operand) && found == 0)
        continue;
      if (space && *space != found)
        return op->emitOpError("touches memory spaces ")
               << *space << " and " << found << " in one kernel; expected a kern.transfer before it";
      space = found;
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

static LogicalResult verifyHost(Operation *op) {
  if (onlyNames(op) || isa<kern::TransferOp, kern::BranchOp, kern::LoopOp>(op))
    return success();
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()) && kern::spaceOf(operand.getType()) != 0)
      return op->emitOpError("is code of the host and touches memory space ")
             << kern::spaceOf(operand.getType()) << "; expected a kern.transfer";
  return success();
}

namespace {
struct VerifySpaces : public mlc::impl::VerifySpacesBase<VerifySpaces> {
  void runOnOperation() override {
    WalkResult walked = getOperation()->walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
      if (!isKernel(op))
        return verifyHost(op);
      if (failed(verifyKernel(op)))
        return WalkResult::interrupt();
      return WalkResult::skip();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
