// Numbers that a column refuses. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_NUMBERCHECK_H
#define MLCRT_INPUT_NUMBERCHECK_H

#include <cstdint>

namespace mlcrt {

/// What is wrong with a number.
enum class NumberFault { None, NotFinite, Negative };

/// The first number that is refused.
struct RefusedNumber {
  NumberFault fault = NumberFault::None;
  int64_t index = -1;
};

/// Looks through `count` numbers of dtype `dtype` at `values`, which need not be aligned: infinite ones and NaN are
/// refused if `finite`, those below 0 if `isWeight`. Dtypes without such numbers pass.
RefusedNumber refusedNumber(int32_t dtype, const void *values, int64_t count, bool finite, bool isWeight);

/// Number `index` of `values`, as a double; a dtype of columns that is no string.
double numberAt(int32_t dtype, const void *values, int64_t index);

} // namespace mlcrt

#endif // MLCRT_INPUT_NUMBERCHECK_H
