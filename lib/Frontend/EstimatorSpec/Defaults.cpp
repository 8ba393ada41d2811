//===- Defaults.cpp - Writes out what a spec leaves to defaults ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/Resolver.h"

#include "llvm/Support/Path.h"

#include <algorithm>
#include <cmath>

using namespace mlc;
using namespace mlc::frontend;
using namespace mlc::spec::v1;

ProtoMessage &Resolver::ensure(ProtoMessage &parent, llvm::StringRef field) {
  const ProtoField *descriptor = parent.GetDescriptor()->FindFieldByName(field.str());
  ProtoMessage &child = *parent.GetReflection()->MutableMessage(&parent, descriptor);
  document_.setParent(child, parent, *descriptor, 0);
  return child;
}

/// Sets a number that is not set.
static void setIfAbsent(ProtoMessage &message, const char *field, double value) {
  const ProtoField *descriptor = message.GetDescriptor()->FindFieldByName(field);
  if (descriptor && !message.GetReflection()->HasField(message, descriptor))
    message.GetReflection()->SetDouble(&message, descriptor, value);
}

/// What the rule adds to its divisor. Those of TF 2 are the Keras optimizers, which all add 1e-7; Adamax and Nadam are
/// Keras' in TF 1, too.
static double defaultEpsilon(const Optimizer &optimizer, bool tf1) {
  if (!tf1)
    return 1e-7;
  switch (optimizer.rule_case()) {
  case Optimizer::kAdamax:
  case Optimizer::kNadam:
    return 1e-7;
  case Optimizer::kAdadelta:
  case Optimizer::kAdam:
    return 1e-8;
  case Optimizer::kRmsProp:
    return 1e-10;
  default:
    return 0;
  }
}

/// `rule` is the one that is used if the spec names none.
void Resolver::setOptimizerDefaults(ProtoMessage &body, double learningRate, llvm::StringRef rule) {
  auto &optimizer = static_cast<Optimizer &>(ensure(body, "optimizer"));
  const ProtoField *field =
      optimizer.GetReflection()->GetOneofFieldDescriptor(optimizer, optimizer.GetDescriptor()->FindOneofByName("rule"));
  ProtoMessage &update = ensure(optimizer, field ? llvm::StringRef(field->name()) : rule);
  setIfAbsent(update, "learning_rate", learningRate);
  setIfAbsent(update, "epsilon", defaultEpsilon(optimizer, spec().compat() == Estimator::TF1));
}

void Resolver::setModelDefaults() {
  Model &model = *document_.spec().mutable_model();
  bool tf1 = spec().compat() == Estimator::TF1;
  if (model.has_baseline())
    setOptimizerDefaults(*model.mutable_baseline(), 0.3, "ftrl");
  if (model.has_linear())
    setOptimizerDefaults(*model.mutable_linear(), 0.2, "ftrl");
  Dnn *dnn = nullptr;
  if (model.has_dnn()) {
    dnn = model.mutable_dnn();
    // TF 2 leaves the rate to the Keras optimizer.
    bool isDescent = dnn->optimizer().has_sgd() || dnn->optimizer().has_momentum();
    setOptimizerDefaults(*dnn, tf1 ? 0.05 : isDescent ? 0.01 : 0.001, "adagrad");
  }
  if (model.has_dnn_linear_combined()) {
    DnnLinearCombined &both = *model.mutable_dnn_linear_combined();
    if (both.has_linear()) {
      double columns = std::max<double>(result_.linearColumns.size(), 1);
      setOptimizerDefaults(*both.mutable_linear(), std::min(0.005, 1 / std::sqrt(columns)), "ftrl");
    }
    if (both.has_dnn()) {
      dnn = both.mutable_dnn();
      setOptimizerDefaults(*dnn, 0.001, "adagrad");
    }
  }
  if (model.has_rnn()) {
    Rnn &rnn = *model.mutable_rnn();
    // As tf.estimator.experimental.RNNEstimator, where an optimizer is named and not made.
    const bool isOwn = rnn.optimizer().rule_case() != Optimizer::RULE_NOT_SET;
    const bool isDescent = rnn.optimizer().has_sgd() || rnn.optimizer().has_momentum();
    setOptimizerDefaults(rnn, !isOwn ? 0.05 : isDescent ? 0.01 : 0.001, "adagrad");
    Optimizer &optimizer = *rnn.mutable_optimizer();
    if (!isOwn && optimizer.clip_case() == Optimizer::CLIP_NOT_SET)
      optimizer.set_clip_by_norm(5);
  }
  if (!dnn)
    return;
  auto &initializer = static_cast<Initializer &>(ensure(*dnn, "kernel_initializer"));
  if (initializer.kind_case() == Initializer::KIND_NOT_SET)
    ensure(initializer, "glorot_uniform");
}

/// The initializer of a table of rows of `dimension` numbers.
void Resolver::setInitializerDefault(ProtoMessage &embedding, int64_t dimension) {
  auto &initializer = static_cast<Initializer &>(ensure(embedding, "initializer"));
  if (initializer.kind_case() != Initializer::KIND_NOT_SET)
    return;
  auto &normal = static_cast<Initializer::Normal &>(ensure(initializer, "truncated_normal"));
  normal.set_mean(0);
  normal.set_stddev(1 / std::sqrt(static_cast<double>(dimension)));
}

void Resolver::setColumnDefaults() {
  for (FeatureColumn &column : *document_.spec().mutable_feature_column()) {
    if (column.has_embedding())
      setInitializerDefault(*column.mutable_embedding(), column.embedding().dimension());
    if (column.has_shared_embeddings())
      setInitializerDefault(*column.mutable_shared_embeddings(), column.shared_embeddings().dimension());
  }
}

void Resolver::setDefaults() {
  Estimator &spec = document_.spec();
  if (!spec.has_name())
    spec.set_name(llvm::sys::path::stem(document_.file()).str());
  setColumnDefaults();
  setModelDefaults();
  for (Head &head : *spec.mutable_head()) {
    if (!head.has_name())
      head.set_name(head.label());
    if (head.loss_reduction() == Head::BY_COMPAT)
      head.set_loss_reduction(spec.compat() == Estimator::TF1 ? Head::SUM : Head::SUM_OVER_BATCH_SIZE);
  }
  ensure(spec, "train");
  ensure(spec, "predict");
  if (spec.train().has_warm_start())
    for (VocabRemap &remap : *spec.mutable_train()->mutable_warm_start()->mutable_vocab_remap())
      if (remap.has_backup_initializer() && remap.backup_initializer().kind_case() == Initializer::KIND_NOT_SET)
        ensure(*remap.mutable_backup_initializer(), "zeros");
  auto &run = static_cast<RunConfig &>(ensure(spec, "run_config"));
  if (!run.has_save_checkpoints_steps() && !run.has_save_checkpoints_secs())
    run.set_save_checkpoints_secs(600);
  if (spec.eval_size() == 0) {
    Eval &eval = *spec.add_eval();
    document_.setParent(eval, spec, *spec.GetDescriptor()->FindFieldByName("eval"), 0);
    document_.setElementName(eval, "");
  }
}
