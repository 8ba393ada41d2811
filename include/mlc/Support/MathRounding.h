// Rounding to integers and the exact remainder over the emitter of MathEmitter.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_MATHROUNDING_H
#define MLC_SUPPORT_MATHROUNDING_H

#include "mlc/Support/MathEmitter.h"

namespace mlc {

/// The smallest integer not below x; -0 of what lies in (-1, 0].
template <class E> typename E::F expandCeil(E &e, typename E::F x) { return e.neg(e.floor(e.neg(x))); }

/// The integer next to x towards zero, of the sign of x.
template <class E> typename E::F expandTrunc(E &e, typename E::F x) { return e.copysign(e.floor(e.abs(x)), x); }

/// The remainder x - y trunc(x / y), exact, of the sign of x (C's fmod): NaN of an infinite x and of y = 0, x of an
/// infinite y. Takes quotients of so many bits at a time that each step is exact, from the largest multiple of |y| that
/// any x can reach down to |y| itself.
template <class E> typename E::F expandRem(E &e, typename E::F x, typename E::F y) {
  // 13 * 22 and 42 * 50 bits reach from the smallest subnormal past the largest number.
  constexpr int steps = E::isDouble ? 42 : 13;
  auto magnitude = e.abs(x), divisor = e.abs(y), zero = e.constant(0.0);
  typename E::F multiples[steps];
  multiples[0] = divisor;
  for (int i = 1; i < steps; ++i)
    multiples[i] = e.mul(multiples[i - 1], e.constant(byWidth<E>(0x1p22, 0x1p50)));
  auto rest = magnitude;
  for (int i = steps - 1; i >= 0; --i) {
    // An infinite multiple is above every finite rest.
    auto fits = e.le(multiples[i], rest);
    auto quotient = e.floor(e.div(rest, multiples[i]));
    auto next = e.fma(e.neg(quotient), multiples[i], rest);
    // The rounded quotient may be one too large.
    next = e.select(e.lt(next, zero), e.add(next, multiples[i]), next);
    rest = e.select(fits, next, rest);
  }
  auto valid = e.andb(e.lt(magnitude, infinity(e)), e.andb(e.lt(zero, divisor), e.le(divisor, infinity(e))));
  return e.select(valid, e.copysign(rest, x), quietNaN(e));
}

} // namespace mlc

#endif // MLC_SUPPORT_MATHROUNDING_H
