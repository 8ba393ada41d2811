// cuda-fill-constants: see CudaPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfPulls.h"
#include "lib/Codegen/ElementLoops.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlc {
#define GEN_PASS_DEF_CUDAFILLCONSTANTS
#include "lib/Target/CUDA/CudaPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

namespace {
struct CudaFillConstants : public mlc::impl::CudaFillConstantsBase<CudaFillConstants> {
  void runOnOperation() override {
    func::FuncOp segment = getOperation();
    if (df::runsOnHost(segment))
      return;
    segment.walk([](scf::ForOp loop) {
      for (auto [start, carried] : llvm::zip_equal(loop.getInitArgsMutable(), loop.getRegionIterArgs())) {
        // Where the host writes elements it has them.
        auto isWrite = [](Operation *user) { return isa<tensor::InsertOp>(user); };
        if (!isElementLoop(loop) && llvm::any_of(carried.getUsers(), isWrite))
          continue;
        auto constant = start.get().getDefiningOp<arith::ConstantOp>();
        auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
        if (!splat)
          continue;
        OpBuilder b(loop);
        Location loc = loop.getLoc();
        auto type = cast<RankedTensorType>(constant.getType());
        Value number = arith::ConstantOp::create(b, loc, splat.getSplatValue<TypedAttr>());
        Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
        start.set(linalg::FillOp::create(b, loc, number, empty).getResult(0));
      }
    });
  }
};
} // namespace
