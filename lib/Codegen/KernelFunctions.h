// The functions of kernels: one for all launches that do the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_KERNELFUNCTIONS_H
#define LIB_CODEGEN_KERNELFUNCTIONS_H

#include "dialects/Kern/IR/Kern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlc {

/// Whether a value from outside of a launch is no argument of its kernel: constants are cheap, each function makes its
/// own.
bool isConstantOfKernels(mlir::Value value);

/// The i64-sized cell `i` of a block of arguments.
mlir::Value kernelCell(mlir::OpBuilder &b, mlir::Location loc, mlir::Value block, int64_t i);

/// The private functions (arguments, first, last, worker) -> code of a module's launches. Launches that do the same
/// share one; of those that differ only in where parts of buffers begin, or in keys of random numbers, the first few
/// have these numbers in their code, and others get them as arguments: a wide model has a table for each column, whose
/// rows end in columns of their own.
class KernelFunctions {
public:
  explicit KernelFunctions(mlir::ModuleOp module) : module(module) {}

  /// The function of a launch, whose argument block holds `captured`: values of its region from outside of it, to which
  /// constants are added that the function gets. All constants of the region come from outside.
  mlir::func::FuncOp of(kern::LaunchOp launch, llvm::SmallVectorImpl<mlir::Value> &captured);

private:
  /// Constants from outside of a launch that its kernel may get in cells, and where it uses them so.
  struct Numbers {
    llvm::SmallVector<mlir::Value> values;
    llvm::SmallVector<mlir::OpOperand *> uses;
  };
  /// Kernels that differ in numbers alone.
  struct Family {
    int64_t size = 0;
    llvm::SmallVector<mlir::Attribute> first; ///< the numbers of the first one
    llvm::SmallVector<bool> differs;          ///< whether another one has another number
  };

  static Numbers findNumbers(kern::LaunchOp launch);
  static std::string keyOf(kern::LaunchOp launch, mlir::ValueRange captured, const Numbers &numbers);
  mlir::func::FuncOp clone(kern::LaunchOp launch, mlir::ValueRange captured, const Numbers &numbers);
  mlir::func::FuncOp find(kern::LaunchOp launch, mlir::ValueRange captured, const Numbers &numbers, std::string key);

  mlir::ModuleOp module;
  /// What a kernel does -> the kernel.
  llvm::StringMap<mlir::func::FuncOp> kernels;
  /// What a kernel that gets all its numbers does -> those that differ in them.
  llvm::StringMap<Family> families;
};

} // namespace mlc

#endif // LIB_CODEGEN_KERNELFUNCTIONS_H
