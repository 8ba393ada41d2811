// codegen-bufferize: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlc {
#define GEN_PASS_DEF_BUFFERIZE
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;

/// The tensor that `value` is a part or another shape of.
static Value viewedBy(Value value) {
  while (Operation *view = value.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp>(view))
      break;
    value = view->getOperand(0);
  }
  return value;
}

/// At its end the body of a loop copies carried values to their places, when everything has read the old ones. Folding
/// may have made an old one of a value that was computed: it is read before the first of these copies, too, as in a
/// loop each carried value must be in its own place.
static void readBeforePlacesChange(scf::YieldOp yield) {
  if (!isa<scf::ForOp, scf::WhileOp>(yield->getParentOp()))
    return;
  Block *body = yield->getBlock();
  SmallVector<linalg::CopyOp> copies;
  for (Value value : yield.getResults())
    if (auto copy = value.getDefiningOp<linalg::CopyOp>();
        copy && copy->getBlock() == body && llvm::is_contained(body->getArguments(), copy.getOutputs().front()))
      copies.push_back(copy);
  llvm::sort(copies, [](linalg::CopyOp a, linalg::CopyOp b) { return a->isBeforeInBlock(b); });
  llvm::SmallDenseSet<Value> changed;
  for (linalg::CopyOp copy : copies) {
    Value source = copy.getInputs().front();
    if (changed.contains(viewedBy(source))) {
      OpBuilder b(copies.front());
      if (Operation *maker = source.getDefiningOp(); maker && !maker->isBeforeInBlock(copies.front()))
        b.setInsertionPointAfter(maker);
      Value empty = tensor::EmptyOp::create(b, copy.getLoc(), tensor::getMixedSizes(b, copy.getLoc(), source),
                                            getElementTypeOrSelf(source.getType()));
      copy.getInputsMutable().assign(linalg::CopyOp::create(b, copy.getLoc(), source, empty).getResult(0));
    }
    changed.insert(copy.getOutputs().front());
  }
}

namespace {
struct Bufferize : public mlc::impl::BufferizeBase<Bufferize> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.copyBeforeWrite = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      function.walk(readBeforePlacesChange);
      bufferization::BufferizationState state;
      if (failed(bufferization::runOneShotBufferize(function, options, state)))
        return signalPassFailure();
    }
  }
};
} // namespace
