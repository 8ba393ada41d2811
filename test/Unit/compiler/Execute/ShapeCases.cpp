// Cases of constants, broadcasts and shape ops: they move elements and change none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

#include <algorithm>

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::kindName;

using Shape = std::vector<int64_t>;

/// A function of `body` that makes %y of `result` from arguments of `kind` and `shapes`.
static OpCase makeCase(const std::string &op, const std::string &variant, ElementKind kind,
                       const std::vector<Shape> &shapes, const std::string &body, const Shape &result) {
  OpCase which;
  which.ops = {op};
  which.name = op + "_" + variant + "_" + (kind == ElementKind::String ? "string" : kindName(kind).str());
  bool isDynamic = false;
  for (const Shape &shape : shapes) {
    which.arguments.push_back({kind, shape, kind == ElementKind::String ? words() : special()});
    isDynamic |= llvm::is_contained(shape, kRows);
  }
  std::string type = typeText(kind, result);
  which.body = body + "\n  df.return %y : " + type;
  which.results = {type};
  if (!isDynamic)
    which.rows = {1};
  else if (variant == "unit_column" || variant == "columns")
    which.rows.push_back(kManyRows);
  return which;
}

/// "1, 2".
static std::string numbers(const Shape &sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return text;
}

/// "(types of arguments) -> type".
static std::string typesOf(ElementKind kind, const std::vector<Shape> &shapes, const Shape &result) {
  std::string text = " : (";
  for (auto [i, shape] : llvm::enumerate(shapes))
    text += (i ? ", " : "") + typeText(kind, shape);
  return text + ") -> " + typeText(kind, result);
}

static void addConstants(std::vector<OpCase> &cases) {
  const std::pair<ElementKind, const char *> literals[] = {
      {ElementKind::F32, "dense<[[1.5, -0.0, 0x7F800000], [0x7FC00000, 1.0e-40, 3.0e+38]]>"},
      {ElementKind::F64, "dense<[[1.5, -0.0, 0x7FF0000000000000], [0.1, 1.0e-310, 1.0e+300]]>"},
      {ElementKind::I1, "dense<[[true, false, true], [false, false, true]]>"},
      {ElementKind::I8, "dense<[[1, -128, 127], [0, 5, -7]]>"},
      {ElementKind::I16, "dense<[[1, -32768, 127], [0, 5, -7]]>"},
      {ElementKind::I32, "dense<[[1, -2147483648, 127], [0, 5, -7]]>"},
      {ElementKind::I64, "dense<[[1, -9223372036854775808, 127], [0, 5, -7]]>"}};
  for (auto &[kind, literal] : literals)
    cases.push_back(makeCase("constant", "dense", kind, {},
                             std::string("  %y = df.constant ") + literal + " : " + typeText(kind, {2, 3}), {2, 3}));
  const std::pair<ElementKind, const char *> splats[] = {
      {ElementKind::F32, "0.1"}, {ElementKind::F64, "0.1"}, {ElementKind::I1, "true"}, {ElementKind::I64, "-3"}};
  for (auto &[kind, value] : splats)
    for (auto &[name, shape] : {std::pair<const char *, Shape>{"scalar", {}}, {"splat", {3, 21}}, {"empty", {0, 2}}})
      cases.push_back(makeCase("constant", name, kind, {},
                               std::string("  %y = df.constant dense<") + value + "> : " + typeText(kind, shape),
                               shape));
}

