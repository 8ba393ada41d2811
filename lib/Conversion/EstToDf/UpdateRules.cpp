// Optimizers as df ops. Formulas: tf.estimator's defaults, which are those of the 1.x optimizers (tf1) and of the Keras
// optimizers of 2.15 (tf2); where the two differ, a number of the spec's profile tells.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/UpdateRules.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "lib/Conversion/EstToDf/Gradients.h"
#include "llvm/ADT/TypeSwitch.h"

#include <functional>

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

namespace {
/// A rule whose scalars of this step stand before the updates.
struct UpdateRule {
  SmallVector<Slot> slots;
  /// Whether a gradient of zeros leaves everything as it is; tf's FTRL, too, touches only the rows it has gradients of.
  bool rowsSuffice = true;
  /// New values from old ones and the gradient, all of one shape.
  using Update = std::function<SmallVector<Value>(GraphBuilder &, ArrayRef<Value>, Value)>;
  /// Of the slots, where rows without a gradient keep their variable while their slots change as by a gradient of
  /// zeros. Null where rows change as a whole or not at all.
  Update updateSlots;
  /// Of (variable, slots...); slots that `updateSlots` gives are new ones, which stay.
  Update update;

  /// Those of (variable, slots...) by both.
  SmallVector<Value> updateAll(GraphBuilder &b, ArrayRef<Value> old, Value g) const {
    if (!updateSlots)
      return update(b, old, g);
    SmallVector<Value> now{old.front()};
    llvm::append_range(now, updateSlots(b, old.drop_front(), g));
    return update(b, now, g);
  }
};
} // namespace

/// decay before + rest now, `rest` being 1 - decay.
static Value average(GraphBuilder &b, Value decay, Value rest, Value before, Value now) {
  return b.add(b.mul(decay, before), b.mul(rest, now));
}

/// The number of this step, from 1.
static Value countFromOne(GraphBuilder &b, Value step) { return b.add(b.cast(step, b.getF32Type()), b.f32(1)); }

static UpdateRule makeSgd(Value rate) {
  UpdateRule rule;
  rule.update = [=](GraphBuilder &b, ArrayRef<Value> old, Value g) {
    return SmallVector<Value>{b.sub(old[0], b.mul(rate, g))};
  };
  return rule;
}

static UpdateRule makeMomentum(GraphBuilder &b, est::MomentumAttr attr, Value rate) {
  UpdateRule rule;
  rule.slots = {{"Momentum", "momentum", 0}};
  Value momentum = readSetting(b, attr.getMomentum());
  bool nesterov = attr.getNesterov(), rateInSlot = attr.getRateInSlot();
  rule.update = [=](GraphBuilder &b, ArrayRef<Value> old, Value g) {
    Value decayed = b.mul(momentum, old[1]);
    if (rateInSlot) {
      Value step = b.mul(rate, g);
      Value v = b.sub(decayed, step);
      return SmallVector<Value>{b.add(old[0], nesterov ? b.sub(b.mul(momentum, v), step) : v), v};
    }
    Value a = b.add(decayed, g);
    return SmallVector<Value>{b.sub(old[0], b.mul(rate, nesterov ? b.add(g, b.mul(momentum, a)) : a)), a};
  };
  return rule;
}

static UpdateRule makeAdagrad(GraphBuilder &b, est::AdagradAttr attr, Value rate) {
  UpdateRule rule;
  rule.slots = {{"Adagrad", "accumulator", attr.getInitialAccumulatorValue().getValueAsDouble()}};
  Value epsilon = readSetting(b, attr.getEpsilon());
  rule.update = [=](GraphBuilder &b, ArrayRef<Value> old, Value g) {
    Value a = b.add(old[1], b.unary<df::SquareOp>(g));
    Value w = b.sub(old[0], b.div(b.mul(rate, g), b.add(b.unary<df::SqrtOp>(a), epsilon)));
    return SmallVector<Value>{w, a};
  };
  return rule;
}

