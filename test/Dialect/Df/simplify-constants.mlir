// Ops of constants fold by the interpreter's rules, where compiled code has the same bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-simplify | FileCheck %s

// CHECK-LABEL: @elementwise
// CHECK-DAG: %[[E:.*]] = df.constant dense<[1.000000e+00, 2.71828{{.*}}]> : tensor<2xf32>
// CHECK-DAG: %[[S:.*]] = df.constant dense<3.000000e+00> : tensor<4000x2xf32>
// CHECK-DAG: %[[C:.*]] = df.constant dense<[true, false]> : tensor<2xi1>
// CHECK-DAG: %[[U:.*]] = df.constant dense<44> : tensor<ui8>
// CHECK: df.return %[[E]], %[[S]], %[[C]], %[[U]]
df.function @elementwise() -> (tensor<2xf32>, tensor<4000x2xf32>, tensor<2xi1>, tensor<ui8>) {
  %x = df.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %half = df.constant dense<0.5> : tensor<2xf32>
  %big = df.constant dense<1.5> : tensor<4000x2xf32>
  %u = df.constant dense<150> : tensor<ui8>
  %e = df.exp %x : tensor<2xf32>
  %s = df.add %big, %big : tensor<4000x2xf32>
  %c = df.compare lt, %x, %half : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %w = df.add %u, %u : tensor<ui8>
  df.return %e, %s, %c, %w : tensor<2xf32>, tensor<4000x2xf32>, tensor<2xi1>, tensor<ui8>
}

// CHECK-LABEL: @moved
// CHECK-DAG: %[[T:.*]] = df.constant dense<{{\[\[}}1, 3], [2, 4]]> : tensor<2x2xi64>
// CHECK-DAG: %[[I:.*]] = df.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-DAG: %[[S:.*]] = df.constant dense<10> : tensor<i64>
// CHECK: df.return %[[T]], %[[I]], %[[S]]
df.function @moved() -> (tensor<2x2xi64>, tensor<3xi64>, tensor<i64>) {
  %x = df.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %t = df.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x2xi64>) -> tensor<2x2xi64>
  %i = df.iota {axis = 0 : i64} : () -> tensor<3xi64>
  %s = df.reduce_sum %x {axes = array<i64: 0, 1>} : (tensor<2x2xi64>) -> tensor<i64>
  df.return %t, %i, %s : tensor<2x2xi64>, tensor<3xi64>, tensor<i64>
}

// A sum of floats may be added in another order, a division by 0 is the step's error, large results stay ops.
// CHECK-LABEL: @kept
// CHECK-DAG: df.reduce_sum
// CHECK-DAG: df.div
// CHECK-DAG: df.iota
df.function @kept() -> (tensor<f32>, tensor<i64>, tensor<1025xi64>) {
  %x = df.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %one = df.constant dense<1> : tensor<i64>
  %zero = df.constant dense<0> : tensor<i64>
  %s = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  %d = df.div %one, %zero : tensor<i64>
  %i = df.iota {axis = 0 : i64} : () -> tensor<1025xi64>
  df.return %s, %d, %i : tensor<f32>, tensor<i64>, tensor<1025xi64>
}
