// Cases of factorizations and systems of equations, with their gradients. Sums over n elements may be reordered.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;

/// Numbers about 0 with larger ones on the diagonal, so that matrices are positive definite.
static Fill dominant() {
  return [](RandomValues &random, ElementKind kind, llvm::ArrayRef<int64_t> shape) {
    interp::Tensor result = random.floats(kind, shape, -1, 1);
    int64_t n = shape.back();
    for (int64_t i = 0, count = result.getNumElements(); i < count; ++i)
      if (i / n % n == i % n)
        result.setFloat(i, random.uniform(n, n + 2));
    return result;
  };
}

/// `lines` make %y, of `result`, of the arguments; the gradients of a weighed sum of it are results, too.
static OpCase makeCase(const std::string &op, const std::string &name, ElementKind kind,
                       std::vector<Argument> arguments, const std::string &lines, const std::vector<int64_t> &result) {
  OpCase which;
  std::string element = interp::kindName(kind).str(), type = typeText(kind, result), axes = "0";
  for (size_t d = 1; d < result.size(); ++d)
    axes += ", " + std::to_string(d);
  std::string names, gradients, types;
  which.results = {type};
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string number = std::to_string(i);
    which.results.push_back(typeText(kind, arguments[i].shape));
    names += (i ? ", %x" : "%x") + number;
    gradients += (i ? ", %d" : "%d") + number;
    types += (i ? ", " : "") + which.results.back();
  }
  which.ops = {op};
  which.name = op + "_" + name + "_" + element;
  which.arguments = std::move(arguments);
  which.body = lines + "  %q = df.square %y : " + type + "\n  %l = df.reduce_sum %q {axes = array<i64: " + axes +
               ">} : (" + type + ") -> tensor<" + element + ">\n  " + gradients + " = df.gradients %l wrt [] " + names +
               " : (tensor<" + element + ">, " + types + ") -> (" + types + ")\n  df.return %y, " + gradients + " : " +
               type + ", " + types;
  // A sum at the border between two numbers of 16 bits may round to the other one.
  which.bound.ulps = kind == ElementKind::F16 || kind == ElementKind::BF16;
  which.bound.absolute = 4096;
  return which;
}

void mlc::execute::addLinearAlgebraCases(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16, ElementKind::F32, ElementKind::F64}) {
    std::string matrices = typeText(kind, {kRows, 5, 5}), rhs = typeText(kind, {kRows, 5, 3});
    cases.push_back(makeCase("cholesky", "rows", kind, {{kind, {kRows, 5, 5}, dominant()}},
                             "  %y = df.cholesky %x0 : (" + matrices + ") -> " + matrices + "\n", {kRows, 5, 5}));
    std::string one = typeText(kind, {9, 9});
    cases.push_back(makeCase("cholesky", "one", kind, {{kind, {9, 9}, dominant()}},
                             "  %y = df.cholesky %x0 : (" + one + ") -> " + one + "\n", {9, 9}));
    cases.back().rows = {1};
    Argument any = {kind, {kRows, 4, 4}, between(-2, 2)};
    std::string signs = typeText(kind, {kRows}), from = " %x0 : (" + typeText(kind, any.shape) + ") -> ";
    cases.push_back(
        makeCase("determinant", "rows", kind, {any}, "  %y = df.determinant" + from + signs + "\n", {kRows}));
    cases.push_back(makeCase("slogdet", "rows", kind, {any},
                             "  %s, %m = df.slogdet" + from + "(" + signs + ", " + signs +
                                 ")\n  %y = df.add %s, %m : " + signs + "\n",
                             {kRows}));
    // The elimination makes much of small pivots.
    for (OpCase &which : llvm::MutableArrayRef(cases).take_back(2))
      which.bound.absolute = 1 << 20;
    for (const char *flags : {"", "upper", "transpose", "upper, transpose", "upper, unit_diagonal"}) {
      std::string name;
      for (const char *c = flags; *c; ++c)
        name += isalpha(*c) ? *c : '_';
      cases.push_back(makeCase("triangular_solve", "rows_" + name, kind,
                               {{kind, {kRows, 5, 5}, dominant()}, {kind, {kRows, 5, 3}, between(-2, 2)}},
                               std::string("  %y = df.triangular_solve %x0, %x1 {") + flags + "} : (" + matrices +
                                   ", " + rhs + ") -> " + rhs + "\n",
                               {kRows, 5, 3}));
    }
  }
}
