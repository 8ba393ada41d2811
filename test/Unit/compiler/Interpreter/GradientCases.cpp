// One gradient check for each differentiable op, for the tests of the gradient rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GradientCaseBuilder.h"

#include <set>

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

Tensor mlc::interp::spread(ArrayRef<int64_t> shape, double low, double high) {
  Tensor result(ElementKind::F64, shape);
  int64_t n = result.getNumElements();
  for (int64_t i = 0; i < n; ++i)
    result.setFloat(i, low + (high - low) * ((i * 5 + 2) % n + 0.37) / n);
  return result;
}

/// "tensor<2x3xf64>".
static std::string typeText(ArrayRef<int64_t> shape, StringRef element = "f64") {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element.str() + ">";
}

/// Ops that make `%r` of `shape` a scalar `%loss`: the sum of its elements weighed by 0.5, 1, 1.5, ... so that no two
/// elements can be confused.
static std::string weighedSum(ArrayRef<int64_t> shape) {
  std::string type = typeText(shape), axes, weights;
  Tensor weight(ElementKind::F64, shape);
  for (int64_t i = 0, n = weight.getNumElements(); i < n; ++i)
    weight.setFloat(i, 0.5 * (i + 1));
  llvm::raw_string_ostream os(weights);
  os << weight;
  for (size_t d = 0; d < shape.size(); ++d)
    axes += (d ? ", " : ": ") + std::to_string(d);
  // The printed value stands after the type.
  std::string value = weights.substr(weights.find("> ") + 2);
  // Literals of elements attributes need a decimal point.
  std::string literal;
  for (size_t i = 0; i < value.size(); ++i) {
    literal += value[i];
    bool digit = isdigit(value[i]), last = i + 1 == value.size() || (!isdigit(value[i + 1]) && value[i + 1] != '.');
    size_t start = i;
    while (start > 0 && isdigit(value[start - 1]))
      --start;
    if (digit && last && (start == 0 || value[start - 1] != '.'))
      literal += ".0";
  }
  return "  %weights = df.constant dense<" + literal + "> : " + type + "\n  %weighed = df.mul %r, %weights : " + type +
         "\n  %loss = df.reduce_sum %weighed {axes = array<i64" + axes + ">} : (" + type + ") -> tensor<f64>\n";
}

GradientCase mlc::interp::makeCase(std::string op, std::string variant, const std::string &body,
                                   ArrayRef<int64_t> shape, std::vector<Tensor> arguments, const std::string &state) {
  std::string signature;
  for (auto [i, argument] : llvm::enumerate(arguments))
    signature +=
        (i ? ", %x" : "%x") + std::to_string(i) + ": " + typeText(argument.getShape(), kindName(argument.getKind()));
  std::string text = state + "df.function @f(" + signature + ") -> tensor<f64> {\n  " + body + "\n" +
                     weighedSum(shape) + "  df.return %loss : tensor<f64>\n}\n";
  return {std::move(op), std::move(variant), std::move(text), std::move(arguments), {}};
}

