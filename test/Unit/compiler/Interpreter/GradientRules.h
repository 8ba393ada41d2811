// A context with the gradient rules, and the passes that expand gradients by them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_UNIT_COMPILER_INTERPRETER_GRADIENTRULES_H
#define TEST_UNIT_COMPILER_INTERPRETER_GRADIENTRULES_H

#include "dialects/Df/Autodiff/Gradients.h"
#include "dialects/Df/Decompose/Decompositions.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "mlir/Pass/PassManager.h"

#include <memory>

namespace mlc::interp {

/// A context whose df ops have their gradient rules.
inline std::unique_ptr<mlir::MLIRContext> contextWithRules() {
  mlir::DialectRegistry registry;
  registry.insert<df::DfDialect>();
  df::registerDfDecompositions(registry);
  df::registerDfGradients(registry);
  auto context = std::make_unique<mlir::MLIRContext>(registry);
  context->loadDialect<df::DfDialect>();
  return context;
}

/// Expands the gradients of the module as the pipeline does.
inline llvm::LogicalResult expandGradients(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  df::DfDecomposePassOptions beforeGradients;
  beforeGradients.keepDifferentiable = true;
  passes.addPass(df::createDfDecomposePass(beforeGradients));
  passes.addPass(df::createDfExpandGradientsPass());
  return passes.run(module);
}

} // namespace mlc::interp

#endif // TEST_UNIT_COMPILER_INTERPRETER_GRADIENTRULES_H
