// Type rules and verifiers of losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfLossOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult HuberLossOp::verify() {
  if (!(getDelta().convertToDouble() > 0))
    return emitOpError("(C1) 'delta' must be positive; found ") << getDelta().convertToDouble();
  return success();
}

LogicalResult PoissonLossOp::verify() {
  double epsilon = getEpsilon().convertToDouble();
  if (!(epsilon >= 0) || (getLogInput() && epsilon != 0))
    return emitOpError("(C1) 'epsilon' must not be negative, and 0 with 'log_input'; found ") << epsilon;
  return success();
}

LogicalResult SoftLabelCrossEntropyOp::verify() {
  double smoothing = getLabelSmoothing().convertToDouble();
  if (!(smoothing >= 0 && smoothing <= 1))
    return emitOpError("(C3) 'label_smoothing' must be in [0, 1]; found ") << smoothing;
  return success();
}

LogicalResult ReduceLossOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto losses = cast<RankedTensorType>(op.getLosses().getType());
  if (op.getWeights() && !infer.fits(op.getWeights(), losses))
    return infer.require(false, "(C1) weights must have the losses' type", op.getWeights().getType(), losses);
  Type each = op.getWeights() ? joinTypes(losses, op.getWeights().getType()) : Type(losses);
  return infer.result(
      op.getReduction() == LossReduction::None ? each : Type(RankedTensorType::get({}, losses.getElementType())),
      "(C2) the result must be a scalar, or for 'none' of the losses' type");
}

LogicalResult CtcLossOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type logitsType = op.getLogits().getType(), labelsType = op.getLabels().getType();
  ArrayRef<int64_t> logits = shapeOf(logitsType), labels = shapeOf(labelsType);
  if (logits.size() != 3 || labels.size() != 2 || !agree(logits[0], labels[0]))
    return infer.require(false, "(C1) logits must be [n, t, c] and labels [n, u]", logitsType, labelsType);
  int64_t n = joinSizes(logits[0], labels[0]);
  for (Value lengths : {op.getLogitLengths(), op.getLabelLengths()}) {
    ArrayRef<int64_t> shape = shapeOf(lengths.getType());
    if (shape.size() != 1 || !agree(shape[0], n))
      return infer.require(false, "(C2) lengths must be [n]", lengths.getType(), logitsType);
    n = joinSizes(n, shape[0]);
  }
  auto blank = static_cast<int64_t>(op.getBlank());
  if (blank < 0 || (!ShapedType::isDynamic(logits[2]) && blank >= logits[2]))
    return infer.error("(C4) 'blank' must be a class of ") << logitsType << "; found " << blank;
  return infer.result(RankedTensorType::get({n}, elementType(logitsType)),
                      "(C3) the result must be [n] of the logits' element type");
}

template <typename Adaptor> static LogicalResult inferSampledLoss(TypeInference &infer, Adaptor op) {
  Type inputsType = op.getInputs().getType(), labelsType = op.getLabels().getType();
  ArrayRef<int64_t> inputs = shapeOf(inputsType), labels = shapeOf(labelsType);
  ArrayRef<int64_t> sampled = shapeOf(op.getSampled().getType());
  if (inputs.size() != 2 || labels.size() != 2 || !agree(inputs[0], labels[0]) || labels[1] == 0)
    return infer.require(false, "(C1) inputs must be [n, d] and labels [n, t], t > 0", inputsType, labelsType);
  int64_t n = joinSizes(inputs[0], labels[0]), d = inputs[1], t = labels[1];
  if (ShapedType::isDynamic(d) || ShapedType::isDynamic(t) || sampled.size() != 1 || ShapedType::isDynamic(sampled[0]))
    return infer.error("(C5) d, t and the number of samples must be static; found ")
           << inputsType << ", " << labelsType << " and " << op.getSampled().getType();
  auto element = cast<FloatType>(elementType(inputsType));
  auto isOf = [&](Value x, ArrayRef<int64_t> shape, Type of) {
    return infer.fits(x, RankedTensorType::get(shape, of));
  };
  Type f32 = Float32Type::get(infer.getContext());
  if (!isOf(op.getTrueWeights(), {n, t, d}, element) || !isOf(op.getTrueBiases(), {n, t}, element) ||
      !isOf(op.getTrueExpected(), {n, t}, f32))
    return infer.error("(C2) true_weights must be [n, t, d], true_biases and true_expected [n, t]; found ")
           << op.getTrueWeights().getType() << ", " << op.getTrueBiases().getType() << " and "
           << op.getTrueExpected().getType();
  if (!isOf(op.getSampledWeights(), {sampled[0], d}, element) || !isOf(op.getSampledBiases(), sampled, element) ||
      !isOf(op.getSampledExpected(), sampled, f32))
    return infer.error("(C3) sampled_weights must be [s, d], sampled_biases and sampled_expected [s]; found ")
           << op.getSampledWeights().getType() << ", " << op.getSampledBiases().getType() << " and "
           << op.getSampledExpected().getType();
  return infer.result(RankedTensorType::get({n}, element), "(C4) the result must be [n] of the inputs' element type");
}
LogicalResult SampledSoftmaxLossOp::inferTypes(TypeInference &infer, Adaptor op) { return inferSampledLoss(infer, op); }
LogicalResult NceLossOp::inferTypes(TypeInference &infer, Adaptor op) { return inferSampledLoss(infer, op); }

//===-- dimensions ------------------------------------------------------------------------===//

/// Examples are rows of all but what was sampled.
template <typename Op> static void mapSampledLoss(Op op, DimensionMapping &map) {
  map.rows(op.getInputs(), op.getResult());
  for (Value ofExample : {op.getLabels(), op.getTrueWeights(), op.getTrueBiases(), op.getTrueExpected()})
    map.rows(op.getInputs(), ofExample);
}
void SampledSoftmaxLossOp::mapDimensions(DimensionMapping &map) { mapSampledLoss(*this, map); }
void NceLossOp::mapDimensions(DimensionMapping &map) { mapSampledLoss(*this, map); }
