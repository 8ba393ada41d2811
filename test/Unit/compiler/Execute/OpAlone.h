// Ops of the cases, each alone in a function: for what holds for every op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_EXECUTE_OPALONE_H
#define MLC_TEST_EXECUTE_OPALONE_H

#include "OpCases.h"
#include "dialects/Df/IR/DfFunctionOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlc::execute {

using Types = llvm::SmallVector<mlir::Type>;

std::string textOf(mlir::Operation *op);

/// An op of a case alone in a function, with operands and results of any types.
class Alone {
public:
  Alone(mlir::ModuleOp of, mlir::Operation *op) : of(of), op(op) {}

  Types getTypes() const;
  size_t getNumOperands() const { return op->getNumOperands(); }

  /// The module of the function `alone`, if the op verifies with these types, which are those of its operands, then its
  /// results.
  mlir::OwningOpRef<mlir::ModuleOp> make(llvm::ArrayRef<mlir::Type> types) const;

  /// Whether dimension `d` of operand or result `i` is one of several that the op tells to be equally large.
  static bool isChecked(mlir::ModuleOp module, size_t i, int64_t d);
  static mlir::Operation *getOp(mlir::ModuleOp module);

private:
  mlir::ModuleOp of;
  mlir::Operation *op;
};

/// A theme of ops without regions, and what adds its cases.
using OpTheme = std::pair<const char *, void (*)(std::vector<OpCase> &)>;
extern const std::vector<OpTheme> kOpThemes;

/// Calls `check` with each op of the cases, once for each form, until a check of the running test fails. Returns how
/// many there were.
int64_t forEachOpAlone(void (*addCases)(std::vector<OpCase> &), llvm::function_ref<void(const Alone &)> check);

} // namespace mlc::execute

#endif // MLC_TEST_EXECUTE_OPALONE_H
