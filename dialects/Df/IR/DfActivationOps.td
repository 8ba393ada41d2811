// Activation functions of the df dialect, element-wise. relu, sigmoid, softplus and tanh are primitives of DfElementwiseBase.td; all of these are composites of primitives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_ACTIVATION_OPS_TD
#define DF_ACTIVATION_OPS_TD

include "dialects/Df/IR/DfElementwiseBase.td"

// An activation with numbers as attributes; `example` is an attribute dictionary, or nothing.
class Df_ActivationOp<string opMnemonic, string what, string formula, dag numbers = (ins), string example = "", list<Trait> extra = []> : Df_Op<opMnemonic,
    !listconcat([Df_EffectFree, Df_NeverFails, Df_JoinsTypes, Df_Elementwise], extra)> {
  let summary = what;
  let description = formula # [{ Composite: the gradient is that of its parts.

    Example: `%y = df.}] # opMnemonic # " %x" # example # [{ : tensor<?x4xf32>`
  }];
  let arguments = !con((ins Df_FloatTensor:$operand), numbers);
  let results = (outs Df_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<JoinedTypes>(type($operand), type($result))";
}

class Df_Number64<string value> : DefaultValuedAttr<F64Attr, value>;

def Df_GeluOp : Df_ActivationOp<"gelu", "Gaussian error linear unit",
  "x Phi(x) with the normal distribution's Phi, as x erfc(-x / sqrt 2) / 2; if `approximate`, x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.",
  (ins UnitAttr:$approximate), " {approximate}", extra = [Df_Work<"Transcendental">]>;
def Df_EluOp : Df_ActivationOp<"elu", "exponential linear unit", "x where x > 0, else alpha (e^x - 1).",
  (ins Df_Number64<"1.0">:$alpha), " {alpha = 5.0e-01 : f64}", extra = [Df_Work<"Transcendental">]>;
def Df_SeluOp : Df_ActivationOp<"selu", "scaled exponential linear unit", "gamma x where x > 0, else gamma alpha (e^x - 1).",
  (ins Df_Number64<"1.67326324235437728">:$alpha, Df_Number64<"1.05070098735548049">:$gamma), extra = [Df_Work<"Transcendental">]>;
def Df_CeluOp : Df_ActivationOp<"celu", "continuously differentiable exponential linear unit", "x where x > 0, else alpha (e^(x / alpha) - 1).",
  (ins Df_Number64<"1.0">:$alpha), " {alpha = 2.0 : f64}", extra = [Df_Work<"Transcendental">]>;
def Df_LeakyReluOp : Df_ActivationOp<"leaky_relu", "rectified linear unit with a slope below 0", "x where x > 0, else alpha x.",
  (ins F64Attr:$alpha), " {alpha = 1.0e-02 : f64}">;
def Df_HardSigmoidOp : Df_ActivationOp<"hard_sigmoid", "piecewise linear sigmoid", "min(max(alpha x + beta, 0), 1).",
  (ins Df_Number64<"0.2">:$alpha, Df_Number64<"0.5">:$beta)>;
def Df_HardSwishOp : Df_ActivationOp<"hard_swish", "piecewise quadratic swish", "x min(max(x / 6 + 1/2, 0), 1).">;
def Df_SiluOp : Df_ActivationOp<"silu", "sigmoid linear unit, also called swish", "x sigmoid(beta x).",
  (ins Df_Number64<"1.0">:$beta), extra = [Df_Work<"Transcendental">]>;
def Df_MishOp : Df_ActivationOp<"mish", "mish", "x tanh(softplus(x)).", extra = [Df_Work<"Transcendental">]>;
def Df_SoftsignOp : Df_ActivationOp<"softsign", "softsign", "x / (1 + |x|).", extra = [Df_Work<"Division">]>;
def Df_LogSigmoidOp : Df_ActivationOp<"log_sigmoid", "logarithm of the sigmoid", "-softplus(-x).", extra = [Df_Work<"Transcendental">]>;
def Df_Relu6Op : Df_ActivationOp<"relu6", "rectified linear unit up to 6", "min(relu(x), 6).">;
def Df_ThresholdedReluOp : Df_ActivationOp<"thresholded_relu", "rectified linear unit with a threshold", "x where x > alpha, else 0; NaN of NaN.",
  (ins Df_Number64<"1.0">:$alpha)>;

def Df_PreluOp : Df_BinaryOp<"prelu", Df_FloatTensor, "rectified linear unit with slopes below 0",
  "x where x > 0, else x y: y is the slope. Gradient for x: 1 or y, for y: 0 or x. Composite.">;

#endif // DF_ACTIVATION_OPS_TD
