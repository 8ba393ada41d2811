//===- ColumnChecks.cpp - What a spec says of the values of columns ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/ColumnChecks.h"
#include "lib/Frontend/EstimatorSpec/Resolver.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace mlc;
using namespace mlc::frontend;
using common::ColumnCheck;
using mlc::spec::v1::FeatureColumn;

/// `message` is a Numeric or SequenceNumeric.
template <typename Message> static void checkNumbers(ColumnCheck &check, const Message &message) {
  check.kind = ColumnCheck::Kind::Numbers;
  if (message.has_z_score())
    check.zScore = {message.z_score().mean(), message.z_score().stddev()};
  if (message.has_min_max())
    check.minMax = {message.min_max().min(), message.min_max().max()};
}

/// What a feature column takes of its input column; Any for kinds that take all values.
static ColumnCheck featureCheck(const SpecDocument &document, const ResolvedColumn &column) {
  ColumnCheck check;
  check.name = column.name;
  check.use = kindName(column);
  check.origin = document.origin(column.span);
  switch (column.kind) {
  case FeatureColumn::kNumeric:
    checkNumbers(check, column.message->numeric());
    break;
  case FeatureColumn::kSequenceNumeric:
    checkNumbers(check, column.message->sequence_numeric());
    break;
  case FeatureColumn::kCategoricalWithVocabularyList:
  case FeatureColumn::kCategoricalWithVocabularyFile:
    check.kind = ColumnCheck::Kind::Terms;
    check.use = "vocabulary";
    check.terms = column.vocabulary;
    check.table = "vocabulary/" + column.name;
    break;
  case FeatureColumn::kCategoricalWithIdentity:
    check.kind = ColumnCheck::Kind::Ids;
    check.use = "identity";
    check.size = column.size;
    check.required = !column.message->categorical_with_identity().has_default_value();
    break;
  case FeatureColumn::kCategoricalWithHashBucket:
    check.use = "hash";
    break;
  default:
    break;
  }
  return check;
}

static ColumnCheck labelCheck(const SpecDocument &document, const ResolvedSpec &resolved,
                              const ResolvedHead &resolvedHead) {
  const auto &head = *resolvedHead.message;
  const InputColumn &label = resolved.inputs[resolvedHead.label];
  ColumnCheck check;
  check.name = label.name;
  check.use = "label";
  check.required = true;
  check.origin = document.origin(document.spans(head, "label").value);
  bool classes = head.has_binary_class() || head.has_multi_class() || (head.has_multi_label() && label.isMultiValued());
  if (!resolvedHead.classes.empty()) {
    check.kind = ColumnCheck::Kind::Terms;
    check.terms = resolvedHead.classes;
    check.table = resolved.heads.size() > 1 ? "label_vocabulary/" + head.name() : "label_vocabulary";
  } else if (classes && !label.isFloat()) {
    check.kind = ColumnCheck::Kind::Ids;
    check.size = std::max<int64_t>(resolvedHead.logits, 2);
  } else {
    check.kind = ColumnCheck::Kind::Numbers;
    check.isUnscaledTarget = head.has_regression() && !head.regression().has_label_transform();
    if (head.regression().label_transform().has_z_score()) {
      const auto &score = head.regression().label_transform().z_score();
      check.zScore = {score.mean(), score.stddev()};
    }
  }
  return check;
}

std::vector<ColumnCheck> mlc::frontend::columnChecks(const SpecDocument &document, const ResolvedSpec &resolved) {
  std::vector<ColumnCheck> checks;
  std::vector<bool> used = columnsInUse(resolved), inputs = inputsInUse(resolved);
  // The columns that read an input themselves. There may be as many as there are inputs.
  std::vector<llvm::SmallVector<const ResolvedColumn *, 1>> columnsOf(resolved.inputs.size());
  for (auto [k, column] : llvm::enumerate(resolved.columns))
    if (used[k] && column.input >= 0 && column.kind != FeatureColumn::kBucketized &&
        column.kind != FeatureColumn::kCrossed && column.source < 0)
      columnsOf[column.input].push_back(&column);
  for (auto [i, input] : llvm::enumerate(resolved.inputs)) {
    if (!inputs[i])
      continue;
    size_t count = checks.size();
    for (const ResolvedColumn *column : columnsOf[i]) {
      checks.push_back(featureCheck(document, *column));
      checks.back().column = input.name;
    }
    for (const ResolvedHead &head : resolved.heads) {
      if (static_cast<int>(i) != head.label)
        continue;
      checks.push_back(labelCheck(document, resolved, head));
      checks.back().column = input.name;
    }
    if (checks.size() > count)
      continue;
    // Read by a cross, a bucketized column or as a weight only.
    ColumnCheck check;
    check.name = check.column = input.name;
    check.use = input.role == InputRole::Weight ? "weight" : input.isString() ? "text" : "number";
    check.kind = input.isString() ? ColumnCheck::Kind::Any : ColumnCheck::Kind::Numbers;
    check.origin = document.origin(input.span);
    checks.push_back(std::move(check));
  }
  return checks;
}
