//===- ResolveModel.cpp - Model, head and run of a spec ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/NamePatterns.h"
#include "lib/Frontend/EstimatorSpec/Resolver.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlc;
using namespace mlc::frontend;
using namespace mlc::spec::v1;

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

void Resolver::resolveModel() {
  if (!spec().has_model())
    return;
  const Model &model = spec().model();
  if (model.has_linear())
    result_.linear = &model.linear();
  if (model.has_dnn())
    result_.dnn = &model.dnn();
  if (model.has_dnn_linear_combined()) {
    const DnnLinearCombined &both = model.dnn_linear_combined();
    if (both.has_linear())
      result_.linear = &both.linear();
    if (both.has_dnn())
      result_.dnn = &both.dnn();
  }
  if (!result_.linear && !result_.dnn) {
    const auto &both = model.dnn_linear_combined();
    if (!model.has_dnn_linear_combined() || document_.isDamaged(both))
      return; // the rules say that a body is missing
    common::Message error = document_.makeError("E0107", document_.start(both), "the model has no body");
    error.field = document_.path(both);
    error.expected = "linear { ... }, dnn { ... } or both";
    report(std::move(error));
    return;
  }
  if (result_.linear)
    result_.linearColumns = resolveColumnList(*result_.linear, /*isDnn=*/false);
  if (result_.dnn)
    result_.dnnColumns = resolveColumnList(*result_.dnn, /*isDnn=*/true);
}

/// The columns that a body's feature_columns name, sorted by name as tf's input layers are.
std::vector<int> Resolver::resolveColumnList(const ProtoMessage &body, bool isDnn) {
  const auto &patterns = isDnn ? result_.dnn->feature_columns() : result_.linear->feature_columns();
  std::vector<int> columns;
  llvm::DenseMap<int, int> firstAt;
  auto add = [&](int column, int index, bool isGlob) {
    auto [place, isNew] = firstAt.try_emplace(column, index);
    if (isNew) {
      columns.push_back(column);
      checkKind(body, index, result_.columns[column], isDnn);
    } else if (!isGlob && !frontend::isGlob(patterns[place->second])) {
      common::Message error = fieldError(body, "feature_columns", index, "E0109",
                                         "'" + result_.columns[column].name + "' stands twice in 'feature_columns'");
      error.related.push_back(
          document_.place(document_.spans(body, "feature_columns", place->second).value, "first here"));
      report(std::move(error));
    }
  };
  for (auto [index, pattern] : llvm::enumerate(patterns)) {
    std::vector<std::string> names;
    std::string problem = expandRanges(pattern, names);
    if (!problem.empty())
      report(fieldError(body, "feature_columns", index, "E0112", problem));
    for (const std::string &name : names) {
      if (!isGlob(name)) {
        int column = findColumn(body, "feature_columns", index, name);
        if (column >= 0)
          add(column, index, /*isGlob=*/false);
        continue;
      }
      bool matched = false;
      for (auto [i, column] : llvm::enumerate(result_.columns)) {
        if (!matchesGlob(name, column.name))
          continue;
        matched = true;
        add(i, index, /*isGlob=*/true);
      }
      if (!matched)
        report(fieldError(body, "feature_columns", index, "E0111", "'" + name + "' matches no feature column"));
    }
  }
  llvm::sort(columns, [&](int a, int b) { return result_.columns[a].name < result_.columns[b].name; });
  return columns;
}

/// Where `span` is, for a message about something else in `message`: "line 24" in the same file.
std::string Resolver::placeFrom(const ProtoMessage &message, Span span) const {
  bool same = document_.start(message).source == span.source;
  return same ? "line " + std::to_string(span.line) : document_.origin(span);
}

/// A dnn takes dense and bucketized columns, a linear model all but embeddings.
void Resolver::checkKind(const ProtoMessage &body, int index, const ResolvedColumn &column, bool isDnn) {
  if (isDnn ? !column.isCategorical() : !column.isEmbedding())
    return;
  common::Message error;
  if (isDnn) {
    error = fieldError(body, "feature_columns", index, "E0110",
                       "'" + column.name + "' is categorical; a dnn takes dense columns");
    error.expected = "numeric, bucketized, indicator or embedding";
    for (const ResolvedColumn &other : result_.columns)
      if (error.help.empty() && other.source >= 0 && result_.columns[other.source].name == column.name)
        error.help = "use \"" + other.name + "\" (" + placeFrom(body, other.span) + "), or ";
    error.help += "add  feature_column { indicator { categorical_column: \"" + column.name + "\" } }";
  } else {
    error = fieldError(body, "feature_columns", index, "E0110",
                       "'" + column.name + "' is an embedding; a linear model has weights of its own");
    error.expected = "numeric, bucketized or categorical";
    error.help = "use \"" + column.element + "\"";
  }
  error.related.push_back(document_.place(column.span, "'" + column.name + "'"));
  report(std::move(error));
}

//===----------------------------------------------------------------------===//
// Head
//===----------------------------------------------------------------------===//

