//===- EmitEst.cpp - A resolved spec as est IR ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/EmitEst.h"
#include "dialects/Est/IR/EstNames.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "lib/Frontend/EstimatorSpec/EmitAttributes.h"
#include "lib/Frontend/EstimatorSpec/EmitFunctions.h"
#include "lib/Frontend/EstimatorSpec/SpecManifest.h"
#include "lib/Frontend/EstimatorSpec/SpecPrint.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::frontend;
using namespace mlc::spec::v1;

namespace {
class Emitter {
public:
  Emitter(const SpecDocument &document, const ResolvedSpec &resolved, MLIRContext *context,
          common::MessageList &messages)
      : document_(document), resolved_(resolved), messages_(messages), builder_(context),
        features_(resolved.inputs.size()), columns_(resolved.columns.size()) {}

  OwningOpRef<ModuleOp> emit();

private:
  /// A place in the spec with its path.
  Location location(Span span, const std::string &path) {
    common::Place text = document_.place(span);
    Location place = FileLineColLoc::get(builder_.getStringAttr(text.file), text.line, text.column);
    return NameLoc::get(builder_.getStringAttr(path), place);
  }
  Location location(const ProtoMessage &message) { return location(document_.start(message), document_.path(message)); }
  ArrayAttr terms(ArrayRef<std::string> texts, const InputColumn &input);
  /// The regularizer of a Linear or Dnn; null if it has none.
  template <typename Body> est::RegularizerAttr regularizerOf(const Body &body) {
    if (!body.has_regularizer())
      return {};
    return emitRegularizer(builder_, document_.path(body.regularizer()), body.regularizer());
  }
  void emitFeature(int index);
  Value emitColumn(const ResolvedColumn &column);
  /// The normalizer of a numeric column of `feature`: an attribute, the name of a function that is put into the module,
  /// or null.
  Attribute normalizerOf(const ResolvedColumn &numeric, Value feature);
  Value emitVocabulary(const ResolvedColumn &column, Location place, est::CategoricalType type);
  Value emitCross(const ResolvedColumn &column, Location place, est::CategoricalType type);
  Value emitWeighted(const ResolvedColumn &column, Location place, est::CategoricalType type);
  /// The ids of an indicator or embedding: of a sequence, cut into its steps.
  Value emitIds(const ResolvedColumn &column, bool isSequence, Location place);
  /// `message` is an Embedding or SharedEmbeddings.
  template <typename Message>
  Value emitEmbedding(const ResolvedColumn &column, const Message &message, Location place, Type type);
  Value emitBaseline(est::LogitsType type);
  Value emitLinear(est::LogitsType type);
  Value emitDnn(est::LogitsType type);
  Value emitRnn(est::LogitsType type);
  /// The values of dense and bucketized feature columns.
  SmallVector<Value> denseColumns(ArrayRef<int> indices);
  void emitHeads(ValueRange logits);
  void emitHead(const ResolvedHead &resolved, ValueRange logits);

  const SpecDocument &document_;
  const ResolvedSpec &resolved_;
  common::MessageList &messages_;
  OpBuilder builder_;
  ModuleOp module_;
  /// Functions by the message that gives them and the feature that they are of.
  llvm::DenseMap<std::pair<const Numeric *, Value>, FlatSymbolRefAttr> normalizers_;
  /// Values of the columns of the input and of the feature columns, by index; null for those not in use.
  std::vector<Value> features_;
  std::vector<Value> columns_;
  /// Categorical columns whose values are cut into steps, by the index of the column.
  llvm::DenseMap<int, Value> steps_;
  /// Weights of the values of multi-valued columns of the input, by index.
  llvm::DenseMap<int, Value> valueWeights_;
};
} // namespace

static est::DType dtypeOf(Column::Dtype dtype) {
  switch (dtype) {
  case Column::FLOAT32:
    return est::DType::Float32;
  case Column::FLOAT64:
    return est::DType::Float64;
  case Column::INT32:
    return est::DType::Int32;
  case Column::INT64:
    return est::DType::Int64;
  case Column::BOOL:
    return est::DType::Bool;
  case Column::STRING:
    return est::DType::String;
  }
  llvm_unreachable("all dtypes are handled");
}

