//===- EmitAttributes.cpp - Messages of a spec as est attributes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/EmitAttributes.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::frontend;
using namespace mlc::spec::v1;

Attribute mlc::frontend::emitZScore(Builder &builder, const ZScore &message) {
  return est::ZScoreAttr::get(builder.getContext(), builder.getF64FloatAttr(message.mean()),
                              builder.getF64FloatAttr(message.stddev()));
}

/// `message` is a Numeric or SequenceNumeric.
template <typename Message> static Attribute emitNormalizerOf(Builder &builder, const Message &message) {
  if (message.has_z_score())
    return emitZScore(builder, message.z_score());
  if (message.has_min_max())
    return est::MinMaxAttr::get(builder.getContext(), builder.getF64FloatAttr(message.min_max().min()),
                                builder.getF64FloatAttr(message.min_max().max()));
  return message.has_log1p() ? est::Log1pAttr::get(builder.getContext()) : Attribute();
}

Attribute mlc::frontend::emitNormalizer(Builder &builder, const Numeric &message) {
  return emitNormalizerOf(builder, message);
}

Attribute mlc::frontend::emitNormalizer(Builder &builder, const SequenceNumeric &message) {
  return emitNormalizerOf(builder, message);
}

Attribute mlc::frontend::emitLabelTransform(Builder &builder, const Regression &message) {
  if (!message.has_label_transform())
    return nullptr;
  if (message.label_transform().has_z_score())
    return emitZScore(builder, message.label_transform().z_score());
  return est::Log1pAttr::get(builder.getContext());
}

static Attribute emitVarianceScaling(Builder &builder, const Initializer::VarianceScaling &message) {
  est::FanMode mode = message.mode() == Initializer::VarianceScaling::FAN_IN    ? est::FanMode::FanIn
                      : message.mode() == Initializer::VarianceScaling::FAN_OUT ? est::FanMode::FanOut
                                                                                : est::FanMode::FanAvg;
  auto distribution = est::FanDistribution::TruncatedNormal;
  if (message.distribution() != Initializer::VarianceScaling::TRUNCATED_NORMAL)
    distribution = message.distribution() == Initializer::VarianceScaling::UNIFORM
                       ? est::FanDistribution::Uniform
                       : est::FanDistribution::UntruncatedNormal;
  return est::VarianceScalingAttr::get(builder.getContext(), builder.getF64FloatAttr(message.scale()), mode,
                                       distribution);
}

Attribute mlc::frontend::emitInitializer(Builder &builder, const Initializer &message) {
  MLIRContext *context = builder.getContext();
  auto constant = [&](double value) { return est::ConstantAttr::get(context, builder.getF64FloatAttr(value)); };
  auto byFanIn = [&](double scale, est::FanDistribution distribution) {
    return est::VarianceScalingAttr::get(context, builder.getF64FloatAttr(scale), est::FanMode::FanIn, distribution);
  };
  switch (message.kind_case()) {
  case Initializer::kZeros:
    return constant(0);
  case Initializer::kOnes:
    return constant(1);
  case Initializer::kHeUniform:
    return byFanIn(2, est::FanDistribution::Uniform);
  case Initializer::kHeNormal:
    return byFanIn(2, est::FanDistribution::TruncatedNormal);
  case Initializer::kLecunUniform:
    return byFanIn(1, est::FanDistribution::Uniform);
  case Initializer::kLecunNormal:
    return byFanIn(1, est::FanDistribution::TruncatedNormal);
  case Initializer::kVarianceScaling:
    return emitVarianceScaling(builder, message.variance_scaling());
  case Initializer::kConstant:
    return constant(message.constant().value());
  case Initializer::kUniform:
    return est::UniformAttr::get(context, builder.getF64FloatAttr(message.uniform().min()),
                                 builder.getF64FloatAttr(message.uniform().max()));
  case Initializer::kNormal:
    return est::NormalAttr::get(context, builder.getF64FloatAttr(message.normal().mean()),
                                builder.getF64FloatAttr(message.normal().stddev()));
  case Initializer::kTruncatedNormal:
    return est::TruncatedNormalAttr::get(context, builder.getF64FloatAttr(message.truncated_normal().mean()),
                                         builder.getF64FloatAttr(message.truncated_normal().stddev()));
  case Initializer::kGlorotUniform:
    return est::GlorotUniformAttr::get(context);
  case Initializer::kGlorotNormal:
    return est::GlorotNormalAttr::get(context);
  case Initializer::kIdentity:
    return est::IdentityAttr::get(context, builder.getF64FloatAttr(message.identity().gain()));
  case Initializer::kOrthogonal:
    return est::OrthogonalAttr::get(context, builder.getF64FloatAttr(message.orthogonal().gain()));
  case Initializer::KIND_NOT_SET:
    break;
  }
  llvm_unreachable("defaults set a kind");
}

