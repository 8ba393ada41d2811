// Gradients through df.scan, df.while, df.remat and df.custom_gradient, in each other, against finite differences in
// f64. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GradientRules.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "mlc/Interpreter/GradientCheck.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Transforms/Passes.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

namespace {

/// A function @f whose first result is the loss. Dynamic dimensions are 2; integers are 3, ids 0, 1, 2, 0, ...
struct LoopCase {
  const char *name;
  const char *text;
  std::vector<std::string> variables = {};
  bool sparse = false;
};

void PrintTo(const LoopCase &which, std::ostream *os) { *os << which.name; }

} // namespace

#define LOSS_OF_ROWS(value, type)                                                                                      \
  "  %q = df.sin " value " : " type "\n  %loss = df.reduce_sum %q {axes = array<i64: 0, 1>} : (" type                  \
  ") -> tensor<f64>\n"

static const LoopCase kCases[] = {
    {"sums", R"(df.function @f(%z: tensor<2x3xf64>, %x: tensor<4x2x3xf64>) -> tensor<f64> {
  %h, %all = df.scan (%z) over (%x) : (tensor<2x3xf64>, tensor<4x2x3xf64>) -> (tensor<2x3xf64>, tensor<4x2x3xf64>) {
  ^bb0(%c: tensor<2x3xf64>, %r: tensor<2x3xf64>):
    %s = df.square %r : tensor<2x3xf64>
    %n = df.mul %c, %s : tensor<2x3xf64>
    %m = df.add %n, %r : tensor<2x3xf64>
    df.yield %m, %n : tensor<2x3xf64>, tensor<2x3xf64>
  }
  %a = df.reduce_sum %all {axes = array<i64: 0>} : (tensor<4x2x3xf64>) -> tensor<2x3xf64>
  %b = df.mul %a, %h : tensor<2x3xf64>
)" LOSS_OF_ROWS("%b", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }"},
    {"recurrent",
     R"(df.variable @w : tensor<3x3xf64> = #df.normal<0.0, 0.5>
df.function @f(%z: tensor<?x3xf64>, %x: tensor<5x?x3xf64>, %v: tensor<3x3xf64>) -> tensor<f64> {
  %h, %all = df.scan (%z) over (%x) {reverse} : (tensor<?x3xf64>, tensor<5x?x3xf64>) -> (tensor<?x3xf64>, tensor<5x?x3xf64>) {
  ^bb0(%c: tensor<?x3xf64>, %r: tensor<?x3xf64>):
    %w = df.read @w : tensor<3x3xf64>
    %a = df.matmul %c, %w : (tensor<?x3xf64>, tensor<3x3xf64>) -> tensor<?x3xf64>
    %b = df.matmul %r, %v : (tensor<?x3xf64>, tensor<3x3xf64>) -> tensor<?x3xf64>
    %s = df.add %a, %b : tensor<?x3xf64>
    %n = df.tanh %s : tensor<?x3xf64>
    df.yield %n, %s : tensor<?x3xf64>, tensor<?x3xf64>
  }
  %e = df.sigmoid %all : tensor<5x?x3xf64>
  %l1 = df.reduce_sum %e {axes = array<i64: 0, 1, 2>} : (tensor<5x?x3xf64>) -> tensor<f64>
  %l2 = df.reduce_sum %h {axes = array<i64: 0, 1>} : (tensor<?x3xf64>) -> tensor<f64>
  %loss = df.mul %l1, %l2 : tensor<f64>
  df.return %loss : tensor<f64> })",
     {"w"}},
    {"count", R"(df.function @f(%z: tensor<2x3xf64>, %x: tensor<5x2x3xf64>, %n: tensor<i64>) -> tensor<f64> {
  %h, %all = df.scan (%z) over (%x) count %n {reverse} : (tensor<2x3xf64>, tensor<5x2x3xf64>, tensor<i64>) -> (tensor<2x3xf64>, tensor<5x2x3xf64>) {
  ^bb0(%c: tensor<2x3xf64>, %r: tensor<2x3xf64>):
    %m = df.mul %c, %r : tensor<2x3xf64>
    %e = df.exp %m : tensor<2x3xf64>
    df.yield %e, %m : tensor<2x3xf64>, tensor<2x3xf64>
  }
  %a = df.reduce_sum %all {axes = array<i64: 0>} : (tensor<5x2x3xf64>) -> tensor<2x3xf64>
  %b = df.mul %a, %h : tensor<2x3xf64>
)" LOSS_OF_ROWS("%b", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }"},
    {"no_sequences", R"(df.function @f(%z: tensor<2x3xf64>, %n: tensor<i64>) -> tensor<f64> {
  %h, %all = df.scan (%z) count %n : (tensor<2x3xf64>, tensor<i64>) -> (tensor<2x3xf64>, tensor<?x2x3xf64>) {
  ^bb0(%c: tensor<2x3xf64>):
    %e = df.sin %c : tensor<2x3xf64>
    %m = df.add %e, %z : tensor<2x3xf64>
    df.yield %m, %e : tensor<2x3xf64>, tensor<2x3xf64>
  }
  %a = df.reduce_sum %all {axes = array<i64: 0>} : (tensor<?x2x3xf64>) -> tensor<2x3xf64>
  %b = df.mul %a, %h : tensor<2x3xf64>
)" LOSS_OF_ROWS("%b", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }"},
    {"while", R"(df.function @f(%z: tensor<2x3xf64>, %x: tensor<2x3xf64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = df.constant dense<0> : tensor<i64>
  %one = df.constant dense<1> : tensor<i64>
  %i, %h = df.while (%zero, %z) : (tensor<i64>, tensor<2x3xf64>) -> (tensor<i64>, tensor<2x3xf64>) {
  ^bb0(%k: tensor<i64>, %c: tensor<2x3xf64>):
    %go = df.compare lt, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%k: tensor<i64>, %c: tensor<2x3xf64>):
    %m = df.mul %c, %x : tensor<2x3xf64>
    %t = df.tanh %m : tensor<2x3xf64>
    %p = df.add %t, %x : tensor<2x3xf64>
    %next = df.add %k, %one : tensor<i64>
    df.yield %next, %p : tensor<i64>, tensor<2x3xf64>
  }
)" LOSS_OF_ROWS("%h", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }"},
    {"while_by_value", R"(df.function @f(%z: tensor<2x3xf64>) -> tensor<f64> {
  %limit = df.constant dense<40.0> : tensor<f64>
  %h = df.while (%z) {max_iterations = 50 : i64} : (tensor<2x3xf64>) -> tensor<2x3xf64> {
  ^bb0(%c: tensor<2x3xf64>):
    %q = df.square %c : tensor<2x3xf64>
    %s = df.reduce_sum %q {axes = array<i64: 0, 1>} : (tensor<2x3xf64>) -> tensor<f64>
    %go = df.compare lt, %s, %limit : (tensor<f64>, tensor<f64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%c: tensor<2x3xf64>):
    %e = df.exp %c : tensor<2x3xf64>
    %m = df.add %c, %e : tensor<2x3xf64>
    df.yield %m : tensor<2x3xf64>
  }
)" LOSS_OF_ROWS("%h", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }"},
    {"branch_in_scan", R"(df.function @f(%z: tensor<2x3xf64>, %x: tensor<4x2x3xf64>) -> tensor<f64> {
  %zero = df.constant dense<0> : tensor<i64>
  %one = df.constant dense<1> : tensor<i64>
  %i, %h = df.scan (%zero, %z) over (%x) : (tensor<i64>, tensor<2x3xf64>, tensor<4x2x3xf64>) -> (tensor<i64>, tensor<2x3xf64>) {
  ^bb0(%k: tensor<i64>, %c: tensor<2x3xf64>, %r: tensor<2x3xf64>):
    %first = df.compare lt, %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = df.if %first : (tensor<i1>) -> tensor<2x3xf64> {
      %s = df.sin %r : tensor<2x3xf64>
      df.yield %s : tensor<2x3xf64>
    } else {
      %p = df.mul %r, %c : tensor<2x3xf64>
      df.yield %p : tensor<2x3xf64>
    }
    %next = df.add %k, %one : tensor<i64>
    %n = df.add %b, %c : tensor<2x3xf64>
    df.yield %next, %n : tensor<i64>, tensor<2x3xf64>
  }
)" LOSS_OF_ROWS("%h", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }"},
    {"scan_in_branch", R"(df.function @f(%z: tensor<2x3xf64>, %x: tensor<4x2x3xf64>) -> tensor<f64> {
  %yes = df.constant dense<true> : tensor<i1>
  %h = df.if %yes : (tensor<i1>) -> tensor<2x3xf64> {
    %s = df.scan (%z) over (%x) : (tensor<2x3xf64>, tensor<4x2x3xf64>) -> tensor<2x3xf64> {
    ^bb0(%c: tensor<2x3xf64>, %r: tensor<2x3xf64>):
      %p = df.mul %r, %c : tensor<2x3xf64>
      %t = df.tanh %p : tensor<2x3xf64>
      %n = df.add %t, %r : tensor<2x3xf64>
      df.yield %n : tensor<2x3xf64>
    }
    df.yield %s : tensor<2x3xf64>
  } else {
    df.yield %z : tensor<2x3xf64>
  }
)" LOSS_OF_ROWS("%h", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }"},
    {"scan_in_scan",
     R"(df.function @f(%z: tensor<2x3xf64>, %x: tensor<3x4x2x3xf64>, %w: tensor<3x3xf64>) -> tensor<f64> {
  %h, %rows = df.scan (%z) over (%x) : (tensor<2x3xf64>, tensor<3x4x2x3xf64>) -> (tensor<2x3xf64>, tensor<3x4x2x3xf64>) {
  ^bb0(%c: tensor<2x3xf64>, %block: tensor<4x2x3xf64>):
    %s, %all = df.scan (%c) over (%block) {reverse} : (tensor<2x3xf64>, tensor<4x2x3xf64>) -> (tensor<2x3xf64>, tensor<4x2x3xf64>) {
    ^bb0(%d: tensor<2x3xf64>, %r: tensor<2x3xf64>):
      %p = df.matmul %d, %w : (tensor<2x3xf64>, tensor<3x3xf64>) -> tensor<2x3xf64>
      %a = df.add %p, %r : tensor<2x3xf64>
      %t = df.tanh %a : tensor<2x3xf64>
      df.yield %t, %p : tensor<2x3xf64>, tensor<2x3xf64>
    }
    %u = df.mul %s, %c : tensor<2x3xf64>
    df.yield %u, %all : tensor<2x3xf64>, tensor<4x2x3xf64>
  }
  %a = df.reduce_sum %rows {axes = array<i64: 0, 1>} : (tensor<3x4x2x3xf64>) -> tensor<2x3xf64>
  %b = df.add %a, %h : tensor<2x3xf64>
)" LOSS_OF_ROWS("%b", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }"},
    {"while_in_scan", R"(df.function @f(%z: tensor<2x3xf64>, %x: tensor<3x2x3xf64>) -> tensor<f64> {
  %limit = df.constant dense<9.0> : tensor<f64>
  %h = df.scan (%z) over (%x) : (tensor<2x3xf64>, tensor<3x2x3xf64>) -> tensor<2x3xf64> {
  ^bb0(%c: tensor<2x3xf64>, %r: tensor<2x3xf64>):
    %l = df.while (%r) {max_iterations = 9 : i64} : (tensor<2x3xf64>) -> tensor<2x3xf64> {
    ^bb0(%d: tensor<2x3xf64>):
      %q = df.square %d : tensor<2x3xf64>
      %s = df.reduce_sum %q {axes = array<i64: 0, 1>} : (tensor<2x3xf64>) -> tensor<f64>
      %go = df.compare lt, %s, %limit : (tensor<f64>, tensor<f64>) -> tensor<i1>
      df.condition %go : tensor<i1>
    } do {
    ^bb0(%d: tensor<2x3xf64>):
      %e = df.exp %d : tensor<2x3xf64>
      %m = df.add %e, %c : tensor<2x3xf64>
      df.yield %m : tensor<2x3xf64>
    }
    %t = df.tanh %l : tensor<2x3xf64>
    df.yield %t : tensor<2x3xf64>
  }
)" LOSS_OF_ROWS("%h", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }"},
    {"gathers",
     R"(df.variable @table : tensor<4x3xf64> = #df.normal<0.0, 1.0>
df.function @f(%z: tensor<?x3xf64>, %ids: tensor<5x?xi64>) -> tensor<f64> {
  %h = df.scan (%z) over (%ids) : (tensor<?x3xf64>, tensor<5x?xi64>) -> tensor<?x3xf64> {
  ^bb0(%c: tensor<?x3xf64>, %id: tensor<?xi64>):
    %e = df.read_rows @table[%id] : (tensor<?xi64>) -> tensor<?x3xf64>
    %p = df.mul %e, %c : tensor<?x3xf64>
    %t = df.tanh %p : tensor<?x3xf64>
    %n = df.add %t, %e : tensor<?x3xf64>
    df.yield %n : tensor<?x3xf64>
  }
)" LOSS_OF_ROWS("%h", "tensor<?x3xf64>") "df.return %loss : tensor<f64> }",
     {"table"},
     true},
    {"gathers_of_some_rows",
     R"(df.variable @table : tensor<4x3xf64> = #df.normal<0.0, 1.0>
df.function @f(%z: tensor<?x3xf64>, %ids: tensor<5x?xi64>, %n: tensor<i64>) -> tensor<f64> {
  %h = df.scan (%z) over (%ids) count %n : (tensor<?x3xf64>, tensor<5x?xi64>, tensor<i64>) -> tensor<?x3xf64> {
  ^bb0(%c: tensor<?x3xf64>, %id: tensor<?xi64>):
    %e = df.read_rows @table[%id] : (tensor<?xi64>) -> tensor<?x3xf64>
    %p = df.mul %e, %c : tensor<?x3xf64>
    %t = df.add %p, %e : tensor<?x3xf64>
    df.yield %t : tensor<?x3xf64>
  }
)" LOSS_OF_ROWS("%h", "tensor<?x3xf64>") "df.return %loss : tensor<f64> }",
     {"table"},
     true},
    {"gathers_of_padded_ids",
     R"(df.variable @table : tensor<4x3xf64> = #df.normal<0.0, 1.0>
df.function @f(%z: tensor<?x3xf64>, %ids: tensor<?x?xi64>) -> tensor<f64> {
  %h = df.scan (%z) over (%ids) : (tensor<?x3xf64>, tensor<?x?xi64>) -> tensor<?x3xf64> {
  ^bb0(%c: tensor<?x3xf64>, %id: tensor<?xi64>):
    %e = df.read_rows @table[%id] : (tensor<?xi64>) -> tensor<?x3xf64>
    %p = df.mul %e, %c : tensor<?x3xf64>
    %t = df.tanh %p : tensor<?x3xf64>
    %n = df.add %t, %e : tensor<?x3xf64>
    df.yield %n : tensor<?x3xf64>
  }
)" LOSS_OF_ROWS("%h", "tensor<?x3xf64>") "df.return %loss : tensor<f64> }",
     {"table"},
     true},
    {"gathers_of_padded_ids_dense",
     R"(df.variable @table : tensor<4x3xf64> = #df.normal<0.0, 1.0>
df.function @f(%z: tensor<?x3xf64>, %ids: tensor<?x?xi64>) -> tensor<f64> {
  %h = df.scan (%z) over (%ids) : (tensor<?x3xf64>, tensor<?x?xi64>) -> tensor<?x3xf64> {
  ^bb0(%c: tensor<?x3xf64>, %id: tensor<?xi64>):
    %e = df.read_rows @table[%id] : (tensor<?xi64>) -> tensor<?x3xf64>
    %p = df.mul %e, %c : tensor<?x3xf64>
    %t = df.tanh %p : tensor<?x3xf64>
    %n = df.add %t, %e : tensor<?x3xf64>
    df.yield %n : tensor<?x3xf64>
  }
)" LOSS_OF_ROWS("%h", "tensor<?x3xf64>") "df.return %loss : tensor<f64> }",
     {"table"}},
    {"checkpoint",
     R"(df.variable @w : tensor<3x3xf64> = #df.normal<0.0, 0.5>
df.function @f(%x: tensor<2x3xf64>, %y: tensor<2x3xf64>) -> tensor<f64> {
  %a, %b = df.remat : () -> (tensor<2x3xf64>, tensor<2x3xf64>) {
    %w = df.read @w : tensor<3x3xf64>
    %p = df.matmul %x, %w : (tensor<2x3xf64>, tensor<3x3xf64>) -> tensor<2x3xf64>
    %t = df.tanh %p : tensor<2x3xf64>
    %m = df.mul %t, %y : tensor<2x3xf64>
    %e = df.exp %m : tensor<2x3xf64>
    df.yield %t, %e : tensor<2x3xf64>, tensor<2x3xf64>
  }
  %c = df.mul %a, %b : tensor<2x3xf64>
)" LOSS_OF_ROWS("%c", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }",
     {"w"}},
    {"checkpoint_in_scan",
     R"(df.function @f(%z: tensor<2x3xf64>, %x: tensor<3x2x3xf64>, %w: tensor<3x3xf64>) -> tensor<f64> {
  %h = df.scan (%z) over (%x) : (tensor<2x3xf64>, tensor<3x2x3xf64>) -> tensor<2x3xf64> {
  ^bb0(%c: tensor<2x3xf64>, %r: tensor<2x3xf64>):
    %n = df.remat : () -> tensor<2x3xf64> {
      %p = df.matmul %c, %w : (tensor<2x3xf64>, tensor<3x3xf64>) -> tensor<2x3xf64>
      %s = df.add %p, %r : tensor<2x3xf64>
      %t = df.tanh %s : tensor<2x3xf64>
      df.yield %t : tensor<2x3xf64>
    }
    df.yield %n : tensor<2x3xf64>
  }
)" LOSS_OF_ROWS("%h", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }"},
    {"dropout_in_nested_scans",
     R"(df.function @f(%z: tensor<2x3xf64>, %x: tensor<3x4x2x3xf64>) -> tensor<f64> {
  %h = df.scan (%z) over (%x) {reverse} : (tensor<2x3xf64>, tensor<3x4x2x3xf64>) -> tensor<2x3xf64> {
  ^bb0(%c: tensor<2x3xf64>, %block: tensor<4x2x3xf64>):
    %s = df.scan (%c) over (%block) : (tensor<2x3xf64>, tensor<4x2x3xf64>) -> tensor<2x3xf64> {
    ^bb0(%d: tensor<2x3xf64>, %r: tensor<2x3xf64>):
      %u = df.random uniform "drop" like %d : (tensor<2x3xf64>) -> tensor<2x3xf64>
      %p = df.mul %d, %r : tensor<2x3xf64>
      %q = df.add %p, %r : tensor<2x3xf64>
      %n = df.mul %q, %u : tensor<2x3xf64>
      df.yield %n : tensor<2x3xf64>
    }
    df.yield %s : tensor<2x3xf64>
  }
)" LOSS_OF_ROWS("%h", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }"},
    {"random_in_while", R"(df.function @f(%z: tensor<2x3xf64>, %x: tensor<3x2x3xf64>) -> tensor<f64> {
  %h = df.scan (%z) over (%x) : (tensor<2x3xf64>, tensor<3x2x3xf64>) -> tensor<2x3xf64> {
  ^bb0(%c: tensor<2x3xf64>, %r: tensor<2x3xf64>):
    %zero = df.constant dense<0> : tensor<i64>
    %one = df.constant dense<1> : tensor<i64>
    %two = df.constant dense<2> : tensor<i64>
    %none = df.constant dense<0.0> : tensor<2x3xf64>
    %i, %noise = df.while (%zero, %none) : (tensor<i64>, tensor<2x3xf64>) -> (tensor<i64>, tensor<2x3xf64>) {
    ^bb0(%k: tensor<i64>, %a: tensor<2x3xf64>):
      %go = df.compare lt, %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
      df.condition %go : tensor<i1>
    } do {
    ^bb0(%k: tensor<i64>, %a: tensor<2x3xf64>):
      %u = df.random normal "noise" each_step : () -> tensor<2x3xf64>
      %b = df.add %a, %u : tensor<2x3xf64>
      %j = df.add %k, %one : tensor<i64>
      df.yield %j, %b : tensor<i64>, tensor<2x3xf64>
    }
    %p = df.mul %c, %noise : tensor<2x3xf64>
    %n = df.add %p, %r : tensor<2x3xf64>
    df.yield %n : tensor<2x3xf64>
  }
)" LOSS_OF_ROWS("%h", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }"},
    {"stacked_while", R"(df.function @f(%z: tensor<?x3xf64>, %x: tensor<?x3xf64>) -> tensor<f64> {
  %limit = df.constant dense<40.0> : tensor<f64>
  %h, %all, %n = df.while (%z) {max_iterations = 7 : i64} : (tensor<?x3xf64>) -> (tensor<?x3xf64>, tensor<7x?x3xf64>, tensor<i64>) {
  ^bb0(%c: tensor<?x3xf64>):
    %q = df.square %c : tensor<?x3xf64>
    %s = df.reduce_sum %q {axes = array<i64: 0, 1>} : (tensor<?x3xf64>) -> tensor<f64>
    %go = df.compare lt, %s, %limit : (tensor<f64>, tensor<f64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%c: tensor<?x3xf64>):
    %e = df.exp %c : tensor<?x3xf64>
    %m = df.add %c, %e : tensor<?x3xf64>
    %p = df.mul %m, %x : tensor<?x3xf64>
    df.yield %m, %p : tensor<?x3xf64>, tensor<?x3xf64>
  }
  %a = df.reduce_sum %all {axes = array<i64: 0>} : (tensor<7x?x3xf64>) -> tensor<?x3xf64>
  %b = df.add %a, %h : tensor<?x3xf64>
)" LOSS_OF_ROWS("%b", "tensor<?x3xf64>") "df.return %loss : tensor<f64> }"},
    {"custom_in_scan", R"(df.function @f(%z: tensor<2x3xf64>, %x: tensor<4x2x3xf64>) -> tensor<f64> {
  %h, %all = df.scan (%z) over (%x) : (tensor<2x3xf64>, tensor<4x2x3xf64>) -> (tensor<2x3xf64>, tensor<4x2x3xf64>) {
  ^bb0(%c: tensor<2x3xf64>, %r: tensor<2x3xf64>):
    %y, %k, %l = df.custom_gradient (%c, %r) {residuals = 2 : i64} : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>) {
    ^bb0(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>):
      %p = df.mul %a, %b : tensor<2x3xf64>
      %s = df.sin %p : tensor<2x3xf64>
      %o = df.cos %p : tensor<2x3xf64>
      %oa = df.mul %o, %a : tensor<2x3xf64>
      %ob = df.mul %o, %b : tensor<2x3xf64>
      df.yield %s, %ob, %oa : tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>
    } gradient {
    ^bb0(%ob: tensor<2x3xf64>, %oa: tensor<2x3xf64>, %g: tensor<2x3xf64>):
      %ga = df.mul %g, %ob : tensor<2x3xf64>
      %gb = df.mul %g, %oa : tensor<2x3xf64>
      df.yield %ga, %gb : tensor<2x3xf64>, tensor<2x3xf64>
    }
    %n = df.add %y, %r : tensor<2x3xf64>
    // The loss depends on a residual by another way, too.
    %m = df.add %n, %k : tensor<2x3xf64>
    df.yield %n, %m : tensor<2x3xf64>, tensor<2x3xf64>
  }
  %a = df.reduce_sum %all {axes = array<i64: 0>} : (tensor<4x2x3xf64>) -> tensor<2x3xf64>
  %b = df.mul %a, %h : tensor<2x3xf64>
)" LOSS_OF_ROWS("%b", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }"},
    {"scan_in_custom",
     R"(df.variable @w : tensor<3xf64> = #df.normal<0.0, 0.5>
df.function @f(%z: tensor<2x3xf64>, %x: tensor<4x2x3xf64>) -> tensor<f64> {
  %w = df.read @w : tensor<3xf64>
  %y, %k = df.custom_gradient (%z, %x) {residuals = 1 : i64} : (tensor<2x3xf64>, tensor<4x2x3xf64>) -> (tensor<2x3xf64>, tensor<4x2x3xf64>) {
  ^bb0(%a: tensor<2x3xf64>, %b: tensor<4x2x3xf64>):
    %s = df.scan (%a) over (%b) : (tensor<2x3xf64>, tensor<4x2x3xf64>) -> tensor<2x3xf64> {
    ^bb0(%c: tensor<2x3xf64>, %r: tensor<2x3xf64>):
      %t = df.square %r : tensor<2x3xf64>
      %n = df.add %c, %t : tensor<2x3xf64>
      df.yield %n : tensor<2x3xf64>
    }
    df.yield %s, %b : tensor<2x3xf64>, tensor<4x2x3xf64>
  } gradient {
  ^bb0(%b: tensor<4x2x3xf64>, %g: tensor<2x3xf64>):
    %none = df.constant dense<0.0> : tensor<2x3xf64>
    %ignored, %all = df.scan (%none) over (%b) : (tensor<2x3xf64>, tensor<4x2x3xf64>) -> (tensor<2x3xf64>, tensor<4x2x3xf64>) {
    ^bb0(%c: tensor<2x3xf64>, %r: tensor<2x3xf64>):
      %t = df.add %r, %r : tensor<2x3xf64>
      %n = df.mul %t, %g : tensor<2x3xf64>
      df.yield %c, %n : tensor<2x3xf64>, tensor<2x3xf64>
    }
    df.yield %g, %all : tensor<2x3xf64>, tensor<4x2x3xf64>
  }
  %v = df.broadcast %w dimensions = [1] : (tensor<3xf64>) -> tensor<2x3xf64>
  %h = df.mul %y, %v : tensor<2x3xf64>
)" LOSS_OF_ROWS("%h", "tensor<2x3xf64>") "df.return %loss : tensor<f64> }",
     {"w"}},
};