static est::Combiner combinerOf(Embedding::Combiner combiner) {
  switch (combiner) {
  case Embedding::SUM:
    return est::Combiner::Sum;
  case Embedding::MEAN:
    return est::Combiner::Mean;
  case Embedding::SQRTN:
    return est::Combiner::Sqrtn;
  }
  llvm_unreachable("all combiners are handled");
}

static est::Activation activationOf(Dnn::Activation activation) {
  switch (activation) {
  case Dnn::RELU:
    return est::Activation::Relu;
  case Dnn::SIGMOID:
    return est::Activation::Sigmoid;
  case Dnn::TANH:
    return est::Activation::Tanh;
  case Dnn::LINEAR:
    return est::Activation::Linear;
  case Dnn::ELU:
    return est::Activation::Elu;
  case Dnn::SELU:
    return est::Activation::Selu;
  case Dnn::EXPONENTIAL:
    return est::Activation::Exponential;
  case Dnn::GELU:
    return est::Activation::Gelu;
  case Dnn::HARD_SIGMOID:
    return est::Activation::HardSigmoid;
  case Dnn::MISH:
    return est::Activation::Mish;
  case Dnn::SOFTMAX:
    return est::Activation::Softmax;
  case Dnn::SOFTPLUS:
    return est::Activation::Softplus;
  case Dnn::SOFTSIGN:
    return est::Activation::Softsign;
  case Dnn::SWISH:
    return est::Activation::Swish;
  case Dnn::RELU6:
    return est::Activation::Relu6;
  case Dnn::LEAKY_RELU:
    return est::Activation::LeakyRelu;
  }
  llvm_unreachable("all activations are handled");
}

static est::Cell cellOf(Rnn::Cell cell) {
  switch (cell) {
  case Rnn::SIMPLE_RNN:
    return est::Cell::SimpleRnn;
  case Rnn::LSTM:
    return est::Cell::Lstm;
  case Rnn::GRU:
    return est::Cell::Gru;
  }
  llvm_unreachable("all cells are handled");
}

static est::LossReduction reductionOf(Head::LossReduction reduction) {
  switch (reduction) {
  case Head::SUM_OVER_BATCH_SIZE:
    return est::LossReduction::SumOverBatchSize;
  case Head::SUM:
    return est::LossReduction::Sum;
  case Head::MEAN:
    return est::LossReduction::Mean;
  case Head::BY_COMPAT:
    break;
  }
  llvm_unreachable("defaults set a reduction");
}

/// Terms of a vocabulary as the column's cells are: strings or integers.
ArrayAttr Emitter::terms(ArrayRef<std::string> texts, const InputColumn &input) {
  SmallVector<Attribute> result;
  for (const std::string &text : texts) {
    int64_t value = 0;
    if (input.isString() || StringRef(text).getAsInteger(10, value))
      result.push_back(builder_.getStringAttr(text));
    else
      result.push_back(builder_.getI64IntegerAttr(value));
  }
  return builder_.getArrayAttr(result);
}

void Emitter::emitFeature(int index) {
  const InputColumn &input = resolved_.inputs[index];
  const Column &column = *input.message;
  est::Role role = input.role == InputRole::Label    ? est::Role::Label
                   : input.role == InputRole::Weight ? est::Role::Weight
                                                     : est::Role::Feature;
  std::vector<int64_t> shape = input.isMultiValued() ? std::vector<int64_t>{ShapedType::kDynamic} : input.shape();
  auto type = est::FeatureType::get(builder_.getContext(), shape, dtypeOf(column.dtype()));
  features_[index] = est::FeatureOp::create(
      builder_, location(input.span, document_.path(column)), type, builder_.getStringAttr(input.name),
      input.isCategorical() ? builder_.getUnitAttr() : UnitAttr(),
      column.has_default_value() ? builder_.getStringAttr(column.default_value()) : StringAttr(),
      est::RoleAttr::get(builder_.getContext(), role), /*values=*/Value());
}

Value Emitter::emitVocabulary(const ResolvedColumn &column, Location place, est::CategoricalType type) {
  bool isFile = column.kind == FeatureColumn::kCategoricalWithVocabularyFile;
  const auto &list = column.message->categorical_with_vocabulary_list();
  const auto &file = column.message->categorical_with_vocabulary_file();
  return est::VocabularyOp::create(builder_, place, type, builder_.getStringAttr(column.name), features_[column.input],
                                   terms(column.vocabulary, resolved_.inputs[column.input]),
                                   builder_.getI64IntegerAttr(isFile ? file.num_oov_buckets() : list.num_oov_buckets()),
                                   builder_.getI64IntegerAttr(isFile ? file.default_value() : list.default_value()),
                                   isFile ? builder_.getStringAttr(column.vocabularyFile) : StringAttr());
}

