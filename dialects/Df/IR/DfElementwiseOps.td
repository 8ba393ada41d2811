// Element-wise ops of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_ELEMENTWISE_OPS_TD
#define DF_ELEMENTWISE_OPS_TD

include "dialects/Df/IR/DfElementwiseBase.td"

def Df_NegOp : Df_UnaryOp<"neg", Df_NumberTensor, "negation", "-x; integers wrap.">;
def Df_AbsOp : Df_UnaryOp<"abs", Df_NumberTensor, "absolute value", "|x|; the least signed integer is its own. Gradient: sign(x).">;
def Df_SignOp : Df_UnaryOp<"sign", Df_NumberTensor, "sign", "-1, 0 or 1; a zero of its own sign; NaN of NaN; the gradient is zero.">;
def Df_ExpOp : Df_UnaryOp<"exp", Df_FloatTensor, "exponential", "e^x.", extra = [Df_Work<"Transcendental">]>;
def Df_LogOp : Df_UnaryOp<"log", Df_FloatTensor, "natural logarithm", "ln x; NaN below 0.", extra = [Df_Work<"Transcendental">]>;
def Df_Log1pOp : Df_UnaryOp<"log1p", Df_FloatTensor, "logarithm of 1 + x", "ln(1 + x).", extra = [Df_Work<"Transcendental">]>;
def Df_SqrtOp : Df_UnaryOp<"sqrt", Df_FloatTensor, "square root", "Correctly rounded.", extra = [Df_Work<"Division">]>;
def Df_SquareOp : Df_UnaryOp<"square", Df_NumberTensor, "square", "x * x.">;
def Df_TanhOp : Df_UnaryOp<"tanh", Df_FloatTensor, "hyperbolic tangent", "tanh x.", extra = [Df_Work<"Transcendental">]>;
def Df_SigmoidOp : Df_UnaryOp<"sigmoid", Df_FloatTensor, "logistic function", "1 / (1 + e^-x).", extra = [Df_Work<"Transcendental">]>;
def Df_SoftplusOp : Df_UnaryOp<"softplus", Df_FloatTensor, "softplus", "ln(1 + e^x), without overflow.", extra = [Df_Work<"Transcendental">]>;
def Df_ReluOp : Df_UnaryOp<"relu", Df_FloatTensor, "rectified linear unit", "max(x, 0); NaN of NaN. Gradient: 1 where x > 0, else 0.">;
def Df_FloorOp : Df_UnaryOp<"floor", Df_FloatTensor, "floor", "The largest integer not above x; the gradient is zero.">;
def Df_CosOp : Df_UnaryOp<"cos", Df_FloatTensor, "cosine", "cos x, x in radians; NaN of infinities.", extra = [Df_Work<"Transcendental">]>;
def Df_SinOp : Df_UnaryOp<"sin", Df_FloatTensor, "sine", "sin x, x in radians; NaN of infinities.", extra = [Df_Work<"Transcendental">]>;
def Df_StopGradientOp : Df_UnaryOp<"stop_gradient", Df_Tensor, "identity without a gradient",
  "x, of which no gradient is taken: what it is computed from counts as constant. Gone after df-expand-gradients. Composite.">;
def Df_LogicalNotOp : Df_UnaryOp<"logical_not", Df_BoolTensor, "logical not", "!x.">;

def Df_AddOp : Df_BinaryOp<"add", Df_NumberTensor, "addition", "x + y; integers wrap.", [Commutative, Df_InfersIntegers]>;
def Df_SubOp : Df_BinaryOp<"sub", Df_NumberTensor, "subtraction", "x - y; integers wrap.", [Df_InfersIntegers]>;
def Df_MulOp : Df_BinaryOp<"mul", Df_NumberTensor, "multiplication", "x * y; integers wrap.", [Commutative, Df_InfersIntegers]>;
def Df_DivOp : Df_BinaryOp<"div", Df_NumberTensor, "division",
  "x / y: of floats correctly rounded, of integers truncated towards zero; the least integer by -1 wraps to itself. An integer divisor of 0 is an error of the step.",
  [], Df_TellsIfItFails, [Df_Work<"Division">]>;