static void addBroadcasts(std::vector<OpCase> &cases, ElementKind kind) {
  struct Broadcast {
    const char *name;
    Shape from, to;
    std::string dimensions;
  };
  const Broadcast dynamic[] = {{"scalar", {}, {kRows}, ""},
                               {"scalar_to_matrix", {}, {kRows, 5}, ""},
                               {"columns", {5}, {kRows, 5}, "1"},
                               {"rows", {kRows}, {kRows, 5}, "0"},
                               {"unit_column", {kRows, 1}, {kRows, 18}, "0, 1"},
                               {"unit_row", {1, 18}, {kRows, 18}, "0, 1"},
                               {"unit", {1}, {kRows}, "0"},
                               {"same", {kRows, 3}, {kRows, 3}, "0, 1"},
                               {"middle", {kRows, 1, 4}, {kRows, 3, 4}, "0, 1, 2"},
                               {"inner", {3}, {kRows, 3, 4}, "1"}};
  for (const Broadcast &b : dynamic)
    cases.push_back(makeCase("broadcast", b.name, kind, {b.from, b.to},
                             "  %y = df.broadcast %x0 like %x1 dimensions = [" + b.dimensions + "]" +
                                 typesOf(kind, {b.from, b.to}, b.to),
                             b.to));
  const Broadcast fixed[] = {{"static_scalar", {}, {2, 9}, ""},
                             {"static_middle", {2, 1, 3}, {2, 5, 3}, "0, 1, 2"},
                             {"static_units", {1, 1}, {4, 3}, "0, 1"},
                             {"static_new", {3}, {2, 3, 4}, "1"},
                             {"static_empty", {1}, {0}, "0"}};
  for (const Broadcast &b : fixed)
    cases.push_back(
        makeCase("broadcast", b.name, kind, {b.from},
                 "  %y = df.broadcast %x0 dimensions = [" + b.dimensions + "]" + typesOf(kind, {b.from}, b.to), b.to));
}

static void addReshapes(std::vector<OpCase> &cases, ElementKind kind) {
  const std::pair<Shape, Shape> shapes[] = {{{kRows}, {kRows, 1}},
                                            {{kRows, 1}, {kRows}},
                                            {{kRows, 6}, {kRows, 2, 3}},
                                            {{kRows, 2, 3}, {kRows, 6}},
                                            {{kRows, 1, 1}, {kRows}},
                                            {{}, {1}},
                                            {{1, 1}, {}},
                                            {{4, 6}, {3, 8}},
                                            {{kRows, 0}, {kRows, 0, 2}},
                                            {{0, 3}, {3, 0}}};
  for (auto [i, pair] : llvm::enumerate(shapes))
    cases.push_back(makeCase("reshape", std::to_string(i), kind, {pair.first},
                             "  %y = df.reshape %x0" + typesOf(kind, {pair.first}, pair.second), pair.second));
}

static void addTransposes(std::vector<OpCase> &cases, ElementKind kind) {
  struct Transpose {
    Shape from, to;
    std::string permutation;
  };
  const Transpose all[] = {{{kRows, 4}, {4, kRows}, "1, 0"},  {{5, kRows}, {kRows, 5}, "1, 0"},
                           {{7, 18}, {18, 7}, "1, 0"},        {{kRows, 3, 4}, {4, kRows, 3}, "2, 0, 1"},
                           {{2, 3, 4}, {3, 2, 4}, "1, 0, 2"}, {{kRows}, {kRows}, "0"}};
  for (auto [i, t] : llvm::enumerate(all))
    cases.push_back(makeCase("transpose", std::to_string(i), kind, {t.from},
                             "  %y = df.transpose %x0 {permutation = array<i64: " + t.permutation + ">}" +
                                 typesOf(kind, {t.from}, t.to),
                             t.to));
}

static void addShapeCasts(std::vector<OpCase> &cases, ElementKind kind) {
  const std::string unknown = typeText(kind, {kRows, 3}), known = typeText(kind, {5, 3});
  OpCase which = makeCase("cast_shape", "known", kind, {{kRows, 3}},
                          "  %k = df.cast_shape %x0 : " + unknown + " to " + known +
                              "\n  %y = df.cast_shape %k : " + known + " to " + unknown,
                          {kRows, 3});
  which.rows = {5};
  cases.push_back(which);
}

