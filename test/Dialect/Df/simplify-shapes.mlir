// Shapes of run time that are known: what is computed of them has static types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-simplify | FileCheck %s

// CHECK-LABEL: @refined
// CHECK-SAME: %[[X:[^:]*]]: tensor<6xf32>, %[[Y:[^:]*]]: tensor<2x3xf32>
// CHECK-DAG: %[[N:.*]] = df.constant dense<6> : tensor<i64>
// CHECK-DAG: %[[E:.*]] = df.exp %[[X]] : tensor<6xf32>
// CHECK: df.reduce_sum %{{.*}} {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
// CHECK: df.return
df.function @refined(%x: tensor<6xf32>, %y: tensor<2x3xf32>) -> (tensor<?xf32>, tensor<i64>) {
  %s = df.shape %y : (tensor<2x3xf32>) -> tensor<2xi64>
  %r = df.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %e = df.exp %r : tensor<?x?xf32>
  %sum = df.reduce_sum %e {axes = array<i64: 1>} : (tensor<?x?xf32>) -> tensor<?xf32>
  %n = df.size %e {dimensions = array<i64: 0, 1>} : (tensor<?x?xf32>) -> tensor<i64>
  df.return %sum, %n : tensor<?xf32>, tensor<i64>
}

// CHECK-LABEL: @rest
// CHECK-SAME: %[[X:[^:]*]]: tensor<6xf32>
// CHECK-NEXT: %[[R:.*]] = df.reshape %[[X]] : (tensor<6xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[B:.*]] = df.broadcast %[[X]] dimensions = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: df.return %[[R]], %[[B]]
df.function @rest(%x: tensor<6xf32>) -> (tensor<2x3xf32>, tensor<4x6xf32>) {
  %s = df.constant dense<[2, -1]> : tensor<2xi64>
  %r = df.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %t = df.constant dense<[4, 6]> : tensor<2xi64>
  %b = df.dynamic_broadcast %x, %t {dimensions = array<i64: 1>} : (tensor<6xf32>, tensor<2xi64>) -> tensor<4x6xf32>
  df.return %r, %b : tensor<2x3xf32>, tensor<4x6xf32>
}

// What fails when it is run stays.
// CHECK-LABEL: @wrong
// CHECK: df.dynamic_reshape
df.function @wrong(%x: tensor<6xf32>) -> tensor<?x?xf32> {
  %s = df.constant dense<[2, 4]> : tensor<2xi64>
  %r = df.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  df.return %r : tensor<?x?xf32>
}

// CHECK-LABEL: @like
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4xf32>, %[[B:[^:]*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = df.broadcast %[[B]] like %[[X]] dimensions = [1]
// CHECK-NEXT: %[[N:.*]] = df.size %[[X]] {dimensions = array<i64: 0>}
// CHECK-NEXT: df.return %[[Y]], %[[N]]
df.function @like(%x: tensor<?x4xf32>, %b: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<i64>) {
  %e = df.exp %x : tensor<?x4xf32>
  %y = df.broadcast %b like %e dimensions = [1] : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %t = df.transpose %y {permutation = array<i64: 1, 0>} : (tensor<?x4xf32>) -> tensor<4x?xf32>
  %n = df.size %t {dimensions = array<i64: 1>} : (tensor<4x?xf32>) -> tensor<i64>
  df.return %y, %n : tensor<?x4xf32>, tensor<i64>
}
