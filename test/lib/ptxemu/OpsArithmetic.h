// Decoders of arithmetic that integers, floats and halves share the opcode of.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_OPSARITHMETIC_H
#define MLC_TEST_LIB_PTXEMU_OPSARITHMETIC_H

#include "test/lib/ptxemu/Lanes.h"

namespace ptxemu {

// Integers (OpsInteger.cpp). The type is known to the decoder already.
void decodeIntegerAdd(Decoder &d, Type type, bool subtract);
/// add.cc and its kin; `reads`: takes the carry in.
void decodeCarry(Decoder &d, Type type, bool reads, bool subtract);
void decodeIntegerMul(Decoder &d, Type type);
void decodeIntegerMad(Decoder &d, Type type, bool reads);
void decodeIntegerDiv(Decoder &d, Type type);
void decodeIntegerMinMax(Decoder &d, Type type, bool max);
void decodeIntegerSign(Decoder &d, Type type, bool abs);

// f16, f16x2, bf16 and bf16x2 (OpsHalf.cpp).
inline bool isHalf(Type type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 || type == Type::BF16x2;
}
enum class HalfOp : uint8_t { Add, Sub, Mul, Fma, Min, Max, Neg, Abs };
void decodeHalf(Decoder &d, Type type, HalfOp op);

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_OPSARITHMETIC_H
