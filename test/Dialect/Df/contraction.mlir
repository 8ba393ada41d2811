// Products, convolutions, pooling, attention and cells: what they print as parses again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// RUN: mlc-opt %s -canonicalize | FileCheck %s --check-prefix=CANONICAL

// CHECK-LABEL: df.function @products
// CHECK: df.dot_general %{{.*}}, %{{.*}} {lhs_batch = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batch = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<?x5x4xf32>, tensor<?x7x4xf32>) -> tensor<?x5x7xf32>
// CHECK: df.dot_general %{{.*}}, %{{.*}} : (tensor<3xi32>, tensor<2xi32>) -> tensor<3x2xi32>
// CHECK: df.batch_matmul %{{.*}}, %{{.*}} {transpose_b} :
// CHECK: df.einsum %{{.*}}, %{{.*}} {equation = "...ij,...kj->...ik"} :
// CHECK: df.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {causal, scale = 5.000000e-01 : f64} :
df.function @products(%q: tensor<?x5x4xf32>, %k: tensor<?x7x4xf32>, %v: tensor<?x7x2xf32>, %i: tensor<3xi32>, %j: tensor<2xi32>, %m: tensor<5x7xi1>)
    -> (tensor<?x5x7xf32>, tensor<3x2xi32>, tensor<?x5x7xf32>, tensor<?x5x7xf32>, tensor<?x5x2xf32>) {
  %a = df.dot_general %q, %k {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 2>}
    : (tensor<?x5x4xf32>, tensor<?x7x4xf32>) -> tensor<?x5x7xf32>
  %b = df.dot_general %i, %j : (tensor<3xi32>, tensor<2xi32>) -> tensor<3x2xi32>
  %c = df.batch_matmul %q, %k {transpose_b} : (tensor<?x5x4xf32>, tensor<?x7x4xf32>) -> tensor<?x5x7xf32>
  %d = df.einsum %q, %k {equation = "...ij,...kj->...ik"} : (tensor<?x5x4xf32>, tensor<?x7x4xf32>) -> tensor<?x5x7xf32>
  %e = df.attention %q, %k, %v, %m {causal, scale = 0.5 : f64} : (tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x2xf32>, tensor<5x7xi1>) -> tensor<?x5x2xf32>
  df.return %a, %b, %c, %d, %e : tensor<?x5x7xf32>, tensor<3x2xi32>, tensor<?x5x7xf32>, tensor<?x5x7xf32>, tensor<?x5x2xf32>
}

// CHECK-LABEL: df.function @attention_grad
// CHECK: df.attention_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {causal} :
df.function @attention_grad(%q: tensor<?x5x4xf32>, %k: tensor<?x7x4xf32>, %v: tensor<?x7x2xf32>, %g: tensor<?x5x2xf32>)
    -> (tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x2xf32>) {
  %a, %b, %c = df.attention_grad %q, %k, %v, %g {causal} : (tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x2xf32>, tensor<?x5x2xf32>) -> (tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x2xf32>)
  df.return %a, %b, %c : tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x2xf32>
}

