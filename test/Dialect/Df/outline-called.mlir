// Variables between the waits of a region: in segments that are called.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --df-outline-called | FileCheck %s
// RUN: mlc-opt %s --split-input-file --df-outline-called --df-cut-at-queues | FileCheck %s --check-prefix=CUT

// From the first op that uses a variable to the next that may wait, with what is after in between; constants are copied, not handed over.
// CHECK-LABEL: df.function @loop.c0(
// CHECK-SAME:    %[[A0:.*]]: tensor<?x4xf32> {df.binding = #df.binding<intermediate, "c0.a0">})
// CHECK-SAME:    -> (tensor<?x4xf32> {df.binding = #df.binding<intermediate, "c0.r0">}) attributes {entry = "loop", role = #df.role<other>, segment = #df.segment<called>} {
// CHECK-NEXT:    %[[W:.*]] = df.read @w
// CHECK-NEXT:    %[[Y:.*]] = df.matmul %[[A0]], %[[W]]
// CHECK-NEXT:    %[[ONE:.*]] = df.constant dense<1> : tensor<i64>
// CHECK-NEXT:    df.assign_add @rounds, %[[ONE]]
// CHECK-NEXT:    df.return %[[Y]]
// CHECK-LABEL: df.function @loop(
// CHECK:         df.while
// CHECK:           %[[N:.*]] = df.dequeue @numbers
// CHECK-NEXT:      %[[NEG:.*]] = df.neg
// CHECK-NEXT:      %[[C:.*]] = df.call @loop.c0(%[[NEG]]) : (tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK-NEXT:      df.enqueue @numbers, %[[N]]
// CHECK-NEXT:      df.yield %[[N]], %[[C]]
// What waits holds no variable's lock, so the function is one segment.
// CUT-LABEL:   df.function @loop(
// CUT-NOT:     df.function @loop.0
module {
  df.variable @w : tensor<4x4xf32> = #df.constant<0.0>
  df.variable @rounds : tensor<i64> = #df.constant<0.0>
  df.queue fifo @numbers capacity 2 : [tensor<i64>]
  df.function @loop(%x: tensor<?x4xf32> {df.name = "x"}) -> (tensor<?x4xf32> {df.name = "y"}) {
    %zero = df.constant dense<0> : tensor<i64>
    %one = df.constant dense<1> : tensor<i64>
    %n, %y = df.while (%zero, %x) : (tensor<i64>, tensor<?x4xf32>) -> (tensor<i64>, tensor<?x4xf32>) {
    ^bb0(%i: tensor<i64>, %h: tensor<?x4xf32>):
      %more = df.compare lt, %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
      df.condition %more : tensor<i1>
    } do {
    ^bb0(%i: tensor<i64>, %h: tensor<?x4xf32>):
      %next = df.dequeue @numbers : tensor<i64>
      %neg = df.neg %h : tensor<?x4xf32>
      %w = df.read @w : tensor<4x4xf32>
      %product = df.matmul %neg, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
      df.assign_add @rounds, %one : tensor<i64>
      df.enqueue @numbers, %next : tensor<i64>
      df.yield %next, %product : tensor<i64>, tensor<?x4xf32>
    }
    df.return %y : tensor<?x4xf32>
  }
}

// -----

// Branches, and a use of a variable in an inner loop that does not wait itself; sparse rows are taken apart.
// CHECK-LABEL: df.function @rows.c0(
// CHECK-SAME:    tensor<?xi64> {df.binding = #df.binding<intermediate, "c0.a0">}, {{.*}}tensor<?x8xf32> {df.binding = #df.binding<intermediate, "c0.a1">}, {{.*}}tensor<i64> {df.binding = #df.binding<intermediate, "c0.a2">})
// CHECK:         %[[R:.*]] = df.pack_rows
// CHECK-NEXT:    df.apply_rows [@e], %[[R]]
// CHECK-LABEL: df.function @rows(
// CHECK:         df.if
// CHECK-NEXT:      df.dequeue @q
// CHECK-NEXT:      %[[P0:.*]], %[[P1:.*]], %[[P2:.*]] = df.unpack_rows
// CHECK-NEXT:      df.call @rows.c0(%[[P0]], %[[P1]], %[[P2]])
module {
  df.variable @e : tensor<10x8xf32> = #df.constant<0.0>
  df.queue fifo @q capacity 1 : [tensor<i64>]
  df.function @rows(%c: tensor<i1> {df.name = "c"}, %ids: tensor<?xi64> {df.name = "ids"}, %g: tensor<?x8xf32> {df.name = "g"}, %n: tensor<i64> {df.name = "n"}) {
    %r = df.pack_rows %ids, %g, %n : (tensor<?xi64>, tensor<?x8xf32>, tensor<i64>) -> !df.rows<tensor<10x8xf32>>
    df.if %c : (tensor<i1>) -> () {
      %t = df.dequeue @q : tensor<i64>
      df.apply_rows [@e], %r : !df.rows<tensor<10x8xf32>> {
      ^bb0(%row: tensor<8xf32>, %gradient: tensor<8xf32>):
        %next = df.sub %row, %gradient : tensor<8xf32>
        df.yield %next : tensor<8xf32>
      }
      df.yield
    } else {
      df.yield
    }
    df.return
  }
}
