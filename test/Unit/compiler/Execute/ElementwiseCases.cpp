// Cases of element-wise ops. The compiled code runs the interpreter's expansions: all results have the same bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementwiseCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::kindName;

static void addArithmetic(std::vector<OpCase> &cases, ElementKind kind, const std::string &shapeName,
                          const std::vector<int64_t> &shape) {
  std::string suffix = "_" + kindName(kind).str() + "_" + shapeName;
  std::vector<Argument> one = {{kind, shape, special()}}, two = {{kind, shape, special(0)}, {kind, shape, special(1)}};
  auto lineOfOne = [&](const std::string &op) { return sameType(op, one); };
  auto lineOfTwo = [&](const std::string &op) { return sameType(op, two); };
  if (interp::isFloatKind(kind)) {
    addTogether(cases, "unary" + suffix,
                {"neg", "abs", "sign", "exp", "log", "log1p", "sqrt", "square", "tanh", "sigmoid", "softplus", "relu",
                 "floor", "cos", "sin"},
                one, kind, lineOfOne);
    addTogether(
        cases, "binary" + suffix,
        {"add", "sub", "mul", "div", "maximum", "minimum", "pow", "sigmoid_cross_entropy", "squared_difference"}, two,
        kind, lineOfTwo);
  } else {
    addTogether(cases, "unary" + suffix, {"neg", "abs", "square", "sign"}, one, kind, lineOfOne);
    addTogether(cases, "binary" + suffix, {"add", "sub", "mul", "maximum", "minimum", "squared_difference"}, two, kind,
                lineOfTwo);
  }
  addTogether(cases, "compare" + suffix,
              {"compare eq", "compare ne", "compare lt", "compare le", "compare gt", "compare ge"}, two,
              ElementKind::I1,
              [&](const std::string &op) { return "df." + op + ", %x0, %x1" + functional(two, ElementKind::I1); });
}

void mlc::execute::addElementwiseCases(std::vector<OpCase> &cases) {
  for (auto &[shapeName, shape] : kShapes)
    for (ElementKind kind : kAllKinds)
      if (kind == ElementKind::F32 || (shape.size() == 1 && kind != ElementKind::I1) ||
          (kind == ElementKind::F64 && shape.empty()))
        addArithmetic(cases, kind, shapeName, shape);

  for (ElementKind kind : kAllKinds) {
    std::string suffix = "_" + kindName(kind).str();
    std::vector<Argument> one = {{kind, {kRows}, special()}};
    for (ElementKind to : kAllKinds)
      addTogether(cases, "cast" + suffix + "_" + kindName(to).str(), {"cast"}, one, to,
                  [&](const std::string &op) { return "df.cast %x0" + functional(one, to); });
    for (auto &[shapeName, shape] : kShapes) {
      std::vector<Argument> three = {
          {ElementKind::I1, shape, truths()}, {kind, shape, special(0)}, {kind, shape, special(1)}};
      if (kind == ElementKind::F32 || shape.size() == 1)
        addTogether(cases, "select" + suffix + "_" + shapeName, {"select"}, three, kind,
                    [&](const std::string &op) { return "df.select %x0, %x1, %x2" + functional(three, kind); });
    }
  }

  for (auto &[shapeName, shape] : kShapes) {
    std::vector<Argument> one = {{ElementKind::I1, shape, truths()}}, two = {one[0], one[0]};
    addTogether(cases, std::string("logical_not_") + shapeName, {"logical_not"}, one, ElementKind::I1,
                [&](const std::string &op) { return sameType(op, one); });
    addTogether(cases, std::string("logical_") + shapeName, {"logical_and", "logical_or", "logical_xor"}, two,
                ElementKind::I1, [&](const std::string &op) { return sameType(op, two); });
  }
}
