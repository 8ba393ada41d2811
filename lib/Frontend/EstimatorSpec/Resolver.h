//===- Resolver.h - Resolves the parts of a spec, one after the other -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_RESOLVER_H
#define LIB_FRONTEND_ESTIMATORSPEC_RESOLVER_H

#include "lib/Frontend/EstimatorSpec/ResolvedSpec.h"

namespace mlc::frontend {

/// The work of resolveSpec. Parts are resolved in the order of the methods; each adds its errors and goes on.
class Resolver {
public:
  Resolver(SpecDocument &document, common::MessageList &messages) : document_(document), messages_(messages) {}

  /// Gives elements of lists their names, so that paths in messages show them.
  void nameElements();
  /// Expands variables in the fields that are paths, and makes them absolute.
  void resolvePaths();
  /// Name, version, input format and columns.
  void resolveInput();
  /// All feature columns.
  void resolveColumns();
  /// Which feature columns a body takes.
  void resolveModel();
  /// Names, labels, weights, classes.
  void resolveHeads();
  /// The column that a baseline model counts rows by.
  void resolveBaselineRows();
  /// Conflicts within train, eval and run_config.
  void resolveRun();
  /// Sets what was left to defaults. Only for a spec without errors.
  void setDefaults();

  ResolvedSpec take() { return std::move(result_); }

private:
  using Estimator = mlc::spec::v1::Estimator;
  using FeatureColumn = mlc::spec::v1::FeatureColumn;

  const Estimator &spec() const { return document_.spec(); }
  /// Adds an error at element `index` of `field` (singular: 0) with its path; returns it for more detail.
  common::Message fieldError(const ProtoMessage &message, llvm::StringRef field, int index, std::string code,
                             std::string what) const;
  void report(common::Message message) { messages_.add(std::move(message)); }
  /// "did you mean 'x' (file:line)?" over input columns that `fits` takes, or feature columns.
  std::string inputHelp(llvm::StringRef name, llvm::function_ref<bool(const InputColumn &)> fits) const;
  std::string columnHelp(llvm::StringRef name) const;

  int fieldSource(const ProtoMessage &message, const ProtoField &field, int index) const;
  std::string placeFrom(const ProtoMessage &message, Span span) const;
  void resolvePathsOf(ProtoMessage &message);
  void checkCsv();
  void checkLibSvm();
  void checkMultiValue(const mlc::spec::v1::Column &column);
  void resolveLengths(InputColumn &column);
  void checkListDefault(const mlc::spec::v1::Column &column);
  void checkShape(const mlc::spec::v1::Column &column);
  void checkDefault(const mlc::spec::v1::Column &column);
  void addInputColumn(const mlc::spec::v1::Column &column, int index, const std::string &name);

  /// The input column that `name`, element `index` of `field` of `message`, refers to; -1 after an error.
  int findInput(const ProtoMessage &message, llvm::StringRef field, int index, llvm::StringRef name);
  /// Whether `input` has one value per row, as `taker` needs; adds an error at element `index` of `field` if not.
  bool checkScalar(const ProtoMessage &message, llvm::StringRef field, int index, const InputColumn &input,
                   const std::string &taker);
  /// Whether a column of the input lacks its name for an error that is told.
  bool hasLostInput() const;
  /// Whether a feature column lacks its name for an error that is told.
  bool hasLostColumn() const;
  /// As findInput, for a feature column.
  int findColumn(const ProtoMessage &message, llvm::StringRef field, int index, llvm::StringRef name);
  void declareColumns(const FeatureColumn &message);
  void declareColumn(ResolvedColumn column);
  bool resolveColumn(ResolvedColumn &column);
  bool resolveNumeric(ResolvedColumn &column);
  bool resolveSequenceNumeric(ResolvedColumn &column);
  template <typename Message> InputColumn *findNumbers(ResolvedColumn &column, const Message &message);
  bool resolveBucketized(ResolvedColumn &column);
  bool resolveCategorical(ResolvedColumn &column);
  bool resolveCrossed(ResolvedColumn &column);
  bool resolveTerm(ResolvedColumn &column, const mlc::spec::v1::CrossedTerm &term);
  bool resolveWeighted(ResolvedColumn &column);
  bool resolveWrapper(ResolvedColumn &column);
  template <typename Message> bool checkTable(const ResolvedColumn &column, const Message &message);
  void resolveShared(llvm::ArrayRef<ResolvedColumn> group);
  /// Whether a categorical column has one id in each row at most.
  bool hasOneId(const ResolvedColumn &column) const;
  bool readVocabulary(ResolvedColumn &column);
  bool checkFallback(const ResolvedColumn &column, const ProtoMessage &message, int64_t fallback);

