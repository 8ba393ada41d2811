// Philox4x32-10 over an emitter of 32-bit words, and the numbers made of its words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_PHILOX_H
#define MLC_SUPPORT_PHILOX_H

#include "mlc/Support/MathEmitter.h"
#include "mlc/Support/MathNormal.h"

#include <array>
#include <cstdint>

/// The counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC
/// 2011): output = bijection of a 128-bit counter under a 64-bit key; no state. Key and counter of a number of mlc are
/// those of docs/architecture.md, "Randomness"; PhiloxKey.h makes the key.
///
/// A word emitter `E` has (the code generator's: vector<8xi32>; the interpreter's: ScalarWordEmitter)
///   using W                      32-bit word, signless
///   W constant(uint32_t); W mullo, mulhiU(W, W): low and high half of the unsigned product; W xorw, addw(W, W):
///   wrapping
namespace mlc {

/// Four 32-bit words: a counter (word 0 is its lowest) or an output.
template <class E> using PhiloxCounter = std::array<typename E::W, 4>;

/// Two 32-bit words, the low one first.
template <class E> using PhiloxKey = std::array<typename E::W, 2>;

/// The four output words of Philox4x32 with ten rounds.
template <class E> PhiloxCounter<E> philox4x32(E &e, PhiloxCounter<E> counter, PhiloxKey<E> key) {
  // Multipliers of the paper; Weyl increments: fractions of the golden ratio and of sqrt(3).
  auto multiplier0 = e.constant(0xD2511F53u), multiplier1 = e.constant(0xCD9E8D57u);
  auto weyl0 = e.constant(0x9E3779B9u), weyl1 = e.constant(0xBB67AE85u);
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    auto high0 = e.mulhiU(multiplier0, counter[0]);
    auto low0 = e.mullo(multiplier0, counter[0]);
    auto high1 = e.mulhiU(multiplier1, counter[2]);
    auto low1 = e.mullo(multiplier1, counter[2]);
    counter = {e.xorw(e.xorw(high1, counter[1]), key[0]), low1, e.xorw(e.xorw(high0, counter[3]), key[1]), low0};
    if (round + 1 < rounds)
      key = {e.addw(key[0], weyl0), e.addw(key[1], weyl1)};
  }
  return counter;
}

/// Uniform in [0, 1): the upper 24 bits of `word` times 2^-24; every value is a multiple of 2^-24. For f32 emitters,
/// whose I is a word.
template <class E> typename E::F uniformF32FromBits(E &e, typename E::I word) {
  static_assert(!E::isDouble, "an f32 emitter");
  return e.mul(e.toFloat(e.shrui(word, e.constantInt(8))), e.constant(0x1p-24));
}

/// Uniform in [0, 1), a multiple of 2^-53: the upper 27 bits of `high` followed by the upper 26 bits of `low`, times
/// 2^-53. For f64 emitters; the words stand in the low halves of 64-bit integers whose high halves are zero.
template <class E> typename E::F uniformF64FromBits(E &e, typename E::I high, typename E::I low) {
  static_assert(E::isDouble, "an f64 emitter");
  auto upper = e.shli(e.shrui(high, e.constantInt(5)), e.constantInt(26));
  auto all = e.ori(upper, e.shrui(low, e.constantInt(6)));
  return e.mul(e.toFloat(all), e.constant(0x1p-53));
}

/// Standard normal number by inversion of a uniform one of uniformF32FromBits or uniformF64FromBits. The middle of the
/// uniform's cell is inverted: it is never 0 or 1 and lies symmetrically, so the result is finite (|z| < 5.5 for
/// f32, 8.3 for f64), never zero, and as often positive as negative.
template <class E> typename E::F normalFromUniform(E &e, typename E::F uniform) {
  // 2 (u + cell / 2) - 1 is exact.
  auto x = e.fma(e.constant(2.0), uniform, e.constant(byWidth<E>(0x1p-24 - 1.0, 0x1p-53 - 1.0)));
  return timesRootTwo(e, expandErfinv(e, x));
}

/// Normal number of mean 0 and deviation 1 cut off at -2 and 2, both reached at most by rounding: the inverse CDF at
/// Phi(-2) + u (Phi(2) - Phi(-2)). Distributed as a normal one drawn again while beyond two deviations.
template <class E> typename E::F truncatedNormalFromUniform(E &e, typename E::F uniform) {
  // erf(x / sqrt(2)) = 2 Phi(x) - 1 turns the interval into (2 u - 1) erf(sqrt(2)).
  auto centered = e.fma(e.constant(2.0), uniform, e.constant(-1.0));
  auto x = e.mul(centered, e.constant(byWidth<E>(0x1.e8b430p-1, 0x1.e8b4307d3627ap-1)));
  auto z = timesRootTwo(e, expandErfinv(e, x));
  return e.maximum(e.constant(-2.0), e.minimum(e.constant(2.0), z));
}

} // namespace mlc

#endif // MLC_SUPPORT_PHILOX_H
