// The same entries by the reference interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reference.h"
#include "dialects/Df/Autodiff/Gradients.h"
#include "dialects/Df/Decompose/Decompositions.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "mlc/Interpreter/Interpreter.h"
#include "mlcrt/abi.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::execute;

std::unique_ptr<Reference> Reference::create(const std::string &text) {
  auto reference = std::make_unique<Reference>();
  MLIRContext &context = reference->context;
  DialectRegistry registry;
  registry.insert<df::DfDialect>();
  df::registerDfDecompositions(registry);
  df::registerDfGradients(registry);
  context.appendDialectRegistry(registry);
  reference->module = interp::parseModule(context, text);
  if (!reference->module) {
    ADD_FAILURE() << "the module cannot be parsed:\n" << text;
    return nullptr;
  }
  PassManager passes(&context);
  df::DfDecomposePassOptions beforeGradients;
  beforeGradients.keepDifferentiable = true;
  passes.addPass(df::createDfDecomposePass(beforeGradients));
  passes.addPass(df::createDfExpandGradientsPass());
  if ((*reference->module)->hasAttr(df::DfDialect::kPrecisionAttr)) {
    passes.addPass(df::createDfDecomposePass());
    passes.addPass(df::createDfRoundProductsPass());
  }
  passes.addPass(df::createDfMaterializeInitializersPass());
  passes.addPass(df::createDfSplitStepPass());
  if (failed(passes.run(*reference->module))) {
    ADD_FAILURE() << "the module cannot be expanded:\n" << text;
    return nullptr;
  }
  return reference;
}

/// The value of `call` for an argument or result of this name or binding.
static const interp::Tensor *argumentOf(const EntryCall &call, StringAttr name, df::BindingAttr binding) {
  auto find = [](const TensorMap &values, StringRef key) {
    auto it = values.find(std::string_view(key.data(), key.size()));
    return it == values.end() ? nullptr : &it->second;
  };
  if (name)
    return find(call.features, name.getValue());
  if (binding && binding.getKind() == df::BindingKind::SumA)
    return find(call.sumsA, binding.getName());
  if (binding && binding.getKind() == df::BindingKind::SumB)
    return find(call.sumsB, binding.getName());
  return nullptr;
}

EntryResult Reference::run(const EntryCall &call, interp::State &state) {
  EntryResult result;
  auto function = module->lookupSymbol<df::FunctionOp>(call.entry);
  if (!function) {
    ADD_FAILURE() << "no df.function @" << call.entry;
    return result;
  }
  std::vector<interp::RuntimeValue> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto *value = argumentOf(call, function.getArgAttrOfType<StringAttr>(i, df::FunctionOp::kNameAttr),
                             function.getArgBinding(i));
    if (!value) {
      ADD_FAILURE() << "the call has no value for argument " << i << " of @" << call.entry;
      return result;
    }
    arguments.emplace_back(*value);
  }
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors.push_back(diagnostic.str());
    return success();
  });
  std::optional<interp::DataError> dataError;
  auto values = interp::interpret(function, arguments, state, call.context, &dataError);
  if (failed(values)) {
    result.code = dataError ? MLCRT_DATA_ERROR : MLCRT_INTERNAL;
    return result;
  }
  for (auto [i, value] : llvm::enumerate(*values)) {
    df::BindingAttr binding = function.getResultBinding(i);
    auto name = function.getResultAttrOfType<StringAttr>(i, df::FunctionOp::kNameAttr);
    auto &tensor = std::get<interp::Tensor>(value);
    if (binding && binding.getKind() == df::BindingKind::SumOut)
      result.sums[binding.getName().str()] = std::move(tensor);
    else if (name)
      result.outputs[name.str()] = std::move(tensor);
    else
      ADD_FAILURE() << "result " << i << " of @" << call.entry << " has no name";
  }
  return result;
}
