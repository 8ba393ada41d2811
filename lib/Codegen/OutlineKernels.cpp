// codegen-outline-kernels: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelFunctions.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

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

namespace {
struct OutlineKernels : public mlc::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    KernelFunctions kernels(getOperation(), "kernel");
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration())
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      gatherConstants(function);
      function.walk([&](kern::LaunchOp launch) { kernels.outline(launch); });
      eraseDeadOps(function.getBody().front());
    }
  }
};
} // namespace
