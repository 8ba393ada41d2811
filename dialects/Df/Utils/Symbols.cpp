// Numbers of dimension symbols.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/Symbols.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Utils/Signature.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlc::df;

int64_t mlc::df::getFreeSymbol(ModuleOp module) {
  int64_t next = 1;
  auto reserve = [&](ArrayRef<std::optional<int64_t>> symbols) {
    for (std::optional<int64_t> symbol : symbols)
      next = std::max(next, symbol.value_or(0) + 1);
  };
  for (auto dimension : module.getOps<DimensionOp>())
    reserve({static_cast<int64_t>(dimension.getSymbol())});
  for (auto function : module.getOps<FunctionOp>()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      reserve(function.getArgSymbols(i));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      reserve(function.getResultSymbols(i));
  }
  return next;
}

void mlc::df::numberSymbols(ModuleOp module) {
  // By feature and type; an argument without a name is a feature of its own.
  llvm::DenseMap<std::pair<StringAttr, Type>, DenseI64ArrayAttr> known;
  SmallVector<std::pair<FunctionOp, unsigned>> open;
  for (auto function : module.getOps<FunctionOp>())
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      bool isOpen = tensor && tensor.getNumDynamicDims() > (tensor.getRank() > 0 && tensor.isDynamicDim(0) ? 1 : 0);
      if (!isOpen || function.getArgBinding(i))
        continue;
      auto name = function.getArgAttrOfType<StringAttr>(i, FunctionOp::kNameAttr);
      if (auto symbols = function.getArgAttrOfType<DenseI64ArrayAttr>(i, FunctionOp::kSymbolsAttr)) {
        if (name)
          known.try_emplace({name, type}, symbols);
      } else {
        open.push_back({function, i});
      }
    }
  int64_t next = open.empty() ? 0 : getFreeSymbol(module);
  Builder b(module.getContext());
  llvm::MapVector<FunctionOp, llvm::DenseMap<unsigned, DenseI64ArrayAttr>> numbered;
  for (auto [function, i] : open) {
    auto type = cast<RankedTensorType>(function.getArgumentTypes()[i]);
    auto name = function.getArgAttrOfType<StringAttr>(i, FunctionOp::kNameAttr);
    DenseI64ArrayAttr symbols = name ? known.lookup({name, type}) : DenseI64ArrayAttr();
    if (!symbols) {
      SmallVector<int64_t> numbers;
      for (auto [d, symbol] : llvm::enumerate(function.getArgSymbols(i)))
        if (type.isDynamicDim(d))
          numbers.push_back(symbol ? *symbol : next++);
      symbols = b.getDenseI64ArrayAttr(numbers);
      if (name)
        known[{name, type}] = symbols;
    }
    numbered[function][i] = symbols;
  }
  for (auto &[function, symbolsOf] : numbered)
    updateArgAttrs(function, [&symbolsOf = symbolsOf](unsigned i, NamedAttrList &attributes) {
      if (DenseI64ArrayAttr symbols = symbolsOf.lookup(i)) {
        attributes.erase(FunctionOp::kSymbolAttr);
        attributes.set(FunctionOp::kSymbolsAttr, symbols);
      }
    });
}

bool mlc::df::isSizeOfRows(ModuleOp module, int64_t symbol) {
  for (auto dimension : module.getOps<DimensionOp>())
    if (static_cast<int64_t>(dimension.getSymbol()) == symbol)
      return false;
  bool found = false;
  for (auto function : module.getOps<FunctionOp>())
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (auto [d, of] : llvm::enumerate(function.getArgSymbols(i))) {
        if (of != symbol)
          continue;
        if (d == 0)
          return false;
        found = true;
      }
  return found;
}
