//===- ResolveColumnsOfColumns.cpp - Feature columns made of feature columns ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/Resolver.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlc;
using namespace mlc::frontend;
using namespace mlc::spec::v1;

bool Resolver::resolveCrossed(ResolvedColumn &column) {
  const Crossed &crossed = column.message->crossed();
  column.size = crossed.hash_bucket_size();
  bool fine = true;
  for (const CrossedTerm &term : crossed.term())
    fine &= resolveTerm(column, term);
  return fine && crossed.term_size() > 1;
}

bool Resolver::resolveTerm(ResolvedColumn &column, const CrossedTerm &term) {
  if (term.has_key()) {
    int input = findInput(term, "key", 0, term.key());
    if (input < 0)
      return false;
    if (!result_.inputs[input].isString()) {
      common::Message error = fieldError(term, "key", 0, "E0123",
                                         "'" + term.key() + "' is not a column of strings, which a cross takes raw");
      error.related.push_back(document_.place(result_.inputs[input].span, "declared here"));
      error.help = "cross a bucketized or categorical_with_identity column of it:  term { column: \"...\" }";
      report(std::move(error));
      return false;
    }
    column.terms.push_back({input, -1});
    return result_.inputs[input].isMultiValued() || checkScalar(term, "key", 0, result_.inputs[input], "a cross");
  }
  if (!term.has_column())
    return false;
  int source = findColumn(term, "column", 0, term.column());
  if (source < 0)
    return false;
  const ResolvedColumn &other = result_.columns[source];
  bool hashed = other.kind == FeatureColumn::kCategoricalWithHashBucket, cross = other.kind == FeatureColumn::kCrossed,
       weighted = other.kind == FeatureColumn::kWeightedCategorical;
  if (hashed || cross || weighted || other.isDense()) {
    std::string kind = hashed ? "hashed" : cross ? "a cross" : weighted ? "weighted" : "dense";
    common::Message error = fieldError(term, "column", 0, "E0110",
                                       "'" + other.name + "' is " + kind +
                                           "; a cross takes vocabularies, identities, "
                                           "bucketized columns and raw strings");
    error.related.push_back(document_.place(other.span, "'" + other.name + "'"));
    if (hashed)
      error.help = "term { key: \"" + other.element + "\" }";
    else if (cross)
      error.help = "write its terms here";
    else if (weighted)
      error.help = "a cross takes no weights:  term { column: \"" + other.element + "\" }";
    report(std::move(error));
    return false;
  }
  column.terms.push_back({-1, source});
  return true;
}

bool Resolver::hasOneId(const ResolvedColumn &column) const {
  auto isOne = [&](int input) {
    return input < 0 || (result_.inputs[input].elements() == 1 && !result_.inputs[input].isMultiValued());
  };
  return isOne(column.input) && llvm::all_of(column.terms, [&](const CrossTerm &term) {
           return isOne(term.input) && (term.column < 0 || hasOneId(result_.columns[term.column]));
         });
}

bool Resolver::resolveWeighted(ResolvedColumn &column) {
  const WeightedCategorical &weighted = column.message->weighted_categorical();
  column.source = findColumn(weighted, "categorical_column", 0, column.element);
  if (column.source < 0)
    return false;
  const ResolvedColumn &source = result_.columns[column.source];
  column.size = source.size;
  if (source.isDense() || source.kind == FeatureColumn::kWeightedCategorical) {
    common::Message error = fieldError(weighted, "categorical_column", 0, "E0110",
                                       "'" + source.name + "' is " + (source.isDense() ? "dense" : "weighted") + "; " +
                                           kindName(column) + " takes a categorical column without weights");
    error.related.push_back(document_.place(source.span, "'" + source.name + "'"));
    report(std::move(error));
    return false;
  }
  const std::string &key = weighted.weight_feature_key();
  const InputColumn *values = source.input >= 0 ? &result_.inputs[source.input] : nullptr;
  if (values && values->isMultiValued()) {
    std::string own = values->name + ".weight";
    bool hasWeights = values->message->multi_value().has_weight_separator();
    if (key == own && hasWeights)
      return true;
    common::Message error =
        fieldError(weighted, "weight_feature_key", 0, "E0123",
                   hasWeights ? "'" + key + "' cannot be the weights of the values of '" + values->name + "'"
                              : "the values of '" + values->name + "' have no weights");
    error.expected = "'" + own + "', the weights that stand after the values";
    error.related.push_back(document_.place(values->span, "declared here"));
    if (!hasWeights)
      error.help = "give '" + values->name + "' a weight_separator:  multi_value { weight_separator: \":\" }";
    report(std::move(error));
    return false;
  }
  if (!hasOneId(source)) {
    common::Message error = fieldError(weighted, "categorical_column", 0, "E0110",
                                       "'" + source.name + "' has several ids per row, which have no weights");
    error.expected = "a column of one id per row, or one whose values have weights";
    error.related.push_back(document_.place(source.span, "'" + source.name + "'"));
    report(std::move(error));
    return false;
  }
  column.weight = findInput(weighted, "weight_feature_key", 0, key);
  if (column.weight < 0)
    return false;
  const InputColumn &input = result_.inputs[column.weight];
  if (input.isFloat())
    return checkScalar(weighted, "weight_feature_key", 0, input, "a weight of one id per row");
  common::Message error = fieldError(weighted, "weight_feature_key", 0, "E0123",
                                     "'" + input.name + "' is " + Column::Dtype_Name(input.message->dtype()) +
                                         "; a weight is FLOAT32 or FLOAT64");
  error.related.push_back(document_.place(input.span, "declared here"));
  report(std::move(error));
  return false;
}

