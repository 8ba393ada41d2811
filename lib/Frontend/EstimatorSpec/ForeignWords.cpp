// The table of other words, and rules for those that follow one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Frontend/EstimatorSpec/ForeignWords.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlc;
using google::protobuf::Descriptor;

namespace {
/// A word, the message that it is written in (empty: any), and what to write.
struct ForeignWord {
  llvm::StringLiteral word, message, help;
};
} // namespace

static constexpr ForeignWord kWords[] = {
    // Estimators are a body and a head.
    {"LinearClassifier", "", "model { linear { ... } } and head { label: ... binary_class {} or multi_class { ... } }"},
    {"LinearRegressor", "", "model { linear { ... } } and head { label: ... regression {} }"},
    {"LinearEstimator", "", "model { linear { ... } } and a head"},
    {"DNNClassifier", "", "model { dnn { ... } } and head { label: ... binary_class {} or multi_class { ... } }"},
    {"DNNRegressor", "", "model { dnn { ... } } and head { label: ... regression {} }"},
    {"DNNEstimator", "", "model { dnn { ... } } and a head"},
    {"DNNLinearCombinedClassifier", "",
     "model { dnn_linear_combined { linear { ... } dnn { ... } } } and head { label: ... binary_class {} }"},
    {"DNNLinearCombinedRegressor", "",
     "model { dnn_linear_combined { linear { ... } dnn { ... } } } and head { label: ... regression {} }"},
    {"DNNLinearCombinedEstimator", "", "model { dnn_linear_combined { linear { ... } dnn { ... } } } and a head"},
    {"RNNClassifier", "", "model { rnn { ... } } and head { label: ... binary_class {} or multi_class { ... } }"},
    {"RNNEstimator", "", "model { rnn { ... } } and a head"},
    {"BaselineClassifier", "", "model { baseline {} } and head { label: ... binary_class {} or multi_class { ... } }"},
    {"BaselineRegressor", "", "model { baseline {} } and head { label: ... regression {} }"},
    {"BinaryClassHead", "", "head { label: ... binary_class {} }"},
    {"MultiClassHead", "", "head { label: ... multi_class { n_classes: ... } }"},
    {"MultiLabelHead", "", "head { label: ... multi_label { n_classes: ... } }"},
    {"RegressionHead", "", "head { label: ... regression {} }"},
    {"MultiHead", "", "several blocks head { name: ... label: ... }"},
    {"head_weights", "", "'head_weight' in each head { ... }"},
    // Their arguments.
    {"dnn_hidden_units", "", "'hidden_units' in model { dnn_linear_combined { dnn { ... } } }"},
    {"dnn_feature_columns", "", "'feature_columns' in model { dnn_linear_combined { dnn { ... } } }"},
    {"dnn_optimizer", "", "'optimizer' in model { dnn_linear_combined { dnn { ... } } }"},
    {"dnn_dropout", "", "'dropout' in model { dnn_linear_combined { dnn { ... } } }"},
    {"dnn_activation_fn", "", "'activation_fn' in model { dnn_linear_combined { dnn { ... } } }"},
    {"linear_feature_columns", "", "'feature_columns' in model { dnn_linear_combined { linear { ... } } }"},
    {"linear_optimizer", "", "'optimizer' in model { dnn_linear_combined { linear { ... } } }"},
    {"linear_sparse_combiner", "", "'sparse_combiner' in model { dnn_linear_combined { linear { ... } } }"},
    {"units", "Dnn", "'hidden_units', the width of each hidden layer"},
    {"hidden_layers", "Dnn", "'hidden_units', the width of each hidden layer"},
    {"dropout_rate", "Dnn", "'dropout'"},
    {"loss_reduction", "", "there is no such field: a loss is the mean over the batch, weighted by the weights"},
    {"model_dir", "", "no field of a spec: --model_dir of train, evaluate and predict"},
    {"input_fn", "", "'files' in train and eval, and input { ... } for what they look like"},
    {"train_input_fn", "", "train { files: ... }, and input { ... } for what they look like"},
    {"eval_input_fn", "", "eval { files: ... }, and input { ... } for what they look like"},
    {"warm_start_from", "", "train { warm_start { ckpt_to_initialize_from: ... } }"},
    {"label_key", "", "head { label: ... }"},
    {"label_name", "", "head { label: ... }"},
    {"label_column", "", "head { label: ... }"},
    {"labels", "Head", "'label'"},
    {"weights_column", "", "head { weight_column: ... }"},
    {"weight_key", "", "head { weight_column: ... }"},
    {"sample_weight", "", "head { weight_column: ... }"},
    // Feature columns.
    {"keys", "Crossed",
     "one block for each: term { key: \"...\" } of an input column, term { column: \"...\" } of a feature column"},
    {"normalizer_fn", "Numeric",
     "z_score { mean: ... stddev: ... }, min_max { min: ... max: ... }, log1p {} or function: \"...\""},
    {"shape", "Numeric", "'shape' of the column in input { column { ... } }"},
    {"dtype", "Numeric", "'dtype' of the column in input { column { ... } }"},
    {"default_value", "Numeric", "'default_value' of the column in input { column { ... } }"},
    {"sequence_numeric_column", "", "'sequence_numeric', of a column with multi_value {}"},
    {"sequence_categorical_column_with_identity", "", "'categorical_with_identity', of a column with multi_value {}"},
    {"sequence_categorical_column_with_hash_bucket", "",
     "'categorical_with_hash_bucket', of a column with multi_value {}"},
    {"sequence_categorical_column_with_vocabulary_list", "",
     "'categorical_with_vocabulary_list', of a column with multi_value {}"},
    {"sequence_categorical_column_with_vocabulary_file", "",
     "'categorical_with_vocabulary_file', of a column with multi_value {}"},
    {"vocabulary", "", "'vocabulary_list', or 'vocabulary_file'"},
    {"embedding_dim", "", "'dimension'"},
    {"output_dim", "", "'dimension'"},
    {"input_dim", "", "'num_buckets' of categorical_with_identity"},
    {"record_defaults", "", "'default_value' of each column in input { column { ... } }"},
    {"select_columns", "", "the columns in input { column { ... } } are what is read"},
    // Training.
    {"num_epochs", "", "'epochs' in train"},
    {"steps", "Train", "'max_steps'; or --steps of train, which counts from where it begins"},
    {"shuffle_buffer_size", "", "'shuffle' in train: all examples are put in another order in each epoch"},
    {"buffer_size", "", "'shuffle' in train: all examples are put in another order in each epoch"},
    {"train_spec", "", "train { ... }"},
    {"eval_spec", "", "eval { ... }"},
    {"exporters", "Eval", "'exporter', one block for each"},
    {"tf_random_seed", "", "run_config { seed: ... }"},
    {"random_seed", "", "run_config { seed: ... }"},
    {"max_steps_without_decrease", "", "train { early_stopping { stop_if: NO_DECREASE max_steps_without: ... } }"},
    {"max_steps_without_increase", "", "train { early_stopping { stop_if: NO_INCREASE max_steps_without: ... } }"},
    {"patience", "", "train { early_stopping { max_steps_without: ... } }"},
    // Optimizers.
    {"GradientDescentOptimizer", "", "optimizer { sgd { learning_rate: ... } }"},
    {"rmsprop", "", "optimizer { rms_prop { ... } }"},
    {"rho", "RmsProp", "'decay'"},
    {"decay", "Adadelta", "'rho'"},
    {"decay", "Nadam", "'schedule_decay'"},
    {"clipnorm", "", "'clip_by_norm' in optimizer"},
    {"global_clipnorm", "", "'clip_by_global_norm' in optimizer"},
    {"clipvalue", "", "'clip_by_value' in optimizer"},
    {"lr", "", "'learning_rate'"},
    {"nesterov", "Momentum", "'use_nesterov'"},
};

/// "categorical_column_with_identity" and "embedding_column" are their kind's name with "_column"; "AdamOptimizer" is
/// the rule's with "Optimizer".
static std::string withoutSuffix(const Descriptor &type, llvm::StringRef name) {
  std::string plain = name.str();
  if (size_t at = plain.find("_column"); at != std::string::npos)
    plain.erase(at, 7);
  else if (llvm::StringRef(plain).ends_with_insensitive("optimizer"))
    plain = llvm::StringRef(plain).drop_back(9).lower();
  else
    plain = name.lower();
  if (plain == name || plain.empty())
    return {};
  for (const char *suffix : {"", "s"}) // shared_embedding_columns
    for (int i = 0; i < type.field_count(); ++i)
      if (type.field(i)->name() == plain || (type.field(i)->name() == llvm::StringRef(plain).rtrim('s').str() + suffix))
        return "'" + type.field(i)->name() + "'";
  return {};
}

std::string mlc::frontend::foreignWordHelp(const Descriptor &type, llvm::StringRef name) {
  for (const ForeignWord &known : kWords)
    if (known.word.equals_insensitive(name) && (known.message.empty() || known.message == type.name()))
      return known.help.str();
  return withoutSuffix(type, name);
}
