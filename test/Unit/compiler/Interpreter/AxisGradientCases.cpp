// Gradient checks of ops along axes: reductions, cumulative ops, order statistics, normalizations, losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GradientCaseBuilder.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

static Tensor ofFloats(ArrayRef<int64_t> shape, ArrayRef<double> values) {
  return Tensor::ofFloats(ElementKind::F64, shape, values);
}

/// A case of an op with one result; `use` stands after its name.
static GradientCase caseOf(const std::string &op, const std::string &variant, const std::string &use,
                           ArrayRef<int64_t> shape, std::vector<Tensor> arguments) {
  return makeCase("df." + op, variant, "%r = df." + op + " " + use, shape, std::move(arguments));
}

void mlc::interp::addAxisGradientCases(std::vector<GradientCase> &cases) {
  Tensor matrix = spread({2, 3}, -2, 2);
  const std::string rows = "{axes = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>";
  for (const char *op :
       {"reduce_prod", "reduce_logsumexp", "reduce_mean", "reduce_l1", "reduce_l2", "reduce_variance"}) {
    cases.push_back(caseOf(op, "rows", "%x0 " + rows, {2}, {matrix}));
    cases.push_back(
        caseOf(op, "all", "%x0 {axes = array<i64: 0, 1>} : (tensor<2x3xf64>) -> tensor<f64>", {}, {matrix}));
  }
  cases.push_back(caseOf("reduce_variance", "correction",
                         "%x0 {axes = array<i64: 0>, correction = 1 : i64} : (tensor<2x3xf64>) -> tensor<3xf64>", {3},
                         {matrix}));
  // One zero in the first row, two in the second.
  cases.push_back(caseOf("reduce_prod", "zeros", "%x0 " + rows, {2}, {ofFloats({2, 3}, {1.5, 0, -2, 0, 3, 0})}));
  for (const char *op : {"softmax", "log_softmax"})
    for (int axis : {0, 1})
      cases.push_back(caseOf(op, "axis " + std::to_string(axis),
                             "%x0 {axis = " + std::to_string(axis) + " : i64} : (tensor<2x3xf64>) -> tensor<2x3xf64>",
                             {2, 3}, {matrix}));
  Tensor labels = Tensor::ofIntegers(ElementKind::I64, {2, 2}, {2, 0, 1, 1});
  cases.push_back(caseOf("softmax_cross_entropy", "more dimensions",
                         "%x0, %x1 : (tensor<2x2x3xf64>, tensor<2x2xi64>) -> tensor<2x2xf64>", {2, 2},
                         {spread({2, 2, 3}, -2, 2), labels}));
}