static void addElementwiseCases(std::vector<GradientCase> &cases) {
  auto unary = [&](const std::string &name, double low, double high) {
    cases.push_back(
        makeCase("df." + name, "", "%r = df." + name + " %x0 : tensor<2x3xf64>", {2, 3}, {spread({2, 3}, low, high)}));
  };
  unary("neg", -2, 2);
  unary("exp", -2, 2);
  unary("log", 0.3, 3);
  unary("log1p", -0.5, 3);
  unary("sqrt", 0.3, 3);
  unary("square", -2, 2);
  unary("tanh", -2, 2);
  unary("sigmoid", -3, 3);
  unary("softplus", -3, 3);
  unary("cos", -3, 3);
  unary("sin", -3, 3);
  // Both branches; the spread has no value near 0.
  unary("relu", -2, 2);
  unary("abs", -2, 2);
  unary("sign", -2, 2);
  cases.back().isZero = true;
  unary("floor", -1.9, 2.2);
  cases.back().isZero = true;
  // What it stops would be seen: here the differences are made to be those of the other factor.
  cases.push_back(makeCase("df.stop_gradient", "",
                           "%c = df.round %x0 : tensor<2x3xf64>\n  %s = df.stop_gradient %c : tensor<2x3xf64>\n"
                           "  %r = df.mul %x0, %s : tensor<2x3xf64>",
                           {2, 3}, {spread({2, 3}, -1.9, 2.2)}));

  for (const char *name : {"ceil", "round", "trunc"}) {
    unary(name, -1.9, 2.2);
    cases.back().isZero = true;
  }
  for (const char *name : {"expm1", "exp2", "erf", "erfc", "atan", "sinh", "cosh", "asinh"})
    unary(name, -2, 2);
  for (const char *name : {"reciprocal", "rsqrt", "cbrt", "log2"})
    unary(name, 0.3, 3);
  unary("lgamma", 0.3, 5);
  unary("digamma", 0.3, 5);
  cases.push_back(makeCase("df.digamma", "negative", "%r = df.digamma %x0 : tensor<2x3xf64>", {2, 3},
                           {spread({2, 3}, -0.8, -0.2)}));
  cases.push_back(
      makeCase("df.lgamma", "negative", "%r = df.lgamma %x0 : tensor<2x3xf64>", {2, 3}, {spread({2, 3}, -0.8, -0.2)}));
  // A draw has no gradient by definition, though it moves with its concentration: here that is made to stand still.
  cases.push_back(makeCase("df.random_gamma", "",
                           "%s = df.round %x0 : tensor<2x3xf64>\n  %r = df.random_gamma \"n\" %s : tensor<2x3xf64>",
                           {2, 3}, {spread({2, 3}, 2, 4)}));
  cases.back().isZero = true;
  unary("tan", -1.2, 1.2);
  for (const char *name : {"asin", "acos", "atanh", "erf_inv"})
    unary(name, -0.8, 0.8);
  unary("acosh", 1.2, 4);
  // Composites: what their parts give.
  for (const char *name : {"gelu", "elu", "selu", "celu", "hard_swish", "silu", "mish", "softsign", "log_sigmoid",
                           "relu6", "hard_sigmoid"})
    unary(name, -2.3, 2.4);
  cases.push_back(makeCase("df.gelu", "approximate", "%r = df.gelu %x0 {approximate} : tensor<2x3xf64>", {2, 3},
                           {spread({2, 3}, -2, 2)}));
  cases.push_back(makeCase("df.leaky_relu", "", "%r = df.leaky_relu %x0 {alpha = 1.0e-01 : f64} : tensor<2x3xf64>",
                           {2, 3}, {spread({2, 3}, -2, 2)}));
  unary("thresholded_relu", -2, 2);

  auto binary = [&](const std::string &name, Tensor lhs, Tensor rhs) {
    cases.push_back(makeCase("df." + name, "", "%r = df." + name + " %x0, %x1 : tensor<4xf64>", {4},
                             {std::move(lhs), std::move(rhs)}));
  };
  Tensor a = Tensor::ofFloats(ElementKind::F64, {4}, {1.5, -0.7, 2.2, 0.4});
  Tensor b = Tensor::ofFloats(ElementKind::F64, {4}, {0.6, 1.3, -1.1, 2.5});
  for (const char *name : {"add", "sub", "mul", "div", "maximum", "minimum"})
    binary(name, a, b);
  for (const char *name : {"atan2", "div_no_nan", "prelu"})
    binary(name, a, b);
  // No quotient is an integer, where these jump.
  Tensor divisor = Tensor::ofFloats(ElementKind::F64, {4}, {0.6, 1.3, -0.9, 2.5});
  for (const char *name : {"rem", "floor_mod"})
    binary(name, a, divisor);
  binary("floor_div", a, divisor);
  cases.back().isZero = true;
  binary("xlogy", a, spread({4}, 0.3, 2.5));
  // By the power series, and by the continued fraction.
  for (const char *name : {"igamma", "igammac", "igamma_grad_a"})
    binary(name, Tensor::ofFloats(ElementKind::F64, {4}, {1.5, 0.7, 4.2, 2.5}),
           Tensor::ofFloats(ElementKind::F64, {4}, {0.6, 0.7, 6.1, 9.5}));
  cases.push_back(makeCase("df.clamp", "", "%r = df.clamp %x0, %x1, %x2 : tensor<4xf64>", {4},
                           {Tensor::ofFloats(ElementKind::F64, {4}, {0, 1.8, -1, 0}), a,
                            Tensor::ofFloats(ElementKind::F64, {4}, {2, 2, 2, 0.3})}));
  binary("pow", spread({4}, 0.3, 2.5), b);
  binary("sigmoid_cross_entropy", a, spread({4}, 0.1, 0.9));
  cases.push_back(
      makeCase("df.select", "",
               "%m = df.constant dense<[true, false, false, true]> : tensor<4xi1>\n"
               "  %r = df.select %m, %x0, %x1 : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>",
               {4}, {a, b}));
  // Through f32. Linear, so a step is as good as any: one that keeps every point a number of f32.
  cases.push_back(makeCase("df.cast", "",
                           "%n = df.cast %x0 : (tensor<4xf64>) -> tensor<4xf32>\n"
                           "  %r = df.cast %n : (tensor<4xf32>) -> tensor<4xf64>",
                           {4}, {Tensor::ofFloats(ElementKind::F64, {4}, {1.5, -0.75, 2.25, 0.5})}));
  cases.back().step = 0.25;
}

