// Computations that are alike become one.
// RUN: mlc-opt %s --pass-pipeline='builtin.module(df.function(df-fuse-horizontally))' | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Columns are normalized as a matrix, each with its own numbers; one that is computed otherwise stays beside it.
// CHECK-LABEL: df.function @columns(
// CHECK-SAME:    %[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>, %[[C:.*]]: tensor<?xf32>, %[[D:.*]]: tensor<?xf32>, %[[E:.*]]: tensor<?x2xf32>)
// CHECK:         %[[T:.*]] = df.tanh %[[E]]
// CHECK-COUNT-4: df.reshape
// CHECK:         %[[X:.*]] = df.concat {{.*}} {axis = 1 : i64} : (tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
// CHECK:         %[[MEANS:.*]] = df.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
// CHECK:         %[[M:.*]] = df.broadcast %[[MEANS]] like %[[X]] dimensions = [1]
// CHECK:         %[[N:.*]] = df.sub %[[X]], %[[M]] : tensor<?x4xf32>
// CHECK:         df.concat %[[N]], %[[T]] {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x2xf32>) -> tensor<?x6xf32>
// CHECK-NEXT:    df.return
df.function @columns(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<?xf32>, %e: tensor<?x2xf32>) -> tensor<?x6xf32> {
  %1 = df.constant dense<1.0> : tensor<f32>
  %2 = df.constant dense<2.0> : tensor<f32>
  %3 = df.constant dense<3.0> : tensor<f32>
  %4 = df.constant dense<4.0> : tensor<f32>
  %a1 = df.broadcast %1 like %a dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %a2 = df.sub %a, %a1 : tensor<?xf32>
  %a3 = df.reshape %a2 : (tensor<?xf32>) -> tensor<?x1xf32>
  %b1 = df.broadcast %2 like %b dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %b2 = df.sub %b, %b1 : tensor<?xf32>
  %b3 = df.reshape %b2 : (tensor<?xf32>) -> tensor<?x1xf32>
  %c1 = df.broadcast %3 like %c dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %c2 = df.sub %c, %c1 : tensor<?xf32>
  %c3 = df.reshape %c2 : (tensor<?xf32>) -> tensor<?x1xf32>
  %d1 = df.broadcast %4 like %d dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %d2 = df.sub %d, %d1 : tensor<?xf32>
  %d3 = df.reshape %d2 : (tensor<?xf32>) -> tensor<?x1xf32>
  %e1 = df.tanh %e : tensor<?x2xf32>
  %r = df.concat %a3, %b3, %c3, %d3, %e1 {axis = 1 : i64} : (tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x2xf32>) -> tensor<?x6xf32>
  df.return %r : tensor<?x6xf32>
}

// Variables are updated as one. The gradient is there as a whole already; one learning rate is for all.
// CHECK-LABEL: df.function @updates(
// CHECK-SAME:    %[[G:.*]]: tensor<4x2xf32>, %[[RATE:.*]]: tensor<f32>, %[[A:.*]]: tensor<1x2xf32>, %[[B:.*]]: tensor<1x2xf32>, %[[C:.*]]: tensor<1x2xf32>, %[[D:.*]]: tensor<1x2xf32>)
// CHECK:         %[[V:.*]] = df.concat %[[A]], %[[B]], %[[C]], %[[D]] {axis = 0 : i64}
// CHECK:         %[[R:.*]] = df.broadcast %[[RATE]] dimensions = [] : (tensor<f32>) -> tensor<4x2xf32>
// CHECK:         %[[S:.*]] = df.mul %[[G]], %[[R]] : tensor<4x2xf32>
// CHECK:         %[[NEW:.*]] = df.sub %[[V]], %[[S]] : tensor<4x2xf32>
// CHECK-COUNT-4: df.slice %[[NEW]]
// CHECK-NEXT:    df.return
df.function @updates(%g: tensor<4x2xf32>, %rate: tensor<f32>, %a: tensor<1x2xf32>, %b: tensor<1x2xf32>, %c: tensor<1x2xf32>, %d: tensor<1x2xf32>)
    -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %r = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<1x2xf32>
  %ga = df.slice %g {starts = array<i64: 0, 0>, sizes = array<i64: 1, 2>} : (tensor<4x2xf32>) -> tensor<1x2xf32>
  %gb = df.slice %g {starts = array<i64: 1, 0>, sizes = array<i64: 1, 2>} : (tensor<4x2xf32>) -> tensor<1x2xf32>
  %gc = df.slice %g {starts = array<i64: 2, 0>, sizes = array<i64: 1, 2>} : (tensor<4x2xf32>) -> tensor<1x2xf32>
  %gd = df.slice %g {starts = array<i64: 3, 0>, sizes = array<i64: 1, 2>} : (tensor<4x2xf32>) -> tensor<1x2xf32>
  %sa = df.mul %ga, %r : tensor<1x2xf32>
  %sb = df.mul %gb, %r : tensor<1x2xf32>
  %sc = df.mul %gc, %r : tensor<1x2xf32>
  %sd = df.mul %gd, %r : tensor<1x2xf32>
  %na = df.sub %a, %sa : tensor<1x2xf32>
  %nb = df.sub %b, %sb : tensor<1x2xf32>
  %nc = df.sub %c, %sc : tensor<1x2xf32>
  %nd = df.sub %d, %sd : tensor<1x2xf32>
  df.return %na, %nb, %nc, %nd : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}

