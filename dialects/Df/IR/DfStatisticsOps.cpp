// Type rules and verifiers of the ops that statistics are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfStatisticsOps.h"
#include "dialects/Df/IR/DfVerify.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlc::df;

static bool isVector(Type type) { return shapeOf(type).size() == 1; }

LogicalResult PutValuesOp::verify() {
  Type store = getType(), values = getValues().getType();
  bool ok = isVector(store) && isVector(values) && !ShapedType::isDynamic(shapeOf(store)[0]) &&
            elementType(store) == elementType(values);
  return verifyTypes(*this, ok, "(C1) the store must be [N] and values [n] of one element type", store, values);
}

LogicalResult AddToBinsOp::verify() {
  if (!isVector(getType()) || ShapedType::isDynamic(shapeOf(getType())[0]) || shapeOf(getType())[0] < 2 ||
      shapeOf(getType())[0] > (int64_t{1} << 31) || !llvm::isPowerOf2_64(shapeOf(getType())[0]))
    return emitOpError("(C1) bins must be [2^b] for a b from 1 to 31; found ") << getType();
  Type keys = getKeys().getType(), weights = getWeights().getType();
  return verifyTypes(*this, isVector(keys) && agreeInShape(keys, weights), "(C2) keys and weights must be [n]", keys,
                     weights);
}

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

LogicalResult MidRanksOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto weights = cast<RankedTensorType>(op.getWeights().getType());
  if (!isVector(weights))
    return infer.error("(C1) weights must be [n]; found ") << weights;
  int64_t n = weights.getDimSize(0);
  for (Value more : {op.getKeys(), op.getGroups()}) {
    if (more && !agreeInShape(more.getType(), weights))
      return infer.require(false, "(C1) keys and groups must have the weights' shape", more.getType(), weights);
    n = more ? joinSizes(n, shapeOf(more.getType())[0]) : n;
  }
  return infer.result(weights.clone({n}), "(C2) the result must have the weights' type");
}
