//===- ResolveModel.cpp - Head and run of a spec -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/Resolver.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlc;
using namespace mlc::frontend;
using namespace mlc::spec::v1;

//===----------------------------------------------------------------------===//
// Head
//===----------------------------------------------------------------------===//

void Resolver::resolveHeads() {
  for (const Head &head : spec().head())
    result_.heads.emplace_back().message = &head;
  if (result_.heads.size() > 1 || (spec().head_size() == 1 && spec().head(0).name_in_metrics()))
    checkHeadNames();
  // What columns are for is told by all heads before one is checked.
  for (ResolvedHead &head : result_.heads)
    resolveHeadColumns(head);
  for (ResolvedHead &head : result_.heads)
    resolveHead(head);
}

/// Several heads, and one whose metrics have its name, need names, which differ: keys of predictions, metrics and
/// settings have them.
void Resolver::checkHeadNames() {
  llvm::StringMap<const Head *> seen;
  for (const Head &head : spec().head()) {
    if (document_.isDamaged(head))
      continue;
    if (head.name().empty()) {
      const bool isOnly = spec().head_size() == 1;
      common::Message error = document_.makeError("E0107", document_.start(head),
                                                  isOnly ? "a head with name_in_metrics needs a name"
                                                         : "one of several heads needs a name");
      error.field = document_.path(head, "name");
      error.expected = isOnly ? "a name" : "a name for each head";
      report(std::move(error));
      continue;
    }
    if (llvm::StringRef(head.name()).contains('/')) {
      common::Message error = fieldError(head, "name", 0, "E0108", "'name' cannot be " + head.name());
      error.expected = "a name without '/', which stands between it and the key of a prediction or metric";
      report(std::move(error));
    }
    auto [place, isNew] = seen.try_emplace(head.name(), &head);
    if (isNew)
      continue;
    common::Message error =
        document_.makeError("E0109", document_.start(head), "head '" + head.name() + "' stands twice");
    error.related.push_back(document_.place(document_.start(*place->second), "the first"));
    error.expected = "heads with different names";
    report(std::move(error));
  }
}

/// Whether some head's label is the input column.
bool Resolver::isLabel(int input) const {
  return llvm::any_of(result_.heads, [&](const ResolvedHead &head) { return head.label == input; });
}

void Resolver::resolveHeadColumns(ResolvedHead &head) {
  const Head &message = *head.message;
  if (message.has_label())
    head.label = findInput(message, "label", 0, message.label());
  if (message.has_weight_column())
    head.weight = findInput(message, "weight_column", 0, message.weight_column());
  if (head.weight >= 0)
    result_.inputs[head.weight].role = InputRole::Weight;
  if (head.label >= 0)
    result_.inputs[head.label].role = InputRole::Label;
}

void Resolver::resolveWeight(const ResolvedHead &head) {
  const InputColumn &weight = result_.inputs[head.weight];
  if (weight.isString() || isLabel(head.weight)) {
    common::Message error =
        fieldError(*head.message, "weight_column", 0, "E0123",
                   "'" + weight.name + "' is " + (weight.isString() ? "a column of strings" : "the label") +
                       "; a weight is a column of numbers");
    error.related.push_back(document_.place(weight.span, "declared here"));
    report(std::move(error));
  }
  if (!areStepsLearned())
    checkScalar(*head.message, "weight_column", 0, weight, "a weight");
  else if (checkOnePerStep(*head.message, "weight_column", weight, "a weight") && !weight.isFloat())
    report(fieldError(*head.message, "weight_column", 0, "E0123",
                      "'" + weight.name + "' is " + Column::Dtype_Name(weight.message->dtype()) +
                          "; weights of steps are FLOAT32 or FLOAT64"));
  double fallback = 0;
  if (!llvm::StringRef(weight.message->default_value()).trim(" \t").getAsDouble(fallback) && fallback < 0) {
    common::Message error = fieldError(*weight.message, "default_value", 0, "E0108",
                                       "'default_value' cannot be " + weight.message->default_value());
    error.expected = "a weight >= 0: '" + weight.name + "' is the head's weight_column";
    report(std::move(error));
  }
}