static UpdateRule makeAdam(GraphBuilder &b, est::AdamAttr attr, Value rate, Value step) {
  UpdateRule rule;
  rule.slots = {{"Adam", "m", 0}, {"Adam_1", "v", 0}};
  bool amsgrad = attr.getAmsgrad();
  if (amsgrad)
    rule.slots.push_back({"Adam_2", "vhat", 0});
  rule.rowsSuffice = false;
  Value one = b.f32(1);
  Value beta1 = readSetting(b, attr.getBeta1()), beta2 = readSetting(b, attr.getBeta2());
  Value epsilon = readSetting(b, attr.getEpsilon());
  Value t = countFromOne(b, step);
  Value rest1 = b.sub(one, beta1), rest2 = b.sub(one, beta2);
  Value correction1 = b.sub(one, b.binary<df::PowOp>(beta1, t));
  Value correction2 = b.sub(one, b.binary<df::PowOp>(beta2, t));
  Value corrected = b.div(b.mul(rate, b.unary<df::SqrtOp>(correction2)), correction1);
  rule.update = [=](GraphBuilder &b, ArrayRef<Value> old, Value g) {
    SmallVector<Value> updated{nullptr, average(b, beta1, rest1, old[1], g),
                               average(b, beta2, rest2, old[2], b.unary<df::SquareOp>(g))};
    if (amsgrad)
      updated.push_back(b.binary<df::MaximumOp>(old[3], updated[2]));
    Value divisor = b.add(b.unary<df::SqrtOp>(updated.back()), epsilon);
    updated[0] = b.sub(old[0], b.div(b.mul(corrected, updated[1]), divisor));
    return updated;
  };
  return rule;
}

static UpdateRule makeAdamax(GraphBuilder &b, est::AdamaxAttr attr, Value rate, Value step) {
  UpdateRule rule;
  rule.slots = {{"Adamax", "m", 0}, {"Adamax_1", "v", 0}};
  Value one = b.f32(1);
  Value beta1 = readSetting(b, attr.getBeta1()), beta2 = readSetting(b, attr.getBeta2());
  Value epsilon = readSetting(b, attr.getEpsilon());
  Value rest1 = b.sub(one, beta1);
  Value corrected = b.div(rate, b.sub(one, b.binary<df::PowOp>(beta1, countFromOne(b, step))));
  rule.update = [=](GraphBuilder &b, ArrayRef<Value> old, Value g) {
    Value m = average(b, beta1, rest1, old[1], g);
    Value u = b.binary<df::MaximumOp>(b.mul(beta2, old[2]), b.unary<df::AbsOp>(g));
    Value w = b.sub(old[0], b.mul(corrected, b.div(m, b.add(u, epsilon))));
    return SmallVector<Value>{w, m, u};
  };
  return rule;
}

static UpdateRule makeNadam(GraphBuilder &b, est::NadamAttr attr, Value rate, Value step,
                            function_ref<df::VariableOp(StringRef, double)> declareScalar) {
  UpdateRule rule;
  rule.slots = {{"Nadam", "m", 0}, {"Nadam_1", "v", 0}};
  rule.rowsSuffice = false;
  Value one = b.f32(1);
  Value beta1 = readSetting(b, attr.getBeta1()), beta2 = readSetting(b, attr.getBeta2());
  Value epsilon = readSetting(b, attr.getEpsilon()), growth = readSetting(b, attr.getScheduleDecay());
  auto momentumAt = [&](Value t) {
    Value power = b.binary<df::PowOp>(b.f32(0.96), b.mul(growth, t));
    return b.mul(beta1, b.sub(one, b.mul(b.f32(0.5), power)));
  };
  Value t = countFromOne(b, step);
  Value now = momentumAt(t), next = momentumAt(b.add(t, one));
  df::VariableOp product = declareScalar("Nadam/momentum_cache", 1);
  Value soFar = b.mul(b.read(product), now);
  df::AssignOp::create(b, product.getSymName(), soFar);
  Value rest1 = b.sub(one, beta1), rest2 = b.sub(one, beta2), restNow = b.sub(one, now);
  Value correctionOfG = b.sub(one, soFar), correctionOfM = b.sub(one, b.mul(soFar, next));
  Value correctionOfV = b.sub(one, b.binary<df::PowOp>(beta2, t));
  rule.updateSlots = [=](GraphBuilder &b, ArrayRef<Value> old, Value g) {
    return SmallVector<Value>{average(b, beta1, rest1, old[0], g),
                              average(b, beta2, rest2, old[1], b.unary<df::SquareOp>(g))};
  };
  rule.update = [=](GraphBuilder &b, ArrayRef<Value> old, Value g) {
    Value ahead = b.add(b.mul(restNow, b.div(g, correctionOfG)), b.mul(next, b.div(old[1], correctionOfM)));
    Value divisor = b.add(b.unary<df::SqrtOp>(b.div(old[2], correctionOfV)), epsilon);
    return SmallVector<Value>{b.sub(old[0], b.div(b.mul(rate, ahead), divisor)), old[1], old[2]};
  };
  return rule;
}

