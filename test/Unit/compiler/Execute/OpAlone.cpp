// Ops of the cases, each alone in a function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpAlone.h"
#include "dialects/Df/Decompose/Decompositions.h"
#include "mlc/Interpreter/Interpreter.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

#include "gtest/gtest.h"

#include <set>

using namespace mlc;
using namespace mlc::execute;
using mlir::ModuleOp;
using mlir::Operation;
using mlir::Type;

std::string mlc::execute::textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  op->print(out);
  return text;
}

Types Alone::getTypes() const {
  Types types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  return types;
}

mlir::OwningOpRef<ModuleOp> Alone::make(llvm::ArrayRef<Type> types) const {
  mlir::ScopedDiagnosticHandler quiet(op->getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::OwningOpRef<ModuleOp> module(ModuleOp(of).clone());
  for (auto function : llvm::make_early_inc_range(module->getOps<df::FunctionOp>()))
    function.erase();
  auto operands = types.take_front(op->getNumOperands()), results = types.drop_front(op->getNumOperands());
  auto builder = mlir::OpBuilder::atBlockEnd(module->getBody());
  auto function = df::FunctionOp::create(builder, op->getLoc(), "alone", builder.getFunctionType(operands, results),
                                         df::Role::Other);
  mlir::Block &body = function.getBody().front();
  builder.setInsertionPointToEnd(&body);
  mlir::IRMapping mapping;
  // A value that is an operand twice has one type.
  for (auto [operand, argument] : llvm::zip(op->getOperands(), body.getArguments()))
    mapping.map(operand, argument);
  Operation *copy = builder.clone(*op, mapping);
  copy->setOperands(body.getArguments());
  for (auto [result, type] : llvm::zip(copy->getResults(), results))
    result.setType(type);
  df::ReturnOp::create(builder, op->getLoc(), copy->getResults());
  return succeeded(mlir::verify(*module)) ? std::move(module) : nullptr;
}

bool Alone::isChecked(ModuleOp module, size_t i, int64_t d) {
  Operation *copy = getOp(module);
  df::DimensionMapping map = df::getDimensions(copy);
  mlir::Value value =
      i < copy->getNumOperands() ? copy->getOperand(i) : mlir::Value(copy->getResult(i - copy->getNumOperands()));
  return map.get({value, d}).size() > 1;
}
Operation *Alone::getOp(ModuleOp module) {
  return &(*module.getOps<df::FunctionOp>().begin()).getBody().front().front();
}

int64_t mlc::execute::forEachOpAlone(void (*addCases)(std::vector<OpCase> &),
                                     llvm::function_ref<void(const Alone &)> check) {
  std::vector<OpCase> cases;
  addCases(cases);
  std::set<std::string> seen;
  int64_t checked = 0;
  for (const OpCase &which : cases) {
    mlir::DialectRegistry registry;
    df::registerDfDecompositions(registry);
    mlir::MLIRContext context(registry);
    auto module = interp::parseModule(context, textOf(which));
    if (!module) {
      ADD_FAILURE() << which.name << " is no module";
      break;
    }
    std::vector<Operation *> ops;
    module->walk([&](Operation *op) {
      if (op->getNumRegions() == 0 && !op->hasTrait<mlir::OpTrait::IsTerminator>() &&
          op->getParentOfType<df::FunctionOp>())
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      Alone alone(*module, op);
      std::string form = op->getName().getStringRef().str() + textOf(op).substr(textOf(op).find(" : ") + 1);
      if (!seen.insert(form).second || !alone.make(alone.getTypes()))
        continue;
      ++checked;
      check(alone);
    }
    if (testing::Test::HasFailure())
      break;
  }
  return checked;
}

const std::vector<OpTheme> mlc::execute::kOpThemes = {{"Contraction", addContractionCases},
                                                      {"Feature", addFeatureCases},
                                                      {"Indexing", addIndexingCases},
                                                      {"Integer", addIntegerCases},
                                                      {"Layout", addLayoutCases},
                                                      {"LinearAlgebra", addLinearAlgebraCases},
                                                      {"Loss", addLossCases},
                                                      {"Math", addMathCases},
                                                      {"Normalization", addNormalizationCases},
                                                      {"Order", addOrderCases},
                                                      {"Ragged", addRaggedCases},
                                                      {"Random", addRandomCases},
                                                      {"Reduction", addReductionCases},
                                                      {"Shape", addShapeCases},
                                                      {"Statistics", addStatisticsCases},
                                                      {"Training", addTrainingCases}};