Value Emitter::emitCross(const ResolvedColumn &column, Location place, est::CategoricalType type) {
  const Crossed &crossed = column.message->crossed();
  SmallVector<Value> values;
  for (const CrossTerm &term : column.terms)
    values.push_back(term.input >= 0 ? features_[term.input] : columns_[term.column]);
  int64_t key = crossed.has_hash_key() ? crossed.hash_key() : est::kDefaultHashKey;
  return est::CrossedOp::create(builder_, place, type, builder_.getStringAttr(column.name), values,
                                builder_.getI64IntegerAttr(key));
}

Value Emitter::emitWeighted(const ResolvedColumn &column, Location place, est::CategoricalType type) {
  Value weight = column.weight >= 0 ? features_[column.weight] : Value();
  if (!weight) {
    int input = resolved_.columns[column.source].input;
    Value &known = valueWeights_[input];
    if (!known) {
      auto weights = est::FeatureType::get(builder_.getContext(), {ShapedType::kDynamic}, est::DType::Float32);
      known = est::FeatureOp::create(
          builder_, place, weights, builder_.getStringAttr(column.message->weighted_categorical().weight_feature_key()),
          /*categorical=*/UnitAttr(), /*default_value=*/StringAttr(),
          est::RoleAttr::get(builder_.getContext(), est::Role::Feature), features_[input]);
    }
    weight = known;
  }
  return est::WeightedOp::create(builder_, place, type, builder_.getStringAttr(column.name), columns_[column.source],
                                 weight);
}

Value Emitter::emitIds(const ResolvedColumn &column, bool isSequence, Location place) {
  const ResolvedColumn &source = resolved_.columns[column.source];
  Value ids = columns_[column.source];
  const int lengths = isSequence ? resolved_.inputs[source.input].lengths : -1;
  if (lengths < 0)
    return ids;
  Value &known = steps_[column.source];
  if (!known) {
    StringAttr name = builder_.getStringAttr(source.name + "_in_steps_of_" + resolved_.inputs[lengths].name);
    known = est::StepsOp::create(builder_, place, ids.getType(), name, ids, features_[lengths]);
  }
  return known;
}

template <typename Message>
Value Emitter::emitEmbedding(const ResolvedColumn &column, const Message &message, Location place, Type type) {
  auto update = message.sparse_update() == Embedding::LAZY ? est::SparseUpdate::Lazy : est::SparseUpdate::Exact;
  est::RegularizerAttr regularizer;
  if (message.has_regularizer())
    regularizer = emitRegularizer(builder_, regularizerPath(column), message.regularizer());
  Value ids = emitIds(column, isa<est::SequenceType>(type), place);
  return est::EmbeddingOp::create(builder_, place, type, builder_.getStringAttr(column.name), ids,
                                  est::CombinerAttr::get(builder_.getContext(), combinerOf(message.combiner())),
                                  emitInitializer(builder_, message.initializer()),
                                  est::SparseUpdateAttr::get(builder_.getContext(), update), regularizer,
                                  message.trainable() ? UnitAttr() : builder_.getUnitAttr(),
                                  message.has_max_norm() ? builder_.getF64FloatAttr(message.max_norm()) : FloatAttr(),
                                  column.table.empty() ? StringAttr() : builder_.getStringAttr(column.table));
}

Attribute Emitter::normalizerOf(const ResolvedColumn &numeric, Value feature) {
  const Numeric &message = numeric.message->numeric();
  if (!message.has_function())
    return emitNormalizer(builder_, message);
  FlatSymbolRefAttr &known = normalizers_[{&message, feature}];
  if (known)
    return known;
  StringAttr symbol = builder_.getStringAttr("normalizer/" + numeric.name);
  known = FlatSymbolRefAttr::get(symbol);
  std::string error = addNormalizer(module_, message.function(), symbol, cast<est::FeatureType>(feature.getType()));
  if (!error.empty()) {
    Span span = document_.spans(message, "function").value;
    common::Message report = document_.makeError("E0105", span ? span : document_.start(message),
                                                 "the normalizer of '" + numeric.name + "' " + error);
    report.field = document_.path(message, "function", -1);
    messages_.add(std::move(report));
  }
  return known;
}

