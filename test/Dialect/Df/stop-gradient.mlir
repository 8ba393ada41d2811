// df.stop_gradient: no pass folds it away before gradients are taken, and nothing of it is left after.
// RUN: mlc-opt %s --cse --canonicalize --sccp --loop-invariant-code-motion --inline --df-simplify --cse --canonicalize \
// RUN:   --df-expand-gradients --df-decompose --df-simplify --cse | FileCheck %s
// RUN: mlc-opt %s --df-decompose=keep-differentiable --df-expand-gradients --df-decompose --df-simplify --cse | FileCheck %s
// RUN: mlc-opt %s --cse --canonicalize --df-simplify | FileCheck %s --check-prefix=KEPT
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The gradient of x stop(x) is x; that of x stop(e^x) the exponential, which is not differentiated.
// CHECK-LABEL: df.function @product(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NOT: stop_gradient
// CHECK: %[[E:.*]] = df.exp %[[X]]
// CHECK: %[[SUM:.*]] = df.add %[[X]], %[[E]]
// CHECK-NEXT: df.return %[[SUM]]
// KEPT-LABEL: df.function @product(
// KEPT: df.stop_gradient
// KEPT: df.stop_gradient
df.function @product(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = df.stop_gradient %x : tensor<4xf32>
  %a = df.mul %x, %s : tensor<4xf32>
  %e = df.exp %x : tensor<4xf32>
  %t = df.stop_gradient %e : tensor<4xf32>
  %b = df.mul %x, %t : tensor<4xf32>
  %c = df.add %a, %b : tensor<4xf32>
  %l = df.reduce_sum %c {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %d = df.gradients %l wrt [] %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  df.return %d : tensor<4xf32>
}

// What a loop carries is constant, too, where it passes through a stop.
// CHECK-LABEL: df.function @loop(
// CHECK-NOT: stop_gradient
// KEPT-LABEL: df.function @loop(
// KEPT: df.stop_gradient
df.function @loop(%h: tensor<2xf32>, %x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %last = df.scan (%h) over (%x) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<2xf32> {
  ^bb0(%c: tensor<2xf32>, %r: tensor<2xf32>):
    %s = df.stop_gradient %c : tensor<2xf32>
    %p = df.mul %s, %r : tensor<2xf32>
    df.yield %p : tensor<2xf32>
  }
  %l = df.reduce_sum %last {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  %d = df.gradients %l wrt [] %x : (tensor<f32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  df.return %d : tensor<3x2xf32>
}
