// Cases of functions of floats, remainders and activations. The compiled code runs the interpreter's expansions: all
// results have the same bits. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementwiseCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::kindName;

void mlc::execute::addMathCases(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16, ElementKind::F32, ElementKind::F64}) {
    std::string suffix = "_" + kindName(kind).str();
    std::vector<Argument> one = {{kind, {kRows}, special()}},
                          two = {{kind, {kRows}, special(0)}, {kind, {kRows}, special(1)}},
                          three = {two[0], two[1], {kind, {kRows}, special(0)}};
    auto lineOfOne = [&](const std::string &op) { return sameType(op, one); };
    auto lineOfTwo = [&](const std::string &op) { return sameType(op, two); };
    addTogether(cases, "rounding" + suffix, {"ceil", "round", "trunc", "reciprocal", "rsqrt"}, one, kind, lineOfOne);
    addTogether(cases, "functions" + suffix,
                {"cbrt", "expm1", "exp2", "log2", "erf", "erfc", "lgamma", "digamma", "tan", "asin", "acos", "atan",
                 "sinh", "cosh", "asinh", "acosh", "atanh"},
                one, kind, lineOfOne);
    addTogether(cases, "pairs" + suffix, {"atan2", "rem", "floor_mod", "floor_div", "div_no_nan", "xlogy", "prelu"},
                two, kind, lineOfTwo);
    addTogether(cases, "clamp" + suffix, {"clamp"}, three, kind,
                [&](const std::string &op) { return sameType(op, three); });
    addTogether(cases, "tests" + suffix, {"is_nan", "is_inf", "is_finite"}, one, ElementKind::I1,
                [&](const std::string &op) { return "df." + op + " %x0" + functional(one, ElementKind::I1); });
    // With and without the numbers they may be given.
    addTogether(cases, "activation" + suffix,
                {"gelu", "elu", "selu", "celu", "hard_sigmoid", "hard_swish", "silu", "mish", "softsign", "log_sigmoid",
                 "relu6", "thresholded_relu"},
                one, kind, lineOfOne);
    std::vector<std::string> numbers = {"gelu %x0 {approximate}",
                                        "elu %x0 {alpha = 5.0e-01 : f64}",
                                        "selu %x0 {alpha = 1.5 : f64, gamma = 2.0 : f64}",
                                        "celu %x0 {alpha = 2.0 : f64}",
                                        "leaky_relu %x0 {alpha = 1.0e-02 : f64}",
                                        "hard_sigmoid %x0 {alpha = 1.0e-01 : f64, beta = 4.0e-01 : f64}",
                                        "silu %x0 {beta = 1.702 : f64}",
                                        "thresholded_relu %x0 {alpha = -1.0 : f64}"};
    addTogether(cases, "activation_numbers" + suffix, numbers, one, kind,
                [&](const std::string &op) { return "df." + op + " : " + typeText(kind, {kRows}); });
  }
  std::vector<Argument> matrix = {{ElementKind::F32, {kRows, 3}, special()}};
  addTogether(cases, "functions_matrix", {"erf", "atan", "asinh", "gelu"}, matrix, ElementKind::F32,
              [&](const std::string &op) { return sameType(op, matrix); });
}
