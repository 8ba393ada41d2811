// Scaled gradients: losses of the batch have scaled cotangents, and what arrives is divided when it is the sum of all shards.
// RUN: mlc-opt %s --split-input-file --df-expand-gradients | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

df.variable @w : tensor<3x2xf32> = #df.constant<0.5> {trainable}
df.variable @table : tensor<9x2xf32> = #df.constant<0.5> {trainable}
df.variable @s : tensor<f32> = #df.constant<8.0>

// CHECK-LABEL: df.function @mean
// CHECK: %[[SCALE:.*]] = df.read @s : tensor<f32>
// CHECK: %[[ONE:.*]] = df.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[INVERSE:.*]] = df.div %[[ONE]], %[[SCALE]]
// CHECK: %[[FACTOR:.*]] = df.mul %{{.*}}, %[[INVERSE]]
// CHECK: %[[SEED:.*]] = df.mul %{{.*}}, %{{.*}} : tensor<?x2xf32>
// CHECK: df.matmul %{{.*}}, %[[SEED]]
// CHECK: %[[SUM:.*]] = df.all_reduce %{{.*}} {name = "w"}
// CHECK: %[[ALL:.*]] = df.broadcast %[[FACTOR]]
// CHECK: df.mul %[[SUM]], %[[ALL]]
df.function @mean(%x: tensor<?x3xf32> {df.name = "x"}) -> (tensor<3x2xf32> {df.name = "d"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<3x2xf32>
  %y = df.matmul %x, %w : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %loss = df.batch_mean %y : (tensor<?x2xf32>) -> tensor<f32>
  %d = df.gradients %loss wrt [@w] {df.scaled_by = @s} : (tensor<f32>) -> tensor<3x2xf32>
  df.return %d : tensor<3x2xf32>
}

// Rows are scaled as rows.
// CHECK-LABEL: df.function @rows
// CHECK: %[[ROWS:.*]] = df.all_reduce %{{.*}} {name = "table"} : (!df.rows<tensor<9x2xf32>>)
// CHECK: df.scale_rows %[[ROWS]]
df.function @rows(%ids: tensor<?xi64> {df.name = "ids"}) -> (tensor<9x2xf32> {df.name = "d"}) attributes {role = #df.role<train>} {
  %e = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x2xf32>
  %loss = df.batch_mean %e {reduction = #df.batch_reduction<sum>} : (tensor<?x2xf32>) -> tensor<f32>
  %g = df.gradients %loss wrt [@table] {df.scaled_by = @s} : (tensor<f32>) -> !df.rows<tensor<9x2xf32>>
  %d = df.densify_rows %g : (!df.rows<tensor<9x2xf32>>) -> tensor<9x2xf32>
  df.return %d : tensor<9x2xf32>
}

// A loss without a mean is scaled itself.
// CHECK-LABEL: df.function @plain
// CHECK: %[[SCALE:.*]] = df.read @s : tensor<f32>
// CHECK: %[[INVERSE:.*]] = df.div %{{.*}}, %[[SCALE]]
// CHECK: df.mul %{{.*}}, %[[SCALE]]
// CHECK: df.broadcast %[[INVERSE]]
df.function @plain() -> (tensor<3x2xf32> {df.name = "d"}) {
  %w = df.read @w : tensor<3x2xf32>
  %loss = df.reduce_sum %w {axes = array<i64: 0, 1>} : (tensor<3x2xf32>) -> tensor<f32>
  %d = df.gradients %loss wrt [@w] {df.scaled_by = @s} : (tensor<f32>) -> tensor<3x2xf32>
  df.return %d : tensor<3x2xf32>
}
