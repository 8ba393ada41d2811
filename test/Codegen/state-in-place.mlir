// RUN: mlc-opt %s --convert-df-to-linalg --mlc-fuse --mlc-bufferize | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binding and bufferization together: where state is updated in place, and where it is copied.

// State is updated in place: no temporary and no copy.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:.*]]: memref<20xf32>, %[[G:.*]]: memref<20xf32>, %[[LOSS:.*]]: memref<f32>)
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: linalg.generic {{.*}} outs(%[[W]] : memref<20xf32>)
// CHECK-NOT: memref.copy
df.function @step(%w: tensor<20xf32> {df.binding = #df.binding<variable, "w">}, %g: tensor<20xf32> {df.binding = #df.binding<sum_a, "g">})
    -> (tensor<f32> {df.binding = #df.binding<output, "loss">}, tensor<20xf32> {df.binding = #df.binding<variable, "w">}) attributes {role = #df.role<train_apply>} {
  %l = df.reduce_sum %g {axes = array<i64: 0>} : (tensor<20xf32>) -> tensor<f32>
  %w1 = df.sub %w, %g : tensor<20xf32>
  df.return %l, %w1 : tensor<f32>, tensor<20xf32>
}

// A value that is read after the variable is written keeps the old content.
// CHECK-LABEL: func.func @old
// CHECK: memref.alloc
df.function @old(%w: tensor<20xf32> {df.binding = #df.binding<variable, "w">})
    -> (tensor<20xf32> {df.binding = #df.binding<variable, "w">}, tensor<20xf32> {df.binding = #df.binding<output, "y">}) attributes {role = #df.role<other>} {
  %w1 = df.square %w : tensor<20xf32>
  %y = df.concat %w, %w1 {axis = 0 : i64} : (tensor<20xf32>, tensor<20xf32>) -> tensor<40xf32>
  %h = df.slice %y {starts = array<i64: 10>, sizes = array<i64: 20>} : (tensor<40xf32>) -> tensor<20xf32>
  df.return %w1, %h : tensor<20xf32>, tensor<20xf32>
}
