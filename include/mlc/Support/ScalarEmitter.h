// Emitter of plain scalars: the reference interpreter evaluates the expansions of Math*.h and Philox.h with it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_SCALAREMITTER_H
#define MLC_SUPPORT_SCALAREMITTER_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

namespace mlc {

/// The emitter concept of MathEmitter.h over `float` or `double`. Every operation is the one IEEE 754 operation of its
/// name, rounded to nearest even; the file that includes this must be compiled with -ffp-contract=off, as all of mlc
/// is.
template <typename Float> struct ScalarEmitter {
  static_assert(std::is_same<Float, float>::value || std::is_same<Float, double>::value, "f32 or f64");

  using F = Float;
  /// Signless in the concept; unsigned here, so that wrapping is defined.
  using I = std::conditional_t<std::is_same<Float, double>::value, uint64_t, uint32_t>;
  using B = bool;
  static constexpr bool isDouble = std::is_same<Float, double>::value;

  F constant(double value) const { return static_cast<F>(value); }
  I constantInt(int64_t value) const { return static_cast<I>(value); }

  F add(F a, F b) const { return a + b; }
  F sub(F a, F b) const { return a - b; }
  F mul(F a, F b) const { return a * b; }
  F div(F a, F b) const { return a / b; }
  /// One rounding: the hardware's instruction where there is one, else the correct function of the C library.
  F fma(F a, F b, F c) const { return std::fma(a, b, c); }
  F neg(F a) const { return -a; }
  F abs(F a) const { return fromBits(bits(a) & ~signMask()); }
  F sqrt(F a) const { return std::sqrt(a); }
  F floor(F a) const { return std::floor(a); }
  /// To nearest, ties to even.
  F roundeven(F a) const {
    // Above 2^(p-1) every value is an integer; below, adding and taking away 2^(p-1) rounds to one.
    const F big = isDouble ? F(0x1p52) : F(0x1p23);
    F magnitude = abs(a);
    if (!(magnitude < big))
      return a;
    return copysign((magnitude + big) - big, a);
  }
  F minimum(F a, F b) const { return a < b ? a : b; }
  F maximum(F a, F b) const { return a > b ? a : b; }
  F copysign(F a, F b) const { return fromBits((bits(a) & ~signMask()) | (bits(b) & signMask())); }

  /// Towards zero; |a| must be below 2^31 or 2^63.
  I toInt(F a) const { return static_cast<I>(static_cast<std::make_signed_t<I>>(a)); }
  F toFloat(I a) const { return static_cast<F>(static_cast<std::make_signed_t<I>>(a)); }
  I bits(F a) const {
    I result;
    std::memcpy(&result, &a, sizeof(result));
    return result;
  }
  F fromBits(I a) const {
    F result;
    std::memcpy(&result, &a, sizeof(result));
    return result;
  }

  I addi(I a, I b) const { return a + b; }
  I subi(I a, I b) const { return a - b; }
  I muli(I a, I b) const { return a * b; }
  I andi(I a, I b) const { return a & b; }
  I ori(I a, I b) const { return a | b; }
  I xori(I a, I b) const { return a ^ b; }
  I shli(I a, I b) const { return a << b; }
  I shrui(I a, I b) const { return a >> b; }
  I shrsi(I a, I b) const { return static_cast<I>(static_cast<std::make_signed_t<I>>(a) >> b); }

  B lt(F a, F b) const { return a < b; }
  B le(F a, F b) const { return a <= b; }
  B eq(F a, F b) const { return a == b; }
  /// Ordered, as the concept asks: false where an operand is NaN, unlike C's `!=`.
  B ne(F a, F b) const { return a < b || a > b; }
  B isnan(F a) const { return a != a; }
  B eqi(I a, I b) const { return a == b; }
  B lti(I a, I b) const { return static_cast<std::make_signed_t<I>>(a) < static_cast<std::make_signed_t<I>>(b); }
  F select(B condition, F a, F b) const { return condition ? a : b; }
  I selecti(B condition, I a, I b) const { return condition ? a : b; }
  B andb(B a, B b) const { return a && b; }
  B orb(B a, B b) const { return a || b; }
  B notb(B a) const { return !a; }
  template <typename... V, typename Fn>
  std::tuple<V...> rarely(B condition, Fn fn, const std::tuple<V...> &usual) const {
    return condition ? fn() : usual;
  }

private:
  static constexpr I signMask() { return I(1) << (sizeof(I) * 8 - 1); }
};

/// The word emitter of Philox.h over plain 32-bit words.
struct ScalarWordEmitter {
  using W = uint32_t;
  W constant(uint32_t value) const { return value; }
  W mullo(W a, W b) const { return a * b; }
  W mulhiU(W a, W b) const { return static_cast<W>((static_cast<uint64_t>(a) * b) >> 32); }
  W xorw(W a, W b) const { return a ^ b; }
  W addw(W a, W b) const { return a + b; }
};

} // namespace mlc

#endif // MLC_SUPPORT_SCALAREMITTER_H
