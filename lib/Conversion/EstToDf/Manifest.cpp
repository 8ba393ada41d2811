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

LogicalResult est2df::setManifest(ModuleOp module, est::EstimatorOp estimator, const Head &head) {
  llvm::json::Object object{{"name", estimator.getSymName()},
                            {"compat", est::stringifyCompat(estimator.getCompat())},
                            {"head", head.describe()}};
  if (failed(addText(estimator, object, "input", estimator.getInput())) ||
      failed(addText(estimator, object, "settings", estimator.getSettings())))
    return failure();
  Builder builder(module.getContext());
  module->setAttr("mlc.name", builder.getStringAttr(estimator.getSymName()));
  std::string text = llvm::formatv("{0}", llvm::json::Value(std::move(object)));
  module->setAttr("mlc.manifest", builder.getStringAttr(text));
  return success();
}