/// A value for an argument of this type.
static Tensor valueOf(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &size : shape)
    size = ShapedType::isDynamic(size) ? 2 : size;
  Tensor value(*elementKindOf(type.getElementType()), shape);
  for (int64_t i = 0, n = value.getNumElements(); i < n; ++i)
    if (isFloatKind(value.getKind()))
      value.setFloat(i, std::sin(1.7 * i + 0.3 * n) * 0.8);
    else
      value.setInteger(i, shape.empty() ? 3 : i % 3);
  return value;
}

class LoopGradients : public testing::TestWithParam<LoopCase> {};

TEST_P(LoopGradients, AgreeWithFiniteDifferences) {
  const LoopCase &which = GetParam();
  auto context = contextWithRules();
  OwningOpRef<ModuleOp> module = parseModule(*context, which.text);
  ASSERT_TRUE(module);
  GradientCheck check;
  check.function = "f";
  check.variables = which.variables;
  check.sparseVariables = which.sparse;
  std::vector<RuntimeValue> arguments;
  for (auto [i, type] : llvm::enumerate(module->lookupSymbol<df::FunctionOp>("f").getArgumentTypes())) {
    arguments.push_back(valueOf(cast<RankedTensorType>(type)));
    if (cast<RankedTensorType>(type).getElementType().isF64())
      check.arguments.push_back(i);
  }
  auto error = checkGradients(*module, check, arguments, State(*module, /*seed=*/3), [](ModuleOp copy) {
    if (failed(expandGradients(copy)))
      return failure();
    PassManager passes(copy.getContext());
    // What recomputation there is must survive what merges equal ops.
    passes.addPass(df::createDfSimplifyPass());
    passes.addPass(createCSEPass());
    return passes.run(copy);
  });
  ASSERT_TRUE(succeeded(error));
  EXPECT_LT(error->relative, check.tolerance)
      << error->where << '[' << error->index << "]: expanded " << error->expanded << ", numeric " << error->numeric;
  EXPECT_NE(error->where, "nothing");
}

