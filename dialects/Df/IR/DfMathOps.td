// Functions of floats, remainders and tests of floats of the df dialect, element-wise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_MATH_OPS_TD
#define DF_MATH_OPS_TD

include "dialects/Df/IR/DfElementwiseBase.td"

// Every function is NaN of NaN, is computed by an expansion of our own in include/mlc/Support (the error bounds stand there) and rounds f16 and bf16 once, from f32.

//===-- rounding ----------------------------------------------------------------===//

def Df_CeilOp : Df_UnaryOp<"ceil", Df_FloatTensor, "ceiling", "The smallest integer not below x; the gradient is zero.">;
def Df_RoundOp : Df_UnaryOp<"round", Df_FloatTensor, "rounding to the nearest integer", "The nearest integer, of two the even one; the gradient is zero.">;
def Df_TruncOp : Df_UnaryOp<"trunc", Df_FloatTensor, "rounding towards zero", "The integer next to x towards zero, of the sign of x; the gradient is zero.">;

//===-- powers and logarithms ------------------------------------------------------===//

def Df_ReciprocalOp : Df_UnaryOp<"reciprocal", Df_FloatTensor, "reciprocal", "1 / x, correctly rounded. Gradient: -y^2.", extra = [Df_Work<"Division">]>;
def Df_RsqrtOp : Df_UnaryOp<"rsqrt", Df_FloatTensor, "reciprocal of the square root", "1 / sqrt(x); infinity of the sign of a zero, NaN below 0. Gradient: -y^3 / 2.", extra = [Df_Work<"Division">]>;
def Df_CbrtOp : Df_UnaryOp<"cbrt", Df_FloatTensor, "cube root", "The real cube root, of the sign of x. Gradient: y / (3 x).", extra = [Df_Work<"Transcendental">]>;
def Df_Expm1Op : Df_UnaryOp<"expm1", Df_FloatTensor, "exponential less 1", "e^x - 1, accurate about 0. Gradient: y + 1.", extra = [Df_Work<"Transcendental">]>;
def Df_Exp2Op : Df_UnaryOp<"exp2", Df_FloatTensor, "power of two", "2^x. Gradient: y ln 2.", extra = [Df_Work<"Transcendental">]>;
def Df_Log2Op : Df_UnaryOp<"log2", Df_FloatTensor, "logarithm to base 2", "log2 x; -infinity of 0, NaN below. Gradient: 1 / (x ln 2).", extra = [Df_Work<"Transcendental">]>;

//===-- error function ---------------------------------------------------------------===//

def Df_ErfOp : Df_UnaryOp<"erf", Df_FloatTensor, "error function", "erf x. Gradient: 2 / sqrt(pi) e^(-x^2).", extra = [Df_Work<"Transcendental">]>;
def Df_ErfcOp : Df_UnaryOp<"erfc", Df_FloatTensor, "complementary error function", "1 - erf x, accurate where that is small. Gradient: -2 / sqrt(pi) e^(-x^2).", extra = [Df_Work<"Transcendental">]>;

def Df_ErfInvOp : Df_UnaryOp<"erf_inv", Df_FloatTensor, "inverse of the error function",
  "The y with erf y = x; infinities at -1 and 1, NaN beyond. Gradient: sqrt(pi) / 2 e^(y^2).", extra = [Df_Work<"Transcendental">]>;

//===-- gamma function ------------------------------------------------------------------===//

def Df_LgammaOp : Df_UnaryOp<"lgamma", Df_FloatTensor, "logarithm of the gamma function",
  "ln |Gamma(x)|; infinity at 0 and the negative integers, and of both infinities. Gradient: digamma x.", extra = [Df_Work<"Transcendental">]>;
def Df_DigammaOp : Df_UnaryOp<"digamma", Df_FloatTensor, "derivative of the logarithm of the gamma function",
  "psi(x) = Gamma'(x) / Gamma(x); infinity at 0, of the other sign than the zero, NaN at the negative integers and of -infinity. Gradient: psi'(x), the sum of 1 / (x + k)^2 over k >= 0, of ops that have gradients.", extra = [Df_Work<"Transcendental">]>;

