// What the runtime must only print or check: the manifest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Manifest.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// Adds the JSON text `text`, if it is there, to `object` as `key`.
static LogicalResult addText(est::EstimatorOp estimator, llvm::json::Object &object, StringRef key,
                             std::optional<StringRef> text) {
  if (!text)
    return success();
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(*text);
  if (!value)
    return estimator.emitOpError() << "'" << estimator.getSymName() << "': " << key
                                   << " is not JSON: " << llvm::toString(value.takeError());
  object[key] = std::move(*value);
  return success();
}

/// The evaluation sets, told by their settings: [{"name": "valid", "prefix": "eval.valid"}]; the unnamed one has prefix
/// "eval".
static llvm::json::Array evalSets(const llvm::json::Object &manifest) {
  llvm::json::Array sets;
  const llvm::json::Array *settings = manifest.getArray("settings");
  if (!settings)
    return sets;
  for (const llvm::json::Value &setting : *settings) {
    StringRef path = setting.getAsObject() ? setting.getAsObject()->getString("path").value_or("") : "";
    if (!path.consume_back(".files") || !(path == "eval" || path.starts_with("eval.")))
      continue;
    StringRef name = path;
    name.consume_front("eval");
    name.consume_front(".");
    sets.push_back(llvm::json::Object{{"name", name}, {"prefix", path}});
  }
  return sets;
}

LogicalResult est2df::setManifest(ModuleOp module, est::EstimatorOp estimator, const Head &head) {
  llvm::json::Object object{{"name", estimator.getSymName()},
                            {"compat", est::stringifyCompat(estimator.getCompat())},
                            {"head", head.describe()}};
  if (failed(addText(estimator, object, "input", estimator.getInput())) ||
      failed(addText(estimator, object, "settings", estimator.getSettings())))
    return failure();
  object["eval"] = evalSets(object);
  Builder builder(module.getContext());
  module->setAttr("mlc.name", builder.getStringAttr(estimator.getSymName()));
  std::string text = llvm::formatv("{0}", llvm::json::Value(std::move(object)));
  module->setAttr("mlc.manifest", builder.getStringAttr(text));
  return success();
}
