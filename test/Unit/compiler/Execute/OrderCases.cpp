// Cases of cumulative ops and order statistics. All have the interpreter's bits: what is carried goes one way.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;

using Shape = std::vector<int64_t>;

/// "_f32_rows_3" for names.
static std::string nameOf(ElementKind kind, const Shape &shape) {
  std::string text = "_" + interp::kindName(kind).str();
  for (int64_t size : shape)
    text += "_" + (size == kRows ? "rows" : std::to_string(size));
  return text;
}

static OpCase makeCase(const std::string &op, const std::string &name, const std::vector<Argument> &arguments,
                       const std::string &attributes, const std::vector<std::string> &results) {
  std::string operands;
  bool isDynamic = false;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    operands += (i ? ", %x" : "%x") + std::to_string(i);
    isDynamic |= llvm::is_contained(argument.shape, kRows);
  }
  OpCase which = caseOfOp(op, "", arguments, operands + " {" + attributes + "}", results);
  which.name = op + name;
  if (!isDynamic)
    which.rows = {1};
  return which;
}

static std::string axisText(int64_t axis) { return "axis = " + std::to_string(axis) + " : i64"; }

static void addCumulative(std::vector<OpCase> &cases, ElementKind kind, const Shape &shape, int64_t axis) {
  std::string type = typeText(kind, shape);
  for (const char *op : {"cumsum", "cumprod", "cummax", "cummin"})
    for (const char *flags : {"", ", exclusive", ", reverse", ", exclusive, reverse"}) {
      std::string name = nameOf(kind, shape) + "_" + std::to_string(axis);
      for (const char *c = flags; *c; ++c)
        if (isalpha(*c))
          name += *c;
      cases.push_back(makeCase(op, name, {{kind, shape, between(-2, 3)}}, axisText(axis) + flags, {type}));
      if (shape.size() == 2 && shape[1] == 19)
        cases.back().rows.push_back(kManyRows);
    }
  // NaN and infinities, of which extremes must tell zeros' signs.
  for (const char *op : {"cummax", "cummin"})
    cases.push_back(makeCase(op, nameOf(kind, shape) + "_special_" + std::to_string(axis), {{kind, shape, special()}},
                             axisText(axis), {type}));
  if (!interp::isFloatKind(kind))
    return;
  for (const char *flags : {"", ", reverse", ", exclusive"})
    cases.push_back(
        makeCase("linear_scan", nameOf(kind, shape) + "_" + std::to_string(axis) + (*flags ? flags + 2 : ""),
                 {{kind, shape, between(-1, 1)}, {kind, shape, between(-2, 2)}}, axisText(axis) + flags, {type}));
}

static void addSorts(std::vector<OpCase> &cases, ElementKind kind, const Shape &shape, int64_t axis) {
  std::string type = typeText(kind, shape), positions = typeText(ElementKind::I64, shape);
  for (bool ties : {false, true})
    for (bool descending : {false, true}) {
      std::string name = nameOf(kind, shape) + "_" + std::to_string(axis) + (ties ? "_ties" : "_special") +
                         (descending ? "_descending" : "");
      std::string attributes = axisText(axis) + (descending ? ", descending" : "");
      Argument keys = {kind, shape, ties ? between(0, 4) : special()};
      cases.push_back(makeCase("argsort", name, {keys}, attributes, {positions}));
      cases.push_back(makeCase("sort", name,
                               {keys, {ElementKind::I64, shape, between(-9, 9)}, {ElementKind::String, shape, words()}},
                               attributes, {type, positions, typeText(ElementKind::String, shape)}));
      Shape few = shape;
      few[axis] = 3;
      cases.push_back(makeCase("top_k", name, {keys},
                               axisText(axis) + ", k = 3 : i64" + (descending ? ", smallest" : ""),
                               {typeText(kind, few), typeText(ElementKind::I64, few)}));
      if (shape[axis] == kRows)
        cases.back().rows = {3, 4, 9, 33};
    }
}

/// A number of elements that is known at run time only.
static void addCounted(std::vector<OpCase> &cases, const char *attributes) {
  OpCase which;
  which.ops = {"top_k"};
  which.name = std::string("top_k_counted") + (*attributes ? "_smallest" : "");
  which.arguments = {{ElementKind::I32, {kRows, 7}, between(-9, 9)}, {ElementKind::I64, {}, between(0, 8)}};
  which.body = std::string("  %v, %p = df.top_k %x0, %x1") + attributes +
               " : (tensor<?x7xi32>, tensor<i64>) -> (tensor<?x?xi32>, tensor<?x?xi64>)\n"
               "  %s = df.reduce_sum %v {axes = array<i64: 1>} : (tensor<?x?xi32>) -> tensor<?xi32>\n"
               "  %l = df.reduce_max %p {axes = array<i64: 1>} : (tensor<?x?xi64>) -> tensor<?xi64>\n"
               "  df.return %s, %l, %v, %p : tensor<?xi32>, tensor<?xi64>, tensor<?x?xi32>, tensor<?x?xi64>";
  which.results = {"tensor<?xi32>", "tensor<?xi64>", "tensor<?x?xi32>", "tensor<?x?xi64>"};
  cases.push_back(which);
}

