// Cuts a module into parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CodeParts.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlc;

/// Ops of a part, if its functions are not larger. A machine that emits code, and an object, cost as much as some
/// hundred ops.
static constexpr int64_t kOpsOfPart = 4000;

/// Elements of a constant that every part which uses it has a copy of.
static constexpr int64_t kCopiedElements = 64;

/// Whether parts have copies of a variable: nothing writes it, and it is small.
static bool isCopied(LLVM::GlobalOp global) {
  auto elements = dyn_cast_or_null<ElementsAttr>(global.getValueOrNull());
  return global.getConstant() && (!elements || elements.getNumElements() <= kCopiedElements);
}

CodeParts::CodeParts(ModuleOp module) : context(module.getContext()) {
  // Functions of bitcode come in the order of the module, after the parts of its own functions.
  SmallVector<Operation *> external;
  parts.emplace_back();
  for (Operation &op : *module.getBody()) {
    if (auto function = dyn_cast<kern::ExternalFunctionOp>(op)) {
      external.push_back(function);
      continue;
    }
    if (!isa<LLVM::LLVMFuncOp, LLVM::GlobalOp>(op))
      continue;
    StringRef name = SymbolTable::getSymbolName(&op).getValue();
    symbols[name] = &op;
    auto global = dyn_cast<LLVM::GlobalOp>(op);
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (global ? isCopied(global) : function.isExternal())
      continue; // where it is used
    int64_t ops = 0;
    op.walk([&](Operation *) { ++ops; });
    if (parts.back().ops && parts.back().ops + ops > kOpsOfPart)
      parts.emplace_back();
    shared[name] = parts.size() - 1;
    parts.back().symbols.push_back(&op);
    parts.back().ops += ops;
  }
  if (parts.back().symbols.empty())
    parts.pop_back();
  for (Operation *function : external) {
    shared[kern::externalSymbol(SymbolTable::getSymbolName(function).getValue())] = parts.size();
    parts.push_back({{function}, 1});
  }
}

/// What stands for a symbol of another part: a function without its code, a variable without its value, or a copy.
static Operation *declare(OpBuilder &b, Operation *symbol) {
  if (auto global = dyn_cast<LLVM::GlobalOp>(symbol)) {
    if (isCopied(global))
      return b.clone(*symbol);
    auto declaration = LLVM::GlobalOp::create(b, global.getLoc(), global.getGlobalType(), global.getConstant(),
                                              LLVM::Linkage::External, global.getSymName(), Attribute());
    declaration.setAlignmentAttr(global.getAlignmentAttr());
    return declaration;
  }
  auto function = cast<LLVM::LLVMFuncOp>(b.cloneWithoutRegions(*symbol));
  function.setLinkage(LLVM::Linkage::External);
  return function;
}

OwningOpRef<ModuleOp> CodeParts::extract(size_t i) const {
  OwningOpRef<ModuleOp> part = ModuleOp::create(UnknownLoc::get(context));
  OpBuilder b = OpBuilder::atBlockEnd(part->getBody());
  llvm::StringSet<> known;
  for (Operation *symbol : parts[i].symbols) {
    b.clone(*symbol);
    known.insert(SymbolTable::getSymbolName(symbol).getValue());
  }
  for (Operation &op : *part->getBody())
    op.walk([&](Operation *inner) {
      auto use = [&](StringRef name) {
        auto symbol = symbols.find(name);
        if (symbol != symbols.end() && known.insert(name).second)
          declare(b, symbol->second);
      };
      if (auto address = dyn_cast<LLVM::AddressOfOp>(inner))
        use(address.getGlobalName());
      else if (auto call = dyn_cast<LLVM::CallOp>(inner); call && call.getCallee())
        use(*call.getCallee());
    });
  return part;
}