static UpdateRule makeAdadelta(GraphBuilder &b, est::AdadeltaAttr attr, Value rate) {
  UpdateRule rule;
  rule.slots = {{"Adadelta", "accum_grad", 0}, {"Adadelta_1", "accum_var", 0}};
  Value rho = readSetting(b, attr.getRho()), epsilon = readSetting(b, attr.getEpsilon());
  Value rest = b.sub(b.f32(1), rho);
  rule.update = [=](GraphBuilder &b, ArrayRef<Value> old, Value g) {
    auto root = [&](Value x) { return b.unary<df::SqrtOp>(b.add(x, epsilon)); };
    Value a = average(b, rho, rest, old[1], b.unary<df::SquareOp>(g));
    Value step = b.mul(b.div(root(old[2]), root(a)), g);
    Value d = average(b, rho, rest, old[2], b.unary<df::SquareOp>(step));
    return SmallVector<Value>{b.sub(old[0], b.mul(rate, step)), a, d};
  };
  return rule;
}

/// The slots lie in the order (variable,) mean square[, mean][, momentum].
static UpdateRule makeRmsProp(GraphBuilder &b, est::RmsPropAttr attr, Value rate) {
  UpdateRule rule;
  rule.slots = {{"RMSProp", "rms", attr.getInitialMeanSquare().getValueAsDouble()}};
  bool centered = attr.getCentered();
  if (centered)
    rule.slots.push_back({"RMSProp_1", "mg", 0});
  FloatAttr momentum = attr.getMomentum();
  if (momentum)
    rule.slots.push_back({centered ? "RMSProp_2" : "RMSProp_1", "momentum", 0});
  // The kernel of tf that Keras, too, calls with a momentum leaves rows without a gradient alone.
  rule.rowsSuffice = static_cast<bool>(momentum);
  Value decay = readSetting(b, attr.getDecay()), epsilon = readSetting(b, attr.getEpsilon());
  Value rest = b.sub(b.f32(1), decay);
  rule.update = [=](GraphBuilder &b, ArrayRef<Value> old, Value g) {
    SmallVector<Value> updated{nullptr, average(b, decay, rest, old[1], b.unary<df::SquareOp>(g))};
    Value square = updated[1];
    if (centered) {
      updated.push_back(average(b, decay, rest, old[2], g));
      square = b.sub(square, b.unary<df::SquareOp>(updated[2]));
    }
    Value step = b.mul(rate, g);
    if (momentum) {
      Value scaled = b.div(step, b.unary<df::SqrtOp>(b.add(square, epsilon)));
      step = b.add(b.mul(b.f32(momentum.getValueAsDouble()), old.back()), scaled);
      updated.push_back(step);
    } else {
      step = b.div(step, b.add(b.unary<df::SqrtOp>(square), epsilon));
    }
    updated[0] = b.sub(old[0], step);
    return updated;
  };
  return rule;
}

static UpdateRule makeFtrl(GraphBuilder &b, est::FtrlAttr attr, Value rate) {
  UpdateRule rule;
  rule.slots = {{"Ftrl", "accumulator", attr.getInitialAccumulatorValue().getValueAsDouble()}, {"Ftrl_1", "linear", 0}};
  Value l1 = readSetting(b, attr.getL1());
  Value l2 = readSetting(b, attr.getL2());
  if (est::SettingAttr beta = attr.getBeta())
    l2 = b.add(l2, b.div(readSetting(b, beta), b.mul(b.f32(2), rate)));
  Value twiceL2 = b.mul(b.f32(2), l2);
  Value twiceShrinkage = b.mul(b.f32(2), readSetting(b, attr.getL2Shrinkage()));
  Value inverseRate = b.div(b.f32(1), rate); // one division for all elements
  double exponent = -attr.getLearningRatePower().getValueAsDouble();
  rule.update = [=](GraphBuilder &b, ArrayRef<Value> old, Value g) {
    auto power = [&](Value n) {
      return exponent == 0.5 ? b.unary<df::SqrtOp>(n) : b.binary<df::PowOp>(n, b.f32(exponent));
    };
    Value n = b.add(old[1], b.unary<df::SquareOp>(g));
    Value powerNew = power(n);
    Value sigma = b.mul(b.sub(powerNew, power(old[1])), inverseRate);
    Value z = b.add(old[2], b.sub(b.add(g, b.mul(twiceShrinkage, old[0])), b.mul(sigma, old[0])));
    Value shrunk = b.sub(b.mul(b.unary<df::SignOp>(z), l1), z);
    Value moved = b.div(shrunk, b.add(b.mul(powerNew, inverseRate), twiceL2));
    Value w = b.select(b.compare(df::Comparison::LE, b.unary<df::AbsOp>(z), l1), b.f32(0), moved);
    return SmallVector<Value>{w, n, z};
  };
  return rule;
}

