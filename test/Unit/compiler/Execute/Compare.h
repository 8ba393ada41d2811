// Comparison of tensors within a stated bound.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_EXECUTE_COMPARE_H
#define MLC_TEST_EXECUTE_COMPARE_H

#include "EntryCall.h"

#include <string>

namespace mlc::execute {

/// How far an element may be from the expected one. Infinities and NaNs must be the same (any NaN is any other).
struct Tolerance {
  /// Units in the last place of the expected value; 0 asks for the same bits, the sign of zero included.
  int64_t ulps = 0;
  /// Beside these an absolute error, and one in proportion to the same element of another tensor.
  double absolute = 0;
  const interp::Tensor *magnitudes = nullptr;
  double perMagnitude = 0;
  /// Elements that the interpreter leaves as its mark of the undefined, NaN or INT64_MAX, may be anything.
  bool undefinedElements = false;
};

/// What is wrong with `found`, or nothing.
std::string differenceOf(const interp::Tensor &expected, const interp::Tensor &found, const Tolerance &tolerance = {});

/// The same for all tensors of two maps; the first one that differs is told by name.
std::string differenceOf(const TensorMap &expected, const TensorMap &found, const Tolerance &tolerance = {});

} // namespace mlc::execute

#endif // MLC_TEST_EXECUTE_COMPARE_H
