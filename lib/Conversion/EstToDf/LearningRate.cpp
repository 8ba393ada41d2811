// Schedules of the learning rate, in scalars of f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "lib/Conversion/EstToDf/UpdateRules.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

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

/// The base is rounded before it is raised, as in tf.
static Value naturalExp(GraphBuilder &b, est::NaturalExpDecayAttr decay, Value rate, Value step) {
  Value base = b.unary<df::ExpOp>(b.unary<df::NegOp>(readSetting(b, decay.getDecayRate())));
  Value exponent = floorIf(b, decay.getStaircase(), b.div(step, readSetting(b, decay.getDecaySteps())));
  return b.mul(rate, b.binary<df::PowOp>(base, exponent));
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

/// From 1 to 0 while `done` goes from 0 to 1, times `height`.
static Value halfCosine(GraphBuilder &b, Value done, Value height) {
  return b.mul(height, b.add(b.f32(1), b.unary<df::CosOp>(b.mul(b.f32(llvm::numbers::pi), done))));
}

static Value cosine(GraphBuilder &b, est::CosineDecayAttr decay, Value rate, Value step) {
  Value steps = readSetting(b, decay.getDecaySteps());
  Value alpha = readSetting(b, decay.getAlpha());
  Value done = b.div(b.binary<df::MinimumOp>(step, steps), steps);
  Value wave = halfCosine(b, done, b.f32(0.5));
  return b.mul(rate, b.add(b.mul(b.sub(b.f32(1), alpha), wave), alpha));
}

static Value cosineRestarts(GraphBuilder &b, est::CosineDecayRestartsAttr decay, Value rate, Value step) {
  Value done = b.div(step, readSetting(b, decay.getFirstDecaySteps()));
  Value mMul = readSetting(b, decay.getMMul()), alpha = readSetting(b, decay.getAlpha());
  double tMul = decay.getTMul().getValueAsDouble();
  Value one = b.f32(1), period;
  if (static_cast<float>(tMul) == 1) {
    period = b.unary<df::FloorOp>(done);
    done = b.sub(done, period);
  } else {
    // i periods have (1 - t^i) / (1 - t) times the steps of the first.
    Value t = b.f32(tMul), rest = b.sub(one, t);
    Value logs = b.div(b.unary<df::LogOp>(b.sub(one, b.mul(done, rest))), b.unary<df::LogOp>(t));
    period = b.unary<df::FloorOp>(logs);
    Value length = b.binary<df::PowOp>(t, period);
    done = b.div(b.sub(done, b.div(b.sub(one, length), rest)), length);
  }
  Value wave = halfCosine(b, done, b.mul(b.f32(0.5), b.binary<df::PowOp>(mMul, period)));
  return b.mul(rate, b.add(b.mul(b.sub(one, alpha), wave), alpha));
}

static Value linearCosine(GraphBuilder &b, est::LinearCosineDecayAttr decay, Value rate, Value step) {
  Value steps = readSetting(b, decay.getDecaySteps());
  step = b.binary<df::MinimumOp>(step, steps);
  Value left = b.div(b.sub(steps, step), steps), done = b.div(step, steps);
  Value halves = b.mul(b.f32(2 * decay.getNumPeriods().getValueAsDouble()), done);
  Value wave = halfCosine(b, halves, b.f32(0.5));
  Value line = b.add(readSetting(b, decay.getAlpha()), left);
  return b.mul(rate, b.add(b.mul(line, wave), readSetting(b, decay.getBeta())));
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
                 .Case([&](est::CosineDecayAttr a) { return cosine(b, a, rate, stepNumber); })
                 .Case([&](est::NaturalExpDecayAttr a) { return naturalExp(b, a, rate, stepNumber); })
                 .Case([&](est::CosineDecayRestartsAttr a) { return cosineRestarts(b, a, rate, stepNumber); })
                 .Case([&](est::LinearCosineDecayAttr a) { return linearCosine(b, a, rate, stepNumber); });
  }
  if (est::SettingAttr warmup = optimizer.getWarmupSteps()) {
    // 0 steps mean no warm-up: then the quotient is infinite and the minimum is 1.
    Value done = b.div(b.add(stepNumber, b.f32(1)), readSetting(b, warmup));
    rate = b.mul(rate, b.binary<df::MinimumOp>(done, b.f32(1)));
  }
  return rate;
}