void mlc::interp::addOrderGradientCases(std::vector<GradientCase> &cases) {
  Tensor cube = spread({2, 4, 2}, -2, 2), other = spread({2, 4, 2}, -1.3, 1.2);
  // Zeros, two of them in one line.
  Tensor zeros = ofFloats({2, 4}, {1.5, 0, -2, 0.5, 0, 3, 0, 1});
  const std::string type = "tensor<2x4x2xf64>";
  for (const std::string flags : {"", ", exclusive", ", reverse", ", exclusive, reverse"}) {
    std::string attributes = " {axis = 1 : i64" + flags + "} : ";
    for (const char *op : {"cumsum", "cumprod"})
      cases.push_back(caseOf(op, flags, "%x0" + attributes + "(" + type + ") -> " + type, {2, 4, 2}, {cube}));
    cases.push_back(caseOf("cumprod", "zeros" + flags, "%x0" + attributes + "(tensor<2x4xf64>) -> tensor<2x4xf64>",
                           {2, 4}, {zeros}));
    // An exclusive one starts with -infinity: cut off.
    cases.push_back(makeCase("df.cumlogsumexp", flags,
                             "%m = df.cumlogsumexp %x0" + attributes + "(" + type + ") -> " + type +
                                 "\n  %l = df.constant dense<-9.0> : " + type + "\n  %r = df.maximum %m, %l : " + type,
                             {2, 4, 2}, {cube}));
    // What an exclusive extremum starts with is infinite: cut off.
    for (auto [op, cut, limit] : {std::tuple("cummax", "maximum", "-9.0"), std::tuple("cummin", "minimum", "9.0")})
      cases.push_back(makeCase("df." + std::string(op), flags,
                               "%m = df." + std::string(op) + " %x0" + attributes + "(" + type + ") -> " + type +
                                   "\n  %l = df.constant dense<" + limit + "> : " + type + "\n  %r = df." + cut +
                                   " %m, %l : " + type,
                               {2, 4, 2}, {cube}));
    cases.push_back(caseOf("linear_scan", flags, "%x0, %x1" + attributes + "(" + type + ", " + type + ") -> " + type,
                           {2, 4, 2}, {cube, other}));
  }
  // Matrices with a large diagonal, of which one triangle is read.
  for (const std::string flags : {"", "transpose", "upper", "transpose, upper", "unit_diagonal"})
    cases.push_back(makeCase("df.triangular_solve", flags,
                             "%i = df.eye : () -> tensor<2x3x3xf64>\n  %a = df.add %x0, %i : tensor<2x3x3xf64>\n"
                             "  %r = df.triangular_solve %a, %x1 {" +
                                 flags + "} : (tensor<2x3x3xf64>, tensor<2x3x2xf64>) -> tensor<2x3x2xf64>",
                             {2, 3, 2}, {spread({2, 3, 3}, 0.2, 1), spread({2, 3, 2}, -1, 1)}));
  cases.push_back(makeCase("df.cholesky", "",
                           "%i = df.eye : () -> tensor<2x3x3xf64>\n  %j = df.add %i, %i : tensor<2x3x3xf64>\n"
                           "  %k = df.add %j, %j : tensor<2x3x3xf64>\n  %a = df.add %x0, %k : tensor<2x3x3xf64>\n"
                           "  %r = df.cholesky %a : (tensor<2x3x3xf64>) -> tensor<2x3x3xf64>",
                           {2, 3, 3}, {spread({2, 3, 3}, -1, 1)}));
  const std::string matrices = " %x0 : (tensor<2x3x3xf64>) -> ";
  cases.push_back(makeCase("df.determinant", "", "%r = df.determinant" + matrices + "tensor<2xf64>", {2},
                           {spread({2, 3, 3}, -2, 3)}));
  cases.push_back(makeCase("df.slogdet", "", "%s, %r = df.slogdet" + matrices + "(tensor<2xf64>, tensor<2xf64>)", {2},
                           {spread({2, 3, 3}, -2, 3)}));
  for (const std::string between : {"linear", "midpoint", "lower"})
    cases.push_back(makeCase("df.quantile", between,
                             "%r = df.quantile " + between + " %x0, %x1 {axis = 1 : i64} : (" + type +
                                 ", tensor<2xf64>) -> tensor<2x2x2xf64>",
                             {2, 2, 2}, {cube, Tensor::ofFloats(ElementKind::F64, {2}, {0.4, 0.9})}));
  const std::string pair = "(" + type + ", " + type + ")";
  for (const std::string flags : {"", ", descending"})
    cases.push_back(makeCase("df.sort", flags,
                             "%k, %p = df.sort %x0, %x1 {axis = 1 : i64" + flags + "} : " + pair + " -> " + pair +
                                 "\n  %s = df.square %p : " + type + "\n  %r = df.mul %k, %s : " + type,
                             {2, 4, 2}, {cube, other}));
  for (const std::string flags : {"", ", smallest"})
    cases.push_back(makeCase("df.top_k", flags,
                             "%v, %p = df.top_k %x0 {axis = 1 : i64, k = 2 : i64" + flags + "} : (" + type +
                                 ") -> (tensor<2x2x2xf64>, tensor<2x2x2xi64>)\n  %r = df.square %v : tensor<2x2x2xf64>",
                             {2, 2, 2}, {cube}));
}

