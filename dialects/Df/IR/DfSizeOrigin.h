// Where sizes come from: dimensions of values that are as large as others, and those that must be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFSIZEORIGIN_H
#define DIALECTS_DF_IR_DFSIZEORIGIN_H

#include "dialects/Df/IR/Df.h"

namespace mlc::df {

/// One step back: the dimension of an operand, of a value that a loop begins with or of one that a region yields, that
/// is as large as dimension `d` of `value`, if the sizes agree that the op needs to (`forEachSameSize`). None where
/// the op makes a size of its own, of several, or takes it from one of several values (branches with different ones).
std::optional<Dimension> sizeOriginOf(mlir::Value value, int64_t d);

/// Where sizes are made, step by step from where they are used, of IR that stays as it is meanwhile. Each step is taken
/// once, whatever is asked.
class SizeRoots {
public:
  Dimension get(Dimension at);

private:
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, Dimension> roots;
};

/// Whether two dimensions are equally large because they are made in one place.
bool areMadeInOnePlace(Dimension a, Dimension b);
/// Whether two dimensions are known to be equally large: made in one place, or of one dimension symbol.
bool areKnownEqual(Dimension a, Dimension b);
/// The same of all dimensions of two tensors of one rank.
bool areKnownEqual(mlir::Value a, mlir::Value b);

/// A value defined outside of `region`, and its dimension that is as large as the dynamic dimension `d` of `value`,
/// which is defined in `region` or outside. None where an op within makes a size of its own.
std::optional<Dimension> traceSize(mlir::Value value, int64_t d, mlir::Region &region);

/// Calls `visit` with pairs of dimensions that must be equally large for `op` to mean anything, the second ones in the
/// order of the operands; at the end of a loop's body: of what it yields, and what it carries. The second one is of a
/// result where its type knows a size that no operand's type does. Static ones, which the verifier compares, are left
/// out.
void forEachSameSize(mlir::Operation *op, llvm::function_ref<void(Dimension, Dimension)> visit);

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFSIZEORIGIN_H
