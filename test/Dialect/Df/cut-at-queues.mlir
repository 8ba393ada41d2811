// Functions that use queues and variables become segments that use one of the two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-cut-at-queues --df-state-to-values --df-outline-features --split-input-file --verify-diagnostics | FileCheck %s

df.queue fifo @q capacity 8 : [tensor<4xf32>]
df.variable @sum : tensor<4xf32> = #df.constant<0.0>

// Takes out, then adds: the lock of @sum is not held while it waits.
// CHECK-LABEL: df.function @consume.0
// CHECK-SAME: () -> (tensor<4xf32> {df.binding = #df.binding<output, "x">}, tensor<4xf32> {df.binding = #df.binding<intermediate, "q0">})
// CHECK-SAME: entry = "consume"
// CHECK: df.dequeue @q
// CHECK-LABEL: df.function @consume.1
// CHECK-SAME: df.binding = #df.binding<intermediate, "q0">
// CHECK-SAME: df.binding = #df.binding<variable, "sum">
// CHECK-SAME: entry = "consume"
// CHECK-NOT: df.dequeue
// CHECK: df.add
df.function @consume() -> (tensor<4xf32> {df.name = "x"}) {
  %x = df.dequeue @q : tensor<4xf32>
  df.assign_add @sum, %x : tensor<4xf32>
  df.return %x : tensor<4xf32>
}

// Queues alone: one segment.
// CHECK-LABEL: df.function @copy()
// CHECK: df.dequeue
// CHECK: df.enqueue
df.function @copy() {
  %x = df.dequeue @q : tensor<4xf32>
  %y = df.add %x, %x : tensor<4xf32>
  df.enqueue @q, %y : tensor<4xf32>
  df.return
}

// -----

df.queue fifo @q capacity 8 : [tensor<4xf32>]
df.variable @sum : tensor<4xf32> = #df.constant<0.0>
df.function @nested(%c: tensor<i1> {df.name = "c"}) {
  %one = df.if %c : (tensor<i1>) -> tensor<4xf32> {
    // expected-error @+1 {{may wait in a region that also uses variable 'sum', whose lock it would hold meanwhile; run df-outline-called first}}
    %x = df.dequeue @q : tensor<4xf32>
    df.assign_add @sum, %x : tensor<4xf32>
    df.yield %x : tensor<4xf32>
  } else {
    %s = df.read @sum : tensor<4xf32>
    df.yield %s : tensor<4xf32>
  }
  df.return
}

// -----

df.queue fifo @q capacity 8 : [tensor<4xf32>]
df.function @predict(%x: tensor<?x4xf32> {df.name = "x"}) -> (tensor<?x4xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  // expected-error @+1 {{stands in a function of role predict; only functions of role train, init and other use queues}}
  df.enqueue_many @q, %x : tensor<?x4xf32>
  df.return %x : tensor<?x4xf32>
}

// -----

df.queue fifo @q capacity 8 : [tensor<4xf32>]
df.variable @sum : tensor<4xf32> = #df.constant<0.0>
df.function @rest() -> (tensor<?x4xf32> {df.name = "x"}) {
  // expected-error @+1 {{makes a value of type 'tensor<?x4xf32>' that is used after a queue op or an access to a variable; of its shape, which only the call knows, no buffer can be planned between the two}}
  %x = df.dequeue_up_to @q count 4 : tensor<?x4xf32>
  %s = df.read @sum : tensor<4xf32>
  %b = df.broadcast %s like %x dimensions = [1] : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return %b : tensor<?x4xf32>
}

// -----

// Sparse rows cross as ids, rows and count.
df.queue padding_fifo @q capacity 4 : [tensor<?xi64>, tensor<?x2xf32>, tensor<i64>]
df.variable @table : tensor<9x2xf32> = #df.constant<0.0>
// CHECK-LABEL: df.function @receive.0
// CHECK-SAME: -> (tensor<?xi64> {df.binding = #df.binding<intermediate, "q0">}, tensor<?x2xf32> {df.binding = #df.binding<intermediate, "q0.1">}, tensor<i64> {df.binding = #df.binding<intermediate, "q0.2">})
// CHECK: df.dequeue @q
// CHECK-LABEL: df.function @receive.1
// CHECK-SAME: tensor<?xi64> {df.binding = #df.binding<intermediate, "q0">
// CHECK-SAME: tensor<?x2xf32> {df.binding = #df.binding<intermediate, "q0.1">
// CHECK-SAME: tensor<i64> {df.binding = #df.binding<intermediate, "q0.2">
// CHECK: df.update_rows
df.function @receive() {
  %ids, %rows, %n = df.dequeue @q {sizes = [[array<i64: 1>], [array<i64: 1>, array<i64>], []]} : tensor<?xi64>, tensor<?x2xf32>, tensor<i64>
  %r = df.pack_rows %ids, %rows, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<9x2xf32>>
  df.apply_rows [@table], %r : !df.rows<tensor<9x2xf32>> {
  ^bb0(%row: tensor<2xf32>, %g: tensor<2xf32>):
    %next = df.sub %row, %g : tensor<2xf32>
    df.yield %next : tensor<2xf32>
  }
  df.return
}
