// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of normalizations.

// CHECK-LABEL: df.function @normalization
df.function @normalization(%x: tensor<?x?x4xf32>, %v: tensor<4xf32>, %h: tensor<?x4xf16>) {
  // CHECK: df.moments %{{.*}} {axes = array<i64: 0, 1>} : (tensor<?x?x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r0:2 = df.moments %x {axes = array<i64: 0, 1>} : (tensor<?x?x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: df.batch_norm_inference %{{.*}}, %{{.*}}, %{{.*}} {axes = array<i64: 0, 1>} : (tensor<?x?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
  %r1 = df.batch_norm_inference %x, %v, %v {axes = array<i64: 0, 1>} : (tensor<?x?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
  // CHECK: df.batch_norm_inference %{{.*}}, %{{.*}}, %{{.*}} scale %{{.*}} offset %{{.*}} {axes = array<i64: 0, 1>, epsilon = 1.000000e-01 : f64} : (tensor<?x?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
  %r2 = df.batch_norm_inference %x, %v, %v scale %v offset %v {axes = array<i64: 0, 1>, epsilon = 1.000000e-01 : f64} : (tensor<?x?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
  // CHECK: df.batch_norm_training %{{.*}} offset %{{.*}} {axes = array<i64: 0, 1>} : (tensor<?x?x4xf32>, tensor<4xf32>) -> (tensor<?x?x4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r3:3 = df.batch_norm_training %x offset %v {axes = array<i64: 0, 1>} : (tensor<?x?x4xf32>, tensor<4xf32>) -> (tensor<?x?x4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: df.layer_norm %{{.*}} scale %{{.*}} {axes = array<i64: 2>} : (tensor<?x?x4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
  %r4 = df.layer_norm %x scale %v {axes = array<i64: 2>} : (tensor<?x?x4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
  // CHECK: df.rms_norm %{{.*}} {axes = array<i64: 1>} : (tensor<?x4xf16>) -> tensor<?x4xf16>
  %r5 = df.rms_norm %h {axes = array<i64: 1>} : (tensor<?x4xf16>) -> tensor<?x4xf16>
  // CHECK: df.rms_norm %{{.*}} scale %{{.*}} {axes = array<i64: 2>} : (tensor<?x?x4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
  %r6 = df.rms_norm %x scale %v {axes = array<i64: 2>} : (tensor<?x?x4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
  // CHECK: df.group_norm %{{.*}} scale %{{.*}} offset %{{.*}} {groups = 2 : i64} : (tensor<?x?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
  %r7 = df.group_norm %x scale %v offset %v {groups = 2 : i64} : (tensor<?x?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
  // CHECK: df.instance_norm %{{.*}} {axis = 1 : i64} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %r8 = df.instance_norm %x {axis = 1 : i64} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  // CHECK: df.l2_normalize %{{.*}} {axes = array<i64: 1, 2>} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %r9 = df.l2_normalize %x {axes = array<i64: 1, 2>} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  // CHECK: df.local_response_norm %{{.*}} {alpha = 1.000000e-04 : f64, beta = 7.500000e-01 : f64, bias = 1.000000e+00 : f64, high = 1 : i64, low = 2 : i64} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %r10 = df.local_response_norm %x {alpha = 1.000000e-04 : f64, beta = 7.500000e-01 : f64, bias = 1.000000e+00 : f64, high = 1 : i64, low = 2 : i64} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  df.return
}
