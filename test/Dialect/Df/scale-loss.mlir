// Losses of precision f16_mixed are scaled, and a step whose gradients are not finite changes no floats.
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --df-scale-loss | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK: module attributes {df.precision = #df.precision<f16_mixed>}
module attributes {df.precision = #df.precision<f16_mixed>} {
// CHECK-DAG: df.variable @"loss_scale/good_steps" : tensor<i64> = #df.constant<0.000000e+00>
// CHECK-DAG: df.variable @loss_scale : tensor<f32> = #df.constant<3.276800e+04>
df.variable @w : tensor<3x2xf32> = #df.constant<0.5> {trainable}
df.variable @table : tensor<9x2xf32> = #df.constant<0.5> {trainable}
df.variable @mean : tensor<2xf32> = #df.constant<0.0>
df.variable @global_step : tensor<i64> = #df.constant<0.0>

// CHECK-LABEL: df.function @train
// CHECK-SAME: -> (tensor<f32> {df.name = "loss"}, tensor<f32> {df.name = "loss_scale"})
// CHECK: %[[SCALE:.*]] = df.read @loss_scale
df.function @train(%x: tensor<?x3xf32> {df.name = "x"}, %ids: tensor<?xi64> {df.name = "ids"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<3x2xf32>
  %0 = df.matmul %x, %w : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %e = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x2xf32>
  %1 = df.mul %0, %e : tensor<?x2xf32>
  // What is written before the gradients waits for them.
  // CHECK-NOT: df.assign
  %m = df.read @mean : tensor<2xf32>
  %m2 = df.add %m, %m : tensor<2xf32>
  df.assign @mean, %m2 : tensor<2xf32>
  %loss = df.batch_mean %1 : (tensor<?x2xf32>) -> tensor<f32>
  // CHECK: %[[G:.*]]:2 = df.gradients %{{.*}} wrt [@w, @table] {df.scaled_by = @loss_scale}
  %g:2 = df.gradients %loss wrt [@w, @table] : (tensor<f32>) -> (tensor<3x2xf32>, !df.rows<tensor<9x2xf32>>)
  // Elements that are not finite are counted, of rows those before the count.
  // CHECK: df.is_finite %[[G]]#0
  // CHECK: %[[IDS:.*]], %[[ROWS:.*]], %[[COUNT:.*]] = df.unpack_rows %[[G]]#1
  // CHECK: %[[SUMS:.*]] = df.ragged_reduce {{.*}}%[[ROWS]]
  // CHECK: %[[SUM:.*]] = df.slice %[[SUMS]]
  // CHECK: df.is_finite %[[SUM]]
  // CHECK: %[[GOOD:.*]] = df.compare{{.*}} -> tensor<i1>
  // CHECK: %[[OLD:.*]] = df.read @mean
  // CHECK: %[[MEAN:.*]] = df.select %{{.*}}, %{{.*}}, %[[OLD]]
  // CHECK: df.assign @mean, %[[MEAN]]
  // CHECK: %[[STEP:.*]] = df.select %{{.*}} : (tensor<3x2xi1>, tensor<3x2xf32>, tensor<3x2xf32>)
  // CHECK: df.assign_sub @w, %[[STEP]]
  df.assign_sub @w, %g#0 : tensor<3x2xf32>
  // CHECK: df.apply_rows [@table], %[[G]]#1
  // CHECK: ^bb0(%[[ROW:.*]]: tensor<2xf32>, %{{.*}}: tensor<2xf32>):
  df.apply_rows [@table], %g#1 : !df.rows<tensor<9x2xf32>> {
  ^bb0(%row: tensor<2xf32>, %d: tensor<2xf32>):
    %r = df.sub %row, %d : tensor<2xf32>
    // CHECK: %[[IS:.*]] = df.broadcast %[[GOOD]]
    // CHECK: %[[R:.*]] = df.select %[[IS]], %{{.*}}, %[[ROW]]
    // CHECK: df.yield %[[R]]
    df.yield %r : tensor<2xf32>
  }
  // A step that is skipped counts.
  // CHECK: %[[ONE:.*]] = df.constant dense<1> : tensor<i64>
  // CHECK: df.assign_add @global_step, %[[ONE]]
  %one = df.constant dense<1> : tensor<i64>
  df.assign_add @global_step, %one : tensor<i64>
  // CHECK: df.assign @loss_scale,
  // CHECK: df.assign @"loss_scale/good_steps",
  // CHECK: df.return %{{.*}}, %[[SCALE]]
  df.return %loss : tensor<f32>
}

// CHECK-LABEL: df.function @predict
// CHECK-NOT: loss_scale
df.function @predict(%x: tensor<?x3xf32> {df.name = "x"}) -> (tensor<?x2xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  %w = df.read @w : tensor<3x2xf32>
  %0 = df.matmul %x, %w : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  df.return %0 : tensor<?x2xf32>
}
}

// -----

// Of other precisions nothing is scaled.
// CHECK-NOT: loss_scale
module attributes {df.precision = #df.precision<bf16_mixed>} {
df.variable @w : tensor<f32> = #df.constant<0.5> {trainable}
df.function @train() -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<f32>
  %g = df.gradients %w wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.assign_sub @w, %g : tensor<f32>
  df.return %w : tensor<f32>
}
}

// -----

// expected-error @below {{precision f16_mixed keeps its scale in a variable 'loss_scale'}}
module attributes {df.precision = #df.precision<f16_mixed>} {
// expected-note @below {{this has the name already}}
df.variable @loss_scale : tensor<f32> = #df.constant<0.5> {trainable}
df.function @train() -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %w = df.read @loss_scale : tensor<f32>
  %g = df.gradients %w wrt [@loss_scale] : (tensor<f32>) -> tensor<f32>
  df.assign_sub @loss_scale, %g : tensor<f32>
  df.return %w : tensor<f32>
}
}

// -----

module attributes {df.precision = #df.precision<f16_mixed>} {
df.variable @w : tensor<f32> = #df.constant<0.5> {trainable}
df.function @train() -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %one = df.constant dense<1.0> : tensor<f32>
  // expected-error @below {{writes "w" before the gradients, which decide whether a step of precision f16_mixed is skipped}}
  df.assign @w, %one : tensor<f32>
  // expected-note @below {{used here before it is known}}
  %w = df.read @w : tensor<f32>
  %g = df.gradients %w wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %w : tensor<f32>
}
}

// -----

module attributes {df.precision = #df.precision<f16_mixed>} {
df.variable @w : tensor<f32> = #df.constant<0.5> {trainable}
df.function @train(%p: tensor<i1> {df.name = "p"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<f32>
  %g = df.gradients %w wrt [@w] : (tensor<f32>) -> tensor<f32>
  // expected-error @below {{writes variables in its regions, of which a step of precision f16_mixed that is skipped knows nothing}}
  df.if %p : (tensor<i1>) -> () {
    df.assign_sub @w, %g : tensor<f32>
    df.yield
  } else {
    df.yield
  }
  df.return %w : tensor<f32>
}
}