def Df_IgammaOp : Df_BinaryOp<"igamma", Df_FloatTensor, "regularized lower incomplete gamma function",
  "P(a, x), the integral of t^(a - 1) e^-t / Gamma(a) over t from 0 to x, for a = `lhs` and x = `rhs`: by its power series, "
  "where x > 1 and x > a as 1 less the continued fraction of Q(a, x), for a > 2 10^4 by Temme's expansion; in f64. NaN of a <= 0 and of x < 0. "
  "Gradient for x: x^(a - 1) e^-x / Gamma(a); for a: df.igamma_grad_a. Composite of loops until every element is exact.", extra = [Df_Work<"Composite">]>;
def Df_IgammacOp : Df_BinaryOp<"igammac", Df_FloatTensor, "regularized upper incomplete gamma function",
  "Q(a, x) = 1 - P(a, x), by its continued fraction where x > 1 and x > a, for a = `lhs` and x = `rhs`. Special cases as of `df.igamma`, of which the gradients are the negative.",
  extra = [Df_Work<"Composite">]>;
def Df_IgammaGradAOp : Df_BinaryOp<"igamma_grad_a", Df_FloatTensor, "derivative of the incomplete gamma function by its parameter",
  "dP(a, x) / da for a = `lhs` and x = `rhs`, of the terms that `df.igamma` adds; 0 for x = 0. Composite; differentiated as its parts are.",
  extra = [Df_Work<"Composite">]>;

//===-- trigonometric and hyperbolic functions -----------------------------------------===//

def Df_TanOp : Df_UnaryOp<"tan", Df_FloatTensor, "tangent", "tan x, x in radians; NaN of infinities. Gradient: 1 + y^2.", extra = [Df_Work<"Transcendental">]>;
def Df_AsinOp : Df_UnaryOp<"asin", Df_FloatTensor, "arc sine", "In [-pi/2, pi/2]; NaN beyond |x| = 1. Gradient: 1 / sqrt(1 - x^2).", extra = [Df_Work<"Transcendental">]>;
def Df_AcosOp : Df_UnaryOp<"acos", Df_FloatTensor, "arc cosine", "In [0, pi]; NaN beyond |x| = 1. Gradient: -1 / sqrt(1 - x^2).", extra = [Df_Work<"Transcendental">]>;
def Df_AtanOp : Df_UnaryOp<"atan", Df_FloatTensor, "arc tangent", "In [-pi/2, pi/2]. Gradient: 1 / (1 + x^2).", extra = [Df_Work<"Transcendental">]>;
def Df_SinhOp : Df_UnaryOp<"sinh", Df_FloatTensor, "hyperbolic sine", "sinh x. Gradient: cosh x.", extra = [Df_Work<"Transcendental">]>;
def Df_CoshOp : Df_UnaryOp<"cosh", Df_FloatTensor, "hyperbolic cosine", "cosh x. Gradient: sinh x.", extra = [Df_Work<"Transcendental">]>;
def Df_AsinhOp : Df_UnaryOp<"asinh", Df_FloatTensor, "inverse hyperbolic sine", "asinh x. Gradient: 1 / sqrt(x^2 + 1).", extra = [Df_Work<"Transcendental">]>;
def Df_AcoshOp : Df_UnaryOp<"acosh", Df_FloatTensor, "inverse hyperbolic cosine", "acosh x; NaN below 1. Gradient: 1 / sqrt(x^2 - 1).", extra = [Df_Work<"Transcendental">]>;
def Df_AtanhOp : Df_UnaryOp<"atanh", Df_FloatTensor, "inverse hyperbolic tangent", "atanh x; infinities at -1 and 1, NaN beyond. Gradient: 1 / (1 - x^2).", extra = [Df_Work<"Transcendental">]>;
def Df_Atan2Op : Df_BinaryOp<"atan2", Df_FloatTensor, "angle of a point",
  "The angle of the point (y, x) in [-pi, pi], where `lhs` is its second coordinate and `rhs` its first; signed zeros and infinities as IEEE 754 has them. "
  "Gradient for lhs: rhs / (lhs^2 + rhs^2), for rhs: -lhs / (lhs^2 + rhs^2).", extra = [Df_Work<"Transcendental">]>;

