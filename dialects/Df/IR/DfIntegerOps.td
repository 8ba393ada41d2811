// Bits of integers, and logic, of the df dialect, element-wise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_INTEGER_OPS_TD
#define DF_INTEGER_OPS_TD

include "dialects/Df/IR/DfElementwiseBase.td"

// None has a gradient. Shifts read the amount as unsigned: a negative one is beyond the width.

def Df_LogicalXorOp : Df_BinaryOp<"logical_xor", Df_BoolTensor, "logical exclusive or", "x != y.", [Commutative]>;

def Df_BitwiseNotOp : Df_UnaryOp<"bitwise_not", Df_IntTensor, "bitwise complement", "Every bit inverted.">;
def Df_BitwiseAndOp : Df_BinaryOp<"bitwise_and", Df_IntTensor, "bitwise and", "The bits set in both.", [Commutative, Df_InfersIntegers]>;
def Df_BitwiseOrOp : Df_BinaryOp<"bitwise_or", Df_IntTensor, "bitwise or", "The bits set in either.", [Commutative]>;
def Df_BitwiseXorOp : Df_BinaryOp<"bitwise_xor", Df_IntTensor, "bitwise exclusive or", "The bits set in one of them alone.", [Commutative]>;

def Df_ShiftLeftOp : Df_BinaryOp<"shift_left", Df_IntTensor, "shift to the left", "x 2^y modulo 2^n of n bits: 0 for amounts y of n or more.">;
def Df_ShiftRightLogicalOp : Df_BinaryOp<"shift_right_logical", Df_IntTensor, "shift to the right, filled with zeros",
  "The bits of x moved down by y, zeros above them: 0 for amounts of the width or more.", [Df_InfersIntegers]>;
def Df_ShiftRightArithmeticOp : Df_BinaryOp<"shift_right_arithmetic", Df_IntTensor, "shift to the right, filled with the top bit",
  "The bits of x moved down by y, its top bit above them: all of that bit for amounts of the width or more. Of an unsigned type, too, it is the top bit that fills.">;

def Df_PopulationCountOp : Df_UnaryOp<"population_count", Df_IntTensor, "number of bits set", "How many bits of x are 1.">;
def Df_CountLeadingZerosOp : Df_UnaryOp<"count_leading_zeros", Df_IntTensor, "number of leading zeros", "How many bits above the highest 1 are 0; the width of 0.">;

def Df_BitcastOp : Df_PlainOp<"bitcast", [Df_Work<"Free">, Df_NeverFails, Df_Elementwise, Df_FreeResultType<"its element type is what the bits are read as">]> {
  let summary = "the same bits as another type";
  let description = [{
    Reads the bits of each element as a number of the result's type. No gradient.
    Constraints: (C1) shapes are equal; (C2) the element types have one width.

    Example: `%b = df.bitcast %x : (tensor<?xf32>) -> tensor<?xui32>`
  }];
  let arguments = (ins Df_NumberTensor:$operand);
  let results = (outs Df_NumberTensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // DF_INTEGER_OPS_TD
