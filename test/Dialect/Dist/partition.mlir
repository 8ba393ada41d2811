// Programs that dist-partition makes: messages as few as can be, loops and branches in all programs that have a part of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --dist-place=devices=/cpu:0,/cpu:1 --dist-partition | FileCheck %s

// What is known before the first use goes along: %a and %b in one message, %d in another, for its operand is the answer to the first.
// CHECK-LABEL: dist.program @cpu_0
// CHECK:       df.function @coalesced(%[[X:.*]]: tensor<4xf32> {df.name = "x", dist.argument = 0 : i64})
// CHECK-NEXT:    %[[A:.*]] = df.neg %[[X]]
// CHECK-NEXT:    %[[B:.*]] = df.abs %[[X]]
// CHECK-NEXT:    dist.send %[[A]], %[[B]] to @cpu_1 channel 0 : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT:    %[[C:.*]] = dist.recv from @cpu_1 channel 1 : tensor<4xf32>
// CHECK-NEXT:    %[[D:.*]] = df.square %[[C]]
// CHECK-NEXT:    dist.send %[[D]] to @cpu_1 channel 2 : tensor<4xf32>
// CHECK-NEXT:    %[[E:.*]] = dist.recv from @cpu_1 channel 3 : tensor<4xf32>
// CHECK-NEXT:    df.return %[[E]]
// CHECK-LABEL: dist.program @cpu_1
// CHECK:       df.function @coalesced() attributes
// CHECK-NEXT:    %[[AB:.*]]:2 = dist.recv from @cpu_0 channel 0
// CHECK-NEXT:    %[[C:.*]] = df.mul %[[AB]]#0, %[[AB]]#0
// CHECK-NEXT:    dist.send %[[C]] to @cpu_0 channel 1
// CHECK-NEXT:    %[[D:.*]] = dist.recv from @cpu_0 channel 2
// CHECK-NEXT:    %[[E:.*]] = df.add %[[D]], %[[AB]]#1
// CHECK-NEXT:    dist.send %[[E]] to @cpu_0 channel 3
// CHECK-NEXT:    df.return
df.function @coalesced(%x: tensor<4xf32> {df.name = "x"}) -> tensor<4xf32> {
  %a = df.neg %x {dist.device = "/cpu:0"} : tensor<4xf32>
  %b = df.abs %x {dist.device = "/cpu:0"} : tensor<4xf32>
  %c = df.mul %a, %a {dist.device = "/cpu:1"} : tensor<4xf32>
  %d = df.square %c {dist.device = "/cpu:0"} : tensor<4xf32>
  %e = df.add %d, %b {dist.device = "/cpu:1"} : tensor<4xf32>
  df.return %e : tensor<4xf32>
}

// -----

// Used three times, sent once; a constant is sent never; a vocabulary is where it is looked up in.
// CHECK-LABEL: dist.program @cpu_0
// CHECK-NOT:     df.vocabulary
// CHECK:         df.constant
// CHECK-NEXT:    df.mul
// CHECK-NEXT:    dist.send %{{.*}} to @cpu_1 channel 0 : tensor<2xf32>
// CHECK-NOT:     dist.send
// CHECK-LABEL: dist.program @cpu_1
// CHECK-NEXT:    df.vocabulary @t
// CHECK:         df.constant
// CHECK:         df.lookup
// CHECK-NEXT:    dist.send %{{.*}} to @cpu_0 channel 1
df.vocabulary @t ["a", "b"]
df.function @once(%x: tensor<2xf32>, %s: tensor<3x!df.string> {dist.device = "/cpu:1"}) -> (tensor<2xf32>, tensor<3xi64>) {
  %k = df.constant dense<2.0> : tensor<2xf32>
  %a = df.mul %x, %k {dist.device = "/cpu:0"} : tensor<2xf32>
  %b = df.mul %a, %k {dist.device = "/cpu:1"} : tensor<2xf32>
  %c = df.add %a, %b {dist.device = "/cpu:1"} : tensor<2xf32>
  %i = df.lookup @t, %s {dist.device = "/cpu:1"} : (tensor<3x!df.string>) -> tensor<3xi64>
  df.return %c, %i : tensor<2xf32>, tensor<3xi64>
}

// -----

