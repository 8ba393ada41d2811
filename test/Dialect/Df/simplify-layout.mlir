// Ops that only move elements meet after element-wise ops, cancel, and vanish in products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-simplify | FileCheck %s

// CHECK-LABEL: @cancel
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x3xf32>, %[[Y:[^:]*]]: tensor<?x3xf32>
// CHECK: %[[S:.*]] = df.add %[[X]], %[[Y]] : tensor<?x3xf32>
// CHECK: %[[M:.*]] = df.mul %[[S]], %{{.*}} : tensor<?x3xf32>
// CHECK-NEXT: df.return %[[M]]
df.function @cancel(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %tx = df.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x3xf32>) -> tensor<3x?xf32>
  %ty = df.transpose %y {permutation = array<i64: 1, 0>} : (tensor<?x3xf32>) -> tensor<3x?xf32>
  %s = df.add %tx, %ty : tensor<3x?xf32>
  %c = df.constant dense<2.0> : tensor<f32>
  %two = df.broadcast %c like %s dimensions = [] : (tensor<f32>, tensor<3x?xf32>) -> tensor<3x?xf32>
  %m = df.mul %s, %two : tensor<3x?xf32>
  %r = df.transpose %m {permutation = array<i64: 1, 0>} : (tensor<3x?xf32>) -> tensor<?x3xf32>
  df.return %r : tensor<?x3xf32>
}

// CHECK-LABEL: @products
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x?xf32>, %[[W:[^:]*]]: tensor<3x4xf32>, %[[Q:[^:]*]]: tensor<5x2x4xf32>, %[[K:[^:]*]]: tensor<7x2x4xf32>
// CHECK-NEXT: %[[M:.*]] = df.matmul %[[X]], %[[W]] {transpose_a, transpose_b}
// CHECK-NEXT: %[[D:.*]] = df.dot_general %[[Q]], %[[K]] {lhs_batch = array<i64: 1>, lhs_contracting = array<i64: 2>, rhs_batch = array<i64: 1>, rhs_contracting = array<i64: 2>}
// CHECK-NEXT: df.return %[[M]], %[[D]]
df.function @products(%x: tensor<4x?xf32>, %w: tensor<3x4xf32>, %q: tensor<5x2x4xf32>, %k: tensor<7x2x4xf32>) -> (tensor<?x3xf32>, tensor<2x5x7xf32>) {
  %tx = df.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x?xf32>) -> tensor<?x4xf32>
  %tw = df.transpose %w {permutation = array<i64: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %m = df.matmul %tx, %tw : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %tq = df.transpose %q {permutation = array<i64: 1, 0, 2>} : (tensor<5x2x4xf32>) -> tensor<2x5x4xf32>
  %tk = df.transpose %k {permutation = array<i64: 1, 2, 0>} : (tensor<7x2x4xf32>) -> tensor<2x4x7xf32>
  %d = df.dot_general %tq, %tk {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 1>}
    : (tensor<2x5x4xf32>, tensor<2x4x7xf32>) -> tensor<2x5x7xf32>
  df.return %m, %d : tensor<?x3xf32>, tensor<2x5x7xf32>
}

// The free dimensions of an operand keep their order, which is that of the result.
// CHECK-LABEL: @free_dimensions
// CHECK: df.transpose
// CHECK: df.dot_general
df.function @free_dimensions(%x: tensor<2x3x4xf32>, %y: tensor<4xf32>) -> tensor<3x2xf32> {
  %t = df.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %d = df.dot_general %t, %y {lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<3x2x4xf32>, tensor<4xf32>) -> tensor<3x2xf32>
  df.return %d : tensor<3x2xf32>
}

