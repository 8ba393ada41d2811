// Ops that C functions compute: calls of these functions in this process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"
#include "dialects/Df/IR/DfExternalCall.h"
#include "mlc/Interpreter/Constants.h"
#include "mlc/Target/Artifact/ElementType.h"

#include <deque>

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// A tensor as C code sees it. `dims` stay where they are, and are the function's to write.
static mlcrt_buffer bufferOf(Tensor &tensor, Type type, std::deque<SmallVector<int64_t>> &dims) {
  mlcrt_buffer buffer{};
  buffer.data = tensor.getBytes().data();
  buffer.dtype = *dtypeOf(cast<RankedTensorType>(type).getElementType());
  buffer.rank = static_cast<int32_t>(tensor.getRank());
  buffer.dims = dims.emplace_back(tensor.getShape()).data();
  return buffer;
}

/// The shape of a result: what its type says, and else sizes of operands.
static FailureOr<SmallVector<int64_t>> shapeOf(Operation *op, OpResult result, const df::DimensionMapping &map,
                                               const Frame &frame) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(result.getType()).getShape());
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    std::optional<df::Dimension> of = df::operandDimensionOf(op, map, result, static_cast<int64_t>(d));
    if (!of)
      return op->emitOpError("has a result whose dimension ")
             << d << " is of unknown size: its dimensions tell no operand's that is as large";
    size = frame.tensor(of->value).getDimSize(of->index);
  }
  return shape;
}

LogicalResult mlc::interp::callExternal(df::ExternalCallOpInterface op, Frame &frame) {
  std::vector<Tensor> operands, results;
  std::vector<mlcrt_buffer> operandBuffers, resultBuffers;
  std::deque<SmallVector<int64_t>> dims;
  for (Value operand : op->getOperands())
    operands.push_back(frame.tensor(operand)); // a copy: the function cannot change what others read
  SmallVector<Type> operandTypes(op->getOperandTypes());
  for (Attribute parameter : op.getParameters()) {
    DenseElementsAttr elements = df::tensorOfParameter(parameter);
    FailureOr<Tensor> tensor = tensorOf(elements);
    if (failed(tensor))
      return failure();
    operands.push_back(std::move(*tensor));
    operandTypes.push_back(elements.getType());
  }
  const df::DimensionMapping map = df::getDimensions(op);
  for (OpResult result : op->getResults()) {
    FailureOr<SmallVector<int64_t>> shape = shapeOf(op, result, map, frame);
    FailureOr<ElementKind> kind = elementKindOf(cast<RankedTensorType>(result.getType()).getElementType());
    if (failed(shape) || failed(kind))
      return failure();
    results.emplace_back(*kind, *shape);
  }
  for (auto [tensor, type] : llvm::zip_equal(operands, operandTypes))
    operandBuffers.push_back(bufferOf(tensor, type, dims));
  for (auto [tensor, type] : llvm::zip_equal(results, op->getResultTypes()))
    resultBuffers.push_back(bufferOf(tensor, type, dims));
  if (int32_t code = op.getHostFunction()(operandBuffers.data(), resultBuffers.data()))
    return op->emitOpError("its function '") << op.getCallee() << "' failed with " << code;
  for (auto [result, tensor] : llvm::zip_equal(op->getResults(), results))
    if (failed(frame.set(result, std::move(tensor))))
      return failure();
  return success();
}
