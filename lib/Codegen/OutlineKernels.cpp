// codegen-outline-kernels: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelAliases.h"
#include "KernelFunctions.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace mlc {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Moves the constants of launches to the start of the function, one of each, where kernels look for them.
static void gatherConstants(func::FuncOp function) {
  Block &entry = function.getBody().front();
  DenseMap<Attribute, Operation *> known; // an attribute has the type, too
  SmallVector<Operation *> constants;
  function.walk([&](kern::LaunchOp launch) {
    launch.getBody().walk([&](arith::ConstantOp constant) { constants.push_back(constant); });
  });
  for (Operation *constant : constants) {
    auto [first, isNew] = known.try_emplace(cast<arith::ConstantOp>(constant).getValue(), constant);
    if (isNew) {
      constant->moveBefore(&entry, entry.begin());
      continue;
    }
    constant->replaceAllUsesWith(first->second);
    constant->erase();
  }
}

/// Hands the launch a flat buffer for one of which it needs the address alone: kernels take no shapes.
static void takeAddresses(kern::LaunchOp launch) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(launch.getBody(), captured);
  for (Value value : captured) {
    auto type = dyn_cast<MemRefType>(value.getType());
    auto isInside = [&](OpOperand &use) { return launch->isProperAncestor(use.getOwner()); };
    if (!type || (type.getRank() == 1 && type.getLayout().isIdentity()) ||
        !llvm::all_of(value.getUses(), [&](OpOperand &use) {
          return !isInside(use) || isa<memref::ExtractAlignedPointerAsIndexOp>(use.getOwner());
        }))
      continue;
    OpBuilder b(launch);
    Location loc = launch.getLoc();
    Value base = memref::ExtractStridedMetadataOp::create(b, loc, value).getBaseBuffer();
    auto flat = MemRefType::get({ShapedType::kDynamic}, type.getElementType(), MemRefLayoutAttrInterface(),
                                type.getMemorySpace());
    // Its size is never used.
    Value size = arith::ConstantIndexOp::create(b, loc, int64_t(1) << 62);
    Value address = memref::ReinterpretCastOp::create(b, loc, flat, base, OpFoldResult(b.getIndexAttr(0)),
                                                      ArrayRef<OpFoldResult>{OpFoldResult(size)},
                                                      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
    value.replaceUsesWithIf(address, isInside);
  }
}

namespace {
struct OutlineKernels : public mlc::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    KernelFunctions kernels(getOperation(), "kernel");
    KernelAliases aliases;
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration())
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      gatherConstants(function);
      function.walk([&](kern::LaunchOp launch) {
        takeAddresses(launch);
        const bool hasGrid = launch.getGrid().has_value();
        func::FuncOp kernel = kernels.outline(launch);
        if (hasGrid)
          aliases.note(kernel, cast<func::CallOp>(launch.getBody().front().front()).getOperands());
      });
      eraseDeadOps(function.getBody().front());
    }
    aliases.mark();
  }
};
} // namespace
