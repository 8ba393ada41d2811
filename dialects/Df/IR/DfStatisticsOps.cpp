// Type rules and verifiers of counts and distances.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfStatisticsOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

static bool isVector(Type type) { return shapeOf(type).size() == 1; }

LogicalResult BincountOp::verify() {
  Type ids = getIds().getType();
  if (!isVector(ids))
    return emitOpError("(C1) ids must be [n]; found ") << ids;
  if (getWeights() && !agreeInShape(getWeights().getType(), ids))
    return verifyTypes(*this, false, "(C1) weights must have the ids' shape", getWeights().getType(), ids);
  Type element = elementType(getWeights() ? getWeights().getType() : ids);
  if (!isVector(getType()) || ShapedType::isDynamic(shapeOf(getType())[0]) || elementType(getType()) != element)
    return emitOpError("(C2) the result must be [bins], static, of ") << element << "; found " << getType();
  return success();
}

LogicalResult HistogramOp::verify() {
  Type operand = getOperand().getType();
  for (Value limit : {getLow(), getHigh()})
    if (!shapeOf(limit.getType()).empty() || elementType(limit.getType()) != elementType(operand))
      return verifyTypes(*this, false, "(C1) 'low' and 'high' must be scalars of the operand's element type",
                         limit.getType(), operand);
  if (!isVector(getType()) || shapeOf(getType())[0] <= 0)
    return emitOpError("(C2) the result must be [bins], static, with bins > 0; found ") << getType();
  return success();
}

LogicalResult EditDistanceOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type hypothesis = op.getHypothesis().getType(), truth = op.getTruth().getType();
  if (shapeOf(hypothesis).size() != 2 || shapeOf(truth).size() != 2 || elementType(hypothesis) != elementType(truth) ||
      !agree(shapeOf(hypothesis)[0], shapeOf(truth)[0]))
    return infer.require(false, "(C1) hypothesis must be [n, u] and truth [n, v] of one element type", hypothesis,
                         truth);
  int64_t n = joinSizes(shapeOf(hypothesis)[0], shapeOf(truth)[0]);
  for (Value lengths : {op.getHypothesisLengths(), op.getTruthLengths()}) {
    ArrayRef<int64_t> shape = shapeOf(lengths.getType());
    if (shape.size() != 1 || !agree(shape[0], n))
      return infer.require(false, "(C2) lengths must be [n]", lengths.getType(), hypothesis);
    n = joinSizes(n, shape[0]);
  }
  return infer.result(RankedTensorType::get({n}, Float32Type::get(infer.getContext())),
                      "(C3) the result must be [n] of f32");
}
