// Dynamic sizes that must agree are checked where nothing shows that they do, once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --pass-pipeline='builtin.module(df.function(df-require-sizes))' | FileCheck %s
// RUN: mlc-opt %s --pass-pipeline='builtin.module(df.function(df-require-sizes,df-require-sizes))' | FileCheck %s

// Rows of the batch are one size, whatever they went through.
// CHECK-LABEL: @same
// CHECK-NOT: df.require_same_size
df.function @same(%x: tensor<?x4xf32> {df.binding = #df.binding<feature, "x">}, %y: tensor<?xf32> {df.binding = #df.binding<feature, "y">}) {
  %s = df.reduce_sum %x {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>
  %a = df.add %s, %y : tensor<?xf32>
  %m = df.reshape %a : (tensor<?xf32>) -> tensor<?x1xf32>
  %c = df.concat %x, %m {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x5xf32>
  %p = df.matmul %x, %c {transpose_a} : (tensor<?x4xf32>, tensor<?x5xf32>) -> tensor<4x5xf32>
  df.return
}

// A data-dependent size agrees with itself, and with the rows after one check.
// CHECK-LABEL: @masked
// CHECK: %[[K:.*]] = df.slice
// CHECK: df.exp
// CHECK-NEXT: df.mul
// CHECK-NEXT: df.require_same_size %{{.*}}[0], %{{.*}}[0] for "df.add", "dimension 0 of tensor<?xf32> and dimension 0 of tensor<?xf32> must be equally large" : tensor<?xf32>, tensor<?xf32>
// CHECK-NEXT: df.add
// CHECK-NEXT: df.sub
// CHECK-NOT: df.require_same_size
df.function @masked(%x: tensor<?xf32> {df.binding = #df.binding<feature, "x">}) {
  %k = df.slice %x {starts = array<i64: 1>, sizes = array<i64: -1>} : (tensor<?xf32>) -> tensor<?xf32>
  %e = df.exp %k : tensor<?xf32>
  %p = df.mul %e, %k : tensor<?xf32>
  %a = df.add %x, %p : tensor<?xf32>
  %b = df.sub %e, %x : tensor<?xf32>
  df.return
}

// What a branch has checked is not known after it; of what both branches yield the origin is known if it is one.
// CHECK-LABEL: @branches
// CHECK: df.if
// CHECK: df.require_same_size %{{.*}} for "df.add"
// CHECK: else
// CHECK: }
// CHECK-NOT: df.require_same_size
// CHECK: df.mul
// CHECK-NEXT: df.require_same_size %{{.*}} for "df.sub"
// CHECK-NEXT: df.sub
df.function @branches(%x: tensor<?xf32> {df.binding = #df.binding<feature, "x">}, %c: tensor<i1> {df.binding = #df.binding<setting, "c">}) {
  %k = df.slice %x {starts = array<i64: 1>, sizes = array<i64: -1>} : (tensor<?xf32>) -> tensor<?xf32>
  %f = df.if %c : (tensor<i1>) -> tensor<?xf32> {
    %a = df.add %k, %x : tensor<?xf32>
    df.yield %a : tensor<?xf32>
  } else {
    %e = df.exp %k : tensor<?xf32>
    df.yield %e : tensor<?xf32>
  }
  %m = df.mul %f, %k : tensor<?xf32>
  %b = df.sub %f, %x : tensor<?xf32>
  df.return
}

// What a loop carries keeps its shape: an element-wise op does, a slice may not.
// CHECK-LABEL: @loops
// CHECK: df.scan
// CHECK-NOT: df.require_same_size
// CHECK: df.scan
// CHECK: df.require_same_size %{{.*}}[0], %{{.*}}[0] for "df.scan", "carried value 0 must keep its shape"
// CHECK-NEXT: df.yield
df.function @loops(%x: tensor<?xf32> {df.binding = #df.binding<feature, "x">}, %n: tensor<i64> {df.binding = #df.binding<setting, "n">}) {
  %k = df.slice %x {starts = array<i64: 1>, sizes = array<i64: -1>} : (tensor<?xf32>) -> tensor<?xf32>
  %a = df.scan (%k) count %n : (tensor<?xf32>, tensor<i64>) -> tensor<?xf32> {
  ^bb0(%r: tensor<?xf32>):
    %e = df.add %r, %k : tensor<?xf32>
    df.yield %e : tensor<?xf32>
  }
  %b = df.scan (%k) count %n : (tensor<?xf32>, tensor<i64>) -> tensor<?xf32> {
  ^bb0(%r: tensor<?xf32>):
    %e = df.slice %r {starts = array<i64: 1>, sizes = array<i64: -1>} : (tensor<?xf32>) -> tensor<?xf32>
    df.yield %e : tensor<?xf32>
  }
  df.return
}

// Axes that move: the one-hot axis in front, an argmax over the first one.
// CHECK-LABEL: @axes
// CHECK-NOT: df.require_same_size
// CHECK: df.require_same_size %{{.*}}[1], %{{.*}}[1] for "df.add"
// CHECK-NOT: df.require_same_size
df.function @axes(%x: tensor<?xi64> {df.binding = #df.binding<feature, "x">}) {
  %k = df.slice %x {starts = array<i64: 1>, sizes = array<i64: -1>} : (tensor<?xi64>) -> tensor<?xi64>
  %h = df.one_hot %k {axis = 0 : i64} : (tensor<?xi64>) -> tensor<4x?xf32>
  %w = df.one_hot %k {axis = 0 : i64} : (tensor<?xi64>) -> tensor<4x?xf32>
  %v = df.one_hot %x {axis = 0 : i64} : (tensor<?xi64>) -> tensor<4x?xf32>
  %p = df.argmax %h {axis = 0 : i64} : (tensor<4x?xf32>) -> tensor<?xi64>
  %q = df.add %p, %k : tensor<?xi64>
  %s = df.add %h, %w : tensor<4x?xf32>
  %t = df.add %s, %v : tensor<4x?xf32>
  df.return
}
