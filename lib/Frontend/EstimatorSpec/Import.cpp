//===- Import.cpp - An Estimator spec becomes est IR ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlc/Frontend/EstimatorSpec/Import.h"
#include "lib/Frontend/EstimatorSpec/EmitEst.h"
#include "lib/Frontend/EstimatorSpec/SpecLayers.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::frontend;

OwningOpRef<ModuleOp> mlc::frontend::importEstimatorSpec(StringRef text, MLIRContext *context,
                                                         const SpecOptions &options, common::MessageList &messages) {
  SpecDocument document(options.file, text.str());
  if (!loadSpec(document, options, messages)) {
    messages.sort();
    return nullptr;
  }
  ResolvedSpec resolved = resolveSpec(document, messages);
  if (messages.hasErrors()) {
    messages.sort();
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = emitEst(document, resolved, context, messages);
  if (messages.hasErrors()) {
    messages.sort();
    return nullptr;
  }
  // What the resolver lets pass, the verifier must: it reports, with places, what would be a bug here.
  if (failed(verify(*module))) {
    messages.add(common::makeError("E0199", "the imported model does not verify; this is a bug in mlc"));
    return nullptr;
  }
  return module;
}

OwningOpRef<ModuleOp> mlc::frontend::importEstimatorSpecFile(StringRef path, MLIRContext *context,
                                                             common::MessageList &messages,
                                                             const std::vector<SpecChange> &changes) {
  std::string text;
  if (!readSpecFile(path, common::Message(), text, messages))
    return nullptr;
  return importEstimatorSpec(text, context, {path.str(), "", changes}, messages);
}
