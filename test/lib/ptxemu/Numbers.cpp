// Narrow floats and rounding modes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Numbers.h"

#include <cfenv>

namespace ptxemu {

uint32_t roundTo(FloatFormat format, double value, Rounding rounding, bool saturate) {
  const int mantissaBits = format.mantissaBits, bias = (1 << (format.exponentBits - 1)) - 1;
  const uint64_t bits = bitCast<uint64_t>(value);
  const uint32_t sign = static_cast<uint32_t>(bits >> 63) << (format.exponentBits + mantissaBits);
  const uint32_t allOnes = (1u << (format.exponentBits + mantissaBits)) - 1;
  if (value != value)
    return allOnes;
  const uint32_t infinity = ((1u << format.exponentBits) - 1) << mantissaBits;
  const uint32_t largest = format.hasInfinity ? infinity - 1 : allOnes - 1;
  const bool negative = bits >> 63;
  if (std::isinf(value))
    return sign | (saturate ? largest : format.hasInfinity ? infinity : allOnes);
  if (value == 0)
    return sign;
  // value = significand * 2^(exponent - 52), the significand having 53 bits.
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  uint64_t significand = bits & ((1ull << 52) - 1);
  if (exponent == -1023) {
    const int shift = __builtin_clzll(significand) - 11;
    significand <<= shift;
    exponent = -1022 - shift;
  } else {
    significand |= 1ull << 52;
  }
  const int least = 1 - bias; // exponent of the smallest normal number
  int drop = 52 - mantissaBits;
  if (exponent < least)
    drop += least - exponent;
  uint64_t kept = 0, rest = 0, half = 0;
  if (drop > 62) {
    rest = 1;
    half = 2;
  } else {
    kept = significand >> drop;
    rest = significand & ((1ull << drop) - 1);
    half = 1ull << (drop - 1);
  }
  bool up = false;
  switch (rounding) {
  case Rounding::Nearest:
    up = rest > half || (rest == half && (kept & 1));
    break;
  case Rounding::Away:
    up = rest >= half;
    break;
  case Rounding::Down:
    up = negative && rest;
    break;
  case Rounding::Up:
    up = !negative && rest;
    break;
  case Rounding::Zero:
    break;
  }
  kept += up;
  // A carry into the exponent is what the addition does.
  uint64_t result = kept;
  if (exponent >= least)
    result += static_cast<uint64_t>(exponent - least) << mantissaBits;
  if (result > largest) {
    const bool toward = rounding == Rounding::Zero || (rounding == Rounding::Down && !negative) ||
                        (rounding == Rounding::Up && negative);
    return sign | (saturate || toward ? largest : format.hasInfinity ? infinity : allOnes);
  }
  return sign | static_cast<uint32_t>(result);
}

double valueOf(FloatFormat format, uint32_t bits) {
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  const uint32_t mantissa = bits & ((1u << format.mantissaBits) - 1);
  const int exponent = static_cast<int>(bits >> format.mantissaBits & ((1u << format.exponentBits) - 1));
  const int last = (1 << format.exponentBits) - 1;
  const double sign = bits >> (format.exponentBits + format.mantissaBits) & 1 ? -1.0 : 1.0;
  if (exponent == last && format.hasInfinity)
    return mantissa ? std::nan("") : sign * INFINITY;
  if (exponent == last && mantissa == (1u << format.mantissaBits) - 1)
    return std::nan("");
  if (exponent == 0)
    return sign * std::ldexp(static_cast<double>(mantissa), 1 - bias - format.mantissaBits);
  return sign *
         std::ldexp(static_cast<double>(mantissa | 1u << format.mantissaBits), exponent - bias - format.mantissaBits);
}

namespace rounded {

namespace {
/// The processor's rounding mode for the life of an object.
class Mode {
public:
  explicit Mode(Rounding rounding) : before_(std::fegetround()) {
    std::fesetround(rounding == Rounding::Zero   ? FE_TOWARDZERO
                    : rounding == Rounding::Down ? FE_DOWNWARD
                    : rounding == Rounding::Up   ? FE_UPWARD
                                                 : FE_TONEAREST);
  }
  ~Mode() { std::fesetround(before_); }

private:
  int before_;
};
} // namespace

// Operands and results go through volatile memory so that nothing is computed outside of the mode.
template <typename F, typename Compute> static F inMode(Rounding rounding, F a, F b, F c, Compute compute) {
  volatile F x = a, y = b, z = c;
  Mode mode(rounding);
  volatile F result = compute(x, y, z);
  return result;
}

float add(float a, float b, Rounding r) {
  return inMode(r, a, b, b, [](float x, float y, float) { return x + y; });
}
float mul(float a, float b, Rounding r) {
  return inMode(r, a, b, b, [](float x, float y, float) { return x * y; });
}
float div(float a, float b, Rounding r) {
  return inMode(r, a, b, b, [](float x, float y, float) { return x / y; });
}
float fma(float a, float b, float c, Rounding r) {
  return inMode(r, a, b, c, [](float x, float y, float z) { return std::fma(x, y, z); });
}
float sqrt(float a, Rounding r) {
  return inMode(r, a, a, a, [](float x, float, float) { return std::sqrt(x); });
}
double add(double a, double b, Rounding r) {
  return inMode(r, a, b, b, [](double x, double y, double) { return x + y; });
}
double mul(double a, double b, Rounding r) {
  return inMode(r, a, b, b, [](double x, double y, double) { return x * y; });
}
double div(double a, double b, Rounding r) {
  return inMode(r, a, b, b, [](double x, double y, double) { return x / y; });
}
double fma(double a, double b, double c, Rounding r) {
  return inMode(r, a, b, c, [](double x, double y, double z) { return std::fma(x, y, z); });
}
double sqrt(double a, Rounding r) {
  return inMode(r, a, a, a, [](double x, double, double) { return std::sqrt(x); });
}

float narrow(double a, Rounding rounding) {
  volatile double x = a;
  Mode mode(rounding);
  volatile float result = static_cast<float>(x);
  return result;
}

template <typename F, typename I> static F convert(I value, Rounding rounding) {
  volatile I x = value;
  Mode mode(rounding);
  volatile F result = static_cast<F>(x);
  return result;
}
float fromInteger32(int64_t value, Rounding r) { return convert<float>(value, r); }
double fromInteger64(int64_t value, Rounding r) { return convert<double>(value, r); }

/// Of an unsigned number above the signed ones the lower half is folded into a bit that rounding looks at.
template <typename F> static F convertUnsigned(uint64_t value, Rounding rounding) {
  if (value >> 63 == 0)
    return convert<F>(static_cast<int64_t>(value), rounding);
  return convert<F>(static_cast<int64_t>(value >> 1 | (value & 1)), rounding) * 2;
}
float fromUnsigned32(uint64_t value, Rounding r) { return convertUnsigned<float>(value, r); }
double fromUnsigned64(uint64_t value, Rounding r) { return convertUnsigned<double>(value, r); }

double toInteger(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  case Rounding::Away:
    return std::round(value);
  case Rounding::Nearest:
    break;
  }
  return std::nearbyint(value);
}

} // namespace rounded
} // namespace ptxemu
