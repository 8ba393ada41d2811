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

/// The values from outside of a launch's region that are arguments of its kernel, in the order of their first uses.
llvm::SmallVector<mlir::Value> capturedBy(kern::LaunchOp launch);

/// Erases ops of the block that nothing needs.
void eraseDeadOps(mlir::Block &block);

/// The private functions (arguments, task) of a module's launches; those of launches with a grid, which have the
/// attribute `kern.grid`, get (arguments, block, thread). Launches that do the same share one; of those that
/// differ only in where parts of buffers begin, or in keys of random numbers, the first few have these numbers in their
/// code, and others get them as arguments: a wide model has a table for each column, whose rows end in columns of their
/// own.
class KernelFunctions {
public:
  /// Functions are called `prefix`_0 and so on; those of a device end in what they were made of.
  KernelFunctions(mlir::ModuleOp module, llvm::StringRef prefix) : module(module), prefix(prefix) {}

  /// Makes the launch's body a call of its function, and gives that.
  mlir::func::FuncOp outline(kern::LaunchOp launch);

  /// Constants from outside of a launch that its kernel may get as arguments, and where it uses them so.
  struct Numbers {
    llvm::SmallVector<mlir::Value> values;
    llvm::SmallVector<mlir::OpOperand *> uses;
  };
  /// What a launch does, but for the values of `numbers`, as bytes: those of two launches in a context are equal if
  /// they do the same. `captured`: the values from outside of its region, but for constants.
  static std::string keyOf(kern::LaunchOp launch, mlir::ValueRange captured, const Numbers &numbers);

private:
  /// Kernels that differ in numbers alone.
  struct Family {
    int64_t size = 0;
    llvm::SmallVector<mlir::Attribute> first; ///< the numbers of the first one
    llvm::SmallVector<bool> differs;          ///< whether another one has another number
  };

  /// The function of a launch, whose arguments are `captured`: values of its region from outside of it, to which
  /// constants are added that the function gets.
  mlir::func::FuncOp of(kern::LaunchOp launch, llvm::SmallVectorImpl<mlir::Value> &captured);
  static Numbers findNumbers(kern::LaunchOp launch);
  mlir::func::FuncOp clone(kern::LaunchOp launch, mlir::ValueRange captured, const Numbers &numbers);
  mlir::func::FuncOp find(kern::LaunchOp launch, mlir::ValueRange captured, const Numbers &numbers, std::string key);

  mlir::ModuleOp module;
  llvm::StringRef prefix;
  /// What a kernel does -> the kernel.
  llvm::StringMap<mlir::func::FuncOp> kernels;
  /// What a kernel that gets all its numbers does -> those that differ in them.
  llvm::StringMap<Family> families;
};

} // namespace mlc

#endif // LIB_CODEGEN_KERNELFUNCTIONS_H