static void addShapeCases(std::vector<GradientCase> &cases) {
  Tensor matrix = spread({2, 3}, -2, 2);
  cases.push_back(makeCase("df.broadcast", "new dimension",
                           "%r = df.broadcast %x0 dimensions = [1] : (tensor<3xf64>) -> tensor<2x3xf64>", {2, 3},
                           {spread({3}, -1, 1)}));
  cases.push_back(makeCase("df.broadcast", "unit dimension",
                           "%r = df.broadcast %x0 dimensions = [0, 1] : (tensor<2x1xf64>) -> tensor<2x3xf64>", {2, 3},
                           {spread({2, 1}, -1, 1)}));
  cases.push_back(makeCase("df.broadcast", "scalar",
                           "%r = df.broadcast %x0 dimensions = [] : (tensor<f64>) -> tensor<4xf64>", {4},
                           {Tensor::scalar(ElementKind::F64, 0.3)}));
  cases.push_back(
      makeCase("df.reshape", "", "%r = df.reshape %x0 : (tensor<2x3xf64>) -> tensor<3x2xf64>", {3, 2}, {matrix}));
  cases.push_back(makeCase("df.cast_shape", "",
                           "%u = df.cast_shape %x0 : tensor<2x3xf64> to tensor<?x3xf64>\n"
                           "  %r = df.cast_shape %u : tensor<?x3xf64> to tensor<2x3xf64>",
                           {2, 3}, {matrix}));
  cases.push_back(
      makeCase("df.transpose", "",
               "%r = df.transpose %x0 {permutation = array<i64: 2, 0, 1>} : (tensor<1x2x3xf64>) -> tensor<3x1x2xf64>",
               {3, 1, 2}, {spread({1, 2, 3}, -2, 2)}));
  cases.push_back(
      makeCase("df.concat", "",
               "%r = df.concat %x0, %x1 {axis = 1 : i64} : (tensor<2x3xf64>, tensor<2x1xf64>) -> tensor<2x4xf64>",
               {2, 4}, {matrix, spread({2, 1}, -1, 1)}));
  cases.push_back(makeCase(
      "df.slice", "",
      "%r = df.slice %x0 {starts = array<i64: 0, 1>, sizes = array<i64: 2, 2>} : (tensor<2x3xf64>) -> tensor<2x2xf64>",
      {2, 2}, {matrix}));
  cases.push_back(makeCase(
      "df.pad", "",
      "%r = df.pad %x0 {low = array<i64: 0, 1>, high = array<i64: 0, 2>} : (tensor<2x3xf64>) -> tensor<2x6xf64>",
      {2, 6}, {matrix}));
}

static void addReductionCases(std::vector<GradientCase> &cases) {
  Tensor matrix = spread({2, 3}, -2, 2);
  for (const char *name : {"reduce_sum", "reduce_max", "reduce_min"}) {
    std::string op = "df." + std::string(name);
    cases.push_back(makeCase(
        op, "rows", "%r = " + op + " %x0 {axes = array<i64: 0>} : (tensor<2x3xf64>) -> tensor<3xf64>", {3}, {matrix}));
    cases.push_back(makeCase(
        op, "all", "%r = " + op + " %x0 {axes = array<i64: 0, 1>} : (tensor<2x3xf64>) -> tensor<f64>", {}, {matrix}));
  }
  for (int transposed = 0; transposed < 4; ++transposed) {
    bool ta = transposed & 1, tb = transposed & 2;
    std::string attributes = ta && tb ? " {transpose_a, transpose_b}"
                             : ta     ? " {transpose_a}"
                             : tb     ? " {transpose_b}"
                                      : "";
    SmallVector<int64_t> lhs = ta ? SmallVector<int64_t>{3, 2} : SmallVector<int64_t>{2, 3};
    SmallVector<int64_t> rhs = tb ? SmallVector<int64_t>{4, 3} : SmallVector<int64_t>{3, 4};
    cases.push_back(makeCase("df.matmul", attributes,
                             "%r = df.matmul %x0, %x1" + attributes + " : (" + typeText(lhs) + ", " + typeText(rhs) +
                                 ") -> tensor<2x4xf64>",
                             {2, 4}, {spread(lhs, -1, 1), spread(rhs, -2, 2)}));
  }
  cases.push_back(
      makeCase("df.softmax", "", "%r = df.softmax %x0 : (tensor<2x3xf64>) -> tensor<2x3xf64>", {2, 3}, {matrix}));
  cases.push_back(makeCase("df.softmax_cross_entropy", "",
                           "%r = df.softmax_cross_entropy %x0, %x1 : (tensor<2x3xf64>, tensor<2xi64>) -> tensor<2xf64>",
                           {2}, {matrix, Tensor::ofIntegers(ElementKind::I64, {2}, {2, 0})}));
}

