// Variables are independent of one another: a read goes past assignments of others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-simplify | FileCheck %s

df.variable @a : tensor<f32> = #df.constant<0.0>
df.variable @b : tensor<f32> = #df.constant<0.0>
df.variable @t : tensor<9x2xf32> = #df.constant<0.0>

// CHECK-LABEL: @reads
// CHECK-NEXT: %[[A:.*]] = df.read @a
// CHECK-NEXT: df.assign @b, %[[A]]
// CHECK-NEXT: df.return %[[A]], %[[A]], %[[A]]
df.function @reads() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %x = df.read @a : tensor<f32>
  df.assign @b, %x : tensor<f32>
  %y = df.read @a : tensor<f32>
  %z = df.read @b : tensor<f32>
  df.return %x, %y, %z : tensor<f32>, tensor<f32>, tensor<f32>
}

// An update of the same variable ends what is known.
// CHECK-LABEL: @updated
// CHECK: df.read @a
// CHECK: df.assign_add @a
// CHECK: df.read @a
df.function @updated(%d: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %x = df.read @a : tensor<f32>
  df.assign_add @a, %d : tensor<f32>
  %y = df.read @a : tensor<f32>
  df.return %x, %y : tensor<f32>, tensor<f32>
}

// The first assignment is seen by nobody, that of @b by the read of @b alone; the last changes nothing.
// CHECK-LABEL: @assignments
// CHECK-SAME: %[[X:[^:]*]]: tensor<f32>, %[[Y:[^:]*]]: tensor<f32>
// CHECK-NEXT: df.assign @b, %[[X]]
// CHECK-NEXT: df.assign @a, %[[Y]]
// CHECK-NEXT: df.return %[[X]]
df.function @assignments(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  df.assign @a, %x : tensor<f32>
  df.assign @b, %x : tensor<f32>
  %r = df.read @b : tensor<f32>
  df.assign @a, %y : tensor<f32>
  df.assign @a, %y : tensor<f32>
  df.return %r : tensor<f32>
}

// A branch that reads the first assignment keeps it.
// CHECK-LABEL: @seen_by_a_branch
// CHECK: df.assign @a
// CHECK: df.if
// CHECK: df.assign_add @a
// CHECK: df.assign @a
df.function @seen_by_a_branch(%x: tensor<f32>, %y: tensor<f32>, %c: tensor<i1>) {
  df.assign @a, %x : tensor<f32>
  df.if %c : (tensor<i1>) -> () {
    df.assign_add @a, %y : tensor<f32>
    df.yield
  } else {
    df.yield
  }
  %r = df.read @a : tensor<f32>
  %s = df.exp %r : tensor<f32>
  df.assign @a, %s : tensor<f32>
  df.return
}

// CHECK-LABEL: @gathers
// CHECK: %[[G:.*]] = df.read_rows @t
// CHECK-NEXT: df.assign @a
// CHECK-NEXT: df.return %[[G]], %[[G]]
df.function @gathers(%ids: tensor<?xi64>, %x: tensor<f32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %g = df.read_rows @t[%ids] : (tensor<?xi64>) -> tensor<?x2xf32>
  df.assign @a, %x : tensor<f32>
  %h = df.read_rows @t[%ids] : (tensor<?xi64>) -> tensor<?x2xf32>
  df.return %g, %h : tensor<?x2xf32>, tensor<?x2xf32>
}

// The read of @a leaves the loop, which writes @b alone; that of @b stays.
// CHECK-LABEL: @read_in_loop
// CHECK: %[[A:.*]] = df.read @a
// CHECK-NEXT: df.scan
// CHECK: df.read @b
// CHECK: df.assign @b
df.function @read_in_loop(%x: tensor<?xf32>) {
  df.scan () over (%x) : (tensor<?xf32>) -> () {
  ^bb0(%row: tensor<f32>):
    %a = df.read @a : tensor<f32>
    %b = df.read @b : tensor<f32>
    %p = df.mul %a, %row : tensor<f32>
    %s = df.add %b, %p : tensor<f32>
    df.assign @b, %s : tensor<f32>
    df.yield
  }
  df.return
}
