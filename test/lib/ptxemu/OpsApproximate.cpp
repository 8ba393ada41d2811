// Functions that PTX approximates: the value here is the exact one, rounded once, which is within every stated bound.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/OpsArithmetic.h"

namespace ptxemu {

namespace {

enum Function : uint8_t { Rsqrt, Exp2, Log2, Sin, Cos, Tanh };

double evaluate(Function function, double a) {
  switch (function) {
  case Rsqrt:
    return 1 / std::sqrt(a);
  case Exp2:
    return std::exp2(a);
  case Log2:
    return std::log2(a);
  case Sin:
    return std::sin(a);
  case Cos:
    return std::cos(a);
  case Tanh:
    return std::tanh(a);
  }
  return a;
}

struct Single {
  explicit Single(const Inst &inst) : function(static_cast<Function>(inst.mode)), ftz(inst.ftz) {}
  float operator()(float a) const {
    if (ftz)
      a = flush(a);
    const float result = canonical(static_cast<float>(evaluate(function, a)));
    return ftz ? flush(result) : result;
  }
  Function function;
  bool ftz;
};

/// rsqrt.approx.f64, and .ftz.f64, which drops the low 32 bits of operand and result.
struct Double {
  explicit Double(const Inst &inst) : ftz(inst.ftz) {}
  double operator()(double a) const {
    if (ftz)
      a = bitCast<double>(bitCast<uint64_t>(a) & ~0xffffffffull);
    const double result = canonical(1 / std::sqrt(a));
    return ftz && result == result ? bitCast<double>(bitCast<uint64_t>(result) & ~0xffffffffull) : result;
  }
  bool ftz;
};

template <typename T> struct Narrow {
  explicit Narrow(const Inst &inst) : function(static_cast<Function>(inst.mode)), ftz(inst.ftz) {}
  T operator()(T a) const {
    const float value = toFloat(a);
    if constexpr (std::is_same_v<T, Half>)
      return toHalf(evaluate(function, value));
    else
      return toBFloat(evaluate(function, ftz ? flush(value) : value));
  }
  Function function;
  bool ftz;
};

/// Both halves of a word.
template <typename T> struct Packed {
  explicit Packed(const Inst &inst) : each(inst) {}
  uint32_t operator()(uint32_t a) const {
    return each(T{static_cast<uint16_t>(a)}).bits | static_cast<uint32_t>(each(T{static_cast<uint16_t>(a >> 16)}).bits)
                                                        << 16;
  }
  Narrow<T> each;
};

template <Function F> void decodeFunction(Decoder &d) {
  d.inst.mode = F;
  if (!d.has("approx"))
    d.fail("expected '.approx' in '" + d.statement().opcode + "'");
  d.inst.ftz = d.has("ftz");
  const Type type = d.type();
  Handler run = nullptr;
  if (type == Type::F32) {
    run = unaryOp<float, float, Single>;
  } else if (type == Type::F64 && F == Rsqrt) {
    run = unaryOp<double, double, Double>;
  } else if (F == Tanh || F == Exp2) {
    if (type == Type::F16)
      run = unaryOp<Half, Half, Narrow<Half>>;
    else if (type == Type::BF16)
      run = unaryOp<BFloat, BFloat, Narrow<BFloat>>;
    else if (type == Type::F16x2)
      run = unaryOp<uint32_t, uint32_t, Packed<Half>>;
    else if (type == Type::BF16x2)
      run = unaryOp<uint32_t, uint32_t, Packed<BFloat>>;
  }
  decodeUnary(d, type, run);
}

} // namespace

void addApproximateOps(OpTable &table) {
  table["rsqrt"] = decodeFunction<Rsqrt>;
  table["ex2"] = decodeFunction<Exp2>;
  table["lg2"] = decodeFunction<Log2>;
  table["sin"] = decodeFunction<Sin>;
  table["cos"] = decodeFunction<Cos>;
  table["tanh"] = decodeFunction<Tanh>;
}

} // namespace ptxemu
