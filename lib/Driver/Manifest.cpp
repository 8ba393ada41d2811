// What compiled a module, and its settings, as text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/Manifest.h"
#include "dialects/Est/IR/Est.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "mlc/Driver/Version.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlc;

void mlc::describeBuild(ArtifactInfo &info, const std::string &cpu) {
  auto manifest = llvm::json::parse(info.manifest.empty() ? "{}" : info.manifest);
  if (!manifest || !manifest->getAsObject())
    return llvm::consumeError(manifest.takeError()); // the runtime will say what is wrong with it
  (*manifest->getAsObject())["mlc"] = MLC_VERSION;
  (*manifest->getAsObject())["build"] = buildId();
  (*manifest->getAsObject())["cpu"] = cpu;
  info.manifest = llvm::formatv("{0}", *manifest);
}

std::string mlc::manifestOf(ModuleOp module) {
  if (auto manifest = module->getAttrOfType<StringAttr>(kManifestAttr))
    return manifest.str();
  std::string text;
  for (auto estimator : module.getOps<est::EstimatorOp>()) {
    if (auto settings = estimator.getSettings())
      text += "\"settings\":" + settings->str();
    if (auto input = estimator.getInput())
      text += (text.empty() ? "\"input\":" : ",\"input\":") + input->str();
  }
  return "{" + text + "}";
}
