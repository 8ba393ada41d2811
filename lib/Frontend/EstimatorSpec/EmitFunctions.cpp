//===- EmitFunctions.cpp - Functions that a spec gives as text, in its module ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/EmitFunctions.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlc;

std::string frontend::addNormalizer(ModuleOp module, StringRef text, StringAttr symbol, est::FeatureType feature) {
  std::string error;
  OwningOpRef<ModuleOp> parsed;
  {
    // The first error is told at the place in the spec that gives the text.
    ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
      llvm::raw_string_ostream stream(error);
      if (error.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error) {
        if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
          stream << "line " << place.getLine() << ", column " << place.getColumn() << ": ";
        stream << diagnostic;
      }
      return success();
    });
    parsed = parseSourceString<ModuleOp>(text, module.getContext());
  }
  if (!parsed)
    return "cannot be read: " + error;
  auto functions = llvm::to_vector(parsed->getOps<FunctionOpInterface>());
  const auto all = llvm::range_size(parsed->getBody()->getOperations());
  if (functions.size() != 1 || all != 1)
    return "has " + std::to_string(functions.size()) + " functions of " + std::to_string(all) +
           " ops; expected one function and nothing else";
  if (functions.front().isExternal())
    return "has a function without a body";
  if (std::string why = est::whyNoNormalizer(functions.front(), feature); !why.empty())
    return why;
  Operation *function = functions.front();
  function->remove();
  SymbolTable::setSymbolName(function, symbol);
  module.push_back(function);
  return {};
}