static void addTrainingCases(std::vector<GradientCase> &cases) {
  // Weights are data: batch_mean has no gradient with respect to them.
  Tensor losses = spread({4}, 0.2, 3);
  for (const char *reduction : {"sum_over_batch_size", "mean", "sum"}) {
    std::string attributes = " {reduction = #df.batch_reduction<" + std::string(reduction) + ">}";
    cases.push_back(
        makeCase("df.batch_mean", reduction,
                 "%w = df.constant dense<[0.5, 2.0, 0.0, 1.5]> : tensor<4xf64>\n  %r = df.batch_mean %x0, %w" +
                     attributes + " : (tensor<4xf64>, tensor<4xf64>) -> tensor<f64>",
                 {}, {losses}));
    cases.push_back(makeCase("df.batch_mean", std::string(reduction) + ", no weights",
                             "%r = df.batch_mean %x0" + attributes + " : (tensor<4xf64>) -> tensor<f64>", {},
                             {losses}));
  }
  std::string table = "df.variable @t : tensor<4x2xf64> = #df.uniform<-1.0, 1.0>\n";
  // An id twice, one missing, rows that no id names.
  Tensor ids = Tensor::ofIntegers(ElementKind::I64, {4}, {3, -1, 1, 3});
  std::string gather = "%g = df.read_rows @t[%x0] : (tensor<4xi64>) -> tensor<4x2xf64>\n  ";
  GradientCase sparse =
      makeCase("df.read_rows", "rows", gather + "%r = df.square %g : tensor<4x2xf64>", {4, 2}, {ids}, table);
  sparse.variables = {"t"};
  GradientCase dense = sparse;
  sparse.sparse = true;
  cases.push_back(sparse);
  dense = makeCase("df.read_rows", "also read",
                   gather + "%w = df.read @t : tensor<4x2xf64>\n  %r = df.mul %g, %w : tensor<4x2xf64>", {4, 2}, {ids},
                   table);
  dense.variables = {"t"};
  cases.push_back(dense);
  GradientCase read = makeCase("df.read", "twice",
                               "%a = df.read @t : tensor<4x2xf64>\n  %b = df.read @t : tensor<4x2xf64>\n"
                               "  %r = df.mul %a, %b : tensor<4x2xf64>",
                               {4, 2}, {}, table);
  read.variables = {"t"};
  cases.push_back(read);
  cases.push_back(makeCase("df.gather", "",
                           "%r = df.gather %x0, %x1 {axes = array<i64: 0>, skip_negative} : (tensor<4x2xf64>, "
                           "tensor<4xi64>) -> tensor<4x2xf64>",
                           {4, 2}, {spread({4, 2}, -1, 1), ids}));
  // Rows that are cut to the length 1.5, as max_norm has it: a zero, a shorter and two longer ones.
  Tensor rows(ElementKind::F64, {4, 2});
  rows.assign(ArrayRef<double>({0.0, 0.0, 0.3, -0.4, 2.0, 1.0, -3.0, 0.5}));
  cases.push_back(makeCase("df.select", "max_norm", R"(%s = df.square %x0 : tensor<4x2xf64>
  %q = df.reduce_sum %s {axes = array<i64: 1>} : (tensor<4x2xf64>) -> tensor<4xf64>
  %b = df.constant dense<2.25> : tensor<4xf64>
  %c = df.constant dense<1.5> : tensor<4xf64>
  %o = df.constant dense<1.0> : tensor<4xf64>
  %l = df.compare gt, %q, %b : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
  %m = df.select %l, %q, %o : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %n = df.sqrt %m : tensor<4xf64>
  %d = df.div %c, %n : tensor<4xf64>
  %f = df.select %l, %d, %o : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %w = df.broadcast %f dimensions = [0] : (tensor<4xf64>) -> tensor<4x2xf64>
  %r = df.mul %x0, %w : tensor<4x2xf64>)",
                           {4, 2}, {rows}));
  // Rows of 2, 0 and 3 values.
  Tensor ends = Tensor::ofIntegers(ElementKind::I64, {3}, {2, 2, 5});
  // No two values are equal: extrema of equal ones have no derivative.
  for (const char *kind : {"sum", "mean", "prod", "max", "min"})
    cases.push_back(makeCase("df.ragged_reduce", std::string(kind) == "sum" ? "" : kind,
                             std::string("%r = df.ragged_reduce ") + kind +
                                 " %x0, %x1 : (tensor<6x2xf64>, tensor<2xi64>) -> tensor<2x2xf64>",
                             {2, 2}, {spread({6, 2}, -1, 1), Tensor::ofIntegers(ElementKind::I64, {2}, {2, 6})}));
  // A row of no values.
  cases.push_back(makeCase("df.ragged_reduce", "none",
                           "%r = df.ragged_reduce sum %x0, %x1 : (tensor<5x2xf64>, tensor<3xi64>) -> tensor<3x2xf64>",
                           {3, 2}, {spread({5, 2}, -1, 1), ends}));
  cases.push_back(makeCase(
      "df.ragged_repeat", "",
      "%r = df.ragged_repeat %x0, %x1 like %x2 : (tensor<3x2xf64>, tensor<3xi64>, tensor<5xi64>) -> tensor<5x2xf64>",
      {5, 2}, {spread({3, 2}, -1, 1), ends, Tensor::ofIntegers(ElementKind::I64, {5}, {0, 0, 0, 0, 0})}));
  cases.push_back(makeCase("df.ragged_to_dense", "",
                           "%p, %n = df.ragged_to_dense %x0, %x1, %x2 : (tensor<5x2xf64>, tensor<3xi64>, tensor<f64>) "
                           "-> (tensor<3x?x2xf64>, "
                           "tensor<3xi64>)\n"
                           "  %k = df.constant dense<[3, 3, 2]> : tensor<3xi64>\n"
                           "  %r = df.dynamic_reshape %p, %k : (tensor<3x?x2xf64>, tensor<3xi64>) -> tensor<3x3x2xf64>",
                           {3, 3, 2}, {spread({5, 2}, -1, 1), ends, spread({}, 0.5, 1)}));
}

