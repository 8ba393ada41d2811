// RUN: mlc-opt %s --df-expand-gradients | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

df.variable @w : tensor<4x4xf32> = #df.constant<0.1> {trainable}

// The forward loop keeps what the backward body cannot cheaply compute again: the carried value; the result of tanh it stacks anyway. The sum over
// the iterations of the weights' gradient is one product after the backward loop.
// CHECK-LABEL: df.function @recurrent
// CHECK: %[[F:.*]]:3 = df.scan(%{{.*}}) over(%{{.*}}) : {{.*}} -> (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>) {
// CHECK: ^bb0(%[[H:.*]]: tensor<?x4xf32>, %{{.*}}: tensor<?x4xf32>):
// CHECK: %[[T:.*]] = df.tanh
// CHECK: df.yield %[[T]], %[[T]], %[[H]] :
// CHECK: %[[B:.*]]:2 = df.scan(%{{.*}}) over(%{{.*}}, %[[F]]#1) {reverse} : {{.*}} -> (tensor<?x4xf32>, tensor<5x?x4xf32>) {
// CHECK-NOT: df.tanh
// CHECK: }
// CHECK: %[[HS:.*]] = df.reshape %[[F]]#2 : (tensor<5x?x4xf32>) -> tensor<?x4xf32>
// CHECK: %[[GS:.*]] = df.reshape %[[B]]#1 : (tensor<5x?x4xf32>) -> tensor<?x4xf32>
// CHECK: %[[D:.*]] = df.matmul %[[HS]], %[[GS]] {transpose_a}
// CHECK: df.return %[[D]]
df.function @recurrent(%h0: tensor<?x4xf32>, %x: tensor<5x?x4xf32>) -> tensor<4x4xf32> {
  %last, %hs = df.scan (%h0) over (%x) : (tensor<?x4xf32>, tensor<5x?x4xf32>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>) {
  ^bb0(%h: tensor<?x4xf32>, %row: tensor<?x4xf32>):
    %w = df.read @w : tensor<4x4xf32>
    %p = df.matmul %h, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
    %s = df.add %p, %row : tensor<?x4xf32>
    %next = df.tanh %s : tensor<?x4xf32>
    df.yield %next, %next : tensor<?x4xf32>, tensor<?x4xf32>
  }
  %q = df.square %hs : tensor<5x?x4xf32>
  %l = df.reduce_sum %q {axes = array<i64: 0, 1, 2>} : (tensor<5x?x4xf32>) -> tensor<f32>
  %d = df.gradients %l wrt [@w] : (tensor<f32>) -> tensor<4x4xf32>
  df.return %d : tensor<4x4xf32>
}

// A loop that counts, and a scan that runs as often.
// CHECK-LABEL: df.function @while
// CHECK: %[[N:.*]]:2 = df.while
// CHECK: df.scan(%{{.*}}) count %[[N]]#1
// CHECK: df.scan(%{{.*}}) over(%{{.*}}) count %[[N]]#1 {reverse}
df.function @while(%x: tensor<4xf32>) -> tensor<4xf32> {
  %limit = df.constant dense<40.0> : tensor<f32>
  %h = df.while (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    %s = df.reduce_sum %c {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
    %go = df.compare lt, %s, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%c: tensor<4xf32>):
    %e = df.exp %c : tensor<4xf32>
    df.yield %e : tensor<4xf32>
  }
  %l = df.reduce_sum %h {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %d = df.gradients %l wrt [] %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  df.return %d : tensor<4xf32>
}

// The region is computed again, from values that are not known before the gradient is.
// CHECK-LABEL: df.function @checkpoint
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: df.remat
// CHECK: %[[A:.*]] = df.optimization_barrier %[[X]], %{{.*}} : tensor<4xf32>, tensor<4xf32>
// CHECK: df.exp %[[A]]
df.function @checkpoint(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = df.remat : () -> tensor<4xf32> {
    %e = df.exp %x : tensor<4xf32>
    df.yield %e : tensor<4xf32>
  }
  %s = df.square %y : tensor<4xf32>
  %l = df.reduce_sum %s {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %d = df.gradients %l wrt [] %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  df.return %d : tensor<4xf32>
}

// A power is kept, what is arithmetic of it is computed again; the attribute goes to both loops.
// CHECK-LABEL: df.function @powers
// CHECK: %[[F:.*]]:2 = df.scan() over(%{{.*}}) parallel_iterations 2 :
// CHECK: %[[E:.*]] = df.exp2
// CHECK: %[[S:.*]] = df.square %[[E]]
// CHECK: df.yield %[[S]], %[[E]] :
// CHECK: df.scan() over(%{{.*}}, %[[F]]#1) parallel_iterations 2 {reverse} :
// CHECK-NOT: df.exp2
// CHECK: df.return
df.function @powers(%x: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %y = df.scan () over (%x) parallel_iterations 2 : (tensor<3x2xf64>) -> tensor<3x2xf64> {
  ^bb0(%row: tensor<2xf64>):
    %e = df.exp2 %row : tensor<2xf64>
    %s = df.square %e : tensor<2xf64>
    df.yield %s : tensor<2xf64>
  }
  %l = df.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<3x2xf64>) -> tensor<f64>
  %d = df.gradients %l wrt [] %x : (tensor<f64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  df.return %d : tensor<3x2xf64>
}
