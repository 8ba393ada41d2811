// Numbers that a column refuses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/NumberCheck.h"

#include "mlcrt/abi.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace mlcrt {

template <typename T> static T load(const void *values, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(values) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T> static NumberFault faultOf(T value, bool finite, bool isWeight) {
  if constexpr (std::is_floating_point_v<T>)
    if (finite && !std::isfinite(value))
      return NumberFault::NotFinite;
  return isWeight && value < 0 ? NumberFault::Negative : NumberFault::None;
}

/// Whether any of `count` floats is infinite or NaN: its exponent has all bits, so that the magnitude, as an integer,
/// is at least that of infinity. Without a way out of the loop, as that costs more than the rest of a block.
template <typename T> static bool anyNotFinite(const void *values, int64_t begin, int64_t end) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(double), int64_t, int32_t>;
  constexpr Bits kInfinity = sizeof(T) == sizeof(double) ? Bits(0x7ff0000000000000) : Bits(0x7f800000);
  constexpr Bits kMagnitude = std::numeric_limits<Bits>::max();
  Bits found = 0;
  for (int64_t i = begin; i < end; ++i)
    found |= (load<Bits>(values, i) & kMagnitude) >= kInfinity;
  return found != 0;
}

template <typename T> static RefusedNumber firstRefused(const void *values, int64_t count, bool finite, bool isWeight) {
  constexpr int64_t kBlock = 1024;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, count);
    if constexpr (std::is_floating_point_v<T>)
      if (count > 1 && !isWeight && !anyNotFinite<T>(values, begin, end))
        continue;
    for (int64_t i = begin; i < end; ++i)
      if (const NumberFault fault = faultOf(load<T>(values, i), finite, isWeight); fault != NumberFault::None)
        return {fault, i};
  }
  return {};
}

RefusedNumber refusedNumber(int32_t dtype, const void *values, int64_t count, bool finite, bool isWeight) {
  if (!isWeight && !(finite && (dtype == MLCRT_F32 || dtype == MLCRT_F64)))
    return {};
  switch (dtype) {
  case MLCRT_F32:
    return firstRefused<float>(values, count, finite, isWeight);
  case MLCRT_F64:
    return firstRefused<double>(values, count, finite, isWeight);
  case MLCRT_I32:
    return firstRefused<int32_t>(values, count, finite, isWeight);
  case MLCRT_I64:
    return firstRefused<int64_t>(values, count, finite, isWeight);
  default:
    return {};
  }
}

double numberAt(int32_t dtype, const void *values, int64_t index) {
  switch (dtype) {
  case MLCRT_F32:
    return load<float>(values, index);
  case MLCRT_F64:
    return load<double>(values, index);
  case MLCRT_I32:
    return load<int32_t>(values, index);
  case MLCRT_I64:
    return static_cast<double>(load<int64_t>(values, index));
  default:
    return load<uint8_t>(values, index);
  }
}

} // namespace mlcrt
