// RUN: mlc-opt %s --split-input-file --df-round-products | FileCheck %s
// RUN: mlc-opt %s --split-input-file --df-round-products --df-decompose | FileCheck %s --check-prefix=PARTS
// Factors of products are rounded to bf16, and the module says no precision any more.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-NOT: df.precision
module attributes {df.precision = #df.precision<f16_mixed>} {
// CHECK-LABEL: @half
df.function @half(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
  // CHECK: df.cast %{{.*}} : (tensor<?x8xf32>) -> tensor<?x8xf16>
  // CHECK: df.cast %{{.*}} : (tensor<8x4xf32>) -> tensor<8x4xf16>
  %0 = df.dot_general %x, %w {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>}
    : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  df.return %0 : tensor<?x4xf32>
}
}

// -----

module attributes {df.precision = #df.precision<bf16_mixed>} {
// CHECK-LABEL: @product
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>, %[[W:.*]]: tensor<8x4xf32>)
df.function @product(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
  // CHECK: %[[X16:.*]] = df.cast %[[X]] : (tensor<?x8xf32>) -> tensor<?x8xbf16>
  // CHECK: %[[XR:.*]] = df.cast %[[X16]] : (tensor<?x8xbf16>) -> tensor<?x8xf32>
  // CHECK: %[[W16:.*]] = df.cast %[[W]] : (tensor<8x4xf32>) -> tensor<8x4xbf16>
  // CHECK: %[[WR:.*]] = df.cast %[[W16]] : (tensor<8x4xbf16>) -> tensor<8x4xf32>
  // CHECK: df.dot_general %[[XR]], %[[WR]] {{.*}} -> tensor<?x4xf32>
  %0 = df.dot_general %x, %w {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>}
    : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  df.return %0 : tensor<?x4xf32>
}

// Each element of the matrix is read once.
// CHECK-LABEL: @column
df.function @column(%x: tensor<?x8xf32>, %w: tensor<8x1xf32>) -> tensor<?x1xf32> {
  // CHECK-NOT: df.cast
  %0 = df.dot_general %x, %w {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>}
    : (tensor<?x8xf32>, tensor<8x1xf32>) -> tensor<?x1xf32>
  df.return %0 : tensor<?x1xf32>
}

// One product is no sum.
// CHECK-LABEL: @outer
df.function @outer(%x: tensor<?x1xf32>, %w: tensor<4x1xf32>) -> tensor<?x4xf32> {
  // CHECK-NOT: df.cast
  %0 = df.dot_general %x, %w {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>}
    : (tensor<?x1xf32>, tensor<4x1xf32>) -> tensor<?x4xf32>
  df.return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: @double
df.function @double(%x: tensor<?x8xf64>, %w: tensor<8x4xf64>) -> tensor<?x4xf64> {
  // CHECK-NOT: df.cast
  %0 = df.dot_general %x, %w {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>}
    : (tensor<?x8xf64>, tensor<8x4xf64>) -> tensor<?x4xf64>
  df.return %0 : tensor<?x4xf64>
}

// CHECK-LABEL: @convolution
df.function @convolution(%x: tensor<?x8x8x2xf32>, %w: tensor<3x3x2x4xf32>) -> tensor<?x6x6x4xf32> {
  // CHECK: df.cast {{.*}} -> tensor<?x8x8x2xbf16>
  // CHECK: df.cast {{.*}} -> tensor<3x3x2x4xbf16>
  // CHECK: df.conv
  %0 = df.conv %x, %w {strides = array<i64: 1, 1>} : (tensor<?x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<?x6x6x4xf32>
  df.return %0 : tensor<?x6x6x4xf32>
}

// In the body of a loop, too.
// CHECK-LABEL: @loop
df.function @loop(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = df.while (%x) {max_iterations = 5 : i64} : (tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  ^bb0(%a: tensor<4x4xf32>):
    %go = df.constant dense<true> : tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<4x4xf32>):
    // CHECK: df.cast {{.*}} -> tensor<4x4xbf16>
    %1 = df.dot_general %a, %a {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>}
      : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    df.yield %1 : tensor<4x4xf32>
  }
  df.return %0 : tensor<4x4xf32>
}
}

// -----

// Without a precision, or with f32, nothing is rounded.
// CHECK-NOT: df.precision
module attributes {df.precision = #df.precision<f32>} {
// CHECK-LABEL: @product
df.function @product(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
  // CHECK-NOT: df.cast
  %0 = df.dot_general %x, %w {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>}
    : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  df.return %0 : tensor<?x4xf32>
}
}

// -----