void Resolver::resolveHead(ResolvedHead &head) {
  const Head &message = *head.message;
  if (head.weight >= 0)
    resolveWeight(head);
  if (head.label < 0)
    return;
  for (const ResolvedColumn &column : result_.columns) {
    bool uses = column.input == head.label || column.weight == head.label ||
                llvm::any_of(column.terms, [&](const CrossTerm &term) { return term.input == head.label; });
    if (!uses)
      continue;
    common::Message error =
        fieldError(message, "label", 0, "E0122", "label '" + message.label() + "' is used as a feature");
    error.related.push_back(document_.place(column.span, "feature column '" + column.name + "'"));
    report(std::move(error));
  }
  if (areStepsLearned())
    checkHeadOfSteps(head);
  if (message.has_regression())
    resolveRegression(head, message.regression().label_dimension(), message.regression());
  else if (message.has_logistic_regression())
    resolveRegression(head, message.logistic_regression().label_dimension(), message.logistic_regression());
  else if (message.has_poisson_regression())
    resolveRegression(head, message.poisson_regression().label_dimension(), message.poisson_regression());
  else if (message.has_multi_label())
    resolveMultiLabel(head);
  else if (areStepsLearned() || checkScalar(message, "label", 0, result_.inputs[head.label], "a label"))
    resolveClasses(head);
  if (message.has_binary_class())
    resolveGroup(head);
}

/// An error at `field` unless `input` has any number of values per row, of which each step takes one.
bool Resolver::checkOnePerStep(const ProtoMessage &message, llvm::StringRef field, const InputColumn &input,
                               const std::string &taker) {
  const auto &multi = input.message->multi_value();
  const bool isPlain = !multi.has_weight_separator() && !multi.has_lengths_column() && !multi.has_max_values();
  if (input.isMultiValued() && isPlain)
    return true;
  common::Message error = fieldError(message, field, 0, "E0123",
                                     "'" + input.name + "' is a column " +
                                         (!input.isMultiValued()         ? "of one value per row"
                                          : multi.has_weight_separator() ? "with weights in its cells"
                                          : multi.has_max_values()       ? "of which values are dropped (max_values)"
                                                                         : "with a lengths_column") +
                                         "; with return_sequences " + taker + " has one for each step");
  error.related.push_back(document_.place(input.span, "declared here"));
  error.help = "multi_value {} in the column '" + input.name + "'";
  report(std::move(error));
  return false;
}

/// What a head of steps takes.
void Resolver::checkHeadOfSteps(const ResolvedHead &head) {
  const Head &message = *head.message;
  const std::string several = "tells several things of a row; with return_sequences a head tells one of each step";
  if (message.has_multi_label())
    report(fieldError(message, "multi_label", 0, "E0131", "'multi_label' " + several));
  else
    checkOnePerStep(message, "label", result_.inputs[head.label], "a label");
  const ProtoMessage *kind = message.has_regression() ? &message.regression()
                             : message.has_logistic_regression()
                                 ? static_cast<const ProtoMessage *>(&message.logistic_regression())
                             : message.has_poisson_regression() ? &message.poisson_regression()
                                                                : nullptr;
  const int64_t dimension = message.has_regression()            ? message.regression().label_dimension()
                            : message.has_logistic_regression() ? message.logistic_regression().label_dimension()
                            : message.has_poisson_regression()  ? message.poisson_regression().label_dimension()
                                                                : 1;
  if (dimension > 1)
    report(fieldError(*kind, "label_dimension", 0, "E0131", "'label_dimension' " + several));
  if (message.has_binary_class() && message.binary_class().has_group_column())
    report(fieldError(message.binary_class(), "group_column", 0, "E0131",
                      "'group_column' is of rows; with return_sequences metrics are of steps"));
}

