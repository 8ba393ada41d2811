// Any text as a df module: what parses and verifies prints, reads back the same, and is simplified to what verifies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Decompositions.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cstdlib>
#include <memory>

using namespace mlir;

static void require(bool fact) {
  if (!fact)
    std::abort();
}

static std::string printed(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

/// A context of its own for each hundred inputs: making one takes longer than most inputs do, and types and attributes
/// of all inputs together would fill the memory.
static MLIRContext &contextOfInput() {
  static std::unique_ptr<MLIRContext> context;
  static int inputs = 0;
  if (inputs++ % 100 == 0) {
    DialectRegistry registry;
    registry.insert<mlc::df::DfDialect>();
    mlc::df::registerDfDecompositions(registry);
    context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    context->loadDialect<mlc::df::DfDialect>();
  }
  return *context;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text(reinterpret_cast<const char *>(data), size);
  MLIRContext &context = contextOfInput();
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  if (!module)
    return 0;
  std::string once = printed(*module);
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(once, ParserConfig(&context));
  require(static_cast<bool>(again));
  require(printed(*again) == once);
  PassManager passes(&context);
  passes.enableVerifier(false);
  passes.addPass(mlc::df::createDfSimplifyPass());
  if (succeeded(passes.run(*module)))
    require(succeeded(verify(*module)));
  return 0;
}