// The condition is computed once for each iteration and sent; each program carries what it makes.
// CHECK-LABEL: dist.program @cpu_0
// CHECK:         %[[R:.*]] = df.while(%{{.*}}) : (tensor<i64>) -> tensor<i64> {
// CHECK:           %[[GO:.*]] = df.compare lt
// CHECK-NEXT:      dist.send %[[GO]] to @cpu_1 channel [[$GO_CHANNEL:[0-9]+]] : tensor<i1>
// CHECK-NEXT:      df.condition %[[GO]]
// CHECK:         } do {
// CHECK:           df.add
// CHECK-NEXT:      dist.send %{{.*}} to @cpu_1 channel [[$NEXT:[0-9]+]] : tensor<i64>
// CHECK-NEXT:      df.yield
// CHECK-LABEL: dist.program @cpu_1
// CHECK:         %[[S:.*]] = df.while(%{{.*}}) : (tensor<i64>) -> tensor<i64> {
// CHECK:           %[[GO:.*]] = dist.recv from @cpu_0 channel [[$GO_CHANNEL]] : tensor<i1>
// CHECK-NEXT:      df.condition %[[GO]]
// CHECK:         } do {
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: tensor<i64>):
// CHECK-NEXT:      %[[I:.*]] = dist.recv from @cpu_0 channel [[$NEXT]] : tensor<i64>
// CHECK-NEXT:      %[[NEXT_SUM:.*]] = df.add %[[SUM]], %[[I]]
// CHECK-NEXT:      df.yield %[[NEXT_SUM]]
df.function @loop(%n: tensor<i64>) -> tensor<i64> {
  %zero = df.constant dense<0> : tensor<i64>
  %one = df.constant dense<1> : tensor<i64>
  %i, %s = df.while (%zero, %zero) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %go = df.compare lt, %a, %n {dist.device = "/cpu:0"} : (tensor<i64>, tensor<i64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %a1 = df.add %a, %one {dist.device = "/cpu:0"} : tensor<i64>
    %b1 = df.add %b, %a1 {dist.device = "/cpu:1"} : tensor<i64>
    df.yield %a1, %b1 : tensor<i64>, tensor<i64>
  }
  df.return %s : tensor<i64>
}

// -----

// A part of a scan without rows of its own gets the number of iterations.
// CHECK-LABEL: dist.program @cpu_0
// CHECK:         %[[N:.*]] = df.size %{{.*}} {dimensions = array<i64: 0>}
// CHECK-NEXT:    dist.send %[[N]] to @cpu_1 channel [[$COUNT:[0-9]+]] : tensor<i64>
// CHECK-NEXT:    df.scan() over(%{{.*}}) : (tensor<?x4xf32>) -> () {
// CHECK-NEXT:    ^bb0(%[[ROW:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[E:.*]] = df.exp %[[ROW]]
// CHECK-NEXT:      dist.send %[[E]] to @cpu_1 channel [[$ROWS:[0-9]+]]
// CHECK-LABEL: dist.program @cpu_1
// CHECK:         df.constant
// CHECK:         %[[N:.*]] = dist.recv from @cpu_0 channel [[$COUNT]]
// CHECK-NEXT:    df.scan(%{{.*}}) count %[[N]]
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[E:.*]] = dist.recv from @cpu_0 channel [[$ROWS]]
// CHECK-NEXT:      df.add %[[SUM]], %[[E]]
df.function @scan(%x: tensor<?x4xf32>) -> tensor<4xf32> {
  %zero = df.constant dense<0.0> : tensor<4xf32>
  %r = df.scan (%zero) over (%x) : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<4xf32> {
  ^bb0(%sum: tensor<4xf32>, %row: tensor<4xf32>):
    %e = df.exp %row {dist.device = "/cpu:0"} : tensor<4xf32>
    %next = df.add %sum, %e {dist.device = "/cpu:1"} : tensor<4xf32>
    df.yield %next : tensor<4xf32>
  }
  df.return %r : tensor<4xf32>
}

// -----

// Each program has its variables; nothing of a program is asked for by name elsewhere.
// CHECK-LABEL: dist.program @cpu_0
// CHECK-NEXT:    df.variable @v
// CHECK-NOT:     @w
// CHECK-LABEL: dist.program @cpu_1
// CHECK-NEXT:    df.variable @w
// CHECK-NOT:     @v
df.variable @v : tensor<f32> = #df.constant<1.0> {dist.device = "/cpu:0"}
df.variable @w : tensor<f32> = #df.constant<2.0> {dist.device = "/cpu:1"}
df.function @update(%x: tensor<f32>) {
  df.assign_add @v, %x : tensor<f32>
  %v = df.read @v : tensor<f32>
  df.assign_sub @w, %v : tensor<f32>
  df.return
}
