// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of reductions and softmax.

// CHECK-LABEL: df.function @reduction
df.function @reduction(%x: tensor<?x4xf32>, %d: tensor<?x?xf16>, %i: tensor<?x4xi32>, %b: tensor<?x4xi1>, %y: tensor<?xi64>, %t: tensor<2x?x?xf32>, %u: tensor<2x?xi64>) {
  // CHECK: df.size %{{.*}} {dimensions = array<i64: 0, 2>} : (tensor<2x?x?xf32>) -> tensor<i64>
  %r0 = df.size %t {dimensions = array<i64: 0, 2>} : (tensor<2x?x?xf32>) -> tensor<i64>
  // CHECK: df.reduce_prod %{{.*}} {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
  %r1 = df.reduce_prod %d {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
  // CHECK: df.reduce_logsumexp %{{.*}} {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
  %r2 = df.reduce_logsumexp %d {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
  // CHECK: df.reduce_mean %{{.*}} {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
  %r3 = df.reduce_mean %d {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
  // CHECK: df.reduce_l1 %{{.*}} {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
  %r4 = df.reduce_l1 %d {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
  // CHECK: df.reduce_l2 %{{.*}} {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
  %r5 = df.reduce_l2 %d {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
  // CHECK: df.reduce_variance %{{.*}} {axes = array<i64: 0>, correction = 1 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
  %r6 = df.reduce_variance %x {axes = array<i64: 0>, correction = 1 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
  // CHECK: df.reduce_all %{{.*}} {axes = array<i64: 0>} : (tensor<?x4xi1>) -> tensor<4xi1>
  %r7 = df.reduce_all %b {axes = array<i64: 0>} : (tensor<?x4xi1>) -> tensor<4xi1>
  // CHECK: df.reduce_any %{{.*}} {axes = array<i64>} : (tensor<?x4xi1>) -> tensor<?x4xi1>
  %r8 = df.reduce_any %b {axes = array<i64>} : (tensor<?x4xi1>) -> tensor<?x4xi1>
  // CHECK: df.argmax %{{.*}} {axis = 1 : i64} : (tensor<2x?x?xf32>) -> tensor<2x?xi64>
  %r9 = df.argmax %t {axis = 1 : i64} : (tensor<2x?x?xf32>) -> tensor<2x?xi64>
  // CHECK: df.argmin %{{.*}} : (tensor<?x4xi32>) -> tensor<?xi64>
  %r10 = df.argmin %i : (tensor<?x4xi32>) -> tensor<?xi64>
  // CHECK: df.softmax %{{.*}} {axis = 0 : i64} : (tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %r11 = df.softmax %t {axis = 0 : i64} : (tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  // CHECK: df.log_softmax %{{.*}} : (tensor<?x?xf16>) -> tensor<?x?xf16>
  %r12 = df.log_softmax %d : (tensor<?x?xf16>) -> tensor<?x?xf16>
  // CHECK: df.softmax_cross_entropy %{{.*}}, %{{.*}} : (tensor<2x?x?xf32>, tensor<2x?xi64>) -> tensor<2x?xf32>
  %r13 = df.softmax_cross_entropy %t, %u : (tensor<2x?x?xf32>, tensor<2x?xi64>) -> tensor<2x?xf32>
  df.return
}
