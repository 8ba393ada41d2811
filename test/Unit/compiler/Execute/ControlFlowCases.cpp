// Cases of df.if and df.while: values and state through branches and around loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;

static void add(std::vector<OpCase> &cases, const std::string &op, const std::string &name, const std::string &state,
                std::vector<Argument> arguments, const std::string &body, std::vector<std::string> results) {
  OpCase which;
  which.ops = {op};
  which.name = name;
  which.state = state;
  which.body = body;
  bool isDynamic = false;
  for (Argument &argument : arguments)
    isDynamic |= llvm::is_contained(argument.shape, kRows);
  which.arguments = std::move(arguments);
  which.results = std::move(results);
  // Both branches: conditions are random.
  which.rows = isDynamic ? std::vector<int64_t>{0, 1, 5, 8, 33, 130, 16, 7} : std::vector<int64_t>{1, 2, 3, 4, 5, 6};
  cases.push_back(std::move(which));
}

static void addBranches(std::vector<OpCase> &cases) {
  Argument condition = {ElementKind::I1, {}, truths()}, x = {ElementKind::F32, {kRows, 3}, between(-2, 2)},
           w = {ElementKind::F32, {3, 7}, between(-2, 2)};
  const std::string rows = "tensor<?x3xf32>", matrix = "tensor<3x7xf32>";
  add(cases, "if", "if_values", "", {condition, x},
      "%a, %b = df.if %x0 : (tensor<i1>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {\n"
      "  %e = df.exp %x1 : tensor<?x3xf32>\n  df.yield %e, %x1 : tensor<?x3xf32>, tensor<?x3xf32>\n} else {\n"
      "  %n = df.neg %x1 : tensor<?x3xf32>\n  %s = df.square %n : tensor<?x3xf32>\n"
      "  df.yield %x1, %s : tensor<?x3xf32>, tensor<?x3xf32>\n}\n"
      "%c = df.add %a, %b : tensor<?x3xf32>\ndf.return %a, %b, %c : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>",
      {rows, rows, rows});
  const std::string state = "df.variable @if_state_w : tensor<3x7xf32> = #df.normal<0.0, 1.0>\n"
                            "df.variable @if_state_n : tensor<i64> = #df.constant<0.0>";
  add(cases, "if", "if_state", state, {condition, w},
      "%old = df.read @if_state_w : tensor<3x7xf32>\n"
      "df.if %x0 : (tensor<i1>) -> () {\n  df.assign_add @if_state_w, %x1 : tensor<3x7xf32>\n  df.yield\n} else {\n"
      "  %one = df.constant dense<1> : tensor<i64>\n  df.assign_add @if_state_n, %one : tensor<i64>\n  df.yield\n}\n"
      "%new = df.read @if_state_w : tensor<3x7xf32>\n%d = df.sub %new, %old : tensor<3x7xf32>\n"
      "df.return %d : tensor<3x7xf32>",
      {matrix});
  add(cases, "if", "if_nested", "", {condition, condition, w},
      "%r = df.if %x0 : (tensor<i1>) -> tensor<3x7xf32> {\n"
      "  %i = df.if %x1 : (tensor<i1>) -> tensor<3x7xf32> {\n    %a = df.neg %x2 : tensor<3x7xf32>\n"
      "    df.yield %a : tensor<3x7xf32>\n  } else {\n    df.yield %x2 : tensor<3x7xf32>\n  }\n"
      "  %b = df.add %i, %i : tensor<3x7xf32>\n  df.yield %b : tensor<3x7xf32>\n} else {\n"
      "  %c = df.square %x2 : tensor<3x7xf32>\n  df.yield %c : tensor<3x7xf32>\n}\ndf.return %r : tensor<3x7xf32>",
      {matrix});
  // A service and a product within a branch; a temporary of the other branch may share their memory.
  add(cases, "if", "if_kernels", "df.variable @if_kernels_t : tensor<9x3xf32> = #df.normal<0.0, 1.0>",
      {condition, {ElementKind::I64, {kRows}, between(0, 9)}, x, {ElementKind::F32, {3, 3}, between(-1, 1)}},
      "%r = df.if %x0 : (tensor<i1>) -> tensor<?x3xf32> {\n"
      "  %h = df.fingerprint %x1 : (tensor<?xi64>) -> tensor<?xi64>\n"
      "  %id = df.hash_bucket %h {buckets = 9 : i64} : tensor<?xi64>\n"
      "  %e = df.read_rows @if_kernels_t[%id] : (tensor<?xi64>) -> tensor<?x3xf32>\n"
      "  df.yield %e : tensor<?x3xf32>\n} else {\n"
      "  %p = df.matmul %x2, %x3 : (tensor<?x3xf32>, tensor<3x3xf32>) -> tensor<?x3xf32>\n"
      "  %q = df.matmul %p, %x3 : (tensor<?x3xf32>, tensor<3x3xf32>) -> tensor<?x3xf32>\n"
      "  df.yield %q : tensor<?x3xf32>\n}\n%s = df.mul %r, %x2 : tensor<?x3xf32>\n"
      "df.return %s : tensor<?x3xf32>",
      {rows});
}

