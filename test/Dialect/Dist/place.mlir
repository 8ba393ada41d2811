// What dist-place makes of specs, colocation, soft placement and costs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --dist-place='devices=/job:worker/task:0/device:CPU:0,/job:ps/task:0/device:CPU:0,/job:ps/task:1/device:CPU:0 soft' --verify-diagnostics | FileCheck %s

// Ops are with their variables, slots too; specs of branches hold inside.
// CHECK-LABEL: df.variable @w
// CHECK-SAME: dist.device = "/job:ps/task:1/device:CPU:0"
df.variable @w : tensor<4xf32> = #df.constant<0.0> {dist.device = "/job:ps/task:1"}
// CHECK-LABEL: df.variable @w_m
// CHECK-SAME: dist.device = "/job:ps/task:1/device:CPU:0"
df.variable @w_m : tensor<4xf32> = #df.constant<0.0> {slot_of = @w, slot = "m"}
// CHECK-LABEL: df.queue fifo @q
// CHECK-SAME: dist.device = "/job:ps/task:0/device:CPU:0"
df.queue fifo @q capacity 2 : [tensor<4xf32>] {dist.device = "/job:ps/task:0"}

// CHECK-LABEL: df.function @step
// CHECK-SAME: tensor<4xf32> {dist.device = "/job:ps/task:0/device:CPU:0"}
// CHECK-SAME: attributes {dist.device = "/job:worker/task:0/device:CPU:0"
df.function @step(%x: tensor<4xf32> {dist.device = "/job:ps"}, %c: tensor<i1>) -> tensor<4xf32> {
  // CHECK: df.read @w {dist.device = "/job:ps/task:1/device:CPU:0"}
  %w = df.read @w : tensor<4xf32>
  // CHECK: df.exp {{.*}} {dist.device = "/job:ps/task:0/device:CPU:0"}
  %e = df.exp %w {dist.colocate_with = @q} : tensor<4xf32>
  // CHECK: df.enqueue @q, {{.*}} {dist.device = "/job:ps/task:0/device:CPU:0"}
  df.enqueue @q, %e : tensor<4xf32>
  // CHECK: df.if {{.*}} {dist.device = "/job:worker/task:0/device:CPU:0"}
  %r = df.if %c {dist.device = "/job:worker"} : (tensor<i1>) -> tensor<4xf32> {
    // CHECK: df.neg {{.*}} {dist.device = "/job:worker/task:0/device:CPU:0"}
    %n = df.neg %x : tensor<4xf32>
    df.yield %n : tensor<4xf32>
  } else {
    // CHECK: df.abs {{.*}} {dist.device = "/job:ps/task:0/device:CPU:0"}
    %a = df.abs %x {dist.device = "/job:ps/task:0"} : tensor<4xf32>
    df.yield %a : tensor<4xf32>
  }
  // CHECK: df.assign @w_m, {{.*}} {dist.device = "/job:ps/task:1/device:CPU:0"}
  df.assign @w_m, %e : tensor<4xf32>
  df.return %r : tensor<4xf32>
}

// -----

// Soft placement: the longest prefix that a device has.
// CHECK-LABEL: df.function @soft
df.function @soft(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: df.neg {{.*}} {dist.device = "/job:ps/task:1/device:CPU:0"}
  // expected-warning @+1 {{no device matches '/job:ps/task:1/device:GPU:7'; placed as if it were '/job:ps/task:1'}}
  %a = df.neg %x {dist.device = "/job:ps/task:1/device:GPU:7"} : tensor<4xf32>
  // Either would do: it is where its operand is.
  // CHECK: df.abs {{.*}} {dist.device = "/job:ps/task:1/device:CPU:0"}
  // expected-warning @+1 {{no device matches '/job:ps/task:9/device:CPU:0'; placed as if it were '/job:ps'}}
  %b = df.abs %a {dist.device = "/job:ps/task:9/cpu:0"} : tensor<4xf32>
  df.return %b : tensor<4xf32>
}

// -----

// Of contradicting specs the first is kept.
df.variable @w : tensor<f32> = #df.constant<0.0> {dist.device = "/job:ps/task:0"}
// CHECK-LABEL: df.function @contradiction
df.function @contradiction() -> tensor<f32> {
  // CHECK: df.read @w {dist.device = "/job:ps/task:0/device:CPU:0"}
  // expected-warning @+1 {{must be where an op with the device spec '/job:ps/task:0' is; its own, '/job:worker', is not kept}}
  %w = df.read @w {dist.device = "/job:worker"} : tensor<f32>
  df.return %w : tensor<f32>
}

// -----

// A loop that stacks values is on one device as a whole.
// CHECK-LABEL: df.function @stacks
// CHECK: df.while{{.*}}dist.device = "/job:worker/task:0/device:CPU:0"
df.function @stacks(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>, tensor<i64>) attributes {dist.device = "/job:worker"} {
  %last, %all, %count = df.while (%x) {max_iterations = 3 : i64} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>, tensor<i64>) {
  ^bb0(%a: tensor<2xf32>):
    %go = df.constant dense<true> : tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<2xf32>):
    %b = df.add %a, %a : tensor<2xf32>
    df.yield %b, %a : tensor<2xf32>, tensor<2xf32>
  }
  df.return %last, %all, %count : tensor<2xf32>, tensor<3x2xf32>, tensor<i64>
}
