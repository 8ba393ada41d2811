// Values of products, convolutions and pooling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @products
df.function @products() -> (tensor<2x1x2xf32>, tensor<2x2xi8>, tensor<2xf16>, tensor<2x2xf32>, tensor<2xf32>) {
  %a = df.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %b = df.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[2.0, 1.0], [1.0, 2.0]]]> : tensor<2x2x2xf32>
  // CHECK-NEXT: 0: tensor<2x1x2xf32> {{\[}}{{\[}}[1, 2]], {{\[}}[10, 11]]]
  %p = df.dot_general %a, %b {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 1>}
    : (tensor<2x1x2xf32>, tensor<2x2x2xf32>) -> tensor<2x1x2xf32>
  // Integers wrap: 100 + 100, 3 * 100.
  %c = df.constant dense<[100, 3]> : tensor<2xi8>
  %d = df.constant dense<[2, 100]> : tensor<2xi8>
  // CHECK-NEXT: 1: tensor<2x2xi8> {{\[}}[-56, 16], [6, 44]]
  %o = df.dot_general %c, %d : (tensor<2xi8>, tensor<2xi8>) -> tensor<2x2xi8>
  // Sums of f16 are f32 until the end: 2048 + 1 + 1 is not 2048.
  %e = df.constant dense<[[2048.0, 1.0, 1.0], [1.0, 1.0, 1.0]]> : tensor<2x3xf16>
  %f = df.constant dense<1.0> : tensor<3xf16>
  // CHECK-NEXT: 2: tensor<2xf16> [2050, 3]
  %h = df.dot_general %e, %f {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<2x3xf16>, tensor<3xf16>) -> tensor<2xf16>
  %x = df.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  // CHECK-NEXT: 3: tensor<2x2xf32> {{\[}}[7, 15], [10, 22]]
  %t = df.einsum %x, %x {equation = "ij,jk->ki"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK-NEXT: 4: tensor<2xf32> [3, 7]
  %s = df.einsum %x {equation = "ij->i"} : (tensor<2x2xf32>) -> tensor<2xf32>
  df.return %p, %o, %h, %t, %s : tensor<2x1x2xf32>, tensor<2x2xi8>, tensor<2xf16>, tensor<2x2xf32>, tensor<2xf32>
}

// Sums of a type that holds all values of both sides: 255 * -128 + 255 * 127 of bytes, and products of bf16 that f32 alone holds.
// CHECK-LABEL: @wider
df.function @wider() -> (tensor<1x1xi32>, tensor<1xf32>, tensor<1x2xf64>) {
  %u = df.constant dense<255> : tensor<1x2xui8>
  %i = df.constant dense<[[-128], [127]]> : tensor<2x1xi8>
  // CHECK-NEXT: 0: tensor<1x1xi32> {{\[}}[-255]]
  %a = df.dot_general %u, %i {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<1x2xui8>, tensor<2x1xi8>) -> tensor<1x1xi32>
  %h = df.constant dense<[[257.0, 1.0]]> : tensor<1x2xbf16>
  %j = df.constant dense<[255.0, 1.0]> : tensor<2xbf16>
  // 257 is 256 in bf16.
  // CHECK-NEXT: 1: tensor<1xf32> [65281]
  %b = df.dot_general %h, %j {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<1x2xbf16>, tensor<2xbf16>) -> tensor<1xf32>
  %x = df.constant dense<16777216.0> : tensor<1x1xf32>
  %y = df.constant dense<[[16777217.0, 3.0]]> : tensor<1x2xf64>
  // CHECK-NEXT: 2: tensor<1x2xf64> {{\[}}[281474993487872, 50331648]]
  %c = df.dot_general %x, %y {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<1x1xf32>, tensor<1x2xf64>) -> tensor<1x2xf64>
  df.return %a, %b, %c : tensor<1x1xi32>, tensor<1xf32>, tensor<1x2xf64>
}

// CHECK-LABEL: @convolutions
df.function @convolutions() -> (tensor<1x3x1xf32>, tensor<1x2x1xf32>, tensor<1x4x1xf32>, tensor<2x1x1xf32>, tensor<1x2x2xf32>) {
  %x = df.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %w = df.constant dense<[[[10.0]], [[1.0]]]> : tensor<2x1x1xf32>
  // No flip: 10 x[p] + x[p + 1].
  // CHECK-NEXT: 0: tensor<1x3x1xf32> {{\[}}{{\[}}[12], [23], [34]]]
  %y = df.conv %x, %w : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  // Positions -1 + 3 p and, two further, 1 + 3 p.
  // CHECK-NEXT: 1: tensor<1x2x1xf32> {{\[}}{{\[}}[2], [30]]]
  %z = df.conv %x, %w {strides = array<i64: 3>, dilations = array<i64: 2>, padding = array<i64: 1, 1>} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x2x1xf32>
  // CHECK-NEXT: 2: tensor<1x4x1xf32> {{\[}}{{\[}}[120], [242], [363], [34]]]
  %t = df.conv_transpose %y, %w : (tensor<1x3x1xf32>, tensor<2x1x1xf32>) -> tensor<1x4x1xf32>
  // 1*12 + 2*23 + 3*34, 2*12 + 3*23 + 4*34
  // CHECK-NEXT: 3: tensor<2x1x1xf32> {{\[}}{{\[}}[160]], {{\[}}[229]]]
  %d = df.conv_filter_gradient %x, %y : (tensor<1x4x1xf32>, tensor<1x3x1xf32>) -> tensor<2x1x1xf32>
  // Two groups of one channel each.
  %g = df.constant dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %f = df.constant dense<[[[10.0, 100.0]]]> : tensor<1x1x2xf32>
  // CHECK-NEXT: 4: tensor<1x2x2xf32> {{\[}}{{\[}}[10, 200], [30, 400]]]
  %v = df.conv %g, %f {groups = 2 : i64} : (tensor<1x2x2xf32>, tensor<1x1x2xf32>) -> tensor<1x2x2xf32>
  df.return %y, %z, %t, %d, %v : tensor<1x3x1xf32>, tensor<1x2x1xf32>, tensor<1x4x1xf32>, tensor<2x1x1xf32>, tensor<1x2x2xf32>
}