/// A loop over i from 0 to %n: `%<i>, ... = while` with the carried values `inits` of `types`; `next` makes %n0, %n1,
/// ... of %c0, %c1, ... .
static std::string loop(const std::string &results, const std::vector<std::string> &inits,
                        const std::vector<std::string> &types, const std::string &next,
                        const std::string &attributes = "") {
  std::string values = "%zero", allTypes = "tensor<i64>", arguments = "%i: tensor<i64>", nexts = "%i1";
  for (auto [k, init] : llvm::enumerate(inits)) {
    values += ", " + init;
    allTypes += ", " + types[k];
    arguments += ", %c" + std::to_string(k) + ": " + types[k];
    nexts += ", %n" + std::to_string(k);
  }
  return "%zero = df.constant dense<0> : tensor<i64>\n%one = df.constant dense<1> : tensor<i64>\n%last, " + results +
         " = df.while (" + values + ")" + attributes + " : (" + allTypes + ") -> (" + allTypes + ") {\n^bb0(" +
         arguments +
         "):\n  %go = df.compare lt, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>\n  df.condition %go : "
         "tensor<i1>\n"
         "} do {\n^bb0(" +
         arguments + "):\n" + next + "\n  %i1 = df.add %i, %one : tensor<i64>\n  df.yield " + nexts + " : " + allTypes +
         "\n}\n";
}