//===-- remainders and quotients ----------------------------------------------------------===//

def Df_RemOp : Df_BinaryOp<"rem", Df_NumberTensor, "remainder of the truncated quotient",
  "x - y trunc(x / y) without rounding: of the sign of x, below |y|. Floats: NaN of an infinite x or of y = 0, x of an infinite y. An integer divisor of 0 is an error of the step. "
  "Gradient for x: 1, for y: -trunc(x / y).", [], Df_TellsIfItFails, [Df_Work<"Division">]>;
def Df_FloorModOp : Df_BinaryOp<"floor_mod", Df_NumberTensor, "remainder of the floored quotient",
  "r = rem(x, y), or r + y where r is not 0 and has another sign than y: of the sign of y. Special cases and gradient as of `df.rem`. Composite.",
  [], Df_TellsIfItFails, [Df_Work<"Division">, Df_InfersIntegers]>;
def Df_FloorDivOp : Df_BinaryOp<"floor_div", Df_NumberTensor, "floored quotient",
  "The largest integer not above x / y; of floats floor of the rounded quotient. An integer divisor of 0 is an error of the step. The gradient is zero. Composite.",
  [], Df_TellsIfItFails, [Df_Work<"Division">]>;
def Df_DivNoNanOp : Df_BinaryOp<"div_no_nan", Df_FloatTensor, "division with 0 for a divisor of 0",
  "x / y, but 0 where y = 0. The gradient is that of the division, 0 where y = 0. Composite.", extra = [Df_Work<"Division">]>;
def Df_XlogyOp : Df_BinaryOp<"xlogy", Df_FloatTensor, "product with a logarithm",
  "x ln y, but 0 where x = 0, whatever y is. Gradient for x: ln y, for y: x / y; both 0 where x = 0. Composite.", extra = [Df_Work<"Transcendental">]>;

def Df_ClampOp : Df_Op<"clamp", [Df_EffectFree, Df_NeverFails, Df_JoinsTypes, Df_Elementwise]> {
  let summary = "limits to an interval";
  let description = [{
    min(max(x, low), high), so `high` where `low` is above it; NaN if one of them is. The gradient goes where that of `df.maximum` and `df.minimum` goes: to x within the interval,
    its ends included. Composite.

    Example: `%y = df.clamp %low, %x, %high : tensor<?x4xf32>`
  }];
  let arguments = (ins Df_NumberTensor:$low, Df_NumberTensor:$operand, Df_NumberTensor:$high);
  let results = (outs Df_NumberTensor:$result);
  let assemblyFormat = "$low `,` $operand `,` $high attr-dict `:` custom<JoinedTypes>(type($low), type($operand), type($high), type($result))";
}

//===-- tests --------------------------------------------------------------------------===//

class Df_FloatTestOp<string opMnemonic, string what, string formula> : Df_PlainOp<opMnemonic, [Df_NeverFails, Df_Elementwise, Df_SameShape<"infer.i1()">]> {
  let summary = what;
  let description = formula # [{ No gradient. Composite. Constraints: (C1) the result has the operand's shape.

    Example: `%m = df.}] # opMnemonic # [{ %x : (tensor<?x4xf32>) -> tensor<?x4xi1>`
  }];
  let arguments = (ins Df_FloatTensor:$operand);
  let results = (outs Df_BoolTensor:$result);
}

def Df_IsNanOp : Df_FloatTestOp<"is_nan", "whether a number is NaN", "x != x.">;
def Df_IsInfOp : Df_FloatTestOp<"is_inf", "whether a number is infinite", "|x| = infinity.">;
def Df_IsFiniteOp : Df_FloatTestOp<"is_finite", "whether a number is finite", "|x| < infinity: neither infinite nor NaN.">;

#endif // DF_MATH_OPS_TD
