// Composite ops have the values of their decompositions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @squared_difference
df.function @squared_difference() -> (tensor<3xf32>, tensor<2xi8>) {
  %x = df.constant dense<[1.0, -2.0, 0x7FC00000]> : tensor<3xf32>
  %y = df.constant dense<[4.0, 0.5, 1.0]> : tensor<3xf32>
  // CHECK-NEXT: 0: tensor<3xf32> [9, 6.25, nan]
  %f = df.squared_difference %x, %y : tensor<3xf32>
  %a = df.constant dense<[5, -100]> : tensor<2xi8>
  %b = df.constant dense<[2, 100]> : tensor<2xi8>
  // CHECK-NEXT: 1: tensor<2xi8> [9, 64]
  %i = df.squared_difference %a, %b : tensor<2xi8>
  df.return %f, %i : tensor<3xf32>, tensor<2xi8>
}

// The parts of an op within a loop are evaluated in every round.
// CHECK-LABEL: @in_a_loop
df.function @in_a_loop() -> tensor<f64> {
  %x = df.constant dense<3.0> : tensor<f64>
  %one = df.constant dense<1.0> : tensor<f64>
  %r = df.while (%x) {max_iterations = 2 : i64} : (tensor<f64>) -> tensor<f64> {
  ^bb0(%a: tensor<f64>):
    %go = df.constant dense<true> : tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<f64>):
    %d = df.squared_difference %a, %one : tensor<f64>
    df.yield %d : tensor<f64>
  }
  // CHECK-NEXT: 0: tensor<f64> 9
  df.return %r : tensor<f64>
}