/// One number per row, or as many as `dimension`, the label_dimension of `kind`.
void Resolver::resolveRegression(ResolvedHead &head, int64_t dimension, const ProtoMessage &kind) {
  const InputColumn &label = result_.inputs[head.label];
  if (label.isString()) {
    common::Message error = fieldError(*head.message, "label", 0, "E0123",
                                       "label '" + label.name + "' is a column of strings; a regression takes numbers");
    error.related.push_back(document_.place(label.span, "declared here"));
    report(std::move(error));
    return;
  }
  if (areStepsLearned())
    return;
  if (label.isMultiValued()) {
    checkScalar(*head.message, "label", 0, label, "a label");
    return;
  }
  head.logits = dimension;
  if (label.elements() == dimension && label.shape().size() <= 1)
    return;
  bool isFlat = label.shape().size() <= 1;
  common::Message error =
      fieldError(*head.message, "label", 0, "E0121",
                 "'" + label.name + "' has " +
                     (isFlat ? std::to_string(label.elements()) + " values per row; 'label_dimension' is " +
                                   std::to_string(dimension)
                             : "a shape of " + std::to_string(label.shape().size()) + " dimensions; a label has one"));
  error.related.push_back(document_.place(label.span, "declared here"));
  if (Span set = document_.spans(kind, "label_dimension").name)
    error.related.push_back(document_.place(set, "label_dimension"));
  if (isFlat)
    error.help = "label_dimension: " + std::to_string(label.elements());
  report(std::move(error));
}

/// The kind's label_vocabulary becomes the classes; a label of strings needs it.
void Resolver::takeVocabulary(ResolvedHead &head, const ProtoMessage &kind,
                              const google::protobuf::RepeatedPtrField<std::string> &terms) {
  const InputColumn &label = result_.inputs[head.label];
  head.classes.assign(terms.begin(), terms.end());
  if (!head.classes.empty() || !label.isString())
    return;
  common::Message error = document_.makeError(
      "E0107", document_.start(kind), "label '" + label.name + "' is a column of strings and needs 'label_vocabulary'");
  error.field = document_.path(kind, "label_vocabulary");
  error.expected = "the labels of all classes in order";
  error.related.push_back(document_.place(label.span, "declared here"));
  report(std::move(error));
}

int64_t Resolver::countClasses(const ResolvedHead &head, const ProtoMessage &kind, bool hasNumber, int64_t number) {
  int64_t found = head.classes.size();
  if (!hasNumber || found == 0 || number == found)
    return hasNumber ? number : found;
  common::Message error = fieldError(kind, "n_classes", 0, "E0121",
                                     "'n_classes' is " + std::to_string(number) + "; 'label_vocabulary' has " +
                                         std::to_string(found) + " labels");
  error.related.push_back(document_.place(document_.spans(kind, "label_vocabulary").name, "label_vocabulary"));
  report(std::move(error));
  return number;
}

/// Terms of a vocabulary must be what cells of the label can be.
void Resolver::checkTerms(const ResolvedHead &head, const ProtoMessage &kind) {
  const InputColumn &label = result_.inputs[head.label];
  if (label.isString())
    return;
  for (auto [i, text] : llvm::enumerate(head.classes)) {
    int64_t value = 0;
    if (!label.isInteger() || llvm::StringRef(text).getAsInteger(10, value))
      report(fieldError(kind, "label_vocabulary", i, "E0123",
                        "'" + text + "' cannot be a label of '" + label.name + "', a column of " +
                            Column::Dtype_Name(label.message->dtype())));
  }
}

/// An error at the label if its cells are floats.
void Resolver::checkNoFloats(const ResolvedHead &head) {
  const InputColumn &label = result_.inputs[head.label];
  if (!label.isFloat())
    return;
  common::Message error =
      fieldError(*head.message, "label", 0, "E0123",
                 "label '" + label.name + "' is a column of floats; classes are integers or strings");
  error.related.push_back(document_.place(label.span, "declared here"));
  report(std::move(error));
}

