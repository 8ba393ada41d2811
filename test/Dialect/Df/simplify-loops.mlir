// Branches and loops: known outcomes, values that no one needs or that stay, invariant ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-simplify | FileCheck %s

// CHECK-LABEL: @known_branch
// CHECK-SAME: %[[X:[^:]*]]: tensor<f32>, %[[Y:[^:]*]]: tensor<f32>
// CHECK-NEXT: %[[E:.*]] = df.exp %[[Y]]
// CHECK-NEXT: df.return %[[E]]
df.function @known_branch(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %false = df.constant dense<false> : tensor<i1>
  %r = df.if %false : (tensor<i1>) -> tensor<f32> {
    %a = df.neg %x : tensor<f32>
    df.yield %a : tensor<f32>
  } else {
    %b = df.exp %y : tensor<f32>
    df.yield %b : tensor<f32>
  }
  df.return %r : tensor<f32>
}

// Only the last result is needed; the first is x in both branches, and within a branch the condition is known.
// CHECK-LABEL: @outcomes
// CHECK-SAME: %[[X:[^:]*]]: tensor<f32>, %[[C:[^:]*]]: tensor<i1>
// CHECK-NEXT: %[[R:.*]] = df.if %[[C]] : (tensor<i1>) -> tensor<f32> {
// CHECK-NEXT:   %[[N:.*]] = df.neg %[[X]]
// CHECK-NEXT:   df.yield %[[N]] : tensor<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[E:.*]] = df.exp %[[X]]
// CHECK-NEXT:   df.yield %[[E]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: df.return %[[X]], %[[R]], %[[C]]
df.function @outcomes(%x: tensor<f32>, %c: tensor<i1>) -> (tensor<f32>, tensor<f32>, tensor<i1>) {
  %true = df.constant dense<true> : tensor<i1>
  %false = df.constant dense<false> : tensor<i1>
  %r:4 = df.if %c : (tensor<i1>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) {
    %n = df.neg %x : tensor<f32>
    %s = df.select %c, %n, %x : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    df.yield %x, %x, %s, %true : tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>
  } else {
    %n = df.exp %x : tensor<f32>
    %t = df.tanh %x : tensor<f32>
    df.yield %x, %t, %n, %false : tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>
  }
  df.return %r#0, %r#2, %r#3 : tensor<f32>, tensor<f32>, tensor<i1>
}

// Of five carried values one is needed, with it the rows of one sequence; the stacked result is not.
// CHECK-LABEL: @unneeded
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4xf32>, %[[Y:[^:]*]]: tensor<?x4xf32>, %[[Z:[^:]*]]: tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = df.scan(%[[Z]]) over(%[[X]]) : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4xf32>, %[[ROW:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[S:.*]] = df.add %[[A]], %[[ROW]]
// CHECK-NEXT:   df.yield %[[S]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: df.return %[[R]], %[[Z]]
df.function @unneeded(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // a is the sum; b and c only need each other; d stays; e is a again.
  %r:6 = df.scan (%z, %z, %z, %z, %z) over (%x, %y)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>, %e: tensor<4xf32>, %row: tensor<4xf32>, %other: tensor<4xf32>):
    %a1 = df.add %a, %row : tensor<4xf32>
    %b1 = df.mul %c, %other : tensor<4xf32>
    %c1 = df.add %b, %d : tensor<4xf32>
    %s = df.exp %e : tensor<4xf32>
    df.yield %a1, %b1, %c1, %d, %a1, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  df.return %r#4, %r#3 : tensor<4xf32>, tensor<4xf32>
}

// What an assignment needs is needed.
df.variable @v : tensor<f32> = #df.constant<0.0>
// CHECK-LABEL: @needed_by_state
// CHECK: df.scan(%{{.*}}) over
// CHECK: df.assign @v
df.function @needed_by_state(%x: tensor<?xf32>, %z: tensor<f32>) {
  %r = df.scan (%z) over (%x) : (tensor<f32>, tensor<?xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %row: tensor<f32>):
    %a1 = df.add %a, %row : tensor<f32>
    df.assign @v, %a1 : tensor<f32>
    df.yield %a1 : tensor<f32>
  }
  df.return
}

