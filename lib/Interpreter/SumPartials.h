// The partials of a sum whose elements interleave.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_INTERPRETER_SUMPARTIALS_H
#define LIB_INTERPRETER_SUMPARTIALS_H

#include "mlc/Support/SumOrder.h"

#include <vector>

namespace mlc::interp {

/// The interleaved partials of one element of a result.
template <typename T> struct Partials {
  explicit Partials(T neutral) : neutral(neutral) {}
  template <typename Fn> void add(T value, Fn f) {
    size_t place = count++ % kSumPartials;
    if (place == values.size())
      values.push_back(neutral);
    values[place] = f(values[place], value);
  }
  template <typename Fn> T combine(Fn f) {
    return values.empty() ? neutral : combinePartials(llvm::MutableArrayRef<T>(values), f);
  }

  T neutral;
  size_t count = 0;
  std::vector<T> values;
};

} // namespace mlc::interp

#endif // LIB_INTERPRETER_SUMPARTIALS_H