// To tf32: the last 13 bits become 0, half of the last one that stays and, if that is 1, no less, added before.
module attributes {df.precision = #df.precision<tf32>} {
// CHECK-LABEL: @tf32
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>, %[[W:.*]]: tensor<8x4xf32>)
df.function @tf32(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
  // CHECK: %[[BITS:.*]] = df.bitcast %[[X]] : (tensor<?x8xf32>) -> tensor<?x8xui32>
  // CHECK: df.constant dense<13>
  // CHECK: %[[DOWN:.*]] = df.shift_right_logical %[[BITS]]
  // CHECK: df.constant dense<1>
  // CHECK: %[[LAST:.*]] = df.bitwise_and %[[DOWN]]
  // CHECK: df.constant dense<4095>
  // CHECK: %[[UP:.*]] = df.add %[[BITS]]
  // CHECK: %[[SUM:.*]] = df.add %[[UP]], %[[LAST]]
  // CHECK: df.constant dense<4294959104>
  // CHECK: %[[ROUNDED:.*]] = df.bitwise_and %[[SUM]]
  // CHECK: df.constant dense<2139095040>
  // CHECK: %[[EXPONENT:.*]] = df.bitwise_and %[[BITS]]
  // CHECK: %[[FINITE:.*]] = df.compare ne, %[[EXPONENT]]
  // CHECK: %[[ALL:.*]] = df.select %[[FINITE]], %[[ROUNDED]], %[[BITS]]
  // CHECK: %[[XR:.*]] = df.bitcast %[[ALL]] : (tensor<?x8xui32>) -> tensor<?x8xf32>
  // CHECK: df.bitcast %[[W]]
  // CHECK: %[[WR:.*]] = df.bitcast {{.*}} -> tensor<8x4xf32>
  // CHECK: df.dot_general %[[XR]], %[[WR]] {df.factors = #df.precision<tf32>
  %0 = df.dot_general %x, %w {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>}
    : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  df.return %0 : tensor<?x4xf32>
}

// Factors that are one value, of which each is used again, and of which none is.
// CHECK-LABEL: @square
df.function @square(%x: tensor<?x8xf32>, %v: tensor<8xf32>) -> (tensor<?x?xf32>, tensor<f32>) {
  // CHECK: df.dot_general {{.*}} {df.factors = #df.precision<tf32>
  %0 = df.dot_general %x, %x {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 1>}
    : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x?xf32>
  // CHECK: df.dot_general %{{.*}}, %{{.*}} {lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>}
  %1 = df.dot_general %v, %v {lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>}
    : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  df.return %0, %1 : tensor<?x?xf32>, tensor<f32>
}
}

// -----

// Attention that a target has kernels of says what its factors are, those that it makes of its own, too. What it stands
// for rounds shares and gradients of scores.
module attributes {df.precision = #df.precision<bf16_mixed>} {
// CHECK-LABEL: @attention
df.function @attention(%q: tensor<2x5x4xf32>, %v: tensor<2x5x3xf32>, %g: tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x5x4xf32>) {
  // CHECK: %[[Q16:.*]] = df.cast %{{.*}} : (tensor<2x5x4xf32>) -> tensor<2x5x4xbf16>
  // CHECK: %[[Q:.*]] = df.cast %[[Q16]] : (tensor<2x5x4xbf16>) -> tensor<2x5x4xf32>
  // CHECK: %[[V:.*]] = df.cast %{{.*}} : (tensor<2x5x3xbf16>) -> tensor<2x5x3xf32>
  // CHECK: df.attention %[[Q]], %{{.*}}, %[[V]] {df.factors = #df.precision<bf16_mixed>}
  %y = df.attention %q, %q, %v : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  // CHECK: %[[G16:.*]] = df.cast %arg2
  // CHECK: %[[G:.*]] = df.cast %[[G16]] : (tensor<2x5x3xbf16>) -> tensor<2x5x3xf32>
  // CHECK: df.attention_grad %{{.*}}, %{{.*}}, %{{.*}}, %[[G]] {df.factors = #df.precision<bf16_mixed>}
  %a, %b, %c = df.attention_grad %q, %q, %v, %g : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>) -> (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>)
  // PARTS: %[[SHARES:.*]] = df.softmax
  // PARTS: %[[S16:.*]] = df.cast %[[SHARES]] : (tensor<2x5x5xf32>) -> tensor<2x5x5xbf16>
  // PARTS: %[[S:.*]] = df.cast %[[S16]]
  // PARTS: df.dot_general %[[S]], %{{.*}} -> tensor<2x5x3xf32>
  // PARTS: df.softmax
  // PARTS: %[[G16:.*]] = df.cast %{{.*}} : (tensor<2x5x5xf32>) -> tensor<2x5x5xbf16>
  // PARTS: %[[G:.*]] = df.cast %[[G16]]
  // PARTS: df.dot_general %[[G]], %{{.*}} -> tensor<2x5x4xf32>
  df.return %y, %a : tensor<2x5x3xf32>, tensor<2x5x4xf32>
}
}
