// Positions of tensors' elements by coordinates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_INTERPRETER_INDEXSPACE_H
#define LIB_INTERPRETER_INDEXSPACE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlc::interp {

/// The row-major position of `index` in `shape`.
inline int64_t positionOf(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [i, size] : llvm::zip(index, shape))
    position = position * size + i;
  return position;
}

/// Calls `visit` with the coordinates of each element of `shape`, row-major, and its position.
inline void forEachIndex(llvm::ArrayRef<int64_t> shape,
                         llvm::function_ref<void(llvm::ArrayRef<int64_t>, int64_t)> visit) {
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0; i < elements; ++i) {
    visit(index, i);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

} // namespace mlc::interp

#endif // LIB_INTERPRETER_INDEXSPACE_H
