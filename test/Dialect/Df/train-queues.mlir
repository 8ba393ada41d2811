// A train function that uses queues is one step: it has no parts, and is cut where it goes over from variables to queues.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-split-step --df-cut-at-queues --df-state-to-values --df-outline-features | FileCheck %s

df.queue fifo @q capacity 8 : [tensor<f32>]
df.variable @w : tensor<f32> = #df.constant<0.0> {trainable}

// CHECK-NOT: role = #df.role<train_
// CHECK: df.function @train.0
// CHECK-SAME: #df.binding<variable, "w">
// CHECK-SAME: entry = "train"
// CHECK-SAME: role = #df.role<train>
// CHECK-NOT: df.enqueue
// CHECK: df.function @train.1
// CHECK-NOT: #df.binding<variable
// CHECK: df.enqueue @q
// CHECK: df.dequeue @q
// CHECK: df.function @train.2
// CHECK-SAME: #df.binding<variable, "w">
// CHECK-NOT: role = #df.role<train_
df.function @train(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<f32>
  %s = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  %m = df.mul %s, %w : tensor<f32>
  %loss = df.all_reduce %m {name = "w"} : (tensor<f32>) -> tensor<f32>
  df.enqueue @q, %loss : tensor<f32>
  %taken = df.dequeue @q : tensor<f32>
  df.assign_sub @w, %taken : tensor<f32>
  df.return %loss : tensor<f32>
}