// The bias is worked on before it is repeated for each row; reshapes meet.
// CHECK-LABEL: @spread
// CHECK-SAME: %[[B:[^:]*]]: tensor<4xf32>, %[[X:[^:]*]]: tensor<?x4xf32>, %[[Y:[^:]*]]: tensor<2x3xf32>
// CHECK-NEXT: %[[E:.*]] = df.exp %[[B]] : tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = df.broadcast %[[E]] like %[[X]] dimensions = [1]
// CHECK-NEXT: %[[T:.*]] = df.tanh %[[Y]] : tensor<2x3xf32>
// CHECK-NEXT: df.return %[[R]], %[[T]]
df.function @spread(%b: tensor<4xf32>, %x: tensor<?x4xf32>, %y: tensor<2x3xf32>) -> (tensor<?x4xf32>, tensor<2x3xf32>) {
  %s = df.broadcast %b like %x dimensions = [1] : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %e = df.exp %s : tensor<?x4xf32>
  %f = df.reshape %y : (tensor<2x3xf32>) -> tensor<6xf32>
  %t = df.tanh %f : tensor<6xf32>
  %r = df.reshape %t : (tensor<6xf32>) -> tensor<2x3xf32>
  df.return %e, %r : tensor<?x4xf32>, tensor<2x3xf32>
}

// A transpose past a dimension of 1 moves nothing; one with another user stays before the op.
// CHECK-LABEL: @units
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x?xf32>, %[[Y:[^:]*]]: tensor<2x3xf32>
// CHECK-NEXT: %[[R:.*]] = df.reshape %[[X]]
// CHECK-NEXT: %[[T:.*]] = df.transpose %[[Y]]
// CHECK-NEXT: %[[E:.*]] = df.exp %[[T]]
// CHECK-NEXT: df.return %[[R]], %[[T]], %[[E]]
df.function @units(%x: tensor<1x?xf32>, %y: tensor<2x3xf32>) -> (tensor<?x1xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  %r = df.transpose %x {permutation = array<i64: 1, 0>} : (tensor<1x?xf32>) -> tensor<?x1xf32>
  %t = df.transpose %y {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %e = df.exp %t : tensor<3x2xf32>
  df.return %r, %t, %e : tensor<?x1xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: @slices
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4xf32>, %[[Y:[^:]*]]: tensor<?x5xf32>
// CHECK-NEXT: %[[A:.*]] = df.slice %[[Y]] {sizes = array<i64: -1, 2>, starts = array<i64: 0, 1>}
// CHECK-NEXT: %[[B:.*]] = df.concat %[[X]], %[[Y]], %[[X]] {axis = 1 : i64}
// CHECK-NEXT: df.return %[[A]], %[[X]], %[[B]], %[[X]]
df.function @slices(%x: tensor<?x4xf32>, %y: tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x4xf32>, tensor<?x13xf32>, tensor<?x4xf32>) {
  %c = df.concat %x, %y {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x5xf32>) -> tensor<?x9xf32>
  %a = df.slice %c {starts = array<i64: 0, 4>, sizes = array<i64: -1, 4>} : (tensor<?x9xf32>) -> tensor<?x4xf32>
  %aa = df.slice %a {starts = array<i64: 0, 1>, sizes = array<i64: -1, 2>} : (tensor<?x4xf32>) -> tensor<?x2xf32>
  %b = df.slice %c {starts = array<i64: 0, 0>, sizes = array<i64: -1, 4>} : (tensor<?x9xf32>) -> tensor<?x4xf32>
  %d = df.concat %x, %y {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x5xf32>) -> tensor<?x9xf32>
  %e = df.concat %d, %x {axis = 1 : i64} : (tensor<?x9xf32>, tensor<?x4xf32>) -> tensor<?x13xf32>
  %l = df.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: -1, 1>} : (tensor<?x4xf32>) -> tensor<?x1xf32>
  %h = df.slice %x {starts = array<i64: 0, 1>, sizes = array<i64: -1, 3>} : (tensor<?x4xf32>) -> tensor<?x3xf32>
  %g = df.concat %l, %h {axis = 1 : i64} : (tensor<?x1xf32>, tensor<?x3xf32>) -> tensor<?x4xf32>
  df.return %aa, %b, %e, %g : tensor<?x2xf32>, tensor<?x4xf32>, tensor<?x13xf32>, tensor<?x4xf32>
}

// A transpose that changes nothing turns no factor.
// CHECK-LABEL: @identity_into_product
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x2xf32>, %[[Y:[^:]*]]: tensor<2x3xf32>
// CHECK-NEXT: %[[P:.*]] = df.matmul %[[X]], %[[Y]] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: df.return %[[P]]
df.function @identity_into_product(%x: tensor<2x2xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %t = df.transpose %x {permutation = array<i64: 0, 1>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %u = df.transpose %y {permutation = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %p = df.matmul %t, %u : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  df.return %p : tensor<2x3xf32>
}