void mlc::interp::addNormalizationGradientCases(std::vector<GradientCase> &cases) {
  Tensor x = spread({3, 2, 4}, -2, 2), scale = spread({4}, 0.5, 2), offset = spread({4}, -1, 1),
         positive = spread({4}, 0.4, 3);
  const std::string type = "tensor<3x2x4xf64>", vector = "tensor<4xf64>";
  cases.push_back(makeCase("df.moments", "",
                           "%m, %v = df.moments %x0 {axes = array<i64: 0, 1>} : (" + type + ") -> (" + vector + ", " +
                               vector + ")\n  %r = df.mul %m, %v : " + vector,
                           {4}, {x}));
  cases.push_back(makeCase("df.batch_norm_training", "",
                           "%y, %m, %v = df.batch_norm_training %x0 scale %x1 offset %x2 {axes = array<i64: 0, 1>} : "
                           "(" +
                               type + ", " + vector + ", " + vector + ") -> (" + type + ", " + vector + ", " + vector +
                               ")\n  %b = df.broadcast %v dimensions = [2] : (" + vector + ") -> " + type +
                               "\n  %r = df.mul %y, %b : " + type,
                           {3, 2, 4}, {x, scale, offset}));
  cases.push_back(caseOf("batch_norm_inference", "",
                         "%x0, %x1, %x2 scale %x3 offset %x4 {axes = array<i64: 0, 1>} : (" + type + ", " + vector +
                             ", " + vector + ", " + vector + ", " + vector + ") -> " + type,
                         {3, 2, 4}, {x, offset, positive, scale, offset}));
  const std::string three = " : (" + type + ", " + vector + ", " + vector + ") -> " + type;
  cases.push_back(caseOf("layer_norm", "", "%x0 scale %x1 offset %x2 {axes = array<i64: 2>}" + three, {3, 2, 4},
                         {x, scale, offset}));
  cases.push_back(
      caseOf("group_norm", "", "%x0 scale %x1 offset %x2 {groups = 2 : i64}" + three, {3, 2, 4}, {x, scale, offset}));
  cases.push_back(caseOf("instance_norm", "", "%x0 scale %x1 offset %x2 {epsilon = 0.1 : f64}" + three, {3, 2, 4},
                         {x, scale, offset}));
  cases.push_back(caseOf("rms_norm", "",
                         "%x0 scale %x1 {axes = array<i64: 2>} : (" + type + ", " + vector + ") -> " + type, {3, 2, 4},
                         {x, scale}));
  const std::string one = " : (" + type + ") -> " + type;
  cases.push_back(caseOf("l2_normalize", "", "%x0 {axes = array<i64: 1, 2>}" + one, {3, 2, 4}, {x}));
  cases.push_back(
      caseOf("local_response_norm", "",
             "%x0 {low = 2 : i64, high = 1 : i64, alpha = 0.3 : f64, beta = 0.75 : f64, bias = 1.5 : f64}" + one,
             {3, 2, 4}, {x}));
}

