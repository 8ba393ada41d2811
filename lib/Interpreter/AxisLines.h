// The lines of a tensor along one axis.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_INTERPRETER_AXISLINES_H
#define LIB_INTERPRETER_AXISLINES_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace mlc::interp {

/// A tensor of `shape` as lines along `axis`, numbered by the other dimensions in row-major order.
struct AxisLines {
  AxisLines(llvm::ArrayRef<int64_t> shape, int64_t axis) : size(shape[axis]) {
    for (int64_t d : shape.drop_front(axis + 1))
      inner *= d;
    count = inner;
    for (int64_t d : shape.take_front(axis))
      count *= d;
  }

  /// Index of element `i` of line `line`.
  int64_t at(int64_t line, int64_t i) const { return (line / inner * size + i) * inner + line % inner; }

  int64_t size, inner = 1, count = 1;
};

} // namespace mlc::interp

#endif // LIB_INTERPRETER_AXISLINES_H