def Df_MaximumOp : Df_BinaryOp<"maximum", Df_NumberTensor, "maximum", "The larger; NaN if either is; +0 is above -0. The gradient goes to x where x >= y, else to y.", [Commutative, Df_InfersIntegers]>;
def Df_MinimumOp : Df_BinaryOp<"minimum", Df_NumberTensor, "minimum", "The smaller; NaN if either is; -0 is below +0. The gradient goes to x where x <= y, else to y.", [Commutative, Df_InfersIntegers]>;
def Df_PowOp : Df_BinaryOp<"pow", Df_FloatTensor, "power",
  "x^y with the special cases of IEEE 754: for x < 0 an integral y gives |x|^y with the sign of x if y is odd, another y NaN; x^0 = 1^y = 1, of NaN too. "
  "Gradient for x: y x^(y-1), 0 where y = 0; for y: x^y ln x, 0 where x <= 0.", extra = [Df_Work<"Transcendental">]>;
def Df_LogicalAndOp : Df_BinaryOp<"logical_and", Df_BoolTensor, "logical and", "x && y.", [Commutative]>;
def Df_LogicalOrOp : Df_BinaryOp<"logical_or", Df_BoolTensor, "logical or", "x || y.", [Commutative]>;

def Df_SquaredDifferenceOp : Df_BinaryOp<"squared_difference", Df_NumberTensor, "square of the difference", "(x - y)^2; integers wrap. Composite.", [Commutative]>;

def Df_CompareOp : Df_PlainOp<"compare", [Df_InfersIntegers, Df_NeverFails, Df_Elementwise, Df_InfersTypes]> {
  let summary = "element-wise comparison";
  let description = [{
    Integers compare as their type says, signed or unsigned; a comparison with NaN is false but for `ne`; strings compare byte by byte as unsigned numbers, one that ends first is the lesser.
    Constraints: (C1) the operands have one type, and the result their shape.

    Example: `%m = df.compare lt, %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>`
  }];
  let arguments = (ins Df_ComparisonAttr:$predicate, Df_OrderedTensor:$lhs, Df_OrderedTensor:$rhs);
  let results = (outs Df_BoolTensor:$result);
  let assemblyFormat = "`` $predicate `,` $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Df_SelectOp : Df_PlainOp<"select", [Df_Moves, Df_NeverFails, Df_Elementwise, Df_InfersTypes]> {
  let summary = "element-wise choice";
  let description = [{
    `trueValue` where `condition`, else `falseValue`. Constraints: (C1) `condition` has the result's shape.

    Example: `%z = df.select %m, %x, %y : (tensor<?xi1>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>`
  }];
  let arguments = (ins Df_BoolTensor:$condition, Df_Tensor:$trueValue, Df_Tensor:$falseValue);
  let results = (outs Df_Tensor:$result);
}

def Df_CastOp : Df_PlainOp<"cast", [Df_InfersIntegers, Df_NeverFails, Df_Elementwise, Df_FreeResultType<"its element type is what is converted to">]> {
  let summary = "conversion of the element type";
  let description = [{
    Between any two of the number types and i1. Float to float and integer to float round once to nearest even, and overflow to infinity; float to integer truncates
    towards zero, saturates at the ends of the type (0 and 2^n - 1 of an unsigned one), and is 0 of NaN; integer to integer keeps the value modulo 2^n of the
    result's n bits: a wider one extends the sign of a signed operand and zeros of an unsigned one, a narrower one takes the low bits; i1 is 0 or 1; to i1 means `!= 0`, which NaN is.
    The gradient is cast back to a float operand; there is none through integers. Constraints: (C1) shapes are equal.

    Example: `%y = df.cast %x : (tensor<?xi64>) -> tensor<?xf32>`
  }];
  let arguments = (ins Df_NumberOrBoolTensor:$operand);
  let results = (outs Df_NumberOrBoolTensor:$result);
  let hasFolder = 1;
}

#endif // DF_ELEMENTWISE_OPS_TD
