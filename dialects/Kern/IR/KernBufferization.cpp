// How kern ops on tensors become kern ops on memrefs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/KernAttention.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlc;

int64_t kern::strideBefore(int64_t stride, int64_t size) {
  int64_t product;
  if (ShapedType::isDynamic(stride) || ShapedType::isDynamic(size) || llvm::MulOverflow(stride, size, product))
    return ShapedType::kDynamic;
  return product;
}

bool kern::isContiguous(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t expected = 1;
  for (int64_t d = type.getRank(); d-- > 0;) {
    // Whatever stands before a dimension of unknown size has an unknown stride.
    if (type.getDimSize(d) != 1 && (expected == ShapedType::kDynamic || strides[d] != expected))
      return type.getLayout().isIdentity();
    expected = strideBefore(expected, type.getDimSize(d));
  }
  return true;
}

bool kern::hasContiguousRows(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t expected = 1;
  for (int64_t d = type.getRank(); d-- > 1;) {
    if (type.getDimSize(d) != 1 && strides[d] != expected)
      return false;
    if (type.isDynamicDim(d))
      return true;
    expected = strideBefore(expected, type.getDimSize(d));
  }
  return type.getRank() != 1 || type.getDimSize(0) == 1 || strides[0] == 1;
}

/// Whether neighbours along the last dimension are neighbours in memory.
static bool hasContiguousColumns(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  return type.getRank() == 0 || type.getShape().back() == 1 || strides.back() == 1;
}

bool kern::PackOp::canTake(OpOperand &operand, MemRefType type) {
  return operand.get() != getPanels() || isContiguous(type);
}

bool kern::ContractOp::canTake(OpOperand &operand, MemRefType type) {
  unsigned number = operand.getOperandNumber();
  if (number < 2)
    return number == 0 || !getPanelWidth() || isContiguous(type);
  size_t extra = number - 2;
  if (extra >= getExtras().size())
    return hasContiguousColumns(type);
  AffineMap map = cast<AffineMapAttr>(getExtraMaps()[extra]).getValue();
  return !map.isFunctionOfDim(map.getNumDims() - 1) || hasContiguousColumns(type);
}

/// What is no kernel, as a service, gets a pointer and takes elements one after the other.
bool kern::canTake(Operation *op, OpOperand &operand, MemRefType type) {
  auto kernel = dyn_cast<KernelOpInterface>(op);
  return kernel ? kernel.canTake(operand, type) : isContiguous(type);
}

/// A buffer of `like`'s shape whose elements lie after one another.
static Value contiguousLike(RewriterBase &rewriter, Location loc, Value like) {
  auto type = cast<MemRefType>(like.getType());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(memref::DimOp::create(rewriter, loc, like, d));
  return memref::AllocOp::create(
      rewriter, loc,
      MemRefType::get(type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace()),
      sizes);
}

/// Whether what the outs hold matters.
static bool readsOuts(Operation *op) {
  if (auto service = dyn_cast<kern::ServiceOpInterface>(op))
    return service.readsOuts();
  auto kernel = dyn_cast<kern::KernelOpInterface>(op);
  return kernel && kernel.readsOuts();
}

/// The same op on buffers.
static LogicalResult bufferizeKernel(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                                     BufferizationState &state) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto dps = cast<DestinationStyleOpInterface>(op);
  SmallVector<Value> operands, outs;
  SmallVector<std::pair<Value, Value>> copiesBack;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (isa<TensorType>(value.getType())) {
      FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
      if (failed(buffer))
        return failure();
      value = *buffer;
    }
    bool isOut = dps.isDpsInit(&operand);
    if (isOut)
      outs.push_back(value);
    // A view of part of a tensor is copied for a kernel that cannot take it as it lies.
    if (auto type = dyn_cast<MemRefType>(value.getType()); type && !kern::canTake(op, operand, type)) {
      Value copy = contiguousLike(rewriter, op->getLoc(), value);
      if (!isOut || readsOuts(op))
        memref::CopyOp::create(rewriter, op->getLoc(), value, copy);
      if (isOut)
        copiesBack.push_back({copy, value});
      value = copy;
    }
    operands.push_back(value);
  }
  OperationState newState(op->getLoc(), op->getName(), operands, TypeRange(),
                          llvm::to_vector(op->getDiscardableAttrs()));
  newState.propertiesAttr = op->getPropertiesAsAttribute();
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    newState.addRegion();
  Operation *newOp = rewriter.create(newState);
  for (auto [from, to] : llvm::zip(op->getRegions(), newOp->getRegions()))
    rewriter.inlineRegionBefore(from, to, to.begin());
  for (auto [copy, value] : copiesBack)
    memref::CopyOp::create(rewriter, op->getLoc(), copy, value);
  replaceOpWithBufferizedValues(rewriter, op, outs);
  return success();
}

namespace {
/// One model for all in destination style: the outs are updated in place.
template <typename OpTy> struct KernModel : public DstBufferizableOpInterfaceExternalModel<KernModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return readsOuts(op) || !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  /// The out that a result is. Upstream asks each operand, for each of the results, of which an op may have thousands.
  AliasingOpOperandList getAliasingOpOperands(Operation *op, Value value, const AnalysisState &) const {
    OpOperand &out =
        cast<DestinationStyleOpInterface>(op).getDpsInitsMutable()[cast<OpResult>(value).getResultNumber()];
    return {{&out, BufferRelation::Equivalent}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeKernel(op, rewriter, options, state);
  }
};

template <typename... Ops> void attachModels(MLIRContext *context) {
  (Ops::template attachInterface<KernModel<Ops>>(*context), ...);
}
} // namespace

namespace {
/// What is published is read; it aliases nothing of the function's.
struct PublishModel : public BufferizableOpInterface::ExternalModel<PublishModel, kern::PublishOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &, const AnalysisState &) const { return true; }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &, const AnalysisState &) const { return false; }
  AliasingValueList getAliasingValues(Operation *, OpOperand &, const AnalysisState &) const { return {}; }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto publish = cast<kern::PublishOp>(op);
    FailureOr<Value> buffer = getBuffer(rewriter, publish.getValue(), options, state);
    if (failed(buffer))
      return failure();
    rewriter.setInsertionPoint(op);
    if (!kern::isContiguous(cast<MemRefType>(buffer->getType()))) {
      Value copy = contiguousLike(rewriter, op->getLoc(), *buffer);
      memref::CopyOp::create(rewriter, op->getLoc(), *buffer, copy);
      buffer = copy;
    }
    replaceOpWithNewBufferizedOp<kern::PublishOp>(rewriter, op, *buffer, publish.getNumber());
    return success();
  }
};
} // namespace

void kern::registerBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, KernDialect *) {
    attachModels<ConcatOp, SplitOp, ContractOp, PackOp, TakeRowsOp, UpdateRowsOp, GroupSumOp, RaggedSumOp,
                 RaggedRepeatOp, ScanOp, TransferOp, ExternalCallOp, AttentionOp, AttentionGradOp>(context);
    attachModels<
#define GET_OP_LIST
#include "dialects/Kern/IR/KernServiceOps.cpp.inc"
        >(context);
    PublishOp::attachInterface<PublishModel>(*context);
  });
}