/// A weight for each class, if there are any.
template <typename Kind> void Resolver::checkClassWeights(const Kind &kind, int64_t classes) {
  if (kind.class_weights_size() == 0 || kind.class_weights_size() == classes)
    return;
  report(fieldError(kind, "class_weights", 0, "E0121",
                    "'class_weights' has " + std::to_string(kind.class_weights_size()) + " weights for " +
                        std::to_string(classes) + " classes"));
}

/// Classes of which a row has one, against the label's type, and their number against the vocabulary.
void Resolver::resolveClasses(ResolvedHead &head) {
  if (head.message->has_binary_class() && !document_.isDamaged(head.message->binary_class())) {
    const BinaryClass &binary = head.message->binary_class();
    takeVocabulary(head, binary, binary.label_vocabulary());
    if (int64_t found = head.classes.size(); found != 0 && found != 2) {
      common::Message error =
          fieldError(binary, "label_vocabulary", 0, "E0121",
                     "a binary_class head has 2 classes; 'label_vocabulary' has " + std::to_string(found));
      error.help = found > 2 ? "use multi_class" : "";
      report(std::move(error));
    }
    checkTerms(head, binary);
    checkClassWeights(binary, 2);
  }
  if (head.message->has_multi_class() && !document_.isDamaged(head.message->multi_class())) {
    const MultiClass &multi = head.message->multi_class();
    takeVocabulary(head, multi, multi.label_vocabulary());
    head.logits = countClasses(head, multi, multi.has_n_classes(), multi.n_classes());
    if (head.logits <= 2 && !multi.has_n_classes()) {
      common::Message error =
          document_.makeError("E0107", document_.start(multi), "a multi_class head needs more than 2 classes");
      error.field = document_.path(multi);
      error.expected = "n_classes, or label_vocabulary";
      error.help = head.logits == 2 ? "use binary_class" : "";
      report(std::move(error));
    }
    checkNoFloats(head);
    checkTerms(head, multi);
    checkClassWeights(multi, head.logits);
  }
}

/// Classes of which a row has any number: a multi-valued label, or a vector of truth values.
void Resolver::resolveMultiLabel(ResolvedHead &head) {
  const MultiLabel &multi = head.message->multi_label();
  const InputColumn &label = result_.inputs[head.label];
  if (document_.isDamaged(multi))
    return;
  takeVocabulary(head, multi, multi.label_vocabulary());
  int64_t classes = head.logits = countClasses(head, multi, multi.has_n_classes(), multi.n_classes());
  if (classes < 2 && !multi.has_n_classes()) {
    common::Message error =
        document_.makeError("E0107", document_.start(multi), "a multi_label head needs at least 2 classes");
    error.field = document_.path(multi);
    error.expected = "n_classes, or label_vocabulary";
    report(std::move(error));
  } else if (label.isMultiValued() && label.message->multi_value().has_weight_separator()) {
    common::Message error =
        fieldError(*head.message, "label", 0, "E0123",
                   "label '" + label.name + "' has weights in its cells; a set of classes has none");
    error.related.push_back(document_.place(label.span, "declared here"));
    report(std::move(error));
  } else if (label.isMultiValued()) {
    checkNoFloats(head);
    checkTerms(head, multi);
  } else if (label.isString() || label.shape() != std::vector<int64_t>{classes}) {
    common::Message error =
        fieldError(*head.message, "label", 0, "E0123",
                   "label '" + label.name + "' cannot tell any number of " + std::to_string(classes) + " classes");
    error.expected = "a column with multi_value, or one of numbers with  shape: " + std::to_string(classes);
    error.related.push_back(document_.place(label.span, "declared here"));
    report(std::move(error));
  }
  for (auto [i, text] : llvm::enumerate(multi.classes_for_class_based_metrics())) {
    auto place = llvm::find(head.classes, text);
    int64_t which = place - head.classes.begin();
    if (head.classes.empty() && llvm::StringRef(text).getAsInteger(10, which))
      which = -1;
    if (which >= 0 && which < classes)
      head.metricClasses.push_back(which);
    else
      report(fieldError(multi, "classes_for_class_based_metrics", i, "E0121", "'" + text + "' is none of the classes"));
  }
}