static void addLoops(std::vector<OpCase> &cases) {
  Argument count = {ElementKind::I64, {}, between(0, 6)}, x = {ElementKind::F32, {kRows, 3}, between(-1, 1)}, y = x,
           w = {ElementKind::F32, {3, 3}, between(-1, 1)};
  const std::string rows = "tensor<?x3xf32>", scalar = "tensor<i64>";
  const std::string n = "%n = df.reshape %x0 : (tensor<i64>) -> tensor<i64>\n";
  add(cases, "while", "while_counts", "", {count},
      n + loop("%f", {"%x0"}, {scalar}, "  %n0 = df.mul %c0, %i : tensor<i64>") +
          "df.return %last, %f : tensor<i64>, tensor<i64>",
      {scalar, scalar});
  // Values go crosswise round the loop: each iteration needs both old ones.
  add(cases, "while", "while_swaps", "", {count, x, y},
      n +
          loop("%a, %b", {"%x1", "%x2"}, {rows, rows},
               "  %n0 = df.add %c1, %c1 : tensor<?x3xf32>\n  %n1 = df.sub %c0, %c1 : tensor<?x3xf32>") +
          "df.return %a, %b : tensor<?x3xf32>, tensor<?x3xf32>",
      {rows, rows});
  add(cases, "while", "while_only_swaps", "", {count, x, y},
      n + "%s = df.square %x1 : tensor<?x3xf32>\n" +
          loop("%a, %b", {"%s", "%x2"}, {rows, rows},
               "  %n0 = df.add %c1, %x1 : tensor<?x3xf32>\n  %n1 = df.reshape %c0 : (tensor<?x3xf32>) -> "
               "tensor<?x3xf32>") +
          "df.return %a, %b, %s : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>",
      {rows, rows, rows});
  add(cases, "while", "while_products", "", {count, x, w},
      n +
          loop("%a", {"%x1"}, {rows},
               "  %p = df.matmul %c0, %x2 : (tensor<?x3xf32>, tensor<3x3xf32>) -> tensor<?x3xf32>\n"
               "  %n0 = df.tanh %p : tensor<?x3xf32>") +
          "df.return %a, %x1 : tensor<?x3xf32>, tensor<?x3xf32>",
      {rows, rows});
  cases.back().bound.absolute = 64; // tanh of products of three terms, six times
  add(cases, "while", "while_bounded", "", {count, x},
      n + loop("%a", {"%x1"}, {rows}, "  %n0 = df.add %c0, %x1 : tensor<?x3xf32>", " {max_iterations = 3 : i64}") +
          "df.return %a, %last : tensor<?x3xf32>, tensor<i64>",
      {rows, scalar});
  add(cases, "while", "while_state",
      "df.variable @while_state_w : tensor<3x3xf32> = #df.normal<0.0, 1.0>\n"
      "df.variable @while_state_v : tensor<3x3xf32> = #df.constant<1.0>",
      {count, w},
      n + "%old = df.read @while_state_w : tensor<3x3xf32>\n" +
          loop(
              "%a", {"%x1"}, {"tensor<3x3xf32>"},
              "  %r = df.read @while_state_w : tensor<3x3xf32>\n  %s = df.read @while_state_v : tensor<3x3xf32>\n"
              "  df.assign @while_state_v, %r : tensor<3x3xf32>\n  df.assign_sub @while_state_w, %s : tensor<3x3xf32>\n"
              "  %n0 = df.add %c0, %s : tensor<3x3xf32>") +
          "df.return %a, %old : tensor<3x3xf32>, tensor<3x3xf32>",
      {"tensor<3x3xf32>", "tensor<3x3xf32>"});
  add(cases, "while", "while_branches", "", {count, x},
      n +
          loop("%a", {"%x1"}, {rows},
               "  %odd = df.compare eq, %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
               "  %n0 = df.if %odd : (tensor<i1>) -> tensor<?x3xf32> {\n    %t = df.neg %c0 : tensor<?x3xf32>\n"
               "    df.yield %t : tensor<?x3xf32>\n  } else {\n    %t = df.add %c0, %x1 : tensor<?x3xf32>\n"
               "    df.yield %t : tensor<?x3xf32>\n  }") +
          "df.return %a : tensor<?x3xf32>",
      {rows});
  add(cases, "while", "while_nested", "", {count},
      n +
          loop("%f", {"%x0"}, {scalar},
               "  %z, %n0 = df.while (%zero, %c0) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {\n"
               "  ^bb0(%j: tensor<i64>, %d: tensor<i64>):\n"
               "    %more = df.compare lt, %j, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
               "    df.condition %more : tensor<i1>\n  } do {\n  ^bb0(%j: tensor<i64>, %d: tensor<i64>):\n"
               "    %j1 = df.add %j, %one : tensor<i64>\n    %d1 = df.add %d, %i : tensor<i64>\n"
               "    df.yield %j1, %d1 : tensor<i64>, tensor<i64>\n  }") +
          "df.return %f : tensor<i64>",
      {scalar});
  add(cases, "while", "while_services", "", {count, {ElementKind::I64, {kRows}, special()}},
      n + loop("%h", {"%x1"}, {"tensor<?xi64>"}, "  %n0 = df.fingerprint %c0 : (tensor<?xi64>) -> tensor<?xi64>") +
          "df.return %h : tensor<?xi64>",
      {"tensor<?xi64>"});
}