// The counter is needed by the condition, the product by nothing.
// CHECK-LABEL: @while_unneeded
// CHECK: df.while(%{{[^,]*}}, %{{[^,]*}}) {max_iterations = 9 : i64, must_end} : (tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>) {
// CHECK-NOT: df.mul
// CHECK: df.return
df.function @while_unneeded(%x: tensor<f32>, %n: tensor<i64>) -> tensor<f32> {
  %zero = df.constant dense<0> : tensor<i64>
  %one = df.constant dense<1> : tensor<i64>
  %r:3 = df.while (%zero, %x, %x) {max_iterations = 9 : i64, must_end} : (tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<i64>, tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<f32>, %b: tensor<f32>):
    %go = df.compare lt, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<f32>, %b: tensor<f32>):
    %j = df.add %i, %one : tensor<i64>
    %a1 = df.exp %a : tensor<f32>
    %b1 = df.mul %b, %a : tensor<f32>
    df.yield %j, %a1, %b1 : tensor<i64>, tensor<f32>, tensor<f32>
  }
  df.return %r#1 : tensor<f32>
}

// CHECK-LABEL: @never
// CHECK-SAME: %[[X:[^:]*]]: tensor<f32>
// CHECK-NEXT: df.return %[[X]], %[[X]]
df.function @never(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %false = df.constant dense<false> : tensor<i1>
  %a = df.while (%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%v: tensor<f32>):
    df.condition %false : tensor<i1>
  } do {
  ^bb0(%v: tensor<f32>):
    %w = df.exp %v : tensor<f32>
    df.yield %w : tensor<f32>
  }
  %b = df.while (%x) {max_iterations = 0 : i64} : (tensor<f32>) -> tensor<f32> {
  ^bb0(%v: tensor<f32>):
    %go = df.compare lt, %v, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%v: tensor<f32>):
    %w = df.exp %v : tensor<f32>
    df.yield %w : tensor<f32>
  }
  df.return %a, %b : tensor<f32>, tensor<f32>
}

// The run must fail if the condition holds.
// CHECK-LABEL: @must_end
// CHECK: df.while(%{{.*}}) {max_iterations = 0 : i64, must_end}
df.function @must_end(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %a = df.while (%x) {max_iterations = 0 : i64, must_end} : (tensor<f32>) -> tensor<f32> {
  ^bb0(%v: tensor<f32>):
    %go = df.compare lt, %v, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%v: tensor<f32>):
    %w = df.exp %v : tensor<f32>
    df.yield %w : tensor<f32>
  }
  df.return %a : tensor<f32>
}

// No row, and one.
// CHECK-LABEL: @few_rows
// CHECK-SAME: %[[E:[^:]*]]: tensor<0x2xf32>, %[[ONE:[^:]*]]: tensor<1x2xf32>, %[[Z:[^:]*]]: tensor<2xf32>, %[[T:[^:]*]]: tensor<3x2xf32>
// CHECK-NOT: df.scan
// CHECK-DAG: %[[NONE:.*]] = df.constant dense<0.000000e+00> : tensor<0x2xf32>
// CHECK-DAG: %[[ZEROS:.*]] = df.constant dense<0.000000e+00> : tensor<3x2xf32>
// CHECK-DAG: %[[ROW:.*]] = df.reshape %[[ONE]] : (tensor<1x2xf32>) -> tensor<2xf32>
// CHECK: %[[S:.*]] = df.add %[[Z]], %[[ROW]]
// CHECK: %[[ST:.*]] = df.reshape %[[S]] : (tensor<2xf32>) -> tensor<1x2xf32>
// CHECK: df.return %[[Z]], %[[NONE]], %[[S]], %[[ST]], %[[Z]], %[[ZEROS]]
df.function @few_rows(%e: tensor<0x2xf32>, %one: tensor<1x2xf32>, %z: tensor<2xf32>, %t: tensor<3x2xf32>)
    -> (tensor<2xf32>, tensor<0x2xf32>, tensor<2xf32>, tensor<1x2xf32>, tensor<2xf32>, tensor<3x2xf32>) {
  %none = df.constant dense<0> : tensor<i64>
  %a:2 = df.scan (%z) over (%e) : (tensor<2xf32>, tensor<0x2xf32>) -> (tensor<2xf32>, tensor<0x2xf32>) {
  ^bb0(%s: tensor<2xf32>, %row: tensor<2xf32>):
    %n = df.add %s, %row : tensor<2xf32>
    df.yield %n, %n : tensor<2xf32>, tensor<2xf32>
  }
  %b:2 = df.scan (%z) over (%one) : (tensor<2xf32>, tensor<1x2xf32>) -> (tensor<2xf32>, tensor<1x2xf32>) {
  ^bb0(%s: tensor<2xf32>, %row: tensor<2xf32>):
    %n = df.add %s, %row : tensor<2xf32>
    df.yield %n, %n : tensor<2xf32>, tensor<2xf32>
  }
  %c:2 = df.scan (%z) over (%t) count %none : (tensor<2xf32>, tensor<3x2xf32>, tensor<i64>) -> (tensor<2xf32>, tensor<3x2xf32>) {
  ^bb0(%s: tensor<2xf32>, %row: tensor<2xf32>):
    %n = df.add %s, %row : tensor<2xf32>
    df.yield %n, %n : tensor<2xf32>, tensor<2xf32>
  }
  df.return %a#0, %a#1, %b#0, %b#1, %c#0, %c#1 : tensor<2xf32>, tensor<0x2xf32>, tensor<2xf32>, tensor<1x2xf32>, tensor<2xf32>, tensor<3x2xf32>
}

