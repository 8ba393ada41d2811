//===- Import.cpp - An Estimator spec becomes est IR ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlc/Frontend/EstimatorSpec/Import.h"
#include "common/NearestMatch.h"
#include "lib/Frontend/EstimatorSpec/EmitEst.h"
#include "lib/Frontend/EstimatorSpec/TextReader.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::frontend;

OwningOpRef<ModuleOp> mlc::frontend::importEstimatorSpec(StringRef text, MLIRContext *context,
                                                         const SpecOptions &options, common::MessageList &messages) {
  SpecDocument document(options.file, text.str());
  std::string directory =
      options.directory.empty() ? llvm::sys::path::parent_path(options.file).str() : options.directory;
  size_t before = messages.errorCount();
  if (!readSpecText(document, messages)) {
    messages.sort();
    return nullptr;
  }
  ResolvedSpec resolved = resolveSpec(document, directory, /*isWhole=*/messages.errorCount() == before, messages);
  if (messages.errorCount() > before) {
    messages.sort();
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = emitEst(document, resolved, context);
  // What the resolver lets pass, the verifier must: it reports, with places, what would be a bug here.
  if (failed(verify(*module))) {
    messages.add(common::makeError("E0199", "the imported model does not verify; this is a bug in mlc"));
    return nullptr;
  }
  return module;
}

OwningOpRef<ModuleOp> mlc::frontend::importEstimatorSpecFile(StringRef path, MLIRContext *context,
                                                             common::MessageList &messages) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    common::Message error = common::makeError("E0114", "cannot read the file: " + buffer.getError().message());
    error.place.file = path.str();
    StringRef directory = llvm::sys::path::parent_path(path);
    std::vector<std::string> names;
    std::error_code failure;
    for (llvm::sys::fs::directory_iterator it(directory.empty() ? "." : directory, failure), end; it != end && !failure;
         it.increment(failure))
      names.push_back(llvm::sys::path::filename(it->path()).str());
    if (!llvm::sys::fs::exists(path))
      error.help = common::didYouMean(llvm::sys::path::filename(path).str(), names);
    messages.add(std::move(error));
    return nullptr;
  }
  return importEstimatorSpec((*buffer)->getBuffer(), context, {path.str(), ""}, messages);
}
