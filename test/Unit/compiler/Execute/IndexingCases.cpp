// Cases of gathers, scatters and what data says the shape of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::kindName;

using Shape = std::vector<int64_t>;

static void addGathers(std::vector<OpCase> &cases, ElementKind kind) {
  Fill values = kind == ElementKind::String ? words() : special();
  auto add = [&](const std::string &op, const std::string &variant, const Shape &operand, const Shape &indices,
                 double low, double high, const std::string &line, const std::string &result) {
    cases.push_back(caseOfLines(
        op, variant, kind, {{kind, operand, values}, {ElementKind::I64, indices, between(low, high)}}, line, result));
  };
  std::string one = " {axes = array<i64: 0>} : ";
  add("gather", "rows", {7, 18}, {kRows}, 0, 7,
      "  %y = df.gather %x0, %x1" + one + "(tensor<7x18x$T>, tensor<?xi64>) -> tensor<?x18x$T>", "tensor<?x18x$T>");
  cases.back().rows.push_back(kManyRows);
  add("gather", "skip", {7, 3}, {kRows}, -3, 7,
      "  %y = df.gather %x0, %x1 {axes = array<i64: 0>, skip_negative} : (tensor<7x3x$T>, "
      "tensor<?xi64>) -> tensor<?x3x$T>",
      "tensor<?x3x$T>");
  // Of no rows at all, too.
  add("gather", "skip_all", {kRows, 3}, {4}, -3, 0,
      "  %y = df.gather %x0, %x1 {axes = array<i64: 0>, skip_negative} : (tensor<?x3x$T>, "
      "tensor<4xi64>) -> tensor<4x3x$T>",
      "tensor<4x3x$T>");
  add("gather", "elements", {kRows, 3, 4}, {kRows, 5, 2}, 0, 3,
      "  %y = df.gather %x0, %x1 {axes = array<i64: 1, 2>, batch = array<i64: 0>} : (tensor<?x3x4x$T>, "
      "tensor<?x5x2xi64>) -> tensor<?x5x$T>",
      "tensor<?x5x$T>");
  add("gather", "middle", {kRows, 3, 9}, {2, 2}, 0, 3,
      "  %y = df.gather %x0, %x1 {axes = array<i64: 1>} : (tensor<?x3x9x$T>, tensor<2x2xi64>) "
      "-> tensor<?x2x2x9x$T>",
      "tensor<?x2x2x9x$T>");
  add("gather", "last", {kRows, 5}, {3}, 0, 5,
      "  %y = df.gather %x0, %x1 {axes = array<i64: 1>} : (tensor<?x5x$T>, tensor<3xi64>) -> tensor<?x3x$T>",
      "tensor<?x3x$T>");
  add("take_along_axis", "last", {kRows, 5}, {kRows, 2}, 0, 5,
      "  %y = df.take_along_axis %x0, %x1 {axis = 1 : i64} : (tensor<?x5x$T>, tensor<?x2xi64>) -> tensor<?x2x$T>",
      "tensor<?x2x$T>");
  add("take_along_axis", "first", {5, kRows}, {2, kRows}, 0, 5,
      "  %y = df.take_along_axis %x0, %x1 {axis = 0 : i64} : (tensor<5x?x$T>, tensor<2x?xi64>) -> tensor<2x?x$T>",
      "tensor<2x?x$T>");
  add("reverse_sequence", "rows", {kRows, 5}, {kRows}, 0, 6,
      "  %y = df.reverse_sequence %x0, %x1 {seq_axis = 1 : i64, batch_axis = 0 : i64} : (tensor<?x5x$T>, "
      "tensor<?xi64>) "
      "-> tensor<?x5x$T>",
      "tensor<?x5x$T>");
}

