//===- Attributes of the est dialect: settings, normalizers, initializers, optimizers. -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_EST_ATTRS
#define MLC_EST_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "dialects/Est/IR/EstEnums.td"

class Est_Attr<string name, string attrMnemonic, string attrSummary> : AttrDef<Est_Dialect, name> {
  let mnemonic = attrMnemonic;
  let summary = attrSummary;
}

/// A number that is compiled in.
class Est_Number<string desc> : AttrParameter<"::mlir::FloatAttr", desc>;
/// A number that may change at start: path and value.
class Est_SettingParam<string desc> : AttrParameter<"::mlc::est::SettingAttr", desc>;
/// The same where absence means that the thing is off.
class Est_OptionalSettingParam<string desc> : OptionalParameter<"::mlc::est::SettingAttr", desc>;

def Est_SettingAttr : Est_Attr<"Setting", "setting", "a number that may change when a trainer starts"> {
  let description = [{
    `path` is the full path of the field in the spec and the name of the setting in the artifact; `value` (f64 or i64)
    is what the spec says. The step takes it as an argument.

    Example: `#est.setting<"model.dnn.optimizer.adagrad.learning_rate" = 0.05 : f64>`.
  }];
  let parameters = (ins "::mlir::StringAttr":$path, "::mlir::TypedAttr":$value);
  let assemblyFormat = "`<` $path `=` $value `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The value as a double, whatever its type.
    double getDouble() const;
  }];
}

//===----------------------------------------------------------------------===//
// Normalizers and label transforms
//===----------------------------------------------------------------------===//

