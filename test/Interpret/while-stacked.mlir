// Values of df.while with stacked results: as it stands, and as the df.scan that df-decompose makes of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s
// RUN: mlc-opt %s --df-refine-types --df-decompose --df-interpret -o /dev/null | FileCheck %s

// Powers of two below 20; rows that no iteration reached are zeros.
// CHECK-LABEL: @powers
df.function @powers() -> (tensor<i64>, tensor<7xi64>, tensor<7x2xf32>, tensor<i64>) {
  %one = df.constant dense<1> : tensor<i64>
  // CHECK-NEXT: 0: tensor<i64> 32
  // CHECK-NEXT: 1: tensor<7xi64> [1, 2, 4, 8, 16, 0, 0]
  // CHECK-NEXT: 2: tensor<7x2xf32> {{\[\[}}1, 1], [2, 2], [4, 4], [8, 8], [16, 16], [0, 0], [0, 0]]
  // CHECK-NEXT: 3: tensor<i64> 5
  %last, %all, %pairs, %count = df.while (%one) {max_iterations = 7 : i64, must_end} : (tensor<i64>) -> (tensor<i64>, tensor<7xi64>, tensor<7x2xf32>, tensor<i64>) {
  ^bb0(%a: tensor<i64>):
    %limit = df.constant dense<20> : tensor<i64>
    %go = df.compare lt, %a, %limit : (tensor<i64>, tensor<i64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>):
    %b = df.add %a, %a : tensor<i64>
    %f = df.cast %a : (tensor<i64>) -> tensor<f32>
    %pair = df.broadcast %f dimensions = [] : (tensor<f32>) -> tensor<2xf32>
    df.yield %b, %a, %pair : tensor<i64>, tensor<i64>, tensor<2xf32>
  }
  df.return %last, %all, %pairs, %count : tensor<i64>, tensor<7xi64>, tensor<7x2xf32>, tensor<i64>
}

// The bound ends the loop; without an iteration all rows are zeros. Sizes of rows are those of what is carried.
// CHECK-LABEL: @bounds
df.function @bounds(%x: tensor<?x2xf32> {df.value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>}) -> (tensor<?x2xf32>, tensor<2x?x2xf32>, tensor<2x?x3xi1>, tensor<i64>, tensor<3x2xi64>, tensor<i64>) {
  // CHECK-NEXT: 0: tensor<3x2xf32> {{\[\[}}4, 8], [12, 16], [20, 24]]
  // CHECK-NEXT: 1: tensor<2x3x2xf32> {{\[\[\[}}2, 4], [6, 8], [10, 12]], {{\[\[}}4, 8], [12, 16], [20, 24]]]
  // CHECK-NEXT: 2: tensor<2x3x3xi1> {{\[\[\[}}false, false, false], [true, true, true], [true, true, true]], {{\[\[}}true, true, true], [true, true, true], [true, true, true]]]
  // CHECK-NEXT: 3: tensor<i64> 2
  %last, %all, %large, %count = df.while (%x) {max_iterations = 2 : i64} : (tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<2x?x2xf32>, tensor<2x?x3xi1>, tensor<i64>) {
  ^bb0(%a: tensor<?x2xf32>):
    %go = df.constant dense<true> : tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<?x2xf32>):
    %b = df.add %a, %a : tensor<?x2xf32>
    %sum = df.reduce_sum %b {axes = array<i64: 1>} : (tensor<?x2xf32>) -> tensor<?xf32>
    %column = df.reshape %sum : (tensor<?xf32>) -> tensor<?x1xf32>
    %sums = df.tile %column {multiples = array<i64: 1, 3>} : (tensor<?x1xf32>) -> tensor<?x3xf32>
    %limit = df.constant dense<10.0> : tensor<f32>
    %limits = df.broadcast %limit like %sums dimensions = [] : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %is = df.compare gt, %sums, %limits : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xi1>
    df.yield %b, %b, %is : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x3xi1>
  }
  // CHECK-NEXT: 4: tensor<3x2xi64> {{\[\[}}0, 0], [0, 0], [0, 0]]
  // CHECK-NEXT: 5: tensor<i64> 0
  %none, %no_rows, %nothing = df.while (%x) {max_iterations = 3 : i64} : (tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<3x2xi64>, tensor<i64>) {
  ^bb0(%a: tensor<?x2xf32>):
    %go = df.constant dense<false> : tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<?x2xf32>):
    %row = df.constant dense<7> : tensor<2xi64>
    df.yield %a, %row : tensor<?x2xf32>, tensor<2xi64>
  }
  df.return %last, %all, %large, %count, %no_rows, %nothing : tensor<?x2xf32>, tensor<2x?x2xf32>, tensor<2x?x3xi1>, tensor<i64>, tensor<3x2xi64>, tensor<i64>
}
