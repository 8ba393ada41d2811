//===- ResolvedSpec.h - A spec with every name resolved and every default set -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_RESOLVEDSPEC_H
#define LIB_FRONTEND_ESTIMATORSPEC_RESOLVEDSPEC_H

#include "lib/Frontend/EstimatorSpec/SpecDocument.h"

#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
#include <vector>

namespace mlc::frontend {

/// What a column of the input is for.
enum class InputRole { Feature, Label, Weight };

/// The columns of LibSVM files.
inline constexpr llvm::StringLiteral kLibSvmLabel = "label", kLibSvmFeatures = "features";

/// One column of the input.
struct InputColumn {
  std::string name;
  const mlc::spec::v1::Column *message = nullptr;
  /// Its name in the spec.
  Span span;
  InputRole role = InputRole::Feature;
  /// Read as a number; a missing cell without default is then an error.
  bool numericUse = false;
  /// Read as a category; a missing cell is then no value.
  bool categoricalUse = false;
  /// Index of the column that tells how many of its values each step of a sequence has; -1: each value is one.
  int lengths = -1;
  bool isMultiValued() const { return message->has_multi_value(); }
  bool isString() const { return message->dtype() == mlc::spec::v1::Column::STRING; }
  bool isFloat() const {
    return message->dtype() == mlc::spec::v1::Column::FLOAT32 || message->dtype() == mlc::spec::v1::Column::FLOAT64;
  }
  bool isInteger() const {
    return message->dtype() == mlc::spec::v1::Column::INT32 || message->dtype() == mlc::spec::v1::Column::INT64;
  }
  /// Whether it may be read as a category.
  bool isDiscrete() const { return isString() || isInteger(); }
  /// Most values that a cell may have.
  static constexpr int64_t kMaxElements = int64_t{1} << 24;
  /// Values in a cell; above kMaxElements if there are too many.
  int64_t elements() const;
  /// Dimensions of a cell; empty if it is one value, however that is written.
  std::vector<int64_t> shape() const;
  /// Whether it goes into the manifest's input as categorical.
  bool isCategorical() const { return categoricalUse && !numericUse; }
};

/// One part of a cross: an input column or a feature column, by index; the other is -1.
struct CrossTerm {
  int input = -1;
  int column = -1;
};

/// One feature column; several may come from one message.
struct ResolvedColumn {
  using Kind = mlc::spec::v1::FeatureColumn::KindCase;
  std::string name;
  Kind kind = Kind::KIND_NOT_SET;
  const mlc::spec::v1::FeatureColumn *message = nullptr;
  /// Where its key, categorical_column or kind stands.
  Span span;
  /// Path of the element it comes from, for messages and locations.
  std::string path;
  /// The key, source_column or categorical_column that it was made of, and that one's index in its list.
  std::string element;
  int elementIndex = 0;
  /// Index of the input column, for kinds that read one.
  int input = -1;
  /// Index of the feature column, for weighted categorical, indicator and embeddings.
  int source = -1;
  /// Index of the input column with the weights; -1 also where the values of a multi-valued one bring theirs.
  int weight = -1;
  /// Name of a shared table.
  std::string table;
  std::vector<CrossTerm> terms;
  /// Terms of a vocabulary, and the file they are from.
  std::vector<std::string> vocabulary;
  std::string vocabularyFile;
  /// Number of ids of a categorical or bucketized column; numbers per row of a dense one.
  int64_t size = 0;

  bool isBucketized() const { return kind == Kind::kBucketized; }
  bool isEmbedding() const { return kind == Kind::kEmbedding || kind == Kind::kSharedEmbeddings; }
  bool isSequenceNumeric() const { return kind == Kind::kSequenceNumeric; }
  bool isDense() const {
    return kind == Kind::kNumeric || isSequenceNumeric() || kind == Kind::kIndicator || isEmbedding();
  }
  bool isCategorical() const { return !isDense() && !isBucketized(); }
};

/// One head.
struct ResolvedHead {
  const mlc::spec::v1::Head *message = nullptr;
  /// Indices of input columns; -1 without. `group`: the one whose values make groups.
  int label = -1;
  int weight = -1;
  int group = -1;
  /// Labels of the classes; empty if the label is the class.
  std::vector<std::string> classes;
  /// Classes with metrics of their own, of a multi-label head.
  std::vector<int64_t> metricClasses;
  /// Logits per row: 1, the number of classes, or of numbers that a regression predicts.
  int64_t logits = 1;
};

/// Everything the importer needs. Points into the document.
struct ResolvedSpec {
  std::vector<InputColumn> inputs;
  llvm::StringMap<int> inputByName;
  /// Each stands after those it refers to.
  std::vector<ResolvedColumn> columns;
  llvm::StringMap<int> columnByName;
  const mlc::spec::v1::Baseline *baseline = nullptr;
  /// Index of the input column whose rows a baseline model counts; -1 for other models.
  int baselineRows = -1;
  const mlc::spec::v1::Linear *linear = nullptr;
  const mlc::spec::v1::Dnn *dnn = nullptr;
  const mlc::spec::v1::Rnn *rnn = nullptr;
  /// Indices into `columns`, sorted by name.
  std::vector<int> linearColumns;
  std::vector<int> dnnColumns;
  std::vector<int> rnnSequences;
  std::vector<int> rnnContext;
  /// One, or several of different names.
  std::vector<ResolvedHead> heads;
};

/// The feature columns that a body takes in one of its fields.
struct ColumnList {
  const ProtoMessage *body;
  llvm::StringRef field;
  llvm::ArrayRef<int> columns;
};

/// The lists of the bodies that the model has.
llvm::SmallVector<ColumnList> columnLists(const ResolvedSpec &resolved);

/// Whether a column of the input is read: by a feature column of the model, as label or as weight.
std::vector<bool> inputsInUse(const ResolvedSpec &resolved);

/// Whether a feature column reaches the model, by itself or within another.
std::vector<bool> columnsInUse(const ResolvedSpec &resolved);

/// Checks the meaning of `document` and resolves it; sets every default in the document's spec, and expands its paths
/// (relative to the directory of their source). All errors go to `messages`; the result is whole, and defaults are set,
/// if `messages` has none.
ResolvedSpec resolveSpec(SpecDocument &document, common::MessageList &messages);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_RESOLVEDSPEC_H
