// The order of integers, signed and unsigned.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_INTERPRETER_INTEGERORDER_H
#define LIB_INTERPRETER_INTEGERORDER_H

#include "mlc/Interpreter/Tensor.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <vector>

namespace mlc::interp {

/// The least and the largest integer of a kind, as tensors give them.
inline int64_t leastInteger(ElementKind kind) { return isUnsignedKind(kind) ? 0 : llvm::minIntN(integerWidth(kind)); }
inline int64_t largestInteger(ElementKind kind) {
  return isUnsignedKind(kind) ? static_cast<int64_t>(llvm::maxUIntN(integerWidth(kind)))
                              : llvm::maxIntN(integerWidth(kind));
}

/// What has, as a signed number, the place of an integer among those of its kind; its own inverse.
inline int64_t inOrder(ElementKind kind, int64_t value) {
  return kind == ElementKind::UI64 ? value ^ std::numeric_limits<int64_t>::min() : value;
}

/// The elements of an integer tensor as numbers in their order.
inline std::vector<int64_t> integersInOrder(const Tensor &tensor) {
  std::vector<int64_t> values = tensor.to<int64_t>();
  for (int64_t &value : values)
    value = inOrder(tensor.getKind(), value);
  return values;
}

} // namespace mlc::interp

#endif // LIB_INTERPRETER_INTEGERORDER_H
