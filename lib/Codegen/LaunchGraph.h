// Which ops of a block depend on which, by values and by memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_LAUNCHGRAPH_H
#define LIB_CODEGEN_LAUNCHGRAPH_H

#include "dialects/Kern/IR/Kern.h"

#include <vector>

namespace mlc {

/// On an op of a launch that no interface tells of: it touches nothing but memory that tasks have of their own.
inline constexpr llvm::StringLiteral kOfBlockAttr = "of_block";

/// [begin, end) along each dimension of a buffer; empty: all of it.
using Box = llvm::SmallVector<std::pair<int64_t, int64_t>>;

/// Part of a buffer that an op reads or writes.
struct Access {
  /// The allocation (a task's own on the stack is one) or function argument; null if it could be any.
  mlir::Value root;
  Box box;
  bool writes;
};

/// An op of the block, or (null) what several ops come together in: who depends on it depends on all of them.
struct LaunchNode {
  mlir::Operation *op;
  llvm::SmallVector<Access> accesses;
  /// Positions of the nodes that need this one to be done.
  llvm::SmallVector<int64_t> readers;
  bool dependsOnNothing = true;
  int64_t level = 0;

  bool isLaunch() const { return llvm::isa_and_nonnull<kern::LaunchOp>(op); }
};

/// The ops of the block but its terminator, in order, and who needs whom; readers stand after what they read. An op
/// needs each earlier one whose result it takes, and, as far as others do not say so already, each that touches memory
/// which one of both writes. Takes time linear in the ops of the block and its regions, but for boxes that overlap.
std::vector<LaunchNode> buildLaunchGraph(mlir::Block &block);

} // namespace mlc

#endif // LIB_CODEGEN_LAUNCHGRAPH_H