/// Services take elements one after the other: a slice of columns is none, nor is a part of a concatenation.
static void addPartsOfTensors(std::vector<OpCase> &cases) {
  OpCase which;
  which.ops = {"sort"};
  which.name = "sort_of_columns";
  which.arguments = {{ElementKind::F32, {kRows, 7}, between(-9, 9)}};
  which.body = "  %l = df.slice %x0 {starts = array<i64: 0, 0>, sizes = array<i64: -1, 3>} : (tensor<?x7xf32>) -> "
               "tensor<?x3xf32>\n"
               "  %h = df.slice %x0 {starts = array<i64: 0, 3>, sizes = array<i64: -1, 4>} : (tensor<?x7xf32>) -> "
               "tensor<?x4xf32>\n"
               "  %s = df.sort %l : (tensor<?x3xf32>) -> tensor<?x3xf32>\n"
               "  %t = df.sort %h {descending} : (tensor<?x4xf32>) -> tensor<?x4xf32>\n"
               "  %c = df.concat %s, %t {axis = 1 : i64} : (tensor<?x3xf32>, tensor<?x4xf32>) -> tensor<?x7xf32>\n"
               "  df.return %c : tensor<?x7xf32>";
  which.results = {"tensor<?x7xf32>"};
  cases.push_back(which);
}

/// With the gradient of a weighed sum. Composed of exponentials, scans and logarithms of the interpreter's bits.
static void addLogSums(std::vector<OpCase> &cases, ElementKind kind, const Shape &shape, int64_t axis) {
  std::string type = typeText(kind, shape), axes = "0";
  for (size_t d = 1; d < shape.size(); ++d)
    axes += ", " + std::to_string(d);
  for (const char *flags : {"", ", exclusive", ", reverse", ", exclusive, reverse"})
    for (bool isSpecial : {false, true}) {
      OpCase which;
      which.ops = {"cumlogsumexp"};
      which.name = "cumlogsumexp_" + nameOf(kind, shape) + "_" + std::to_string(axis) + (isSpecial ? "_special" : "");
      for (const char *c = flags; *c; ++c)
        if (isalpha(*c))
          which.name += *c;
      which.arguments = {{kind, shape, isSpecial ? special() : between(-50, 50)}, {kind, shape, between(-1, 1)}};
      which.body = "  %y = df.cumlogsumexp %x0 {" + axisText(axis) + flags + "} : (" + type + ") -> " + type +
                   "\n  %low = df.sub %x1, %x1 : " + type + "\n  %cut = df.maximum %y, %low : " + type +
                   "\n  %w = df.mul %cut, %x1 : " + type + "\n  %l = df.reduce_sum %w {axes = array<i64: " + axes +
                   ">} : (" + type + ") -> tensor<" + interp::kindName(kind).str() +
                   ">\n  %d = df.gradients %l wrt [] "
                   "%x0 : (tensor<" +
                   interp::kindName(kind).str() + ">, " + type + ") -> " + type + "\n  df.return %y, %d : " + type +
                   ", " + type;
      which.results = {type, type};
      if (!llvm::is_contained(shape, kRows))
        which.rows = {1};
      cases.push_back(which);
    }
}

/// Sorted sequences, one for all values and one for each row of them.
static void addSearches(std::vector<OpCase> &cases, ElementKind kind) {
  std::string element = interp::kindName(kind).str();
  auto add = [&](const std::string &name, const Shape &sequence, const Shape &values, Fill fill) {
    for (const char *flags : {"", " {right}"}) {
      OpCase which;
      which.ops = {"searchsorted"};
      which.name = "searchsorted_" + element + "_" + name + (*flags ? "_right" : "");
      which.arguments = {{kind, sequence, fill}, {kind, values, fill}};
      std::string type = typeText(kind, sequence), result = typeText(ElementKind::I64, values);
      which.body = "  %s = df.sort %x0 : (" + type + ") -> " + type + "\n  %y = df.searchsorted %s, %x1" + flags +
                   " : (" + type + ", " + typeText(kind, values) + ") -> " + result + "\n  df.return %y : " + result;
      which.results = {result};
      if (!llvm::is_contained(values, kRows) && !llvm::is_contained(sequence, kRows))
        which.rows = {1};
      cases.push_back(which);
    }
  };
  add("one", {kRows}, {kRows}, special());
  add("ties", {kRows}, {5, 3}, between(0, 4));
  add("static", {37}, {kRows, 3}, special());
  add("rows", {kRows, 9}, {kRows, 4}, special());
  add("scalar", {kRows}, {}, special());
  add("empty", {0}, {kRows}, special());
}

