// Gathers, scatters and what is made of them parse, print and parse again: the examples of the ops' descriptions, as mlc-opt prints them.
// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// RUN: mlc-opt %s -mlir-print-op-generic | mlc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: df.function @gather
df.function @gather(%x: tensor<5x?xf32>, %i: tensor<3xi64>) -> tensor<3x?xf32> {
  // CHECK: df.gather %{{.*}}, %{{.*}} {axes = array<i64: 0>} : (tensor<5x?xf32>, tensor<3xi64>) -> tensor<3x?xf32>
  %y = df.gather %x, %i {axes = array<i64: 0>} : (tensor<5x?xf32>, tensor<3xi64>) -> tensor<3x?xf32>
  df.return %y : tensor<3x?xf32>
}

// CHECK-LABEL: df.function @scatter
df.function @scatter(%x: tensor<5x?xf32>, %i: tensor<3xi64>, %u: tensor<3x?xf32>) -> tensor<5x?xf32> {
  // CHECK: df.scatter add %{{.*}}, %{{.*}}, %{{.*}} {axes = array<i64: 0>} : (tensor<5x?xf32>, tensor<3xi64>, tensor<3x?xf32>) -> tensor<5x?xf32>
  %y = df.scatter add %x, %i, %u {axes = array<i64: 0>} : (tensor<5x?xf32>, tensor<3xi64>, tensor<3x?xf32>) -> tensor<5x?xf32>
  df.return %y : tensor<5x?xf32>
}

// CHECK-LABEL: df.function @nonzero
df.function @nonzero(%m: tensor<?x4xi1>) -> tensor<?x2xi64> {
  // CHECK: df.nonzero %{{.*}} : (tensor<?x4xi1>) -> tensor<?x2xi64>
  %i = df.nonzero %m : (tensor<?x4xi1>) -> tensor<?x2xi64>
  df.return %i : tensor<?x2xi64>
}

// CHECK-LABEL: df.function @unique_values
df.function @unique_values(%x: tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
  // CHECK: df.unique %{{.*}} : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  %v, %i, %c = df.unique %x : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  df.return %v, %i, %c : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}

// CHECK-LABEL: df.function @require_same_size
df.function @require_same_size(%x: tensor<?xf32>, %y: tensor<2x?xf32>) {
  // CHECK: df.require_same_size %{{.*}}[0], %{{.*}}[1] for "df.add", "operands must have one shape" : tensor<?xf32>, tensor<2x?xf32>
  df.require_same_size %x[0], %y[1] for "df.add", "operands must have one shape" : tensor<?xf32>, tensor<2x?xf32>
  df.return
}

// CHECK-LABEL: df.function @require
df.function @require(%ok: tensor<i1>) {
  // CHECK: df.require %{{.*}}, "the batch must not be empty" : tensor<i1>
  df.require %ok, "the batch must not be empty" : tensor<i1>
  df.return
}

// CHECK-LABEL: df.function @take
df.function @take(%x: tensor<2x5xf32>, %i: tensor<3xi64>) -> tensor<2x3xf32> {
  // CHECK: df.gather %{{.*}}, %{{.*}} {axes = array<i64: 1>} : (tensor<2x5xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  %y = df.gather %x, %i {axes = array<i64: 1>} : (tensor<2x5xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  df.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: df.function @take_along_axis
df.function @take_along_axis(%x: tensor<?x5xf32>, %i: tensor<?x2xi64>) -> tensor<?x2xf32> {
  // CHECK: df.take_along_axis %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<?x5xf32>, tensor<?x2xi64>) -> tensor<?x2xf32>
  %y = df.take_along_axis %x, %i {axis = 1 : i64} : (tensor<?x5xf32>, tensor<?x2xi64>) -> tensor<?x2xf32>
  df.return %y : tensor<?x2xf32>
}

// CHECK-LABEL: df.function @scatter_along_axis
df.function @scatter_along_axis(%x: tensor<?x5xf32>, %i: tensor<?x2xi64>, %u: tensor<?x2xf32>) -> tensor<?x5xf32> {
  // CHECK: df.scatter_along_axis add %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<?x5xf32>, tensor<?x2xi64>, tensor<?x2xf32>) -> tensor<?x5xf32>
  %y = df.scatter_along_axis add %x, %i, %u {axis = 1 : i64} : (tensor<?x5xf32>, tensor<?x2xi64>, tensor<?x2xf32>) -> tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// CHECK-LABEL: df.function @segment_reduce
df.function @segment_reduce(%v: tensor<?x8xf32>, %ids: tensor<?xi64>) -> tensor<10x8xf32> {
  // CHECK: df.segment_reduce sum %{{.*}}, %{{.*}} : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<10x8xf32>
  %y = df.segment_reduce sum %v, %ids : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<10x8xf32>
  df.return %y : tensor<10x8xf32>
}

// CHECK-LABEL: df.function @boolean_mask
df.function @boolean_mask(%x: tensor<?x4xf32>, %m: tensor<?xi1>) -> tensor<?x4xf32> {
  // CHECK: df.boolean_mask %{{.*}}, %{{.*}} : (tensor<?x4xf32>, tensor<?xi1>) -> tensor<?x4xf32>
  %y = df.boolean_mask %x, %m : (tensor<?x4xf32>, tensor<?xi1>) -> tensor<?x4xf32>
  df.return %y : tensor<?x4xf32>
}

// CHECK-LABEL: df.function @dynamic_partition
df.function @dynamic_partition(%x: tensor<?x4xf32>, %p: tensor<?xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK: df.dynamic_partition %{{.*}}, %{{.*}} : (tensor<?x4xf32>, tensor<?xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  %a, %b = df.dynamic_partition %x, %p : (tensor<?x4xf32>, tensor<?xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  df.return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: df.function @reverse_sequence
df.function @reverse_sequence(%x: tensor<?x5xf32>, %n: tensor<?xi64>) -> tensor<?x5xf32> {
  // CHECK: df.reverse_sequence %{{.*}}, %{{.*}} {batch_axis = 0 : i64, seq_axis = 1 : i64} : (tensor<?x5xf32>, tensor<?xi64>) -> tensor<?x5xf32>
  %y = df.reverse_sequence %x, %n {seq_axis = 1 : i64, batch_axis = 0 : i64} : (tensor<?x5xf32>, tensor<?xi64>) -> tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// CHECK-LABEL: df.function @dynamic_stitch
df.function @dynamic_stitch(%i: tensor<?xi64>, %j: tensor<3xi64>, %a: tensor<?x4xf32>, %b: tensor<3x4xf32>) -> tensor<?x4xf32> {
  // CHECK: df.dynamic_stitch %{{.*}}, %{{.*}} data %{{.*}}, %{{.*}} : (tensor<?xi64>, tensor<3xi64>, tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  %y = df.dynamic_stitch %i, %j data %a, %b : (tensor<?xi64>, tensor<3xi64>, tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  df.return %y : tensor<?x4xf32>
}