void Resolver::resolveHead() {
  if (spec().head_size() == 0)
    return;
  if (spec().head_size() > 1) {
    common::Message error = document_.makeError("E0131", document_.start(spec().head(1)), "there is a second head");
    error.expected = "one head; this version of mlc has no multi-head models";
    error.related.push_back(document_.place(document_.start(spec().head(0)), "the first"));
    report(std::move(error));
  }
  const Head &head = spec().head(0);
  result_.head = &head;
  if (head.has_label())
    result_.label = findInput(head, "label", 0, head.label());
  if (head.has_weight_column())
    result_.weight = findInput(head, "weight_column", 0, head.weight_column());
  if (result_.weight >= 0) {
    InputColumn &weight = result_.inputs[result_.weight];
    weight.role = InputRole::Weight;
    if (weight.isString() || result_.weight == result_.label) {
      common::Message error =
          fieldError(head, "weight_column", 0, "E0123",
                     "'" + weight.name + "' is " + (weight.isString() ? "a column of strings" : "the label") +
                         "; a weight is a column of numbers");
      error.related.push_back(document_.place(weight.span, "declared here"));
      report(std::move(error));
    }
    checkScalar(head, "weight_column", 0, weight, "a weight");
  }
  if (result_.label < 0)
    return;
  result_.inputs[result_.label].role = InputRole::Label;
  checkScalar(head, "label", 0, result_.inputs[result_.label], "a label");
  for (const ResolvedColumn &column : result_.columns) {
    bool uses = column.input == result_.label || column.weight == result_.label ||
                llvm::any_of(column.terms, [&](const CrossTerm &term) { return term.input == result_.label; });
    if (!uses)
      continue;
    common::Message error = fieldError(head, "label", 0, "E0122", "label '" + head.label() + "' is used as a feature");
    error.related.push_back(document_.place(column.span, "feature column '" + column.name + "'"));
    report(std::move(error));
  }
  resolveClasses();
}

/// Classes against the label's type, and their number against the vocabulary.
void Resolver::resolveClasses() {
  const Head &head = *result_.head;
  const InputColumn &label = result_.inputs[result_.label];
  if (head.has_regression() || head.has_logistic_regression() || head.has_poisson_regression()) {
    if (label.isString()) {
      common::Message error = fieldError(
          head, "label", 0, "E0123", "label '" + label.name + "' is a column of strings; a regression takes numbers");
      error.related.push_back(document_.place(label.span, "declared here"));
      report(std::move(error));
    }
    return;
  }
  const ProtoMessage *kind = head.has_binary_class()  ? static_cast<const ProtoMessage *>(&head.binary_class())
                             : head.has_multi_class() ? &head.multi_class()
                                                      : nullptr;
  if (!kind || document_.isDamaged(*kind))
    return;
  const auto &vocabulary =
      head.has_binary_class() ? head.binary_class().label_vocabulary() : head.multi_class().label_vocabulary();
  result_.classes.assign(vocabulary.begin(), vocabulary.end());
  if (result_.classes.empty() && label.isString()) {
    common::Message error =
        document_.makeError("E0107", document_.start(*kind),
                            "label '" + label.name + "' is a column of strings and needs 'label_vocabulary'");
    error.field = document_.path(*kind, "label_vocabulary");
    error.expected = "the labels of all classes in order";
    error.related.push_back(document_.place(label.span, "declared here"));
    report(std::move(error));
  }
  int64_t found = result_.classes.size();
  if (head.has_binary_class()) {
    if (found != 0 && found != 2) {
      common::Message error =
          fieldError(*kind, "label_vocabulary", 0, "E0121",
                     "a binary_class head has 2 classes; 'label_vocabulary' has " + std::to_string(found));
      error.help = found > 2 ? "use multi_class" : "";
      report(std::move(error));
    }
  } else {
    const MultiClass &multi = head.multi_class();
    int64_t classes = multi.has_n_classes() ? multi.n_classes() : found;
    if (found != 0 && classes != found) {
      common::Message error = fieldError(multi, "n_classes", 0, "E0121",
                                         "'n_classes' is " + std::to_string(classes) + "; 'label_vocabulary' has " +
                                             std::to_string(found) + " labels");
      error.related.push_back(document_.place(document_.spans(multi, "label_vocabulary").name, "label_vocabulary"));
      report(std::move(error));
    } else if (classes <= 2 && !multi.has_n_classes()) {
      common::Message error =
          document_.makeError("E0107", document_.start(multi), "a multi_class head needs more than 2 classes");
      error.field = document_.path(multi);
      error.expected = "n_classes, or label_vocabulary";
      error.help = classes == 2 ? "use binary_class" : "";
      report(std::move(error));
    }
    result_.logits = classes;
    if (label.isFloat()) {
      common::Message error =
          fieldError(head, "label", 0, "E0123",
                     "label '" + label.name + "' is a column of floats; classes are integers or strings");
      error.related.push_back(document_.place(label.span, "declared here"));
      report(std::move(error));
    }
  }
  if (label.isString())
    return;
  for (auto [i, text] : llvm::enumerate(result_.classes)) {
    int64_t value = 0;
    if (!label.isInteger() || llvm::StringRef(text).getAsInteger(10, value))
      report(fieldError(*kind, "label_vocabulary", i, "E0123",
                        "'" + text + "' cannot be a label of '" + label.name + "', a column of " +
                            Column::Dtype_Name(label.message->dtype())));
  }
}

//===----------------------------------------------------------------------===//
// Run
//===----------------------------------------------------------------------===//

void Resolver::resolveRun() {
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
  if (result_.linear)
    checkSchedule(result_.linear->optimizer().schedule());
  if (result_.dnn)
    checkSchedule(result_.dnn->optimizer().schedule());
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
