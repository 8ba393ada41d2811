// df.if and df.while: nested, bounded, with state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

df.variable @runs : tensor<i64> = #df.constant<0.0>

// The sum of i * i for i in [0, 4) by a loop in a loop: 14.
// CHECK-LABEL: @nested
df.function @nested() -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %zero = df.constant dense<0> : tensor<i64>
  %one = df.constant dense<1> : tensor<i64>
  %four = df.constant dense<4> : tensor<i64>
  // CHECK-NEXT: 0: tensor<i64> 4
  // CHECK-NEXT: 1: tensor<i64> 14
  %i, %s = df.while (%zero, %zero) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %go = df.compare lt, %a, %four : (tensor<i64>, tensor<i64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %j, %t = df.while (%zero, %b) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
    ^bb0(%c: tensor<i64>, %d: tensor<i64>):
      %more = df.compare lt, %c, %a : (tensor<i64>, tensor<i64>) -> tensor<i1>
      df.condition %more : tensor<i1>
    } do {
    ^bb0(%c: tensor<i64>, %d: tensor<i64>):
      %c1 = df.add %c, %one : tensor<i64>
      %d1 = df.add %d, %a : tensor<i64>
      df.yield %c1, %d1 : tensor<i64>, tensor<i64>
    }
    %a1 = df.add %a, %one : tensor<i64>
    df.assign_add @runs, %one : tensor<i64>
    df.yield %a1, %t : tensor<i64>, tensor<i64>
  }
  %yes = df.compare eq, %i, %four : (tensor<i64>, tensor<i64>) -> tensor<i1>
  // CHECK-NEXT: 2: tensor<i64> 14
  %r = df.if %yes : (tensor<i1>) -> tensor<i64> {
    df.yield %s : tensor<i64>
  } else {
    df.assign @runs, %zero : tensor<i64>
    df.yield %zero : tensor<i64>
  }
  // CHECK-NEXT: @runs = tensor<i64> 4
  df.return %i, %s, %r : tensor<i64>, tensor<i64>, tensor<i64>
}

// CHECK-LABEL: @bounded
df.function @bounded() -> (tensor<i64>, tensor<i64>) {
  %zero = df.constant dense<0> : tensor<i64>
  %one = df.constant dense<1> : tensor<i64>
  %true = df.constant dense<true> : tensor<i1>
  // CHECK-NEXT: 0: tensor<i64> 3
  %three = df.while (%zero) {max_iterations = 3 : i64} : (tensor<i64>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>):
    df.condition %true : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>):
    %b = df.add %a, %one : tensor<i64>
    df.yield %b : tensor<i64>
  }
  // CHECK-NEXT: 1: tensor<i64> 0
  %none = df.while (%zero) {max_iterations = 0 : i64} : (tensor<i64>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>):
    df.condition %true : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>):
    df.yield %one : tensor<i64>
  }
  df.return %three, %none : tensor<i64>, tensor<i64>
}
