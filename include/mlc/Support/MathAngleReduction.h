// Payne and Hanek's reduction of large angles, over the emitter of MathEmitter.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_MATHANGLEREDUCTION_H
#define MLC_SUPPORT_MATHANGLEREDUCTION_H

#include "mlc/Support/MathEmitter.h"

#include <array>
#include <cstdint>

namespace mlc {

namespace mathcoefficients {
/// The bits of 2/pi from the first one of its fraction on, after twoOverPiZeros zeros; from tools/math/fit.py. As many
/// as an angle of the largest exponent needs.
inline constexpr uint64_t twoOverPiBits32[] = {0x00000a2f, 0x9836e4e4, 0x41529fc2, 0x757d1f53,
                                               0x4ddc0db6, 0x295993c4, 0x39041fe5};
inline constexpr uint64_t twoOverPiBits64[] = {
    0x00000a2f9836e4e4, 0x41529fc2757d1f53, 0x4ddc0db6295993c4, 0x39041fe5163abdeb, 0xbc561b7246e3a424,
    0xdd2e006492eea09d, 0x1921cfe1deb1cb12, 0x9a73ee88235f52eb, 0xb4484e99c7026b45, 0xf7e413991d639835,
    0x339f49c845f8bbdf, 0x9283b1ff897ffde0, 0x5980fef2f118b5a0, 0xa6d1f6d367ecf27c, 0xb09b74f463f669e5,
    0xfea2d7527bac7ebe, 0x5f17b3d0739f78a5, 0x292ea6bfb5fb11f8, 0xd5d0856033046fc7};
/// Angles from 2^(mantissaBits - 18) on are reduced by these: smaller ones would need the bit before the first.
inline constexpr int twoOverPiZeros = 20;
/// pi/2 in three numbers of the width.
inline constexpr double halfPi32[] = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
inline constexpr double halfPi64[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
} // namespace mathcoefficients

/// An angle in [-pi/4, pi/4], as a pair, and the number of quarter turns taken off.
template <class E> struct ReducedAngle {
  typename E::F angle, low;
  /// Only the low two bits mean anything.
  typename E::I turns;
};

/// Numbers of several words of the emitter's integers, which have no products of twice their width.
template <class E> class WordMath {
  using I = typename E::I;
  E &e;

public:
  /// Bits of a word and of half a word.
  static constexpr int width = E::isDouble ? 64 : 32, half = width / 2;

  explicit WordMath(E &e) : e(e) {}

  I word(uint64_t bits) { return e.constantInt(E::isDouble ? int64_t(bits) : int64_t(int32_t(uint32_t(bits)))); }
  I shiftLeft(I x, int bits) { return e.shli(x, word(bits)); }
  I shiftRight(I x, int bits) { return e.shrui(x, word(bits)); }
  I lowBits(I x, int bits) { return e.andi(x, word((uint64_t(1) << bits) - 1)); }

  /// The high word of the product of two words.
  I mulHigh(I x, I y) {
    I xLow = lowBits(x, half), xHigh = shiftRight(x, half), yLow = lowBits(y, half), yHigh = shiftRight(y, half);
    I first = e.muli(xLow, yHigh), second = e.muli(xHigh, yLow);
    I middle = e.addi(shiftRight(e.muli(xLow, yLow), half), e.addi(lowBits(first, half), lowBits(second, half)));
    return e.addi(e.addi(e.muli(xHigh, yHigh), shiftRight(middle, half)),
                  e.addi(shiftRight(first, half), shiftRight(second, half)));
  }

  /// 1 if `sum`, of which `part` is a summand, wrapped; else 0.
  I carryOf(I sum, I part) {
    I sign = word(uint64_t(1) << (width - 1));
    return e.selecti(e.lti(e.xori(sum, sign), e.xori(part, sign)), word(1), word(0));
  }
};

/// Reduces x of 2^17 (f32) or 2^35 (f64) and above as if with all digits of pi: multiplies the integer that is its
/// significand by those bits of 2/pi that make neither whole turns nor nothing. NaN of infinity.
template <class E> ReducedAngle<E> reduceLargeAngle(E &e, typename E::F x) {
  using namespace mathcoefficients;
  using Format = FloatFormat<E>;
  using I = typename E::I;
  using Words = WordMath<E>;
  constexpr int width = Words::width, numWords = E::isDouble ? 19 : 7, windowBits = E::isDouble ? 4 : 2;
  Words words(e);

  // x = significand * 2^t. A bit of 2/pi of weight 2^(2 - t) would make whole turns: the window begins after it.
  I bits = e.bits(x);
  I significand = e.ori(words.lowBits(bits, Format::mantissaBits), words.word(uint64_t(1) << Format::mantissaBits));
  I start = e.subi(words.shiftRight(bits, Format::mantissaBits),
                   words.word(Format::bias + Format::mantissaBits + 2 - twoOverPiZeros));
  // Four words from start / width on, then three from the bit on.
  std::array<I, numWords> window;
  for (int i = 0; i < numWords; ++i)
    window[i] = words.word(E::isDouble ? twoOverPiBits64[i] : twoOverPiBits32[i]);
  constexpr int numShiftBits = E::isDouble ? 6 : 5;
  for (int bit = windowBits - 1; bit >= 0; --bit) {
    int left = 4 + (1 << bit) - 1;
    auto stays = e.eqi(e.andi(start, words.word(uint64_t(1) << (numShiftBits + bit))), words.word(0));
    for (int i = 0; i < left; ++i)
      window[i] = e.selecti(stays, window[i], window[i + (1 << bit)]);
  }
  I shift = words.lowBits(start, numShiftBits), back = e.subi(words.word(width - 1), shift);
  for (int i = 0; i < 3; ++i)
    window[i] = e.ori(e.shli(window[i], shift), e.shrui(words.shiftRight(window[i + 1], 1), back));

  // The product's lowest three words: quarter turns in the two highest bits, then parts of one.
  I middle = e.muli(significand, window[1]), last = e.muli(significand, window[2]);
  I sum = e.addi(middle, words.mulHigh(significand, window[2]));
  I first =
      e.addi(e.addi(e.muli(significand, window[0]), words.mulHigh(significand, window[1])), words.carryOf(sum, middle));
  I high = e.ori(words.shiftLeft(first, 2), words.shiftRight(sum, width - 2));
  I low = e.ori(words.shiftLeft(sum, 2), words.shiftRight(last, width - 2));
  // To the nearest quarter turn: `high` and `low` are what is left, of which `high` is signed.
  I turns = e.addi(words.shiftRight(first, width - 2), words.shiftRight(high, width - 1));

  // Three numbers of so many bits that the addition of roundingShift makes floats of them, the first one signed.
  constexpr int chunk = Format::mantissaBits - 1, rest = 2 * width - 2 * chunk;
  auto toFloat = [&](I integer, int scale) {
    auto shifted = e.fromBits(e.addi(integer, words.word(Format::roundingShiftBits)));
    return e.mul(e.sub(shifted, e.constant(Format::roundingShift)), e.constant(__builtin_ldexp(1.0, -scale)));
  };
  auto one = toFloat(e.shrsi(high, words.word(width - chunk)), chunk);
  auto two = toFloat(
      e.ori(words.shiftLeft(words.lowBits(high, width - chunk), 2 * chunk - width), words.shiftRight(low, rest)),
      2 * chunk);
  auto three = toFloat(words.lowBits(low, rest), 2 * width);
  auto part = fastTwoSum(e, one, two);
  part = fastTwoSum(e, part.high, e.add(part.low, three));

  auto head = byWidth<E>(halfPi32[0], halfPi64[0]), tail = byWidth<E>(halfPi32[1], halfPi64[1]);
  auto angle = twoProduct(e, part.high, e.constant(head));
  angle.low = e.fma(part.high, e.constant(tail), e.fma(part.low, e.constant(head), angle.low));
  angle = fastTwoSum(e, angle.high, angle.low);
  auto isFinite = e.lt(x, infinity(e));
  return {e.select(isFinite, angle.high, quietNaN(e)), angle.low, turns};
}

} // namespace mlc

#endif // MLC_SUPPORT_MATHANGLEREDUCTION_H
