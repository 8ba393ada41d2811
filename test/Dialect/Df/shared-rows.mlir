// RUN: mlc-opt %s --df-expand-gradients | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that all shards gather by ids of a static shape are summed over the shards as they lie; those of the batch's rows are grouped before.

df.variable @table : tensor<9x4xf32> = #df.constant<0.0> {trainable}

// CHECK-LABEL: df.function @train
df.function @train(%x: tensor<?x4xf32> {df.name = "x"}, %ids: tensor<?xi64> {df.name = "ids"}) -> (tensor<f32> {df.name = "loss"})
    attributes {role = #df.role<train>} {
  // CHECK: %[[SHARED:.*]] = df.iota
  %shared = df.iota {axis = 0 : i64} : () -> tensor<3xi64>
  %own = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x4xf32>
  %all = df.read_rows @table[%shared] : (tensor<3xi64>) -> tensor<3x4xf32>
  %a = df.mul %own, %x : tensor<?x4xf32>
  %s = df.reduce_sum %a {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>
  %p = df.matmul %x, %all {transpose_b} : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x3xf32>
  %t = df.reduce_sum %p {axes = array<i64: 1>} : (tensor<?x3xf32>) -> tensor<?xf32>
  %each = df.sub %t, %s : tensor<?xf32>
  %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
  // CHECK: %[[UNIQUE:.*]], %{{.*}}, %{{.*}}, %{{.*}} = df.group_ids %{{.*}} : (tensor<?xi64>)
  // CHECK: %[[ROWS:.*]] = df.pack_rows %[[UNIQUE]],
  // CHECK: df.all_reduce %[[ROWS]] {{.*}}!df.rows<tensor<9x4xf32>>
  // CHECK: df.all_reduce %{{.*}} "table.1"{{.*}} tensor<3x4xf32>
  // CHECK: df.group_ids %[[SHARED]] : (tensor<3xi64>)
  // CHECK: df.merge_rows {{.*}} tensor<3xi64>, tensor<3x4xf32>, tensor<i64>) -> (tensor<?xi64>, tensor<?x4xf32>, tensor<i64>)
  %d = df.gradients %loss wrt [@table] : (tensor<f32>) -> !df.rows<tensor<9x4xf32>>
  df.apply_rows [@table], %d : !df.rows<tensor<9x4xf32>> {
  ^bb0(%w: tensor<4xf32>, %g: tensor<4xf32>):
    %w1 = df.sub %w, %g : tensor<4xf32>
    df.yield %w1 : tensor<4xf32>
  }
  df.return %loss : tensor<f32>
}
