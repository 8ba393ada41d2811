//===- ResolveBodies.cpp - The bodies of a model and the columns they take --------===//
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

void Resolver::resolveModel() {
  if (!spec().has_model())
    return;
  const Model &model = spec().model();
  if (model.has_baseline()) {
    result_.baseline = &model.baseline();
    return;
  }
  if (model.has_rnn()) {
    resolveRnn(model.rnn());
    return;
  }
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
    result_.linearColumns = resolveColumnList(*result_.linear, "feature_columns", ColumnUse::Linear);
  if (result_.dnn)
    result_.dnnColumns = resolveColumnList(*result_.dnn, "feature_columns", ColumnUse::Dense);
}

void Resolver::resolveRnn(const Rnn &rnn) {
  result_.rnn = &rnn;
  result_.rnnSequences = resolveColumnList(rnn, "sequence_feature_columns", ColumnUse::Sequence);
  result_.rnnContext = resolveColumnList(rnn, "context_feature_columns", ColumnUse::Dense);
  if (rnn.return_sequences() && spec().head_size() > 1) {
    common::Message error = fieldError(rnn, "return_sequences", 0, "E0131",
                                       "several heads learn rows; found return_sequences, for a head of steps");
    error.expected = "one head";
    report(std::move(error));
  }
  for (int column : result_.rnnContext) {
    if (!llvm::is_contained(result_.rnnSequences, column))
      continue;
    const std::string &name = result_.columns[column].name;
    common::Message error =
        document_.makeError("E0109", document_.spans(rnn, "context_feature_columns").name,
                            "'" + name + "' stands in 'sequence_feature_columns' and in 'context_feature_columns'");
    error.field = document_.path(rnn, "context_feature_columns");
    error.help = "two columns of one shared_embeddings have one table";
    report(std::move(error));
  }
}

/// The columns that a field of a body names, sorted by name as tf's input layers are.
std::vector<int> Resolver::resolveColumnList(const ProtoMessage &body, llvm::StringRef field, ColumnUse use) {
  const ProtoField &descriptor = *body.GetDescriptor()->FindFieldByName(field.str());
  const auto &patterns = body.GetReflection()->GetRepeatedPtrField<std::string>(body, &descriptor);
  std::vector<int> columns;
  llvm::DenseMap<int, int> firstAt;
  auto add = [&](int column, int index, bool isGlob) {
    auto [place, isNew] = firstAt.try_emplace(column, index);
    if (isNew) {
      columns.push_back(column);
      checkKind(body, field, index, result_.columns[column], use);
    } else if (!isGlob && !frontend::isGlob(patterns[place->second])) {
      common::Message error = fieldError(
          body, field, index, "E0109", "'" + result_.columns[column].name + "' stands twice in '" + field.str() + "'");
      error.related.push_back(document_.place(document_.spans(body, field, place->second).value, "first here"));
      report(std::move(error));
    }
  };
  for (auto [index, pattern] : llvm::enumerate(patterns)) {
    std::vector<std::string> names;
    std::string problem = expandRanges(pattern, names);
    if (!problem.empty())
      report(fieldError(body, field, index, "E0112", problem));
    for (const std::string &name : names) {
      if (!isGlob(name)) {
        int column = findColumn(body, field, index, name);
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
      if (!matched && !hasLostColumn())
        report(fieldError(body, field, index, "E0111", "'" + name + "' matches no feature column"));
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

/// A linear model takes all columns but sequences of numbers; a dnn, and the context of an rnn, dense and bucketized
/// ones.
void Resolver::checkKind(const ProtoMessage &body, llvm::StringRef field, int index, const ResolvedColumn &column,
                         ColumnUse use) {
  if (use == ColumnUse::Sequence)
    return checkSequence(body, field, index, column);
  if (column.isSequenceNumeric()) {
    common::Message error = fieldError(body, field, index, "E0110",
                                       "'" + column.name +
                                           "' is a sequence; an rnn takes it in its "
                                           "'sequence_feature_columns'");
    error.related.push_back(document_.place(column.span, "'" + column.name + "'"));
    report(std::move(error));
    return;
  }
  if (use == ColumnUse::Linear || !column.isCategorical())
    return;
  const std::string taker = &body == result_.rnn ? "the context of an rnn" : "a dnn";
  common::Message error = fieldError(body, field, index, "E0110",
                                     "'" + column.name + "' is categorical; " + taker + " takes dense columns");
  error.expected = "numeric, bucketized, indicator or embedding";
  helpToWrap(error, body, column);
  report(std::move(error));
}

/// Says how `column`, which is categorical, becomes dense.
void Resolver::helpToWrap(common::Message &error, const ProtoMessage &body, const ResolvedColumn &column) {
  for (const ResolvedColumn &other : result_.columns)
    if (error.help.empty() && other.source >= 0 && result_.columns[other.source].name == column.name)
      error.help = "use \"" + other.name + "\" (" + placeFrom(body, other.span) + "), or ";
  error.help += "add  feature_column { indicator { categorical_column: \"" + column.name + "\" } }";
  error.related.push_back(document_.place(column.span, "'" + column.name + "'"));
}

/// A sequence has a step for each value of a multi_value column: its number, or what stands for its id.
void Resolver::checkSequence(const ProtoMessage &body, llvm::StringRef field, int index, const ResolvedColumn &column) {
  if (column.isSequenceNumeric())
    return;
  auto tell = [&](const std::string &what, llvm::function_ref<void(common::Message &)> detail) {
    common::Message error = fieldError(body, field, index, "E0110", "'" + column.name + "' " + what);
    error.expected = "sequence_numeric, or an indicator or embedding of a categorical column of a multi_value column";
    detail(error);
    report(std::move(error));
  };
  auto showColumn = [&](common::Message &error) {
    error.related.push_back(document_.place(column.span, "'" + column.name + "'"));
  };
  if (column.isCategorical())
    return tell("is categorical; an rnn takes numbers",
                [&](common::Message &error) { helpToWrap(error, body, column); });
  if (column.source < 0 && column.kind != FeatureColumn::kIndicator && !column.isEmbedding())
    return tell("is " + kindName(column) + ", which is no sequence", showColumn);
  if (column.source < 0)
    return; // an error is told
  const ResolvedColumn &source = result_.columns[column.source];
  if (!source.isCategorical() || source.kind == FeatureColumn::kCrossed ||
      source.kind == FeatureColumn::kWeightedCategorical)
    return tell("is of '" + source.name + "', which is " + kindName(source) + ": its values are no steps", showColumn);
  if (source.input < 0 || result_.inputs[source.input].isMultiValued())
    return;
  const InputColumn &input = result_.inputs[source.input];
  tell("is of '" + input.name + "', which has one value per row", [&](common::Message &error) {
    error.help = "multi_value {} in the column '" + input.name + "'";
    error.related.push_back(document_.place(input.span, "declared here"));
  });
}