  /// How a field of a body takes feature columns.
  enum class ColumnUse { Linear, Dense, Sequence };
  void resolveRnn(const mlc::spec::v1::Rnn &rnn);
  std::vector<int> resolveColumnList(const ProtoMessage &body, llvm::StringRef field, ColumnUse use);
  void checkKind(const ProtoMessage &body, llvm::StringRef field, int index, const ResolvedColumn &column,
                 ColumnUse use);
  void checkSequence(const ProtoMessage &body, llvm::StringRef field, int index, const ResolvedColumn &column);
  void helpToWrap(common::Message &error, const ProtoMessage &body, const ResolvedColumn &column);
  void checkHeadNames();
  bool isLabel(int input) const;
  void resolveHeadColumns(ResolvedHead &head);
  void resolveWeight(const ResolvedHead &head);
  void resolveHead(ResolvedHead &head);
  void checkHeadOfSteps(const ResolvedHead &head);
  bool checkOnePerStep(const ProtoMessage &message, llvm::StringRef field, const InputColumn &input,
                       const std::string &taker);
  bool areStepsLearned() const { return result_.rnn && result_.rnn->return_sequences(); }
  void resolveRegression(ResolvedHead &head, int64_t dimension, const ProtoMessage &kind);
  template <typename Kind> void checkClassWeights(const Kind &kind, int64_t classes);
  void resolveClasses(ResolvedHead &head);
  void resolveMultiLabel(ResolvedHead &head);
  /// The number of classes: n_classes of `kind`, or the size of its vocabulary; an error if they differ.
  int64_t countClasses(const ResolvedHead &head, const ProtoMessage &kind, bool hasNumber, int64_t number);
  void takeVocabulary(ResolvedHead &head, const ProtoMessage &kind,
                      const google::protobuf::RepeatedPtrField<std::string> &terms);
  void checkTerms(const ResolvedHead &head, const ProtoMessage &kind);
  void checkNoFloats(const ResolvedHead &head);
  void resolveGroup(ResolvedHead &head);

  void checkSchedule(const mlc::spec::v1::LearningRateSchedule &schedule);

  /// The message in `field` of `parent`, made if it is not there.
  ProtoMessage &ensure(ProtoMessage &parent, llvm::StringRef field);
  void setOptimizerDefaults(ProtoMessage &body, double learningRate, llvm::StringRef rule);
  void setModelDefaults();
  void setInitializerDefault(ProtoMessage &embedding, int64_t dimension);
  void setColumnDefaults();

  bool isColumnLost_ = false; ///< a feature column needs an input column that is not there
  SpecDocument &document_;
  common::MessageList &messages_;
  ResolvedSpec result_;
};

/// The names of the columns that a message makes: its name, or those derived of its keys; empty if it has no kind.
std::vector<std::string> columnNames(const mlc::spec::v1::FeatureColumn &column);

/// The names by which paths call an element of a list of messages: those of the columns it declares or makes, or its
/// name if it has one.
std::vector<std::string> elementNames(const ProtoMessage &element);

/// The field that holds what makes the columns of a kind (key, source_column, categorical_column, categorical_columns);
/// null for a cross.
const ProtoField *elementField(const ProtoMessage &kind);

/// "categorical_with_hash_bucket" and so on, for messages.
std::string kindName(const ResolvedColumn &column);

/// The kind's message of a feature column (Numeric, Embedding, ...); null if none is set.
const ProtoMessage *kindMessage(const mlc::spec::v1::FeatureColumn &column);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_RESOLVER_H
