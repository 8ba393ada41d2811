// Cases of element-wise ops. The compiled code runs the interpreter's expansions: all results have the same bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::kindName;

/// The last is enough for all pairs of special floats, too.
static const std::vector<int64_t> kSizes = {0, 1, 7, 8, 9, 16, 33, 130, kManyElements};

/// Shapes of element-wise cases, with the name of each.
static const std::pair<const char *, std::vector<int64_t>> kShapes[] = {
    {"rows", {kRows}}, {"matrix", {kRows, 3}}, {"static", {5, 13}}, {"scalar", {}}, {"empty", {2, 0}}};

/// One function with a result for each of `ops`, all on the same arguments. `line(op)` is the op on %x0, %x1, ... less
/// its result.
template <typename Fn>
static void addTogether(std::vector<OpCase> &cases, const std::string &name, std::vector<std::string> ops,
                        const std::vector<Argument> &arguments, ElementKind resultKind, Fn line) {
  OpCase which;
  which.name = name;
  which.arguments = arguments;
  std::string type = typeText(resultKind, arguments.back().shape), values, types;
  for (auto [i, op] : llvm::enumerate(ops)) {
    std::string number = std::to_string(i);
    which.body += "  %y" + number + " = " + line(op) + "\n";
    which.results.push_back(type);
    values += (i ? ", %y" : "%y") + number;
    types += (i ? ", " : "") + type;
    which.ops.push_back(llvm::StringRef(op).split(' ').first.str());
  }
  which.body += "  df.return " + values + " : " + types;
  if (!llvm::is_contained(arguments.back().shape, kRows))
    which.rows = {1};
  else if (arguments.back().shape.size() == 1)
    which.rows = kSizes;
  cases.push_back(std::move(which));
}

/// `df.<op> %x0, ... : type` of ops with one type.
static std::string sameType(const std::string &op, const std::vector<Argument> &arguments) {
  std::string text = "df." + op + " %x0";
  for (size_t i = 1; i < arguments.size(); ++i)
    text += ", %x" + std::to_string(i);
  return text + " : " + typeText(arguments[0].kind, arguments[0].shape);
}

/// `(types) -> type` of ops with a functional type.
static std::string functional(const std::vector<Argument> &arguments, ElementKind result) {
  std::string text = " : (";
  for (auto [i, argument] : llvm::enumerate(arguments))
    text += (i ? ", " : "") + typeText(argument.kind, argument.shape);
  return text + ") -> " + typeText(result, arguments.back().shape);
}

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
    addTogether(cases, "unary" + suffix, {"neg", "abs", "square"}, one, kind, lineOfOne);
    addTogether(cases, "binary" + suffix, {"add", "sub", "mul", "maximum", "minimum", "squared_difference"}, two, kind,
                lineOfTwo);
  }
  addTogether(cases, "compare" + suffix,
              {"compare eq", "compare ne", "compare lt", "compare le", "compare gt", "compare ge"}, two,
              ElementKind::I1,
              [&](const std::string &op) { return "df." + op + ", %x0, %x1" + functional(two, ElementKind::I1); });
}

void mlc::execute::addElementwiseCases(std::vector<OpCase> &cases) {
  const ElementKind numbers[] = {ElementKind::F32, ElementKind::F64, ElementKind::I8,
                                 ElementKind::I16, ElementKind::I32, ElementKind::I64};
  for (auto &[shapeName, shape] : kShapes)
    for (ElementKind kind : numbers)
      if (kind == ElementKind::F32 || shape.size() == 1 || (kind == ElementKind::F64 && shape.empty()))
        addArithmetic(cases, kind, shapeName, shape);

  const ElementKind all[] = {ElementKind::F32, ElementKind::F64, ElementKind::I1, ElementKind::I8,
                             ElementKind::I16, ElementKind::I32, ElementKind::I64};
  for (ElementKind kind : all) {
    std::string suffix = "_" + kindName(kind).str();
    std::vector<Argument> one = {{kind, {kRows}, special()}};
    for (ElementKind to : all)
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
    addTogether(cases, std::string("logical_") + shapeName, {"logical_and", "logical_or"}, two, ElementKind::I1,
                [&](const std::string &op) { return sameType(op, two); });
  }
}
