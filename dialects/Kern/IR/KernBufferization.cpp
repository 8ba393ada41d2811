// How kern ops on tensors become kern ops on memrefs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlc;

namespace {
/// One model for all: the outs are updated in place; `readsOuts` says whether their old content matters. A service's
/// signature tells.
template <typename OpTy, bool readsOuts>
struct KernModel : public DstBufferizableOpInterfaceExternalModel<KernModel<OpTy, readsOuts>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    auto service = dyn_cast<kern::ServiceOp>(op);
    return readsOuts || (service && service.getSignature().contains('u')) ||
           !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                          BufferizationState &state) const {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    auto dps = cast<DestinationStyleOpInterface>(op);
    SmallVector<Value> operands, outs;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (isa<TensorType>(value.getType())) {
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        value = *buffer;
      }
      operands.push_back(value);
      if (dps.isDpsInit(&operand))
        outs.push_back(value);
    }
    OperationState newState(op->getLoc(), op->getName(), operands, TypeRange(),
                            llvm::to_vector(op->getDiscardableAttrs()));
    newState.propertiesAttr = op->getPropertiesAsAttribute();
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      newState.addRegion();
    Operation *newOp = rewriter.create(newState);
    for (auto [from, to] : llvm::zip(op->getRegions(), newOp->getRegions()))
      rewriter.inlineRegionBefore(from, to, to.begin());
    replaceOpWithBufferizedValues(rewriter, op, outs);
    return success();
  }
};
} // namespace

void kern::registerBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, KernDialect *) {
    ContractOp::attachInterface<KernModel<ContractOp, false>>(*context);
    TakeRowsOp::attachInterface<KernModel<TakeRowsOp, false>>(*context);
    UpdateRowsOp::attachInterface<KernModel<UpdateRowsOp, true>>(*context);
    GroupSumOp::attachInterface<KernModel<GroupSumOp, false>>(*context);
    SegmentSumOp::attachInterface<KernModel<SegmentSumOp, false>>(*context);
    SegmentRepeatOp::attachInterface<KernModel<SegmentRepeatOp, false>>(*context);
    ScanOp::attachInterface<KernModel<ScanOp, false>>(*context);
    ServiceOp::attachInterface<KernModel<ServiceOp, false>>(*context);
  });
}