// CHECK-LABEL: @pooling
df.function @pooling() -> (tensor<1x3x1xf32>, tensor<1x3x1xi32>, tensor<1x5x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xi8>) {
  %x = df.constant dense<[[[2.0], [2.0], [-1.0], [0x7FC00000], [5.0]]]> : tensor<1x5x1xf32>
  // CHECK-NEXT: 0: tensor<1x3x1xf32> {{\[}}{{\[}}[2], [nan], [nan]]]
  %m = df.max_pool %x {window = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1, 1>} : (tensor<1x5x1xf32>) -> tensor<1x3x1xf32>
  // The first of equal ones; a NaN is above all.
  // CHECK-NEXT: 1: tensor<1x3x1xi32> {{\[}}{{\[}}[1], [2], [0]]]
  %i = df.max_pool_positions %x {window = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1, 1>} : (tensor<1x5x1xf32>) -> tensor<1x3x1xi32>
  %g = df.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  // CHECK-NEXT: 2: tensor<1x5x1xf32> {{\[}}{{\[}}[1], [0], [0], [5], [0]]]
  %s = df.pool_scatter %g, %i {window = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1, 1>} : (tensor<1x3x1xf32>, tensor<1x3x1xi32>) -> tensor<1x5x1xf32>
  // CHECK-NEXT: 3: tensor<1x3x1xf32> {{\[}}{{\[}}[2], [nan], [nan]]]
  %c = df.pool_select %x, %i {window = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1, 1>} : (tensor<1x5x1xf32>, tensor<1x3x1xi32>) -> tensor<1x3x1xf32>
  %y = df.constant dense<[[[2.0], [4.0], [-1.0], [3.0], [5.0]]]> : tensor<1x5x1xf32>
  // CHECK-NEXT: 4: tensor<1x3x1xf32> {{\[}}{{\[}}[3], [2], [4]]]
  %a = df.avg_pool %y {window = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1, 1>} : (tensor<1x5x1xf32>) -> tensor<1x3x1xf32>
  // CHECK-NEXT: 5: tensor<1x3x1xf32> {{\[}}{{\[}}[2], [2], [2.6666667]]]
  %b = df.avg_pool %y {window = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1, 1>, count_include_pad} : (tensor<1x5x1xf32>) -> tensor<1x3x1xf32>
  // Windows that lie in the padding have the smallest number.
  %k = df.constant dense<[[[7]]]> : tensor<1x1x1xi8>
  // CHECK-NEXT: 6: tensor<1x3x1xi8> {{\[}}{{\[}}[-128], [7], [-128]]]
  %e = df.max_pool %k {window = array<i64: 1>, padding = array<i64: 1, 1>} : (tensor<1x1x1xi8>) -> tensor<1x3x1xi8>
  df.return %m, %i, %s, %c, %a, %b, %e : tensor<1x3x1xf32>, tensor<1x3x1xi32>, tensor<1x5x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xi8>
}

// Two channels of three elements, first in the shape.
// CHECK-LABEL: @channels_first
df.function @channels_first() -> (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x1x2xf32>) {
  %x = df.constant dense<[[[1.0, 3.0, 2.0], [10.0, 30.0, 50.0]]]> : tensor<1x2x3xf32>
  // CHECK-NEXT: 0: tensor<1x2x2xf32> {{\[}}{{\[}}[3, 3], [30, 50]]]
  %m = df.max_pool %x {channels_first, window = array<i64: 2>} : (tensor<1x2x3xf32>) -> tensor<1x2x2xf32>
  // CHECK-NEXT: 1: tensor<1x2x2xf32> {{\[}}{{\[}}[2, 2.5], [20, 40]]]
  %a = df.avg_pool %x {channels_first, window = array<i64: 2>} : (tensor<1x2x3xf32>) -> tensor<1x2x2xf32>
  // The second element of channel 0 and the first one of channel 1.
  %w = df.constant dense<[[[0.0], [1.0]], [[1.0], [0.0]]]> : tensor<2x2x1xf32>
  // CHECK-NEXT: 2: tensor<1x1x2xf32> {{\[}}{{\[}}[13, 32]]]
  %c = df.conv %x, %w {channels_first} : (tensor<1x2x3xf32>, tensor<2x2x1xf32>) -> tensor<1x1x2xf32>
  df.return %m, %a, %c : tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x1x2xf32>
}

// CHECK-LABEL: @attention
df.function @attention() -> (tensor<2x1xf64>, tensor<2x1xf64>) {
  %q = df.constant dense<[[0.0], [0.0]]> : tensor<2x1xf64>
  %v = df.constant dense<[[2.0], [4.0]]> : tensor<2x1xf64>
  // Equal scores: the mean of what is seen.
  // CHECK-NEXT: 0: tensor<2x1xf64> {{\[}}[3], [3]]
  %a = df.attention %q, %q, %v : (tensor<2x1xf64>, tensor<2x1xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  // CHECK-NEXT: 1: tensor<2x1xf64> {{\[}}[2], [3]]
  %c = df.attention %q, %q, %v {causal} : (tensor<2x1xf64>, tensor<2x1xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  df.return %a, %c : tensor<2x1xf64>, tensor<2x1xf64>
}