static void addIndexingCases(std::vector<GradientCase> &cases) {
  Tensor matrix = spread({3, 2}, -2, 2), updates = spread({4, 2}, -2, 2);
  // A place twice, one index that is skipped; row 2 is named by none.
  Tensor rows = Tensor::ofIntegers(ElementKind::I64, {4}, {1, -1, 0, 1});
  std::string attributes = " {axes = array<i64: 0>, skip_negative} : ";
  cases.push_back(
      makeCase("df.gather", "rows",
               "%r = df.gather %x0, %x1" + attributes + "(tensor<3x2xf64>, tensor<4xi64>) -> tensor<4x2xf64>", {4, 2},
               {matrix, rows}));
  cases.push_back(makeCase("df.gather", "batch",
                           "%r = df.gather %x0, %x1 {axes = array<i64: 0>, batch = array<i64: 1>} : "
                           "(tensor<3x2xf64>, tensor<2x2xi64>) -> tensor<2x2xf64>",
                           {2, 2}, {matrix, Tensor::ofIntegers(ElementKind::I64, {2, 2}, {2, 0, 1, 1})}));
  auto scatter = [&](const std::string &kind, const std::string &variant, Tensor to, Tensor by) {
    cases.push_back(makeCase("df.scatter", kind + variant,
                             "%r = df.scatter " + kind + " %x0, %x1, %x2" + attributes +
                                 "(tensor<3x2xf64>, tensor<4xi64>, tensor<4x2xf64>) -> tensor<3x2xf64>",
                             {3, 2}, {std::move(to), rows, std::move(by)}));
  };
  for (const char *kind : {"set", "add", "mul", "min", "max"})
    scatter(kind, "", matrix, updates);
  // One zero among the factors of a place, and two.
  Tensor zero = updates, zeros = matrix;
  zero.setFloat(0, 0);
  zero.setFloat(7, 0);
  zeros.setFloat(2, 0);
  scatter("mul", " zero", matrix, zero);
  scatter("mul", " zeros", zeros, zero);
}