static void addParts(std::vector<OpCase> &cases, ElementKind kind) {
  auto concat = [&](const std::string &name, const std::vector<Shape> &shapes, const std::string &axis,
                    const Shape &to) {
    std::string operands;
    for (size_t i = 0; i < shapes.size(); ++i)
      operands += (i ? ", %x" : "%x") + std::to_string(i);
    cases.push_back(
        makeCase("concat", name, kind, shapes,
                 "  %y = df.concat " + operands + " {axis = " + axis + " : i64}" + typesOf(kind, shapes, to), to));
  };
  concat("columns", {{kRows, 2}, {kRows, 3}, {kRows, 1}}, "1", {kRows, 6});
  concat("rows", {{2, 3}, {0, 3}, {4, 3}}, "0", {6, 3});
  concat("middle", {{kRows, 2, 3}, {kRows, 1, 3}}, "1", {kRows, 3, 3});
  concat("one", {{kRows, 2}}, "1", {kRows, 2});
  concat("vectors", {{5}, {9}}, "0", {14});
  // Many copies of one kind: single columns, rows that are no power of two, parts of several lengths.
  concat("many_columns", std::vector<Shape>(21, {kRows, 1}), "1", {kRows, 21});
  concat("many_wide", std::vector<Shape>(5, {kRows, 3}), "1", {kRows, 15});
  concat("many_of_two_kinds", {{kRows, 1}, {kRows, 2}, {kRows, 1}, {kRows, 2}, {kRows, 1}, {kRows, 1}, {kRows, 2}}, "1",
         {kRows, 10});
  concat("many_rows", std::vector<Shape>(6, {2, 3}), "0", {12, 3});
  concat("many_numbers", std::vector<Shape>(17, {1, 1}), "0", {17, 1});
  cases.push_back(makeCase(
      "concat", "twice", kind, {{kRows, 2}},
      "  %y = df.concat %x0, %x0 {axis = 1 : i64}" + typesOf(kind, {{kRows, 2}, {kRows, 2}}, {kRows, 4}), {kRows, 4}));

  auto slice = [&](const std::string &name, const Shape &from, size_t axis, int64_t start, int64_t size) {
    Shape starts(from.size(), 0), sizes = from, to = from;
    std::replace(sizes.begin(), sizes.end(), kRows, int64_t{-1});
    starts[axis] = start;
    sizes[axis] = to[axis] = size;
    cases.push_back(makeCase("slice", name, kind, {from},
                             "  %y = df.slice %x0 {starts = array<i64: " + numbers(starts) +
                                 ">, sizes = array<i64: " + numbers(sizes) + ">}" + typesOf(kind, {from}, to),
                             to));
  };
  slice("columns", {kRows, 5}, 1, 2, 3);
  slice("last", {kRows, 5}, 1, 4, 1);
  slice("whole", {kRows, 5}, 1, 0, 5);
  slice("none", {kRows, 5}, 1, 2, 0);
  slice("rows", {9, 2}, 0, 3, 4);
  slice("middle", {kRows, 4, 3}, 1, 1, 2);
  cases.push_back(makeCase(
      "size", "rows", kind, {{kRows, 2}},
      "  %y = df.size %x0 {dimensions = array<i64: 0>} : (" + typeText(kind, {kRows, 2}) + ") -> tensor<i64>", {}));
  cases.back().results = {"tensor<i64>"};
  cases.back().body = "  %y = df.size %x0 {dimensions = array<i64: 0>} : (" + typeText(kind, {kRows, 2}) +
                      ") -> tensor<i64>\n  df.return %y : tensor<i64>";
  if (kind == ElementKind::String || kind == ElementKind::I1)
    return;
  auto pad = [&](const std::string &name, const Shape &from, size_t axis, int64_t low, int64_t high) {
    Shape before(from.size(), 0), after = before, to = from;
    before[axis] = low;
    after[axis] = high;
    to[axis] += low + high;
    cases.push_back(makeCase("pad", name, kind, {from},
                             "  %y = df.pad %x0 {low = array<i64: " + numbers(before) +
                                 ">, high = array<i64: " + numbers(after) + ">}" + typesOf(kind, {from}, to),
                             to));
  };
  pad("columns", {kRows, 3}, 1, 2, 1);
  pad("rows", {4, 2}, 0, 1, 3);
  pad("nothing", {kRows, 3}, 1, 0, 0);
  pad("middle", {kRows, 2, 3}, 1, 0, 2);
}