INSTANTIATE_TEST_SUITE_P(Cases, LoopGradients, testing::ValuesIn(kCases),
                         [](const auto &info) { return std::string(info.param.name); });

/// Texts of the errors that expanding the gradients of `text` gives.
static std::vector<std::string> errorsOf(const std::string &text) {
  auto context = contextWithRules();
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors.push_back(diagnostic.str());
    return success();
  });
  OwningOpRef<ModuleOp> module = parseModule(*context, text);
  if (!module)
    return errors;
  PassManager passes(context.get());
  passes.addPass(df::createDfExpandGradientsPass());
  EXPECT_TRUE(failed(passes.run(*module)));
  return errors;
}

TEST(LoopGradientErrors, ABodyThatWritesState) {
  EXPECT_THAT(errorsOf(R"(df.variable @w : tensor<3xf64> = #df.constant<0.0>
df.function @f(%z: tensor<3xf64>, %x: tensor<4x3xf64>) -> tensor<3xf64> {
  %h = df.scan (%z) over (%x) : (tensor<3xf64>, tensor<4x3xf64>) -> tensor<3xf64> {
  ^bb0(%c: tensor<3xf64>, %r: tensor<3xf64>):
    %n = df.mul %c, %r : tensor<3xf64>
    df.assign @w, %n : tensor<3xf64>
    df.yield %n : tensor<3xf64>
  }
  %l = df.reduce_sum %h {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
  %g = df.gradients %l wrt [] %z : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  df.return %g : tensor<3xf64>
})"),
              testing::Contains(testing::HasSubstr("has no gradient: its body writes \"w\"")));
}
