// Numbers as PTX computes them: narrow floats, rounding modes, NaN and subnormal rules.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_NUMBERS_H
#define MLC_TEST_LIB_PTXEMU_NUMBERS_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace ptxemu {

template <typename To, typename From> inline To bitCast(const From &from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

/// How a result that has no exact representation is rounded.
enum class Rounding : uint8_t {
  Nearest, ///< to the nearest, ties to even
  Zero,
  Down,
  Up,
  Away, ///< to the nearest, ties away from zero
};

/// A binary float narrower than f32.
struct FloatFormat {
  int exponentBits, mantissaBits;
  bool hasInfinity; ///< e4m3 has none: its largest exponent holds numbers, and NaN where all bits are set
};
constexpr FloatFormat kF16{5, 10, true}, kBF16{8, 7, true}, kTF32{8, 10, true}, kE4M3{4, 3, false}, kE5M2{5, 2, true};

/// The bits of `value` in `format`, rounded once. A value above the largest becomes infinity, or the largest number
/// with `saturate` (where the format has no infinity: NaN without it). NaN becomes the format's canonical NaN (all bits
/// but the sign set).
uint32_t roundTo(FloatFormat format, double value, Rounding rounding, bool saturate = false);
/// The value of `bits` in `format`.
double valueOf(FloatFormat format, uint32_t bits);

/// An f16 and a bf16, by their bits.
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};

constexpr uint32_t kNaN32 = 0x7fffffffu;
constexpr uint64_t kNaN64 = 0x7ff8000000000000ull;

inline float toFloat(Half half) {
  const uint32_t sign = static_cast<uint32_t>(half.bits & 0x8000) << 16, exponent = half.bits >> 10 & 31,
                 mantissa = half.bits & 0x3ff;
  if (exponent == 31)
    return bitCast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent)
    return bitCast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float tiny = static_cast<float>(mantissa) * 0x1p-24f;
  return bitCast<float>(bitCast<uint32_t>(tiny) | sign);
}
inline float toFloat(BFloat narrow) { return bitCast<float>(static_cast<uint32_t>(narrow.bits) << 16); }

inline Half toHalf(double value, Rounding rounding = Rounding::Nearest) {
  return {static_cast<uint16_t>(roundTo(kF16, value, rounding))};
}
inline BFloat toBFloat(double value, Rounding rounding = Rounding::Nearest) {
  return {static_cast<uint16_t>(roundTo(kBF16, value, rounding))};
}

/// A subnormal becomes a zero of its sign.
inline float flush(float value) {
  const uint32_t bits = bitCast<uint32_t>(value);
  return (bits & 0x7f800000u) ? value : bitCast<float>(bits & 0x80000000u);
}
/// Every NaN of an f32 result has the same bits.
inline float canonical(float value) { return value != value ? bitCast<float>(kNaN32) : value; }
inline double canonical(double value) { return value != value ? bitCast<double>(kNaN64) : value; }
/// To [0, 1]; NaN becomes 0.
inline float saturate(float value) { return value > 0 ? (value < 1 ? value : 1.0f) : 0.0f; }
inline double saturate(double value) { return value > 0 ? (value < 1 ? value : 1.0) : 0.0; }

/// a + b in double, where the last bit is set if the sum is not exact: rounding it again to a narrower format is then
/// the same as rounding the exact sum.
inline double addToOdd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  const double back = sum - a, error = (a - (sum - back)) + (b - back);
  if (error == 0)
    return sum;
  const uint64_t bits = bitCast<uint64_t>(sum);
  if (bits & 1)
    return sum;
  // The exact sum lies between this value and its neighbour on the side of the error: the odd one of both.
  return bitCast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/// The operations of f32 and f64 with a rounding mode other than nearest; exact, and slower.
namespace rounded {
float add(float a, float b, Rounding rounding);
float mul(float a, float b, Rounding rounding);
float div(float a, float b, Rounding rounding);
float fma(float a, float b, float c, Rounding rounding);
float sqrt(float a, Rounding rounding);
float narrow(double a, Rounding rounding);
float fromInteger32(int64_t value, Rounding rounding);
float fromUnsigned32(uint64_t value, Rounding rounding);
double add(double a, double b, Rounding rounding);
double mul(double a, double b, Rounding rounding);
double div(double a, double b, Rounding rounding);
double fma(double a, double b, double c, Rounding rounding);
double sqrt(double a, Rounding rounding);
double fromInteger64(int64_t value, Rounding rounding);
double fromUnsigned64(uint64_t value, Rounding rounding);
/// To an integer in floating point; Nearest is to even.
double toInteger(double value, Rounding rounding);
} // namespace rounded

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_NUMBERS_H
