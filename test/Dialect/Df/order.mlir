// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of cumulative ops and order statistics.

// CHECK-LABEL: df.function @order
df.function @order(%x: tensor<?x4xf32>, %d: tensor<?x?xbf16>, %i: tensor<?x4xi8>, %s: tensor<?x4x!df.string>, %n: tensor<i64>, %q: tensor<3xi8>) {
  // CHECK: df.cumsum %{{.*}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %r0 = df.cumsum %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: df.cumsum %{{.*}} {axis = 0 : i64, exclusive, reverse} : (tensor<?x4xi8>) -> tensor<?x4xi8>
  %r1 = df.cumsum %i {axis = 0 : i64, exclusive, reverse} : (tensor<?x4xi8>) -> tensor<?x4xi8>
  // CHECK: df.cumprod %{{.*}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %r2 = df.cumprod %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: df.cumprod %{{.*}} {axis = 0 : i64, exclusive, reverse} : (tensor<?x4xi8>) -> tensor<?x4xi8>
  %r3 = df.cumprod %i {axis = 0 : i64, exclusive, reverse} : (tensor<?x4xi8>) -> tensor<?x4xi8>
  // CHECK: df.cummax %{{.*}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %r4 = df.cummax %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: df.cummax %{{.*}} {axis = 0 : i64, exclusive, reverse} : (tensor<?x4xi8>) -> tensor<?x4xi8>
  %r5 = df.cummax %i {axis = 0 : i64, exclusive, reverse} : (tensor<?x4xi8>) -> tensor<?x4xi8>
  // CHECK: df.cummin %{{.*}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %r6 = df.cummin %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: df.cummin %{{.*}} {axis = 0 : i64, exclusive, reverse} : (tensor<?x4xi8>) -> tensor<?x4xi8>
  %r7 = df.cummin %i {axis = 0 : i64, exclusive, reverse} : (tensor<?x4xi8>) -> tensor<?x4xi8>
  // CHECK: df.cumlogsumexp %{{.*}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %l0 = df.cumlogsumexp %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: df.cumlogsumexp %{{.*}} {axis = 0 : i64, exclusive, reverse} : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %l1 = df.cumlogsumexp %d {axis = 0 : i64, exclusive, reverse} : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  // CHECK: df.searchsorted %{{.*}}, %{{.*}} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xi64>
  %p0 = df.searchsorted %x, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xi64>
  // CHECK: df.searchsorted %{{.*}}, %{{.*}} {right} : (tensor<3xi8>, tensor<?x4xi8>) -> tensor<?x4xi64>
  %p1 = df.searchsorted %q, %i {right} : (tensor<3xi8>, tensor<?x4xi8>) -> tensor<?x4xi64>
  // CHECK: df.linear_scan %{{.*}}, %{{.*}} {axis = 0 : i64, reverse} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %r8 = df.linear_scan %d, %d {axis = 0 : i64, reverse} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  // CHECK: df.sort %{{.*}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %r9 = df.sort %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: df.sort %{{.*}}, %{{.*}}, %{{.*}} {axis = 0 : i64, descending} : (tensor<?x4xi8>, tensor<?x4x!df.string>, tensor<?x4xf32>) -> (tensor<?x4xi8>, tensor<?x4x!df.string>, tensor<?x4xf32>)
  %r10:3 = df.sort %i, %s, %x {axis = 0 : i64, descending} : (tensor<?x4xi8>, tensor<?x4x!df.string>, tensor<?x4xf32>) -> (tensor<?x4xi8>, tensor<?x4x!df.string>, tensor<?x4xf32>)
  // CHECK: df.argsort %{{.*}} {descending} : (tensor<?x?xbf16>) -> tensor<?x?xi64>
  %r11 = df.argsort %d {descending} : (tensor<?x?xbf16>) -> tensor<?x?xi64>
  // CHECK: df.top_k %{{.*}} {axis = 0 : i64, k = 3 : i64, smallest} : (tensor<?x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
  %r12:2 = df.top_k %x {axis = 0 : i64, k = 3 : i64, smallest} : (tensor<?x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
  // CHECK: df.top_k %{{.*}}, %{{.*}} : (tensor<?x?xbf16>, tensor<i64>) -> (tensor<?x?xbf16>, tensor<?x?xi64>)
  %r13:2 = df.top_k %d, %n : (tensor<?x?xbf16>, tensor<i64>) -> (tensor<?x?xbf16>, tensor<?x?xi64>)
  df.return
}

// CHECK-LABEL: @quantile
df.function @quantile(%x: tensor<?x4xf32>, %q: tensor<3xf32>, %one: tensor<f32>) {
  // CHECK: df.quantile linear %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<?x4xf32>, tensor<3xf32>) -> tensor<3x4xf32>
  %a = df.quantile linear %x, %q {axis = 0 : i64} : (tensor<?x4xf32>, tensor<3xf32>) -> tensor<3x4xf32>
  // CHECK: df.quantile nearest %{{.*}}, %{{.*}} : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
  %b = df.quantile nearest %x, %one : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
  df.return
}
