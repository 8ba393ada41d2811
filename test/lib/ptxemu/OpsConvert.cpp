// Conversions between types.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Lanes.h"

#include <algorithm>

namespace ptxemu {

namespace {

// Inst::type is what comes out, type2 what goes in. flag: rounds to an integer; flag2: .relu; mode: .satfinite;
// mode2: 1 the destination register has 8 bytes, 2 the source register has.

uint64_t loadSlot(Warp &warp, uint32_t place, bool wide, unsigned lane) {
  return wide ? warp.lanes<uint64_t>(place)[lane] : warp.lanes<uint32_t>(place)[lane];
}

__int128 integerOf(Type type, uint64_t bits) {
  switch (type) {
  case Type::S8:
    return static_cast<int8_t>(bits);
  case Type::S16:
    return static_cast<int16_t>(bits);
  case Type::S32:
    return static_cast<int32_t>(bits);
  case Type::S64:
    return static_cast<int64_t>(bits);
  case Type::U8:
    return static_cast<uint8_t>(bits);
  case Type::U16:
    return static_cast<uint16_t>(bits);
  case Type::U32:
    return static_cast<uint32_t>(bits);
  default:
    return bits;
  }
}

double realOf(Type type, uint64_t bits, bool ftz) {
  switch (type) {
  case Type::F16:
    return toFloat(Half{static_cast<uint16_t>(bits)});
  case Type::BF16:
    return toFloat(BFloat{static_cast<uint16_t>(bits)});
  case Type::F32: {
    const float value = bitCast<float>(static_cast<uint32_t>(bits));
    return ftz ? flush(value) : value;
  }
  default:
    return bitCast<double>(bits);
  }
}

__int128 lowest(Type type) { return isSigned(type) ? -(static_cast<__int128>(1) << (8 * sizeOf(type) - 1)) : 0; }
__int128 highest(Type type) { return (static_cast<__int128>(1) << (8 * sizeOf(type) - (isSigned(type) ? 1 : 0))) - 1; }

uint64_t packReal(const Inst &inst, double value) {
  if (inst.flag2 && value < 0)
    value = 0;
  switch (inst.type) {
  case Type::F16:
    return roundTo(kF16, value, inst.rounding, inst.mode);
  case Type::BF16:
    return roundTo(kBF16, value, inst.rounding, inst.mode);
  case Type::TF32:
    return value != value ? kNaN32 : roundTo(kTF32, value, inst.rounding, inst.mode) << 13;
  case Type::F32: {
    float narrow = static_cast<float>(value);
    if (inst.rounding != Rounding::Nearest && narrow != value)
      narrow = rounded::narrow(value, inst.rounding);
    narrow = canonical(narrow);
    return bitCast<uint32_t>(inst.ftz ? flush(narrow) : narrow);
  }
  default:
    return bitCast<uint64_t>(canonical(value));
  }
}

uint64_t realToReal(const Inst &inst, uint64_t bits) {
  double value = realOf(inst.type2, bits, inst.ftz);
  if (inst.flag)
    value = rounded::toInteger(value, inst.rounding);
  if (inst.saturated)
    value = saturate(value);
  return packReal(inst, value);
}

uint64_t realToInteger(const Inst &inst, uint64_t bits) {
  const double value = realOf(inst.type2, bits, inst.ftz);
  if (value != value) {
    if (inst.type2 != Type::F64 && sizeOf(inst.type) < 8)
      return 0;
    return 1ull << (8 * sizeOf(inst.type) - 1);
  }
  const double whole = rounded::toInteger(value, inst.rounding);
  const __int128 low = lowest(inst.type), high = highest(inst.type);
  if (whole <= static_cast<double>(low))
    return static_cast<uint64_t>(low);
  if (whole >= static_cast<double>(high))
    return static_cast<uint64_t>(high);
  return static_cast<uint64_t>(static_cast<__int128>(whole));
}

uint64_t integerToReal(const Inst &inst, uint64_t bits) {
  const __int128 value = integerOf(inst.type2, bits);
  switch (inst.type) {
  case Type::F32:
    return bitCast<uint32_t>(isSigned(inst.type2)
                                 ? rounded::fromInteger32(static_cast<int64_t>(value), inst.rounding)
                                 : rounded::fromUnsigned32(static_cast<uint64_t>(value), inst.rounding));
  case Type::F64:
    return bitCast<uint64_t>(isSigned(inst.type2)
                                 ? rounded::fromInteger64(static_cast<int64_t>(value), inst.rounding)
                                 : rounded::fromUnsigned64(static_cast<uint64_t>(value), inst.rounding));
  default: {
    // What has more than 53 bits keeps a last one that tells of those lost.
    __int128 magnitude = value < 0 ? -value : value;
    int shift = 0;
    if (magnitude >> 53) {
      shift = 12;
      magnitude = magnitude >> 12 | ((magnitude & 0xfff) != 0);
    }
    const double exact = std::ldexp(static_cast<double>(magnitude), shift);
    return packReal(inst, value < 0 ? -exact : exact);
  }
  }
}

uint64_t integerToInteger(const Inst &inst, uint64_t bits) {
  __int128 value = integerOf(inst.type2, bits);
  if (inst.saturated)
    value = std::clamp(value, lowest(inst.type), highest(inst.type));
  return static_cast<uint64_t>(integerOf(inst.type, static_cast<uint64_t>(value)));
}

/// One result of one operand. A signed integer is extended to the width of its register.
template <uint64_t (*Convert)(const Inst &, uint64_t)> bool convert(Warp &warp, const Inst &inst, uint32_t active) {
  const bool wideOut = inst.mode2 & 1, wideIn = inst.mode2 & 2;
  forLanes(active, [&](unsigned i) {
    uint64_t result = Convert(inst, loadSlot(warp, inst.a, wideIn, i));
    if (isSigned(inst.type))
      result = static_cast<uint64_t>(integerOf(inst.type, result));
    if (wideOut)
      warp.lanes<uint64_t>(inst.dst)[i] = result;
    else
      warp.lanes<uint32_t>(inst.dst)[i] = static_cast<uint32_t>(result);
  });
  return true;
}

// What kernels do most.
struct SignedToFloat {
  explicit SignedToFloat(const Inst &) {}
  float operator()(int32_t a) const { return static_cast<float>(a); }
};
struct UnsignedToFloat {
  explicit UnsignedToFloat(const Inst &) {}
  float operator()(uint32_t a) const { return static_cast<float>(a); }
};
struct HalfToFloat {
  explicit HalfToFloat(const Inst &) {}
  float operator()(Half a) const { return canonical(toFloat(a)); }
};
struct BFloatToFloat {
  explicit BFloatToFloat(const Inst &) {}
  float operator()(BFloat a) const { return canonical(toFloat(a)); }
};
struct ToUnsigned32 {
  explicit ToUnsigned32(const Inst &) {}
  uint32_t operator()(uint64_t a) const { return static_cast<uint32_t>(a); }
};
struct ExtendUnsigned {
  explicit ExtendUnsigned(const Inst &) {}
  uint64_t operator()(uint32_t a) const { return a; }
};
struct ExtendSigned {
  explicit ExtendSigned(const Inst &) {}
  uint64_t operator()(int32_t a) const { return static_cast<uint64_t>(static_cast<int64_t>(a)); }
};

Handler fastHandler(const Inst &inst) {
  if (inst.saturated || inst.flag || inst.flag2 || inst.ftz || inst.rounding != Rounding::Nearest)
    return nullptr;
  const Type out = inst.type, in = inst.type2;
  const bool wideOut = inst.mode2 & 1, wideIn = inst.mode2 & 2;
  if (out == Type::F32 && !wideOut && !wideIn)
    return in == Type::S32    ? unaryOp<float, int32_t, SignedToFloat>
           : in == Type::U32  ? unaryOp<float, uint32_t, UnsignedToFloat>
           : in == Type::F16  ? unaryOp<float, Half, HalfToFloat>
           : in == Type::BF16 ? unaryOp<float, BFloat, BFloatToFloat>
                              : nullptr;
  if ((out == Type::U32 || out == Type::S32) && !wideOut && wideIn && (in == Type::U64 || in == Type::S64))
    return unaryOp<uint32_t, uint64_t, ToUnsigned32>;
  if (sizeOf(out) == 8 && isInteger(out) && in == Type::U32 && !wideIn)
    return unaryOp<uint64_t, uint32_t, ExtendUnsigned>;
  if (sizeOf(out) == 8 && isInteger(out) && in == Type::S32 && !wideIn)
    return unaryOp<uint64_t, int32_t, ExtendSigned>;
  return nullptr;
}

FloatFormat formatOf(Type type) {
  switch (type) {
  case Type::F16x2:
  case Type::F16:
    return kF16;
  case Type::BF16x2:
  case Type::BF16:
    return kBF16;
  case Type::E4M3x2:
    return kE4M3;
  default:
    return kE5M2;
  }
}

bool isPair(Type type) {
  return type == Type::F16x2 || type == Type::BF16x2 || type == Type::E4M3x2 || type == Type::E5M2x2;
}

/// Two f32 to a pair: a becomes the upper element, b the lower one.
bool packPair(Warp &warp, const Inst &inst, uint32_t active) {
  const FloatFormat format = formatOf(inst.type);
  const unsigned bits = sizeOf(inst.type) * 4;
  const float *a = warp.lanes<float>(inst.a), *b = warp.lanes<float>(inst.b);
  uint32_t *dst = warp.lanes<uint32_t>(inst.dst);
  auto element = [&](float value) {
    if (inst.ftz)
      value = flush(value);
    return roundTo(format, inst.flag2 && value < 0 ? 0.0f : value, inst.rounding, inst.mode);
  };
  forLanes(active, [&](unsigned i) { dst[i] = element(a[i]) << bits | element(b[i]); });
  return true;
}

/// A pair to a pair of another width.
bool convertPair(Warp &warp, const Inst &inst, uint32_t active) {
  const FloatFormat to = formatOf(inst.type), from = formatOf(inst.type2);
  const unsigned toBits = sizeOf(inst.type) * 4, fromBits = sizeOf(inst.type2) * 4;
  const uint32_t *a = warp.lanes<uint32_t>(inst.a);
  uint32_t *dst = warp.lanes<uint32_t>(inst.dst);
  forLanes(active, [&](unsigned i) {
    uint32_t result = 0;
    for (unsigned k = 0; k < 2; ++k) {
      const double value = valueOf(from, a[i] >> (k * fromBits) & ((1u << fromBits) - 1));
      result |= roundTo(to, inst.flag2 && value < 0 ? 0.0 : value, inst.rounding, inst.mode) << (k * toBits);
    }
    dst[i] = result;
  });
  return true;
}

/// cvt.pack: two s32 clamped, the upper one from a; with bytes, c gives the upper half.
bool packIntegers(Warp &warp, const Inst &inst, uint32_t active) {
  const int32_t *a = warp.lanes<int32_t>(inst.a), *b = warp.lanes<int32_t>(inst.b);
  const uint32_t *c = warp.lanes<uint32_t>(inst.c);
  uint32_t *dst = warp.lanes<uint32_t>(inst.dst);
  const unsigned bits = sizeOf(inst.type) * 8;
  auto element = [&](int32_t value) {
    const __int128 clamped = std::clamp<__int128>(value, lowest(inst.type), highest(inst.type));
    return static_cast<uint32_t>(clamped) & ((1u << bits) - 1);
  };
  forLanes(active, [&](unsigned i) {
    const uint32_t pair = element(a[i]) << bits | element(b[i]);
    dst[i] = bits == 8 ? c[i] << 16 | pair : pair;
  });
  return true;
}

void decodePack(Decoder &d) {
  d.has("sat");
  d.inst.type = d.type();
  if (d.type() != Type::S32)
    d.fail("'cvt.pack' from a type other than .s32");
  const bool bytes = sizeOf(d.inst.type) == 1;
  if (bytes && d.type() != Type::B32)
    d.fail("'cvt.pack' of bytes, expected '.b32' at its end");
  d.expectOperands(bytes ? 4 : 3, bytes ? 4 : 3);
  d.inst.dst = d.destination(0, Type::B32);
  d.inst.a = d.source(1, Type::S32);
  d.inst.b = d.source(2, Type::S32);
  d.inst.c = bytes ? d.source(3, Type::B32) : d.constant(0, 4);
  d.inst.run = isInteger(d.inst.type) && sizeOf(d.inst.type) <= 2 ? packIntegers : nullptr;
}

void decodeConvert(Decoder &d) {
  if (d.has("pack"))
    return decodePack(d);
  static constexpr Rounding modes[] = {Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up};
  const int whole = d.oneOf({"rni", "rzi", "rmi", "rpi"}, true);
  bool rounds = true;
  if (whole >= 0) {
    d.inst.flag = true;
    d.inst.rounding = modes[whole];
  } else if (d.has("rna")) {
    d.inst.rounding = Rounding::Away;
  } else {
    const int mode = d.oneOf({"rn", "rz", "rm", "rp"}, true);
    d.inst.rounding = mode < 0 ? Rounding::Nearest : modes[mode];
    rounds = mode >= 0;
  }
  d.inst.ftz = d.has("ftz");
  d.inst.saturated = d.has("sat");
  d.inst.mode = d.has("satfinite");
  d.inst.flag2 = d.has("relu");
  const Type out = d.type(), in = d.type();
  d.inst.type = out;
  d.inst.type2 = in;
  if (isPair(out)) {
    if (isPair(in)) {
      d.expectOperands(2, 2);
      d.inst.run = convertPair;
      d.inst.dst = d.destination(0, sizeOf(out) == 2 ? Type::B16 : Type::B32);
      d.inst.a = d.source(1, sizeOf(in) == 2 ? Type::B16 : Type::B32);
      return;
    }
    d.expectOperands(3, 3);
    d.inst.dst = d.destination(0, sizeOf(out) == 2 ? Type::B16 : Type::B32);
    d.inst.a = d.source(1, Type::F32);
    d.inst.b = d.source(2, Type::F32);
    d.inst.run = in == Type::F32 && rounds ? packPair : nullptr;
    return;
  }
  d.expectOperands(2, 2);
  if (isBits(out) || isBits(in) || in == Type::TF32 || isPair(in) || out == Type::Pred || in == Type::Pred)
    return d.fail("'cvt' from ." + std::string(nameOf(in)) + " to ." + std::string(nameOf(out)));
  const bool narrows = isFloat(out) && (!isFloat(in) || sizeOf(out) < sizeOf(in) || out == Type::TF32);
  if (narrows && !rounds)
    d.fail("'cvt' to ." + std::string(nameOf(out)) + " without a rounding mode");
  if (isFloat(in) && isInteger(out) && whole < 0)
    d.fail("'cvt' to an integer without '.rni', '.rzi', '.rmi' or '.rpi'");
  const Type outRegister = out == Type::TF32 ? Type::B32 : out;
  d.inst.dst = d.destination(0, outRegister, isInteger(out));
  d.inst.a = d.source(1, in, isInteger(in));
  if (d.isWide(d.operand(0)))
    d.inst.mode2 |= 1;
  if (d.isWide(d.operand(1)) || (d.operand(1).kind != Operand::Register && sizeOf(in) == 8))
    d.inst.mode2 |= 2;
  if (Handler fast = fastHandler(d.inst))
    d.inst.run = fast;
  else if (isFloat(in))
    d.inst.run = isFloat(out) ? convert<realToReal> : convert<realToInteger>;
  else
    d.inst.run = isFloat(out) ? convert<integerToReal> : convert<integerToInteger>;
}

} // namespace

void addConvertOps(OpTable &table) { table["cvt"] = decodeConvert; }

} // namespace ptxemu
