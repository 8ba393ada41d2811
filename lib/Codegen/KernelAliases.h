// Which buffers of a kernel's launches may be the same memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_KERNELALIASES_H
#define LIB_CODEGEN_KERNELALIASES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

#include <set>

namespace mlc {

/// On the function of a kernel: pairs of its arguments, by number, the smaller one first, that some launch may pass one
/// piece of memory for (an array of i64). Without it nothing is known.
inline constexpr llvm::StringLiteral kMayAliasAttr = "may_alias";

/// Collects what launches pass to the kernels of a module. Of the arguments of a segment no two are the same memory,
/// and neither are two parts of its workspace that are there at the same time.
class KernelAliases {
public:
  /// Notes a launch: the values that the first arguments of `kernel` get.
  void note(mlir::func::FuncOp kernel, mlir::ValueRange values);
  /// Sets kMayAliasAttr of the kernels of all launches that were noted.
  void mark();

private:
  using Pairs = std::set<std::pair<int64_t, int64_t>>;
  llvm::MapVector<mlir::Operation *, Pairs> pairs;
};

} // namespace mlc

#endif // LIB_CODEGEN_KERNELALIASES_H