// The product leaves both loops; an integer division could fail where no iteration would, and stays.
// CHECK-LABEL: @invariant
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4xf32>, %[[W:[^:]*]]: tensor<4x4xf32>, %[[V:[^:]*]]: tensor<4x4xf32>
// CHECK: %[[P:.*]] = df.matmul %[[W]], %[[V]]
// CHECK-NEXT: df.scan
// CHECK-NEXT: ^bb0
// CHECK-NEXT: df.scan
// CHECK-NOT: df.matmul
// CHECK: df.div
// CHECK: df.return
df.function @invariant(%x: tensor<?x4xf32>, %w: tensor<4x4xf32>, %v: tensor<4x4xf32>, %i: tensor<i64>, %j: tensor<i64>, %m: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i64>) {
  %r:2 = df.scan (%m, %i) over (%x) : (tensor<4x4xf32>, tensor<i64>, tensor<?x4xf32>) -> (tensor<4x4xf32>, tensor<i64>) {
  ^bb0(%s: tensor<4x4xf32>, %k: tensor<i64>, %row: tensor<4xf32>):
    %t = df.scan (%s) over (%x) : (tensor<4x4xf32>, tensor<?x4xf32>) -> tensor<4x4xf32> {
    ^bb0(%u: tensor<4x4xf32>, %inner: tensor<4xf32>):
      %p = df.matmul %w, %v : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %q = df.add %u, %p : tensor<4x4xf32>
      %rows = df.broadcast %inner dimensions = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
      %q1 = df.add %q, %rows : tensor<4x4xf32>
      df.yield %q1 : tensor<4x4xf32>
    }
    %d = df.div %i, %j : tensor<i64>
    %l = df.add %k, %d : tensor<i64>
    df.yield %t, %l : tensor<4x4xf32>, tensor<i64>
  }
  df.return %r#0, %r#1 : tensor<4x4xf32>, tensor<i64>
}

// Sizes that may differ fail the step where they meet: a loop that does not run fails nothing. Rows of the batch are
// one size.
// CHECK-LABEL: @may_fail
// CHECK: df.mul %{{.*}}, %{{.*}} : tensor<?xf32>
// CHECK: df.scan
// CHECK-NOT: df.scan
// CHECK: df.mul
// CHECK: df.matmul
// CHECK: df.reshape
// CHECK: df.yield
df.function @may_fail(%a: tensor<?xf32> {df.name = "a"}, %b: tensor<?xf32> {df.name = "b"}, %c: tensor<?xf32> {df.name = "c", df.symbols = array<i64: 7>}, %n: tensor<i64> {df.name = "n"}, %m: tensor<2x?xf32> {df.name = "m", df.symbols = array<i64: 8>}, %z: tensor<?x2xf32> {df.name = "z"}) -> (tensor<f32> {df.name = "s"}) {
  %zero = df.constant dense<0.0> : tensor<f32>
  %s = df.scan (%zero) count %n : (tensor<f32>, tensor<i64>) -> tensor<f32> {
  ^bb0(%h: tensor<f32>):
    %same = df.mul %a, %b : tensor<?xf32>
    %other = df.mul %a, %c : tensor<?xf32>
    %p = df.matmul %m, %z : (tensor<2x?xf32>, tensor<?x2xf32>) -> tensor<2x2xf32>
    %r = df.reshape %a : (tensor<?xf32>) -> tensor<?x3xf32>
    %s0 = df.reduce_sum %same {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    %s1 = df.reduce_sum %other {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    %s2 = df.reduce_sum %p {axes = array<i64: 0, 1>} : (tensor<2x2xf32>) -> tensor<f32>
    %s3 = df.reduce_sum %r {axes = array<i64: 0, 1>} : (tensor<?x3xf32>) -> tensor<f32>
    %t0 = df.add %s0, %h : tensor<f32>
    %t1 = df.add %s1, %t0 : tensor<f32>
    %t2 = df.add %s2, %t1 : tensor<f32>
    %t3 = df.add %s3, %t2 : tensor<f32>
    df.yield %t3 : tensor<f32>
  }
  df.return %s : tensor<f32>
}