/// The column that makes groups: one string or integer per row.
void Resolver::resolveGroup(ResolvedHead &head) {
  const BinaryClass &binary = head.message->binary_class();
  if (!binary.has_group_column())
    return;
  head.group = findInput(binary, "group_column", 0, binary.group_column());
  if (head.group < 0)
    return;
  const InputColumn &group = result_.inputs[head.group];
  if (isLabel(head.group) || !group.isDiscrete()) {
    common::Message error = fieldError(
        binary, "group_column", 0, "E0123",
        "'" + group.name + "' is " +
            (isLabel(head.group) ? "the label" : "a column of " + Column::Dtype_Name(group.message->dtype())) +
            "; groups are of equal strings or integers");
    error.related.push_back(document_.place(group.span, "declared here"));
    report(std::move(error));
  }
  checkScalar(binary, "group_column", 0, group, "a group");
}

/// Picks the column that tells a baseline model how many rows there are. One in which a missing cell is no error comes
/// first.
void Resolver::resolveBaselineRows() {
  if (!result_.baseline || result_.inputs.empty())
    return;
  for (auto [i, input] : llvm::enumerate(result_.inputs)) {
    if (input.role != InputRole::Feature)
      continue;
    if (result_.baselineRows < 0 || input.isDiscrete())
      result_.baselineRows = static_cast<int>(i);
    if (input.isDiscrete())
      return;
  }
  if (result_.baselineRows >= 0)
    return;
  common::Message error = document_.makeError("E0107", document_.start(*result_.baseline),
                                              "a baseline model needs a column of the input besides label and weight");
  error.field = document_.path(*result_.baseline);
  error.expected = "any column; it tells how many rows there are";
  report(std::move(error));
}

//===----------------------------------------------------------------------===//
// Run
//===----------------------------------------------------------------------===//

void Resolver::resolveRun() {
  if (spec().train().validation().has_column())
    findInput(spec().train().validation(), "column", 0, spec().train().validation().column());
  for (int i = 0; i < spec().predict().forward_features_size(); ++i)
    findInput(spec().predict(), "forward_features", i, spec().predict().forward_features(i));
  llvm::StringMap<const Eval *> seen;
  for (const Eval &eval : spec().eval()) {
    auto [place, isNew] = seen.try_emplace(eval.name(), &eval);
    if (isNew)
      continue;
    std::string what = eval.name().empty() ? "a second eval without a name" : "eval '" + eval.name() + "' stands twice";
    common::Message error = document_.makeError("E0109", document_.start(eval), what);
    error.related.push_back(document_.place(document_.start(*place->second), "the first"));
    error.expected = "evals with different names";
    report(std::move(error));
  }
  if (result_.baseline)
    checkSchedule(result_.baseline->optimizer().schedule());
  if (result_.linear)
    checkSchedule(result_.linear->optimizer().schedule());
  if (result_.dnn)
    checkSchedule(result_.dnn->optimizer().schedule());
  if (result_.rnn)
    checkSchedule(result_.rnn->optimizer().schedule());
}

/// A piecewise schedule has one value more than boundaries.
void Resolver::checkSchedule(const LearningRateSchedule &schedule) {
  const auto &pieces = schedule.piecewise_constant();
  int boundaries = pieces.boundaries_size(), values = pieces.values_size();
  if (boundaries == 0 || values == 0 || values == boundaries + 1)
    return;
  report(fieldError(pieces, "values", 0, "E0121",
                    std::to_string(boundaries) + " boundaries need " + std::to_string(boundaries + 1) +
                        " values; found " + std::to_string(values)));
}
