// Programs, messages and marks of placement: parse, print, parse again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file | mlc-opt --split-input-file | FileCheck %s

// CHECK-LABEL: dist.program @worker_0_cpu_0 on "/job:worker/task:0/device:CPU:0" {
dist.program @worker_0_cpu_0 on "/job:worker/task:0/device:CPU:0" {
  df.function @f(%x: tensor<4xf32> {dist.argument = 0 : i64}) -> tensor<4xf32> {
    // CHECK: dist.send %{{.*}}, %{{.*}} to @ps_0_cpu_0 channel 0 : tensor<4xf32>, tensor<4xf32>
    dist.send %x, %x to @ps_0_cpu_0 channel 0 : tensor<4xf32>, tensor<4xf32>
    // CHECK: %{{.*}} = dist.recv from @ps_0_cpu_0 channel 1 : tensor<4xf32>
    %y = dist.recv from @ps_0_cpu_0 channel 1 : tensor<4xf32>
    df.return %y : tensor<4xf32>
  }
}
// CHECK: dist.program @ps_0_cpu_0 on "/job:ps/task:0/device:CPU:0" attributes {mlc.note = 1 : i64} {
dist.program @ps_0_cpu_0 on "/job:ps/task:0/device:CPU:0" attributes {mlc.note = 1 : i64} {
  df.function @f() {
    %a, %b = dist.recv from @worker_0_cpu_0 channel 0 : tensor<4xf32>, tensor<4xf32>
    %c = df.add %a, %b : tensor<4xf32>
    dist.send %c to @worker_0_cpu_0 channel 1 : tensor<4xf32>
    df.return
  }
}

// -----

// CHECK: dist.program @empty on "/device:GPU:1" {
dist.program @empty on "/device:GPU:1" {
}

// -----

// CHECK: df.variable @w {{.*}} {dist.device = "/job:ps"}
df.variable @w : tensor<f32> = #df.constant<0.0> {dist.device = "/job:ps"}
// CHECK: df.function @marks(%{{.*}}: tensor<f32> {dist.device = "/cpu:0"}) -> tensor<f32> attributes {dist.device = "/job:worker/task:*"
df.function @marks(%x: tensor<f32> {dist.device = "/cpu:0"}) -> tensor<f32> attributes {dist.device = "/job:worker/task:*"} {
  // CHECK: df.neg %{{.*}} {dist.colocate_with = @w} : tensor<f32>
  %y = df.neg %x {dist.colocate_with = @w} : tensor<f32>
  df.return %y : tensor<f32>
}