def Est_ZScoreAttr : Est_Attr<"ZScore", "z_score", "(x - mean) / stddev"> {
  let description = "Example: `#est.z_score<mean = 38.58, stddev = 13.64>`. `stddev` is above 0.";
  let parameters = (ins Est_Number<"mean">:$mean, Est_Number<"standard deviation">:$stddev);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Est_MinMaxAttr : Est_Attr<"MinMax", "min_max", "(x - min) / (max - min)"> {
  let description = "Example: `#est.min_max<min = 0.0, max = 255.0>`. `min` is below `max`; nothing is clipped.";
  let parameters = (ins Est_Number<"maps to 0">:$min, Est_Number<"maps to 1">:$max);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Est_Log1pAttr : Est_Attr<"Log1p", "log1p", "log(1 + x)"> {
  let description = "Example: `#est.log1p`. Values are above -1.";
}

//===----------------------------------------------------------------------===//
// Initializers
//===----------------------------------------------------------------------===//

def Est_ConstantAttr : Est_Attr<"Constant", "constant", "every element has one value"> {
  let description = "Example: `#est.constant<value = 0.0>`.";
  let parameters = (ins Est_Number<"value of every element">:$value);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_UniformAttr : Est_Attr<"Uniform", "uniform", "uniform over [min, max)"> {
  let description = "Example: `#est.uniform<min = -0.05, max = 0.05>`.";
  let parameters = (ins Est_Number<"lower end">:$min, Est_Number<"upper end">:$max);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Est_NormalAttr : Est_Attr<"Normal", "normal", "normal distribution"> {
  let description = "Example: `#est.normal<mean = 0.0, stddev = 0.1>`.";
  let parameters = (ins Est_Number<"mean">:$mean, Est_Number<"standard deviation, above 0">:$stddev);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Est_TruncatedNormalAttr
    : Est_Attr<"TruncatedNormal", "truncated_normal", "normal distribution, redrawn beyond two standard deviations"> {
  let description = "Example: `#est.truncated_normal<mean = 0.0, stddev = 0.25>`.";
  let parameters = (ins Est_Number<"mean">:$mean, Est_Number<"standard deviation before the cut, above 0">:$stddev);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Est_GlorotUniformAttr
    : Est_Attr<"GlorotUniform", "glorot_uniform", "uniform within sqrt(6 / (fan_in + fan_out)) of 0"> {
  let description = "Example: `#est.glorot_uniform`.";
}

def Est_GlorotNormalAttr : Est_Attr<"GlorotNormal", "glorot_normal",
    "truncated normal around 0 with the variance 2 / (fan_in + fan_out) after the cut"> {
  let description = "Example: `#est.glorot_normal`.";
}

def Est_VarianceScalingAttr : Est_Attr<"VarianceScaling", "variance_scaling", "around 0 with the variance scale / fans"> {
  let description = [{
    Keras' VarianceScaling: fans are those into the layer, out of it, or the mean of both; a truncated normal has the
    variance after the cut.

    Example: `#est.variance_scaling<scale = 2.0, mode = fan_in, distribution = truncated_normal>`.
  }];
  let parameters = (ins Est_Number<"above 0">:$scale, EnumParameter<Est_FanModeAttr>:$mode,
    EnumParameter<Est_FanDistributionAttr>:$distribution);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Est_IdentityAttr : Est_Attr<"Identity", "identity", "`gain` where the row is the column, else 0"> {
  let description = "Keras' Identity. Example: `#est.identity<gain = 1.0>`.";
  let parameters = (ins Est_Number<"value of the diagonal">:$gain);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_OrthogonalAttr : Est_Attr<"Orthogonal", "orthogonal", "orthogonal columns or rows of the length `gain`"> {
  let description = [{
    Keras' Orthogonal: of the columns or rows, whichever are fewer, each has the length `gain` and is orthogonal to the
    others; of normal random numbers made so.

    Example: `#est.orthogonal<gain = 1.0>`.
  }];
  let parameters = (ins Est_Number<"length of the columns or rows">:$gain);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_RegularizerAttr : Est_Attr<"Regularizer", "regularizer", "the sum over weights of l1 |w| + l2 w^2"> {
  let description = [{
    Added to the loss of a step, once whatever the number of virtual shards.

    Example: `#est.regularizer<l1 = <"model.dnn.regularizer.l1" = 0.0 : f64>, l2 = <"model.dnn.regularizer.l2" = 0.001 : f64>>`.
  }];
  let parameters = (ins Est_SettingParam<"strength of |w|">:$l1, Est_SettingParam<"strength of w^2">:$l2);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===----------------------------------------------------------------------===//
// Optimizers and schedules
//===----------------------------------------------------------------------===//

def Est_SgdAttr : Est_Attr<"Sgd", "sgd", "w -= lr * g"> {
  let description = [{Example: `#est.sgd<learning_rate = <"model.dnn.optimizer.sgd.learning_rate" = 0.01 : f64>>`.}];
  let parameters = (ins Est_SettingParam<"learning rate">:$learning_rate);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_MomentumAttr : Est_Attr<"Momentum", "momentum", "gradient descent with momentum"> {
  let description = [{
    With `rate_in_slot` (profile tf2): v = momentum v - lr g; w += v, or with `nesterov` w += momentum v - lr g. Without
    (tf1): a = momentum a + g; w -= lr a, or with `nesterov` w -= lr g + lr momentum a. They differ where the rate
    changes over the steps. The slot starts at 0.

    Example: `#est.momentum<learning_rate = <"lr" = 0.01 : f64>, momentum = <"m" = 0.9 : f64>, nesterov = false,
    rate_in_slot = true>`.
  }];
  let parameters = (ins Est_SettingParam<"learning rate">:$learning_rate, Est_SettingParam<"decay of the slot">:$momentum,
                        "bool":$nesterov, "bool":$rate_in_slot);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_AdagradAttr : Est_Attr<"Adagrad", "adagrad", "a += g^2; w -= lr * g / (sqrt(a) + epsilon)"> {
  let description = [{
    The slot `a` starts at `initial_accumulator_value`. Profile tf1 has epsilon 0, tf2 1e-7.

    Example: `#est.adagrad<learning_rate = <"lr" = 0.05 : f64>, epsilon = <"eps" = 1.0e-7 : f64>,
    initial_accumulator_value = 0.1>`.
  }];
  let parameters = (ins Est_SettingParam<"learning rate">:$learning_rate,
                        Est_SettingParam<"added to the root">:$epsilon,
                        Est_Number<"start of the slot">:$initial_accumulator_value);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_AdamAttr : Est_Attr<"Adam", "adam",
    "lr_t = lr sqrt(1 - beta2^t) / (1 - beta1^t); w -= lr_t m / (sqrt(v) + epsilon)"> {
  let description = [{
    m and v are the moving averages of g and g^2, start at 0; t is the step counted from 1. With `amsgrad` the largest v
    so far, which starts at 0, stands in the divisor. Profile tf1 has epsilon 1e-8, tf2 1e-7.

    Example: `#est.adam<learning_rate = <"lr" = 0.001 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.999 : f64>,
    epsilon = <"eps" = 1.0e-7 : f64>>`.
  }];
  let parameters = (ins Est_SettingParam<"learning rate">:$learning_rate, Est_SettingParam<"decay of m">:$beta1,
                        Est_SettingParam<"decay of v">:$beta2, Est_SettingParam<"added to the root">:$epsilon,
                        DefaultValuedParameter<"bool", "false">:$amsgrad);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_AdadeltaAttr : Est_Attr<"Adadelta", "adadelta", "steps of the size that steps have had, per size of gradients"> {
  let description = [{
    a = rho a + (1 - rho) g^2; u = g sqrt(d + epsilon) / sqrt(a + epsilon); d = rho d + (1 - rho) u^2; w -= lr u. a and d
    start at 0. A table's rows without a gradient keep their slots. Profile tf1 has epsilon 1e-8, tf2 1e-7.

    Example: `#est.adadelta<learning_rate = <"lr" = 1.0 : f64>, rho = <"rho" = 0.95 : f64>, epsilon = <"eps" = 1.0e-7 : f64>>`.
  }];
  let parameters = (ins Est_SettingParam<"learning rate">:$learning_rate, Est_SettingParam<"decay of a and d">:$rho,
                        Est_SettingParam<"added below the roots">:$epsilon);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_AdamaxAttr : Est_Attr<"Adamax", "adamax", "w -= lr / (1 - beta1^t) m / (u + epsilon); u = max(beta2 u, |g|)"> {
  let description = [{
    m is the moving average of g; m and u start at 0; t is the step counted from 1. A table's rows without a gradient keep
    their slots.

    Example: `#est.adamax<learning_rate = <"lr" = 0.001 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.999 : f64>,
    epsilon = <"eps" = 1.0e-7 : f64>>`.
  }];
  let parameters = (ins Est_SettingParam<"learning rate">:$learning_rate, Est_SettingParam<"decay of m">:$beta1,
                        Est_SettingParam<"decay of u">:$beta2, Est_SettingParam<"added to u">:$epsilon);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_NadamAttr : Est_Attr<"Nadam", "nadam", "Adam with the momentum of Nesterov"> {
  let description = [{
    m and v are the moving averages of g and g^2, start at 0; t is the step counted from 1. With
    mu(t) = beta1 (1 - 0.96^(schedule_decay t) / 2) and P(t) = mu(1) .. mu(t), a variable of the optimizer:
    w -= lr ((1 - mu(t)) g / (1 - P(t)) + mu(t+1) m / (1 - P(t+1))) / (sqrt(v / (1 - beta2^t)) + epsilon). A table's rows
    without a gradient stay as they are while their slots decay.

    Example: `#est.nadam<learning_rate = <"lr" = 0.001 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.999 : f64>,
    epsilon = <"eps" = 1.0e-7 : f64>, schedule_decay = <"d" = 0.004 : f64>>`.
  }];
  let parameters = (ins Est_SettingParam<"learning rate">:$learning_rate,
                        Est_SettingParam<"decay of m, and the limit of mu">:$beta1,
                        Est_SettingParam<"decay of v">:$beta2, Est_SettingParam<"added to the root">:$epsilon,
                        Est_SettingParam<"how fast mu grows">:$schedule_decay);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_RmsPropAttr : Est_Attr<"RmsProp", "rms_prop", "divides by the root of the moving average of g^2"> {
  let description = [{
    s = decay s + (1 - decay) g^2, and if `centered` c = decay c + (1 - decay) g and d = s - c^2, else d = s. Without
    `momentum`: w -= lr g / (sqrt(d) + epsilon). With it: m = momentum m + lr g / sqrt(d + epsilon); w -= m. s starts at
    `initial_mean_square`, c and m at 0. Profile tf1 always has a momentum, starts s at 1 and has epsilon 1e-10; tf2 has
    one if it is above 0, starts at 0 and has epsilon 1e-7. A table's rows without a gradient keep their slots if there
    is a momentum; without it they decay.

    Example: `#est.rms_prop<learning_rate = <"lr" = 0.001 : f64>, decay = <"d" = 0.9 : f64>, epsilon = <"eps" = 1.0e-7 : f64>,
    centered = false, initial_mean_square = 0.0>`.
  }];
  let parameters = (ins Est_SettingParam<"learning rate">:$learning_rate, Est_SettingParam<"decay of s and c">:$decay,
                        Est_SettingParam<"added to the root or below it">:$epsilon,
                        OptionalParameter<"::mlir::FloatAttr", "decay of m">:$momentum, "bool":$centered,
                        Est_Number<"start of s">:$initial_mean_square);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_FtrlAttr : Est_Attr<"Ftrl", "ftrl", "follow the regularized leader"> {
  let description = [{
    With p = -learning_rate_power: n' = n + g^2; z += g + 2 l2_shrinkage w - (n'^p - n^p) / lr * w; w = 0 if |z| <= l1,
    else (sign(z) l1 - z) / ((beta + n'^p) / lr + 2 l2). n starts at `initial_accumulator_value`, z at 0. Without `beta` it
    is 0.

    Example: `#est.ftrl<learning_rate = <"lr" = 0.2 : f64>, l1 = <"l1" = 0.0 : f64>, l2 = <"l2" = 0.0 : f64>,
    l2_shrinkage = <"s" = 0.0 : f64>, learning_rate_power = -0.5, initial_accumulator_value = 0.1>`.
  }];
  let parameters = (ins Est_SettingParam<"learning rate">:$learning_rate, Est_SettingParam<"l1 strength">:$l1,
                        Est_SettingParam<"l2 strength">:$l2, Est_SettingParam<"l2 shrinkage strength">:$l2_shrinkage,
                        Est_Number<"minus the power of n; at most 0">:$learning_rate_power,
                        Est_Number<"start of n">:$initial_accumulator_value,
                        Est_OptionalSettingParam<"added to the power of n">:$beta);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_ExponentialDecayAttr
    : Est_Attr<"ExponentialDecay", "exponential_decay", "lr * decay_rate^(step / decay_steps)"> {
  let description = [{
    With `staircase` the exponent is rounded down.

    Example: `#est.exponential_decay<decay_steps = <"s" = 1000 : i64>, decay_rate = <"r" = 0.96 : f64>,
    staircase = false>`.
  }];
  let parameters = (ins Est_SettingParam<"steps of one decay">:$decay_steps,
                        Est_SettingParam<"factor of one decay">:$decay_rate, "bool":$staircase);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_PiecewiseConstantAttr
    : Est_Attr<"PiecewiseConstant", "piecewise_constant", "values[number of boundaries below the step]"> {
  let description = [{
    Values are absolute rates: the optimizer's own learning rate is not used. values[i] holds while
    step <= boundaries[i].

    Example: `#est.piecewise_constant<boundaries = [1000, 2000], values = [0.1, 0.05, 0.01]>`.
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$boundaries, "::mlir::DenseF64ArrayAttr":$values);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Est_PolynomialDecayAttr : Est_Attr<"PolynomialDecay", "polynomial_decay",
    "(lr - end) * (1 - min(step, decay_steps) / decay_steps)^power + end"> {
  let description = [{
    With `cycle`, decay_steps is multiplied by ceil(step / decay_steps), at least 1.

    Example: `#est.polynomial_decay<decay_steps = <"s" = 1000 : i64>, end_learning_rate = <"e" = 1.0e-4 : f64>,
    power = 1.0, cycle = false>`.
  }];
  let parameters = (ins Est_SettingParam<"steps">:$decay_steps, Est_SettingParam<"end">:$end_learning_rate,
                        Est_Number<"power">:$power, "bool":$cycle);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_CosineDecayAttr : Est_Attr<"CosineDecay", "cosine_decay",
    "lr * ((1 - alpha) * (1 + cos(pi * min(step, decay_steps) / decay_steps)) / 2 + alpha)"> {
  let description = [{
    Example: `#est.cosine_decay<decay_steps = <"s" = 4000 : i64>, alpha = <"a" = 0.0 : f64>>`.
  }];
  let parameters = (ins Est_SettingParam<"steps">:$decay_steps, Est_SettingParam<"share that stays">:$alpha);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_InverseTimeDecayAttr
    : Est_Attr<"InverseTimeDecay", "inverse_time_decay", "lr / (1 + decay_rate * step / decay_steps)"> {
  let description = [{
    With `staircase` the quotient is rounded down.

    Example: `#est.inverse_time_decay<decay_steps = <"s" = 1000 : i64>, decay_rate = <"r" = 0.5 : f64>,
    staircase = false>`.
  }];
  let parameters = (ins Est_SettingParam<"steps of one decay">:$decay_steps, Est_SettingParam<"rate">:$decay_rate,
                        "bool":$staircase);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_NaturalExpDecayAttr
    : Est_Attr<"NaturalExpDecay", "natural_exp_decay", "lr * e^(-decay_rate * step / decay_steps)"> {
  let description = [{
    With `staircase` the quotient is rounded down.

    Example: `#est.natural_exp_decay<decay_steps = <"s" = 1000 : i64>, decay_rate = <"r" = 0.5 : f64>,
    staircase = false>`.
  }];
  let parameters = (ins Est_SettingParam<"steps of one decay">:$decay_steps, Est_SettingParam<"rate">:$decay_rate,
                        "bool":$staircase);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_CosineDecayRestartsAttr : Est_Attr<"CosineDecayRestarts", "cosine_decay_restarts",
    "lr * ((1 - alpha) * m_mul^i * (1 + cos(pi * f)) / 2 + alpha), f the part of period i that is done"> {
  let description = [{
    Period i, from 0, has first_decay_steps * t_mul^i steps.

    Example: `#est.cosine_decay_restarts<first_decay_steps = <"s" = 1000 : i64>, t_mul = 2.0, m_mul = <"m" = 1.0 : f64>,
    alpha = <"a" = 0.0 : f64>>`. `t_mul` is at least 1.
  }];
  let parameters = (ins Est_SettingParam<"steps of period 0">:$first_decay_steps,
                        Est_Number<"factor of steps from period to period">:$t_mul,
                        Est_SettingParam<"factor of the rate from period to period">:$m_mul,
                        Est_SettingParam<"share that stays">:$alpha);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Est_LinearCosineDecayAttr : Est_Attr<"LinearCosineDecay", "linear_cosine_decay",
    "lr * ((alpha + 1 - f) * (1 + cos(2 * pi * num_periods * f)) / 2 + beta), f = min(step, decay_steps) / decay_steps"> {
  let description = [{
    Example: `#est.linear_cosine_decay<decay_steps = <"s" = 1000 : i64>, num_periods = 0.5, alpha = <"a" = 0.0 : f64>,
    beta = <"b" = 0.001 : f64>>`.
  }];
  let parameters = (ins Est_SettingParam<"steps">:$decay_steps, Est_Number<"periods of the cosine">:$num_periods,
                        Est_SettingParam<"added to the line">:$alpha, Est_SettingParam<"share that stays">:$beta);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Est_OptimizerAttr : Est_Attr<"Optimizer", "optimizer", "an update rule and the schedule of its learning rate"> {
  let description = [{
    `rule` is one of `#est.sgd`, `#est.momentum`, `#est.adagrad`, `#est.adadelta`, `#est.adam`, `#est.adamax`,
    `#est.nadam`, `#est.rms_prop`, `#est.ftrl`. The rate of a step is the rule's `learning_rate` after `decay` (absent:
    constant), times min(1, (step + 1) / warmup_steps) if `warmup_steps` is above 0. `step` is the global step before its
    increment. A setting of 0 steps of warm-up means none, so `warmup_steps` can be turned off at start.

    At most one bound c of the gradients, rows of one id summed first, is there. The rule sees with `clip_by_value` each
    element cut to [-c, c]; with `clip_by_norm` the gradient of each variable, of norm n, times c / max(c, n); with
    `clip_by_global_norm` the same, n being the norm of all gradients of the optimizer's variables.

    Example: `#est.optimizer<rule = #est.sgd<learning_rate = <"lr" = 0.01 : f64>>, warmup_steps = <"w" = 100 : i64>>`.
  }];
  let parameters = (ins AttrParameter<"::mlir::Attribute", "update rule">:$rule,
                        OptionalParameter<"::mlir::Attribute", "decay of the learning rate">:$decay,
                        Est_OptionalSettingParam<"steps of linear warm-up">:$warmup_steps,
                        Est_OptionalSettingParam<"bound of the elements of gradients">:$clip_by_value,
                        Est_OptionalSettingParam<"bound of the norm of each gradient">:$clip_by_norm,
                        Est_OptionalSettingParam<"bound of the norm of all gradients">:$clip_by_global_norm);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The learning rate of the rule.
    SettingAttr getLearningRate() const;
  }];
}

#endif // MLC_EST_ATTRS