/// Indicators, embeddings and shared embeddings.
bool Resolver::resolveWrapper(ResolvedColumn &column) {
  const ProtoMessage &kind = *kindMessage(*column.message);
  const std::string field = elementField(kind)->name();
  column.size = column.kind == FeatureColumn::kEmbedding          ? column.message->embedding().dimension()
                : column.kind == FeatureColumn::kSharedEmbeddings ? column.message->shared_embeddings().dimension()
                                                                  : 0;
  column.source = findColumn(kind, field, column.elementIndex, column.element);
  if (column.source < 0)
    return false;
  const ResolvedColumn &source = result_.columns[column.source];
  if (source.isDense()) {
    common::Message error =
        fieldError(kind, field, column.elementIndex, "E0110",
                   "'" + source.name + "' is dense; " + kindName(column) + " takes a categorical column");
    error.related.push_back(document_.place(source.span, "'" + source.name + "'"));
    report(std::move(error));
    return false;
  }
  if (!column.isEmbedding())
    column.size = source.size;
  if (column.elementIndex > 0)
    return true;
  return column.kind == FeatureColumn::kEmbedding          ? checkTable(column, column.message->embedding())
         : column.kind == FeatureColumn::kSharedEmbeddings ? checkTable(column, column.message->shared_embeddings())
                                                           : true;
}

/// A tensor's name needs a checkpoint, a penalty rows that move.
template <typename Message> bool Resolver::checkTable(const ResolvedColumn &column, const Message &message) {
  if (message.has_tensor_name_in_ckpt() && !message.has_ckpt_to_load_from()) {
    common::Message error = fieldError(message, "tensor_name_in_ckpt", 0, "E0107",
                                       "'tensor_name_in_ckpt' is set for '" + column.name +
                                           "', but no 'ckpt_to_load_from' that has the tensor");
    error.expected = "ckpt_to_load_from: \"...\"";
    report(std::move(error));
    return false;
  }
  if (!message.has_regularizer() || message.trainable())
    return true;
  common::Message error = document_.makeError("E0106", document_.start(message.regularizer()),
                                              "'regularizer' is set for '" + column.name +
                                                  "', whose rows 'trainable: false' leaves as they are");
  error.field = document_.path(message.regularizer());
  report(std::move(error));
  return false;
}

/// The columns of one shared_embeddings: at least two, of equal numbers of ids, with a table that no other has.
void Resolver::resolveShared(llvm::ArrayRef<ResolvedColumn> group) {
  const SharedEmbeddings &shared = group.front().message->shared_embeddings();
  if (group.size() < 2) {
    common::Message error =
        fieldError(shared, "categorical_columns", 0, "E0108", "'categorical_columns' names one column");
    error.expected = "at least two, which share the table";
    error.help = "an embedding has a table of its own";
    report(std::move(error));
  }
  const ResolvedColumn *first = nullptr;
  for (const ResolvedColumn &column : group) {
    if (column.source < 0)
      continue;
    const ResolvedColumn &source = result_.columns[column.source];
    if (!first) {
      first = &source;
      continue;
    }
    if (source.size == first->size)
      continue;
    common::Message error =
        fieldError(shared, "categorical_columns", column.elementIndex, "E0110",
                   "'" + source.name + "' has " + std::to_string(source.size) + " ids, '" + first->name + "' has " +
                       std::to_string(first->size) + "; columns that share a table have equally many");
    error.related.push_back(document_.place(source.span, "'" + source.name + "'"));
    error.related.push_back(document_.place(first->span, "'" + first->name + "'"));
    report(std::move(error));
  }
  for (const ResolvedColumn &other : result_.columns) {
    bool isTaken = other.kind == FeatureColumn::kEmbedding
                       ? other.name == group.front().table
                       : &other < group.begin() && other.table == group.front().table;
    if (!isTaken)
      continue;
    common::Message error = fieldError(shared, "shared_embedding_collection_name", 0, "E0109",
                                       "two tables have the name '" + group.front().table + "'");
    error.related.push_back(document_.place(other.span, "the other one"));
    report(std::move(error));
    return;
  }
}
