// Ops that are composites in some of their forms: these are taken apart, before gradients where their rule is not of that form.
// RUN: mlc-opt %s -df-decompose | FileCheck %s
// RUN: mlc-opt %s -df-decompose="keep-differentiable" | FileCheck %s --check-prefix=KEPT
// RUN: mlc-opt %s -df-decompose -df-simplify | FileCheck %s --check-prefix=SIMPLE
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: df.function @channels_first
// CHECK: %[[X:.*]] = df.transpose %{{.*}} {permutation = array<i64: 0, 2, 1>} : (tensor<?x3x8xf32>) -> tensor<?x8x3xf32>
// CHECK: %[[Y:.*]] = df.conv %[[X]], %{{.*}} : (tensor<?x8x3xf32>, tensor<3x3x4xf32>) -> tensor<?x6x4xf32>
// CHECK: df.transpose %[[Y]] {permutation = array<i64: 0, 2, 1>} : (tensor<?x6x4xf32>) -> tensor<?x4x6xf32>
// CHECK-NOT: channels_first
// The rules of convolutions and pooling are of channels last.
// KEPT-LABEL: df.function @channels_first
// KEPT: df.conv %{{.*}}, %{{.*}} : (tensor<?x8x3xf32>
// KEPT-NOT: channels_first
// From one op on windows to the next the image stays as it is.
// SIMPLE-LABEL: df.function @channels_first
// SIMPLE: df.transpose
// SIMPLE-NEXT: df.conv
// SIMPLE-NEXT: df.max_pool
// SIMPLE-NEXT: df.transpose
// SIMPLE-NEXT: df.return
df.function @channels_first(%x: tensor<?x3x8xf32>, %w: tensor<3x3x4xf32>) -> tensor<?x4x3xf32> {
  %y = df.conv %x, %w {channels_first} : (tensor<?x3x8xf32>, tensor<3x3x4xf32>) -> tensor<?x4x6xf32>
  %m = df.max_pool %y {channels_first, window = array<i64: 2>, strides = array<i64: 2>} : (tensor<?x4x6xf32>) -> tensor<?x4x3xf32>
  df.return %m : tensor<?x4x3xf32>
}

// CHECK-LABEL: df.function @channels_last
// CHECK-NEXT: df.conv
// CHECK-NEXT: df.return
df.function @channels_last(%x: tensor<?x8x3xf32>, %w: tensor<3x3x4xf32>) -> tensor<?x6x4xf32> {
  %y = df.conv %x, %w : (tensor<?x8x3xf32>, tensor<3x3x4xf32>) -> tensor<?x6x4xf32>
  df.return %y : tensor<?x6x4xf32>
}

// CHECK-LABEL: df.function @of_rows
// CHECK: df.ragged_reduce sum
// CHECK: df.scatter max
// KEPT-LABEL: df.function @of_rows
// KEPT: df.ragged_reduce sum
// KEPT: df.scatter max
df.function @of_rows(%v: tensor<?x8xf32>, %ends: tensor<?xi64>) -> tensor<?x8xf32> {
  %s = df.ragged_reduce sum %v, %ends : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  %m = df.ragged_reduce max %v, %ends : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  %r = df.add %s, %m : tensor<?x8xf32>
  df.return %r : tensor<?x8xf32>
}