/// A number of the spec that may change at start: the path of `message` with the field, and its value in force.
static est::SettingAttr emitSetting(Builder &builder, const std::string &path, const ProtoMessage &message,
                                    const std::string &field) {
  const ProtoField *descriptor = message.GetDescriptor()->FindFieldByName(field);
  const auto *reflection = message.GetReflection();
  TypedAttr value = descriptor->cpp_type() == ProtoField::CPPTYPE_INT64
                        ? TypedAttr(builder.getI64IntegerAttr(reflection->GetInt64(message, descriptor)))
                        : TypedAttr(builder.getF64FloatAttr(reflection->GetDouble(message, descriptor)));
  return est::SettingAttr::get(builder.getContext(), builder.getStringAttr(path + "." + field), value);
}

static est::SettingAttr emitSetting(Builder &builder, const SpecDocument &document, const ProtoMessage &message,
                                    const std::string &field) {
  return emitSetting(builder, document.path(message), message, field);
}

static Attribute emitDecay(Builder &builder, const SpecDocument &document, const LearningRateSchedule &message) {
  MLIRContext *context = builder.getContext();
  auto setting = [&](const ProtoMessage &m, const char *field) { return emitSetting(builder, document, m, field); };
  switch (message.decay_case()) {
  case LearningRateSchedule::kExponentialDecay: {
    const auto &decay = message.exponential_decay();
    return est::ExponentialDecayAttr::get(context, setting(decay, "decay_steps"), setting(decay, "decay_rate"),
                                          decay.staircase());
  }
  case LearningRateSchedule::kPiecewiseConstant: {
    const auto &decay = message.piecewise_constant();
    SmallVector<int64_t> boundaries(decay.boundaries().begin(), decay.boundaries().end());
    SmallVector<double> values(decay.values().begin(), decay.values().end());
    return est::PiecewiseConstantAttr::get(context, builder.getDenseI64ArrayAttr(boundaries),
                                           builder.getDenseF64ArrayAttr(values));
  }
  case LearningRateSchedule::kPolynomialDecay: {
    const auto &decay = message.polynomial_decay();
    return est::PolynomialDecayAttr::get(context, setting(decay, "decay_steps"), setting(decay, "end_learning_rate"),
                                         builder.getF64FloatAttr(decay.power()), decay.cycle());
  }
  case LearningRateSchedule::kCosineDecay: {
    const auto &decay = message.cosine_decay();
    return est::CosineDecayAttr::get(context, setting(decay, "decay_steps"), setting(decay, "alpha"));
  }
  case LearningRateSchedule::kInverseTimeDecay: {
    const auto &decay = message.inverse_time_decay();
    return est::InverseTimeDecayAttr::get(context, setting(decay, "decay_steps"), setting(decay, "decay_rate"),
                                          decay.staircase());
  }
  case LearningRateSchedule::kNaturalExpDecay: {
    const auto &decay = message.natural_exp_decay();
    return est::NaturalExpDecayAttr::get(context, setting(decay, "decay_steps"), setting(decay, "decay_rate"),
                                         decay.staircase());
  }
  case LearningRateSchedule::kCosineDecayRestarts: {
    const auto &decay = message.cosine_decay_restarts();
    return est::CosineDecayRestartsAttr::get(context, setting(decay, "first_decay_steps"),
                                             builder.getF64FloatAttr(decay.t_mul()), setting(decay, "m_mul"),
                                             setting(decay, "alpha"));
  }
  case LearningRateSchedule::kLinearCosineDecay: {
    const auto &decay = message.linear_cosine_decay();
    return est::LinearCosineDecayAttr::get(context, setting(decay, "decay_steps"),
                                           builder.getF64FloatAttr(decay.num_periods()), setting(decay, "alpha"),
                                           setting(decay, "beta"));
  }
  case LearningRateSchedule::DECAY_NOT_SET:
    return nullptr;
  }
  llvm_unreachable("all decays are handled");
}