static void addLayoutCases(std::vector<GradientCase> &cases) {
  Tensor matrix = spread({3, 5}, -2, 2);
  Tensor starts = Tensor::ofIntegers(ElementKind::I64, {2}, {1, 2});
  cases.push_back(makeCase("df.slice", "",
                           "%r = df.slice %x0 {starts = array<i64: 1, 0>, sizes = array<i64: -1, 2>, strides = "
                           "array<i64: 1, 3>} : (tensor<3x5xf64>) -> tensor<2x2xf64>",
                           {2, 2}, {matrix}));
  const std::string split =
      "%a, %b = df.split %x0 {axis = 1 : i64} : (tensor<3x5xf64>) -> (tensor<3x2xf64>, tensor<3x3xf64>)\n";
  cases.push_back(makeCase("df.split", "",
                           split + "%r = df.concat %b, %a {axis = 1 : i64} : (tensor<3x3xf64>, tensor<3x2xf64>) -> "
                                   "tensor<3x5xf64>",
                           {3, 5}, {matrix}));
  cases.push_back(makeCase("df.split", " one part", split + "%r = df.square %b : tensor<3x3xf64>", {3, 3}, {matrix}));
  cases.push_back(makeCase("df.update_slice", "",
                           "%r = df.update_slice %x0, %x1 {starts = array<i64: 1, 0>, strides = array<i64: 1, 3>} : "
                           "(tensor<3x5xf64>, tensor<2x2xf64>) -> tensor<3x5xf64>",
                           {3, 5}, {matrix, spread({2, 2}, -1, 1)}));
  cases.push_back(makeCase("df.dynamic_slice", "",
                           "%r = df.dynamic_slice %x0, %x1 : (tensor<3x5xf64>, tensor<2xi64>) -> tensor<2x3xf64>",
                           {2, 3}, {matrix, starts}));
  cases.push_back(makeCase("df.dynamic_update_slice", "",
                           "%r = df.dynamic_update_slice %x0, %x1, %x2 : (tensor<3x5xf64>, tensor<2x3xf64>, "
                           "tensor<2xi64>) -> tensor<3x5xf64>",
                           {3, 5}, {matrix, spread({2, 3}, -1, 1), starts}));
  cases.push_back(makeCase("df.pad", "",
                           "%r = df.pad %x0, %x1 {low = array<i64: 1, 0>, high = array<i64: 0, 2>, interior = "
                           "array<i64: 1, 0>} : (tensor<2x2xf64>, tensor<f64>) -> tensor<4x4xf64>",
                           {4, 4}, {spread({2, 2}, -1, 1), Tensor::scalar(ElementKind::F64, 0.3)}));
  cases.push_back(
      makeCase("df.reverse", "", "%r = df.reverse %x0 {axes = array<i64: 1>} : tensor<3x5xf64>", {3, 5}, {matrix}));
  cases.push_back(makeCase("df.dynamic_broadcast", "",
                           "%s = df.constant dense<[2, 3, 4]> : tensor<3xi64>\n"
                           "  %r = df.dynamic_broadcast %x0, %s {dimensions = array<i64: 1, 2>} : (tensor<1x4xf64>, "
                           "tensor<3xi64>) -> tensor<2x3x4xf64>",
                           {2, 3, 4}, {spread({1, 4}, -1, 1)}));
  cases.push_back(makeCase("df.dynamic_reshape", "",
                           "%s = df.constant dense<[5, -1]> : tensor<2xi64>\n"
                           "  %r = df.dynamic_reshape %x0, %s : (tensor<3x5xf64>, tensor<2xi64>) -> tensor<5x3xf64>",
                           {5, 3}, {matrix}));
  // Sizes that only run time knows, and ops that stand for others.
  cases.push_back(makeCase("df.concat", "sizes of run time",
                           "%s = df.constant dense<[-1, 5]> : tensor<2xi64>\n"
                           "  %t = df.constant dense<[4, 5]> : tensor<2xi64>\n"
                           "  %a = df.dynamic_reshape %x0, %s : (tensor<3x5xf64>, tensor<2xi64>) -> tensor<?x5xf64>\n"
                           "  %b = df.dynamic_reshape %x1, %s : (tensor<1x5xf64>, tensor<2xi64>) -> tensor<?x5xf64>\n"
                           "  %c = df.concat %a, %b {axis = 0 : i64} : (tensor<?x5xf64>, tensor<?x5xf64>) -> "
                           "tensor<?x5xf64>\n"
                           "  %r = df.dynamic_reshape %c, %t : (tensor<?x5xf64>, tensor<2xi64>) -> tensor<4x5xf64>",
                           {4, 5}, {matrix, spread({1, 5}, -1, 1)}));
  for (const char *mode : {"nearest", "linear", "cubic"})
    cases.push_back(makeCase("df.resize", mode,
                             std::string("%r = df.resize ") + mode +
                                 " %x0 {half_pixel} : (tensor<1x3x2x2xf64>) -> tensor<1x4x5x2xf64>",
                             {1, 4, 5, 2}, {spread({1, 3, 2, 2}, -1, 1)}));
  for (const char *kind : {"sum", "mean", "prod", "min", "max"})
    cases.push_back(makeCase("df.segment_reduce", kind,
                             std::string("%r = df.segment_reduce ") + kind +
                                 " %x0, %x1 : (tensor<4x2xf64>, tensor<4xi64>) -> tensor<2x2xf64>",
                             {2, 2},
                             {spread({4, 2}, -2, 2), Tensor::ofIntegers(ElementKind::I64, {4}, {1, 0, -1, 1})}));
  cases.push_back(makeCase("df.bincount", "",
                           "%r = df.bincount %x1, %x0 : (tensor<4xi64>, tensor<4xf64>) -> tensor<3xf64>", {3},
                           {spread({4}, -2, 2), Tensor::ofIntegers(ElementKind::I64, {4}, {1, 0, -1, 1})}));
  cases.push_back(makeCase("df.diag", "", "%r = df.diag %x0 : (tensor<2x3xf64>) -> tensor<2x3x3xf64>", {2, 3, 3},
                           {spread({2, 3}, -1, 1)}));
  cases.push_back(makeCase("df.diag_part", "", "%r = df.diag_part %x0 : (tensor<2x3x3xf64>) -> tensor<2x3xf64>", {2, 3},
                           {spread({2, 3, 3}, -1, 1)}));
  cases.push_back(makeCase("df.linspace", "", "%r = df.linspace %x0, %x1 : (tensor<f64>, tensor<f64>) -> tensor<4xf64>",
                           {4}, {Tensor::scalar(ElementKind::F64, 0.3), Tensor::scalar(ElementKind::F64, 1.7)}));
  cases.push_back(makeCase("df.boolean_mask", "",
                           "%m = df.constant dense<[true, false, true]> : tensor<3xi1>\n"
                           "  %s = df.constant dense<[2, 5]> : tensor<2xi64>\n"
                           "  %b = df.boolean_mask %x0, %m : (tensor<3x5xf64>, tensor<3xi1>) -> tensor<?x5xf64>\n"
                           "  %r = df.dynamic_reshape %b, %s : (tensor<?x5xf64>, tensor<2xi64>) -> tensor<2x5xf64>",
                           {2, 5}, {matrix}));
}

