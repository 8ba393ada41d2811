// What the verifiers of ops with axes share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult mlc::df::verifyAxes(Operation *op, Type type, ArrayRef<int64_t> axes) {
  int64_t last = -1;
  for (int64_t axis : axes) {
    if (axis <= last || axis >= static_cast<int64_t>(shapeOf(type).size()))
      return op->emitOpError("(C1) axes must be strictly ascending dimensions of ") << type << "; found " << axis;
    last = axis;
  }
  return success();
}

LogicalResult mlc::df::verifyAxis(Operation *op, Type type, std::optional<uint64_t> axis, StringRef constraint) {
  uint64_t rank = shapeOf(type).size();
  if (rank == 0)
    return op->emitOpError() << constraint << " needs an axis; found " << type;
  if (axis && *axis >= rank)
    return op->emitOpError() << constraint << " axis " << static_cast<int64_t>(*axis) << " is no dimension of " << type;
  return success();
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
