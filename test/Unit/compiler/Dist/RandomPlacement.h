// Random devices for the ops of a module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_DIST_RANDOMPLACEMENT_H
#define MLC_TEST_DIST_RANDOMPLACEMENT_H

#include "dialects/Df/Autodiff/Gradients.h"
#include "dialects/Df/Decompose/Decompositions.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfSaveOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Dist/Transforms/Plan.h"
#include "mlir/Parser/Parser.h"
#include "test/Unit/compiler/Execute/RandomValues.h"

namespace mlc::dist {

inline std::unique_ptr<mlir::MLIRContext> makePlacementContext() {
  mlir::DialectRegistry registry;
  registry.insert<df::DfDialect, DistDialect>();
  df::registerDfDecompositions(registry);
  df::registerDfGradients(registry);
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

/// Gives most of what may have one a random device; the rest is for dist-place to choose.
inline void markRandomly(mlir::ModuleOp module, llvm::ArrayRef<std::string> devices, execute::RandomValues &random) {
  auto draw = [&]() -> mlir::StringAttr {
    return mlir::StringAttr::get(module.getContext(), devices[random.below(static_cast<int64_t>(devices.size()))]);
  };
  // Symbols that one op names together must be together.
  llvm::DenseSet<mlir::Operation *> together;
  module.walk([&](mlir::Operation *op) {
    llvm::SmallVector<mlir::Operation *> symbols = placedSymbolsOf(op);
    if (symbols.size() > 1 || mlir::isa<df::SaveOp, df::RestoreOp>(op))
      together.insert(symbols.begin(), symbols.end());
  });
  for (auto variable : module.getOps<df::VariableOp>())
    if (variable.getSlotOf() && together.contains(variable))
      together.insert(mlir::SymbolTable::lookupSymbolIn(module, variable.getSlotOfAttr()));
  module.walk([&](mlir::Operation *op) {
    if (op == module || !mlir::isa_and_nonnull<df::DfDialect>(op->getDialect()) ||
        op->hasTrait<mlir::OpTrait::IsTerminator>() || mlir::isa<df::DimensionOp>(op))
      return;
    if (auto function = mlir::dyn_cast<df::FunctionOp>(op))
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (random.below(2))
          function.setArgAttr(i, DistDialect::kDeviceAttr, draw());
    auto variable = mlir::dyn_cast<df::VariableOp>(op);
    const bool isBound = together.contains(op) || (variable && variable.getSlotOf()) || !placedSymbolsOf(op).empty() ||
                         mlir::isa<df::SaveOp, df::RestoreOp>(op);
    if (!isBound && random.below(8))
      op->setAttr(DistDialect::kDeviceAttr, draw());
  });
}

} // namespace mlc::dist

#endif // MLC_TEST_DIST_RANDOMPLACEMENT_H