static void addContractionCases(std::vector<GradientCase> &cases) {
  auto add = [&](const std::string &op, const std::string &variant, const std::string &attributes,
                 std::vector<Tensor> arguments, ArrayRef<int64_t> shape) {
    std::string operands, types;
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      operands += (i ? ", %x" : "%x") + std::to_string(i);
      types += (i ? ", " : "") + typeText(argument.getShape(), kindName(argument.getKind()));
    }
    cases.push_back(
        makeCase("df." + op, variant,
                 "%r = df." + op + " " + operands + " {" + attributes + "} : (" + types + ") -> " + typeText(shape),
                 shape, std::move(arguments)));
  };
  add("dot_general", "batch",
      "lhs_batch = array<i64: 1>, rhs_batch = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = "
      "array<i64: 1>",
      {spread({3, 2, 4}, -1, 1), spread({2, 4, 5}, -2, 2)}, {2, 3, 5});
  add("dot_general", "inner two", "lhs_contracting = array<i64: 2, 0>, rhs_contracting = array<i64: 0, 2>",
      {spread({3, 2, 4}, -1, 1), spread({4, 2, 3}, -2, 2)}, {2, 2});
  add("dot_general", "outer", "", {spread({3}, -1, 1), spread({2}, -2, 2)}, {3, 2});
  add("batch_matmul", "one lhs", "transpose_b", {spread({2, 3}, -1, 1), spread({2, 4, 3}, -2, 2)}, {2, 2, 4});
  add("einsum", "", "equation = \"bi,ijk,bj->kb\"",
      {spread({2, 3}, -1, 1), spread({3, 2, 4}, -2, 2), spread({2, 2}, -1, 2)}, {4, 2});
  add("attention", "causal", "causal", {spread({2, 3, 2}, -1, 1), spread({2, 3, 2}, -2, 2), spread({2, 3, 4}, -1, 2)},
      {2, 3, 4});

  // Image, filter, output and what moves the window; each of the three ops for its two operands.
  struct Convolution {
    std::string name;
    SmallVector<int64_t> image, filter, output;
    std::string attributes;
  };
  const Convolution convolutions[] = {
      {"all",
       {2, 5, 4, 2},
       {2, 3, 2, 3},
       {2, 3, 1, 3},
       "strides = array<i64: 2, 3>, padding = array<i64: 1, 1, 1, 2>, dilations = array<i64: 2, 2>"},
      {"groups", {1, 4, 4}, {3, 2, 4}, {1, 4, 4}, "padding = array<i64: 1, 1>, groups = 2 : i64"},
      {"depthwise",
       {1, 4, 3},
       {3, 1, 3},
       {1, 2, 3},
       "strides = array<i64: 2>, padding = array<i64: 1, 0>, groups = 3 : i64"},
      {"volume", {1, 2, 3, 2, 2}, {2, 2, 1, 2, 2}, {1, 1, 2, 2, 2}, ""}};
  for (const Convolution &c : convolutions) {
    add("conv", c.name, c.attributes, {spread(c.image, -1, 1), spread(c.filter, -2, 2)}, c.output);
    add("conv_transpose", c.name, c.attributes, {spread(c.output, -1, 1), spread(c.filter, -2, 2)}, c.image);
    add("conv_filter_gradient", c.name, c.attributes, {spread(c.image, -1, 1), spread(c.output, -2, 2)}, c.filter);
  }

  std::string window = "window = array<i64: 3, 2>, strides = array<i64: 2, 1>, padding = array<i64: 1, 0, 0, 1>";
  Tensor image = spread({1, 4, 3, 2}, -2, 2), output = spread({1, 2, 3, 2}, -1, 1);
  SmallVector<int64_t> positions = {0, 1, 2, 3, 4, 5, 5, 4, 3, 0, 0, 6};
  Tensor places = Tensor::ofIntegers(ElementKind::I32, {1, 2, 3, 2}, positions);
  add("max_pool", "", window, {image}, {1, 2, 3, 2});
  add("pool_select", "", window, {image, places}, {1, 2, 3, 2});
  add("pool_scatter", "", window, {output, places}, {1, 4, 3, 2});
  std::string turned = "window = array<i64: 2, 3>, strides = array<i64: 1, 2>, padding = array<i64: 0, 1, 1, 0>";
  Tensor first = spread({1, 2, 3, 4}, -2, 2);
  turned += ", channels_first";
  Tensor turned_places = Tensor::ofIntegers(ElementKind::I32, {1, 2, 3, 2}, positions);
  add("max_pool", "channels_first", turned, {first}, {1, 2, 3, 2});
  add("pool_select", "channels_first", turned, {first, turned_places}, {1, 2, 3, 2});
  add("pool_scatter", "channels_first", turned, {output, turned_places}, {1, 2, 3, 4});
  add("avg_pool", "channels_first", turned, {first}, {1, 2, 3, 2});
  add("lp_pool", "channels_first", turned + ", p = 2.0 : f64", {first}, {1, 2, 3, 2});
  std::string moved = "padding = array<i64: 0, 1, 1, 0>, channels_first";
  Tensor filter = spread({2, 3, 2, 1}, -1, 1), convolved = spread({1, 1, 3, 3}, -2, 2);
  add("conv", "channels_first", moved, {first, filter}, {1, 1, 3, 3});
  add("conv_transpose", "channels_first", moved, {convolved, filter}, {1, 2, 3, 4});
  add("conv_filter_gradient", "channels_first", moved, {first, convolved}, {2, 3, 2, 1});
  add("avg_pool", "", window, {image}, {1, 2, 3, 2});
  add("avg_pool", "count_include_pad", window + ", count_include_pad", {image}, {1, 2, 3, 2});
  add("lp_pool", "", window + ", p = 2.0 : f64", {image}, {1, 2, 3, 2});
  add("lp_pool", "third", window + ", p = 3.0 : f64", {image}, {1, 2, 3, 2});

  add("rnn_cell", "", "",
      {spread({2, 3}, -1, 1), spread({2, 2}, -1, 1), spread({3, 2}, -1, 1), spread({2, 2}, -1, 1), spread({2}, -1, 1)},
      {2, 2});
  add("gru_cell", "", "",
      {spread({2, 3}, -1, 1), spread({2, 2}, -1, 1), spread({3, 6}, -1, 1), spread({2, 6}, -1, 1), spread({6}, -1, 1),
       spread({6}, -1, 1)},
      {2, 2});
  std::string lstm = "%h, %c = df.lstm_cell %x0, %x1, %x2, %x3, %x4, %x5 {forget_bias = 1.0 : f64} : (tensor<2x3xf64>, "
                     "tensor<2x2xf64>, tensor<2x2xf64>, tensor<3x8xf64>, tensor<2x8xf64>, tensor<8xf64>) -> "
                     "(tensor<2x2xf64>, tensor<2x2xf64>)\n"
                     "  %r = df.concat %h, %c {axis = 1 : i64} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x4xf64>";
  cases.push_back(makeCase("df.lstm_cell", "", lstm, {2, 4},
                           {spread({2, 3}, -1, 1), spread({2, 2}, -1, 1), spread({2, 2}, -1, 1), spread({3, 8}, -1, 1),
                            spread({2, 8}, -1, 1), spread({8}, -1, 1)}));

  // A net in the manner of LeNet: every layer's gradient flows through those above it.
  cases.push_back(makeCase(
      "df.conv", "convnet", R"(%b0 = df.broadcast %x2 dimensions = [3] : (tensor<2xf64>) -> tensor<2x8x8x2xf64>
  %c0 = df.conv %x0, %x1 {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x8x8x1xf64>, tensor<3x3x1x2xf64>) -> tensor<2x8x8x2xf64>
  %s0 = df.add %c0, %b0 : tensor<2x8x8x2xf64>
  %h0 = df.relu %s0 : tensor<2x8x8x2xf64>
  %p0 = df.max_pool %h0 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<2x8x8x2xf64>) -> tensor<2x4x4x2xf64>
  %c1 = df.conv %p0, %x3 : (tensor<2x4x4x2xf64>, tensor<3x3x2x3xf64>) -> tensor<2x2x2x3xf64>
  %h1 = df.relu %c1 : tensor<2x2x2x3xf64>
  %p1 = df.max_pool %h1 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<2x2x2x3xf64>) -> tensor<2x1x1x3xf64>
  %f = df.reshape %p1 : (tensor<2x1x1x3xf64>) -> tensor<2x3xf64>
  %l = df.matmul %f, %x4 : (tensor<2x3xf64>, tensor<3x4xf64>) -> tensor<2x4xf64>
  %r = df.softmax_cross_entropy %l, %x5 : (tensor<2x4xf64>, tensor<2xi64>) -> tensor<2xf64>)",
      {2},
      {spread({2, 8, 8, 1}, -1, 1), spread({3, 3, 1, 2}, -1, 1.2), spread({2}, -0.2, 0.3),
       spread({3, 3, 2, 3}, -1, 1.3), spread({3, 4}, -1, 1), Tensor::ofIntegers(ElementKind::I64, {2}, {3, 1})}));
}

