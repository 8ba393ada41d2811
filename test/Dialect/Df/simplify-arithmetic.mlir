// Identities that hold for all values, and near misses that do not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-simplify | FileCheck %s

// CHECK-LABEL: @nothing
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[I:[^:]*]]: tensor<?xi32>
// CHECK-NEXT: df.return %[[X]], %[[X]], %[[X]], %[[I]]
df.function @nothing(%x: tensor<?xf32>, %i: tensor<?xi32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi32>) {
  %c = df.constant dense<-0.0> : tensor<f32>
  %minus0 = df.broadcast %c like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %d = df.constant dense<0.0> : tensor<f32>
  %plus0 = df.broadcast %d like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %e = df.constant dense<0> : tensor<i32>
  %zero = df.broadcast %e like %i dimensions = [] : (tensor<i32>, tensor<?xi32>) -> tensor<?xi32>
  %a = df.add %minus0, %x : tensor<?xf32>
  %b = df.sub %x, %plus0 : tensor<?xf32>
  %m = df.maximum %x, %x : tensor<?xf32>
  %s = df.add %i, %zero : tensor<?xi32>
  df.return %a, %b, %m, %s : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi32>
}

// -0 - -0 is 0, x - x of infinity is NaN, 1 / 3 has no exact inverse, x * 0 of NaN is NaN.
// CHECK-LABEL: @something
// CHECK: df.sub
// CHECK: df.sub
// CHECK: df.div
// CHECK: df.mul
df.function @something(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %minus0 = df.constant dense<-0.0> : tensor<2xf32>
  %zero = df.constant dense<0.0> : tensor<2xf32>
  %three = df.constant dense<3.0> : tensor<2xf32>
  %a = df.sub %x, %minus0 : tensor<2xf32>
  %b = df.sub %x, %x : tensor<2xf32>
  %c = df.div %x, %three : tensor<2xf32>
  %d = df.mul %x, %zero : tensor<2xf32>
  df.return %a, %b, %c, %d : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @signs
// CHECK-SAME: %[[X:[^:]*]]: tensor<2xf32>, %[[Y:[^:]*]]: tensor<2xf32>
// CHECK-DAG: %[[HALF:.*]] = df.constant dense<2.500000e-01>
// CHECK-DAG: %[[A:.*]] = df.sub %[[X]], %[[Y]]
// CHECK-DAG: %[[B:.*]] = df.add %[[X]], %[[Y]]
// CHECK-DAG: %[[C:.*]] = df.mul %[[X]], %[[Y]]
// CHECK-DAG: %[[D:.*]] = df.neg %[[X]]
// CHECK-DAG: %[[E:.*]] = df.square %[[X]]
// CHECK-DAG: %[[F:.*]] = df.mul %[[X]], %[[HALF]]
// CHECK-DAG: %[[G:.*]] = df.abs %[[X]]
// CHECK: df.return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]], %[[G]]
df.function @signs(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %nx = df.neg %x : tensor<2xf32>
  %ny = df.neg %y : tensor<2xf32>
  %minus1 = df.constant dense<-1.0> : tensor<2xf32>
  %four = df.constant dense<4.0> : tensor<2xf32>
  %a = df.add %x, %ny : tensor<2xf32>
  %b = df.sub %x, %ny : tensor<2xf32>
  %c = df.mul %nx, %ny : tensor<2xf32>
  %d = df.mul %x, %minus1 : tensor<2xf32>
  %e = df.square %nx : tensor<2xf32>
  %f = df.div %x, %four : tensor<2xf32>
  %g = df.abs %nx : tensor<2xf32>
  df.return %a, %b, %c, %d, %e, %f, %g : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @again
// CHECK-SAME: %[[X:[^:]*]]: tensor<2xf32>
// CHECK-NEXT: %[[R:.*]] = df.relu %[[X]]
// CHECK-NEXT: %[[F:.*]] = df.floor %[[X]]
// CHECK-NEXT: df.return %[[R]], %[[F]]
df.function @again(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = df.relu %x : tensor<2xf32>
  %b = df.relu %a : tensor<2xf32>
  %c = df.floor %x : tensor<2xf32>
  %d = df.round %c : tensor<2xf32>
  df.return %b, %d : tensor<2xf32>, tensor<2xf32>
}

// Of floats only eq and ne have an opposite: a NaN is neither less nor not less.
// CHECK-LABEL: @opposites
// CHECK-DAG: df.compare ge, %{{.*}} : (tensor<2xi32>
// CHECK-DAG: df.compare ne, %{{.*}} : (tensor<2xf32>
// CHECK-DAG: df.compare lt, %{{.*}} : (tensor<2xf32>
// CHECK: df.logical_not
// CHECK-NOT: df.logical_not
df.function @opposites(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>, %j: tensor<2xi32>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %a = df.compare lt, %i, %j : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %b = df.compare eq, %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %c = df.compare lt, %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %na = df.logical_not %a : tensor<2xi1>
  %nb = df.logical_not %b : tensor<2xi1>
  %nc = df.logical_not %c : tensor<2xi1>
  df.return %na, %nb, %nc : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// CHECK-LABEL: @truth
// CHECK-SAME: %[[C:[^:]*]]: tensor<2xi1>, %[[X:[^:]*]]: tensor<2xf32>, %[[Y:[^:]*]]: tensor<2xf32>
// CHECK-NEXT: %[[S:.*]] = df.select %[[C]], %[[Y]], %[[X]]
// CHECK-NEXT: df.return %[[C]], %[[C]], %[[S]]
df.function @truth(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xf32>) {
  %true = df.constant dense<true> : tensor<2xi1>
  %false = df.constant dense<false> : tensor<2xi1>
  %a = df.logical_and %c, %true : tensor<2xi1>
  %b = df.logical_or %false, %a : tensor<2xi1>
  %d = df.select %c, %true, %false : (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %n = df.logical_not %c : tensor<2xi1>
  %s = df.select %n, %x, %y : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  df.return %b, %d, %s : tensor<2xi1>, tensor<2xi1>, tensor<2xf32>
}

// What the first cast widens the second takes at once; what it narrows is lost.
// CHECK-LABEL: @casts
// CHECK-SAME: %[[H:[^:]*]]: tensor<2xf16>, %[[D:[^:]*]]: tensor<2xf64>
// CHECK-NEXT: %[[B:.*]] = df.cast %[[H]] : (tensor<2xf16>) -> tensor<2xbf16>
// CHECK-NEXT: %[[N:.*]] = df.cast %[[D]] : (tensor<2xf64>) -> tensor<2xf32>
// CHECK-NEXT: %[[W:.*]] = df.cast %[[N]] : (tensor<2xf32>) -> tensor<2xf64>
// CHECK-NEXT: df.return %[[B]], %[[H]], %[[W]]
df.function @casts(%h: tensor<2xf16>, %d: tensor<2xf64>) -> (tensor<2xbf16>, tensor<2xf16>, tensor<2xf64>) {
  %w = df.cast %h : (tensor<2xf16>) -> tensor<2xf32>
  %b = df.cast %w : (tensor<2xf32>) -> tensor<2xbf16>
  %back = df.cast %w : (tensor<2xf32>) -> tensor<2xf16>
  %n = df.cast %d : (tensor<2xf64>) -> tensor<2xf32>
  %nw = df.cast %n : (tensor<2xf32>) -> tensor<2xf64>
  df.return %b, %back, %nw : tensor<2xbf16>, tensor<2xf16>, tensor<2xf64>
}