void mlc::interp::addLossGradientCases(std::vector<GradientCase> &cases) {
  Tensor x = spread({2, 4}, -2, 2), y = spread({2, 4}, -1.4, 1.1), p = spread({2, 4}, 0.1, 0.9),
         q = ofFloats({2, 4}, {0.3, 0.2, 0.4, 0.1, 0.7, 0.05, 0.15, 0.6});
  const std::string type = "tensor<2x4xf64>", pair = " : (" + type + ", " + type + ") -> ";
  auto element = [&](const std::string &op, const std::string &attributes, const Tensor &first, const Tensor &second) {
    cases.push_back(caseOf(op, attributes, "%x0, %x1 " + attributes + " : " + type, {2, 4}, {first, second}));
  };
  element("absolute_difference", "", x, y);
  element("log_cosh_error", "", x, y);
  element("hinge_loss", "", x, y);
  element("huber_loss", "{delta = 1.3 : f64}", x, y);
  element("poisson_loss", "{epsilon = 1.0e-2 : f64}", p, y);
  element("poisson_loss", "{log_input}", x, y);
  for (const char *op : {"kl_divergence", "cosine_distance"})
    for (int axis : {0, 1})
      cases.push_back(caseOf(op, std::to_string(axis),
                             "%x0, %x1 {axis = " + std::to_string(axis) + " : i64}" + pair +
                                 (axis ? "tensor<2xf64>" : "tensor<4xf64>"),
                             {axis ? 2 : 4}, {p, q}));
  for (const char *smoothing : {"", " {label_smoothing = 0.2 : f64}"})
    cases.push_back(caseOf("soft_label_cross_entropy", smoothing,
                           std::string("%x0, %x1") + smoothing + pair + "tensor<2xf64>", {2}, {x, q}));
  for (const std::string reduction : {"none", "sum", "sum_over_size", "sum_over_weights", "sum_over_nonzero_weights"}) {
    bool none = reduction == "none";
    std::string attribute = " {reduction = #df.loss_reduction<" + reduction + ">}";
    SmallVector<int64_t> shape = none ? SmallVector<int64_t>{2, 4} : SmallVector<int64_t>{};
    cases.push_back(
        caseOf("reduce_loss", reduction, "%x0, %x1" + attribute + pair + (none ? type : "tensor<f64>"), shape, {x, q}));
  }

  // Of two examples one has equal neighbours, the other fewer rows and labels.
  cases.push_back(caseOf("ctc_loss", "",
                         "%x0, %y, %m, %n : (tensor<2x4x3xf64>, tensor<2x2xi64>, tensor<2xi64>, tensor<2xi64>) -> "
                         "tensor<2xf64>",
                         {2}, {spread({2, 4, 3}, -1, 1)}));
  std::string &text = cases.back().text;
  text.insert(text.find("  %r = "), R"(  %y = df.constant dense<[[1, 1], [2, 0]]> : tensor<2x2xi64>
  %m = df.constant dense<[4, 3]> : tensor<2xi64>
  %n = df.constant dense<[2, 1]> : tensor<2xi64>
)");

  // Class 2 of the samples is the second example's: an accidental hit.
  Tensor classes = Tensor::ofIntegers(ElementKind::I64, {2, 2}, {4, 1, 2, 5});
  Tensor sampled = Tensor::ofIntegers(ElementKind::I64, {3}, {2, 0, 7});
  auto counts = [](ArrayRef<int64_t> shape, ArrayRef<double> values) {
    return Tensor::ofFloats(ElementKind::F32, shape, values);
  };
  const std::string types = "(tensor<2x3xf64>, tensor<2x2xi64>, tensor<2x2x3xf64>, tensor<2x2xf64>, tensor<3x3xf64>, "
                            "tensor<3xf64>, tensor<3xi64>, tensor<2x2xf32>, tensor<3xf32>) -> tensor<2xf64>";
  for (const char *op : {"sampled_softmax_loss", "nce_loss"})
    for (const char *attribute : {"", " {remove_accidental_hits}"})
      cases.push_back(caseOf(
          op, attribute, "%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8" + std::string(attribute) + " : " + types, {2},
          {spread({2, 3}, -1, 1.5), classes, spread({2, 2, 3}, -1.2, 1), spread({2, 2}, -0.5, 0.5),
           spread({3, 3}, -0.8, 1.1), spread({3}, -0.3, 0.6), sampled, counts({2, 2}, {0.5, 1.25, 0.75, 0.25}),
           counts({3}, {0.75, 1.5, 0.125})}));
  cases.push_back(caseOf("dropout", "", "\"drop\" %x0 {rate = 0.4 : f64} : tensor<2x4xf64>", {2, 4}, {x}));
  cases.push_back(caseOf("random_shuffle", "", "\"deal\" %x0 : tensor<2x4xf64>", {2, 4}, {x}));
}