Value Emitter::emitColumn(const ResolvedColumn &column) {
  Location place = location(column.span, column.path);
  StringAttr name = builder_.getStringAttr(column.name);
  Value feature = column.input >= 0 ? features_[column.input] : Value();
  const bool isSequence = llvm::is_contained(resolved_.rnnSequences, static_cast<int>(&column - &resolved_.columns[0]));
  Type dense = isSequence ? Type(est::SequenceType::get(builder_.getContext(), column.size))
                          : Type(est::DenseType::get(builder_.getContext(), column.size));
  auto categorical = est::CategoricalType::get(builder_.getContext(), column.size);
  switch (column.kind) {
  case FeatureColumn::kNumeric:
    return est::NumericOp::create(builder_, place, dense, name, feature, normalizerOf(column, feature));
  case FeatureColumn::kSequenceNumeric:
    return est::SequenceNumericOp::create(builder_, place, dense, name, feature,
                                          emitNormalizer(builder_, column.message->sequence_numeric()));
  case FeatureColumn::kBucketized: {
    const auto &bucketized = column.message->bucketized();
    SmallVector<float> values(bucketized.boundaries().begin(), bucketized.boundaries().end());
    Attribute normalizer;
    if (bucketized.units() == mlc::spec::v1::Bucketized::NORMALIZED) {
      int source = resolved_.columnByName.lookup(column.element);
      normalizer = normalizerOf(resolved_.columns[source], feature);
    }
    return est::BucketizedOp::create(builder_, place, categorical, name, feature, normalizer,
                                     builder_.getDenseF32ArrayAttr(values));
  }
  case FeatureColumn::kCategoricalWithHashBucket:
    return est::HashBucketOp::create(builder_, place, categorical, name, feature);
  case FeatureColumn::kCategoricalWithIdentity: {
    const auto &identity = column.message->categorical_with_identity();
    IntegerAttr fallback =
        identity.has_default_value() ? builder_.getI64IntegerAttr(identity.default_value()) : IntegerAttr();
    return est::IdentityOp::create(builder_, place, categorical, name, feature, fallback);
  }
  case FeatureColumn::kCrossed:
    return emitCross(column, place, categorical);
  case FeatureColumn::kIndicator:
    return est::IndicatorOp::create(builder_, place, dense, name, emitIds(column, isSequence, place));
  case FeatureColumn::kWeightedCategorical:
    return emitWeighted(column, place, categorical);
  case FeatureColumn::kEmbedding:
    return emitEmbedding(column, column.message->embedding(), place, dense);
  case FeatureColumn::kSharedEmbeddings:
    return emitEmbedding(column, column.message->shared_embeddings(), place, dense);
  case FeatureColumn::kCategoricalWithVocabularyList:
  case FeatureColumn::kCategoricalWithVocabularyFile:
    return emitVocabulary(column, place, categorical);
  case FeatureColumn::KIND_NOT_SET:
    break;
  }
  llvm_unreachable("a resolved column has a kind");
}

Value Emitter::emitBaseline(est::LogitsType type) {
  const Baseline &baseline = *resolved_.baseline;
  return est::BaselineOp::create(builder_, location(baseline), type, features_[resolved_.baselineRows],
                                 emitOptimizer(builder_, document_, baseline.optimizer()));
}

Value Emitter::emitLinear(est::LogitsType type) {
  SmallVector<Value> columns;
  for (int column : resolved_.linearColumns)
    columns.push_back(columns_[column]);
  const Linear &linear = *resolved_.linear;
  return est::LinearOp::create(builder_, location(linear), type, columns,
                               est::CombinerAttr::get(builder_.getContext(), combinerOf(linear.sparse_combiner())),
                               regularizerOf(linear), emitOptimizer(builder_, document_, linear.optimizer()));
}

SmallVector<Value> Emitter::denseColumns(ArrayRef<int> indices) {
  SmallVector<Value> columns;
  for (int index : indices) {
    const ResolvedColumn &column = resolved_.columns[index];
    Value value = columns_[index];
    // A bucketized column is dense here: one-hot, under its own name.
    if (column.isBucketized())
      value = est::IndicatorOp::create(builder_, location(column.span, column.path),
                                       est::DenseType::get(builder_.getContext(), column.size),
                                       builder_.getStringAttr(column.name), value);
    columns.push_back(value);
  }
  return columns;
}

