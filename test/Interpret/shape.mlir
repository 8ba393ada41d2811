// Values of constants, broadcasts and shape ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @broadcast
df.function @broadcast(%like: tensor<?x2xf32> {df.value = dense<0.0> : tensor<3x2xf32>}, %none: tensor<?x2xf32> {df.value = dense<> : tensor<0x2xf32>})
    -> (tensor<?x2xf32>, tensor<2x3xi64>, tensor<?x2xf32>) {
  %x = df.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK-NEXT: 0: tensor<3x2xf32> {{\[}}[1, 2], [1, 2], [1, 2]]
  %rows = df.broadcast %x like %like dimensions = [1] : (tensor<2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %c = df.constant dense<[[7], [8]]> : tensor<2x1xi64>
  // CHECK-NEXT: 1: tensor<2x3xi64> {{\[}}[7, 7, 7], [8, 8, 8]]
  %columns = df.broadcast %c dimensions = [0, 1] : (tensor<2x1xi64>) -> tensor<2x3xi64>
  // CHECK-NEXT: 2: tensor<0x2xf32> []
  %empty = df.broadcast %x like %none dimensions = [1] : (tensor<2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  df.return %rows, %columns, %empty : tensor<?x2xf32>, tensor<2x3xi64>, tensor<?x2xf32>
}

// CHECK-LABEL: @move
df.function @move(%d: tensor<?x2xf32> {df.value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>})
    -> (tensor<1x?x2xf32>, tensor<2x?xf32>, tensor<?x3xf32>, tensor<?x1xf32>, tensor<?x5xf32>, tensor<i64>) {
  // CHECK-NEXT: 0: tensor<1x3x2xf32> {{\[}}{{\[}}[1, 2], [3, 4], [5, 6]]]
  %r = df.reshape %d : (tensor<?x2xf32>) -> tensor<1x?x2xf32>
  // CHECK-NEXT: 1: tensor<2x3xf32> {{\[}}[1, 3, 5], [2, 4, 6]]
  %t = df.transpose %d {permutation = array<i64: 1, 0>} : (tensor<?x2xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: 2: tensor<3x3xf32> {{\[}}[1, 2, 2], [3, 4, 4], [5, 6, 6]]
  %s = df.slice %d {starts = array<i64: 0, 1>, sizes = array<i64: -1, 1>} : (tensor<?x2xf32>) -> tensor<?x1xf32>
  %c = df.concat %d, %s {axis = 1 : i64} : (tensor<?x2xf32>, tensor<?x1xf32>) -> tensor<?x3xf32>
  // CHECK-NEXT: 3: tensor<3x1xf32> {{\[}}[2], [4], [6]]
  // CHECK-NEXT: 4: tensor<3x5xf32> {{\[}}[0, 1, 2, 0, 0], [0, 3, 4, 0, 0], [0, 5, 6, 0, 0]]
  %p = df.pad %d {low = array<i64: 0, 1>, high = array<i64: 0, 2>} : (tensor<?x2xf32>) -> tensor<?x5xf32>
  // CHECK-NEXT: 5: tensor<i64> 3
  %n = df.size %d {dimensions = array<i64: 0>} : (tensor<?x2xf32>) -> tensor<i64>
  df.return %r, %t, %c, %s, %p, %n : tensor<1x?x2xf32>, tensor<2x?xf32>, tensor<?x3xf32>, tensor<?x1xf32>, tensor<?x5xf32>, tensor<i64>
}

// Dimensions 0, 1, 2 go to 2, 0, 1.
// CHECK-LABEL: @transpose3
df.function @transpose3() -> tensor<2x1x3xi64> {
  %x = df.constant dense<[[[1, 2], [3, 4], [5, 6]]]> : tensor<1x3x2xi64>
  // CHECK-NEXT: 0: tensor<2x1x3xi64> {{\[}}{{\[}}[1, 3, 5]], {{\[}}[2, 4, 6]]]
  %y = df.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<1x3x2xi64>) -> tensor<2x1x3xi64>
  df.return %y : tensor<2x1x3xi64>
}
