// Cases of functions of floats, remainders and activations. The compiled code runs the interpreter's expansions: all
// results have the same bits. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementwiseCases.h"

#include <cmath>
#include <iterator>
#include <limits>

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::kindName;

/// Angles beyond those that few digits of pi reduce, each beside one that they do; so many that whole vectors and parts
/// of some are large. Among them those next to a multiple of pi/2.
static Fill angles() {
  return [](RandomValues &random, ElementKind kind, llvm::ArrayRef<int64_t> shape) {
    static constexpr double kLarge[] = {0x1p17,
                                        0x1p20 - 1,
                                        0x1p20,
                                        0x1p20 + 1,
                                        0x1p24,
                                        1e10,
                                        0x1p40 + 1,
                                        1e22,
                                        0x1.f37c8ap+95,
                                        0x1.fffffep127,
                                        0x1.6ac5b262ca1ffp+849,
                                        std::numeric_limits<double>::max(),
                                        std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::quiet_NaN()};
    interp::Tensor result(kind, shape);
    for (int64_t i = 0, n = result.getNumElements(); i < n; ++i) {
      double value = random.uniform(-10, 10);
      if (i % 16 >= 8 && random.below(2))
        value = std::exp2(random.uniform(10, kind == ElementKind::F64 ? 1023 : 127));
      else if (i % 16 >= 8)
        value = kLarge[random.below(std::size(kLarge))];
      result.setFloat(i, random.below(2) ? value : -value);
    }
    return result;
  };
}

/// What has no incomplete gamma function or is at its limits, and numbers of the series, the fraction and the
/// expansion.
static Fill gammaArguments() {
  return [](RandomValues &random, ElementKind kind, llvm::ArrayRef<int64_t> shape) {
    static const double kSome[] = {0,
                                   -1,
                                   1e-3,
                                   0.5,
                                   1,
                                   2.5,
                                   300,
                                   2.5e4,
                                   2.51e4,
                                   1e30,
                                   std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN()};
    interp::Tensor result(kind, shape);
    for (int64_t i = 0, n = result.getNumElements(); i < n; ++i)
      result.setFloat(i, random.below(2) ? kSome[random.below(std::size(kSome))] : random.uniform(0.01, 40));
    return result;
  };
}

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
                {"cbrt", "expm1", "exp2", "log2", "erf", "erfc", "erf_inv", "lgamma", "digamma", "tan", "asin", "acos",
                 "atan", "sinh", "cosh", "asinh", "acosh", "atanh"},
                one, kind, lineOfOne);
    std::vector<Argument> large = {{kind, {kRows}, angles()}};
    addTogether(cases, "angles" + suffix, {"sin", "cos", "tan"}, large, kind,
                [&](const std::string &op) { return sameType(op, large); });
    addTogether(cases, "pairs" + suffix, {"atan2", "rem", "floor_mod", "floor_div", "div_no_nan", "xlogy", "prelu"},
                two, kind, lineOfTwo);
    std::vector<Argument> gammas = {{kind, {kRows}, gammaArguments()}, {kind, {kRows}, gammaArguments()}};
    addTogether(cases, "incomplete_gamma" + suffix, {"igamma", "igammac", "igamma_grad_a"}, gammas, kind, lineOfTwo);
    cases.back().rows = {0, 1, 7, 33, 130};
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
  // Bodies that read at indices of their own, and those of sums, branch inside of their loops.
  std::vector<Argument> rows = {{ElementKind::F32, {kRows, 8}, angles()}};
  std::vector<Argument> gathered = {{ElementKind::F32, {7, 8}, angles()}, {ElementKind::I64, {kRows}, between(0, 7)}};
  for (const char *op : {"sin", "tan"}) {
    std::string name = op;
    cases.push_back(caseOfLines(op, "gathered_angles", ElementKind::F32, gathered,
                                "  %0 = df.gather %x0, %x1 {axes = array<i64: 0>} : (tensor<7x8x$T>, tensor<?xi64>) "
                                "-> tensor<?x8x$T>\n  %y = df." +
                                    name + " %0 : tensor<?x8x$T>\n",
                                "tensor<?x8x$T>"));
    cases.push_back(caseOfLines(op, "largest_of_angles", ElementKind::F32, rows,
                                "  %0 = df." + name +
                                    " %x0 : tensor<?x8x$T>\n  %y = df.reduce_max %0 {axes = array<i64: 1>} : "
                                    "(tensor<?x8x$T>) -> tensor<?x$T>\n",
                                "tensor<?x$T>"));
  }
}
