// Schedules of the learning rate, in scalars of f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "lib/Conversion/EstToDf/UpdateRules.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

Value est2df::readSetting(GraphBuilder &b, est::SettingAttr setting) {
  TypedAttr value = setting.getValue();
  Type element = isa<FloatType>(value.getType()) ? Type(b.getF32Type()) : Type(b.getI64Type());
  Value read = df::SettingOp::create(b, RankedTensorType::get({}, element), setting.getPath(), value, StringAttr());
  return b.cast(read, b.getF32Type());
}

static Value floorIf(GraphBuilder &b, bool staircase, Value x) { return staircase ? b.unary<df::FloorOp>(x) : x; }

static Value exponential(GraphBuilder &b, est::ExponentialDecayAttr decay, Value rate, Value step) {
  Value exponent = floorIf(b, decay.getStaircase(), b.div(step, readSetting(b, decay.getDecaySteps())));
  return b.mul(rate, b.binary<df::PowOp>(readSetting(b, decay.getDecayRate()), exponent));
}

static Value inverseTime(GraphBuilder &b, est::InverseTimeDecayAttr decay, Value rate, Value step) {
  Value quotient = floorIf(b, decay.getStaircase(), b.div(step, readSetting(b, decay.getDecaySteps())));
  return b.div(rate, b.add(b.f32(1), b.mul(readSetting(b, decay.getDecayRate()), quotient)));
}

/// values[i] holds while step <= boundaries[i]: integers, so that a boundary is exact however far the step has come.
static Value piecewise(GraphBuilder &b, est::PiecewiseConstantAttr decay, Value step) {
  ArrayRef<int64_t> boundaries = decay.getBoundaries().asArrayRef();
  ArrayRef<double> values = decay.getValues().asArrayRef();
  Value rate = b.f32(values.back());
  for (size_t i = boundaries.size(); i-- > 0;)
    rate = b.select(b.compare(df::Comparison::LE, step, b.i64(boundaries[i])), b.f32(values[i]), rate);
  return rate;
}

static Value polynomial(GraphBuilder &b, est::PolynomialDecayAttr decay, Value rate, Value step) {
  Value steps = readSetting(b, decay.getDecaySteps());
  Value end = readSetting(b, decay.getEndLearningRate());
  Value one = b.f32(1);
  if (decay.getCycle()) {
    // ceil(x) = -floor(-x)
    Value ceil = b.unary<df::NegOp>(b.unary<df::FloorOp>(b.unary<df::NegOp>(b.div(step, steps))));
    steps = b.mul(steps, b.binary<df::MaximumOp>(ceil, one));
  } else {
    step = b.binary<df::MinimumOp>(step, steps);
  }
  Value left = b.sub(one, b.div(step, steps));
  double power = decay.getPower().getValueAsDouble();
  if (power != 1)
    left = b.binary<df::PowOp>(left, b.f32(power));
  return b.add(b.mul(b.sub(rate, end), left), end);
}

static Value cosine(GraphBuilder &b, est::CosineDecayAttr decay, Value rate, Value step) {
  constexpr double kPi = 3.14159265358979323846;
  Value steps = readSetting(b, decay.getDecaySteps());
  Value alpha = readSetting(b, decay.getAlpha());
  Value one = b.f32(1);
  Value done = b.div(b.binary<df::MinimumOp>(step, steps), steps);
  Value wave = b.mul(b.f32(0.5), b.add(one, b.unary<df::CosOp>(b.mul(b.f32(kPi), done))));
  return b.mul(rate, b.add(b.mul(b.sub(one, alpha), wave), alpha));
}

Value est2df::buildLearningRate(GraphBuilder &b, est::OptimizerAttr optimizer, Value step) {
  Attribute decay = optimizer.getDecay();
  Value stepNumber = b.cast(step, b.getF32Type());
  Value rate;
  if (auto constants = dyn_cast_or_null<est::PiecewiseConstantAttr>(decay)) {
    rate = piecewise(b, constants, step);
  } else {
    rate = readSetting(b, optimizer.getLearningRate());
    if (decay)
      rate = llvm::TypeSwitch<Attribute, Value>(decay)
                 .Case([&](est::ExponentialDecayAttr a) { return exponential(b, a, rate, stepNumber); })
                 .Case([&](est::InverseTimeDecayAttr a) { return inverseTime(b, a, rate, stepNumber); })
                 .Case([&](est::PolynomialDecayAttr a) { return polynomial(b, a, rate, stepNumber); })
                 .Case([&](est::CosineDecayAttr a) { return cosine(b, a, rate, stepNumber); });
  }
  if (est::SettingAttr warmup = optimizer.getWarmupSteps()) {
    // 0 steps mean no warm-up: then the quotient is infinite and the minimum is 1.
    Value done = b.div(b.add(stepNumber, b.f32(1)), readSetting(b, warmup));
    rate = b.mul(rate, b.binary<df::MinimumOp>(done, b.f32(1)));
  }
  return rate;
}
