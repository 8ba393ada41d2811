//===- ResolvedSpec.cpp - Resolves a spec; what of it is in use ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/ResolvedSpec.h"
#include "lib/Frontend/EstimatorSpec/Resolver.h"
#include "lib/Frontend/EstimatorSpec/Rules.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlc;
using namespace mlc::frontend;

int64_t InputColumn::elements() const {
  int64_t elements = 1;
  for (int64_t size : message->shape())
    elements = std::min(elements, kMaxElements + 1) * std::clamp<int64_t>(size, 0, kMaxElements + 1);
  return elements;
}

std::vector<int64_t> InputColumn::shape() const {
  if (elements() == 1)
    return {};
  return {message->shape().begin(), message->shape().end()};
}

llvm::SmallVector<ColumnList> mlc::frontend::columnLists(const ResolvedSpec &resolved) {
  const ColumnList all[] = {{resolved.linear, "feature_columns", resolved.linearColumns},
                            {resolved.dnn, "feature_columns", resolved.dnnColumns},
                            {resolved.rnn, "sequence_feature_columns", resolved.rnnSequences},
                            {resolved.rnn, "context_feature_columns", resolved.rnnContext}};
  return llvm::to_vector(llvm::make_filter_range(all, [](const ColumnList &list) { return list.body != nullptr; }));
}

std::vector<bool> mlc::frontend::columnsInUse(const ResolvedSpec &resolved) {
  std::vector<bool> used(resolved.columns.size());
  for (const ColumnList &list : columnLists(resolved))
    for (int column : list.columns)
      used[column] = true;
  // Columns stand after those they refer to.
  for (int i = static_cast<int>(used.size()) - 1; i >= 0; --i) {
    if (!used[i])
      continue;
    if (resolved.columns[i].source >= 0)
      used[resolved.columns[i].source] = true;
    for (const CrossTerm &term : resolved.columns[i].terms)
      if (term.column >= 0)
        used[term.column] = true;
  }
  return used;
}

/// The columns of the input that tell how many values the steps of sequences have.
static llvm::SmallVector<int> lengthsOfSteps(const ResolvedSpec &resolved) {
  llvm::SmallVector<int> lengths;
  for (int sequence : resolved.rnnSequences) {
    const int source = resolved.columns[sequence].source;
    const int input = source >= 0 ? resolved.columns[source].input : -1;
    if (input >= 0 && resolved.inputs[input].lengths >= 0)
      lengths.push_back(resolved.inputs[input].lengths);
  }
  return lengths;
}

std::vector<bool> mlc::frontend::inputsInUse(const ResolvedSpec &resolved) {
  std::vector<bool> used(resolved.inputs.size()), columns = columnsInUse(resolved);
  for (auto [i, column] : llvm::enumerate(resolved.columns)) {
    if (!columns[i])
      continue;
    if (column.input >= 0)
      used[column.input] = true;
    if (column.weight >= 0)
      used[column.weight] = true;
    for (const CrossTerm &term : column.terms)
      if (term.input >= 0)
        used[term.input] = true;
  }
  for (int lengths : lengthsOfSteps(resolved))
    used[lengths] = true;
  if (resolved.baselineRows >= 0)
    used[resolved.baselineRows] = true;
  for (const ResolvedHead &head : resolved.heads)
    for (int input : {head.label, head.weight, head.group})
      if (input >= 0)
        used[input] = true;
  return used;
}

/// Notes how the columns of the input are read, by what reaches the model alone.
static void markUses(ResolvedSpec &resolved) {
  std::vector<bool> used = columnsInUse(resolved);
  for (auto [i, column] : llvm::enumerate(resolved.columns)) {
    if (!used[i])
      continue;
    if (column.input >= 0 &&
        (column.kind == ResolvedColumn::Kind::kNumeric || column.isSequenceNumeric() || column.isBucketized()))
      resolved.inputs[column.input].numericUse = true;
    else if (column.input >= 0)
      resolved.inputs[column.input].categoricalUse = true;
    if (column.weight >= 0)
      resolved.inputs[column.weight].numericUse = true;
    for (const CrossTerm &term : column.terms)
      if (term.input >= 0)
        resolved.inputs[term.input].categoricalUse = true;
  }
  for (int lengths : lengthsOfSteps(resolved))
    resolved.inputs[lengths].categoricalUse = true;
  if (resolved.baselineRows >= 0) {
    InputColumn &rows = resolved.inputs[resolved.baselineRows];
    (rows.isDiscrete() ? rows.categoricalUse : rows.numericUse) = true;
  }
  for (const ResolvedHead &head : resolved.heads) {
    if (head.group >= 0)
      resolved.inputs[head.group].categoricalUse = true;
    if (head.weight >= 0)
      resolved.inputs[head.weight].numericUse = true;
  }
}

ResolvedSpec mlc::frontend::resolveSpec(SpecDocument &document, common::MessageList &messages) {
  Resolver resolver(document, messages);
  resolver.nameElements();
  checkRules(document, messages);
  resolver.resolvePaths();
  resolver.resolveInput();
  resolver.resolveColumns();
  resolver.resolveModel();
  resolver.resolveHeads();
  resolver.resolveBaselineRows();
  resolver.resolveRun();
  // After an error of the reader too: what a damaged message lacks is no error of its own.
  if (!messages.hasErrors())
    resolver.setDefaults();
  ResolvedSpec resolved = resolver.take();
  markUses(resolved);
  return resolved;
}