// A product of matrices of floats is a df.matmul; one of integers stays what it is.
// CANONICAL-LABEL: df.function @matrices
// CANONICAL: df.matmul %{{.*}}, %{{.*}} {transpose_a, transpose_b} : (tensor<4x?xf32>, tensor<3x4xf32>) -> tensor<?x3xf32>
// CANONICAL: df.matmul %{{.*}}, %{{.*}} : (tensor<?x4xf64>, tensor<4x3xf64>) -> tensor<?x3xf64>
// CANONICAL: df.dot_general
df.function @matrices(%a: tensor<4x?xf32>, %b: tensor<3x4xf32>, %c: tensor<?x4xf64>, %d: tensor<4x3xf64>, %e: tensor<2x2xi64>)
    -> (tensor<?x3xf32>, tensor<?x3xf64>, tensor<2x2xi64>) {
  %x = df.dot_general %a, %b {lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<4x?xf32>, tensor<3x4xf32>) -> tensor<?x3xf32>
  %y = df.dot_general %c, %d {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<?x4xf64>, tensor<4x3xf64>) -> tensor<?x3xf64>
  %z = df.dot_general %e, %e {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi64>
  df.return %x, %y, %z : tensor<?x3xf32>, tensor<?x3xf64>, tensor<2x2xi64>
}

// So does one whose sums are wider than its operands.
// CANONICAL-LABEL: df.function @wider
// CANONICAL: df.dot_general %{{.*}} : (tensor<?x4xbf16>, tensor<4x3xbf16>) -> tensor<?x3xf32>
df.function @wider(%a: tensor<?x4xbf16>, %b: tensor<4x3xbf16>) -> tensor<?x3xf32> {
  %x = df.dot_general %a, %b {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<?x4xbf16>, tensor<4x3xbf16>) -> tensor<?x3xf32>
  df.return %x : tensor<?x3xf32>
}

// CHECK-LABEL: df.function @windows
// CHECK: df.conv %{{.*}}, %{{.*}} {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<?x28x28x3xf32>, tensor<3x3x3x8xf32>) -> tensor<?x14x14x8xf32>
// CHECK: df.conv_transpose %{{.*}}, %{{.*}} {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} :
// CHECK: df.conv_filter_gradient %{{.*}}, %{{.*}} {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} :
// CHECK: df.max_pool %{{.*}} {strides = array<i64: 2, 2>, window = array<i64: 2, 2>} :
// CHECK: df.max_pool_positions %{{.*}} {strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<?x14x14x8xf32>) -> tensor<?x7x7x8xi32>
// CHECK: df.pool_select
// CHECK: df.pool_scatter
// CHECK: df.avg_pool %{{.*}} {count_include_pad, padding = array<i64: 1, 1, 1, 1>, window = array<i64: 3, 3>} :
// CHECK: df.lp_pool %{{.*}} {p = 2.000000e+00 : f64, window = array<i64: 2, 2>} :
df.function @windows(%x: tensor<?x28x28x3xf32>, %w: tensor<3x3x3x8xf32>) -> (tensor<?x28x28x3xf32>, tensor<3x3x3x8xf32>, tensor<?x7x7x8xf32>, tensor<?x14x14x8xf32>,
    tensor<?x14x14x8xf32>, tensor<?x13x13x8xf32>) {
  %y = df.conv %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<?x28x28x3xf32>, tensor<3x3x3x8xf32>) -> tensor<?x14x14x8xf32>
  %dx = df.conv_transpose %y, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<?x14x14x8xf32>, tensor<3x3x3x8xf32>) -> tensor<?x28x28x3xf32>
  %dw = df.conv_filter_gradient %x, %y {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<?x28x28x3xf32>, tensor<?x14x14x8xf32>) -> tensor<3x3x3x8xf32>
  %m = df.max_pool %y {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x14x14x8xf32>) -> tensor<?x7x7x8xf32>
  %i = df.max_pool_positions %y {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x14x14x8xf32>) -> tensor<?x7x7x8xi32>
  %s = df.pool_select %y, %i {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x14x14x8xf32>, tensor<?x7x7x8xi32>) -> tensor<?x7x7x8xf32>
  %t = df.pool_scatter %s, %i {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x7x7x8xf32>, tensor<?x7x7x8xi32>) -> tensor<?x14x14x8xf32>
  %a = df.avg_pool %t {window = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>, count_include_pad} : (tensor<?x14x14x8xf32>) -> tensor<?x14x14x8xf32>
  %l = df.lp_pool %a {window = array<i64: 2, 2>, p = 2.0 : f64} : (tensor<?x14x14x8xf32>) -> tensor<?x13x13x8xf32>
  df.return %dx, %dw, %m, %t, %a, %l : tensor<?x28x28x3xf32>, tensor<3x3x3x8xf32>, tensor<?x7x7x8xf32>, tensor<?x14x14x8xf32>, tensor<?x14x14x8xf32>, tensor<?x13x13x8xf32>
}

