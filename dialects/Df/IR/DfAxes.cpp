// What the verifiers of ops with axes share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult mlc::df::verifyAxes(Operation *op, Type type, ArrayRef<int64_t> axes) {
  return TypeInference(op).requireAxes(type, axes);
}

LogicalResult mlc::df::verifyAxis(Operation *op, Type type, std::optional<uint64_t> axis, StringRef constraint) {
  return TypeInference(op).requireAxis(type, axis, constraint);
}

/// `type` with the dimensions that are in `axes`, or with those that are not.
static RankedTensorType keep(Type type, ArrayRef<int64_t> axes, bool inAxes) {
  SmallVector<int64_t> shape;
  for (auto [d, size] : llvm::enumerate(shapeOf(type)))
    if (llvm::is_contained(axes, static_cast<int64_t>(d)) == inAxes)
      shape.push_back(size);
  return RankedTensorType::get(shape, elementType(type));
}

RankedTensorType mlc::df::withoutAxes(Type type, ArrayRef<int64_t> axes) { return keep(type, axes, false); }
RankedTensorType mlc::df::onlyAxes(Type type, ArrayRef<int64_t> axes) { return keep(type, axes, true); }

LogicalResult mlc::df::inferReduced(TypeInference &infer, Value operand, ArrayRef<int64_t> axes) {
  if (failed(infer.requireAxes(operand.getType(), axes)))
    return failure();
  return infer.result(withoutAxes(operand.getType(), axes), "(C2) the result must have the remaining dimensions");
}

LogicalResult mlc::df::inferWithoutAxis(TypeInference &infer, Type from, std::optional<uint64_t> axis, Type element) {
  if (failed(infer.requireAxis(from, axis)))
    return failure();
  return infer.result(withoutAxes(from, axisOf(from, axis)).clone(element), "(C2) the result must drop the axis");
}

LogicalResult mlc::df::inferAxisLoss(TypeInference &infer, Value predictions, Value labels,
                                     std::optional<uint64_t> axis) {
  Type type = infer.join({predictions, labels}, "predictions and labels must have the same type");
  return type ? inferWithoutAxis(infer, type, axis, elementType(type)) : failure();
}

LogicalResult mlc::df::inferScalar(TypeInference &infer, Type element) {
  return infer.result(RankedTensorType::get({}, element), "the result must be a scalar");
}