Value Emitter::emitRnn(est::LogitsType type) {
  SmallVector<Value> sequences;
  for (int column : resolved_.rnnSequences)
    sequences.push_back(columns_[column]);
  const Rnn &rnn = *resolved_.rnn;
  SmallVector<int64_t> units(rnn.units().begin(), rnn.units().end());
  Type result = type;
  if (rnn.return_sequences())
    result = est::StepLogitsType::get(builder_.getContext(), type.getDimension());
  return est::RnnOp::create(builder_, location(rnn), result, sequences, denseColumns(resolved_.rnnContext),
                            builder_.getDenseI64ArrayAttr(units),
                            est::CellAttr::get(builder_.getContext(), cellOf(rnn.cell_type())),
                            emitOptimizer(builder_, document_, rnn.optimizer()));
}

Value Emitter::emitDnn(est::LogitsType type) {
  SmallVector<Value> columns = denseColumns(resolved_.dnnColumns);
  const Dnn &dnn = *resolved_.dnn;
  SmallVector<int64_t> units(dnn.hidden_units().begin(), dnn.hidden_units().end());
  return est::DnnOp::create(builder_, location(dnn), type, columns, builder_.getDenseI64ArrayAttr(units),
                            est::ActivationAttr::get(builder_.getContext(), activationOf(dnn.activation_fn())),
                            emitDropout(builder_, document_, dnn),
                            dnn.batch_norm() ? builder_.getUnitAttr() : UnitAttr(),
                            emitInitializer(builder_, dnn.kernel_initializer()), regularizerOf(dnn),
                            emitOptimizer(builder_, document_, dnn.optimizer()));
}

/// `logits` of the bodies: those of all heads beside each other.
void Emitter::emitHeads(ValueRange logits) {
  if (resolved_.heads.size() == 1)
    return emitHead(resolved_.heads.front(), logits);
  int64_t from = 0;
  for (const ResolvedHead &head : resolved_.heads) {
    auto type = est::LogitsType::get(builder_.getContext(), head.logits);
    SmallVector<Value> parts;
    for (Value body : logits)
      parts.push_back(est::PartOfLogitsOp::create(builder_, location(*head.message), type, body, from));
    emitHead(head, parts);
    from += head.logits;
  }
}

void Emitter::emitHead(const ResolvedHead &resolved, ValueRange logits) {
  const Head &head = *resolved.message;
  Location place = location(head);
  StringAttr name = builder_.getStringAttr(head.name());
  Value label = features_[resolved.label];
  Value weight = resolved.weight >= 0 ? features_[resolved.weight] : Value();
  auto reduction = est::LossReductionAttr::get(builder_.getContext(), reductionOf(head.loss_reduction()));
  ArrayAttr vocabulary;
  if (!resolved.classes.empty())
    vocabulary = terms(resolved.classes, resolved_.inputs[resolved.label]);
  auto numbers = [&](const google::protobuf::RepeatedField<double> &thresholds) {
    return thresholds.empty()
               ? DenseF64ArrayAttr()
               : builder_.getDenseF64ArrayAttr(SmallVector<double>(thresholds.begin(), thresholds.end()));
  };
  est::SettingAttr factor = emitHeadWeight(builder_, document_, head);
  if (head.has_binary_class()) {
    Value group = resolved.group >= 0 ? features_[resolved.group] : Value();
    est::BinaryClassHeadOp::create(builder_, place, name, logits, label, weight, reduction, group, vocabulary,
                                   numbers(head.binary_class().thresholds()),
                                   numbers(head.binary_class().class_weights()), factor);
  } else if (head.has_multi_label()) {
    // What names the elements of a vector needs not be what a cell holds.
    if (vocabulary && !resolved_.inputs[resolved.label].isMultiValued())
      vocabulary = builder_.getStrArrayAttr(SmallVector<StringRef>(resolved.classes.begin(), resolved.classes.end()));
    est::MultiLabelHeadOp::create(
        builder_, place, name, logits, label, weight, reduction, vocabulary, numbers(head.multi_label().thresholds()),
        resolved.metricClasses.empty() ? DenseI64ArrayAttr() : builder_.getDenseI64ArrayAttr(resolved.metricClasses),
        factor);
  } else if (head.has_multi_class()) {
    est::MultiClassHeadOp::create(builder_, place, name, logits, label, weight, reduction, vocabulary,
                                  numbers(head.multi_class().class_weights()), factor);
  } else if (head.has_logistic_regression()) {
    est::LogisticRegressionHeadOp::create(builder_, place, name, logits, label, weight, reduction, factor);
  } else if (head.has_poisson_regression()) {
    bool isFullLoss = head.poisson_regression().compute_full_loss();
    est::PoissonRegressionHeadOp::create(builder_, place, name, logits, label, weight, reduction,
                                         isFullLoss ? builder_.getUnitAttr() : UnitAttr(), factor);
  } else {
    est::RegressionHeadOp::create(builder_, place, name, logits, label, weight, reduction,
                                  emitLabelTransform(builder_, head.regression()), factor);
  }
}

