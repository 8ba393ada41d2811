// Integer and bit instructions against what the host computes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpTests.h"

#include <algorithm>
#include <limits>

using namespace ptxemu;

namespace {

using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = int64_t;

TEST(IntegerOps, AddSub) {
  OpTests t;
  t.add("add.u16 o, a, b;", "h=hh", ref(+[](u16 a, u16 b) { return u16(a + b); }));
  t.add("add.s32 o, a, b;", "r=rr", ref(+[](u32 a, u32 b) { return a + b; }));
  t.add("add.u64 o, a, b;", "d=dd", ref(+[](u64 a, u64 b) { return a + b; }));
  t.add("add.sat.s32 o, a, b;", "r=rr", ref(+[](s32 a, s32 b) {
          const s64 sum = s64(a) + b;
          return s32(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
        }));
  t.add("sub.s16 o, a, b;", "h=hh", ref(+[](u16 a, u16 b) { return u16(a - b); }));
  t.add("sub.s32 o, a, b;", "r=rr", ref(+[](u32 a, u32 b) { return a - b; }));
  t.add("sub.sat.s32 o, a, b;", "r=rr", ref(+[](s32 a, s32 b) {
          const s64 sum = s64(a) - b;
          return s32(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
        }));
  t.add("sub.s64 o, a, b;", "d=dd", ref(+[](u64 a, u64 b) { return a - b; }));
  t.add("add.u32 o, a, -5;", "r=r", ref(+[](u32 a) { return a - 5; }));
  t.run();
}

TEST(IntegerOps, Carries) {
  OpTests t;
  // A sum of 64 bits in two words; its upper word is the result.
  t.add("{ .reg .b32 lo; add.cc.u32 lo, a, b; addc.u32 o, c, 0; }", "r=rrr",
        ref(+[](u32 a, u32 b, u32 c) { return c + u32((u64(a) + b) >> 32); }));
  t.add("{ .reg .b32 lo; sub.cc.u32 lo, a, b; subc.u32 o, c, 7; }", "r=rrr",
        ref(+[](u32 a, u32 b, u32 c) { return c - 7 - (a < b); }));
  t.add("{ .reg .b32 lo, mid; add.cc.u32 lo, a, b; addc.cc.u32 mid, b, c; addc.u32 o, 0, 0; }", "r=rrr",
        ref(+[](u32 a, u32 b, u32 c) { return u32((u64(b) + c + ((u64(a) + b) >> 32)) >> 32); }));
  t.add("{ .reg .b64 lo; add.cc.u64 lo, a, b; addc.u64 o, 0, 0; }", "d=dd",
        ref(+[](u64 a, u64 b) { return u64(((unsigned __int128)a + b) >> 64); }));
  t.add("{ .reg .b32 lo; mad.lo.cc.u32 lo, a, b, c; madc.hi.u32 o, a, b, 3; }", "r=rrr",
        ref(+[](u32 a, u32 b, u32 c) { return u32((u64(a) * b) >> 32) + 3 + u32((u64(u32(a * b)) + c) >> 32); }));
  t.run();
}

TEST(IntegerOps, MulMad) {
  OpTests t;
  t.add("mul.lo.s16 o, a, b;", "h=hh", ref(+[](u16 a, u16 b) { return u16(u32(a) * b); }));
  t.add("mul.lo.u32 o, a, b;", "r=rr", ref(+[](u32 a, u32 b) { return a * b; }));
  t.add("mul.lo.s64 o, a, b;", "d=dd", ref(+[](u64 a, u64 b) { return a * b; }));
  t.add("mul.hi.u16 o, a, b;", "h=hh", ref(+[](u16 a, u16 b) { return u16((u32(a) * b) >> 16); }));
  t.add("mul.hi.s32 o, a, b;", "r=rr", ref(+[](s32 a, s32 b) { return s32((s64(a) * b) >> 32); }));
  t.add("mul.hi.u32 o, a, b;", "r=rr", ref(+[](u32 a, u32 b) { return u32((u64(a) * b) >> 32); }));
  t.add("mul.hi.s64 o, a, b;", "d=dd", ref(+[](s64 a, s64 b) { return s64(((__int128)a * b) >> 64); }));
  t.add("mul.hi.u64 o, a, b;", "d=dd", ref(+[](u64 a, u64 b) { return u64(((unsigned __int128)a * b) >> 64); }));
  t.add("mul.wide.s16 o, a, b;", "r=hh", ref(+[](s16 a, s16 b) { return s32(a) * b; }));
  t.add("mul.wide.u16 o, a, b;", "r=hh", ref(+[](u16 a, u16 b) { return u32(a) * b; }));
  t.add("mul.wide.s32 o, a, b;", "d=rr", ref(+[](s32 a, s32 b) { return s64(a) * b; }));
  t.add("mul.wide.u32 o, a, b;", "d=rr", ref(+[](u32 a, u32 b) { return u64(a) * b; }));
  t.add("mad.lo.s32 o, a, b, c;", "r=rrr", ref(+[](u32 a, u32 b, u32 c) { return a * b + c; }));
  t.add("mad.hi.u32 o, a, b, c;", "r=rrr", ref(+[](u32 a, u32 b, u32 c) { return u32((u64(a) * b) >> 32) + c; }));
  t.add("mad.hi.sat.s32 o, a, b, c;", "r=rrr", ref(+[](s32 a, s32 b, s32 c) {
          const s64 sum = s64(s32((s64(a) * b) >> 32)) + c;
          return s32(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
        }));
  t.add("mad.wide.s32 o, a, b, c;", "d=rrd", ref(+[](s32 a, s32 b, u64 c) { return u64(s64(a) * b) + c; }));
  t.add("mad.wide.u16 o, a, b, c;", "r=hhr", ref(+[](u16 a, u16 b, u32 c) { return u32(a) * b + c; }));
  t.add("mul24.lo.s32 o, a, b;", "r=rr",
        ref(+[](u32 a, u32 b) { return u32(s64(s32(a << 8) >> 8) * (s32(b << 8) >> 8)); }));
  t.add("mul24.hi.u32 o, a, b;", "r=rr",
        ref(+[](u32 a, u32 b) { return u32((u64(a & 0xffffff) * (b & 0xffffff)) >> 16); }));
  t.add("mad24.lo.u32 o, a, b, c;", "r=rrr",
        ref(+[](u32 a, u32 b, u32 c) { return u32(u64(a & 0xffffff) * (b & 0xffffff)) + c; }));
  t.add("sad.s32 o, a, b, c;", "r=rrr",
        ref(+[](s32 a, s32 b, u32 c) { return c + u32(a < b ? s64(b) - a : s64(a) - b); }));
  t.add("sad.u32 o, a, b, c;", "r=rrr", ref(+[](u32 a, u32 b, u32 c) { return c + (a < b ? b - a : a - b); }));
  t.run();
}

TEST(IntegerOps, DivRemMinMax) {
  OpTests t;
  // The quotient by zero is open: the operand is kept from it.
  t.add("{ .reg .b32 n; or.b32 n, b, 1; div.s32 o, a, n; }", "r=rr",
        ref(+[](s32 a, s32 b) { return s32(s64(a) / (b | 1)); }));
  t.add("{ .reg .b32 n; or.b32 n, b, 1; div.u32 o, a, n; }", "r=rr", ref(+[](u32 a, u32 b) { return a / (b | 1); }));
  t.add("{ .reg .b64 n; or.b64 n, b, 1; div.u64 o, a, n; }", "d=dd", ref(+[](u64 a, u64 b) { return a / (b | 1); }));
  t.add("{ .reg .b32 n; or.b32 n, b, 1; rem.s32 o, a, n; }", "r=rr",
        ref(+[](s32 a, s32 b) { return s32(s64(a) % (b | 1)); }));
  t.add("{ .reg .b32 n; or.b32 n, b, 1; rem.u32 o, a, n; }", "r=rr", ref(+[](u32 a, u32 b) { return a % (b | 1); }));
  t.add("{ .reg .b16 n; or.b16 n, b, 1; rem.u16 o, a, n; }", "h=hh",
        ref(+[](u16 a, u16 b) { return u16(a % (b | 1)); }));
  t.add("min.s32 o, a, b;", "r=rr", ref(+[](s32 a, s32 b) { return std::min(a, b); }));
  t.add("min.u16 o, a, b;", "h=hh", ref(+[](u16 a, u16 b) { return std::min(a, b); }));
  t.add("max.u32 o, a, b;", "r=rr", ref(+[](u32 a, u32 b) { return std::max(a, b); }));
  t.add("max.s64 o, a, b;", "d=dd", ref(+[](s64 a, s64 b) { return std::max(a, b); }));
  t.add("neg.s32 o, a;", "r=r", ref(+[](u32 a) { return 0 - a; }));
  t.add("neg.s16 o, a;", "h=h", ref(+[](u16 a) { return u16(0 - a); }));
  t.add("abs.s32 o, a;", "r=r", ref(+[](s32 a) { return a < 0 ? 0 - u32(a) : u32(a); }));
  t.add("abs.s64 o, a;", "d=d", ref(+[](s64 a) { return a < 0 ? 0 - u64(a) : u64(a); }));
  t.run();
}

TEST(IntegerOps, Logic) {
  OpTests t;
  t.add("and.b32 o, a, b;", "r=rr", ref(+[](u32 a, u32 b) { return a & b; }));
  t.add("or.b64 o, a, b;", "d=dd", ref(+[](u64 a, u64 b) { return a | b; }));
  t.add("xor.b16 o, a, b;", "h=hh", ref(+[](u16 a, u16 b) { return u16(a ^ b); }));
  t.add("not.b32 o, a;", "r=r", ref(+[](u32 a) { return ~a; }));
  t.add("cnot.b32 o, a;", "r=r", ref(+[](u32 a) { return u32(a == 0); }));
  t.add("and.pred o, a, b;", "p=pp", ref(+[](u32 a, u32 b) { return u32(a && b); }));
  t.add("or.pred o, a, !b;", "p=pp", ref(+[](u32 a, u32 b) { return u32(a || !b); }));
  t.add("xor.pred o, a, b;", "p=pp", ref(+[](u32 a, u32 b) { return u32(a != b); }));
  t.add("not.pred o, a;", "p=p", ref(+[](u32 a) { return u32(!a); }));
  t.add("lop3.b32 o, a, b, c, 0xCA;", "r=rrr", ref(+[](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }));
  t.add("lop3.b32 o, a, b, c, 0x96;", "r=rrr", ref(+[](u32 a, u32 b, u32 c) { return a ^ b ^ c; }));
  t.run();
}

TEST(IntegerOps, Shifts) {
  OpTests t;
  t.add("shl.b32 o, a, b;", "r=rs", ref(+[](u32 a, u32 b) { return b > 31 ? 0 : a << b; }));
  t.add("shl.b16 o, a, b;", "h=hs", ref(+[](u16 a, u32 b) { return u16(b > 15 ? 0 : a << b); }));
  t.add("shl.b64 o, a, b;", "d=ds", ref(+[](u64 a, u32 b) { return b > 63 ? 0 : a << b; }));
  t.add("shr.u32 o, a, b;", "r=rs", ref(+[](u32 a, u32 b) { return b > 31 ? 0 : a >> b; }));
  t.add("shr.s32 o, a, b;", "r=rs", ref(+[](s32 a, u32 b) { return a >> std::min(b, 31u); }));
  t.add("shr.s16 o, a, b;", "h=hs", ref(+[](s16 a, u32 b) { return s16(a >> std::min(b, 15u)); }));
  t.add("shr.u64 o, a, b;", "d=ds", ref(+[](u64 a, u32 b) { return b > 63 ? 0 : a >> b; }));
  t.add("shr.b32 o, a, b;", "r=rs", ref(+[](u32 a, u32 b) { return b > 31 ? 0 : a >> b; }));
  t.add("shf.l.wrap.b32 o, a, b, c;", "r=rrs",
        ref(+[](u32 a, u32 b, u32 c) { return u32(((u64(b) << 32 | a) << (c & 31)) >> 32); }));
  t.add("shf.r.wrap.b32 o, a, b, c;", "r=rrs",
        ref(+[](u32 a, u32 b, u32 c) { return u32((u64(b) << 32 | a) >> (c & 31)); }));
  t.add("shf.l.clamp.b32 o, a, b, c;", "r=rrs",
        ref(+[](u32 a, u32 b, u32 c) { return c >= 32 ? a : u32(((u64(b) << 32 | a) << c) >> 32); }));
  t.add("shf.r.clamp.b32 o, a, b, c;", "r=rrs",
        ref(+[](u32 a, u32 b, u32 c) { return u32((u64(b) << 32 | a) >> std::min(c, 32u)); }));
  t.run();
}

template <typename T> T bfeModel(T a, u32 pos, u32 len) {
  // As the ISA writes it.
  pos &= 0xff;
  len &= 0xff;
  const u32 msb = 8 * sizeof(T) - 1;
  const bool is = std::numeric_limits<T>::is_signed;
  auto bit = [&](u32 i) { return u64(a) >> i & 1; };
  const u64 sbit = !is || len == 0 ? 0 : bit(std::min(pos + len - 1, msb));
  u64 d = 0;
  for (u32 i = 0; i <= msb; ++i)
    d |= (i < len && pos + i <= msb ? bit(pos + i) : sbit) << i;
  return T(d);
}
template <typename T> T bfiModel(T a, T b, u32 pos, u32 len) {
  pos &= 0xff;
  len &= 0xff;
  T f = b;
  for (u32 i = 0; i < len && pos + i < 8 * sizeof(T); ++i)
    f = (f & ~(T(1) << (pos + i))) | (((a >> i) & 1) << (pos + i));
  return f;
}

template <typename T> T reversed(T a) {
  T result = 0;
  for (size_t i = 0; i < 8 * sizeof(T); ++i, a >>= 1)
    result = T(result << 1) | (a & 1);
  return result;
}

TEST(IntegerOps, Fields) {
  OpTests t;
  t.add("bfe.u32 o, a, b, c;", "r=rss", ref(+[](u32 a, u32 b, u32 c) { return bfeModel<u32>(a, b, c); }));
  t.add("bfe.s32 o, a, b, c;", "r=rss", ref(+[](s32 a, u32 b, u32 c) { return bfeModel<s32>(a, b, c); }));
  t.add("bfe.u64 o, a, b, c;", "d=dss", ref(+[](u64 a, u32 b, u32 c) { return bfeModel<u64>(a, b, c); }));
  t.add("bfe.s64 o, a, b, c;", "d=dss", ref(+[](s64 a, u32 b, u32 c) { return bfeModel<s64>(a, b, c); }));
  t.add("bfi.b32 o, a, b, c, e;", "r=rrss", ref(+[](u32 a, u32 b, u32 c, u32 e) { return bfiModel<u32>(a, b, c, e); }));
  t.add("bfi.b64 o, a, b, c, e;", "d=ddss", ref(+[](u64 a, u64 b, u32 c, u32 e) { return bfiModel<u64>(a, b, c, e); }));
  t.add("bfind.u32 o, a;", "r=r", ref(+[](u32 a) { return a ? 31 - u32(__builtin_clz(a)) : ~0u; }));
  t.add("bfind.s32 o, a;", "r=r", ref(+[](s32 a) {
          const u32 bits = u32(a < 0 ? ~a : a);
          return bits ? 31 - u32(__builtin_clz(bits)) : ~0u;
        }));
  t.add("bfind.shiftamt.u64 o, a;", "r=d", ref(+[](u64 a) { return a ? u32(__builtin_clzll(a)) : ~0u; }));
  t.add("clz.b32 o, a;", "r=r", ref(+[](u32 a) { return a ? u32(__builtin_clz(a)) : 32u; }));
  t.add("clz.b64 o, a;", "r=d", ref(+[](u64 a) { return a ? u32(__builtin_clzll(a)) : 64u; }));
  t.add("popc.b32 o, a;", "r=r", ref(+[](u32 a) { return u32(__builtin_popcount(a)); }));
  t.add("popc.b64 o, a;", "r=d", ref(+[](u64 a) { return u32(__builtin_popcountll(a)); }));
  t.add("brev.b32 o, a;", "r=r", ref(+[](u32 a) { return reversed(a); }));
  t.add("brev.b64 o, a;", "d=d", ref(+[](u64 a) { return reversed(a); }));
  t.add("bmsk.clamp.b32 o, a, b;", "r=ss", ref(+[](u32 a, u32 b) {
          u32 mask = 0;
          for (u32 i = 0; i < std::min(b, 32u); ++i)
            if (a + i < 32)
              mask |= 1u << (a + i);
          return mask;
        }));
  t.add("szext.wrap.s32 o, a, b;", "r=rs", ref(+[](s32 a, u32 b) {
          const u32 n = b & 31;
          return n == 0 ? 0 : s32(u32(a) << (32 - n)) >> (32 - n);
        }));
  t.run();
}

TEST(IntegerOps, Bytes) {
  OpTests t;
  t.add("prmt.b32 o, a, b, c;", "r=rrr", ref(+[](u32 a, u32 b, u32 c) {
          u32 result = 0;
          const u64 all = u64(b) << 32 | a;
          for (int i = 0; i < 4; ++i) {
            const u32 s = c >> (4 * i) & 15;
            u32 byte = u32(all >> (8 * (s & 7))) & 255;
            if (s & 8)
              byte = byte >> 7 ? 255 : 0;
            result |= byte << (8 * i);
          }
          return result;
        }));
  t.add("prmt.b32.f4e o, a, b, 3;", "r=rr", ref(+[](u32 a, u32 b) { return u32((u64(b) << 32 | a) >> 24); }));
  t.add("prmt.b32.rc8 o, a, b, 2;", "r=rr", ref(+[](u32 a, u32) { return (a >> 16 & 255) * 0x01010101u; }));
  t.add("prmt.b32.rc16 o, a, b, 1;", "r=rr", ref(+[](u32 a, u32) { return (a >> 16) * 0x00010001u; }));
  t.add("dp4a.s32.s32 o, a, b, c;", "r=rrr", ref(+[](u32 a, u32 b, u32 c) {
          for (int i = 0; i < 4; ++i)
            c += u32(s32(int8_t(a >> (8 * i))) * int8_t(b >> (8 * i)));
          return c;
        }));
  t.add("dp4a.u32.s32 o, a, b, c;", "r=rrr", ref(+[](u32 a, u32 b, u32 c) {
          for (int i = 0; i < 4; ++i)
            c += u32(s32(uint8_t(a >> (8 * i))) * int8_t(b >> (8 * i)));
          return c;
        }));
  t.add("dp2a.lo.s32.u32 o, a, b, c;", "r=rrr", ref(+[](u32 a, u32 b, u32 c) {
          for (int i = 0; i < 2; ++i)
            c += u32(s32(s16(a >> (16 * i))) * s32(uint8_t(b >> (8 * i))));
          return c;
        }));
  t.add("dp2a.hi.u32.u32 o, a, b, c;", "r=rrr", ref(+[](u32 a, u32 b, u32 c) {
          for (int i = 0; i < 2; ++i)
            c += u32(u16(a >> (16 * i))) * uint8_t(b >> (16 + 8 * i));
          return c;
        }));
  t.run();
}

TEST(IntegerOps, Moves) {
  OpTests t;
  t.add("mov.b32 o, {a, b};", "r=hh", ref(+[](u16 a, u16 b) { return u32(b) << 16 | a; }));
  t.add("mov.b64 o, {a, b};", "d=rr", ref(+[](u32 a, u32 b) { return u64(b) << 32 | a; }));
  t.add("{ .reg .b32 hi; mov.b64 {hi, o}, a; }", "r=d", ref(+[](u64 a) { return u32(a >> 32); }));
  t.add("{ .reg .b16 x; mov.b32 {x, o}, a; }", "h=r", ref(+[](u32 a) { return u16(a >> 16); }));
  t.add("{ .reg .b16 w, x, y; mov.b64 {w, x, o, y}, a; }", "h=d", ref(+[](u64 a) { return u16(a >> 32); }));
  t.add("mov.b32 o, 0f3F800000;", "r=r", ref(+[](u32) { return 0x3f800000u; }));
  t.add("mov.f32 o, 0f40490FDB;", "f=f", ref(+[](float) { return 3.14159274f; }));
  t.add("mov.f64 o, 0d400921FB54442D18;", "F=F", ref(+[](double) { return 3.141592653589793; }));
  t.add("selp.b32 o, a, b, c;", "r=rrp", ref(+[](u32 a, u32 b, u32 c) { return c ? a : b; }));
  t.add("selp.f64 o, a, b, c;", "F=FFp", ref(+[](double a, double b, u32 c) { return c ? a : b; }));
  t.add("slct.u32.s32 o, a, b, c;", "r=rrr", ref(+[](u32 a, u32 b, s32 c) { return c >= 0 ? a : b; }));
  t.add("slct.ftz.f32.f32 o, a, b, c;", "f=fff",
        ref(+[](float a, float b, float c) { return c >= 0 || (c > -1e-38f && c < 0) ? a : b; }));
  t.run();
}

} // namespace