// CHECK-LABEL: df.function @channels_first
// CHECK: df.conv %{{.*}}, %{{.*}} {channels_first, padding = array<i64: 1, 1>} : (tensor<?x3x8xf32>, tensor<3x3x4xf32>) -> tensor<?x4x8xf32>
// CHECK: df.max_pool %{{.*}} {channels_first, window = array<i64: 2>} : (tensor<?x4x8xf32>) -> tensor<?x4x7xf32>
// CHECK: df.avg_pool %{{.*}} {channels_first, count_include_pad, padding = array<i64: 0, 1>, window = array<i64: 2>} : (tensor<?x4x7xf32>) -> tensor<?x4x7xf32>
// CHECK: df.lp_pool %{{.*}} {channels_first, p = 2.000000e+00 : f64, window = array<i64: 2>} : (tensor<?x4x7xf32>) -> tensor<?x4x6xf32>
// CHECK: df.max_pool_positions %{{.*}} {channels_first, window = array<i64: 2>} : (tensor<?x4x8xf32>) -> tensor<?x4x7xi32>
// CHECK: df.pool_select %{{.*}}, %{{.*}} {channels_first, window = array<i64: 2>} : (tensor<?x4x8xf32>, tensor<?x4x7xi32>) -> tensor<?x4x7xf32>
// CHECK: df.pool_scatter %{{.*}}, %{{.*}} {channels_first, window = array<i64: 2>} : (tensor<?x4x7xf32>, tensor<?x4x7xi32>) -> tensor<?x4x8xf32>
// CHECK: df.conv_transpose %{{.*}}, %{{.*}} {channels_first, padding = array<i64: 1, 1>} : (tensor<?x4x8xf32>, tensor<3x3x4xf32>) -> tensor<?x3x8xf32>
// CHECK: df.conv_filter_gradient %{{.*}}, %{{.*}} {channels_first, padding = array<i64: 1, 1>} : (tensor<?x3x8xf32>, tensor<?x4x8xf32>) -> tensor<3x3x4xf32>
df.function @channels_first(%x: tensor<?x3x8xf32>, %w: tensor<3x3x4xf32>) -> tensor<?x4x7xf32> {
  %y = df.conv %x, %w {channels_first, padding = array<i64: 1, 1>} : (tensor<?x3x8xf32>, tensor<3x3x4xf32>) -> tensor<?x4x8xf32>
  %m = df.max_pool %y {channels_first, window = array<i64: 2>} : (tensor<?x4x8xf32>) -> tensor<?x4x7xf32>
  %a = df.avg_pool %m {channels_first, window = array<i64: 2>, padding = array<i64: 0, 1>, count_include_pad} : (tensor<?x4x7xf32>) -> tensor<?x4x7xf32>
  %l = df.lp_pool %a {channels_first, window = array<i64: 2>, p = 2.0 : f64} : (tensor<?x4x7xf32>) -> tensor<?x4x6xf32>
  %i = df.max_pool_positions %y {channels_first, window = array<i64: 2>} : (tensor<?x4x8xf32>) -> tensor<?x4x7xi32>
  %s = df.pool_select %y, %i {channels_first, window = array<i64: 2>} : (tensor<?x4x8xf32>, tensor<?x4x7xi32>) -> tensor<?x4x7xf32>
  %t = df.pool_scatter %s, %i {channels_first, window = array<i64: 2>} : (tensor<?x4x7xf32>, tensor<?x4x7xi32>) -> tensor<?x4x8xf32>
  %dx = df.conv_transpose %t, %w {channels_first, padding = array<i64: 1, 1>} : (tensor<?x4x8xf32>, tensor<3x3x4xf32>) -> tensor<?x3x8xf32>
  %dw = df.conv_filter_gradient %dx, %t {channels_first, padding = array<i64: 1, 1>} : (tensor<?x3x8xf32>, tensor<?x4x8xf32>) -> tensor<3x3x4xf32>
  df.return %a : tensor<?x4x7xf32>
}

// CHECK-LABEL: df.function @cells
// CHECK: df.rnn_cell
// CHECK: %{{.*}}, %{{.*}} = df.lstm_cell %{{.*}} {forget_bias = 1.000000e+00 : f64} :
// CHECK: df.gru_cell
df.function @cells(%x: tensor<?x3xf32>, %h: tensor<?x2xf32>, %c: tensor<?x2xf32>, %w1: tensor<3x2xf32>, %u1: tensor<2x2xf32>, %b1: tensor<2xf32>, %w4: tensor<3x8xf32>,
    %u4: tensor<2x8xf32>, %b4: tensor<8xf32>, %w3: tensor<3x6xf32>, %u3: tensor<2x6xf32>, %b3: tensor<6xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
  %a = df.rnn_cell %x, %h, %w1, %u1, %b1 : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %d, %e = df.lstm_cell %x, %a, %c, %w4, %u4, %b4 {forget_bias = 1.0 : f64}
    : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<3x8xf32>, tensor<2x8xf32>, tensor<8xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  %g = df.gru_cell %x, %d, %w3, %u3, %b3, %b3 : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<3x6xf32>, tensor<2x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<?x2xf32>
  df.return %d, %e, %g : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
}
