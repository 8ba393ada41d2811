// A module in the LLVM dialect cut into parts that are compiled apart. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_CODEPARTS_H
#define LIB_TARGET_CPU_CODEPARTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlc {

/// Symbols that are compiled together.
struct CodePart {
  llvm::SmallVector<mlir::Operation *> symbols;
  int64_t ops = 0; ///< in the functions
};

/// The parts of a module: runs of its functions, in order, of about the same number of ops. The cut depends on the
/// module alone. Each function of bitcode is a part of its own, which keeps what it has for itself together.
class CodeParts {
public:
  explicit CodeParts(mlir::ModuleOp module);

  size_t size() const { return parts.size(); }
  const CodePart &operator[](size_t i) const { return parts[i]; }

  /// Whether the module defines a symbol that other parts may use.
  bool isShared(llvm::StringRef symbol) const { return shared.contains(symbol); }
  /// Whether part `i` is where such a symbol is defined.
  bool defines(size_t i, llvm::StringRef symbol) const {
    auto part = shared.find(symbol);
    return part != shared.end() && part->second == i;
  }

  /// A module of the symbols of part `i`, of copies of the constants that they use, and of declarations of all else
  /// that they use. May be called from several threads.
  mlir::OwningOpRef<mlir::ModuleOp> extract(size_t i) const;

private:
  mlir::MLIRContext *context;
  llvm::SmallVector<CodePart> parts;
  llvm::StringMap<mlir::Operation *> symbols; ///< functions and variables of the module
  llvm::StringMap<size_t> shared;             ///< the part that defines what all may use
};

} // namespace mlc

#endif // LIB_TARGET_CPU_CODEPARTS_H
