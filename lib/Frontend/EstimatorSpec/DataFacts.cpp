//===- DataFacts.cpp - What a spec says of its data ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlc/Frontend/EstimatorSpec/DataFacts.h"
#include "lib/Frontend/EstimatorSpec/Resolver.h"
#include "lib/Frontend/EstimatorSpec/SpecLayers.h"
#include "lib/Frontend/EstimatorSpec/SpecManifest.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlc;
using namespace mlc::frontend;
using common::ColumnCheck;
using mlc::spec::v1::FeatureColumn;

/// What a feature column takes of its input column; Any for kinds that take all values.
static ColumnCheck featureCheck(const SpecDocument &document, const ResolvedColumn &column) {
  ColumnCheck check;
  check.name = column.name;
  check.use = kindName(column);
  check.origin = document.origin(column.span);
  switch (column.kind) {
  case FeatureColumn::kNumeric: {
    check.kind = ColumnCheck::Kind::Numbers;
    const auto &numeric = column.message->numeric();
    if (numeric.has_z_score())
      check.zScore = {numeric.z_score().mean(), numeric.z_score().stddev()};
    if (numeric.has_min_max())
      check.minMax = {numeric.min_max().min(), numeric.min_max().max()};
    break;
  }
  case FeatureColumn::kCategoricalWithVocabularyList:
  case FeatureColumn::kCategoricalWithVocabularyFile:
    check.kind = ColumnCheck::Kind::Terms;
    check.use = "vocabulary";
    check.terms = column.vocabulary;
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

static ColumnCheck labelCheck(const SpecDocument &document, const ResolvedSpec &resolved) {
  const auto &head = *resolved.head;
  const InputColumn &label = resolved.inputs[resolved.label];
  ColumnCheck check;
  check.name = label.name;
  check.use = "label";
  check.required = true;
  check.origin = document.origin(document.spans(head, "label").value);
  bool classes = head.has_binary_class() || head.has_multi_class() || (head.has_multi_label() && label.isMultiValued());
  if (!resolved.classes.empty()) {
    check.kind = ColumnCheck::Kind::Terms;
    check.terms = resolved.classes;
  } else if (classes && !label.isFloat()) {
    check.kind = ColumnCheck::Kind::Ids;
    check.size = std::max<int64_t>(resolved.logits, 2);
  } else {
    check.kind = ColumnCheck::Kind::Numbers;
    if (head.regression().label_transform().has_z_score()) {
      const auto &score = head.regression().label_transform().z_score();
      check.zScore = {score.mean(), score.stddev()};
    }
  }
  return check;
}

bool mlc::frontend::dataFacts(const std::string &path, const std::vector<SpecChange> &changes,
                              common::MessageList &messages, DataFacts &facts) {
  std::string text;
  if (!readSpecFile(path, common::Message(), text, messages))
    return false;
  SpecDocument document(path, std::move(text));
  ResolvedSpec resolved;
  size_t before = messages.errorCount();
  if (loadSpec(document, {path, "", changes}, messages))
    resolved = resolveSpec(document, messages);
  messages.sort();
  if (messages.errorCount() > before)
    return false;
  const auto &spec = document.spec();
  facts.input = inputJson(document, resolved);
  auto add = [&](std::string name, const auto &files) {
    if (!files.empty())
      facts.sets.push_back({std::move(name), {files.begin(), files.end()}});
  };
  add("train", spec.train().files());
  for (const auto &eval : spec.eval())
    add(eval.name().empty() ? "eval" : "eval " + eval.name(), eval.files());
  if (facts.sets.empty()) {
    common::Message error =
        common::makeError("E0107", "the spec names no files: there are no data to check", "train { files: \"...\" }");
    error.place.file = path;
    messages.add(std::move(error));
    return false;
  }
  std::vector<bool> used = columnsInUse(resolved), inputs = inputsInUse(resolved);
  for (auto [i, input] : llvm::enumerate(resolved.inputs)) {
    if (!inputs[i])
      continue;
    size_t count = facts.checks.size();
    for (auto [k, column] : llvm::enumerate(resolved.columns)) {
      if (!used[k] || column.input != static_cast<int>(i) || column.kind == FeatureColumn::kBucketized ||
          column.kind == FeatureColumn::kCrossed || column.source >= 0)
        continue;
      facts.checks.push_back(featureCheck(document, column));
      facts.checks.back().column = input.name;
    }
    if (static_cast<int>(i) == resolved.label) {
      facts.checks.push_back(labelCheck(document, resolved));
      facts.checks.back().column = input.name;
    }
    if (facts.checks.size() > count)
      continue;
    // Read by a cross, a bucketized column or as a weight only.
    ColumnCheck check;
    check.name = check.column = input.name;
    check.use = input.role == InputRole::Weight ? "weight" : input.isString() ? "text" : "number";
    check.kind = input.isString() ? ColumnCheck::Kind::Any : ColumnCheck::Kind::Numbers;
    check.origin = document.origin(input.span);
    facts.checks.push_back(std::move(check));
  }
  return true;
}
