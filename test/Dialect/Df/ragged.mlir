// Ops of multi-valued features: round trip.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// RUN: mlc-opt %s --df-decompose | FileCheck %s --check-prefix=PARTS

// CHECK-LABEL: df.function @pad
// CHECK: df.ragged_to_dense %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x8xf32>, tensor<?xi64>, tensor<f32>) -> (tensor<?x?x8xf32>, tensor<?xi64>)
// Zeros are what is not gathered: no choice is needed.
// PARTS-LABEL: df.function @pad
// PARTS-NOT: df.ragged_to_dense
// PARTS: %[[ROWS:.*]] = df.gather %{{.*}}, %{{.*}} {axes = array<i64: 0>, skip_negative} : (tensor<?x8xf32>, tensor<?x?xi64>) -> tensor<?x?x8xf32>
// PARTS-NEXT: df.return %[[ROWS]]
df.function @pad(%v: tensor<?x8xf32>, %ends: tensor<?xi64>) -> (tensor<?x?x8xf32>, tensor<?xi64>) {
  %zero = df.constant dense<0.0> : tensor<f32>
  %x, %n = df.ragged_to_dense %v, %ends, %zero : (tensor<?x8xf32>, tensor<?xi64>, tensor<f32>) -> (tensor<?x?x8xf32>, tensor<?xi64>)
  df.return %x, %n : tensor<?x?x8xf32>, tensor<?xi64>
}

// CHECK-LABEL: df.function @filled
// CHECK: df.ragged_to_dense %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?xi64>, tensor<3xi64>, tensor<i64>) -> (tensor<3x?xi64>, tensor<3xi64>)
// PARTS-LABEL: df.function @filled
// PARTS: df.gather
// PARTS: df.select
df.function @filled(%v: tensor<?xi64>, %ends: tensor<3xi64>, %filler: tensor<i64>) -> tensor<3x?xi64> {
  %x, %n = df.ragged_to_dense %v, %ends, %filler : (tensor<?xi64>, tensor<3xi64>, tensor<i64>) -> (tensor<3x?xi64>, tensor<3xi64>)
  df.return %x : tensor<3x?xi64>
}

// Sums of floats have code of their own, other reductions are scatters.
// CHECK-LABEL: df.function @reductions
// CHECK: df.ragged_reduce sum %{{.*}}, %{{.*}} : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
// CHECK: df.ragged_reduce max %{{.*}}, %{{.*}} : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
// CHECK: df.ragged_repeat %{{.*}}, %{{.*}} like %{{.*}} : (tensor<?x8xf32>, tensor<?xi64>, tensor<?x8xf32>) -> tensor<?x8xf32>
// PARTS-LABEL: df.function @reductions
// PARTS: df.ragged_reduce sum
// PARTS-NOT: df.ragged_reduce
// PARTS: df.scatter max
// PARTS: df.ragged_repeat
df.function @reductions(%v: tensor<?x8xf32>, %ends: tensor<?xi64>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %s = df.ragged_reduce sum %v, %ends : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  %m = df.ragged_reduce max %v, %ends : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  %r = df.ragged_repeat %s, %ends like %v : (tensor<?x8xf32>, tensor<?xi64>, tensor<?x8xf32>) -> tensor<?x8xf32>
  df.return %r, %m : tensor<?x8xf32>, tensor<?x8xf32>
}
