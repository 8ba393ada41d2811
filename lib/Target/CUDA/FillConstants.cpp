// cuda-fill-constants: see CudaPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Kern/IR/KernServiceOps.h"
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

/// Fills what a loop starts from, if it is a constant of one number again and again.
static void fill(OpOperand &start) {
  auto constant = start.get().getDefiningOp<arith::ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  if (!splat)
    return;
  OpBuilder b(start.getOwner());
  Location loc = start.getOwner()->getLoc();
  auto type = cast<RankedTensorType>(constant.getType());
  Value number = arith::ConstantOp::create(b, loc, splat.getSplatValue<TypedAttr>());
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  start.set(linalg::FillOp::create(b, loc, number, empty).getResult(0));
}

/// Whether the host does something in a loop that it needs elements for.
static bool hasHostWork(scf::WhileOp loop) {
  return loop
      ->walk([](Operation *op) {
        return isa<kern::ServiceOpInterface, kern::ExternalCallOp, kern::PublishOp, tensor::InsertOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a result of a segment is a variable in the device's memory.
static bool isVariableThere(func::FuncOp segment, unsigned result) {
  DictionaryAttr attributes = segment.getResultAttrDict(result);
  auto bound = attributes ? attributes.getAs<df::BindingAttr>(df::FunctionOp::kBindingAttr) : df::BindingAttr();
  return bound && bound.getKind() == df::BindingKind::Variable && !attributes.contains(df::kOnHostAttr);
}

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
        if (isElementLoop(loop) || llvm::none_of(carried.getUsers(), isWrite))
          fill(start);
      }
    });
    if (!segment.isDeclaration())
      for (OpOperand &value : segment.getBody().front().getTerminator()->getOpOperands())
        if (isVariableThere(segment, value.getOperandNumber()))
          fill(value);
    segment.walk([](scf::WhileOp loop) {
      if (!hasHostWork(loop))
        for (OpOperand &start : loop.getInitsMutable())
          fill(start);
    });
  }
};
} // namespace
