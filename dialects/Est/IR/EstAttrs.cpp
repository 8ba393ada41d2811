//===- EstAttrs.cpp - Attributes of the est dialect ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "dialects/Est/IR/Est.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::est;

#define GET_ATTRDEF_CLASSES
#include "dialects/Est/IR/EstAttrs.cpp.inc"

#include <cmath>

void EstDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Est/IR/EstAttrs.cpp.inc"
      >();
}

using EmitError = function_ref<InFlightDiagnostic()>;

/// Fails unless `value`, the parameter `name`, is above 0.
static LogicalResult verifyAboveZero(EmitError emitError, FloatAttr value, StringRef name) {
  if (value.getValueAsDouble() > 0)
    return success();
  return emitError() << name << " must be above 0; found " << value.getValueAsDouble();
}

LogicalResult SettingAttr::verify(EmitError emitError, StringAttr path, TypedAttr value) {
  if (path.empty())
    return emitError() << "a setting needs a path";
  if (value.getType().isF64() || value.getType().isSignlessInteger(64))
    return success();
  return emitError() << "setting '" << path.getValue() << "' must be f64 or i64; found " << value.getType();
}

double SettingAttr::getDouble() const {
  if (auto number = dyn_cast<FloatAttr>(getValue()))
    return number.getValueAsDouble();
  return static_cast<double>(cast<IntegerAttr>(getValue()).getInt());
}

LogicalResult ZScoreAttr::verify(EmitError emitError, FloatAttr mean, FloatAttr stddev) {
  return verifyAboveZero(emitError, stddev, "stddev");
}

LogicalResult MinMaxAttr::verify(EmitError emitError, FloatAttr min, FloatAttr max) {
  if (min.getValueAsDouble() < max.getValueAsDouble())
    return success();
  return emitError() << "min must be below max; found " << min.getValueAsDouble() << " and " << max.getValueAsDouble();
}

LogicalResult UniformAttr::verify(EmitError emitError, FloatAttr min, FloatAttr max) {
  return MinMaxAttr::verify(emitError, min, max);
}

LogicalResult NormalAttr::verify(EmitError emitError, FloatAttr mean, FloatAttr stddev) {
  return verifyAboveZero(emitError, stddev, "stddev");
}

LogicalResult TruncatedNormalAttr::verify(EmitError emitError, FloatAttr mean, FloatAttr stddev) {
  return verifyAboveZero(emitError, stddev, "stddev");
}

LogicalResult VarianceScalingAttr::verify(EmitError emitError, FloatAttr scale, FanMode mode,
                                          FanDistribution distribution) {
  return verifyAboveZero(emitError, scale, "scale");
}

LogicalResult PiecewiseConstantAttr::verify(EmitError emitError, DenseI64ArrayAttr boundaries,
                                            DenseF64ArrayAttr values) {
  if (values.size() != boundaries.size() + 1)
    return emitError() << boundaries.size() << " boundaries need " << boundaries.size() + 1 << " values; found "
                       << values.size();
  for (double value : values.asArrayRef())
    if (!std::isfinite(value))
      return emitError() << "values must be finite; found " << value;
  ArrayRef<int64_t> steps = boundaries.asArrayRef();
  for (size_t i = 1; i < steps.size(); ++i)
    if (steps[i - 1] >= steps[i])
      return emitError() << "boundaries must grow; " << steps[i - 1] << " is followed by " << steps[i];
  return success();
}

LogicalResult CosineDecayRestartsAttr::verify(EmitError emitError, SettingAttr firstDecaySteps, FloatAttr tMul,
                                              SettingAttr mMul, SettingAttr alpha) {
  if (tMul.getValueAsDouble() >= 1 && std::isfinite(tMul.getValueAsDouble()))
    return success();
  return emitError() << "t_mul must be at least 1 and finite; found " << tMul.getValueAsDouble();
}

LogicalResult OptimizerAttr::verify(EmitError emitError, Attribute rule, Attribute decay, SettingAttr warmupSteps,
                                    SettingAttr clipByValue, SettingAttr clipByNorm, SettingAttr clipByGlobalNorm) {
  if (!isa<SgdAttr, MomentumAttr, AdagradAttr, AdadeltaAttr, AdamAttr, AdamaxAttr, NadamAttr, RmsPropAttr, FtrlAttr>(
          rule))
    return emitError() << "rule must be an update rule (#est.sgd, #est.momentum, #est.adagrad, #est.adadelta, "
                          "#est.adam, #est.adamax, #est.nadam, #est.rms_prop or #est.ftrl); found "
                       << rule;
  if (decay && !isa<ExponentialDecayAttr, PiecewiseConstantAttr, PolynomialDecayAttr, CosineDecayAttr,
                    InverseTimeDecayAttr, NaturalExpDecayAttr, CosineDecayRestartsAttr, LinearCosineDecayAttr>(decay))
    return emitError() << "decay must be a decay of the learning rate; found " << decay;
  if (!!clipByValue + !!clipByNorm + !!clipByGlobalNorm > 1)
    return emitError() << "gradients are clipped in two ways; at most one of clip_by_value, clip_by_norm and "
                          "clip_by_global_norm may stand";
  return success();
}

SettingAttr OptimizerAttr::getLearningRate() const {
  return llvm::TypeSwitch<Attribute, SettingAttr>(getRule())
      .Case<SgdAttr, MomentumAttr, AdagradAttr, AdadeltaAttr, AdamAttr, AdamaxAttr, NadamAttr, RmsPropAttr, FtrlAttr>(
          [](auto rule) { return rule.getLearningRate(); });
}
