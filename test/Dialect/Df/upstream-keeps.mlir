// What keeps its meaning by being where it is stays through upstream's passes: barriers, regions that are computed again
// for the gradient, values without a gradient; calls, for as long as which variables are locked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --sccp --loop-invariant-code-motion --cse --canonicalize --inline --symbol-dce --control-flow-sink --cse --canonicalize | FileCheck %s

// CHECK-LABEL: df.function @barrier
// CHECK: df.scan
// CHECK: %[[B:.*]] = df.optimization_barrier
// CHECK: df.exp %[[B]]
// CHECK: df.yield
df.function @barrier(%x: tensor<4xf32>, %rows: tensor<?x4xf32>) -> tensor<4xf32> {
  %r = df.scan (%x) over (%rows) : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %row: tensor<4xf32>):
    %b = df.optimization_barrier %x, %x : tensor<4xf32>, tensor<4xf32>
    %e = df.exp %b : tensor<4xf32>
    %n = df.add %c, %e : tensor<4xf32>
    df.yield %n : tensor<4xf32>
  }
  df.return %r : tensor<4xf32>
}

// CHECK-LABEL: df.function @again
// CHECK: %[[R:.*]] = df.remat
// CHECK: df.tanh
// CHECK: df.yield
// CHECK: df.gradients
df.function @again(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = df.remat : () -> tensor<4xf32> {
    %t = df.tanh %x : tensor<4xf32>
    df.yield %t : tensor<4xf32>
  }
  %l = df.reduce_sum %r {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %g = df.gradients %l wrt [] %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  df.return %g : tensor<4xf32>
}

// CHECK-LABEL: df.function @stopped
// CHECK: %[[S:.*]] = df.stop_gradient
// CHECK: df.mul %[[S]]
df.function @stopped(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = df.stop_gradient %x : tensor<4xf32>
  %p = df.mul %s, %x : tensor<4xf32>
  %l = df.reduce_sum %p {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %g = df.gradients %l wrt [] %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  df.return %g : tensor<4xf32>
}

// CHECK-LABEL: df.function @twice
// CHECK: df.call @part(%
// CHECK: df.call @part(%
df.function @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = df.call @part(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = df.call @part(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %s = df.add %a, %b : tensor<4xf32>
  df.return %s : tensor<4xf32>
}
// CHECK-LABEL: df.function @part
df.function @part(%x: tensor<4xf32> {df.binding = #df.binding<intermediate, "x">}) -> (tensor<4xf32> {df.binding = #df.binding<intermediate, "y">}) attributes {segment = #df.segment<called>} {
  %e = df.exp %x : tensor<4xf32>
  df.return %e : tensor<4xf32>
}
