// Variables that nothing reads go, with what is assigned to them; those that a checkpoint holds, if asked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-remove-dead-state | FileCheck %s
// RUN: mlc-opt %s --pass-pipeline='builtin.module(df-remove-dead-state{checkpointed})' | FileCheck %s --check-prefix=ALL

// CHECK: df.variable @read
// CHECK: df.variable @weights
// CHECK: df.variable @counter
// CHECK-NOT: df.variable @unused
// CHECK: df.variable @slot
// CHECK-NOT: df.variable @metric
// ALL: df.variable @read
// ALL-NOT: df.variable
df.variable @read : tensor<f32> = #df.constant<0.0>
df.variable @weights : tensor<f32> = #df.constant<0.0> {trainable}
df.variable @counter : tensor<f32> = #df.constant<0.0>
df.variable @unused : tensor<f32> = #df.constant<0.0>
df.variable @slot : tensor<f32> = #df.constant<0.0> {slot_of = @weights, slot = "m"}
df.variable @metric : tensor<f32> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}

// CHECK-LABEL: @step
// CHECK-NEXT: df.read @read
// CHECK-NEXT: df.assign_add @counter
// CHECK-NEXT: df.assign @slot
// CHECK-NEXT: df.return
// ALL-LABEL: @step
// ALL-NEXT: df.read @read
// ALL-NEXT: df.return
df.function @step(%x: tensor<f32>) -> tensor<f32> {
  %r = df.read @read : tensor<f32>
  %unused = df.read @metric : tensor<f32>
  %e = df.exp %x : tensor<f32>
  df.assign_add @counter, %x : tensor<f32>
  df.assign @slot, %x : tensor<f32>
  df.assign @metric, %e : tensor<f32>
  df.return %r : tensor<f32>
}
