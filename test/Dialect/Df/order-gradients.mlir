// RUN: mlc-opt %s --df-expand-gradients --split-input-file --verify-diagnostics | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The gradient of a cumulative sum is one from the other end; that of a product a linear scan, without a division.
// CHECK-LABEL: df.function @cumulative
// CHECK: %[[BEFORE:.*]] = df.cumprod %{{.*}} {axis = 0 : i64, exclusive}
// CHECK: df.linear_scan {{.*}} {axis = 0 : i64, exclusive, reverse}
// CHECK: %[[S:.*]] = df.linear_scan {{.*}} {axis = 0 : i64, reverse}
// CHECK: %[[D:.*]] = df.mul %[[BEFORE]], %[[S]]
// CHECK-NOT: df.div
// CHECK: df.cumsum %[[D]] {axis = 0 : i64, reverse}
df.function @cumulative(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = df.cumsum %x : (tensor<4xf32>) -> tensor<4xf32>
  %p = df.cumprod %s : (tensor<4xf32>) -> tensor<4xf32>
  %l = df.reduce_sum %p {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %d = df.gradients %l wrt [] %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  df.return %d : tensor<4xf32>
}

// -----

df.function @top_k(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{has no gradient: axis 0 of 'tensor<?xf32>' or the number of elements is not static}}
  %v:2 = df.top_k %x {k = 2 : i64} : (tensor<?xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  %l = df.reduce_sum %v#0 {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  %d = df.gradients %l wrt [] %x : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  df.return %d : tensor<?xf32>
}