/// More rows than those of the batch, between other ops: no argument and no output has them.
static void addManyRows(std::vector<OpCase> &cases) {
  OpCase which;
  which.ops = {"reshape", "concat"};
  which.name = "many_rows";
  which.state = "df.variable @many_rows_t : tensor<9x4xf32> = #df.normal<0.0, 1.0>\n"
                "df.vocabulary @many_rows_words [\"a\", \"b\", \"omar\"] {num_oov = 6 : i64}";
  which.arguments = {{ElementKind::String, {kRows, 3}, words()}, {ElementKind::I64, {kRows}, between(-1, 9)}};
  which.body = "  %w = df.reshape %x0 : (tensor<?x3x!df.string>) -> tensor<?x!df.string>\n"
               "  %i = df.lookup @many_rows_words, %w : (tensor<?x!df.string>) -> tensor<?xi64>\n"
               "  %e = df.read_rows @many_rows_t[%i] : (tensor<?xi64>) -> tensor<?x4xf32>\n"
               "  %c = df.reshape %e : (tensor<?x4xf32>) -> tensor<?x3x4xf32>\n"
               "  %m = df.reduce_max %c {axes = array<i64: 1>} : (tensor<?x3x4xf32>) -> tensor<?x4xf32>\n"
               "  %j = df.concat %i, %x1 {axis = 0 : i64} : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>\n"
               "  %f = df.read_rows @many_rows_t[%j] : (tensor<?xi64>) -> tensor<?x4xf32>\n"
               "  %x = df.reduce_max %f {axes = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<4xf32>\n"
               "  %n = df.size %f {dimensions = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<i64>\n"
               "  %g = df.reshape %f : (tensor<?x4xf32>) -> tensor<?x4x4xf32>\n"
               "  df.return %m, %x, %n, %g : tensor<?x4xf32>, tensor<4xf32>, tensor<i64>, tensor<?x4x4xf32>";
  which.results = {"tensor<?x4xf32>", "tensor<4xf32>", "tensor<i64>", "tensor<?x4x4xf32>"};
  cases.push_back(std::move(which));
}

/// Many columns that each have a buffer of their own, as services make them, and many results that are computed alike.
static void addManyAlike(std::vector<OpCase> &cases) {
  constexpr int kColumns = 18;
  OpCase sorted;
  sorted.ops = {"concat", "sort", "slice"};
  sorted.name = "many_sorted_columns";
  sorted.arguments = {{ElementKind::F32, {kRows, kColumns}, between(-9, 9)}};
  std::string operands, types;
  for (int i = 0; i < kColumns; ++i) {
    const std::string k = std::to_string(i);
    sorted.body += "  %c" + k + " = df.slice %x0 {starts = array<i64: 0, " + k +
                   ">, sizes = array<i64: -1, 1>} : (tensor<?x18xf32>) -> tensor<?x1xf32>\n  %s" + k + " = df.sort %c" +
                   k + " {axis = 0 : i64} : (tensor<?x1xf32>) -> tensor<?x1xf32>\n";
    operands += (i ? ", %s" : "%s") + k;
    types += i ? ", tensor<?x1xf32>" : "tensor<?x1xf32>";
  }
  sorted.body += "  %y = df.concat " + operands + " {axis = 1 : i64} : (" + types +
                 ") -> tensor<?x18xf32>\n  df.return %y : tensor<?x18xf32>";
  sorted.results = {"tensor<?x18xf32>"};
  cases.push_back(sorted);

  constexpr int kResults = 19;
  OpCase alike;
  alike.ops = {"square", "sub", "broadcast"};
  alike.name = "many_results";
  std::string results, resultTypes;
  for (int i = 0; i < kResults; ++i) {
    const std::string k = std::to_string(i);
    alike.arguments.push_back({ElementKind::F32, {1, 3}, between(-9, 9)});
    alike.body += "  %n" + k + " = df.constant dense<" + k + ".5> : tensor<f32>\n  %b" + k + " = df.broadcast %n" + k +
                  " dimensions = [] : (tensor<f32>) -> tensor<1x3xf32>\n  %d" + k + " = df.sub %x" + k + ", %b" + k +
                  " : tensor<1x3xf32>\n  %s" + k + " = df.square %d" + k + " : tensor<1x3xf32>\n";
    results += (i ? ", %s" : "%s") + k;
    resultTypes += i ? ", tensor<1x3xf32>" : "tensor<1x3xf32>";
    alike.results.push_back("tensor<1x3xf32>");
  }
  alike.body += "  df.return " + results + " : " + resultTypes;
  cases.push_back(alike);
}

void mlc::execute::addShapeCases(std::vector<OpCase> &cases) {
  addConstants(cases);
  addManyRows(cases);
  addManyAlike(cases);
  for (ElementKind kind :
       {ElementKind::F32, ElementKind::F64, ElementKind::I1, ElementKind::I64, ElementKind::String}) {
    addParts(cases, kind);
    if (kind == ElementKind::F64)
      continue; // moves as i64 does
    addBroadcasts(cases, kind);
    addReshapes(cases, kind);
    addTransposes(cases, kind);
    addShapeCasts(cases, kind);
  }
  for (ElementKind kind : {ElementKind::I8, ElementKind::I16, ElementKind::I32})
    addParts(cases, kind);
}