/// A recurrent layer: tanh(h w + x) over time, with what is stacked.
static std::string recurrent(const std::string &operands, const std::string &types, const std::string &results) {
  return "%h, %all = df.scan " + operands + " : " + types + " -> " + results +
         " {\n^bb0(%c: tensor<?x3xf32>, %r: tensor<?x3xf32>):\n"
         "  %p = df.matmul %c, %x2 : (tensor<?x3xf32>, tensor<3x3xf32>) -> tensor<?x3xf32>\n"
         "  %s = df.add %p, %r : tensor<?x3xf32>\n  %n = df.tanh %s : tensor<?x3xf32>\n"
         "  df.yield %n, %c : tensor<?x3xf32>, tensor<?x3xf32>\n}\n";
}

static void addScans(std::vector<OpCase> &cases) {
  Argument h = {ElementKind::F32, {kRows, 3}, between(-1, 1)}, x = {ElementKind::F32, {5, kRows, 3}, between(-1, 1)},
           w = {ElementKind::F32, {3, 3}, between(-1, 1)}, count = {ElementKind::I64, {}, between(0, 6)};
  const std::string rows = "tensor<?x3xf32>", stacked = "tensor<5x?x3xf32>";
  const std::string results = "(" + rows + ", " + stacked + ")", end = "df.return %h, %all : " + rows + ", " + stacked;
  add(cases, "scan", "scan_forward", "", {h, x, w},
      recurrent("(%x0) over (%x1)", "(" + rows + ", " + stacked + ")", results) + end, {rows, stacked});
  cases.back().bound.absolute = 64; // tanh of products, five times
  add(cases, "scan", "scan_reverse", "", {h, x, w},
      recurrent("(%x0) over (%x1) {reverse}", "(" + rows + ", " + stacked + ")", results) + end, {rows, stacked});
  cases.back().bound.absolute = 64;
  add(cases, "scan", "scan_count", "", {h, x, w, count},
      recurrent("(%x0) over (%x1) count %x3 {reverse}", "(" + rows + ", " + stacked + ", tensor<i64>)", results) + end,
      {rows, stacked});
  cases.back().bound.absolute = 64;
  // Rows of the batch are the iterations; truth values, integers and scalars go round, too.
  add(cases, "scan", "scan_over_rows", "", {{ElementKind::F32, {kRows}, between(-1, 1)}},
      "%zero = df.constant dense<0> : tensor<i64>\n%f = df.constant dense<0.0> : tensor<f32>\n"
      "%no = df.constant dense<false> : tensor<i1>\n"
      "%n, %s, %up, %sums, %ups = df.scan (%zero, %f, %no) over (%x0) : (tensor<i64>, tensor<f32>, tensor<i1>, "
      "tensor<?xf32>) -> (tensor<i64>, tensor<f32>, tensor<i1>, tensor<?xf32>, tensor<?xi1>) {\n"
      "^bb0(%i: tensor<i64>, %sum: tensor<f32>, %was: tensor<i1>, %r: tensor<f32>):\n"
      "  %one = df.constant dense<1> : tensor<i64>\n  %next = df.add %i, %one : tensor<i64>\n"
      "  %t = df.add %sum, %r : tensor<f32>\n"
      "  %now = df.compare gt, %t, %sum : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "  %both = df.logical_and %now, %was : tensor<i1>\n"
      "  df.yield %next, %t, %now, %t, %both : tensor<i64>, tensor<f32>, tensor<i1>, tensor<f32>, tensor<i1>\n}\n"
      "df.return %n, %s, %up, %sums, %ups : tensor<i64>, tensor<f32>, tensor<i1>, tensor<?xf32>, tensor<?xi1>",
      {"tensor<i64>", "tensor<f32>", "tensor<i1>", "tensor<?xf32>", "tensor<?xi1>"});
  // Stacks of rows whose dynamic dimension is another one of what it comes from.
  add(cases, "scan", "scan_moved_axes", "", {h, count},
      "%all, %places = df.scan () count %x1 : (tensor<i64>) -> (tensor<?x4x?xf32>, tensor<?x?xi64>) {\n"
      "  %p = df.argmax %x0 {axis = 1 : i64} : (tensor<?x3xf32>) -> tensor<?xi64>\n"
      "  %o = df.one_hot %p {axis = 0 : i64} : (tensor<?xi64>) -> tensor<4x?xf32>\n"
      "  %q = df.argmax %o {axis = 0 : i64} : (tensor<4x?xf32>) -> tensor<?xi64>\n"
      "  df.yield %o, %q : tensor<4x?xf32>, tensor<?xi64>\n}\n"
      "df.return %all, %places : tensor<?x4x?xf32>, tensor<?x?xi64>",
      {"tensor<?x4x?xf32>", "tensor<?x?xi64>"});
  // As many rows as the call says: the output's size is the call's.
  add(cases, "scan", "scan_of_call", "", {h, count},
      "%h, %all = df.scan (%x0) count %x1 : (tensor<?x3xf32>, tensor<i64>) -> (tensor<?x3xf32>, tensor<?x?x3xf32>) {\n"
      "^bb0(%c: tensor<?x3xf32>):\n  %n = df.add %c, %x0 : tensor<?x3xf32>\n"
      "  df.yield %n, %c : tensor<?x3xf32>, tensor<?x3xf32>\n}\ndf.return %h, %all : tensor<?x3xf32>, "
      "tensor<?x?x3xf32>",
      {rows, "tensor<?x?x3xf32>"});
  add(cases, "scan", "scan_nested", "", {h, x, w},
      "%all = df.scan () over (%x1) : (tensor<5x?x3xf32>) -> tensor<5x5x?x3xf32> {\n^bb0(%r: tensor<?x3xf32>):\n"
      "  %l, %in = df.scan (%r) over (%x1) {reverse} : (tensor<?x3xf32>, tensor<5x?x3xf32>) -> (tensor<?x3xf32>, "
      "tensor<5x?x3xf32>) {\n  ^bb0(%c: tensor<?x3xf32>, %q: tensor<?x3xf32>):\n"
      "    %m = df.mul %c, %q : tensor<?x3xf32>\n    df.yield %m, %m : tensor<?x3xf32>, tensor<?x3xf32>\n  }\n"
      "  df.yield %in : tensor<5x?x3xf32>\n}\ndf.return %all : tensor<5x5x?x3xf32>",
      {"tensor<5x5x?x3xf32>"});
  add(cases, "scan", "scan_state",
      "df.variable @scan_state_w : tensor<3x3xf32> = #df.normal<0.0, 1.0>\n"
      "df.variable @scan_state_n : tensor<i64> = #df.constant<0.0>",
      {{ElementKind::F32, {4, 3, 3}, between(-1, 1)}},
      "%one = df.constant dense<1> : tensor<i64>\n"
      "%all = df.scan () over (%x0) : (tensor<4x3x3xf32>) -> tensor<4x3x3xf32> {\n^bb0(%r: tensor<3x3xf32>):\n"
      "  %old = df.read @scan_state_w : tensor<3x3xf32>\n  df.assign_add @scan_state_w, %r : tensor<3x3xf32>\n"
      "  df.assign_add @scan_state_n, %one : tensor<i64>\n  df.yield %old : tensor<3x3xf32>\n}\n"
      "df.return %all : tensor<4x3x3xf32>",
      {"tensor<4x3x3xf32>"});
  // A loop forwards and one backwards, with what the first keeps for the second.
  add(cases, "scan", "scan_gradient", "", {h, x, w},
      recurrent("(%x0) over (%x1)", "(" + rows + ", " + stacked + ")", results) +
          "%q = df.square %all : tensor<5x?x3xf32>\n"
          "%l1 = df.reduce_sum %q {axes = array<i64: 0, 1, 2>} : (tensor<5x?x3xf32>) -> tensor<f32>\n"
          "%l2 = df.reduce_sum %h {axes = array<i64: 0, 1>} : (tensor<?x3xf32>) -> tensor<f32>\n"
          "%l = df.add %l1, %l2 : tensor<f32>\n"
          "%dh, %dx, %dw = df.gradients %l wrt [] %x0, %x1, %x2 : (tensor<f32>, tensor<?x3xf32>, tensor<5x?x3xf32>, "
          "tensor<3x3xf32>) -> (tensor<?x3xf32>, tensor<5x?x3xf32>, tensor<3x3xf32>)\n"
          "df.return %dh, %dx, %dw : tensor<?x3xf32>, tensor<5x?x3xf32>, tensor<3x3xf32>",
      {rows, stacked, "tensor<3x3xf32>"});
  cases.back().bound.absolute = 4096;
  cases.back().bound.termsOfRow = 64;
  add(cases, "while", "while_gradient", "", {count, h, w},
      "%n = df.reshape %x0 : (tensor<i64>) -> tensor<i64>\n" +
          loop("%a", {"%x1"}, {rows},
               "  %p = df.matmul %c0, %x2 : (tensor<?x3xf32>, tensor<3x3xf32>) -> tensor<?x3xf32>\n"
               "  %n0 = df.tanh %p : tensor<?x3xf32>") +
          "%l = df.reduce_sum %a {axes = array<i64: 0, 1>} : (tensor<?x3xf32>) -> tensor<f32>\n"
          "%dh = df.gradients %l wrt [] %x1 : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>\n"
          "df.return %dh : tensor<?x3xf32>",
      {rows});
  cases.back().bound.absolute = 4096;
  add(cases, "remat", "remat_gradient", "", {h, h},
      "%y = df.remat : () -> tensor<?x3xf32> {\n  %t = df.tanh %x0 : tensor<?x3xf32>\n"
      "  %m = df.mul %t, %x1 : tensor<?x3xf32>\n  %e = df.exp %m : tensor<?x3xf32>\n  df.yield %e : "
      "tensor<?x3xf32>\n}\n"
      "%l = df.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<?x3xf32>) -> tensor<f32>\n"
      "%da, %db = df.gradients %l wrt [] %x0, %x1 : (tensor<f32>, tensor<?x3xf32>, tensor<?x3xf32>) -> "
      "(tensor<?x3xf32>, tensor<?x3xf32>)\ndf.return %y, %da, %db : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>",
      {rows, rows, rows});
  // The gradient of x stop(tanh y) + stop(x) y for x is tanh y and for y stop(x), bit for bit.
  add(cases, "stop_gradient", "stop_gradient", "", {h, h},
      "%t = df.tanh %x1 : tensor<?x3xf32>\n%s = df.stop_gradient %t : tensor<?x3xf32>\n"
      "%u = df.stop_gradient %x0 : tensor<?x3xf32>\n%a = df.mul %x0, %s : tensor<?x3xf32>\n"
      "%b = df.mul %u, %x1 : tensor<?x3xf32>\n%z = df.add %a, %b : tensor<?x3xf32>\n"
      "%l = df.reduce_sum %z {axes = array<i64: 0, 1>} : (tensor<?x3xf32>) -> tensor<f32>\n"
      "%da, %db = df.gradients %l wrt [] %x0, %x1 : (tensor<f32>, tensor<?x3xf32>, tensor<?x3xf32>) -> "
      "(tensor<?x3xf32>, tensor<?x3xf32>)\n"
      "%ea = df.sub %da, %t : tensor<?x3xf32>\n%eb = df.sub %db, %x0 : tensor<?x3xf32>\n"
      "df.return %z, %da, %db, %ea, %eb : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, "
      "tensor<?x3xf32>",
      {rows, rows, rows, rows, rows});
  add(cases, "optimization_barrier", "optimization_barrier", "", {h, h},
      "%y = df.optimization_barrier %x0, %x1 : tensor<?x3xf32>, tensor<?x3xf32>\n%z = df.add %y, %x0 : "
      "tensor<?x3xf32>\n"
      "df.return %y, %z : tensor<?x3xf32>, tensor<?x3xf32>",
      {rows, rows});
}

