// Slices, pads, shapes of run time and what is made of them parse, print and parse again: the examples of the ops' descriptions, as mlc-opt prints them.
// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// RUN: mlc-opt %s -mlir-print-op-generic | mlc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: df.function @slice
df.function @slice(%x: tensor<?x5xf32>) -> tensor<?x2xf32> {
  // CHECK: df.slice %{{.*}} {sizes = array<i64: -1, 2>, starts = array<i64: 0, 1>, strides = array<i64: 1, 2>} : (tensor<?x5xf32>) -> tensor<?x2xf32>
  %y = df.slice %x {starts = array<i64: 0, 1>, sizes = array<i64: -1, 2>, strides = array<i64: 1, 2>} : (tensor<?x5xf32>) -> tensor<?x2xf32>
  df.return %y : tensor<?x2xf32>
}

// CHECK-LABEL: df.function @update_slice
df.function @update_slice(%x: tensor<?x5xf32>, %u: tensor<?x2xf32>) -> tensor<?x5xf32> {
  // CHECK: df.update_slice %{{.*}}, %{{.*}} {starts = array<i64: 0, 1>, strides = array<i64: 1, 2>} : (tensor<?x5xf32>, tensor<?x2xf32>) -> tensor<?x5xf32>
  %y = df.update_slice %x, %u {starts = array<i64: 0, 1>, strides = array<i64: 1, 2>} : (tensor<?x5xf32>, tensor<?x2xf32>) -> tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// CHECK-LABEL: df.function @dynamic_slice
df.function @dynamic_slice(%x: tensor<?x5xf32>, %s: tensor<2xi64>) -> tensor<1x2xf32> {
  // CHECK: df.dynamic_slice %{{.*}}, %{{.*}} : (tensor<?x5xf32>, tensor<2xi64>) -> tensor<1x2xf32>
  %y = df.dynamic_slice %x, %s : (tensor<?x5xf32>, tensor<2xi64>) -> tensor<1x2xf32>
  df.return %y : tensor<1x2xf32>
}

// CHECK-LABEL: df.function @dynamic_update_slice
df.function @dynamic_update_slice(%x: tensor<?x5xf32>, %u: tensor<1x2xf32>, %s: tensor<2xi64>) -> tensor<?x5xf32> {
  // CHECK: df.dynamic_update_slice %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x5xf32>, tensor<1x2xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  %y = df.dynamic_update_slice %x, %u, %s : (tensor<?x5xf32>, tensor<1x2xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// CHECK-LABEL: df.function @pad
df.function @pad(%x: tensor<?x5xf32>, %v: tensor<f32>) -> tensor<?x8xf32> {
  // CHECK: df.pad %{{.*}}, %{{.*}} {high = array<i64: 0, 2>, low = array<i64: 0, 1>} : (tensor<?x5xf32>, tensor<f32>) -> tensor<?x8xf32>
  %y = df.pad %x, %v {low = array<i64: 0, 1>, high = array<i64: 0, 2>} : (tensor<?x5xf32>, tensor<f32>) -> tensor<?x8xf32>
  df.return %y : tensor<?x8xf32>
}

// CHECK-LABEL: df.function @reverse
df.function @reverse(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK: df.reverse %{{.*}} {axes = array<i64: 0>} : tensor<?x4xf32>
  %y = df.reverse %x {axes = array<i64: 0>} : tensor<?x4xf32>
  df.return %y : tensor<?x4xf32>
}

// CHECK-LABEL: df.function @iota
df.function @iota() -> tensor<2x5xi64> {
  // CHECK: df.iota {axis = 1 : i64} : () -> tensor<2x5xi64>
  %i = df.iota {axis = 1 : i64} : () -> tensor<2x5xi64>
  df.return %i : tensor<2x5xi64>
}

// CHECK-LABEL: df.function @shape
df.function @shape(%x: tensor<?x4xf32>) -> tensor<2xi64> {
  // CHECK: df.shape %{{.*}} : (tensor<?x4xf32>) -> tensor<2xi64>
  %s = df.shape %x : (tensor<?x4xf32>) -> tensor<2xi64>
  df.return %s : tensor<2xi64>
}

// CHECK-LABEL: df.function @dynamic_broadcast
df.function @dynamic_broadcast(%b: tensor<4xf32>, %s: tensor<2xi64>) -> tensor<?x4xf32> {
  // CHECK: df.dynamic_broadcast %{{.*}}, %{{.*}} {dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %y = df.dynamic_broadcast %b, %s {dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  df.return %y : tensor<?x4xf32>
}

// CHECK-LABEL: df.function @dynamic_reshape
df.function @dynamic_reshape(%x: tensor<?x4xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  // CHECK: df.dynamic_reshape %{{.*}}, %{{.*}} : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %y = df.dynamic_reshape %x, %s : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  df.return %y : tensor<?x?xf32>
}

// CHECK-LABEL: df.function @split
df.function @split(%x: tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x3xf32>) {
  // CHECK: df.split %{{.*}} {axis = 1 : i64} : (tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x3xf32>)
  %a, %b = df.split %x {axis = 1 : i64} : (tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x3xf32>)
  df.return %a, %b : tensor<?x2xf32>, tensor<?x3xf32>
}

// CHECK-LABEL: df.function @stack
df.function @stack(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x2x4xf32> {
  // CHECK: df.stack %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x2x4xf32>
  %y = df.stack %a, %b {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x2x4xf32>
  df.return %y : tensor<?x2x4xf32>
}

// CHECK-LABEL: df.function @tile
df.function @tile(%x: tensor<?x3xf32>) -> tensor<?x6xf32> {
  // CHECK: df.tile %{{.*}} {multiples = array<i64: 1, 2>} : (tensor<?x3xf32>) -> tensor<?x6xf32>
  %y = df.tile %x {multiples = array<i64: 1, 2>} : (tensor<?x3xf32>) -> tensor<?x6xf32>
  df.return %y : tensor<?x6xf32>
}

// CHECK-LABEL: df.function @roll
df.function @roll(%x: tensor<?x5xf32>) -> tensor<?x5xf32> {
  // CHECK: df.roll %{{.*}} {axis = 1 : i64, shift = 2 : i64} : tensor<?x5xf32>
  %y = df.roll %x {axis = 1 : i64, shift = 2 : i64} : tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// CHECK-LABEL: df.function @mirror_pad
df.function @mirror_pad(%x: tensor<?x5xf32>) -> tensor<?x8xf32> {
  // CHECK: df.mirror_pad reflect %{{.*}} {axis = 1 : i64, high = 1 : i64, low = 2 : i64} : (tensor<?x5xf32>) -> tensor<?x8xf32>
  %y = df.mirror_pad reflect %x {axis = 1 : i64, low = 2 : i64, high = 1 : i64} : (tensor<?x5xf32>) -> tensor<?x8xf32>
  df.return %y : tensor<?x8xf32>
}

// CHECK-LABEL: df.function @eye
df.function @eye() -> tensor<3x4xf32> {
  // CHECK: df.eye : () -> tensor<3x4xf32>
  %y = df.eye {offset = 0 : i64} : () -> tensor<3x4xf32>
  df.return %y : tensor<3x4xf32>
}

// CHECK-LABEL: df.function @band_part
df.function @band_part(%x: tensor<?x4x4xf32>) -> tensor<?x4x4xf32> {
  // CHECK: df.band_part %{{.*}} {lower = -1 : i64, upper = 0 : i64} : tensor<?x4x4xf32>
  %y = df.band_part %x {lower = -1 : i64, upper = 0 : i64} : tensor<?x4x4xf32>
  df.return %y : tensor<?x4x4xf32>
}

// CHECK-LABEL: df.function @diag
df.function @diag(%x: tensor<?x4xf32>) -> tensor<?x4x4xf32> {
  // CHECK: df.diag %{{.*}} : (tensor<?x4xf32>) -> tensor<?x4x4xf32>
  %y = df.diag %x : (tensor<?x4xf32>) -> tensor<?x4x4xf32>
  df.return %y : tensor<?x4x4xf32>
}

// CHECK-LABEL: df.function @space_to_depth
df.function @space_to_depth(%x: tensor<?x4x6x3xf32>) -> tensor<?x2x3x12xf32> {
  // CHECK: df.space_to_depth %{{.*}} {block = 2 : i64} : (tensor<?x4x6x3xf32>) -> tensor<?x2x3x12xf32>
  %y = df.space_to_depth %x {block = 2 : i64} : (tensor<?x4x6x3xf32>) -> tensor<?x2x3x12xf32>
  df.return %y : tensor<?x2x3x12xf32>
}

// CHECK-LABEL: df.function @depth_to_space
df.function @depth_to_space(%x: tensor<?x2x3x12xf32>) -> tensor<?x4x6x3xf32> {
  // CHECK: df.depth_to_space %{{.*}} {block = 2 : i64} : (tensor<?x2x3x12xf32>) -> tensor<?x4x6x3xf32>
  %y = df.depth_to_space %x {block = 2 : i64} : (tensor<?x2x3x12xf32>) -> tensor<?x4x6x3xf32>
  df.return %y : tensor<?x4x6x3xf32>
}

// CHECK-LABEL: df.function @resize
df.function @resize(%x: tensor<?x4x4x3xf32>) -> tensor<?x8x8x3xf32> {
  // CHECK: df.resize linear %{{.*}} {half_pixel} : (tensor<?x4x4x3xf32>) -> tensor<?x8x8x3xf32>
  %y = df.resize linear %x {half_pixel} : (tensor<?x4x4x3xf32>) -> tensor<?x8x8x3xf32>
  df.return %y : tensor<?x8x8x3xf32>
}

// CHECK-LABEL: df.function @sequence_mask
df.function @sequence_mask(%n: tensor<?xi64>) -> tensor<?x5xi1> {
  // CHECK: df.sequence_mask %{{.*}} : (tensor<?xi64>) -> tensor<?x5xi1>
  %m = df.sequence_mask %n : (tensor<?xi64>) -> tensor<?x5xi1>
  df.return %m : tensor<?x5xi1>
}

// CHECK-LABEL: df.function @meshgrid
df.function @meshgrid(%a: tensor<4xf32>, %b: tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK: df.meshgrid xy %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  %x, %y = df.meshgrid xy %a, %b : (tensor<4xf32>, tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  df.return %x, %y : tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: df.function @unstack
df.function @unstack(%x: tensor<?x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK: df.unstack %{{.*}} {axis = 1 : i64} : (tensor<?x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  %a, %b = df.unstack %x {axis = 1 : i64} : (tensor<?x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  df.return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: df.function @diag_part
df.function @diag_part(%x: tensor<?x4x4xf32>) -> tensor<?x4xf32> {
  // CHECK: df.diag_part %{{.*}} : (tensor<?x4x4xf32>) -> tensor<?x4xf32>
  %y = df.diag_part %x : (tensor<?x4x4xf32>) -> tensor<?x4xf32>
  df.return %y : tensor<?x4xf32>
}

// CHECK-LABEL: df.function @linspace
df.function @linspace(%a: tensor<f32>, %b: tensor<f32>) -> tensor<5xf32> {
  // CHECK: df.linspace %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<5xf32>
  %y = df.linspace %a, %b : (tensor<f32>, tensor<f32>) -> tensor<5xf32>
  df.return %y : tensor<5xf32>
}

// CHECK-LABEL: df.function @range
df.function @range(%a: tensor<i64>, %b: tensor<i64>, %d: tensor<i64>) -> tensor<?xi64> {
  // CHECK: df.range %{{.*}}, %{{.*}}, %{{.*}} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %y = df.range %a, %b, %d : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  df.return %y : tensor<?xi64>
}
