// Float and half instructions, comparisons and conversions against what the host computes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpTests.h"

#include "test/lib/ptxemu/Numbers.h"

#include <algorithm>
#include <cmath>

using namespace ptxemu;

namespace {

using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s32 = int32_t;
using s64 = int64_t;

float ftz(float a) { return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a; }
/// A long double holds sums and products of floats well enough to see on which side a rounded one lies.
float toward(long double exact, float nearest, int direction) {
  if (std::isnan(nearest) || exact == static_cast<long double>(nearest))
    return nearest;
  if (direction == 0) // to zero
    direction = exact > 0 ? -1 : 1;
  if (std::isinf(exact))
    return nearest;
  if (direction < 0)
    return static_cast<long double>(nearest) > exact ? std::nextafter(nearest, -INFINITY) : nearest;
  return static_cast<long double>(nearest) < exact ? std::nextafter(nearest, INFINITY) : nearest;
}

/// The bf16 next to an exact value, found by search: bf16 are ordered as their bits are.
u16 brain(__float128 exact) {
  if (exact != exact)
    return 0x7fff;
  const u16 sign = exact < 0 || (exact == 0 && __builtin_signbit((double)exact)) ? 0x8000 : 0;
  const __float128 size = exact < 0 ? -exact : exact;
  auto value = [](u32 bits) {
    return bits == 0x7f80 ? (__float128)0x1p128 : (__float128)fromBits<float>(u64(bits) << 16);
  };
  u32 low = 0, high = 0x7f80;
  if (size >= value(high))
    return sign | 0x7f80;
  while (high - low > 1)
    (value((low + high) / 2) <= size ? low : high) = (low + high) / 2;
  const __float128 middle = (value(low) + value(high)) / 2;
  return u16(sign | (size > middle || (size == middle && low & 1) ? high : low));
}

TEST(FloatOps, Arithmetic) {
  OpTests t;
  t.add("add.f32 o, a, b;", "f=ff", ref(+[](float a, float b) { return a + b; }));
  t.add("add.rn.ftz.f32 o, a, b;", "f=ff", ref(+[](float a, float b) { return ftz(ftz(a) + ftz(b)); }));
  t.add("add.sat.f32 o, a, b;", "f=ff", ref(+[](float a, float b) {
          const float s = a + b;
          return s > 1 ? 1.0f : s > 0 ? s : 0.0f;
        }));
  t.add("sub.f32 o, a, b;", "f=ff", ref(+[](float a, float b) { return a - b; }));
  t.add("mul.f32 o, a, b;", "f=ff", ref(+[](float a, float b) { return a * b; }));
  t.add("mul.ftz.f32 o, a, b;", "f=ff", ref(+[](float a, float b) { return ftz(ftz(a) * ftz(b)); }));
  t.add("fma.rn.f32 o, a, b, c;", "f=fff", ref(+[](float a, float b, float c) { return std::fma(a, b, c); }));
  t.add("fma.rn.ftz.sat.f32 o, a, b, c;", "f=fff", ref(+[](float a, float b, float c) {
          const float s = ftz(std::fma(ftz(a), ftz(b), ftz(c)));
          return s > 1 ? 1.0f : s > 0 ? s : 0.0f;
        }));
  t.add("div.rn.f32 o, a, b;", "f=ff", ref(+[](float a, float b) { return a / b; }));
  t.add("rcp.rn.f32 o, a;", "f=f", ref(+[](float a) { return 1 / a; }));
  t.add("sqrt.rn.f32 o, a;", "f=f", ref(+[](float a) { return std::sqrt(a); }));
  t.add("add.f64 o, a, b;", "F=FF", ref(+[](double a, double b) { return a + b; }));
  t.add("sub.f64 o, a, b;", "F=FF", ref(+[](double a, double b) { return a - b; }));
  t.add("mul.f64 o, a, b;", "F=FF", ref(+[](double a, double b) { return a * b; }));
  t.add("fma.rn.f64 o, a, b, c;", "F=FFF", ref(+[](double a, double b, double c) { return std::fma(a, b, c); }));
  t.add("div.rn.f64 o, a, b;", "F=FF", ref(+[](double a, double b) { return a / b; }));
  t.add("sqrt.rn.f64 o, a;", "F=F", ref(+[](double a) { return std::sqrt(a); }));
  t.add("neg.f32 o, a;", "f=f", ref(+[](float a) { return -a; }));
  t.add("abs.f64 o, a;", "F=F", ref(+[](double a) { return std::fabs(a); }));
  t.add("abs.ftz.f32 o, a;", "f=f", ref(+[](float a) { return std::fabs(ftz(a)); }));
  t.add("copysign.f32 o, a, b;", "f=ff", ref(+[](float a, float b) { return std::copysign(b, a); }));
  t.run();
}

TEST(FloatOps, RoundingModes) {
  OpTests t;
  t.add("add.rz.f32 o, a, b;", "f=ff", ref(+[](float a, float b) {
          // What the nearest sum lacks of the exact one, the larger operand first.
          const float sum = a + b, large = std::fabs(a) < std::fabs(b) ? b : a,
                      small = std::fabs(a) < std::fabs(b) ? a : b;
          if (!std::isfinite(sum))
            return std::isfinite(a) && std::isfinite(b) ? std::copysign(3.4028234663852886e38f, sum) : sum;
          const long double lacks = ((long double)large - sum) + small;
          return lacks != 0 && (lacks > 0) != (sum > 0) ? std::nextafter(sum, 0.0f) : sum;
        }));
  t.add("mul.rp.f32 o, a, b;", "f=ff", ref(+[](float a, float b) {
          const long double exact = (long double)a * b;
          return a * b == INFINITY && !std::isinf(exact) ? a * b : toward(exact, a * b, 1);
        }));
  // 1/3: the neighbours of the nearest.
  t.add("{ .reg .f32 x; mov.f32 x, 0f40400000; rcp.rm.f32 o, x; }", "f=f", ref(+[](float) { return 0x1.555554p-2f; }));
  t.add("{ .reg .f32 x; mov.f32 x, 0f40400000; rcp.rp.f32 o, x; }", "f=f", ref(+[](float) { return 0x1.555556p-2f; }));
  t.add("{ .reg .f32 x; mov.f32 x, 0f40000000; sqrt.rz.f32 o, x; }", "f=f", ref(+[](float) { return 0x1.6a09e6p+0f; }));
  t.add("{ .reg .f32 x; mov.f32 x, 0f40000000; sqrt.rp.f32 o, x; }", "f=f", ref(+[](float) { return 0x1.6a09e8p+0f; }));
  t.add("{ .reg .f64 x, y; mov.f64 x, 0d3FF0000000000000; mov.f64 y, 0d4008000000000000; div.rp.f64 o, x, y; }", "F=F",
        ref(+[](double) { return 0x1.5555555555556p-2; }));
  t.add("{ .reg .f64 x, y; mov.f64 x, 0d3FF0000000000000; mov.f64 y, 0d3C00000000000000; add.rm.f64 o, x, y; }", "F=F",
        ref(+[](double) { return 1.0; }));
  t.add("{ .reg .f64 x, y; mov.f64 x, 0d3FF0000000000000; mov.f64 y, 0d3C00000000000000; add.rp.f64 o, x, y; }", "F=F",
        ref(+[](double) { return 0x1.0000000000001p+0; }));
  t.run();
}

template <typename T> T minModel(T a, T b, bool max, bool nan) {
  if (std::isnan(a) || std::isnan(b))
    return nan || (std::isnan(a) && std::isnan(b)) ? T(NAN) : std::isnan(a) ? b : a;
  if (a == 0 && b == 0)
    return std::signbit(a) == !max ? a : b;
  return max ? std::max(a, b) : std::min(a, b);
}

TEST(FloatOps, MinMax) {
  OpTests t;
  t.add("min.f32 o, a, b;", "f=ff", ref(+[](float a, float b) { return minModel(a, b, false, false); }));
  t.add("max.f32 o, a, b;", "f=ff", ref(+[](float a, float b) { return minModel(a, b, true, false); }));
  t.add("min.NaN.f32 o, a, b;", "f=ff", ref(+[](float a, float b) { return minModel(a, b, false, true); }));
  t.add("max.ftz.NaN.f32 o, a, b;", "f=ff",
        ref(+[](float a, float b) { return minModel(ftz(a), ftz(b), true, true); }));
  t.add("max.f64 o, a, b;", "F=FF", ref(+[](double a, double b) { return minModel(a, b, true, false); }));
  t.add("min.f16 o, a, b;", "H=HH",
        ref(+[](u16 a, u16 b) { return toHalf(minModel(toFloat(Half{a}), toFloat(Half{b}), false, false)).bits; }));
  t.add("max.NaN.bf16 o, a, b;", "B=BB",
        ref(+[](u16 a, u16 b) { return toBFloat(minModel(toFloat(BFloat{a}), toFloat(BFloat{b}), true, true)).bits; }));
  t.run();
}

TEST(FloatOps, Approximations) {
  OpTests t;
  t.add("rcp.approx.f32 o, a;", "f=f", ref(+[](float a) { return 1 / a; }));
  t.add("sqrt.approx.f32 o, a;", "f=f", ref(+[](float a) { return std::sqrt(a); }));
  t.add("rsqrt.approx.f32 o, a;", "f=f", ref(+[](float a) { return float(1 / std::sqrt((double)a)); }));
  t.add("ex2.approx.f32 o, a;", "f=f", ref(+[](float a) { return float(std::exp2((double)a)); }));
  t.add("ex2.approx.ftz.f32 o, a;", "f=f", ref(+[](float a) { return ftz(float(std::exp2((double)ftz(a)))); }));
  t.add("lg2.approx.f32 o, a;", "f=f", ref(+[](float a) { return float(std::log2((double)a)); }));
  t.add("sin.approx.f32 o, a;", "f=f", ref(+[](float a) { return float(std::sin((double)a)); }));
  t.add("cos.approx.f32 o, a;", "f=f", ref(+[](float a) { return float(std::cos((double)a)); }));
  t.add("tanh.approx.f32 o, a;", "f=f", ref(+[](float a) { return float(std::tanh((double)a)); }));
  t.add("div.full.f32 o, a, b;", "f=ff", ref(+[](float a, float b) { return a / b; }));
  t.add("div.approx.f32 o, a, b;", "f=ff", ref(+[](float a, float b) {
          if (std::fabs(b) > 0x1p126f && !std::isinf(b))
            return std::isinf(a) || std::isnan(a) ? NAN : std::copysign(0.0f, a) * std::copysign(1.0f, b);
          return a / b;
        }));
  t.add("ex2.approx.f16 o, a;", "H=H", ref(+[](u16 a) { return toHalf(std::exp2((double)toFloat(Half{a}))).bits; }));
  t.add("tanh.approx.f16 o, a;", "H=H", ref(+[](u16 a) { return toHalf(std::tanh((double)toFloat(Half{a}))).bits; }));
  t.run();
}

TEST(FloatOps, Halves) {
  OpTests t("sm_90", "8.0");
  // _Float16 of the host rounds once, as f32 holds the exact sum or product of two f16.
  t.add("add.f16 o, a, b;", "H=HH",
        ref(+[](u16 a, u16 b) { return toBits<_Float16>(fromBits<_Float16>(a) + fromBits<_Float16>(b)); }));
  t.add("sub.f16 o, a, b;", "H=HH",
        ref(+[](u16 a, u16 b) { return toBits<_Float16>(fromBits<_Float16>(a) - fromBits<_Float16>(b)); }));
  t.add("mul.f16 o, a, b;", "H=HH",
        ref(+[](u16 a, u16 b) { return toBits<_Float16>(fromBits<_Float16>(a) * fromBits<_Float16>(b)); }));
  t.add("fma.rn.f16 o, a, b, c;", "H=HHH", ref(+[](u16 a, u16 b, u16 c) {
          // The exact product and sum fit in 113 bits.
          const __float128 exact = (__float128)toFloat(Half{a}) * toFloat(Half{b}) + toFloat(Half{c});
          return toBits<_Float16>((_Float16)exact);
        }));
  t.add("neg.f16 o, a;", "H=H", ref(+[](u16 a) { return u16(a ^ 0x8000); }));
  t.add("abs.f16 o, a;", "H=H", ref(+[](u16 a) { return u16(a & 0x7fff); }));
  t.add("add.rn.f16x2 o, a, b;", "r=PP", ref(+[](u32 a, u32 b) {
          auto add = [](u16 x, u16 y) {
            const u64 bits = toBits<_Float16>(fromBits<_Float16>(x) + fromBits<_Float16>(y));
            return (bits & 0x7fff) > 0x7c00 ? 0x7fffu : u32(bits);
          };
          return add(u16(a), u16(b)) | add(u16(a >> 16), u16(b >> 16)) << 16;
        }));
  t.add("fma.rn.bf16 o, a, b, c;", "B=BBB", ref(+[](u16 a, u16 b, u16 c) {
          const __float128 exact = (__float128)toFloat(BFloat{a}) * toFloat(BFloat{b}) + toFloat(BFloat{c});
          return brain(exact);
        }));
  t.add("add.bf16 o, a, b;", "B=BB", ref(+[](u16 a, u16 b) {
          const __float128 exact = (__float128)toFloat(BFloat{a}) + toFloat(BFloat{b});
          return brain(exact);
        }));
  t.add("fma.rn.relu.f16 o, a, b, c;", "H=HHH", ref(+[](u16 a, u16 b, u16 c) {
          const __float128 exact = (__float128)toFloat(Half{a}) * toFloat(Half{b}) + toFloat(Half{c});
          const u64 bits = toBits<_Float16>((_Float16)exact);
          return (bits & 0x7fff) <= 0x7c00 && bits & 0x8000 ? u64(0) : bits;
        }));
  t.run();
}

TEST(FloatOps, Comparisons) {
  OpTests t;
  t.add("setp.eq.f32 o, a, b;", "p=ff", ref(+[](float a, float b) { return u32(a == b); }));
  t.add("setp.ne.f32 o, a, b;", "p=ff", ref(+[](float a, float b) { return u32(a < b || a > b); }));
  t.add("setp.lt.f32 o, a, b;", "p=ff", ref(+[](float a, float b) { return u32(a < b); }));
  t.add("setp.ge.ftz.f32 o, a, b;", "p=ff", ref(+[](float a, float b) { return u32(ftz(a) >= ftz(b)); }));
  t.add("setp.leu.f32 o, a, b;", "p=ff", ref(+[](float a, float b) { return u32(!(a > b)); }));
  t.add("setp.neu.f64 o, a, b;", "p=FF", ref(+[](double a, double b) { return u32(a != b); }));
  t.add("setp.gtu.f64 o, a, b;", "p=FF", ref(+[](double a, double b) { return u32(!(a <= b)); }));
  t.add("setp.num.f32 o, a, b;", "p=ff", ref(+[](float a, float b) { return u32(a == a && b == b); }));
  t.add("setp.nan.f32 o, a, b;", "p=ff", ref(+[](float a, float b) { return u32(a != a || b != b); }));
  t.add("setp.lt.f16 o, a, b;", "p=HH", ref(+[](u16 a, u16 b) { return u32(toFloat(Half{a}) < toFloat(Half{b})); }));
  t.add("setp.lt.s32 o, a, b;", "p=rr", ref(+[](s32 a, s32 b) { return u32(a < b); }));
  t.add("setp.lo.u32 o, a, b;", "p=rr", ref(+[](u32 a, u32 b) { return u32(a < b); }));
  t.add("setp.hs.u64 o, a, b;", "p=dd", ref(+[](u64 a, u64 b) { return u32(a >= b); }));
  t.add("setp.gt.s64 o, a, b;", "p=dd", ref(+[](s64 a, s64 b) { return u32(a > b); }));
  t.add("setp.eq.b16 o, a, b;", "p=hh", ref(+[](u16 a, u16 b) { return u32(a == b); }));
  t.add("setp.lt.and.s32 o, a, b, c;", "p=rrp", ref(+[](s32 a, s32 b, u32 c) { return u32(a < b && c); }));
  t.add("setp.lt.or.s32 o, a, b, !c;", "p=rrp", ref(+[](s32 a, s32 b, u32 c) { return u32(a < b || !c); }));
  t.add("{ .reg .pred x; setp.lt.xor.s32 x|o, a, b, c; }", "p=rrp",
        ref(+[](s32 a, s32 b, u32 c) { return u32(!(a < b) != (c != 0)); }));
  t.add("set.lt.u32.f32 o, a, b;", "r=ff", ref(+[](float a, float b) { return a < b ? ~0u : 0u; }));
  t.add("set.ge.f32.s32 o, a, b;", "f=rr", ref(+[](s32 a, s32 b) { return a >= b ? 1.0f : 0.0f; }));
  t.add("set.eq.and.s32.u32 o, a, b, c;", "r=rrp", ref(+[](u32 a, u32 b, u32 c) { return a == b && c ? ~0u : 0u; }));
  t.add("testp.finite.f32 o, a;", "p=f", ref(+[](float a) { return u32(std::isfinite(a)); }));
  t.add("testp.subnormal.f64 o, a;", "p=F", ref(+[](double a) { return u32(std::fpclassify(a) == FP_SUBNORMAL); }));
  t.add("testp.number.f32 o, a;", "p=f", ref(+[](float a) { return u32(!std::isnan(a)); }));
  t.run();
}

template <typename I> I toInteger(double a, double (*round)(double), bool wideOrDouble) {
  if (std::isnan(a))
    return wideOrDouble ? I(1ull << (8 * sizeof(I) - 1)) : I(0);
  const long double value = round(a);
  if (value >= (long double)std::numeric_limits<I>::max())
    return std::numeric_limits<I>::max();
  if (value <= (long double)std::numeric_limits<I>::min())
    return std::numeric_limits<I>::min();
  return I(value);
}

TEST(FloatOps, Conversions) {
  OpTests t("sm_90", "8.0");
  t.add("cvt.rn.f32.s32 o, a;", "f=r", ref(+[](s32 a) { return float(a); }));
  t.add("cvt.rz.f32.u32 o, a;", "f=r", ref(+[](u32 a) { return toward((long double)a, float(a), 0); }));
  t.add("cvt.rn.f64.s64 o, a;", "F=d", ref(+[](s64 a) { return double(a); }));
  t.add("cvt.rn.f32.u64 o, a;", "f=d", ref(+[](u64 a) { return float(a); }));
  t.add("cvt.rp.f32.u64 o, a;", "f=d", ref(+[](u64 a) { return toward((long double)a, float(a), 1); }));
  t.add("cvt.rn.f16.s32 o, a;", "H=r", ref(+[](s32 a) { return toBits<_Float16>((_Float16)double(a)); }));
  t.add("cvt.rzi.s32.f32 o, a;", "r=f", ref(+[](float a) { return toInteger<s32>(a, std::trunc, false); }));
  t.add("cvt.rni.u32.f32 o, a;", "r=f", ref(+[](float a) { return toInteger<u32>(a, std::nearbyint, false); }));
  t.add("cvt.rmi.s64.f64 o, a;", "d=F", ref(+[](double a) { return toInteger<s64>(a, std::floor, true); }));
  t.add("cvt.rpi.s32.f64 o, a;", "r=F", ref(+[](double a) { return toInteger<s32>(a, std::ceil, true); }));
  t.add("cvt.rzi.s16.f16 o, a;", "h=H",
        ref(+[](u16 a) { return toInteger<int16_t>(toFloat(Half{a}), std::trunc, false); }));
  t.add("cvt.rni.f32.f32 o, a;", "f=f", ref(+[](float a) { return std::nearbyint(a); }));
  t.add("cvt.rmi.f64.f64 o, a;", "F=F", ref(+[](double a) { return std::floor(a); }));
  t.add("cvt.sat.f32.f32 o, a;", "f=f", ref(+[](float a) { return a > 1 ? 1.0f : a > 0 ? a : 0.0f; }));
  t.add("cvt.f64.f32 o, a;", "F=f", ref(+[](float a) { return double(a); }));
  t.add("cvt.rn.f32.f64 o, a;", "f=F", ref(+[](double a) { return float(a); }));
  t.add("cvt.rm.f32.f64 o, a;", "f=F", ref(+[](double a) {
          return std::isinf(float(a)) && !std::isinf(a) ? (a > 0 ? 3.4028234663852886e38f : -INFINITY)
                                                        : toward(a, float(a), -1);
        }));
  t.add("cvt.f32.f16 o, a;", "f=H", ref(+[](u16 a) { return float(fromBits<_Float16>(a)); }));
  t.add("cvt.f32.bf16 o, a;", "f=B", ref(+[](u16 a) { return fromBits<float>(u64(a) << 16); }));
  t.add("cvt.rn.f16.f32 o, a;", "H=f", ref(+[](float a) { return toBits<_Float16>((_Float16)a); }));
  t.add("cvt.rz.f16.f32 o, a;", "H=f", ref(+[](float a) {
          const _Float16 n = (_Float16)a;
          u64 bits = toBits<_Float16>(n);
          return std::isnan(a) || std::fabs(float(n)) <= std::fabs(a) ? bits : bits - 1;
        }));
  t.add("cvt.rn.bf16.f32 o, a;", "B=f", ref(+[](float a) { return brain(a); }));
  t.add("cvt.rn.f16x2.f32 o, a, b;", "r=ff", ref(+[](float a, float b) {
          auto half = [](float x) { return std::isnan(x) ? 0x7fffu : u32(toBits<_Float16>((_Float16)x)); };
          return half(a) << 16 | half(b);
        }));
  t.add("cvt.rn.relu.bf16x2.f32 o, a, b;", "r=ff", ref(+[](float a, float b) {
          auto half = [](float x) { return std::isnan(x) ? 0x7fffu : x < 0 ? 0u : u32(brain(x)); };
          return half(a) << 16 | half(b);
        }));
  t.add("cvt.rna.tf32.f32 o, a;", "r=f", ref(+[](float a) {
          const u32 bits = u32(toBits(a));
          return std::isnan(a) ? 0x7fffffffu : std::isinf(a) ? bits : (bits + 0x1000) & ~0x1fffu;
        }));
  t.add("cvt.s32.s8 o, a;", "r=r", ref(+[](u32 a) { return s32(int8_t(a)); }));
  t.add("cvt.u64.u32 o, a;", "d=r", ref(+[](u32 a) { return u64(a); }));
  t.add("cvt.s64.s32 o, a;", "d=r", ref(+[](s32 a) { return s64(a); }));
  t.add("cvt.u32.u64 o, a;", "r=d", ref(+[](u64 a) { return u32(a); }));
  t.add("cvt.u16.u32 o, a;", "h=r", ref(+[](u32 a) { return u16(a); }));
  t.add("cvt.s8.s32 o, a;", "r=r", ref(+[](u32 a) { return s32(int8_t(a)); }));
  t.add("cvt.sat.u8.s32 o, a;", "r=r", ref(+[](s32 a) { return u32(std::clamp(a, 0, 255)); }));
  t.add("cvt.sat.s16.s64 o, a;", "h=d", ref(+[](s64 a) { return int16_t(std::clamp<s64>(a, -32768, 32767)); }));
  t.add("cvt.pack.sat.s16.s32 o, a, b;", "r=rr", ref(+[](s32 a, s32 b) {
          return u32(u16(std::clamp(a, -32768, 32767))) << 16 | u16(std::clamp(b, -32768, 32767));
        }));
  t.run();
}

} // namespace
