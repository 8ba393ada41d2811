// codegen-describe-segments: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "WorkspaceFunctions.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlc {
#define GEN_PASS_DEF_DESCRIBESEGMENTS
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Whether the host does the same whatever elements of buffers are: it asks the device for launches, and computes with
/// sizes.
static bool isCapturable(func::FuncOp segment) {
  WalkResult walked = segment.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (auto launch = dyn_cast<kern::LaunchOp>(op))
      return launch.getGrid() ? WalkResult::skip() : WalkResult::interrupt();
    // Memory that a workspace is not planned for is asked for each time, and is elsewhere each time. An error, which
    // sizes decide on here, ends the segment, and nothing is captured.
    const bool isSame = op == segment || isa<kern::GroupOp, kern::ReportErrorOp, RegionBranchOpInterface>(op) ||
                        op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op);
    return isSame ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

namespace {
struct DescribeSegments : public mlc::impl::DescribeSegmentsBase<DescribeSegments> {
  void runOnOperation() override {
    func::FuncOp segment = getOperation();
    if (segment.isDeclaration() || !segment->hasAttr(df::DfDialect::kRoleAttr))
      return;
    FailureOr<SmallVector<int64_t>> workspaces = findWorkspaces(segment);
    if (failed(workspaces))
      return signalPassFailure();
    ArrayRef<Type> operands = segment.getArgumentTypes().drop_back(workspaces->size());
    SmallVector<int64_t> spaces = llvm::map_to_vector(operands, kern::spaceOf);
    if (llvm::all_of(spaces, [](int64_t space) { return space == 0; }))
      return;
    Builder b(&getContext());
    segment->setAttr(kern::kSpacesAttr, b.getDenseI64ArrayAttr(spaces));
    if (isCapturable(segment))
      segment->setAttr(kern::kCapturableAttr, b.getUnitAttr());
  }
};
} // namespace
