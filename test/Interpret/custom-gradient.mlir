// Values of df.custom_gradient and of the gradients that its backward functions say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-decompose=keep-differentiable --df-expand-gradients --df-interpret -o /dev/null | FileCheck %s

// ln(1 + e^x), whose gradient does not overflow; the integers have none.
// CHECK-LABEL: @log1pexp
df.function @log1pexp() -> (tensor<2xf64>, tensor<2xi64>, tensor<2xf64>) {
  %x = df.constant dense<[0.0, 1000.0]> : tensor<2xf64>
  %i = df.constant dense<[3, 4]> : tensor<2xi64>
  // CHECK-NEXT: 0: tensor<2xf64> [0.693147180559945{{[0-9]*}}, inf]
  // CHECK-NEXT: 1: tensor<2xi64> [3, 4]
  %y, %j, %kept = df.custom_gradient (%x, %i) {residuals = 1 : i64} : (tensor<2xf64>, tensor<2xi64>) -> (tensor<2xf64>, tensor<2xi64>, tensor<2xf64>) {
  ^bb0(%a: tensor<2xf64>, %b: tensor<2xi64>):
    %e = df.exp %a : tensor<2xf64>
    %l = df.log1p %e : tensor<2xf64>
    df.yield %l, %b, %a : tensor<2xf64>, tensor<2xi64>, tensor<2xf64>
  } gradient {
  ^bb0(%a: tensor<2xf64>, %cotangent: tensor<2xf64>):
    %s = df.sigmoid %a : tensor<2xf64>
    %g = df.mul %cotangent, %s : tensor<2xf64>
    df.yield %g : tensor<2xf64>
  }
  %loss = df.reduce_sum %y {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  // CHECK-NEXT: 2: tensor<2xf64> [0.5, 1]
  %g = df.gradients %loss wrt [] %x : (tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
  df.return %y, %j, %g : tensor<2xf64>, tensor<2xi64>, tensor<2xf64>
}

// The gradient of the identity is what the backward function says: once by each of two gradients, one of the other
// function's, and twice where the gradient is differentiated, by which the residual has one of its own.
// CHECK-LABEL: @second
df.function @second() -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %x = df.constant dense<3.0> : tensor<f64>
  %y, %kept = df.custom_gradient (%x) {residuals = 1 : i64} : (tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  ^bb0(%a: tensor<f64>):
    %cube = df.mul %a, %a : tensor<f64>
    df.yield %a, %cube : tensor<f64>, tensor<f64>
  } gradient {
  ^bb0(%square: tensor<f64>, %cotangent: tensor<f64>):
    %g = df.mul %cotangent, %square : tensor<f64>
    df.yield %g : tensor<f64>
  }
  %z = df.mul %y, %y : tensor<f64>
  // 1 * x^2 = 9, and 2 x * x^2 = 54.
  // CHECK-NEXT: 0: tensor<f64> 9
  %first = df.gradients %y wrt [] %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  // CHECK-NEXT: 1: tensor<f64> 54
  %other = df.gradients %z wrt [] %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  // d (2 y r) / dx for y' = x^2 and r' = 2 x: 2 x^2 * x^2 + 2 x * 2 x = 162 + 36.
  // CHECK-NEXT: 2: tensor<f64> 198
  %second = df.gradients %other wrt [] %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  df.return %first, %other, %second : tensor<f64>, tensor<f64>, tensor<f64>
}

// In a loop, in a branch and in a loop of unknown length the gradients are those of the backward function: a factor of
// 10 instead of 2.
// CHECK-LABEL: @in_regions
df.function @in_regions() -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %x = df.constant dense<1.0> : tensor<f64>
  %rows = df.constant dense<[1, 2, 3]> : tensor<3xi64>
  %zero = df.constant dense<0> : tensor<i64>
  %scanned = df.scan (%x) over (%rows) : (tensor<f64>, tensor<3xi64>) -> tensor<f64> {
  ^bb0(%c: tensor<f64>, %row: tensor<i64>):
    %d = df.custom_gradient (%c) : (tensor<f64>) -> tensor<f64> {
    ^bb0(%a: tensor<f64>):
      %b = df.add %a, %a : tensor<f64>
      df.yield %b : tensor<f64>
    } gradient {
    ^bb0(%cotangent: tensor<f64>):
      %ten = df.constant dense<10.0> : tensor<f64>
      %g = df.mul %cotangent, %ten : tensor<f64>
      df.yield %g : tensor<f64>
    }
    df.yield %d : tensor<f64>
  }
  %yes = df.constant dense<true> : tensor<i1>
  %chosen = df.if %yes : (tensor<i1>) -> tensor<f64> {
    %d = df.custom_gradient (%x) : (tensor<f64>) -> tensor<f64> {
    ^bb0(%a: tensor<f64>):
      %b = df.add %a, %a : tensor<f64>
      df.yield %b : tensor<f64>
    } gradient {
    ^bb0(%cotangent: tensor<f64>):
      %ten = df.constant dense<10.0> : tensor<f64>
      %g = df.mul %cotangent, %ten : tensor<f64>
      df.yield %g : tensor<f64>
    }
    df.yield %d : tensor<f64>
  } else {
    df.yield %x : tensor<f64>
  }
  %looped = df.while (%x) : (tensor<f64>) -> tensor<f64> {
  ^bb0(%c: tensor<f64>):
    %limit = df.constant dense<3.0> : tensor<f64>
    %go = df.compare lt, %c, %limit : (tensor<f64>, tensor<f64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%c: tensor<f64>):
    %d, %kept = df.custom_gradient (%c) {residuals = 1 : i64} : (tensor<f64>) -> (tensor<f64>, tensor<f64>) {
    ^bb0(%a: tensor<f64>):
      %b = df.add %a, %a : tensor<f64>
      df.yield %b, %a : tensor<f64>, tensor<f64>
    } gradient {
    ^bb0(%a: tensor<f64>, %cotangent: tensor<f64>):
      %g = df.mul %cotangent, %a : tensor<f64>
      df.yield %g : tensor<f64>
    }
    df.yield %d : tensor<f64>
  }
  // CHECK-NEXT: 0: tensor<f64> 8
  // CHECK-NEXT: 1: tensor<f64> 1000
  %g0 = df.gradients %scanned wrt [] %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  // CHECK-NEXT: 2: tensor<f64> 10
  %g1 = df.gradients %chosen wrt [] %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  // 1 * 2, from 4 and 2.
  // CHECK-NEXT: 3: tensor<f64> 2
  %g2 = df.gradients %looped wrt [] %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  df.return %scanned, %g0, %g1, %g2 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}