// What is computed of others that are alike is of another class: no cycle. Operands in other places differ.
// CHECK-LABEL: df.function @chain(
// CHECK-NOT:     df.concat
// CHECK:         df.return
df.function @chain(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %1 = df.sub %a, %b : tensor<4xf32>
  %2 = df.sub %1, %b : tensor<4xf32>
  %3 = df.sub %2, %b : tensor<4xf32>
  %4 = df.sub %b, %3 : tensor<4xf32>
  df.return %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Three are as well made each by itself, and large ones cost more to copy.
// CHECK-LABEL: df.function @few(
// CHECK-NOT:     df.concat
// CHECK:         df.return
df.function @few(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<257xf32>, %e: tensor<257xf32>, %f: tensor<257xf32>, %g: tensor<257xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<257xf32>, tensor<257xf32>, tensor<257xf32>, tensor<257xf32>) {
  %1 = df.exp %a : tensor<4xf32>
  %2 = df.exp %b : tensor<4xf32>
  %3 = df.exp %c : tensor<4xf32>
  %4 = df.exp %d : tensor<257xf32>
  %5 = df.exp %e : tensor<257xf32>
  %6 = df.exp %f : tensor<257xf32>
  %7 = df.exp %g : tensor<257xf32>
  df.return %1, %2, %3, %4, %5, %6, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<257xf32>, tensor<257xf32>, tensor<257xf32>, tensor<257xf32>
}

// Attributes are part of what is computed, and so is a value that all of them share.
// CHECK-LABEL: df.function @attributes(
// CHECK:         %[[X:.*]] = df.concat {{.*}} {axis = 1 : i64}
// CHECK:         %[[S:.*]] = df.broadcast %{{.*}} like %[[X]] dimensions = [0] : (tensor<?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK:         df.mul %[[X]], %[[S]] : tensor<?x4xf32>
// CHECK:         df.return
df.function @attributes(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<?xf32>, %s: tensor<?xf32>) -> tensor<?x4xf32> {
  %a1 = df.mul %a, %s : tensor<?xf32>
  %b1 = df.mul %b, %s : tensor<?xf32>
  %c1 = df.mul %c, %s : tensor<?xf32>
  %d1 = df.mul %d, %s : tensor<?xf32>
  %a2 = df.reshape %a1 : (tensor<?xf32>) -> tensor<?x1xf32>
  %b2 = df.reshape %b1 : (tensor<?xf32>) -> tensor<?x1xf32>
  %c2 = df.reshape %c1 : (tensor<?xf32>) -> tensor<?x1xf32>
  %d2 = df.reshape %d1 : (tensor<?xf32>) -> tensor<?x1xf32>
  %r = df.concat %a2, %b2, %c2, %d2 {axis = 1 : i64} : (tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  df.return %r : tensor<?x4xf32>
}