OwningOpRef<ModuleOp> Emitter::emit() {
  const Estimator &spec = document_.spec();
  MLIRContext *context = builder_.getContext();
  Location place = location(spec);
  OwningOpRef<ModuleOp> module = ModuleOp::create(place);
  module_ = *module;
  builder_.setInsertionPointToStart(module->getBody());
  ShowOptions show;
  show.resolved = show.origin = true;
  (*module)->setAttr(kSpecAttr, builder_.getStringAttr(printSpec(document_, show)));
  NamedAttrList backups;
  for (const VocabRemap &remap : spec.train().warm_start().vocab_remap())
    if (remap.has_backup_initializer())
      backups.set(remap.variable(), emitInitializer(builder_, remap.backup_initializer()));
  est::PrecisionAttr precision;
  if (spec.model().precision() == mlc::spec::v1::Model::BF16_MIXED)
    precision = est::PrecisionAttr::get(context, est::Precision::BF16Mixed);
  else if (spec.model().precision() == mlc::spec::v1::Model::TF32)
    precision = est::PrecisionAttr::get(context, est::Precision::TF32);
  else if (spec.model().precision() == mlc::spec::v1::Model::F16_MIXED)
    precision = est::PrecisionAttr::get(context, est::Precision::F16Mixed);
  auto compat = spec.compat() == mlc::spec::v1::Estimator::TF1 ? est::Compat::TF1 : est::Compat::TF2;
  auto estimator = est::EstimatorOp::create(
      builder_, place, builder_.getStringAttr(spec.name()), est::CompatAttr::get(context, compat),
      builder_.getStringAttr(inputJson(document_, resolved_)),
      builder_.getStringAttr(common::settingsToJson(specSettings(document_, resolved_))), precision);
  if (!backups.empty())
    estimator->setAttr(est::names::kBackupInitializers, backups.getDictionary(context));
  if (spec.head_size() == 1 && spec.head(0).name_in_metrics())
    estimator->setAttr(est::names::kNamesInMetrics, builder_.getUnitAttr());
  builder_.setInsertionPointToStart(&estimator.getBody().emplaceBlock());

  std::vector<bool> inputs = inputsInUse(resolved_), columns = columnsInUse(resolved_);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i])
      emitFeature(static_cast<int>(i));
  for (size_t i = 0; i < columns.size(); ++i)
    if (columns[i])
      columns_[i] = emitColumn(resolved_.columns[i]);
  int64_t logitsPerRow = 0;
  for (const ResolvedHead &head : resolved_.heads)
    logitsPerRow += head.logits;
  auto type = est::LogitsType::get(context, logitsPerRow);
  SmallVector<Value> logits;
  if (resolved_.baseline)
    logits.push_back(emitBaseline(type));
  if (resolved_.linear)
    logits.push_back(emitLinear(type));
  if (resolved_.dnn)
    logits.push_back(emitDnn(type));
  if (resolved_.rnn)
    logits.push_back(emitRnn(type));
  emitHeads(logits);
  return module;
}

OwningOpRef<ModuleOp> mlc::frontend::emitEst(const SpecDocument &document, const ResolvedSpec &resolved,
                                             MLIRContext *context, common::MessageList &messages) {
  context->loadDialect<est::EstDialect>();
  return Emitter(document, resolved, context, messages).emit();
}