std::vector<GradientCase> mlc::interp::gradientCases() {
  std::vector<GradientCase> cases;
  addElementwiseCases(cases);
  addShapeCases(cases);
  addReductionCases(cases);
  addContractionCases(cases);
  addTrainingCases(cases);
  addAxisGradientCases(cases);
  addOrderGradientCases(cases);
  addNormalizationGradientCases(cases);
  addLossGradientCases(cases);
  addIndexingCases(cases);
  addLayoutCases(cases);
  return cases;
}

std::string mlc::interp::gradientCaseName(const testing::TestParamInfo<GradientCase> &info) {
  std::string name = info.param.op.substr(3);
  for (char c : info.param.variant)
    if (isalnum(c))
      name += c;
  return name + std::to_string(info.index);
}

GradientCheck mlc::interp::checkOf(const GradientCase &which) {
  GradientCheck check;
  check.function = "f";
  check.variables = which.variables;
  check.sparseVariables = which.sparse;
  if (which.step)
    check.step = which.step;
  for (auto [i, argument] : llvm::enumerate(which.arguments))
    if (argument.getKind() == ElementKind::F64)
      check.arguments.push_back(i);
  return check;
}

FailureOr<GradientError> mlc::interp::runGradientCase(MLIRContext &context, const GradientCase &which,
                                                      llvm::function_ref<LogicalResult(ModuleOp)> expand) {
  OwningOpRef<ModuleOp> module = parseModule(context, which.text);
  if (!module)
    return failure();
  std::vector<RuntimeValue> arguments(which.arguments.begin(), which.arguments.end());
  return checkGradients(*module, checkOf(which), arguments, State(*module, /*seed=*/3), expand);
}

std::vector<std::string> mlc::interp::opsWithoutGradientCase(MLIRContext &context) {
  std::set<std::string> covered;
  for (const GradientCase &which : gradientCases())
    covered.insert(which.op);
  std::vector<std::string> missing;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "df" && name.hasInterface<df::DifferentiableOpInterface>() &&
        !covered.count(name.getStringRef().str()))
      missing.push_back(name.getStringRef().str());
  return missing;
}
