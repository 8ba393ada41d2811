// Values for inputs of tests: the same in every run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_EXECUTE_RANDOMVALUES_H
#define MLC_TEST_EXECUTE_RANDOMVALUES_H

#include "mlc/Interpreter/Tensor.h"

#include <random>

namespace mlc::execute {

/// Draws tensors. Nothing of it depends on the C++ library: only the engine's numbers are used.
class RandomValues {
public:
  explicit RandomValues(uint32_t seed) : engine(seed) {}

  /// In [0, bound).
  int64_t below(int64_t bound) {
    uint64_t high = engine();
    return static_cast<int64_t>(((high << 32) | engine()) % static_cast<uint64_t>(bound));
  }
  double uniform(double low, double high) { return low + (high - low) * (engine() * 0x1p-32); }

  interp::Tensor floats(interp::ElementKind kind, llvm::ArrayRef<int64_t> shape, double low, double high) {
    interp::Tensor result(kind, shape);
    for (int64_t i = 0, n = result.getNumElements(); i < n; ++i)
      result.setFloat(i, uniform(low, high));
    return result;
  }
  /// In [low, high).
  interp::Tensor integers(interp::ElementKind kind, llvm::ArrayRef<int64_t> shape, int64_t low, int64_t high) {
    interp::Tensor result(kind, shape);
    for (int64_t i = 0, n = result.getNumElements(); i < n; ++i)
      result.setInteger(i, low + below(high - low));
    return result;
  }
  interp::Tensor strings(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<const char *> choices) {
    interp::Tensor result(interp::ElementKind::String, shape);
    for (int64_t i = 0, n = result.getNumElements(); i < n; ++i)
      result.setString(i, choices[below(choices.size())]);
    return result;
  }

private:
  std::mt19937 engine;
};

} // namespace mlc::execute

#endif // MLC_TEST_EXECUTE_RANDOMVALUES_H
