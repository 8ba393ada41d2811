// RUN: mlc-opt %s --df-simplify | FileCheck %s

// CHECK-LABEL: df.function @one
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK-NEXT: df.return %[[X]], %[[X]], %[[X]]
df.function @one(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c = df.constant dense<1.0> : tensor<f32>
  %one = df.broadcast %c like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %a = df.mul %x, %one : tensor<?xf32>
  %b = df.mul %one, %x : tensor<?xf32>
  %d = df.div %x, %one : tensor<?xf32>
  df.return %a, %b, %d : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -0 + 0 is 0, and 1 / x is not x.
// CHECK-LABEL: df.function @kept
// CHECK: df.add
// CHECK: df.div
// CHECK: df.mul
df.function @kept(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %zero = df.constant dense<0.0> : tensor<2xf32>
  %one = df.constant dense<1.0> : tensor<2xf32>
  %mixed = df.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %a = df.add %x, %zero : tensor<2xf32>
  %b = df.div %one, %x : tensor<2xf32>
  %c = df.mul %x, %mixed : tensor<2xf32>
  df.return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: df.function @twice
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x3xf32>, %[[C:[^:]*]]: tensor<2x3xi1>
// CHECK-NEXT: %[[R:.*]] = df.reshape %[[X]] : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: df.return %[[X]], %[[X]], %[[X]], %[[R]]
df.function @twice(%x: tensor<2x3xf32>, %c: tensor<2x3xi1>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>) {
  %n = df.neg %x : tensor<2x3xf32>
  %nn = df.neg %n : tensor<2x3xf32>
  %t = df.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %tt = df.transpose %t {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %s = df.select %c, %x, %x : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %f = df.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
  %r = df.reshape %f : (tensor<6xf32>) -> tensor<3x2xf32>
  df.return %nn, %tt, %s, %r : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: df.function @broadcasts
// CHECK-SAME: %[[X:[^:]*]]: tensor<3xf32>, %[[L:[^:]*]]: tensor<?x2x3xf32>, %[[S:[^:]*]]: tensor<2x3xf32>
// CHECK-NEXT: %[[A:.*]] = df.broadcast %[[X]] like %[[L]] dimensions = [2]
// CHECK-NEXT: %[[B:.*]] = df.broadcast %[[X]] dimensions = [1]
// CHECK-NEXT: df.return %[[A]], %[[B]]
df.function @broadcasts(%x: tensor<3xf32>, %l: tensor<?x2x3xf32>, %s: tensor<2x3xf32>) -> (tensor<?x2x3xf32>, tensor<2x3xf32>) {
  %a = df.broadcast %x dimensions = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %b = df.broadcast %a like %l dimensions = [1, 2] : (tensor<2x3xf32>, tensor<?x2x3xf32>) -> tensor<?x2x3xf32>
  %c = df.broadcast %x like %s dimensions = [1] : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  df.return %b, %c : tensor<?x2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: df.function @constants
// CHECK-DAG: %[[F:.*]] = df.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK-DAG: %[[N:.*]] = df.constant dense<1.000980e-01> : tensor<f16>
// CHECK-DAG: %[[I:.*]] = df.constant dense<-1> : tensor<i8>
// CHECK: df.return %[[F]], %[[N]], %[[I]]
df.function @constants() -> (tensor<2xf32>, tensor<f16>, tensor<i8>) {
  %i = df.constant dense<3> : tensor<2xi64>
  %f = df.cast %i : (tensor<2xi64>) -> tensor<2xf32>
  %t = df.constant dense<0.1001> : tensor<f32>
  %n = df.cast %t : (tensor<f32>) -> tensor<f16>
  %w = df.constant dense<255> : tensor<i64>
  %b = df.cast %w : (tensor<i64>) -> tensor<i8>
  df.return %f, %n, %b : tensor<2xf32>, tensor<f16>, tensor<i8>
}

// Counting needs no element.
// CHECK-LABEL: df.function @rows
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK-NEXT: %[[N:.*]] = df.size %[[X]]
// CHECK-NEXT: df.return %[[N]]
df.function @rows(%x: tensor<?xf32>) -> tensor<i64> {
  %e = df.exp %x : tensor<?xf32>
  %s = df.square %e : tensor<?xf32>
  %n = df.size %s {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
  df.return %n : tensor<i64>
}