static Attribute emitRule(Builder &builder, const SpecDocument &document, const Optimizer &message) {
  MLIRContext *context = builder.getContext();
  auto setting = [&](const ProtoMessage &m, const char *field) { return emitSetting(builder, document, m, field); };
  bool tf1 = document.spec().compat() == Estimator::TF1;
  switch (message.rule_case()) {
  case Optimizer::kSgd:
    return est::SgdAttr::get(context, setting(message.sgd(), "learning_rate"));
  case Optimizer::kMomentum: {
    const Momentum &rule = message.momentum();
    return est::MomentumAttr::get(context, setting(rule, "learning_rate"), setting(rule, "momentum"),
                                  rule.use_nesterov(), /*rateInSlot=*/!tf1);
  }
  case Optimizer::kAdagrad: {
    const Adagrad &rule = message.adagrad();
    return est::AdagradAttr::get(context, setting(rule, "learning_rate"), setting(rule, "epsilon"),
                                 builder.getF64FloatAttr(rule.initial_accumulator_value()));
  }
  case Optimizer::kAdam: {
    const Adam &rule = message.adam();
    return est::AdamAttr::get(context, setting(rule, "learning_rate"), setting(rule, "beta1"), setting(rule, "beta2"),
                              setting(rule, "epsilon"), rule.amsgrad());
  }
  case Optimizer::kAdadelta: {
    const Adadelta &rule = message.adadelta();
    return est::AdadeltaAttr::get(context, setting(rule, "learning_rate"), setting(rule, "rho"),
                                  setting(rule, "epsilon"));
  }
  case Optimizer::kAdamax: {
    const Adamax &rule = message.adamax();
    return est::AdamaxAttr::get(context, setting(rule, "learning_rate"), setting(rule, "beta1"), setting(rule, "beta2"),
                                setting(rule, "epsilon"));
  }
  case Optimizer::kNadam: {
    const Nadam &rule = message.nadam();
    return est::NadamAttr::get(context, setting(rule, "learning_rate"), setting(rule, "beta1"), setting(rule, "beta2"),
                               setting(rule, "epsilon"), setting(rule, "schedule_decay"));
  }
  case Optimizer::kRmsProp: {
    const RmsProp &rule = message.rms_prop();
    FloatAttr momentum;
    if (tf1 || rule.momentum() > 0)
      momentum = builder.getF64FloatAttr(rule.momentum());
    return est::RmsPropAttr::get(context, setting(rule, "learning_rate"), setting(rule, "decay"),
                                 setting(rule, "epsilon"), momentum, rule.centered(),
                                 builder.getF64FloatAttr(tf1 ? 1 : 0));
  }
  case Optimizer::kFtrl: {
    const Ftrl &rule = message.ftrl();
    return est::FtrlAttr::get(
        context, setting(rule, "learning_rate"), setting(rule, "l1_regularization_strength"),
        setting(rule, "l2_regularization_strength"), setting(rule, "l2_shrinkage_regularization_strength"),
        builder.getF64FloatAttr(rule.learning_rate_power()), builder.getF64FloatAttr(rule.initial_accumulator_value()),
        rule.has_beta() ? setting(rule, "beta") : est::SettingAttr());
  }
  case Optimizer::RULE_NOT_SET:
    break;
  }
  llvm_unreachable("defaults set a rule");
}

est::OptimizerAttr mlc::frontend::emitOptimizer(Builder &builder, const SpecDocument &document,
                                                const Optimizer &message) {
  const LearningRateSchedule &schedule = message.schedule();
  est::SettingAttr warmup;
  if (schedule.has_warmup_steps())
    warmup = emitSetting(builder, document, schedule, "warmup_steps");
  auto bound = [&](Optimizer::ClipCase which, const char *field) {
    return message.clip_case() == which ? emitSetting(builder, document, message, field) : est::SettingAttr();
  };
  return est::OptimizerAttr::get(
      builder.getContext(), emitRule(builder, document, message), emitDecay(builder, document, schedule), warmup,
      bound(Optimizer::kClipByValue, "clip_by_value"), bound(Optimizer::kClipByNorm, "clip_by_norm"),
      bound(Optimizer::kClipByGlobalNorm, "clip_by_global_norm"));
}

est::SettingAttr mlc::frontend::emitHeadWeight(Builder &builder, const SpecDocument &document, const Head &message) {
  return message.has_head_weight() ? emitSetting(builder, document, message, "head_weight") : est::SettingAttr();
}

est::SettingAttr mlc::frontend::emitDropout(Builder &builder, const SpecDocument &document, const Dnn &message) {
  return message.dropout() > 0 ? emitSetting(builder, document, message, "dropout") : est::SettingAttr();
}

est::RegularizerAttr mlc::frontend::emitRegularizer(Builder &builder, const std::string &path,
                                                    const Regularizer &message) {
  return est::RegularizerAttr::get(builder.getContext(), emitSetting(builder, path, message, "l1"),
                                   emitSetting(builder, path, message, "l2"));
}
