// Values of reductions, products and fused losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @reduce
df.function @reduce() -> (tensor<2xf32>, tensor<3xf32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi64>) {
  %x = df.constant dense<[[1.0, 5.0, 3.0], [4.0, 0x7FC00000, 6.0]]> : tensor<2x3xf32>
  // CHECK-NEXT: 0: tensor<2xf32> [9, nan]
  %s1 = df.reduce_sum %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  // CHECK-NEXT: 1: tensor<3xf32> [5, nan, 9]
  %s0 = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<3xf32>
  // CHECK-NEXT: 2: tensor<f32> nan
  %s = df.reduce_sum %x {axes = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<f32>
  // CHECK-NEXT: 3: tensor<2xf32> [5, nan]
  %max = df.reduce_max %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  // CHECK-NEXT: 4: tensor<2xf32> [1, nan]
  %min = df.reduce_min %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  %y = df.constant dense<[[2, 7, 7], [-1, -3, -2]]> : tensor<2x3xi64>
  // CHECK-NEXT: 5: tensor<2xi64> [1, 0]
  %a = df.argmax %y : (tensor<2x3xi64>) -> tensor<2xi64>
  df.return %s1, %s0, %s, %max, %min, %a : tensor<2xf32>, tensor<3xf32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi64>
}

// CHECK-LABEL: @nothing
df.function @nothing() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i8>, tensor<i8>, tensor<2x2xf32>) {
  %x = df.constant dense<> : tensor<0x2xf32>
  // CHECK-NEXT: 0: tensor<2xf32> [0, 0]
  %sum = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<0x2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: 1: tensor<2xf32> [-inf, -inf]
  %max = df.reduce_max %x {axes = array<i64: 0>} : (tensor<0x2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: 2: tensor<2xf32> [inf, inf]
  %min = df.reduce_min %x {axes = array<i64: 0>} : (tensor<0x2xf32>) -> tensor<2xf32>
  %i = df.constant dense<> : tensor<0xi8>
  // CHECK-NEXT: 3: tensor<i8> -128
  %imax = df.reduce_max %i {axes = array<i64: 0>} : (tensor<0xi8>) -> tensor<i8>
  // CHECK-NEXT: 4: tensor<i8> 127
  %imin = df.reduce_min %i {axes = array<i64: 0>} : (tensor<0xi8>) -> tensor<i8>
  // CHECK-NEXT: 5: tensor<2x2xf32> {{\[}}[0, 0], [0, 0]]
  %mm = df.matmul %x, %x {transpose_a} : (tensor<0x2xf32>, tensor<0x2xf32>) -> tensor<2x2xf32>
  df.return %sum, %max, %min, %imax, %imin, %mm : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i8>, tensor<i8>, tensor<2x2xf32>
}

// CHECK-LABEL: @matmul
df.function @matmul() -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<3x3xf32>, tensor<3x3xf32>) {
  %a = df.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = df.constant dense<[[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]> : tensor<3x2xf32>
  // CHECK-NEXT: 0: tensor<2x2xf32> {{\[}}[7, 8], [16, 17]]
  %nn = df.matmul %a, %b : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  // CHECK-NEXT: 1: tensor<2x2xf32> {{\[}}[14, 32], [32, 77]]
  %nt = df.matmul %a, %a {transpose_b} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  // CHECK-NEXT: 2: tensor<3x3xf32> {{\[}}[17, 22, 27], [22, 29, 36], [27, 36, 45]]
  %tn = df.matmul %a, %a {transpose_a} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
  // a^T b^T: row 0 is 1 * column 0 of b^T... = [1, 4] on [[1, 0, 2], [0, 1, 2]].
  // CHECK-NEXT: 3: tensor<3x3xf32> {{\[}}[1, 4, 10], [2, 5, 14], [3, 6, 18]]
  %tt = df.matmul %a, %b {transpose_a, transpose_b} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
  df.return %nn, %nt, %tn, %tt : tensor<2x2xf32>, tensor<2x2xf32>, tensor<3x3xf32>, tensor<3x3xf32>
}

// CHECK-LABEL: @losses
df.function @losses() -> (tensor<2x2xf64>, tensor<2xf64>, tensor<3xf64>) {
  // Differences of 0 and of 1000: no overflow.
  %x = df.constant dense<[[3.0, 3.0], [1000.0, 0.0]]> : tensor<2x2xf64>
  // CHECK-NEXT: 0: tensor<2x2xf64> {{\[}}[0.5, 0.5], [1, 0]]
  %p = df.softmax %x : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %y = df.constant dense<1> : tensor<2xi64>
  // CHECK-NEXT: 1: tensor<2xf64> [0.69314718055994{{[0-9]+}}, 1000]
  %ce = df.softmax_cross_entropy %x, %y : (tensor<2x2xf64>, tensor<2xi64>) -> tensor<2xf64>
  %z = df.constant dense<[0.0, 1000.0, -1000.0]> : tensor<3xf64>
  %l = df.constant dense<[1.0, 0.0, 0.0]> : tensor<3xf64>
  // CHECK-NEXT: 2: tensor<3xf64> [0.69314718055994{{[0-9]+}}, 1000, 0]
  %sce = df.sigmoid_cross_entropy %z, %l : tensor<3xf64>
  df.return %p, %ce, %sce : tensor<2x2xf64>, tensor<2xf64>, tensor<3xf64>
}
