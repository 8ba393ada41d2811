// Programs as functions that talk over queues.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --dist-place=devices=/cpu:0,/cpu:1 --dist-partition --dist-join | FileCheck %s

// The part with the results keeps the name and the role; sizes that follow from the rows are told where a message is taken out.
// CHECK:       module attributes {dist.channels = [{entry = "step", from = 1 : i64, queue = @channel.0, to = 0 : i64}, {entry = "step", from = 0 : i64, queue = @channel.1, to = 1 : i64}],
// CHECK-SAME:    dist.devices = ["/device:CPU:1", "/device:CPU:0"]
// CHECK-SAME:    dist.parts = [{device = 1 : i64, entry = "step", part = @step}, {device = 0 : i64, entry = "step", part = @step.cpu_1}]
// CHECK:       df.queue padding_fifo @channel.0 capacity 4 : [tensor<?x4xf32>] {channel}
// CHECK-NEXT:  df.queue fifo @channel.1 capacity 4 : [tensor<f32>] {channel}
// CHECK-NEXT:  df.variable @w
// CHECK-NOT:   dist.program
// CHECK:       df.function @step(%[[X:.*]]: tensor<?x4xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
// CHECK-NEXT:    %[[N:.*]] = df.neg %[[X]]
// CHECK-NEXT:    df.enqueue @channel.0, %[[N]] : tensor<?x4xf32>
// CHECK-NEXT:    %[[L:.*]] = df.dequeue @channel.1 : tensor<f32>
// CHECK-NEXT:    df.return %[[L]]
// A step on two devices is not cut at its sums over the batch.
// CHECK:       df.function @step.cpu_1() attributes {role = #df.role<other>} {
// CHECK-NEXT:    %[[N:.*]] = df.dequeue @channel.0 {sizes = {{\[\[}}array<i64: 1>, array<i64>{{\]\]}}} : tensor<?x4xf32>
// CHECK-NEXT:    %[[S:.*]] = df.reduce_sum %[[N]]
// CHECK-NEXT:    df.enqueue @channel.1, %[[S]]
// CHECK-NEXT:    df.assign @w, %[[S]]
// CHECK-NOT:     df.all_reduce
module {
  df.variable @w : tensor<f32> = #df.constant<0.0> {dist.device = "/cpu:1"}
  df.function @step(%x: tensor<?x4xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %n = df.neg %x {dist.device = "/cpu:0"} : tensor<?x4xf32>
    %s = df.reduce_sum %n {axes = array<i64: 0, 1>, dist.device = "/cpu:1"} : (tensor<?x4xf32>) -> tensor<f32>
    %sum = df.all_reduce %s {name = "s", dist.device = "/cpu:1"} : (tensor<f32>) -> tensor<f32>
    df.assign @w, %sum : tensor<f32>
    df.return %sum : tensor<f32>
  }
}

// -----

// Sparse rows go as their parts; a vocabulary that both devices have copies of is one again.
// CHECK:       df.queue padding_fifo @channel.0
// CHECK-NEXT:  df.queue padding_fifo @channel.1 capacity 4 : [tensor<?xi64>, tensor<?x8xf32>, tensor<i64>] {channel}
// CHECK:       df.vocabulary @t
// CHECK-NOT:   df.vocabulary
// CHECK:       df.function @rows(
// CHECK:         %[[D:.*]]:3 = df.dequeue @channel.1 {sizes = {{\[\[}}array<i64: 1>], [array<i64: 1>, array<i64>], []]}
// CHECK-NEXT:    %[[R:.*]] = df.pack_rows %[[D]]#0, %[[D]]#1, %[[D]]#2
// CHECK-NEXT:    df.apply_rows [@e], %[[R]]
// CHECK:       df.function @rows.cpu_0(
// CHECK:         df.enqueue @channel.0
// CHECK:         %[[I:.*]], %[[W:.*]], %[[C:.*]] = df.unpack_rows
// CHECK-NEXT:    df.enqueue @channel.1, %[[I]], %[[W]], %[[C]]
module {
  df.variable @e : tensor<10x8xf32> = #df.constant<0.0> {dist.device = "/cpu:1"}
  df.vocabulary @t ["a", "b"] {default_value = -1 : i64, num_oov = 0 : i64}
  df.function @rows(%s: tensor<?x!df.string> {df.name = "s"}, %g: tensor<?x8xf32> {df.name = "g"}) {
    %ids = df.lookup @t, %s {dist.device = "/cpu:0"} : (tensor<?x!df.string>) -> tensor<?xi64>
    %same = df.lookup @t, %s {dist.device = "/cpu:1"} : (tensor<?x!df.string>) -> tensor<?xi64>
    %n = df.constant dense<2> : tensor<i64>
    %r = df.pack_rows %ids, %g, %n {dist.device = "/cpu:0"} : (tensor<?xi64>, tensor<?x8xf32>, tensor<i64>) -> !df.rows<tensor<10x8xf32>>
    df.apply_rows [@e], %r : !df.rows<tensor<10x8xf32>> {
    ^bb0(%row: tensor<8xf32>, %gradient: tensor<8xf32>):
      %next = df.sub %row, %gradient : tensor<8xf32>
      df.yield %next : tensor<8xf32>
    }
    df.return
  }
}