/// Loops whose iterations overlap: of each factor the interpreter's bits, for numbers of rows that it divides or not.
static void addParallelIterations(std::vector<OpCase> &cases) {
  Argument x = {ElementKind::F32, {kRows, 4, 5}, between(-1, 1)}, w = {ElementKind::F32, {5, 5}, between(-1, 1)},
           start = {ElementKind::F32, {4, 5}, between(-1, 1)};
  for (int factor : {1, 2, 3, 7})
    for (const char *direction : {"", " {reverse}"})
      add(cases, "scan", "scan_parallel_" + std::to_string(factor) + (*direction ? "_reverse" : ""), "", {x, w, start},
          "%last, %all = df.scan (%x2) over (%x0) parallel_iterations " + std::to_string(factor) + direction +
              " : (tensor<4x5xf32>, tensor<?x4x5xf32>) -> (tensor<4x5xf32>, tensor<?x4x5xf32>) {\n"
              "^bb0(%sum: tensor<4x5xf32>, %row: tensor<4x5xf32>):\n"
              "  %p = df.matmul %row, %x1 : (tensor<4x5xf32>, tensor<5x5xf32>) -> tensor<4x5xf32>\n"
              "  %q = df.matmul %p, %x1 : (tensor<4x5xf32>, tensor<5x5xf32>) -> tensor<4x5xf32>\n"
              "  %n = df.add %sum, %q : tensor<4x5xf32>\n"
              "  df.yield %n, %p : tensor<4x5xf32>, tensor<4x5xf32>\n}\n"
              "df.return %last, %all : tensor<4x5xf32>, tensor<?x4x5xf32>",
          {"tensor<4x5xf32>", "tensor<?x4x5xf32>"});
}

