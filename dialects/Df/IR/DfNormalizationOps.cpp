// Type rules and verifiers of normalizations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfNormalizationOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

/// Whether each of `values`, those that are not given aside, has type `type`.
static LogicalResult requireParameters(const TypeInference &infer, ArrayRef<Value> values, RankedTensorType type,
                                       StringRef what) {
  for (Value value : values)
    if (value && !infer.fits(value, type))
      return infer.require(false, what, value.getType(), type);
  return success();
}
static LogicalResult verifyParameters(Operation *op, ArrayRef<Value> values, RankedTensorType type, StringRef what) {
  return requireParameters(TypeInference(op), values, type, what);
}

LogicalResult MomentsOp::inferTypes(TypeInference &infer, Adaptor op) {
  return success(succeeded(inferReduced(infer, op.getOperand(), op.getAxes())) &&
                 succeeded(inferReduced(infer, op.getOperand(), op.getAxes())));
}

LogicalResult BatchNormInferenceOp::verify() {
  if (failed(verifyAxes(*this, getType(), getAxes())))
    return failure();
  return verifyParameters(*this, {getMean(), getVariance(), getScale(), getOffset()}, withoutAxes(getType(), getAxes()),
                          "(C2) statistics, scale and offset must have the remaining dimensions");
}

LogicalResult BatchNormTrainingOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type from = op.getOperand().getType();
  if (failed(infer.requireAxes(from, op.getAxes())))
    return failure();
  RankedTensorType channels = withoutAxes(from, op.getAxes());
  constexpr StringLiteral constraint = "(C2) statistics, scale and offset must have the remaining dimensions";
  if (failed(requireParameters(infer, {op.getScale(), op.getOffset()}, channels, constraint)))
    return failure();
  (void)infer.result(from, "failed to verify that all of {operand, result} have same type");
  (void)infer.result(channels, constraint);
  return infer.result(channels, constraint);
}

LogicalResult LayerNormOp::verify() {
  if (failed(verifyAxes(*this, getType(), getAxes())))
    return failure();
  return verifyParameters(*this, {getScale(), getOffset()}, onlyAxes(getType(), getAxes()),
                          "(C2) scale and offset must have the dimensions of the axes");
}

LogicalResult RmsNormOp::verify() {
  if (failed(verifyAxes(*this, getType(), getAxes())))
    return failure();
  return verifyParameters(*this, {getScale()}, onlyAxes(getType(), getAxes()),
                          "(C2) the scale must have the dimensions of the axes");
}

/// Whether the op's axis is a dimension after the first.
template <typename Op> static LogicalResult verifyChannels(Op op) {
  if (failed(verifyAxis(op, op.getType(), op.getAxis())))
    return failure();
  if (axisOf(op) == 0)
    return op.emitOpError("(C1) the axis of channels must lie after that of examples; found 0 of ") << op.getType();
  return success();
}

LogicalResult GroupNormOp::verify() {
  if (failed(verifyChannels(*this)))
    return failure();
  int64_t axis = axisOf(*this), channels = shapeOf(getType())[axis], groups = static_cast<int64_t>(getGroups());
  if (ShapedType::isDynamic(channels))
    return emitOpError("(C1) the axis of channels must be static; found ") << axis << " of " << getType();
  if (groups < 1 || channels % groups != 0)
    return emitOpError("(C2) 'groups' must divide the ") << channels << " channels; found " << groups;
  return verifyParameters(*this, {getScale(), getOffset()}, onlyAxes(getType(), axis),
                          "(C3) scale and offset must be [channels]");
}

LogicalResult InstanceNormOp::verify() {
  if (failed(verifyChannels(*this)))
    return failure();
  return verifyParameters(*this, {getScale(), getOffset()}, onlyAxes(getType(), axisOf(*this)),
                          "(C2) scale and offset must be [channels]");
}

LogicalResult L2NormalizeOp::verify() { return verifyAxes(*this, getType(), getAxes()); }

LogicalResult LocalResponseNormOp::verify() {
  if (failed(verifyAxis(*this, getType(), getAxis())))
    return failure();
  if (ShapedType::isDynamic(shapeOf(getType())[axisOf(*this)]))
    return emitOpError("(C1) the axis must be static; found ") << axisOf(*this) << " of " << getType();
  auto low = static_cast<int64_t>(getLow()), high = static_cast<int64_t>(getHigh());
  if (low < 0 || high < 0)
    return emitOpError("(C2) 'low' and 'high' must not be negative; found ") << low << " and " << high;
  return success();
}

//===-- dimensions ------------------------------------------------------------------------===//

/// Moments, scale and offset have the dimensions over which no moments are taken.
template <typename Op> static void mapBatchNorm(Op op, DimensionMapping &map) {
  map.all(op.getOperand(), op.getResult());
  for (Value ofChannels : std::initializer_list<Value>{op.getMean(), op.getVariance(), op.getScale(), op.getOffset()})
    map.without(op.getOperand(), op.getAxes(), ofChannels);
}
void BatchNormInferenceOp::mapDimensions(DimensionMapping &map) { mapBatchNorm(*this, map); }
void BatchNormTrainingOp::mapDimensions(DimensionMapping &map) { mapBatchNorm(*this, map); }

/// Scale and offset have the dimensions `axes`.
static void mapRowNorm(Value operand, Value result, ArrayRef<int64_t> axes, ArrayRef<Value> parameters,
                       DimensionMapping &map) {
  map.all(operand, result);
  for (Value parameter : parameters)
    map.at(operand, axes, parameter);
}
void LayerNormOp::mapDimensions(DimensionMapping &map) {
  mapRowNorm(getOperand(), getResult(), getAxes(), {getScale(), getOffset()}, map);
}
void RmsNormOp::mapDimensions(DimensionMapping &map) {
  mapRowNorm(getOperand(), getResult(), getAxes(), {getScale()}, map);
}
void GroupNormOp::mapDimensions(DimensionMapping &map) {
  mapRowNorm(getOperand(), getResult(), axisOf(*this), {getScale(), getOffset()}, map);
}
void InstanceNormOp::mapDimensions(DimensionMapping &map) {
  mapRowNorm(getOperand(), getResult(), axisOf(*this), {getScale(), getOffset()}, map);
}