/// What surrounds a search stays apart from it: its elements are found one by one.
static void addSearchesAmongOthers(std::vector<OpCase> &cases) {
  OpCase which;
  which.ops = {"searchsorted"};
  which.name = "searchsorted_of_product";
  which.arguments = {{ElementKind::F32, {8}, between(-2, 2)},
                     {ElementKind::F32, {kRows, 5}, between(-1, 1)},
                     {ElementKind::F32, {5, 3}, between(-1, 1)}};
  which.body = "  %s = df.sort %x0 : (tensor<8xf32>) -> tensor<8xf32>\n"
               "  %m = df.matmul %x1, %x2 : (tensor<?x5xf32>, tensor<5x3xf32>) -> tensor<?x3xf32>\n"
               "  %t = df.round %m : tensor<?x3xf32>\n"
               "  %i = df.searchsorted %s, %t : (tensor<8xf32>, tensor<?x3xf32>) -> tensor<?x3xi64>\n"
               "  %n = df.reduce_sum %i {axes = array<i64: 1>} : (tensor<?x3xi64>) -> tensor<?xi64>\n"
               "  df.return %i, %n : tensor<?x3xi64>, tensor<?xi64>";
  which.results = {"tensor<?x3xi64>", "tensor<?xi64>"};
  which.rows.push_back(kManyElements);
  cases.push_back(which);
}

/// Quantiles, with the gradients of the linear ones.
static void addQuantiles(std::vector<OpCase> &cases, ElementKind kind) {
  const std::string name = interp::kindName(kind).str();
  Argument x = {kind, {kRows, 7}, between(-3, 3)}, q = {kind, {3}, between(0, 1)}, one = {kind, {}, between(0, 1)};
  const std::string type = typeText(kind, x.shape), of = typeText(kind, q.shape), to = typeText(kind, {3, kRows});
  for (const char *between : {"linear", "lower", "higher", "midpoint", "nearest"})
    cases.push_back(
        caseOfOp("quantile", std::string(between) + "_" + name, {x, q}, std::string(between) + " %x0, %x1", {to}));
  Argument specials = {kind, {kRows, 2}, special()};
  cases.push_back(caseOfOp("quantile", "special_" + name, {specials, one}, "linear %x0, %x1 {axis = 1 : i64}",
                           {typeText(kind, {kRows})}));
  cases.push_back(
      caseOfOp("quantile", "of_rows_" + name, {x, q}, "linear %x0, %x1 {axis = 0 : i64}", {typeText(kind, {3, 7})}));
  cases.back().rows = {1, 7, 33, 130}; // of no row there is none
  cases.push_back(
      caseOfLines("quantile", "gradient", kind, {x, q},
                  "  %r = df.quantile linear %x0, %x1 : (" + type + ", " + of + ") -> " + to +
                      "\n  %s = df.square %r : " + to + "\n  %l = df.reduce_sum %s {axes = array<i64: 0, 1>} : (" + to +
                      ") -> tensor<$T>\n  %y = df.gradients %l wrt [] %x0 : (tensor<$T>, " + type + ") -> " + type,
                  type));
}

void mlc::execute::addOrderCases(std::vector<OpCase> &cases) {
  addPartsOfTensors(cases);
  addCounted(cases, "");
  addCounted(cases, " {smallest}");
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::I32, ElementKind::I8}) {
    addCumulative(cases, kind, {kRows}, 0);
    addCumulative(cases, kind, {kRows, 19}, 0);
    addCumulative(cases, kind, {kRows, 19}, 1);
  }
  addCumulative(cases, ElementKind::F32, {kRows, 5, 9}, 1);
  addCumulative(cases, ElementKind::F32, {4, 3, 2}, 1);
  addCumulative(cases, ElementKind::I64, {3, kRows, 2}, 1);
  addCumulative(cases, ElementKind::F32, {kRows, 0}, 0);
  for (ElementKind kind :
       {ElementKind::F32, ElementKind::F64, ElementKind::I8, ElementKind::I16, ElementKind::I32, ElementKind::I64}) {
    addSorts(cases, kind, {kRows, 7}, 1);
    addSorts(cases, kind, {kRows, 5}, 0);
  }
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16, ElementKind::F32, ElementKind::F64}) {
    addLogSums(cases, kind, {kRows, 7}, 1);
    addLogSums(cases, kind, {kRows, 9}, 0);
    addQuantiles(cases, kind);
  }
  addLogSums(cases, ElementKind::F32, {3, 4, 9}, 1);
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16, ElementKind::F32, ElementKind::F64, ElementKind::I8,
                           ElementKind::I64, ElementKind::UI16, ElementKind::UI64})
    addSearches(cases, kind);
  addSearchesAmongOthers(cases);
  addSorts(cases, ElementKind::F32, {3, 5, 2}, 1);
  addSorts(cases, ElementKind::F32, {40}, 0);
}
