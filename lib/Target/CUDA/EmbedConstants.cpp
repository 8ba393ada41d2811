// cuda-embed-constants: see CudaPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlc {
#define GEN_PASS_DEF_CUDAEMBEDCONSTANTS
#include "lib/Target/CUDA/CudaPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Bytes of a constant that becomes text of PTX at most.
static constexpr int64_t kMostBytes = 64 << 10;

/// Whether a buffer is only read, and by kernels with a grid alone: what it and the views of it that are in `views` are
/// used by.
static bool isReadByKernels(Value buffer, Operation *filledBy, llvm::SetVector<Operation *> &views) {
  for (Operation *user : buffer.getUsers()) {
    if (user == filledBy || isa<memref::DimOp>(user))
      continue;
    if (auto launch = user->getParentOfType<kern::LaunchOp>()) {
      if (!launch.getGrid() || !isa<memref::LoadOp>(user))
        return false;
      continue;
    }
    // What ends a branch hands the buffer on.
    if (!isMemoryEffectFree(user) || user->getNumRegions() > 0 || user->hasTrait<OpTrait::IsTerminator>() ||
        !llvm::all_of(user->getOperands(),
                      [&](Value operand) { return operand == buffer || operand.getDefiningOp<arith::ConstantOp>(); }))
      return false;
    views.insert(user);
    for (Value result : user->getResults())
      if (isa<MemRefType>(result.getType()) && !isReadByKernels(result, filledBy, views))
        return false;
  }
  return true;
}

namespace {
struct CudaEmbedConstants : public mlc::impl::CudaEmbedConstantsBase<CudaEmbedConstants> {
  /// Has each kernel that reads the copy read the constant itself.
  static void embed(memref::AllocOp copy, memref::GetGlobalOp constant, ArrayRef<Operation *> views) {
    llvm::SetVector<Operation *> launches;
    for (Operation *view : views)
      for (Operation *user : view->getUsers())
        if (auto launch = user->getParentOfType<kern::LaunchOp>())
          launches.insert(launch);
    for (Operation *user : copy->getUsers())
      if (auto launch = user->getParentOfType<kern::LaunchOp>())
        launches.insert(launch);
    for (Operation *launch : launches) {
      Block &body = launch->getRegion(0).front();
      OpBuilder b(&body, body.begin());
      IRMapping mapping;
      Value global = b.clone(*constant)->getResult(0);
      mapping.map(copy.getResult(), memref::MemorySpaceCastOp::create(b, copy.getLoc(), copy.getType(), global));
      for (Operation *view : views)
        b.clone(*view, mapping);
      for (const auto &each : mapping.getValueMap()) {
        Value from = each.first, to = each.second;
        from.replaceUsesWithIf(to, [&](OpOperand &use) {
          return launch->isProperAncestor(use.getOwner()) && use.getOwner() != to.getDefiningOp();
        });
      }
    }
  }

  void runOnOperation() override {
    SmallVector<kern::TransferOp> transfers;
    getOperation()->walk([&](kern::TransferOp transfer) { transfers.push_back(transfer); });
    for (kern::TransferOp transfer : transfers) {
      auto constant = transfer.getSource().getDefiningOp<memref::GetGlobalOp>();
      auto copy = transfer.getOuts()[0].getDefiningOp<memref::AllocOp>();
      if (!constant || !copy)
        continue;
      auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(constant, constant.getNameAttr());
      MemRefType type = copy.getType();
      if (!global || !global.getConstant() || !type.hasStaticShape() ||
          type.getNumElements() * kern::elementBytes(type) > kMostBytes)
        continue;
      llvm::SetVector<Operation *> views;
      if (!isReadByKernels(copy, transfer, views))
        continue;
      embed(copy, constant, views.getArrayRef());
      transfer.erase();
      for (Operation *view : llvm::reverse(views))
        if (view->use_empty())
          view->erase();
      if (copy->use_empty())
        copy.erase();
      if (constant->use_empty())
        constant.erase();
    }
  }
};
} // namespace