/// Loops of unknown length with stacked results, and functions with backward functions of their own; with gradients,
/// too.
static void addStacksAndCustomGradients(std::vector<OpCase> &cases) {
  Argument x = {ElementKind::F32, {kRows, 3}, between(0, 1)}, limit = {ElementKind::F32, {}, between(1, 40)};
  const std::string rows = "tensor<?x3xf32>", all = "tensor<9x?x3xf32>", number = "tensor<i64>";
  const std::string stacked =
      "%last, %all, %are, %n = df.while (%x0) {max_iterations = 9 : i64} : (tensor<?x3xf32>) -> (tensor<?x3xf32>, "
      "tensor<9x?x3xf32>, tensor<9x?xi1>, tensor<i64>) {\n"
      "^bb0(%c: tensor<?x3xf32>):\n"
      "  %largest = df.reduce_max %c {axes = array<i64: 0, 1>} : (tensor<?x3xf32>) -> tensor<f32>\n"
      "  %go = df.compare lt, %largest, %x1 : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "  df.condition %go : tensor<i1>\n} do {\n"
      "^bb0(%c: tensor<?x3xf32>):\n"
      "  %d = df.add %c, %c : tensor<?x3xf32>\n  %s = df.square %d : tensor<?x3xf32>\n"
      "  %first = df.reduce_max %d {axes = array<i64: 1>} : (tensor<?x3xf32>) -> tensor<?xf32>\n"
      "  %one = df.constant dense<1.0> : tensor<f32>\n"
      "  %ones = df.broadcast %one like %first dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>\n"
      "  %is = df.compare gt, %first, %ones : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>\n"
      "  df.yield %d, %s, %is : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?xi1>\n}\n";
  add(cases, "while", "while_stacked", "", {x, limit},
      stacked + "df.return %last, %all, %are, %n : tensor<?x3xf32>, tensor<9x?x3xf32>, tensor<9x?xi1>, tensor<i64>",
      {rows, all, "tensor<9x?xi1>", number});
  add(cases, "while", "while_stacked_gradient", "", {x, limit},
      stacked + "%sum = df.reduce_sum %all {axes = array<i64: 0>} : (tensor<9x?x3xf32>) -> tensor<?x3xf32>\n"
                "%product = df.mul %sum, %last : tensor<?x3xf32>\n"
                "%loss = df.reduce_sum %product {axes = array<i64: 0, 1>} : (tensor<?x3xf32>) -> tensor<f32>\n"
                "%g = df.gradients %loss wrt [] %x0 : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>\n"
                "df.return %g : tensor<?x3xf32>",
      {rows});
  add(cases, "custom_gradient", "custom_gradient_of_rows", "", {x},
      "%y, %k = df.custom_gradient (%x0) {residuals = 1 : i64} : (tensor<?x3xf32>) -> (tensor<?x3xf32>, "
      "tensor<?x3xf32>) {\n^bb0(%a: tensor<?x3xf32>):\n  %e = df.exp %a : tensor<?x3xf32>\n"
      "  df.yield %e, %e : tensor<?x3xf32>, tensor<?x3xf32>\n} gradient {\n"
      "^bb0(%e: tensor<?x3xf32>, %c: tensor<?x3xf32>):\n  %t = df.mul %e, %c : tensor<?x3xf32>\n"
      "  %d = df.neg %t : tensor<?x3xf32>\n  df.yield %d : tensor<?x3xf32>\n}\n"
      "%s = df.square %y : tensor<?x3xf32>\n"
      "%loss = df.reduce_sum %s {axes = array<i64: 0, 1>} : (tensor<?x3xf32>) -> tensor<f32>\n"
      "%g = df.gradients %loss wrt [] %x0 : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>\n"
      "df.return %y, %g : tensor<?x3xf32>, tensor<?x3xf32>",
      {rows, rows});
  // Its first region alone where nothing is differentiated, and in a loop whose gradient is by the second one.
  Argument z = {ElementKind::F64, {4}, between(-1, 1)}, sequence = {ElementKind::F64, {kRows, 4}, between(-1, 1)};
  const std::string scanned =
      "%h = df.scan (%x0) over (%x1) : (tensor<4xf64>, tensor<?x4xf64>) -> tensor<4xf64> {\n"
      "^bb0(%c: tensor<4xf64>, %r: tensor<4xf64>):\n"
      "  %y, %k = df.custom_gradient (%c, %r) {residuals = 1 : i64} : (tensor<4xf64>, tensor<4xf64>) -> "
      "(tensor<4xf64>, tensor<4xf64>) {\n  ^bb0(%a: tensor<4xf64>, %b: tensor<4xf64>):\n"
      "    %p = df.add %a, %b : tensor<4xf64>\n    %t = df.tanh %p : tensor<4xf64>\n"
      "    df.yield %t, %t : tensor<4xf64>, tensor<4xf64>\n  } gradient {\n"
      "  ^bb0(%t: tensor<4xf64>, %g: tensor<4xf64>):\n    %m = df.mul %t, %g : tensor<4xf64>\n"
      "    df.yield %m, %g : tensor<4xf64>, tensor<4xf64>\n  }\n  df.yield %y : tensor<4xf64>\n}\n";
  add(cases, "custom_gradient", "custom_gradient_alone", "", {z, sequence}, scanned + "df.return %h : tensor<4xf64>",
      {"tensor<4xf64>"});
  add(cases, "custom_gradient", "custom_gradient_in_scan", "", {z, sequence},
      scanned + "%loss = df.reduce_sum %h {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>\n"
                "%g0, %g1 = df.gradients %loss wrt [] %x0, %x1 : (tensor<f64>, tensor<4xf64>, tensor<?x4xf64>) -> "
                "(tensor<4xf64>, tensor<?x4xf64>)\ndf.return %g0, %g1 : tensor<4xf64>, tensor<?x4xf64>",
      {"tensor<4xf64>", "tensor<?x4xf64>"});
}

void mlc::execute::addControlFlowCases(std::vector<OpCase> &cases) {
  addParallelIterations(cases);
  addBranches(cases);
  addLoops(cases);
  addScans(cases);
  addStacksAndCustomGradients(cases);
}
