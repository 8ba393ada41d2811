// codegen-describe-segments: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "WorkspaceFunctions.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Kern/IR/KernFlow.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlc {
#define GEN_PASS_DEF_DESCRIBESEGMENTS
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Whether a loop that the device ends hands something on from one iteration to the next on the host, which asks for
/// one alone.
static bool countsOnHost(kern::LoopOp decision) {
  auto loop = dyn_cast<scf::WhileOp>(decision->getParentOp());
  return !loop || loop->getNumOperands() > 0 || loop->getNumResults() > 0 ||
         loop.getConditionOp().getCondition() != decision.getGoes();
}

/// The first op for which the host does not do the same whatever elements of buffers are; null: it asks the device for
/// launches, and computes with sizes.
static Operation *findHostWork(func::FuncOp segment) {
  Operation *found = nullptr;
  segment.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (auto launch = dyn_cast<kern::LaunchOp>(op); launch && launch.getGrid())
      return WalkResult::skip();
    // Memory that a workspace is not planned for is asked for each time, and is elsewhere each time. An error, which
    // sizes decide on here, ends the segment, and nothing is captured.
    auto decision = dyn_cast<kern::LoopOp>(op);
    const bool isDecidedThere = isa<kern::BranchOp, kern::DeviceSideOp>(op) || (decision && !countsOnHost(decision));
    const bool isSame = op == segment || isDecidedThere ||
                        isa<kern::GroupOp, kern::ReportErrorOp, RegionBranchOpInterface>(op) ||
                        op->hasTrait<OpTrait::IsTerminator>() || (isMemoryEffectFree(op) && !isa<kern::LaunchOp>(op));
    if (!isSame)
      found = op;
    return isSame ? WalkResult::advance() : WalkResult::interrupt();
  });
  return found;
}

/// What the host does there, for a remark.
static std::string describe(Operation *op) {
  if (isa<memref::LoadOp>(op))
    return "the host reads an element";
  if (isa<memref::StoreOp>(op))
    return "the host writes an element";
  if (isa<memref::AllocOp>(op))
    return "takes memory of a size that nothing known before bounds";
  if (auto transfer = dyn_cast<kern::TransferOp>(op))
    return kern::spaceOf(transfer.getSource().getType()) == 0 ? "a copy from the host's memory"
                                                              : "a copy to the host's memory";
  if (isa<kern::LaunchOp>(op))
    return "tasks of the host's threads";
  return "'" + op->getName().getStringRef().str() + "' runs on the host";
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
    Operation *hostWork = findHostWork(segment);
    if (!hostWork) {
      segment->setAttr(kern::kCapturableAttr, b.getUnitAttr());
      return;
    }
    // Of a step that runs once nobody wants a graph.
    if (auto role = segment->getAttrOfType<df::RoleAttr>(df::DfDialect::kRoleAttr); role.getValue() == df::Role::Init)
      return;
    remark::missed(hostWork->getLoc(), remark::RemarkOpts::name("capture").category("captured"))
        << remark::detail::LazyTextBuild{
               "Remark", [&] {
                 return ("segment '" + segment.getSymName() +
                         "' is no one graph, but one for each part between what the host does, which begins here: " +
                         describe(hostWork))
                     .str();
               }};
  }
};
} // namespace
