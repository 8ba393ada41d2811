//===- DataFacts.cpp - What a spec says of its data ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlc/Frontend/EstimatorSpec/DataFacts.h"
#include "lib/Frontend/EstimatorSpec/ColumnChecks.h"
#include "lib/Frontend/EstimatorSpec/Resolver.h"
#include "lib/Frontend/EstimatorSpec/SpecLayers.h"
#include "lib/Frontend/EstimatorSpec/SpecManifest.h"

using namespace mlc;
using namespace mlc::frontend;

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
  facts.checks = columnChecks(document, resolved);
  return true;
}