static UpdateRule makeRule(GraphBuilder &b, est::OptimizerAttr optimizer, Value step, Value rate,
                           function_ref<df::VariableOp(StringRef, double)> declareScalar) {
  if (!rate)
    rate = buildLearningRate(b, optimizer, step);
  return llvm::TypeSwitch<Attribute, UpdateRule>(optimizer.getRule())
      .Case([&](est::SgdAttr) { return makeSgd(rate); })
      .Case([&](est::MomentumAttr a) { return makeMomentum(b, a, rate); })
      .Case([&](est::AdagradAttr a) { return makeAdagrad(b, a, rate); })
      .Case([&](est::AdadeltaAttr a) { return makeAdadelta(b, a, rate); })
      .Case([&](est::AdamAttr a) { return makeAdam(b, a, rate, step); })
      .Case([&](est::AdamaxAttr a) { return makeAdamax(b, a, rate, step); })
      .Case([&](est::NadamAttr a) { return makeNadam(b, a, rate, step, declareScalar); })
      .Case([&](est::RmsPropAttr a) { return makeRmsProp(b, a, rate); })
      .Case([&](est::FtrlAttr a) { return makeFtrl(b, a, rate); });
}

/// Updates all of a variable and its slots.
static void updateWhole(GraphBuilder &b, const UpdateRule &rule, ArrayRef<df::VariableOp> variables, Value gradient) {
  SmallVector<Value> old;
  for (df::VariableOp variable : variables)
    old.push_back(b.read(variable));
  SmallVector<Value> updated = rule.updateAll(b, old, gradient);
  for (size_t i = 0; i < variables.size(); ++i) {
    df::VariableOp variable = variables[i];
    df::AssignOp::create(b, variable.getSymName(), updated[i]);
  }
}

/// Updates the rows of `variables` that have a gradient, with `everyRow` the others, too, as if it were 0.
static void updateRows(GraphBuilder &b, function_ref<SmallVector<Value>(ArrayRef<Value>, Value)> update,
                       ArrayRef<df::VariableOp> variables, Value rows, bool everyRow) {
  SmallVector<Attribute> symbols;
  df::VariableOp first = variables.front();
  RankedTensorType table = first.getTensorType();
  auto rowType = RankedTensorType::get(table.getShape().drop_front(), table.getElementType());
  for (df::VariableOp variable : variables)
    symbols.push_back(FlatSymbolRefAttr::get(variable.getSymNameAttr()));
  auto apply = df::ApplyRowsOp::create(b, b.getArrayAttr(symbols), rows, everyRow);

  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&apply.getBody(), {}, SmallVector<Type>(variables.size() + 1, rowType),
                              SmallVector<Location>(variables.size() + 1, b.getLoc()));
  SmallVector<Value> old(body->getArguments().drop_back());
  df::YieldOp::create(b, update(old, body->getArguments().back()));
}

/// The same of a variable and its slots by a rule.
static void updateRows(GraphBuilder &b, const UpdateRule &rule, ArrayRef<df::VariableOp> state, Value rows,
                       bool everyRow) {
  if (!everyRow || !rule.updateSlots)
    return updateRows(
        b, [&](ArrayRef<Value> old, Value g) { return rule.updateAll(b, old, g); }, state, rows, everyRow);
  updateRows(
      b, [&](ArrayRef<Value> old, Value g) { return rule.updateSlots(b, old, g); }, state.drop_front(), rows,
      /*everyRow=*/true);
  updateRows(b, [&](ArrayRef<Value> old, Value g) { return rule.update(b, old, g); }, state, rows, /*everyRow=*/false);
}

void est2df::buildUpdates(GraphBuilder &b, est::OptimizerAttr optimizer, ArrayRef<TrainedVariable> variables,
                          ValueRange gradients, Value step, Value rate,
                          function_ref<df::VariableOp(df::VariableOp, const Slot &)> declareSlot,
                          function_ref<df::VariableOp(StringRef, double)> declareScalar) {
  UpdateRule rule = makeRule(b, optimizer, step, rate, declareScalar);
  SmallVector<Value> clipped(gradients);
  clipGradients(b, optimizer, clipped);
  for (auto [trained, gradient] : llvm::zip_equal(variables, clipped)) {
    SmallVector<df::VariableOp> state{trained.variable};
    for (const Slot &slot : rule.slots)
      state.push_back(declareSlot(trained.variable, slot));
    if (!isa<df::RowsType>(gradient.getType())) {
      updateWhole(b, rule, state, gradient);
      continue;
    }
    bool everyRow = !rule.rowsSuffice && trained.exact;
    if (everyRow)
      warnOfDensePass(trained.variable,
                      rule.slots.front().suffix + Twine(" decays its slots in rows without a gradient, too"));
    updateRows(b, rule, state, gradient, everyRow);
  }
}