static void addScatters(std::vector<OpCase> &cases, ElementKind kind) {
  Argument operand = {kind, {7, 5}, kind == ElementKind::String ? words() : special()};
  Fill values = kind == ElementKind::String ? words() : special(1);
  std::vector<std::string> kinds = {"set"};
  if (kind != ElementKind::I1 && kind != ElementKind::String)
    kinds.insert(kinds.end(), {"add", "mul", "min", "max"});
  for (const std::string &how : kinds) {
    cases.push_back(caseOfLines("scatter", how, kind,
                                {operand, {ElementKind::I64, {kRows}, between(0, 7)}, {kind, {kRows, 5}, values}},
                                "  %y = df.scatter " + how +
                                    " %x0, %x1, %x2 {axes = array<i64: 0>} : (tensor<7x5x$T>, "
                                    "tensor<?xi64>, tensor<?x5x$T>) -> tensor<7x5x$T>",
                                "tensor<7x5x$T>"));
    cases.push_back(caseOfLines("scatter", how + "_skip", kind,
                                {operand, {ElementKind::I64, {kRows, 2}, between(-2, 5)}, {kind, {kRows}, values}},
                                "  %y = df.scatter " + how +
                                    " %x0, %x1, %x2 {axes = array<i64: 0, 1>, skip_negative} : "
                                    "(tensor<7x5x$T>, tensor<?x2xi64>, tensor<?x$T>) -> tensor<7x5x$T>",
                                "tensor<7x5x$T>"));
    cases.push_back(caseOfLines(
        "scatter_along_axis", how, kind,
        {{kind, {kRows, 5}, values}, {ElementKind::I64, {kRows, 3}, between(0, 5)}, {kind, {kRows, 3}, values}},
        "  %y = df.scatter_along_axis " + how +
            " %x0, %x1, %x2 {axis = 1 : i64} : (tensor<?x5x$T>, tensor<?x3xi64>, tensor<?x3x$T>) "
            "-> tensor<?x5x$T>",
        "tensor<?x5x$T>"));
  }
}

static void addSegments(std::vector<OpCase> &cases, ElementKind kind) {
  std::vector<std::string> kinds = {"sum", "prod", "min", "max"};
  if (interp::isFloatKind(kind))
    kinds.push_back("mean");
  for (const std::string &how : kinds)
    cases.push_back(caseOfLines(
        "segment_reduce", how, kind, {{kind, {kRows, 3}, special()}, {ElementKind::I64, {kRows}, between(-1, 4)}},
        "  %y = df.segment_reduce " + how + " %x0, %x1 : (tensor<?x3x$T>, tensor<?xi64>) -> tensor<4x3x$T>",
        "tensor<4x3x$T>"));
}

/// Shapes that data says are those of no output: what is made of them has another.
static void addDataShapes(std::vector<OpCase> &cases) {
  Argument mask = {ElementKind::I1, {kRows, 3}, truths()}, x = {ElementKind::I64, {kRows, 3}, between(-9, 9)},
           ids = {ElementKind::I64, {kRows}, between(-4, 5)};
  cases.push_back(caseOfLines("nonzero", "matrix", ElementKind::I64, {mask},
                              "  %i = df.nonzero %x0 : (tensor<?x3xi1>) -> tensor<?x2xi64>\n"
                              "  %y = df.reduce_sum %i {axes = array<i64: 0>} : (tensor<?x2xi64>) -> tensor<2xi64>",
                              "tensor<2xi64>"));
  cases.push_back(caseOfLines("boolean_mask", "matrix", ElementKind::I64, {x, mask},
                              "  %i = df.boolean_mask %x0, %x1 : (tensor<?x3xi64>, tensor<?x3xi1>) -> tensor<?xi64>\n"
                              "  %n = df.mul %i, %i : tensor<?xi64>\n"
                              "  %y = df.reduce_sum %n {axes = array<i64: 0>} : (tensor<?xi64>) -> tensor<i64>",
                              "tensor<i64>"));
  cases.push_back(
      caseOfLines("dynamic_partition", "rows", ElementKind::I64, {x, ids},
                  "  %a, %b = df.dynamic_partition %x0, %x1 : (tensor<?x3xi64>, tensor<?xi64>) -> "
                  "(tensor<?x3xi64>, tensor<?x3xi64>)\n"
                  "  %c = df.reduce_sum %a {axes = array<i64: 0>} : (tensor<?x3xi64>) -> tensor<3xi64>\n"
                  "  %d = df.reduce_max %b {axes = array<i64: 0>} : (tensor<?x3xi64>) -> tensor<3xi64>\n"
                  "  %y = df.concat %c, %d {axis = 0 : i64} : (tensor<3xi64>, tensor<3xi64>) -> tensor<6xi64>",
                  "tensor<6xi64>"));
  for (auto &[values, fill] : {std::pair<const char *, Fill>{"", between(-4, 5)},
                               {"_of_one", between(4, 5)},
                               {"_apart", between(-1e15, 1e15)},
                               {"_special", special()}})
    for (const char *sorted : {"", " {sorted}"}) {
      OpCase unique = caseOfLines("unique", (sorted[0] ? "sorted" : "in_order") + std::string(values), ElementKind::I64,
                                  {{ElementKind::I64, {kRows}, fill}},
                                  "  %v, %i, %n = df.unique %x0" + std::string(sorted) +
                                      " : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)\n"
                                      "  %c = df.mul %v, %n : tensor<?xi64>\n"
                                      "  %y = df.reduce_sum %c {axes = array<i64: 0>} : (tensor<?xi64>) -> tensor<i64>",
                                  "tensor<i64>");
      unique.body = unique.body.substr(0, unique.body.find("\n  df.return")) +
                    "\n  df.return %y, %i : tensor<i64>, tensor<?xi64>";
      unique.results.push_back("tensor<?xi64>");
      cases.push_back(unique);
    }
  // Outputs whose size only the call knows.
  cases.push_back(caseOfLines("nonzero", "of_call", ElementKind::I64, {mask},
                              "  %y = df.nonzero %x0 : (tensor<?x3xi1>) -> tensor<?x2xi64>", "tensor<?x2xi64>"));
  // Enough to be counted by several tasks.
  cases.back().rows.push_back(10 * kManyRows);
  cases.push_back(caseOfLines("boolean_mask", "of_call", ElementKind::I64, {x, mask},
                              "  %y = df.boolean_mask %x0, %x1 : (tensor<?x3xi64>, tensor<?x3xi1>) -> tensor<?xi64>",
                              "tensor<?xi64>"));
  cases.push_back(caseOfLines("unique", "of_call", ElementKind::I64, {ids},
                              "  %y, %i, %n = df.unique %x0 : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, "
                              "tensor<?xi64>)",
                              "tensor<?xi64>"));
  Argument places = {ElementKind::I64, {kRows}, between(0, 9)};
  cases.push_back(caseOfLines("dynamic_stitch", "of_call", ElementKind::I64, {places, x, places, x},
                              "  %y = df.dynamic_stitch %x0, %x2 data %x1, %x3 : (tensor<?xi64>, tensor<?xi64>, "
                              "tensor<?x3xi64>, tensor<?x3xi64>) -> tensor<?x3xi64>",
                              "tensor<?x3xi64>"));
  cases.push_back(caseOfLines("require", "holds", ElementKind::I64, {{ElementKind::I64, {}, between(1, 9)}},
                              "  %zero = df.constant dense<0> : tensor<i64>\n"
                              "  %ok = df.compare gt, %x0, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
                              "  df.require %ok, \"must be positive\" : tensor<i1>\n"
                              "  %y = df.neg %x0 : tensor<i64>",
                              "tensor<i64>"));
  cases.push_back(caseOfLines("require_same_size", "holds", ElementKind::I64, {places, mask},
                              "  df.require_same_size %x0[0], %x1[0] for \"df.add\", \"equal\" : tensor<?xi64>, "
                              "tensor<?x3xi1>\n"
                              "  %y = df.neg %x0 : tensor<?xi64>",
                              "tensor<?xi64>"));
}

void mlc::execute::addIndexingCases(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::I1, ElementKind::I8, ElementKind::I32,
                           ElementKind::I64, ElementKind::String}) {
    if (kind != ElementKind::I8)
      addGathers(cases, kind);
    addScatters(cases, kind);
    if (kind != ElementKind::I1 && kind != ElementKind::String)
      addSegments(cases, kind);
  }
  addDataShapes(cases);
}
